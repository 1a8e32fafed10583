package mend

import (
	"context"
	"math"
	"sort"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
)

const (
	// forceShare is what forcing the conditions of a region is worth beside its
	// plain candidates: enough to come early, since it is only asked whether a
	// condition could help at all.
	forceShare = 0.07
	// madeShare is the probability that a condition is what is wrong where a
	// forced one turned a failing test green.
	madeShare = 0.35
	maxGrown  = 8 // places for which conditions are made
)

// forces are the forced changes of a region as candidates that are tried but
// never proposed.
func (s *search) forces(project *mutate.Project, path string, reg code.Region, suspicion map[line]float64) []candidate {
	var out []candidate
	src := s.sources.read(path)
	list := project.Forces(path, reg.StartByte, reg.EndByte)
	for _, f := range list {
		weight := near(suspicion, path, f.Line)
		if weight == 0 {
			continue
		}
		c := made(path, src, reg, f.Mutation, weight*forceShare/float64(max(len(list), 10)))
		c.force = &f
		c.rank *= s.urgency(path, f.Line)
		out = append(out, c)
	}
	return out
}

// made is a candidate of one mutation.
func made(path string, src []byte, reg code.Region, m mutate.Mutation, score float64) candidate {
	return candidate{path: path, original: src, start: m.Start, end: m.End, mutation: m, region: reg, score: score, rank: score}
}

// grow makes the conditions of the places where a forced one helped.
func (s *search) grow(ctx context.Context, cs []candidate) []candidate {
	sort.SliceStable(cs, func(i, j int) bool { return cs[i].score > cs[j].score })
	var out []candidate
	for _, c := range cs {
		if s.grown++; s.grown > maxGrown {
			break
		}
		project := s.sources.project(ctx, s.target.suite.Kind, s.req.Files)
		said := wordsOf(s.req.Task.Title + " " + s.req.Task.Body)
		weight := c.score / forceShare * 20 // about the suspicion of the place
		for _, m := range project.Conditions(c.path, *c.force, said) {
			grown := made(c.path, c.original, c.region, m, math.Min(weight, 1)*madeShare*m.Prior)
			grown.rank *= s.urgency(c.path, c.mutation.Line)
			out = append(out, grown)
		}
	}
	return s.fresh(out)
}
