package mend

import (
	"context"
	"fmt"
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

// urge sharpens what suspicion decides of the order, beyond what is believed of it:
// the fix is likelier to be tried in time where the likeliest lines have all their
// turns first. Fitted on the open half of the benchmark (bench/mend), where it
// brought the true fix from a geometric mean of place 260 to 160.
const urge = 1.5

const (
	// The places that come first have so many candidates between them, and are so
	// many; with each round come a few more. Most of a search never gets to the
	// last ones, and making the candidates of a long function takes a second.
	firstPlaces, firstCandidates, nextPlaces = 12, 3000, 2
	maxOfPlace                               = 4000 // the likeliest by place and operator
)

// spot is a region with suspicious lines.
type spot struct {
	path string
	reg  code.Region
}

// candidates makes the changes of the most suspicious regions, the likeliest first.
func (s *search) candidates(ctx context.Context, suspects []Suspect) ([]candidate, error) {
	s.suspicion, s.seen = map[line]float64{}, map[string]bool{}
	known := map[string]bool{}
	for _, sus := range suspects {
		s.suspicion[line{sus.Path, sus.Line}] = math.Max(s.suspicion[line{sus.Path, sus.Line}], sus.Score)
		reg, ok := s.sources.region(ctx, sus.Path, sus.Line)
		if !ok || languageFamily(sus.Path) != s.target.suite.Kind || known[sus.Path+reg.ID] {
			continue
		}
		known[sus.Path+reg.ID] = true
		s.places = append(s.places, spot{sus.Path, reg})
	}
	var out []candidate
	for n := 0; len(s.places) > 0 && (n < firstPlaces || len(out) < firstCandidates); n++ {
		more, err := s.unfold(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	byRank(out)
	return out[:min(len(out), s.mender.cfg.MaxCandidates)], ctx.Err()
}

// further makes the candidates of so many more places.
func (s *search) further(ctx context.Context, n int) ([]candidate, error) {
	var out []candidate
	for range min(n, len(s.places)) {
		more, err := s.unfold(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// unfolding makes the candidates of a few more places while a round is run, which
// touches nothing of what they are made of; the result is to be asked for.
func (s *search) unfolding(ctx context.Context) func() ([]candidate, error) {
	var out []candidate
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = s.further(ctx, nextPlaces)
	}()
	return func() ([]candidate, error) {
		<-done
		return out, err
	}
}

// unfold makes the candidates of the next place.
func (s *search) unfold(ctx context.Context) ([]candidate, error) {
	p := s.places[0]
	s.places = s.places[1:]
	src := s.sources.read(p.path)
	tree, err := s.sources.tree(ctx, p.path)
	if err != nil {
		return nil, err
	}
	if s.weigh == nil {
		s.weigh = s.weights()
	}
	var out []candidate
	project := s.sources.project(ctx, s.target.suite.Kind, s.req.Files)
	for _, m := range s.mutations(ctx, tree, project, p.path, p.reg.StartByte, p.reg.EndByte, wordsOf(s.req.Task.Title+" "+s.req.Task.Body)) {
		suspicion := near(s.suspicion, p.path, m.Line)
		if suspicion == 0 || m.Start < p.reg.StartByte || m.End > p.reg.EndByte {
			continue // not suspicious, or no change of this region alone
		}
		c := made(p.path, src, p.reg, m, math.Pow(suspicion, trust)*m.Prior)
		if !s.lacks(Naturalness) && unnatural.MatchString(c.line()) && !unnatural.MatchString(c.lineBefore()) {
			continue // its plain twin is among the candidates, or the statement without it
		}
		c.rank = c.score * s.urgency(p.path, m.Line)
		out = append(out, c)
	}
	byRank(out)
	out = out[:min(len(out), maxOfPlace)]
	for i := range out {
		w := s.weigh(out[i])
		out[i].score *= w
		out[i].rank *= w
	}
	byRank(out)
	out = append(out, everywhere(out)...)
	byRank(out)
	return s.fresh(out), ctx.Err()
}

// weights gives how much likelier a change is for what the failure, the issue and
// the past say of its kind, and for what it would leave behind.
func (s *search) weights() func(candidate) float64 {
	voices, past, hangs := s.listen(), newExperience(s.req.Task.Mending.Past), s.hangs()
	return func(c candidate) float64 {
		w := voices.gain(c.mutation.Operator, string(c.original[c.start:c.end]), c.mutation.Replacement) * past.weight(c.mutation.Operator, c.path)
		if c.orphan() != "" {
			w *= orphanShare
		}
		if hangs && !movesOn[c.mutation.Operator] {
			w *= 0.2
		}
		if s.target.suite.Kind == "go" && !s.sources.inBody(c) {
			w *= aloneShare
		}
		return w
	}
}

// mutations are the changes of the bytes [from, to) of a file by all operators
// that are not left out. words are those of the issue.
func (s *search) mutations(ctx context.Context, tree *code.Tree, project *mutate.Project, path string, from, to int, words map[string]bool) []mutate.Mutation {
	var out []mutate.Mutation
	if s.lacks(Donors) {
		out = mutate.Plain(tree, from, to)
	} else {
		out = slices.Concat(mutate.Mutations(tree, from, to), project.Beyond(path, from, to))
	}
	out = append(out, templates(tree, from, to)...)
	out = append(out, s.mender.cfg.Rules.Mutations(ctx, tree, from, to)...)
	out = append(out, s.learned(tree, from, to)...)
	return out
}

// movesOn are the operators that can bring a loop to its end.
var movesOn = map[string]bool{
	"statement_move_loop": true, "statement_donor": true, "statement_order": true, "loop_step": true, "loop_exit": true,
	"loop_exit_missing": true, "comparison_boundary": true, "comparison_operator": true, "accumulate": true, "assignment_target": true,
	"negate_condition": true, "condition_term_add": true, "condition_term_drop": true, "branch_order": true,
	"arithmetic_operator": true, "literal_variable": true, "variable": true, "off_by_one": true,
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

// urgency is how much sooner the changes of a line are tried than is believed of it.
func (s *search) urgency(path string, n int) float64 {
	return math.Pow(near(s.suspicion, path, n), urge)
}

// fresh leaves out what comes to the same as a candidate before.
func (s *search) fresh(cs []candidate) []candidate {
	out := cs[:0]
	for _, c := range cs {
		c.lot = s.draw(c)
		key, changes := c.key()
		if s.seen[key] || !changes {
			continue
		}
		s.seen[key] = true
		s.naturalise(&c)
		out = append(out, c)
	}
	return out
}

// key names the file that a change makes: the least span that differs and what
// stands there then. It is not one where nothing differs.
func (c candidate) key() (key string, changes bool) {
	was, grown := c.original, c.grown()
	now := func(i int) byte {
		switch put := c.mutation.Replacement; {
		case i < c.start:
			return was[i]
		case i < c.start+len(put):
			return put[i-c.start]
		}
		return was[i-grown]
	}
	from := c.start // what stands before it is the same, and what stands behind end
	for from < len(was) && from < len(was)+grown && was[from] == now(from) {
		from++
	}
	end := max(c.end, from, from-grown)
	for end > from && end+grown > from && was[end-1] == now(end+grown-1) {
		end--
	}
	put := make([]byte, 0, end+grown-from)
	for i := from; i < end+grown; i++ {
		put = append(put, now(i))
	}
	return fmt.Sprintf("%s\x00%d\x00%d\x00%s", c.path, from, end, put), end > from || len(put) > 0
}

func languageFamily(path string) string {
	switch l := code.LanguageOf(path); l {
	case "typescript", "tsx", "javascript":
		return "javascript"
	default:
		return string(l)
	}
}

// made is a candidate of one mutation.
func made(path string, src []byte, reg code.Region, m mutate.Mutation, score float64) candidate {
	return candidate{path: path, original: src, start: m.Start, end: m.End, mutation: m, region: reg, score: score, rank: score}
}
