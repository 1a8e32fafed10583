package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// facts are what was seen while the failing tests ran on the base (SPEC M9). They
// guide models and are never evidence.
type facts struct {
	Words string   `json:"words,omitempty"` // calls, arguments, results, as text
	Files []string `json:"files,omitempty"` // whose functions were called, most calls first
}

const (
	mostTraced = 12 // files whose calls are followed
	mostCalls  = 16 // calls that are told
	mostFacts  = 1800
)

// observed looks, where a model may be asked, at what the failing tests call.
func (r *run) observed(ctx context.Context) (err error) {
	if len(r.modelTiers()) == 0 || len(r.red()) == 0 || len(r.suspects) == 0 {
		return nil
	}
	if r.facts, err = r.outside.facts(ctx, r.search(ctx)); err != nil {
		return err
	}
	if r.facts.Words == "" {
		return nil
	}
	return r.note(ctx, "traced", "the failing test calls functions of "+strings.Join(r.facts.Files, ", "), nil)
}

// facts follows the calls of the suspicious files' functions while the failing tests
// run. What cannot be followed leaves no facts.
func (h *real) facts(ctx context.Context, q search) (out facts, err error) {
	secret := func(f string) bool { return h.secret(f) && code.LanguageOf(f) != code.Unknown }
	if h.Characteriser == nil || slices.ContainsFunc(h.tree.Files(), secret) { // what such code computes is not told
		return out, nil
	}
	red := q.Baseline.Red()
	var tests []string
	for _, t := range q.Baseline.Report.Tests {
		if file := sourceOf(t); slices.Contains(red, t.ID) && !slices.Contains(tests, file) && len(tests) < mostSources {
			tests = append(tests, file)
		}
	}
	in := characterise.Traced{Dir: h.tree.Dir(), Suites: q.Baseline.Report.Suites, Tests: tests}
	for _, s := range q.Suspects {
		src, err := h.sources.read(s.Path)
		if _, known := in.Files[s.Path]; err == nil && !known && !h.secret(s.Path) && !code.IsTest(s.Path) && len(in.Files) < mostTraced {
			if in.Files == nil {
				in.Files = map[string][]byte{}
			}
			in.Files[s.Path] = src
		}
	}
	err = h.withExample(ctx, q.Example, func() error {
		calls, err := h.Characteriser.Trace(ctx, in)
		out = h.told(calls)
		return err
	})
	if err != nil && ctx.Err() == nil {
		h.Log.WithError(err).Warn("what the failing tests call could not be followed")
		err = nil
	}
	return out, err
}

// told puts calls into words: where an exception began first, then in the order of
// the calls, each call with the same arguments and result once.
func (h *real) told(calls []characterise.Call) (out facts) {
	count := map[string]int{}
	for _, c := range calls {
		count[c.Path]++
		if !slices.Contains(out.Files, c.Path) {
			out.Files = append(out.Files, c.Path)
		}
	}
	slices.SortStableFunc(out.Files, func(a, b string) int { return count[b] - count[a] })
	var b strings.Builder
	seen, placed := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		line := fmt.Sprintf("%s%s(%s) %s", strings.Repeat("  ", min(c.Depth, 6)), c.Name, c.Args, c.Came())
		key := strings.TrimSpace(line)
		if seen[key] || len(seen) == mostCalls || b.Len()+len(line) > mostFacts {
			continue
		}
		seen[key] = true
		if place := fmt.Sprintf("%s:%d", c.Path, c.Line); !placed[place] {
			placed[place] = true
			line += "   [" + place + "]"
		}
		fmt.Fprintln(&b, line)
	}
	if n := len(calls) - len(seen); n > 0 && len(seen) > 0 {
		fmt.Fprintf(&b, "(%s more: repetitions, or without room)\n", task.Count(n, "call"))
	}
	out.Words = h.hide.text(b.String())
	return out
}
