package gate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Fault is one that is planted in the patched text of a file.
type Fault struct {
	Path  string
	Text  []byte // of the whole file with the fault; nil until it is planted
	Words string // what was done to it, with file and line
	Line  int
	Prior float64 // how likely the opposite change is the fix of such a fault

	src []byte // that it is planted into
	at  mutate.Mutation
}

// Plant makes the text: those of all faults of a large file are more than memory holds.
func (f Fault) Plant() Fault {
	if f.Text == nil {
		f.Text = mutate.Apply(f.src, f.at)
	}
	return f
}

// gives tells whether the fault comes to a text, without making it.
func (f Fault) gives(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, f.src[:f.at.Start])
	if ok {
		rest, ok = bytes.CutPrefix(rest, []byte(f.at.Replacement))
	}
	return ok && bytes.Equal(rest, f.src[f.at.End:])
}

// plant makes the texts of a few.
func plant(faults []Fault) []Fault {
	for i := range faults {
		faults[i] = faults[i].Plant()
	}
	return faults
}

// Faults lists at most n faults of the changed regions, evenly over the text;
// cut tells that there are more.
func Faults(ctx context.Context, changes []Change, n int) (chosen []Fault, cut bool, err error) {
	all, left, err := mutants(ctx, changes, false, nil)
	if err != nil {
		return nil, false, err
	}
	chosen = plant(Spread(all, n))
	return chosen, left > 0 || len(chosen) < len(all), nil
}

// LineFaults lists the faults of the changed lines, in the order of the text. None is
// planted yet. left counts the changed regions of which none are made: they are too
// large, or it was time to stop, which nil never says.
func LineFaults(ctx context.Context, changes []Change, stop func() bool) (all []Fault, left int, err error) {
	return mutants(ctx, changes, true, stop)
}

// score plants faults in the changed lines and counts those that turn the tests
// red: a test of a change answers for nothing else in a long function. A fault
// that does not compile is none.
func (g *Gate) score(ctx context.Context, c Candidate) (Score, error) {
	var s Score
	until := g.cfg.Now().Add(g.cfg.MutantTime)
	all, left, err := mutants(ctx, c.Changes, true, func() bool { return !g.cfg.Now().Before(until) })
	if err != nil {
		return s, err
	}
	sample := g.sample(all)
	s.Cut = left > 0 || len(sample) < len(all)
	tried := 0
	for _, f := range sample {
		if s.Mutants == g.cfg.MaxMutants || tried == mostTried*g.cfg.MaxMutants || tried > 0 && !g.cfg.Now().Before(until) {
			s.Cut = true
			break
		}
		tried++
		m := f.Plant()
		files := c.overlay(true)
		files[m.Path] = m.Text
		rep, err := g.try(ctx, c, files, c.paths())
		if err != nil {
			return s, fmt.Errorf("planting faults in %s: %w", m.Path, err)
		}
		switch killed, ran := Sees(rep); {
		case !ran:
		case killed:
			s.Mutants++
			s.Killed++
		default:
			s.Mutants++
			s.Survivors = append(s.Survivors, m.Words)
		}
	}
	return s, nil
}

// mostTried is how many faults are tried for each that is to be counted: of a language
// with types many do not compile.
const mostTried = 3

// sample orders faults so that whoever stops has seen all lines.
func (g *Gate) sample(all []Fault) (out []Fault) {
	for _, round := range Rounds(all, perLine) {
		few := Spread(round, g.cfg.MaxMutants)
		out = append(out, few...)
		out = append(out, slices.DeleteFunc(round, func(f Fault) bool {
			return slices.ContainsFunc(few, func(o Fault) bool { return o.Path == f.Path && o.at == f.at })
		})...)
	}
	return out
}

const perLine = 3 // faults of one line

// Rounds parts faults: the first round has one for each line, the second another, up to
// so many for each, in the order of the text. Of a line the likeliest comes first, and
// what changes or takes away before what only adds: of that much changes nothing.
func Rounds(all []Fault, perLine int) [][]Fault {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Or(a.adds()-b.adds(), cmp.Compare(b.Prior, a.Prior)) })
	type place struct {
		path string
		line int
	}
	rank := map[place]int{}
	rounds := make([][]Fault, perLine)
	for _, f := range all {
		at := place{f.Path, f.Line}
		if n := rank[at]; n < perLine {
			rounds[n] = append(rounds[n], f)
		}
		rank[at]++
	}
	for _, r := range rounds {
		slices.SortStableFunc(r, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line) })
	}
	return rounds
}

// adds is 1 of a fault that leaves what is there, else 0.
func (f Fault) adds() int {
	if f.at.Start == f.at.End {
		return 1
	}
	return 0
}

// Sees tells whether a report shows a red test, and whether it shows anything:
// code that cannot be built or imported was no fault that a test could find.
func Sees(rep verify.Report) (killed, ran bool) {
	for _, t := range rep.Tests {
		if t.Red() && (t.Failure == nil || t.Failure.Kind != task.FailBuild && t.Failure.Kind != task.FailSyntax && t.Failure.Kind != task.FailImport) {
			return true, true
		}
		ran = ran || t.Status == verify.StatusPassed
	}
	for _, f := range rep.Broken {
		if f.Kind == task.FailTimeout || f.Kind == task.FailCrash {
			return true, true
		}
	}
	return false, ran && len(rep.Broken) == 0
}

// No faults are made of a region of more bytes: the time for it grows with its square.
const largestRegion = 32 << 10

// mutants lists the faults of all changed regions, or of the changed lines alone.
func mutants(ctx context.Context, changes []Change, linesOnly bool, stop func() bool) (out []Fault, left int, err error) {
	for _, ch := range changes {
		lang := code.LanguageOf(ch.Path)
		if ch.After == nil || code.IsTest(ch.Path) || len(mutate.Operators(lang)) == 0 {
			continue
		}
		t, err := code.Parse(ctx, lang, ch.After)
		if err != nil {
			return nil, 0, fmt.Errorf("reading %s for planting faults: %w", ch.Path, err)
		}
		regions, err := code.Touched(ctx, ch.Path, ch.Before, ch.After)
		if err != nil {
			return nil, 0, err
		}
		lines := code.ChangedLines(ch.Before, ch.After)
		for _, r := range regions {
			if r.EndByte-r.StartByte > largestRegion || stop != nil && stop() {
				left++
				continue
			}
			for _, m := range mutate.Mutations(t, r.StartByte, r.EndByte) {
				f := Fault{Path: ch.Path, Words: fmt.Sprintf("%s:%d %s", ch.Path, m.Line, m.Description), Line: m.Line, Prior: m.Prior, src: ch.After, at: m}
				if linesOnly && !lines[m.Line] || f.gives(ch.Before) { // the reproduction sees that anyway
					continue
				}
				out = append(out, f)
			}
		}
	}
	return out, left, nil
}

// Spread gives n of a list, evenly spaced.
func Spread[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	out := make([]T, 0, n)
	for i := range n {
		out = append(out, all[i*len(all)/n])
	}
	return out
}
