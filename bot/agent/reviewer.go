package agent

import (
	"context"
	"slices"

	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Review is what the reviewer says. An empty verdict says nothing.
type Review = answer.Review

// ReviewBrief is what the reviewer sees.
type ReviewBrief struct {
	Task     task.Task
	Tier     task.Tier  // whose model is asked
	Step     Step       // empty: the task as a whole
	Done     []Accepted // the steps before it, which the tree holds too
	Diff     string     // of this step alone
	Evidence Evidence
	Advice   Advice
	Doubts   []string // what speaks against it, though it is green
	Rivals   []string // other changes that pass the same tests
	MaxBytes int      // of the prompt's user part; 0: 32 KiB
}

// Reviewer looks at a diff and its checks. It can only lower a verdict: see
// Judge.
type Reviewer struct{ role }

const reviewTokens = 400

// Review asks for a verdict. When the model gives no usable answer the verdict
// is empty and the reason says why: the evidence decides alone. The error is
// Ask's, for what is not the model's fault.
func (r *Reviewer) Review(ctx context.Context, ask Ask, b ReviewBrief) (Review, error) {
	if b.MaxBytes <= 0 {
		b.MaxBytes = 32 << 10
	}
	b.Done = slices.Clone(b.Done)
	all, red := len(b.Evidence.Failures), b.Evidence.reds()
	data := func() any {
		v := newView()
		v.Task, v.Step, v.Done, v.Diff = taskOf(b.Task), stepOf(b.Step), doneOf(b.Done), diffOf(b.Diff)
		v.Evidence, v.Failures = evidenceOf(b.Evidence), describeAll(b.Evidence.Failures, 5, b.Evidence.Unkept+all-len(b.Evidence.Failures), red)
		if b.Advice.Asked { // a rule says what the evidence says
			v.Advice = foreign(b.Advice.Recommendation + ": " + b.Advice.Reason)
		}
		for _, d := range b.Doubts {
			v.Doubts = append(v.Doubts, foreign(d))
		}
		for _, o := range b.Rivals {
			v.Rivals = append(v.Rivals, foreign(o))
		}
		return v
	}
	req, err := r.request("reviewer", b.MaxBytes, data, func(over int) bool {
		for i := range b.Done { // context only
			if cut(&b.Done[i].Diff, over, 0) {
				return true
			}
		}
		return cut(&b.Diff, over, 4<<10) || cut(&b.Task.Body, over, shortestBody) || shorten(&b.Evidence.Failures)
	})
	if err != nil {
		return Review{}, err
	}
	req.Tier, req.Agent, req.MaxTokens = b.Tier, "reviewer", reviewTokens
	got, _, err := answer.Reviewer.Ask(ctx, answer.Ask(ask), req, r.count)
	switch {
	case err != nil && unanswered(ctx, err):
		return Review{Reason: "the reviewer gave no usable answer: " + line(err.Error())}, nil
	case err != nil:
		return Review{}, err
	}
	return got, nil
}

// cut shortens a text by what is over, to no less than least bytes, and tells
// whether it could.
func cut(text *string, over, least int) bool {
	keep := max(len(*text)-over-100, least)
	if len(*text) <= keep+100 {
		return false
	}
	*text = clipped(*text, keep)
	return true
}
