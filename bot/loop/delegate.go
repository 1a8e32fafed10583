package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/delegate"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

// delegate has the tier's command write the change. It is bought as a call to a model
// is: reserved before, settled after, once.
func (r *run) delegate(ctx context.Context, a *task.Attempt, b agent.Brief) (agent.Answer, error) {
	order, err := r.Developer.Order(b)
	if err != nil {
		return agent.Answer{}, err
	}
	reply, err := r.purchase(ctx, a, purchase{id: fmt.Sprintf("attempt-%d-command", a.Number), attempt: a.Number, limit: r.in.Budget.USD, req: order, command: true})
	if err != nil {
		return agent.Answer{}, err
	}
	var out delegate.Outcome
	if err := json.Unmarshal([]byte(reply.Text), &out); err != nil {
		return agent.Answer{}, fmt.Errorf("reading what a command left: %w", err)
	}
	left := out.Left
	if out.Ended != "" {
		left = append([]string{out.Ended}, left...)
	}
	answer := agent.Answer{Patch: out.Patch, Refused: strings.Join(left, "; "), Ending: agent.Finished}
	if len(out.Left) > 0 {
		answer.Explanation = "Not taken of what the command did: " + strings.Join(out.Left, "; ")
	}
	for _, e := range out.Patch.Edits {
		if e.Kind == task.EditCreate && code.IsTest(e.Path) {
			answer.NewTests = append(answer.NewTests, e.Path)
		}
	}
	return answer, nil
}

// delegate starts the command and gives what it left as a reply's text.
func (h *real) delegate(ctx context.Context, req model.Request, limit task.USD) (model.Reply, error) {
	by := h.Agents[req.Tier]
	begun := h.Now()
	files := slices.Sorted(maps.Keys(h.stood))
	job := delegate.Job{Dir: h.tree.Dir(), Files: append(h.tree.Files(), files...), Prompt: req.User, Limit: limit}
	slices.Sort(job.Files)
	job.Files = slices.Compact(job.Files)
	for _, f := range job.Files {
		if h.secret(f) {
			job.Hidden = append(job.Hidden, f)
		}
	}
	out, err := by.Run(ctx, h.Box, job)
	cost := out.Usage.Cost
	if err == nil && out.Down && len(out.Patch.Edits) == 0 {
		return model.Reply{}, &model.Error{Class: model.Server, Tier: req.Tier, Down: true, Charged: cost > 0, Cost: cost, Err: fmt.Errorf("%s could not reach the model", by.Name)}
	}
	if err == nil {
		out.Said, out.Ended = h.hide.text(out.Said), h.hide.text(out.Ended)
		var raw []byte
		if raw, err = json.Marshal(out); err == nil {
			return model.Reply{
				Text: string(raw), TokensIn: out.Usage.TokensIn, TokensOut: out.Usage.TokensOut, Estimated: out.Usage.Estimated, Cost: cost,
				Latency: h.Now().Sub(begun), Finish: "stop", Model: by.Name + " with " + by.Endpoint.Model, Tries: 1,
			}, nil
		}
	}
	class := model.Refused
	if ctx.Err() != nil {
		class = model.Cancelled
	}
	return model.Reply{}, &model.Error{Class: class, Tier: req.Tier, Charged: cost > 0, Cost: cost, Err: cmp.Or(ctx.Err(), err)}
}
