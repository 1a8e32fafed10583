package pattern

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Book is all that one repository taught.
type Book struct {
	Patterns []Pattern
	Drafts   []Draft
	Attempts []Attempt

	at map[string]int // patterns by id
}

// Row is an entry of a book as it is stored.
type Row struct {
	ID, Kind string
	Body     json.RawMessage
}

// Kinds of rows that are no lessons.
const (
	rowDraft   = "draft"
	rowAttempt = "attempt"
)

// Read makes a book of its rows.
func Read(rows []Row) (*Book, error) {
	b := &Book{}
	for _, r := range rows {
		var err error
		switch r.Kind {
		case string(task.LessonFix), string(task.LessonWrong), string(task.LessonAdvice):
			var p Pattern
			err = json.Unmarshal(r.Body, &p)
			b.Patterns = append(b.Patterns, p)
		case rowDraft:
			var d Draft
			err = json.Unmarshal(r.Body, &d)
			b.Drafts = append(b.Drafts, d)
		case rowAttempt:
			var a Attempt
			err = json.Unmarshal(r.Body, &a)
			b.Attempts = append(b.Attempts, a)
		default:
			err = fmt.Errorf("of the kind %q, which this fettle does not know", r.Kind)
		}
		if err != nil {
			return nil, fmt.Errorf("reading lesson %s: %w", r.ID, err)
		}
	}
	byTime := func(x, y Attempt) int { return x.At.Compare(y.At) }
	slices.SortStableFunc(b.Attempts, byTime)
	slices.SortStableFunc(b.Drafts, func(x, y Draft) int { return x.At.Compare(y.At) })
	return b, nil
}

