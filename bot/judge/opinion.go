package judge

import (
	"context"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Opinion is what a model says of a change and of the evidence for it.
type Opinion struct {
	Model    string   `json:"model,omitempty"`
	Verdict  string   `json:"verdict,omitempty"` // ACCEPT, RETRY, FAIL, ESCALATE_TO_PLANNER; "": none, and Reason says why
	Reason   string   `json:"reason"`
	Cost     task.USD `json:"cost_usd"`
	In       int      `json:"tokens_in"`
	Out      int      `json:"tokens_out"`
	Withheld []string `json:"withheld,omitempty"` // changed files that no model may see
}

// Asked is what a second opinion is about.
type Asked struct {
	Title, Body string // of the issue; empty: none is known
	Diffs       []Diff
	Fixed       []string // tests from red to green
	Doubts      []string // what lowered the judgement
}

// Diff is what changes in one file, of code first and tests after it.
type Diff struct{ Path, Text string }

// second asks for a second opinion, which can only lower the judgement. What the
// evidence does not carry is not asked about.
func (r *run) second(ctx context.Context) error {
	if r.cfg.Second == nil || ranks[r.rep.Judgement] > ranks[Plausible] {
		return nil
	}
	r.in.Progress("asking for a second opinion")
	in := Asked{Title: r.in.Title, Body: r.in.Body, Fixed: r.verdict.Fixed, Doubts: r.why[Plausible]}
	for _, tests := range []bool{false, true} {
		for _, c := range r.c.all() {
			if code.IsTest(c.Path) == tests {
				in.Diffs = append(in.Diffs, Diff{c.Path, checkout.TextDiff(c.Path, c.Before, c.After)})
			}
		}
	}
	o, err := r.cfg.Second(ctx, in)
	if err != nil {
		return fmt.Errorf("asking for a second opinion: %w", err)
	}
	r.heed(o)
	return nil
}

// heed takes an opinion into the report.
func (r *run) heed(o Opinion) {
	r.rep.Opinion = &o
	words := strings.Join(strings.Fields(o.Reason), " ")
	switch o.Verdict {
	case "ACCEPT":
		r.say("a second opinion (%s, %s) has nothing against it", o.Model, o.Cost)
	case "":
		r.say("there is no second opinion: %s", words)
	case "RETRY":
		r.lower(Plausible, "a second opinion (%s, %s) wants more: %s", o.Model, o.Cost, words)
	default: // whatever it is, it is against the change
		r.lower(Unproven, "a second opinion (%s, %s) is against it: %s", o.Model, o.Cost, words)
	}
}
