// Package pattern is what a repository taught: fixes that people merged, as small
// abstract edits (SPEC M5), what they corrected before they merged, as pairs of
// wrong and right (M6), and what they said in reviews (M8). In go attempts, fates of
// pull requests and files; out come lessons for a run, the likeliest first.
//
// It decides nothing and never asks a model, a forge or a clock. Only what people
// merged in a repository counts there: a draft of a lesson is of no use to anybody
// before that. A book is one repository's of one installation; nothing here joins two.
package pattern

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Pattern is a lesson with its record.
type Pattern struct {
	ID       string            `json:"id"`
	Kind     task.LessonKind   `json:"kind"`
	Language string            `json:"language,omitempty"`
	Keys     []task.FailureKey `json:"keys,omitempty"` // of the failures that it was learned from, the last ones
	Rule     string            `json:"rule,omitempty"`
	Was      string            `json:"was,omitempty"`
	Now      string            `json:"now,omitempty"`
	Path     string            `json:"path,omitempty"`
	Region   string            `json:"region,omitempty"`
	Kinds    string            `json:"region_kind,omitempty"`
	Fix      string            `json:"fix_type,omitempty"` // the template, "model edit" or "human edit"
	Tier     task.Tier         `json:"tier,omitempty"`     // that found it first
	Words    string            `json:"words,omitempty"`    // of advice, or a human's note
	By       string            `json:"by,omitempty"`       // who said or merged it, where that is known
	Source   string            `json:"source"`             // where it was learned, such as "#12"
	Pulls    []int             `json:"pulls,omitempty"`    // that it was merged with, the last ones
	Tries    int               `json:"tries"`
	Won      int               `json:"won"` // of these, merged and not reverted since; once for each pull request
	Closed   int               `json:"closed,omitempty"`
	Reverted int               `json:"reverted,omitempty"`
	MadeAt   time.Time         `json:"made_at"`
	LastAt   time.Time         `json:"last_at"` // it was last merged or said
}

// Bounds of what is kept of one thing.
const (
	mostKeys  = 6
	mostPulls = 20
	mostText  = 2000 // bytes of source
)

// halfLife is after how long without a merge a pattern counts half: code moves on.
const halfLife = 180 * 24 * time.Hour

// Usable tells whether people merged it more often than they took it back.
func (p *Pattern) Usable() bool { return p.Kind == task.LessonAdvice || p.Won > 0 }

// Rate is the share of its tries that people merged.
func (p *Pattern) Rate() float64 {
	if p.Tries == 0 {
		return 0
	}
	return math.Min(1, float64(p.Won)/float64(p.Tries))
}

// weight is the rate with a doubt that few tries leave, halved with age. A clock
// that was set back makes nothing heavier.
func (p *Pattern) weight(now time.Time) float64 {
	age := max(0, now.Sub(p.LastAt))
	return (float64(p.Won) + 0.5) / (float64(p.Tries) + 1) * math.Exp2(-float64(age)/float64(halfLife)) * math.Exp2(-float64(p.Reverted))
}

// won notes that people merged it with a pull request, which counts once.
func (p *Pattern) won(keys []task.FailureKey, pull int, at time.Time) {
	for _, k := range keys {
		if !slices.Contains(p.Keys, k) {
			p.Keys = append(p.Keys, k)
		}
	}
	p.Keys = p.Keys[max(0, len(p.Keys)-mostKeys):]
	if pull > 0 && slices.Contains(p.Pulls, pull) {
		return
	}
	p.Tries++
	p.Won++
	p.LastAt = at
	if pull > 0 {
		p.Pulls = append(p.Pulls, pull)
		p.Pulls = p.Pulls[max(0, len(p.Pulls)-mostPulls):]
	}
}

// lesson is the pattern as a run may use it.
func (p *Pattern) lesson() task.Lesson {
	l := task.Lesson{ID: p.ID, Kind: p.Kind, Language: p.Language, Rule: p.Rule, Was: p.Was, Now: p.Now, Path: p.Path, Words: p.Words, Source: p.Source, Rate: p.Rate(), Tries: p.Tries}
	if l.Words == "" {
		l.Words = p.sentence()
	}
	return l
}

// sentence says what failed and what mended it.
func (p *Pattern) sentence() string {
	what := ""
	if len(p.Keys) > 0 {
		k := p.Keys[len(p.Keys)-1]
		what = strings.TrimSpace(fmt.Sprintf("%s %s %s", k.Subject, k.Exception, k.Shape)) + ": "
	}
	where := p.Path
	if p.Region != "" {
		where += " (" + p.Region + ")"
	}
	if p.Kind == task.LessonWrong {
		return fmt.Sprintf("%s%s was corrected to %s in %s, %s", what, quoted(p.Was), quoted(p.Now), where, p.Source)
	}
	return fmt.Sprintf("%sin %s %s became %s, %s", what, where, quoted(p.Was), quoted(p.Now), p.Source)
}

// quoted is source on a line, cut.
func quoted(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:119]) + "…"
	}
	return "`" + s + "`"
}

// idOf names a lesson by its content, so that the same edit is the same lesson.
func idOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
