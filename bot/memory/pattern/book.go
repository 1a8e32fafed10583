package pattern

import (
	"cmp"
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
	Strange  []Strange // kept as they are

	at map[string]int // patterns by id
}

// Row is an entry of a book as it is stored.
type Row struct {
	ID, Kind string
	Body     json.RawMessage
}

// Strange is a row that this fettle cannot read: damaged, or of a newer one. It is of no
// use to a run, and no reason to stop one.
type Strange struct {
	Row
	Why error
}

// Kinds of rows that are no lessons.
const (
	rowDraft   = "draft"
	rowAttempt = "attempt"
)

// Read makes a book of its rows.
func Read(rows []Row) *Book {
	b := &Book{}
	for _, r := range rows {
		var err error
		switch r.Kind {
		case string(task.LessonFix), string(task.LessonWrong), string(task.LessonAdvice):
			b.Patterns, err = with(b.Patterns, r.Body)
		case rowDraft:
			b.Drafts, err = with(b.Drafts, r.Body)
		case rowAttempt:
			b.Attempts, err = with(b.Attempts, r.Body)
		default:
			err = fmt.Errorf("of the kind %q, which this fettle does not know", r.Kind)
		}
		if err != nil {
			b.Strange = append(b.Strange, Strange{r, fmt.Errorf("reading lesson %s: %w", r.ID, err)})
		}
	}
	slices.SortStableFunc(b.Attempts, func(x, y Attempt) int { return x.At.Compare(y.At) })
	slices.SortStableFunc(b.Drafts, func(x, y Draft) int { return x.At.Compare(y.At) })
	return b
}

// with adds what stands in a row, where it can be read.
func with[T any](all []T, body json.RawMessage) ([]T, error) {
	var x T
	if err := json.Unmarshal(body, &x); err != nil {
		return all, err
	}
	return append(all, x), nil
}

// Rows are the book as it is stored, within its bounds: the least useful patterns
// and the oldest of the rest go first.
func (b *Book) Rows(now time.Time) ([]Row, error) {
	if len(b.Patterns) > mostPatterns {
		slices.SortStableFunc(b.Patterns, func(x, y Pattern) int { return cmp.Compare(y.weight(now), x.weight(now)) })
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
	for _, s := range b.Strange {
		if !slices.ContainsFunc(out, func(r Row) bool { return r.ID == s.ID }) { // it was learned anew
			out = append(out, s.Row)
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

// put adds x, or puts it in the place of the one that is the same.
func put[T any](all []T, x T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = x
		return all
	}
	return append(all, x)
}

// tried is the lesson with an id whose tries are counted: not advice, which mends
// nothing by itself. nil where there is none.
func (b *Book) tried(id string) *Pattern {
	if p := b.pattern(id); p != nil && p.Kind != task.LessonAdvice {
		return p
	}
	return nil
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

// Bounds of advice.
const (
	mostAdvice    = 200 // that a repository keeps; what was said longest ago goes first
	mostSources   = 5   // of one, the last ones
	longestAdvice = 300 // bytes
)

// Advise takes a sentence of a review as advice. by is somebody who may write to the
// repository: whoever calls it has asked.
func (b *Book) Advise(words, by, source string, at time.Time) bool {
	words = strings.Join(strings.Fields(words), " ")
	if words == "" || len(words) > longestAdvice {
		return false
	}
	id := idOf(string(task.LessonAdvice), strings.ToLower(words))
	if p := b.pattern(id); p != nil {
		sources := strings.Split(p.Source, ", ")
		if slices.Contains(sources, source) {
			return false
		}
		sources = append(sources, source)
		p.Source, p.LastAt = strings.Join(sources[max(0, len(sources)-mostSources):], ", "), at
		p.Tries++
		p.Won++
		return true
	}
	var oldest *Pattern
	n := 0
	for i := range b.Patterns {
		if p := &b.Patterns[i]; p.Kind == task.LessonAdvice {
			if n++; oldest == nil || p.LastAt.Before(oldest.LastAt) {
				oldest = p
			}
		}
	}
	if n >= mostAdvice {
		b.Forget(oldest.ID)
	}
	b.add(Pattern{ID: id, Kind: task.LessonAdvice, Words: words, By: by, Source: source, Tries: 1, Won: 1, MadeAt: at, LastAt: at})
	return true
}

// Edit gives a lesson other words; false where there is none with the id.
func (b *Book) Edit(id, words string) (bool, error) {
	words = strings.Join(strings.Fields(words), " ")
	if n := len(words); n > longestAdvice {
		return true, fmt.Errorf("a lesson has at most %d bytes of words and these are %d: say it shorter", longestAdvice, n)
	}
	p := b.pattern(id)
	if p != nil {
		p.Words = words
	}
	return p != nil, nil
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
	Drafts   int     `json:"drafts"`  // accepted, and nobody has decided on them
	Strange  int     `json:"strange"` // that cannot be read
	Attempts int     `json:"attempts"`
	Green    int     `json:"green"`
	Merged   int     `json:"merged"` // pull requests, each once however many runs worked on it; as are the next ones
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
	seen := map[string]bool{}
	s := Stats{Drafts: len(b.Drafts), Strange: len(b.Strange), Attempts: len(b.Attempts), ByFix: []Count{}}
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
		change := a.Run // in a folder
		if a.Pull > 0 {
			change = fmt.Sprint(a.Pull)
		}
		if a.Kept && a.Fate != "" && !seen[change] {
			seen[change] = true
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
