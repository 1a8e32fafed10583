package mend

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/verify"
)

// prober is a bench that can also show how changed code behaves on inputs near
// those of the tests. What it gives is compared between candidates; nothing of
// it is evidence.
type prober interface {
	// probe runs the tests on each candidate, and does the calls of the functions
	// that the candidates change again with changed arguments. A candidate without
	// content stands for the code as it is. A nil behaviour is one that could not
	// be seen.
	probe(ctx context.Context, cs []candidate, tests []verify.TestResult) ([]*behaviour, error)
}

// behaviour is what the probed calls of one candidate came to.
type behaviour struct {
	outcomes map[string]outcome         // by the call with its arguments
	calls    map[string]map[string]bool // the probed functions that each test ran
}

func newBehaviour() *behaviour {
	return &behaviour{outcomes: map[string]outcome{}, calls: map[string]map[string]bool{}}
}

// ran notes that a test ran a function.
func (b *behaviour) ran(test, function string) {
	if b.calls[test] == nil {
		b.calls[test] = map[string]bool{}
	}
	b.calls[test][function] = true
}

type outcome struct {
	input  string // for a person
	entry  bool   // a call that a test makes
	spot   string // the function, as "path:name"
	result string // what it returned or raised
	after  string // its arguments afterwards
	shared string // parts of the arguments that the result shares
}

const (
	crashed = "crash" // a TypeError and the like: the arguments made no sense
	late    = "late"
)

// comparison is how the behaviour of two candidates differs.
type comparison struct {
	same, differ int
	sharing      int    // the results are equal but share other parts
	example      string // an input on which they differ
	one, other   string // what each gives for it
}

// alike tells whether enough was seen of both to say that they do the same.
func (c comparison) alike() bool { return c.differ == 0 && c.sharing == 0 && c.same >= fewProbes }

// worded says to a person where the two differ, and what the other gives there.
func (c comparison) worded() string {
	words := worded(c.example)
	switch {
	case c.one == c.other:
		return words + ", in what it leaves of its arguments"
	case given(c.one) == given(c.other):
		return words
	}
	return words + ": " + given(c.other) + ", not " + given(c.one)
}

// given is an outcome in a few words.
func given(result string) string {
	const longest = 60
	if result == crashed {
		return "an error"
	}
	result = strings.Join(strings.Fields(result), " ")
	if r := []rune(result); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return result
}

// compare holds two behaviours against each other on the inputs that both saw,
// of those calls that are asked for. An input that one of them cannot take at
// all says little, unless a test used it as it is.
func compare(a, b *behaviour, wanted func(outcome) bool) comparison {
	var c comparison
	for _, key := range slices.Sorted(maps.Keys(a.outcomes)) {
		x := a.outcomes[key]
		y, both := b.outcomes[key]
		if !both || !wanted(x) || x.result == late || y.result == late {
			continue
		}
		asIs := strings.HasSuffix(x.input, "/ as it is")
		switch {
		case x.result != y.result && (x.result == crashed || y.result == crashed) && !asIs && strings.HasSuffix(x.input, " None"):
		case x.result != y.result || x.after != y.after:
			c.differ++
			if c.example == "" || asIs || len(x.input) < len(c.example) {
				c.example, c.one, c.other = x.input, x.result, y.result
			}
		case x.shared != y.shared:
			c.sharing++
		default:
			c.same++
		}
	}
	return c
}

// worded says an input to a person: the call, and what of it was altered.
func worded(input string) string {
	call, what, _ := strings.Cut(input, " / ")
	if at := strings.LastIndex(call[:max(0, strings.IndexByte(call, '('))], ":"); at >= 0 {
		call = call[at+1:]
	}
	if what == "" || what == "as it is" {
		return call
	}
	return call + " with " + what
}

func (b *pythonBench) probe(ctx context.Context, cs []candidate, tests []verify.TestResult) ([]*behaviour, error) {
	spots := map[string]bool{}
	for _, c := range cs {
		if c.original != nil {
			spots[c.spot()] = true
		}
	}
	req := b.request(tests)
	req.Spots = slices.Sorted(maps.Keys(spots))
	files := map[string]bool{}
	for _, t := range tests {
		files[t.File] = true
	}
	req.TestFiles = slices.Sorted(maps.Keys(files))
	req.Wall = 10
	out := make([]*behaviour, len(cs))
	var mu sync.Mutex
	err := all(ctx, len(b.workers), len(cs), func(worker, i int) error {
		one := req
		one.Files = map[string]string{}
		if cs[i].original != nil {
			one.Files[cs[i].path] = latin1(cs[i].text())
		}
		answer, err := b.ask(ctx, worker, one)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out[i] = b.behaviour(answer)
		return nil
	})
	return out, err
}

func (b *pythonBench) behaviour(a pythonAnswer) *behaviour {
	out := newBehaviour()
	for _, p := range a.Probes {
		spot, _, _ := strings.Cut(p.Input, "(")
		out.outcomes[p.Probe] = outcome{input: p.Input, entry: p.Entry, spot: spot, result: p.Outcome, after: p.After, shared: p.Shared}
	}
	for _, c := range a.Calls {
		out.ran(prefix(b.suite)+c.Test, c.Called)
	}
	return out
}

// spot is the function that a candidate changes, as "path:name".
func (c candidate) spot() string { return c.path + ":" + c.region.Name }
