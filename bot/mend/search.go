package mend

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// candidate is one change to one file.
type candidate struct {
	path       string
	original   []byte
	content    []byte
	start, end int // the change's span in the original
	mutation   mutate.Mutation
	region     code.Region
	score      float64 // suspicion of the place × prior of the operator
}

// search tries candidates against one suite.
type search struct {
	mender  *Mender
	req     Request
	target  target
	bench   bench
	until   time.Time
	sources *sources

	tried     int
	plausible []candidate
}

const (
	minMore = 60 // candidates tried after the first plausible one, for rivals
	maxMore = 400
)

func (s *search) run(ctx context.Context, suspects []Suspect) (Repair, error) {
	cs, err := s.candidates(ctx, suspects)
	if err != nil {
		return Repair{}, err
	}
	if len(cs) == 0 {
		return Repair{Reason: "no operator fits the suspicious places"}, nil
	}
	if err := s.filter(ctx, cs); err != nil {
		return Repair{}, err
	}
	rep := Repair{Tried: s.tried, Plausible: len(s.plausible)}
	switch {
	case len(s.plausible) > 0:
		rep.Found = s.choose()
		rep.Reason = fmt.Sprintf("%d of %d candidates passed every test", len(s.plausible), s.tried)
	case !s.mender.cfg.Now().Before(s.until):
		rep.Reason = fmt.Sprintf("the time for the search was up after %d of %d candidates", s.tried, len(cs))
	default:
		rep.Reason = fmt.Sprintf("none of %d candidates made the failing tests pass without breaking others", s.tried)
	}
	return rep, nil
}

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
	trees := map[string]*code.Tree{}
	for _, p := range places {
		src := s.sources.read(p.path)
		tree := trees[p.path]
		if tree == nil {
			var err error
			if tree, err = code.Parse(ctx, code.LanguageOf(p.path), src); err != nil {
				return nil, fmt.Errorf("parsing %s: %w", p.path, err)
			}
			trees[p.path] = tree
		}
		for _, m := range mutate.Mutations(tree, p.reg.StartByte, p.reg.EndByte) {
			weight := near(suspicion, p.path, m.Line)
			if weight == 0 {
				continue
			}
			out = append(out, candidate{path: p.path, original: src, content: mutate.Apply(src, m), start: m.Start, end: m.End, mutation: m, region: p.reg, score: weight * m.Prior})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score > out[j].score })
	return s.distinct(out), ctx.Err()
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

func (s *search) distinct(cs []candidate) []candidate {
	seen := map[string]bool{}
	out := cs[:0]
	for _, c := range cs {
		key := c.path + "\x00" + string(c.content)
		if seen[key] || bytes.Equal(c.content, c.original) {
			continue
		}
		seen[key] = true
		out = append(out, c)
		if len(out) == s.mender.cfg.MaxCandidates {
			break
		}
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

// filter keeps the candidates that turn every failing test green, or as many
// as any does, and then those that keep the others green. After the first it
// looks on for rivals only for a while.
func (s *search) filter(ctx context.Context, cs []candidate) error {
	red := s.target.red
	best := 1
	var promising []int
	stop := len(cs)
	began := s.mender.cfg.Now()
	err := s.bench.try(ctx, cs, red, func(i int, passed map[string]bool) bool {
		s.tried++
		if s.tried%100 == 0 && s.req.Progress != nil {
			s.req.Progress(fmt.Sprintf("%d of %d candidates tried", s.tried, len(cs)))
		}
		if n := len(passed); n >= best {
			if n > best {
				promising, best = nil, n
			}
			promising = append(promising, i)
			if n == len(red) {
				stop = min(stop, i+max(minMore, min(maxMore, i)))
			}
		}
		now := s.mender.cfg.Now()
		if len(promising) > 0 && best == len(red) && now.Sub(began) > s.mender.cfg.MaxTime/4 {
			stop = min(stop, i)
		}
		return i < stop && now.Before(s.until)
	})
	if err != nil {
		return err
	}
	sort.Ints(promising)
	return s.regress(ctx, cs, promising, red)
}

// regress drops what breaks a test that was green.
func (s *search) regress(ctx context.Context, cs []candidate, promising []int, red []verify.TestResult) error {
	var kept []candidate
	for _, i := range promising {
		kept = append(kept, cs[i])
	}
	if len(kept) > 40 {
		kept = kept[:40]
	}
	if len(s.target.green) == 0 {
		s.plausible = kept
		return nil
	}
	ok := make([]bool, len(kept))
	err := s.bench.try(ctx, kept, s.target.green, func(i int, passed map[string]bool) bool {
		ok[i] = len(passed) == len(s.target.green)
		return true
	})
	if err != nil {
		return err
	}
	for i, c := range kept {
		if ok[i] {
			s.plausible = append(s.plausible, c)
		}
	}
	return nil
}

// choose takes the most natural of the plausible changes and says whether a
// rival is about as good.
func (s *search) choose() *Found {
	sort.SliceStable(s.plausible, func(i, j int) bool { return merit(s.plausible[i]) > merit(s.plausible[j]) })
	top := s.plausible[0]
	f := &Found{Template: top.mutation.Operator, Path: top.path, Line: top.mutation.Line,
		Explanation: fmt.Sprintf("%s, line %d: %s", top.path, top.mutation.Line, top.mutation.Description),
		Patch:       task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: top.path, Region: top.region.ID, Code: regionText(top)}}}}
	for _, r := range s.plausible[1:] {
		if len(f.Alternatives) < 5 {
			f.Alternatives = append(f.Alternatives, fmt.Sprintf("%s, line %d: %s", r.path, r.mutation.Line, r.mutation.Description))
		}
		if merit(r) > 0.5*merit(top) {
			f.Ambiguous = true
		}
	}
	return f
}

// merit prefers likely places and operators, small changes, and dislikes
// deletions, which so often only silence a test.
func merit(c candidate) float64 {
	m := c.score
	if grown := len(c.content) - len(c.original); grown < -8 {
		m *= 0.3
	}
	size := math.Max(float64(c.end-c.start), float64(len(c.mutation.Replacement)))
	return m / (1 + size/80)
}

// regionText is the whole new text of the candidate's region.
func regionText(c candidate) string {
	grown := len(c.content) - len(c.original)
	return strings.TrimRight(string(c.content[c.region.StartByte:c.region.EndByte+grown]), "\n")
}
