package belong

import (
	"fmt"
	"slices"
	"strings"
)

// Sorted are the red tests of a base, by whether they are the issue's.
type Sorted struct {
	// Mine prove a change of the issue; Aside were red before and say nothing
	// of it. Lists are sorted ids.
	Mine  []string `json:"mine,omitempty"`
	Aside []string `json:"aside,omitempty"`
	// Unsure: no test is known to be the issue's; Mine run what it names.
	Unsure    bool       `json:"unsure,omitempty"`
	Decisions []Decision `json:"decisions,omitempty"` // the most telling first, at most maxTold
	Words     string     `json:"words"`               // the outcome in a line
}

const (
	maxTold  = 20
	maxReds  = 2000 // tests that are looked at one by one
	byItself = "the task is the red tests themselves: all of them belong to it"
)

// All takes every red test for the task's own.
func All(red []string) Sorted {
	return Sorted{Mine: slices.Clone(red), Words: byItself}
}

// Sort decides for each red test. Where one belongs, so does what fails beside it:
// a test of the same file that runs the same functions of the project and that
// nothing speaks against. Where none belongs, those that perhaps do are given, and
// Unsure says so.
func Sort(i *Issue, reds []Red) Sorted {
	var ids []string
	for _, r := range reds {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	if i.OfRedTests() {
		return All(ids)
	}
	var s Sorted
	verdict := map[string]Verdict{}
	for _, r := range reds[:min(len(reds), maxReds)] {
		d := i.Decide(r)
		verdict[r.ID] = d.Verdict
		s.Decisions = append(s.Decisions, d)
	}
	i.kin(reds, verdict, s.Decisions)
	take := func(v Verdict) {
		for _, id := range ids {
			if verdict[id] == v {
				s.Mine = append(s.Mine, id)
			}
		}
	}
	if take(Belongs); len(s.Mine) == 0 {
		take(Perhaps)
		s.Unsure = len(s.Mine) > 0
	}
	for _, id := range ids {
		if !slices.Contains(s.Mine, id) {
			s.Aside = append(s.Aside, id)
		}
	}
	rank := map[Verdict]int{Belongs: 0, Perhaps: 1, Not: 2}
	slices.SortStableFunc(s.Decisions, func(a, b Decision) int {
		if rank[a.Verdict] != rank[b.Verdict] {
			return rank[a.Verdict] - rank[b.Verdict]
		}
		return b.Weight - a.Weight
	})
	s.Decisions = s.Decisions[:min(len(s.Decisions), maxTold)]
	s.Words = s.words()
	return s
}

// kin raises tests that fail beside one that belongs.
func (i *Issue) kin(reds []Red, verdict map[string]Verdict, told []Decision) {
	for n := range told {
		if verdict[told[n].Test] == Belongs || slices.ContainsFunc(told[n].Reasons, func(r Reason) bool { return r.Weight < 0 }) {
			continue
		}
		mine := subjects(reds[n])
		if len(mine) == 0 {
			continue
		}
		for m := range reds[:len(told)] {
			if told[m].Verdict == Belongs && reds[m].File == reds[n].File && slices.Equal(subjects(reds[m]), mine) {
				verdict[told[n].Test] = Belongs
				told[n].Reasons = append(told[n].Reasons, Reason{Words: fmt.Sprintf("it fails beside %s, which belongs to the issue, and runs the same (%s)", reds[m].ID, strings.Join(mine, ", ")), Weight: enough})
				break
			}
		}
	}
	for n := range told { // last, so that kin has no kin
		told[n].Verdict = verdict[told[n].Test]
	}
}

// subjects are what a test calls of the project, as far as its text tells.
func subjects(r Red) []string { return sorted(readTest(r).called) }

func (s Sorted) words() string {
	switch {
	case len(s.Mine) == 0 && len(s.Aside) == 0:
		return "no test is red"
	case s.Unsure && len(s.Mine) == 1:
		return "1 red test runs what the issue names, and nothing says that it fails for what the issue complains of"
	case s.Unsure:
		return fmt.Sprintf("%d red tests run what the issue names, and nothing says that they fail for what the issue complains of", len(s.Mine))
	case len(s.Mine) == 0 && len(s.Aside) == 1:
		return "the one red test is not known to be this issue's"
	case len(s.Mine) == 0:
		return fmt.Sprintf("none of the %d red tests is known to be this issue's", len(s.Aside))
	case len(s.Aside) == 0:
		return fmt.Sprintf("the red tests are this issue's (%d)", len(s.Mine))
	}
	return fmt.Sprintf("%d of %d red tests %s this issue's, the others were red before and are not", len(s.Mine), len(s.Mine)+len(s.Aside), map[bool]string{true: "is", false: "are"}[len(s.Mine) == 1])
}

// Closest is the decision on the red test that comes nearest to the issue, nil
// where none is red.
func (s Sorted) Closest() *Decision {
	if len(s.Decisions) == 0 {
		return nil
	}
	return &s.Decisions[0]
}
