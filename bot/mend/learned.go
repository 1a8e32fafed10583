package mend

import (
	"fmt"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/code/rule"
	memory "github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/task"
)

// learnedPrior is what an edit that people always merged is worth before anything
// is known of its place: some ten times the likeliest operator (SPEC M5: a known fix
// with a good record is tried first). That of another failure is worth a part.
const (
	learnedPrior = 0.5
	alikeShare   = 0.4
	leastRate    = 0.2
)

// learned are the edits that earlier runs on the repository taught, where they fit.
func (s *search) learned(t *code.Tree, from, to int) []mutate.Mutation {
	all := s.req.Task.Mending.Lessons
	if len(all) == 0 || s.lacks(Memory) {
		return nil
	}
	if s.rules == nil {
		s.rules = map[code.Language]*rule.Set{}
	}
	set, known := s.rules[t.Lang]
	if !known {
		set = memory.Rules(t.Lang, all, task.LessonFix, task.LessonWrong)
		s.rules[t.Lang] = set
	}
	if set == nil {
		return nil
	}
	by := map[string]task.Lesson{}
	for _, l := range all {
		by[task.Learned+l.ID] = l
	}
	var out []mutate.Mutation
	for _, c := range memory.Changes(t, set) {
		if c.Start < from || c.End > to {
			continue
		}
		l := by[c.Rule.Name]
		prior := learnedPrior * max(l.Rate, leastRate)
		if !l.Exact {
			prior *= alikeShare
		}
		out = append(out, mutate.Mutation{Operator: c.Rule.Name, Class: "learned", Start: c.Start, End: c.End, Replacement: c.Text, Prior: prior, Line: t.Line(c.Start),
			Description: fmt.Sprintf("the change that was merged in this repository before (%s)", l.Source)})
	}
	return out
}
