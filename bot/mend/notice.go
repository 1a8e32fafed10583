package mend

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
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
	cs, err := plantings(dir, faults)
	if err != nil || len(cs) == 0 {
		return out, err
	}
	r := Request{Dir: dir, Baseline: base}
	r.Deadline, _ = ctx.Deadline()
	for _, t := range m.greens(base, ids) {
		err := m.watch(ctx, r, t, cs, out)
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

// plantings makes candidates of faults. The first is no fault: what fails with it does
// so in these processes alone.
func plantings(dir string, faults []gate.Fault) ([]candidate, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the repository: %w", err)
	}
	defer root.Close()
	texts := map[string][]byte{}
	var out []candidate
	for i, f := range faults {
		was, seen := texts[f.Path]
		if !seen {
			if was, err = fs.ReadFile(root.FS(), f.Path); err != nil {
				return nil, fmt.Errorf("reading what a fault is planted into: %w", err)
			}
			texts[f.Path] = was
		}
		c := candidate{path: f.Path, original: was, whole: f.Text}
		c.start, c.end = differs(was, f.Text)
		if i == 0 {
			none := c
			none.whole = was
			out = append(out, none)
		}
		out = append(out, c)
	}
	return out, nil
}

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

func (m *Mender) watch(ctx context.Context, r Request, t target, cs []candidate, out []bool) (err error) {
	b, err := m.bench(ctx, r, t)
	if err != nil || b == nil {
		return err
	}
	seen := make([]map[string]bool, len(cs))
	err = b.try(ctx, cs, t.green, func(i int, got map[string]bool) bool { seen[i] = got; return true })
	for i, got := range seen[1:] {
		for id, ok := range got {
			out[i] = out[i] || !ok && seen[0][id] && !bytes.Equal(cs[i+1].whole, cs[i+1].original)
		}
	}
	if closed := b.close(); err == nil {
		err = closed
	}
	return err
}
