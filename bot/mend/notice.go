package mend

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Noticed tells of each planted fault whether one of some tests, which pass on the tree
// as it is, fails with it. The tests of all faults are run in processes that stay, or of
// one build, as those of candidates are: that takes a part of the time that a run of
// bot/verify takes for each. It is a guide in one direction: a test that fails here
// failed, by itself and in its time; what is not noticed here may be there. The base is
// of the tree: its suites, and its tests with their times.
//
// The error is of the context; whatever cannot be run here is not noticed.
func (m *Mender) Noticed(ctx context.Context, dir string, base verify.Baseline, ids []string, faults []gate.Fault) ([]bool, error) {
	out := make([]bool, len(faults))
	cs, of, err := plantings(dir, faults)
	if err != nil || len(cs) == 0 {
		return out, err
	}
	r := Request{Dir: dir, Baseline: base}
	r.Deadline, _ = ctx.Deadline()
	for _, t := range m.greens(base, ids) {
		err := m.watch(ctx, r, t, cs, of, out)
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if err != nil {
			m.cfg.Log.WithError(err).Debugf("faults were not asked about in the processes of %s", t.suite.Name)
		}
	}
	return out, nil
}

// greens are the suites with those of the tests that pass.
func (m *Mender) greens(base verify.Baseline, ids []string) (out []target) {
	for _, s := range base.Report.Suites {
		t := target{suite: s}
		for _, x := range base.Report.Tests {
			if x.Suite == s.Name && hasPrefix(x.ID, s) && x.Status == verify.StatusPassed && slices.Contains(ids, x.ID) &&
				!slices.Contains(base.Flaky, x.ID) && !slices.Contains(base.Aside, x.ID) {
				t.green = append(t.green, x)
			}
		}
		if len(t.green) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// control stands in place of a fault's index for a candidate that changes nothing.
const control = -1

// plantings makes candidates of faults, in any order, and gives the fault of each. Some
// between them change nothing: what fails with one of these fails in these processes,
// or for what an earlier run left behind, or because the code tells runs apart.
func plantings(dir string, faults []gate.Fault) (cs []candidate, of []int, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the repository: %w", err)
	}
	defer root.Close()
	texts := map[string][]byte{}
	every := max(1, len(faults)/max(leastControls, len(faults)/perControl))
	for i, f := range faults {
		was, seen := texts[f.Path]
		if !seen {
			if was, err = fs.ReadFile(root.FS(), f.Path); err != nil {
				return nil, nil, fmt.Errorf("reading what a fault is planted into: %w", err)
			}
			texts[f.Path] = was
		}
		c := candidate{path: f.Path, original: was, whole: f.Text}
		c.start, c.end = differs(was, f.Text)
		if cs, of = append(cs, c), append(of, i); i%every == 0 {
			c.whole = was
			cs, of = append(cs, c), append(of, control)
		}
	}
	rand.Shuffle(len(cs), func(i, j int) { cs[i], cs[j], of[i], of[j] = cs[j], cs[i], of[j], of[i] }) //nolint:gosec // the sandbox sees nothing that this generator gave before
	return cs, of, nil
}

// At least so many candidates change nothing, where there are as many faults, and one
// for so many faults.
const leastControls, perControl = 4, 6

// differs is what differs of a text from another.
func differs(was, now []byte) (start, end int) {
	for start < min(len(was), len(now)) && was[start] == now[start] {
		start++
	}
	tail := 0
	for tail < min(len(was), len(now))-start && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	return start, len(was) - tail
}

func (m *Mender) watch(ctx context.Context, r Request, t target, cs []candidate, of []int, out []bool) (err error) {
	b, err := m.bench(ctx, r, t)
	if err != nil || b == nil {
		return err
	}
	seen := make([]map[string]bool, len(cs))
	err = b.try(ctx, cs, t.green, func(i int, got map[string]bool) bool { seen[i] = got; return true })
	steady := map[string]bool{} // passed each time that nothing was changed
	for _, x := range t.green {
		steady[x.ID] = true
		for i, got := range seen {
			if of[i] == control && !got[x.ID] {
				steady[x.ID] = false
			}
		}
	}
	for i, got := range seen {
		for id, ok := range got {
			if !ok && steady[id] && of[i] != control && !bytes.Equal(cs[i].whole, cs[i].original) {
				out[of[i]] = true
			}
		}
	}
	if closed := b.close(); err == nil {
		err = closed
	}
	return err
}
