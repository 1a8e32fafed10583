package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
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
	Flows bool   `json:"flows,omitempty"` // it gave what the failing assertion saw
}

func (c seenCall) place() string { return fmt.Sprintf("%s:%d", c.Path, c.Line) }

// worth ranks calls by what they tell of a failure. The test's own calls are not indented.
func (c seenCall) worth() int {
	switch {
	case c.Flows:
		return 3
	case c.Threw:
		return 2
	case !strings.HasPrefix(c.Words, " "):
		return 1
	}
	return 0
}

// worthiest are the places of calls, those that tell the most first; of equals the later,
// which are nearer to where the test fails.
func worthiest(calls []seenCall) []int {
	at := make([]int, len(calls))
	for n := range at {
		at[n] = n
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Or(calls[b].worth()-calls[a].worth(), b-a) })
	return at
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
	if r.facts, err = r.recorded.facts(ctx, r.search(ctx)); err != nil {
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
	in := characterise.Traced{Dir: h.tree.Dir(), Suites: q.Baseline.Report.Suites, Only: map[string][]string{}}
	var got []string
	for _, t := range q.Baseline.Report.Tests {
		file := sourceOf(t)
		if !slices.Contains(red, t.ID) || !slices.Contains(in.Tests, file) && len(in.Tests) == mostSources {
			continue
		}
		if !slices.Contains(in.Tests, file) {
			in.Tests = append(in.Tests, file)
		}
		if name, ok := verify.NativeName(in.Suites, t.ID); ok {
			in.Only[file] = append(in.Only[file], name)
		}
		if t.Failure != nil {
			value, _ := belong.Compared(t.Failure.Message)
			got = append(got, value)
		}
	}
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
		calls, times, err := h.Characteriser.Trace(ctx, in)
		out = h.describe(calls, times, got)
		return err
	})
	if err != nil && ctx.Err() == nil {
		h.Log.WithError(err).Warn("what the failing tests call could not be followed")
		err = nil
	}
	return out, err
}

// describe puts calls into words, in their order, each call with the same arguments and
// result once; of many those that tell the most. One that takes nothing and gives nothing
// says nothing. got are the values that the failing assertions saw.
func (h *real) describe(calls []characterise.Call, times int, got []string) facts {
	out := facts{Times: times}
	count, seen := map[string]int{}, map[string]bool{}
	var all []seenCall
	for _, c := range calls {
		count[c.Path]++
		if !slices.Contains(out.Files, c.Path) {
			out.Files = append(out.Files, c.Path)
		}
		words := fmt.Sprintf("%s(%s) %s", c.Name, c.Args, c.Came())
		idle := (c.Args == "" || makes.MatchString(c.Name)) && slices.Contains([]string{"None", "undefined"}, c.Gave)
		if seen[words] || idle {
			continue
		}
		seen[words] = true
		all = append(all, seenCall{c.Path, c.Line, h.hide.text(strings.Repeat("  ", min(c.Depth, 6)) + words), c.Raised != "", c.Gave != "" && slices.Contains(got, c.Gave)})
	}
	for _, n := range slices.Sorted(slices.Values(first(worthiest(all), mostSeen))) {
		out.Calls = append(out.Calls, all[n])
	}
	slices.SortStableFunc(out.Files, func(a, b string) int { return count[b] - count[a] })
	return out
}

// makes is the name of what makes an object, and gives nothing.
var makes = lazyregexp.New(`(?:^|\.)(?:constructor|__init__)$`)

// near are the calls that help whoever sees that code: of functions that stand in
// it, two of each, and those out of which an exception came; of many those that tell the
// most, in their order.
func (f facts) near(shown agent.Shown) string {
	times, size := map[string]int{}, 0
	var kept []int
	for alike := 1; alike <= mostAlike; alike++ { // each function once before any of them twice
		for _, n := range worthiest(f.Calls) {
			c := f.Calls[n]
			stands := slices.ContainsFunc(shown.Code, func(t agent.Text) bool {
				return t.Path == c.Path && !t.Top && (t.ID == "" || t.Start <= c.Line && c.Line <= t.End)
			})
			if slices.Contains(kept, n) || !stands && !c.Threw || times[c.place()] >= alike && !c.Threw || len(kept) == mostCalls || size+len(c.Words) > mostFacts {
				continue
			}
			times[c.place()]++
			size += len(c.Words) + 1
			kept = append(kept, n)
		}
	}
	slices.Sort(kept)
	var b strings.Builder
	said := map[string]bool{}
	for _, n := range kept {
		c := f.Calls[n]
		b.WriteString(c.Words)
		if at := c.place(); !said[at] {
			said[at] = true
			b.WriteString("   [" + at + "]")
		}
		b.WriteString("\n")
	}
	told := len(kept)
	if n := f.Times - told; n > 0 && told > 0 {
		fmt.Fprintf(&b, "(%s more: repetitions, of code that is not shown, or without room)\n", task.Count(n, "call"))
	}
	return b.String()
}
