// Package detect tells from the attempts so far whether a run goes round in
// circles (SPEC L4). In go the attempts of one step as their diffs, errors,
// failing tests and actions; out come findings, each with a confidence and a
// sentence for the audit log. It is pure: it asks nobody, keeps nothing and
// has no clock.
//
//	same diff        1.00  the change of an earlier attempt, at any tier
//	same error       0.95  three times in a row, after normalising
//	oscillation      0.90  A → B → A → B
//	same action      0.85  the same action, arguments and output three times
//	near-same diff   ≤0.85 by similarity of the text (text.go), and the error is the same; by
//	                       meaning, with an embeddings model, bot/loop/circles.go asks
//	no progress      0.80  the failing set is not smaller after a plateau and one more try
//	prediction       0.75  two such attempts whose trend leads into one of these
//
// Everything but the same diff is looked for within one tier: a stronger model
// that fails where a weaker one failed has not repeated itself.
package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Kind is a pattern.
type Kind string

// The patterns.
const (
	SameDiff    Kind = "same_diff"
	SameError   Kind = "same_error"
	Oscillation Kind = "oscillation"
	SameAction  Kind = "same_action"
	NearDiff    Kind = "near_same_diff"
	NoProgress  Kind = "no_progress"
	Prediction  Kind = "prediction"
)

// Confidences, from 0 to 1.
const (
	sameDiff    = 1.00
	sameError   = 0.95
	oscillation = 0.90
	sameAction  = 0.85
	nearDiff    = 0.85 // of equal diffs; times their similarity
	noProgress  = 0.80
	prediction  = 0.75
)

const (
	inARow = 3    // equal errors, equal actions, failing sets without gain
	near   = 0.90 // similarity from which two changes count as nearly the same
	alike  = 0.75 // similarity from which two failed changes point the same way
)

// Finding is a pattern that was found.
type Finding struct {
	Kind       Kind    `json:"kind"`
	Confidence float64 `json:"confidence"`
	Attempts   []int   `json:"attempts"` // numbers of the attempts that show it
	Words      string  `json:"words"`
}

// Complete tells whether the loop was closed; a prediction only sees it coming.
func (f Finding) Complete() bool { return f.Kind != Prediction }

// Impasse tells whether it is a standstill rather than a repetition.
func (f Finding) Impasse() bool { return f.Kind == NoProgress }

// Action is what a role asked for, and what it was told.
type Action struct{ Name, Args, Output string }

// Try is an attempt as detection sees it.
type Try struct {
	Number  int
	Tier    task.Tier
	Diff    string   // unified; empty when nothing was applied
	Errors  []string // messages of the failures, or why the edits were refused; as they came
	Judged  bool     // the tests ran on the change
	Red     []string // tests that fail with the change
	Actions []Action
}

// Config says how changes are compared. The zero value compares text.
type Config struct {
	// Meaning gives the similarity of two changes from 0 to 1 by an embeddings
	// endpoint, or less than 0 when it cannot tell. It is asked only when the
	// text is not similar enough already.
	Meaning func(a, b string) float64
}

