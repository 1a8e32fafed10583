package mend

import (
	"context"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// probe does the calls that the tests make of the changed functions, and calls near
// them, with each candidate of a file. Rivals in other files share no calls.
func (b *nodeBench) probe(ctx context.Context, cs []candidate, _ []verify.TestResult) ([]*behaviour, error) {
	budget := probeTime
	if until, ok := ctx.Deadline(); ok {
		budget = min(4*probeTime, time.Until(until))
	}
	c := characterise.New(characterise.Config{Sandbox: b.box, Budget: budget})
	out := make([]*behaviour, len(cs))
	byPath := map[string][]int{}
	for i, one := range cs[1:] {
		byPath[one.path] = append(byPath[one.path], i+1)
	}
	for path, at := range byPath {
		texts := [][]byte{cs[at[0]].original}
		for _, i := range at {
			texts = append(texts, cs[i].text())
		}
		calls, err := c.Compare(ctx, characterise.Input{Dir: b.dir, Suites: []verify.Suite{b.suite}}, path, texts)
		if err != nil {
			return out, fmt.Errorf("comparing what changes of %s do: %w", path, err)
		}
		for k, i := range append([]int{0}, at...) {
			for _, call := range calls {
				if r := call.Results[k]; r.Value != "" {
					if out[i] == nil {
						out[i] = &behaviour{outcomes: map[string]outcome{}}
					}
					out[i].outcomes[path+":"+call.Input] = nodeOutcome(path, call, r)
				}
			}
		}
	}
	return out, nil
}

func nodeOutcome(path string, call characterise.Compared, r characterise.Result) outcome {
	o := outcome{input: call.Input, entry: call.Seen, spot: path + ":" + call.Function, result: r.Value, after: r.After}
	if r.Nonsense {
		o.result = crashed
	}
	return o
}
