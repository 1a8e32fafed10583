package loop

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop/detect"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// tries are the attempts at the step in hand as loop detection sees them. Of
// earlier attempts the state holds all that it needs.
func (r *run) tries() []detect.Try {
	var out []detect.Try
	for _, a := range r.here() {
		if a.Tier != task.TierMechanical { // a search is no conversation that could go round
			out = append(out, tryOf(a))
		}
	}
	return out
}

func tryOf(a task.Attempt) detect.Try {
	t := detect.Try{Number: a.Number, Tier: a.Tier, Diff: a.Diff, Judged: len(a.Checks) > 0, Red: a.Red}
	if a.Refused != "" {
		t.Errors = []string{a.Refused}
	}
	for _, f := range a.Failures {
		t.Errors = append(t.Errors, f.Test+" "+f.Exception+" "+f.Message)
	}
	return t
}

// sameDiff gives the number of an earlier attempt that made this change to
// this tree, or 0: its tests need not run again.
func (r *run) sameDiff(t *trial) int {
	for _, a := range r.state.Attempts {
		if a.Diff != "" && !a.Green && slices.Equal(a.On, t.a.On) && detect.Same(a.Diff, t.a.Diff) {
			return a.Number
		}
	}
	return 0
}

// circles looks for a loop that the attempt completes. A loop escalates at
// once (SPEC L4); a prediction does so too, but does not end the last tier.
func (r *run) circles(ctx context.Context, t *trial, d agent.Decision) agent.Decision {
	if d.Next != agent.NextRetry && d.Next != agent.NextEscalate || t.a.Tier == task.TierMechanical {
		return d
	}
	now := tryOf(*t.a)
	now.Actions = t.actions
	var look detect.Config
	if _, ok := r.rungs[task.TierEmbeddings]; ok {
		look.Meaning = r.meaning(ctx, *t.a)
	}
	for _, f := range look.Look(append(r.tries(), now)) {
		if !f.Complete() && r.above(t.a.Tier) == top {
			continue
		}
		t.found, t.a.Loop = f, string(f.Kind)
		return agent.Decision{Next: agent.NextEscalate, By: "loop", Reason: fmt.Sprintf("%s (%s, %.0f %%)", f.Words, f.Kind, 100*f.Confidence)}
	}
	return d
}

const (
	// alikeFrom is the cosine from which two changes mean the same. Changes of one
	// function are near to each other whatever they do, so it is high.
	alikeFrom = 0.97
	// mostCompared bounds a change, in bytes: embedding models take some 8,000 tokens.
	mostCompared = 12_000
)

// meaning compares changes by an embeddings endpoint, as it is bought, charged and
// recorded like any other call. Where that does not work out nothing is known,
// and the run goes on without.
func (r *run) meaning(ctx context.Context, a task.Attempt) func(x, y string) float64 {
	ask := r.asker(fmt.Sprintf("attempt-%d-alike", a.Number), &a)
	funnel := redact.New()
	return func(x, y string) float64 {
		show := func(s string) string { return funnel.Secrets(strings.ToValidUTF8(s[:min(len(s), mostCompared)], "")) }
		reply, err := ask(ctx, model.Request{Tier: task.TierEmbeddings, Agent: "detector", PromptClass: "alike", System: show(x), User: show(y)})
		if err != nil {
			return -1
		}
		cos, err := strconv.ParseFloat(reply.Text, 64)
		if err != nil || cos < alikeFrom {
			return -1
		}
		return cos
	}
}

// plateau: the last two attempts of the tier brought no gain, so the failing
// regions are to be written anew as a whole, once (SPEC C8).
func (r *run) plateau(tier task.Tier) bool {
	tries := r.tries()
	return len(tries) > 0 && tries[len(tries)-1].Tier == tier && detect.Plateau(tries)
}

func verdictWords(a task.Attempt, d agent.Decision) string {
	switch {
	case d.Next == agent.NextAccept:
		return "green: accepted"
	case d.By == "loop":
		return d.Reason
	case a.Refused != "":
		return a.Refused
	case a.Diff == "":
		return a.Explanation
	case a.Kept:
		return "green, and kept: " + d.Reason
	case a.Tier == task.TierMechanical && !a.Green && len(a.Fixed) > 0 && len(a.Broken) == 0 && d.Reason != "":
		return d.Reason
	case a.Green:
		return fmt.Sprintf("green, but the %s says: %s", d.By, d.Reason)
	case len(a.Broken) > 0:
		return fmt.Sprintf("%d tests that were green are red or missing", len(a.Broken))
	}
	return "the failing tests still fail"
}