// Rows are the book as it is stored, within its bounds: the least useful patterns
// and the oldest of the rest go first.
func (b *Book) Rows(now time.Time) ([]Row, error) {
	if len(b.Patterns) > mostPatterns {
		slices.SortStableFunc(b.Patterns, func(x, y Pattern) int {
			switch d := y.weight(now) - x.weight(now); {
			case d > 0:
				return 1
			case d < 0:
				return -1
			}
			return 0
		})
		b.Patterns, b.at = b.Patterns[:mostPatterns], nil
	}
	b.Drafts = b.Drafts[max(0, len(b.Drafts)-mostDrafts):]
	b.Attempts = b.Attempts[max(0, len(b.Attempts)-mostAttempts):]
	var out []Row
	put := func(id, kind string, v any) error {
		raw, err := json.Marshal(v)
		out = append(out, Row{id, kind, raw})
		return err
	}
	for _, p := range b.Patterns {
		if err := put(p.ID, string(p.Kind), p); err != nil {
			return nil, err
		}
	}
	for _, d := range b.Drafts {
		if err := put("draft:"+d.ID, rowDraft, d); err != nil {
			return nil, err
		}
	}
	for _, a := range b.Attempts {
		if err := put("attempt:"+a.ID, rowAttempt, a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *Book) index() {
	if b.at == nil {
		b.at = make(map[string]int, len(b.Patterns))
		for i, p := range b.Patterns {
			b.at[p.ID] = i
		}
	}
}

// pattern is the one with an id, or nil.
func (b *Book) pattern(id string) *Pattern {
	b.index()
	if i, ok := b.at[id]; ok {
		return &b.Patterns[i]
	}
	return nil
}

// add puts a pattern into the book, or gives the one that is there.
func (b *Book) add(p Pattern) *Pattern {
	if at := b.pattern(p.ID); at != nil {
		return at
	}
	b.Patterns = append(b.Patterns, p)
	b.at[p.ID] = len(b.Patterns) - 1
	return &b.Patterns[len(b.Patterns)-1]
}

func (b *Book) attempt(t Attempt) {
	if i := slices.IndexFunc(b.Attempts, func(x Attempt) bool { return x.ID == t.ID }); i >= 0 {
		b.Attempts[i] = t
		return
	}
	b.Attempts = append(b.Attempts, t)
}

func (b *Book) draft(d Draft) {
	if i := slices.IndexFunc(b.Drafts, func(x Draft) bool { return x.ID == d.ID }); i >= 0 {
		b.Drafts[i] = d
		return
	}
	b.Drafts = append(b.Drafts, d)
}

// usedBy are the lessons that a run used, each once, that are still in the book.
func (b *Book) usedBy(run string) []string {
	var out []string
	for _, a := range b.Attempts {
		if a.Run != run {
			continue
		}
		for _, id := range a.Used {
			if !slices.Contains(out, id) && b.pattern(id) != nil {
				out = append(out, id)
			}
		}
	}
	return out
}

// Latest are the patterns, those first that were merged or said last.
func (b *Book) Latest() []Pattern {
	out := slices.Clone(b.Patterns)
	slices.SortStableFunc(out, func(x, y Pattern) int { return y.LastAt.Compare(x.LastAt) })
	return out
}

// Waiting are the runs with drafts that nobody has decided on.
func (b *Book) Waiting() []string {
	var out []string
	for _, d := range b.Drafts {
		if !slices.Contains(out, d.Run) {
			out = append(out, d.Run)
		}
	}
	return out
}

// mostAdvice is how much advice of reviews a repository keeps.
const mostAdvice = 200

// longestAdvice bounds a sentence of advice, in bytes.
const longestAdvice = 300

// Advise takes a sentence of a review as advice. by is somebody who may write to the
// repository: whoever calls it has asked.
func (b *Book) Advise(words, by, source string, at time.Time) bool {
	words = strings.Join(strings.Fields(words), " ")
	if words == "" || len(words) > longestAdvice {
		return false
	}
	id := idOf(string(task.LessonAdvice), strings.ToLower(words))
	if p := b.pattern(id); p != nil {
		if slices.Contains(strings.Split(p.Source, ", "), source) {
			return false
		}
		p.Source, p.LastAt = p.Source+", "+source, at
		p.Tries++
		p.Won++
		return true
	}
	n := 0
	for _, p := range b.Patterns {
		if p.Kind == task.LessonAdvice {
			n++
		}
	}
	if n >= mostAdvice {
		return false
	}
	b.add(Pattern{ID: id, Kind: task.LessonAdvice, Words: words, By: by, Source: source, Tries: 1, Won: 1, MadeAt: at, LastAt: at})
	return true
}

// Edit gives a lesson other words; false where there is none with the id.
func (b *Book) Edit(id, words string) bool {
	p := b.pattern(id)
	if p != nil {
		p.Words = clip(strings.Join(strings.Fields(words), " "), longestAdvice)
	}
	return p != nil
}

// Forget takes a lesson out of the book; false where there is none with the id.
func (b *Book) Forget(id string) bool {
	n := len(b.Patterns)
	b.Patterns, b.at = slices.DeleteFunc(b.Patterns, func(p Pattern) bool { return p.ID == id }), nil
	return len(b.Patterns) < n
}

// Stats are figures of a book.
type Stats struct {
	Fixes    int     `json:"fixes"`
	Wrongs   int     `json:"wrongs"`
	Advice   int     `json:"advice"`
	Usable   int     `json:"usable"`
	Drafts   int     `json:"drafts"` // accepted, and nobody has decided on them
	Attempts int     `json:"attempts"`
	Green    int     `json:"green"`
	Merged   int     `json:"merged"`
	Changed  int     `json:"changed"`
	Closed   int     `json:"closed"`
	Reverted int     `json:"reverted"`
	Generic  int     `json:"generic"`       // attempts whose key fits everything
	Share    float64 `json:"generic_share"` // of the attempts
	Used     int     `json:"used"`          // attempts that had lessons
	Helped   int     `json:"helped"`        // of these, the run ended with
	ByFix    []Count `json:"by_fix"`
}

// Count is how often a type of fix was tried and was green.
type Count struct {
	Fix   string `json:"fix_type"`
	Tries int    `json:"tries"`
	Green int    `json:"green"`
}

// Stats counts.
func (b *Book) Stats() Stats {
	s := Stats{Drafts: len(b.Drafts), Attempts: len(b.Attempts), ByFix: []Count{}}
	for i := range b.Patterns {
		p := &b.Patterns[i]
		switch p.Kind {
		case task.LessonFix:
			s.Fixes++
		case task.LessonWrong:
			s.Wrongs++
		case task.LessonAdvice:
			s.Advice++
		}
		if p.Usable() {
			s.Usable++
		}
	}
	for _, a := range b.Attempts {
		i := slices.IndexFunc(s.ByFix, func(c Count) bool { return c.Fix == a.Fix })
		if i < 0 {
			i = len(s.ByFix)
			s.ByFix = append(s.ByFix, Count{Fix: a.Fix})
		}
		s.ByFix[i].Tries++
		if a.Green {
			s.Green++
			s.ByFix[i].Green++
		}
		if a.Generic {
			s.Generic++
		}
		if len(a.Used) > 0 {
			s.Used++
			if a.Kept {
				s.Helped++
			}
		}
		if a.Kept {
			switch a.Fate {
			case task.FateMerged:
				s.Merged++
			case task.FateChanged:
				s.Changed++
			case task.FateClosed:
				s.Closed++
			case task.FateReverted:
				s.Reverted++
			}
		}
	}
	if s.Attempts > 0 {
		s.Share = float64(s.Generic) / float64(s.Attempts)
	}
	slices.SortFunc(s.ByFix, func(x, y Count) int { return strings.Compare(x.Fix, y.Fix) })
	return s
}
