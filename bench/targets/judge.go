package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
)

// way is one way to choose.
type way struct {
	name string
	set  func(ch *impact.Change)
	cut  bool // the order alone: of what is chosen, as much as the budget holds
}

// ways are compared: without a map the choice is whole files and has no budget,
// so that their order is also judged by what fits into the same time.
func (b *bench) ways() []way {
	imports := func(ch *impact.Change) { ch.Map, ch.Sources, ch.Budget = nil, impact.Imports, 0 }
	names := func(ch *impact.Change) { ch.Map, ch.Sources, ch.Budget = nil, impact.Imports|impact.Names, 0 }
	history := func(ch *impact.Change) { ch.Map, ch.Budget = nil, 0 }
	return []way{
		{"imports alone", imports, false}, {"imports, cut", imports, true},
		{"+ names", names, false}, {"+ names, cut", names, true},
		{"+ history", history, false}, {"+ history, cut", history, true},
		{"+ coverage", func(ch *impact.Change) { ch.Budget = 0 }, false},
		{"all, in the budget", func(*impact.Change) {}, false},
	}
}

// score is how one way did in one repository.
type score struct {
	held   int       // choices that hold a test that sees the fault
	all    int       // choices that fell back to all tests
	shares []float64 // of the tests' time, one for each fault
	walls  []float64 // with the start
}

// judged is what came out for one repository.
type judged struct {
	name, commit string
	tests        int
	wall, start  float64
	seen, missed int            // faults that the suite sees and does not see
	void         map[string]int // no faults that tests could see, by reason
	scores       []score        // as ways
	took         []float64      // seconds of each choice
	misses       []string
	ran          []string // what was really run
	ranHeld      int
	ranOf        int
}

func (b *bench) wanted(f fault) bool {
	return b.half == "all" || f.open() == (b.half == "open")
}

func (b *bench) judge(ctx context.Context, s *suite) (judged, error) {
	ways := b.ways()
	j := judged{name: s.name, commit: s.commit, tests: len(s.m.Tests), wall: s.found.Wall, start: s.found.Start, void: map[string]int{}, scores: make([]score, len(ways))}
	all, err := s.faults(ctx)
	if err != nil {
		return j, err
	}
	n := 0
	for _, f := range all {
		got, known := s.found.Faults[f.key]
		if !known || n >= b.mutants {
			continue
		}
		if got.Void == "" {
			n++
		}
		switch {
		case !b.wanted(f):
		case got.Void != "":
			j.void[got.Void]++
		case len(got.Red) == 0:
			j.missed++
		default:
			j.seen++
			if err := s.compare(ctx, f, got, ways, &j); err != nil {
				return j, err
			}
		}
	}
	b.print(j, ways)
	return j, nil
}

// compare asks each way for its choice.
func (s *suite) compare(ctx context.Context, f fault, got outcome, ways []way, j *judged) error {
	tree, err := s.faulty(f)
	if err != nil {
		return err
	}
	for i, w := range ways {
		ch := impact.Change{Files: []string{f.file}, Commits: s.commits, Map: s.m, Budget: s.b.budget}
		w.set(&ch)
		begun := time.Now()
		sel := impact.Select(tree, s.cmd, ch)
		j.took = append(j.took, time.Since(begun).Seconds())
		chosen, seconds := s.chosen(sel, w.cut)
		sc := &j.scores[i]
		held := slices.ContainsFunc(got.Red, func(t string) bool { return chosen[t] })
		if held {
			sc.held++
		}
		if sel.All {
			sc.all++
		}
		share := seconds / s.m.Seconds()
		sc.shares = append(sc.shares, share)
		run := max(0, s.found.Wall-s.found.Start)
		sc.walls = append(sc.walls, (s.found.Start+run*share)/max(s.found.Wall, s.found.Start))
		if i != len(ways)-1 {
			continue
		}
		if !held {
			j.misses = append(j.misses, s.miss(f, got, sel))
		}
		if err := s.sample(ctx, f, sel, share, j); err != nil {
			return err
		}
	}
	return nil
}

// faulty is the tree with the fault.
func (s *suite) faulty(f fault) (*detect.Tree, error) {
	files := fstest.MapFS{}
	for _, name := range s.tree.Files {
		if text := s.tree.Read(name); text != "" || name == f.file {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	files[f.file] = &fstest.MapFile{Data: f.text(s.tree.Read(f.file))}
	return detect.Scan(files)
}

// chosen lists the tests of a selection and what they took.
func (s *suite) chosen(sel impact.Selection, cut bool) (map[string]bool, float64) {
	out := map[string]bool{}
	sum := 0.0
	limit := s.m.Seconds() * s.b.budget
	add := func(t impact.Test) {
		if key := t.File + "\x00" + t.ID; !out[key] && (!cut || sum+t.Seconds <= limit || len(out) == 0) {
			out[key] = true
			sum += t.Seconds
		}
	}
	if sel.All {
		for _, t := range s.m.Tests {
			add(t)
		}
		return out, sum
	}
	for _, p := range sel.Picks {
		for _, t := range s.m.Tests {
			if t.File == p.File && (len(p.Tests) == 0 || slices.Contains(p.Tests, t.ID)) {
				add(t)
			}
		}
	}
	return out, sum
}

// miss says what a choice left out, and what it knew of it.
func (s *suite) miss(f fault, got outcome, sel impact.Selection) string {
	var ran, not int
	file := slices.IndexFunc(s.m.Files, func(x impact.File) bool { return x.Path == f.file })
	for _, t := range s.m.Tests {
		if !slices.Contains(got.Red, t.File+"\x00"+t.ID) {
			continue
		}
		if slices.ContainsFunc(t.Ran, func(r impact.Ran) bool { return r.File == file && r.Lines.Has(f.Line) }) {
			ran++
		} else {
			not++
		}
	}
	why := "none of its tests was seen to run the line"
	if ran > 0 {
		why = fmt.Sprintf("%d of its tests ran the line, but not within the budget", ran)
	}
	return fmt.Sprintf("%s\n      seen by %d, such as %s: %s; %d chosen files, %d tests left out", f, len(got.Red),
		strings.ReplaceAll(got.Red[0], "\x00", " "), why, len(sel.Picks), sel.Left)
}

// sample really runs the choice for some of the faults.
func (s *suite) sample(ctx context.Context, f fault, sel impact.Selection, share float64, j *judged) error {
	if j.ranOf >= s.b.sample || sel.All {
		return nil
	}
	c := sel.Narrow(s.cmd)
	key := fmt.Sprintf("%s|%x", f.key, rank(0, strings.Join(c.Argv, "\x00")))
	got, ok := s.found.Ran[key]
	if !ok {
		var err error
		if err = s.warm(ctx); err != nil {
			return err
		}
		if got, err = s.really(ctx, f, c); err != nil {
			return err
		}
		s.found.Ran[key] = got
		if err := s.save(); err != nil {
			return err
		}
	}
	j.ranOf++
	if got.Red {
		j.ranHeld++
	}
	model := s.found.Start + max(0, s.found.Wall-s.found.Start)*share
	j.ran = append(j.ran, fmt.Sprintf("%.1f s (%.1f s by the model)", got.Wall, model))
	return nil
}
