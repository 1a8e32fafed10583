package mend

import (
	"context"
	_ "embed" // the driver
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed driver/angel.py
var pythonAngel string

// pythonSite is a place as driver/angel.py reads it.
type pythonSite struct {
	Kind      string   `json:"kind"`
	Text      string   `json:"text"`
	Need      int      `json:"need"`
	Near      []string `json:"near"`
	Chains    []string `json:"chains"`
	Parts     []string `json:"parts"`
	Literals  []string `json:"literals"`
	Functions []string `json:"functions"`
	Red       []string `json:"red"`
}

// siteTime is the processor time that one test gets while somebody stands at a
// place: the work is done in children, and its own is to read them. siteWall ends
// it: what was told until then has to do.
const siteTime, siteWall = 2.0, 4.0

func (b *pythonBench) wishes(ctx context.Context, at []candidate, red, green []verify.TestResult) ([][]wish, error) {
	return eachStood(ctx, len(b.workers), len(at), func(worker, i int) ([]wish, error) { return b.stand(ctx, worker, at[i], red, green) })
}

// stand looks into one place: the first execution in a failing test makes
// expressions, and that one and those after it show what each comes to.
func (b *pythonBench) stand(ctx context.Context, worker int, at candidate, red, green []verify.TestResult) ([]wish, error) {
	x := at.site
	list := func(l []string) []string { return append([]string{}, l...) }
	req := b.request(slices.Concat(red, green))
	req.Site = &pythonSite{Kind: x.Kind, Text: x.Text, Need: x.Need, Near: list(x.Near), Chains: list(x.Chains), Parts: list(x.Parts), Literals: list(x.Literals),
		Functions: list(x.Functions), Red: natives(red, b.suite)}
	req.Files[at.path] = latin1(at.watched("_fettle_site(lambda: ", ")"))
	for id := range req.Limits {
		req.Limits[id] += siteTime
	}
	req.Wall = siteWall
	answer, err := b.ask(ctx, worker, req)
	if err != nil {
		return nil, fmt.Errorf("looking into line %d of %s: %w", x.Line, at.path, err)
	}
	return wishesOf(answer.Made, answer.Records), nil
}

var _ angelic = (*pythonBench)(nil)
