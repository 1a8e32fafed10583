package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/task"
)

// asker wraps the model client for one attempt: the worst case is checked
// against the budget and reserved before the call, the cost is settled after
// it, and a call that was settled before a crash is never made again: its reply
// is used, or its attempt ends without one.
func (r *run) asker(a *task.Attempt) agent.Ask {
	call := 0
	return func(ctx context.Context, req model.Request) (model.Reply, error) {
		call++
		id := fmt.Sprintf("attempt-%d-call-%d", a.Number, call)
		worst := r.Models.Worst(req)
		held, err := r.reserve(ctx, id, req.Tier, worst)
		if err != nil {
			return model.Reply{}, err
		}
		if held.Settled && len(held.Reply) > 0 {
			var stored model.Reply
			if err := json.Unmarshal(held.Reply, &stored); err != nil {
				return model.Reply{}, fmt.Errorf("reading the stored reply %s: %w", id, err)
			}
			a.Model = cmp.Or(stored.Model, a.Model)
			return stored, nil
		}
		if held.Settled { // an earlier process was charged for it; asking again would be outside the budget's count
			return model.Reply{}, &model.Error{Class: model.Empty, Tier: req.Tier, Charged: true, Cost: held.Actual,
				Err: errors.New("the call ended without a reply before the process was stopped, and is not bought again")}
		}
		if err := r.record(ctx, a, req, "to", req, model.Reply{}); err != nil {
			return model.Reply{}, err
		}
		r.Point("prompt sent")
		reply, err := r.Models.Ask(ctx, req)
		a.Model = cmp.Or(reply.Model, a.Model) // a substitute may have answered
		return reply, r.settle(ctx, a, req, id, worst, reply, err)
	}
}

// reserve refuses a call whose worst case does not fit what is left.
func (r *run) reserve(ctx context.Context, id string, tier task.Tier, worst task.USD) (task.Reservation, error) {
	held, err := r.in.Journal.Reserve(ctx, task.Reservation{ID: id, Run: r.in.RunID, Tier: tier, Worst: worst})
	if err != nil {
		return held, fmt.Errorf("reserving %s for a call to %s: %w", worst, tier, err)
	}
	if held.Settled {
		return held, nil
	}
	spent, _, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return held, fmt.Errorf("reading what was spent: %w", err)
	}
	if spent <= r.in.Budget.USD {
		return held, nil
	}
	if err := r.in.Journal.Settle(ctx, id, 0, nil); err != nil { // the call is not made
		return held, fmt.Errorf("giving the reservation %s back: %w", id, err)
	}
	reason := fmt.Sprintf("a call to %s may cost up to %s, and %s of %s is left", tier, worst, r.in.Budget.USD-(spent-worst), r.in.Budget.USD)
	if err := r.note(ctx, "budget.refused", reason, map[string]any{"tier": tier, "worst_usd": worst}); err != nil {
		return held, err
	}
	return held, &Stop{task.BudgetExhausted, reason}
}

// settle charges the call, whatever became of it, even when the run is being
// cancelled: money that was spent must be written down.
func (r *run) settle(ctx context.Context, a *task.Attempt, req model.Request, id string, worst task.USD, reply model.Reply, asked error) error {
	ctx = context.WithoutCancel(ctx)
	cost := reply.Cost
	var failed *model.Error
	switch {
	case asked == nil:
	case errors.As(asked, &failed) && failed.Charged && failed.Cost > 0:
		cost = failed.Cost
	case errors.As(asked, &failed) && !failed.Charged:
		cost = 0
	default:
		cost = worst
	}
	var stored json.RawMessage
	if asked == nil {
		var err error
		if stored, err = json.Marshal(reply); err != nil {
			return fmt.Errorf("writing down the reply %s: %w", id, err)
		}
	}
	reply.Cost = cost
	if err := r.in.Journal.Settle(ctx, id, cost, stored); err != nil {
		return fmt.Errorf("settling the call %s: %w", id, err)
	}
	r.Point("reply stored")
	data := any(reply)
	if asked != nil {
		data = map[string]string{"error": asked.Error()}
	}
	if err := r.record(ctx, a, req, "from", data, reply); err != nil {
		return err
	}
	if asked == nil && reply.Substituted != "" {
		err := r.note(ctx, "model.substituted", reply.Substituted, map[string]any{"tier": req.Tier, "model": reply.Model, "attempt": a.Number})
		if err != nil {
			return err
		}
	}
	return asked
}

func (r *run) record(ctx context.Context, a *task.Attempt, req model.Request, direction string, data any, reply model.Reply) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("writing down a message: %w", err)
	}
	err = r.in.Journal.Record(ctx, task.Message{
		Run: r.in.RunID, Attempt: a.Number, At: r.Now().UTC(), Agent: req.Agent, Direction: direction, Data: raw,
		Tier: req.Tier, Model: cmp.Or(reply.Model, r.Models.Name(req.Tier)), PromptClass: req.PromptClass,
		TokensIn: reply.TokensIn, TokensOut: reply.TokensOut, Cost: reply.Cost, Latency: reply.Latency,
	})
	if err != nil {
		return fmt.Errorf("recording a message: %w", err)
	}
	return nil
}