// Look gives the findings that the last try completes, the surest first. The
// tries are those of one step, in order; earlier loops are not told again.
func (c Config) Look(tries []Try) []Finding {
	if len(tries) == 0 {
		return nil
	}
	last := tries[len(tries)-1]
	from := len(tries)
	for from > 0 && tries[from-1].Tier == last.Tier {
		from--
	}
	here := tries[from:]
	var out []Finding
	for _, f := range []*Finding{repeatedDiff(tries), repeatedError(here), oscillates(here), repeatedAction(here), c.nearlySame(here), standsStill(here)} {
		if f != nil {
			out = append(out, *f)
		}
	}
	if len(out) == 0 {
		if f := c.foresee(here); f != nil {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out
}

func repeatedDiff(tries []Try) *Finding {
	last := tries[len(tries)-1]
	key := canonical(last.Diff)
	if key == "" {
		return nil
	}
	for _, t := range tries[:len(tries)-1] {
		if canonical(t.Diff) == key {
			return &Finding{SameDiff, sameDiff, []int{t.Number, last.Number}, fmt.Sprintf("the same change as attempt %d", t.Number)}
		}
	}
	return nil
}

func repeatedError(here []Try) *Finding {
	row := ending(here, inARow)
	if row == nil || signature(row[0]) == "" {
		return nil
	}
	for _, t := range row[1:] {
		if signature(t) != signature(row[0]) {
			return nil
		}
	}
	return &Finding{SameError, sameError, numbers(row), fmt.Sprintf("the same error %d times in a row: %s", inARow, firstWords(row[len(row)-1]))}
}

// oscillates: two states in turn. A state is the error and the failing set.
func oscillates(here []Try) *Finding {
	row := ending(here, 4)
	if row == nil {
		return nil
	}
	a, b := state(row[0]), state(row[1])
	if a == "" || b == "" || a == b || state(row[2]) != a || state(row[3]) != b {
		return nil
	}
	return &Finding{Oscillation, oscillation, numbers(row), fmt.Sprintf("attempts %d to %d go back and forth between two failures", row[0].Number, row[3].Number)}
}

// repeatedAction looks at all actions of the tier's attempts; the last has to
// be the repetition.
func repeatedAction(here []Try) *Finding {
	seen := map[Action][]int{}
	for i, t := range here {
		for _, a := range t.Actions {
			seen[a] = append(seen[a], t.Number)
			if i == len(here)-1 && len(seen[a]) >= inARow {
				return &Finding{SameAction, sameAction, slices.Compact(seen[a]), fmt.Sprintf("%s was asked %d times with the same arguments and answer", a.Name, len(seen[a]))}
			}
		}
	}
	return nil
}

func (c Config) nearlySame(here []Try) *Finding {
	last := here[len(here)-1]
	for _, t := range here[:len(here)-1] {
		if t.Diff == "" || last.Diff == "" || state(t) == "" || state(t) != state(last) {
			continue
		}
		s := c.similarity(t.Diff, last.Diff)
		if s >= near {
			return &Finding{NearDiff, nearDiff * s, []int{t.Number, last.Number}, fmt.Sprintf("nearly the same change as attempt %d (%.0f %% alike), and it fails in the same way", t.Number, 100*s)}
		}
	}
	return nil
}

// standsStill: a level, a plateau, and one more without gain.
func standsStill(here []Try) *Finding {
	row := ending(here, inARow)
	if row == nil {
		return nil
	}
	for i, t := range row {
		if !t.Judged || i > 0 && gains(row[i-1], t) {
			return nil
		}
	}
	return &Finding{NoProgress, noProgress, numbers(row), fmt.Sprintf("%d attempts brought the failing tests no further (%d fail)", len(row), len(row[len(row)-1].Red))}
}

// foresee: two attempts that fail alike with changes that are alike. The trend
// says that the next one will be the third.
func (c Config) foresee(here []Try) *Finding {
	row := ending(here, 2)
	if row == nil || !row[0].Judged || !row[1].Judged || signature(row[0]) == "" || state(row[0]) != state(row[1]) {
		return nil
	}
	s := c.similarity(row[0].Diff, row[1].Diff)
	if s < alike {
		return nil
	}
	return &Finding{Prediction, prediction, numbers(row), fmt.Sprintf("two changes that are %.0f %% alike failed in the same way; a third would too", 100*s)}
}

// Plateau tells whether the last two judged tries of one tier brought no gain:
// the moment to have the failing regions written anew as a whole (SPEC C8).
func Plateau(tries []Try) bool {
	row := ending(tries, 2)
	return row != nil && row[0].Tier == row[1].Tier && row[0].Judged && row[1].Judged && !gains(row[0], row[1])
}

// gains: fewer tests fail than before.
func gains(before, after Try) bool { return len(after.Red) < len(before.Red) }

func ending(tries []Try, n int) []Try {
	if len(tries) < n {
		return nil
	}
	return tries[len(tries)-n:]
}

func numbers(tries []Try) []int {
	out := make([]int, len(tries))
	for i, t := range tries {
		out[i] = t.Number
	}
	return out
}

// signature is the error of a try without what changes from run to run.
func signature(t Try) string {
	var all []string
	for _, e := range t.Errors {
		if n := Normalise(e); n != "" {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

func state(t Try) string {
	s := signature(t)
	if !t.Judged {
		return s
	}
	red := slices.Clone(t.Red)
	slices.Sort(red)
	return s + "\x00" + strings.Join(red, "\x00")
}

func firstWords(t Try) string {
	for _, e := range t.Errors {
		if line := strings.Join(strings.Fields(e), " "); line != "" {
			if r := []rune(line); len(r) > 120 {
				return string(r[:119]) + "…"
			}
			return line
		}
	}
	return ""
}
