package mend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify"
)

const (
	maxRejected = 60 // changes of which the reason is remembered
	maxTold     = 4  // of which it is told
	maxBlamed   = 8  // tests that are asked for it
)

// rejected is a change that turned the failing tests green and was not taken.
type rejected struct {
	candidate
	missed []verify.TestResult // green tests that did not pass with it, the first ones
}

// reject remembers why a change that turned the failing tests green was not
// taken: tests that passed before do not any more.
func (s *search) reject(c candidate, passed map[string]bool) {
	if len(s.rejected) >= maxRejected {
		return
	}
	r := rejected{candidate: c}
	for _, t := range s.target.green {
		if !passed[t.ID] && len(r.missed) < maxBlamed {
			r.missed = append(r.missed, t)
		}
	}
	s.rejected = append(s.rejected, r)
}

// explain completes what is told of a change that was found: why it is looked
// for there, and which rivals were rejected by what.
func (s *search) explain(ctx context.Context, f *Found) error {
	f.Place = s.placeOf(f)
	if words := newExperience(s.req.Task.Mending.Past).words(f.Template); words != "" {
		f.Place += "; " + words
	}
	slices.SortStableFunc(s.rejected, func(a, b rejected) int {
		return cmp.Compare(steady(s.merit(b.candidate)), steady(s.merit(a.candidate)))
	})
	for _, r := range s.rejected[:min(len(s.rejected), maxTold)] {
		by, err := s.blame(ctx, r)
		if err != nil {
			return err
		}
		f.Rejected = append(f.Rejected, fmt.Sprintf("%s, line %d: %s %s", r.path, r.mutation.Line, r.mutation.Description, by))
	}
	return nil
}

// blame runs the tests that a change may have broken once more, each for itself:
// a run that ends at the first red one does not say which of them it was.
func (s *search) blame(ctx context.Context, r rejected) (string, error) {
	if !s.inTime() || len(r.missed) == 0 {
		return "It broke tests that passed before.", nil
	}
	got, err := s.attempt(ctx, []candidate{r.candidate}, r.missed)
	if err != nil {
		return "", err
	}
	for _, t := range r.missed {
		if got[0] != nil && !got[0][t.ID] {
			return fmt.Sprintf("It broke `%s`.", native(t, s.target.suite)), nil
		}
	}
	return "It broke tests that passed before.", nil
}

// placeOf says why a change was looked for where it is.
func (s *search) placeOf(f *Found) string {
	at := slices.IndexFunc(s.suspects, func(x Suspect) bool { return x.Path == f.Path && x.Line == f.Line })
	near := ""
	if at < 0 { // what is missing has no line of its own
		for d := 1; d <= 3 && at < 0; d++ {
			at = slices.IndexFunc(s.suspects, func(x Suspect) bool { return x.Path == f.Path && (x.Line == f.Line-d || x.Line == f.Line+d) })
		}
		near = "next to "
	}
	if at < 0 {
		return ""
	}
	x := s.suspects[at]
	words := fmt.Sprintf("%s%s, line %d, suspicious place %d of %d", near, x.Path, x.Line, at+1, len(s.suspects))
	if len(x.Reasons) > 0 {
		words += ": " + strings.Join(slices.Compact(slices.Clone(x.Reasons)), ", ")
	}
	return words
}
