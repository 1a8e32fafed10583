package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// facts are what was seen while the failing tests ran on the base (SPEC M9). They
// guide models and are never evidence.
type facts struct {
	Calls []seenCall `json:"calls,omitempty"`
	Times int        `json:"times,omitempty"` // calls in all
	Files []string   `json:"files,omitempty"` // whose functions were called, most calls first
}

// seenCall is a call in words, with its arguments and what came of it.
type seenCall struct {
	Path  string `json:"path"`
	Line  int    `json:"line"` // of the function
	Words string `json:"words"`
	Threw bool   `json:"threw,omitempty"`
}

const (
	mostTraced = 12 // files whose calls are followed
	mostSeen   = 40 // calls that are kept
	mostCalls  = 12 // of them that are told
	mostAlike  = 2  // of one function
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
	if len(r.facts.Calls) == 0 {
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
// the calls, each call with the same arguments and result once. One that takes nothing
// and gives nothing says nothing.
func (h *real) told(calls []characterise.Call) facts {
	out := facts{Times: len(calls)}
	count, seen := map[string]int{}, map[string]bool{}
	for _, c := range calls {
		count[c.Path]++
		if !slices.Contains(out.Files, c.Path) {
			out.Files = append(out.Files, c.Path)
		}
		words := fmt.Sprintf("%s(%s) %s", c.Name, c.Args, c.Came())
		idle := c.Args == "" && slices.Contains([]string{"None", "undefined"}, c.Gave)
		if seen[words] || idle || len(seen) == mostSeen {
			continue
		}
		seen[words] = true
		out.Calls = append(out.Calls, seenCall{c.Path, c.Line, h.hide.text(strings.Repeat("  ", min(c.Depth, 6)) + words), c.Raised != ""})
	}
	slices.SortStableFunc(out.Files, func(a, b string) int { return count[b] - count[a] })
	return out
}

// near are the calls that help whoever sees that code: of functions that stand in
// it, two of each, and those out of which an exception came.
func (f facts) near(shown agent.Shown) string {
	var b strings.Builder
	times, told := map[string]int{}, 0
	for _, c := range f.Calls {
		place := fmt.Sprintf("%s:%d", c.Path, c.Line)
		stands := slices.ContainsFunc(shown.Code, func(t agent.Text) bool {
			return t.Path == c.Path && !t.Top && (t.ID == "" || t.Start <= c.Line && c.Line <= t.End)
		})
		if !stands && !c.Threw || times[place] == mostAlike && !c.Threw || told == mostCalls || b.Len()+len(c.Words) > mostFacts {
			continue
		}
		b.WriteString(c.Words)
		if times[place]++; times[place] == 1 {
			b.WriteString("   [" + place + "]")
		}
		b.WriteString("\n")
		told++
	}
	if n := f.Times - told; n > 0 && told > 0 {
		fmt.Fprintf(&b, "(%s more: repetitions, of code that is not shown, or without room)\n", task.Count(n, "call"))
	}
	return b.String()
}
