package mend

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
)

// aloneShare puts Go candidates back that need a build of their own, which
// takes a hundred times as long.
const aloneShare = 0.1

// trust is how far suspicion is believed: below 1, since a fault in code that all
// tests run is no less likely than the spectrum makes it.
const trust = 0.75

// candidates makes the changes of all suspicious regions, the likeliest first.
func (s *search) candidates(ctx context.Context, suspects []Suspect) ([]candidate, error) {
	type place struct {
		path string
		reg  code.Region
	}
	var places []place
	seen := map[string]bool{}
	suspicion := map[line]float64{}
	for _, sus := range suspects {
		suspicion[line{sus.Path, sus.Line}] = math.Max(suspicion[line{sus.Path, sus.Line}], sus.Score)
		reg, ok := s.sources.region(ctx, sus.Path, sus.Line)
		if !ok || languageFamily(sus.Path) != s.target.suite.Kind || seen[sus.Path+reg.ID] {
			continue
		}
		seen[sus.Path+reg.ID] = true
		places = append(places, place{sus.Path, reg})
	}
	var out []candidate
	voices, past := s.listen(), newExperience(s.req.Task.Mending.Past)
	words := wordsOf(s.req.Task.Title + " " + s.req.Task.Body)
	for _, p := range places {
		src := s.sources.read(p.path)
		tree, err := s.sources.tree(ctx, p.path)
		if err != nil {
			return nil, err
		}
		from, to := p.reg.StartByte, p.reg.EndByte
		project := s.sources.project(ctx, s.target.suite.Kind, s.req.Files)
		for _, m := range s.mutations(tree, project, p.path, from, to, words) {
			weight := near(suspicion, p.path, m.Line)
			if weight == 0 || m.Start < from || m.End > to {
				continue // not suspicious, or no change of this region alone
			}
			c := candidate{path: p.path, original: src, content: mutate.Apply(src, m), start: m.Start, end: m.End, mutation: m, region: p.reg, score: math.Pow(weight, trust) * m.Prior}
			if !s.lacks(Naturalness) && unnatural.MatchString(c.line()) && !unnatural.MatchString(c.lineBefore()) {
				continue // its plain twin is among the candidates, or the statement without it
			}
			c.score *= voices.gain(m.Operator, string(src[m.Start:m.End]), m.Replacement)
			c.score *= past.weight(m.Operator, p.path)
			if c.orphan() != "" {
				c.score *= orphanShare
			}
			if s.hangs() && !movesOn[m.Operator] {
				c.score *= 0.2
			}
			if s.target.suite.Kind == "go" && !inBody(c) {
				c.score *= aloneShare
			}
			out = append(out, c)
		}
		if !s.lacks(Synthesis) {
			out = append(out, s.forces(project, p.path, p.reg, suspicion)...)
		}
		out = append(out, s.sites(project, p.path, p.reg, suspicion)...)
	}
	for i := range out {
		out[i].rank = out[i].score
	}
	byRank(out)
	out = append(out, everywhere(out)...)
	byRank(out)
	s.seen = map[string]bool{}
	out = s.fresh(out)
	byRank(out)
	return out[:min(len(out), s.mender.cfg.MaxCandidates)], ctx.Err()
}

// mutations are the changes of the bytes [from, to) of a file by all operators
// that are not left out. words are those of the issue.
func (s *search) mutations(tree *code.Tree, project *mutate.Project, path string, from, to int, words map[string]bool) []mutate.Mutation {
	var out []mutate.Mutation
	if s.lacks(Donors) {
		out = mutate.Plain(tree, from, to)
	} else {
		out = slices.Concat(mutate.Mutations(tree, from, to), project.Beyond(path, from, to))
	}
	out = append(out, templates(tree, from, to)...)
	if !s.lacks(Synthesis) {
		out = append(out, project.Likely(path, from, to, words)...)
	}
	return out
}

// movesOn are the operators that can bring a loop to its end.
var movesOn = map[string]bool{
	"statement_move_loop": true, "statement_swap": true, "statement_donor": true, "statement_order": true, "loop_step": true, "loop_exit": true,
	"loop_exit_missing": true, "comparison_boundary": true, "comparison_operator": true, "accumulate": true, "assignment_target": true,
	"missing_return": true, "negate_condition": true, "condition_term_add": true, "condition_term_drop": true, "branch_order": true,
	"arithmetic_operator": true, "guard_zero": true, "literal_variable": true, "variable": true, "off_by_one": true, "unary_minus": true,
	"guard_result": true, "index_bound": true, "integer_constant": true, "clamp": true, "truncate": true,
}

// hangs tells whether the failing tests ran out of time.
func (s *search) hangs() bool {
	for _, t := range s.target.red {
		if t.Failure == nil || t.Failure.Kind != task.FailTimeout {
			return false
		}
	}
	return len(s.target.red) > 0
}

// near is the suspicion of a line, or a part of its neighbours': a statement
// that is missing has no line of its own.
func near(suspicion map[line]float64, path string, n int) float64 {
	if w := suspicion[line{path, n}]; w > 0 {
		return w
	}
	best := 0.0
	for d := 1; d <= 3; d++ {
		for _, k := range []int{n - d, n + d} {
			best = math.Max(best, suspicion[line{path, k}]*(0.6-0.1*float64(d)))
		}
	}
	return best
}

// fresh leaves out what comes to the same as a candidate before.
func (s *search) fresh(cs []candidate) []candidate {
	out := cs[:0]
	for _, c := range cs {
		c.lot = s.draw(c)
		key := c.path + "\x00" + string(c.content)
		if c.site != nil {
			out = append(out, c)
			continue
		}
		if s.seen[key] || bytes.Equal(c.content, c.original) {
			continue
		}
		s.seen[key] = true
		s.naturalise(&c)
		out = append(out, c)
	}
	return out
}

func languageFamily(path string) string {
	switch l := code.LanguageOf(path); l {
	case "typescript", "tsx", "javascript":
		return "javascript"
	default:
		return string(l)
	}
}
