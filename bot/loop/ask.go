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

// asker wraps the model client for one attempt, or for a plan (a is nil then):
// the worst case is checked against the budget and reserved before the call,
// the cost is settled after it, and a call that was settled before a crash is
// never made again: its reply is used, or its attempt ends without one.
func (r *run) asker(name string, a *task.Attempt) agent.Ask {
	if a == nil {
		a = &task.Attempt{}
	}
	return r.askWithin(name, a, r.in.Budget.USD)
}

// askWithin is an asker that may not bring the run's cost above a limit.
func (r *run) askWithin(name string, a *task.Attempt, limit task.USD) agent.Ask {
	call := 0
	return func(ctx context.Context, req model.Request) (model.Reply, error) {
		call++
		return r.purchase(ctx, a, purchase{id: fmt.Sprintf("%s-call-%d", name, call), attempt: a.Number, limit: limit, req: req})
	}
}

// purchase makes a call unless an earlier process made it.
func (r *run) purchase(ctx context.Context, a *task.Attempt, c purchase) (model.Reply, error) {
	if err := r.alive(ctx); err != nil {
		return model.Reply{}, err
	}
	held, err := r.reserve(ctx, c)
	if errors.Is(err, ErrLost) && c.req.Agent != "developer" { // a role that cannot be asked says nothing
		return model.Reply{}, &model.Error{Class: model.Empty, Tier: c.req.Tier, Err: err}
	}
	if err != nil {
		return model.Reply{}, err
	}
	if held.Settled && len(held.Reply) > 0 {
		var stored model.Reply
		if err := json.Unmarshal(held.Reply, &stored); err != nil {
			return model.Reply{}, fmt.Errorf("reading the stored reply %s: %w", c.id, err)
		}
		a.Model = cmp.Or(stored.Model, a.Model)
		return stored, nil
	}
	if held.Settled { // an earlier process was charged for it; asking again would be outside the budget's count
		return model.Reply{}, &model.Error{Class: model.Empty, Tier: c.req.Tier, Charged: true, Cost: held.Actual,
			Err: errors.New("the call ended without a reply before the process was stopped, and is not paid for again")}
	}
	reply, err := r.buy(ctx, c, held.Worst)
	if c.req.Agent == "developer" {
		a.Model = cmp.Or(reply.Model, a.Model) // a substitute may have answered
	}
	return reply, err
}

// purchase is one call to a model, or one start of a command that calls it.
type purchase struct {
	id      string
	attempt int
	limit   task.USD // of the run's cost, with this call
	req     model.Request
	command bool // its worst case is all that is left: the gateway keeps it to that
}

// reserve sets the call's worst case aside; a *Stop refuses what does not fit.
func (r *run) reserve(ctx context.Context, c purchase) (task.Reservation, error) {
	tier := c.req.Tier
	asked := struct {
		ID      string
		Request model.Request
		Left    task.USD
	}{c.id, c.req, c.limit - r.money.all}
	held, err := observe(ctx, r.recorder, "reserve", asked, func() (task.Reservation, error) {
		worst := r.Models.Worst(c.req)
		if c.command {
			worst = max(asked.Left, worst) // less than one call is refused
		}
		held, err := r.in.Journal.Reserve(ctx, task.Reservation{ID: c.id, Run: r.in.RunID, Tier: tier, Worst: worst, Limit: c.limit})
		if err != nil && !isStop(err) {
			err = fmt.Errorf("reserving %s for a call to %s: %w", worst, tier, err)
		}
		return held, err
	})
	var stop *Stop
	if errors.As(err, &stop) && stop.Outcome == task.BudgetExhausted {
		if noted := r.note(ctx, "budget.refused", stop.Reason, map[string]any{"tier": tier, "left_usd": asked.Left}); noted != nil {
			return held, noted
		}
	}
	if err == nil && !held.Settled {
		r.money.add(tier, held.Worst)
	}
	return held, err
}

// buy makes the call and charges it, whatever became of it, even when the run
// is being cancelled: money that was spent must be written down.
func (r *run) buy(ctx context.Context, c purchase, worst task.USD) (model.Reply, error) {
	if err := r.record(ctx, c, "to", c.req, model.Reply{}); err != nil {
		return model.Reply{}, err
	}
	got, err := observe(ctx, r.recorder, "reply", c.id, func() (bought, error) {
		r.Point("prompt sent")
		ask := r.Models.Ask
		if c.command {
			ask = func(ctx context.Context, req model.Request) (model.Reply, error) {
				return r.effects.delegate(ctx, req, worst)
			}
		}
		reply, asked := ask(ctx, c.req)
		b := bought{Cost: costOf(worst, reply, asked), Reply: reply}
		var stored json.RawMessage
		if asked == nil {
			var err error
			if stored, err = json.Marshal(reply); err != nil {
				return b, fmt.Errorf("writing down the reply %s: %w", c.id, err)
			}
		} else {
			f := faultOf(asked)
			b.Fail = &f
		}
		if err := r.in.Journal.Settle(context.WithoutCancel(ctx), c.id, b.Cost, stored); err != nil {
			return b, fmt.Errorf("settling the call %s: %w", c.id, err)
		}
		r.Point("reply stored")
		return b, nil
	})
	if err != nil {
		return model.Reply{}, err
	}
	reply := got.Reply
	r.money.add(c.req.Tier, got.Cost-worst)
	if got.Fail != nil {
		err = got.Fail.error()
	}
	data := any(reply)
	if err != nil {
		data = map[string]string{"error": err.Error()}
		reply.Cost = got.Cost
	}
	if noted := r.record(context.WithoutCancel(ctx), c, "from", data, reply); noted != nil {
		return reply, noted
	}
	if stop := r.alive(ctx); stop != nil { // whatever the call died of, this is why
		return reply, stop
	}
	if err == nil && reply.Substituted != "" {
		return reply, r.note(ctx, "model.substituted", reply.Substituted, map[string]any{"tier": c.req.Tier, "model": reply.Model, "attempt": c.attempt})
	}
	return reply, err
}

// bought is what became of a call.
type bought struct {
	Reply model.Reply `json:"reply"`
	Cost  task.USD    `json:"cost_usd"`
	Fail  *fault      `json:"fail,omitempty"`
}

// costOf is what a call is charged: what it says, nothing where the provider
// refused it, and else its worst case.
func costOf(worst task.USD, reply model.Reply, err error) task.USD {
	var failed *model.Error
	switch {
	case err == nil:
		return reply.Cost
	case errors.As(err, &failed) && failed.Charged && failed.Cost > 0:
		return failed.Cost
	case errors.As(err, &failed) && !failed.Charged:
		return 0
	}
	return worst
}

func (r *run) record(ctx context.Context, c purchase, direction string, data any, reply model.Reply) error {
	req := c.req
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("writing down a message: %w", err)
	}
	err = r.in.Journal.Record(ctx, task.Message{
		Run: r.in.RunID, Attempt: c.attempt, At: r.now(), Agent: req.Agent, Direction: direction, Data: raw,
		Tier: req.Tier, Model: cmp.Or(reply.Model, r.rungs[req.Tier].Model), PromptClass: req.PromptClass,
		TokensIn: reply.TokensIn, TokensOut: reply.TokensOut, Cost: reply.Cost, Latency: reply.Latency,
	})
	if err != nil {
		return fmt.Errorf("recording a message: %w", err)
	}
	return nil
}
