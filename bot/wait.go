package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// ErrWaits: the run was put aside until a human answers. It holds nothing.
var ErrWaits = errors.New("the run waits for a human")

// wait puts a run aside until a human has answered, and says so where it was
// asked for.
func (b *Bot) wait(ctx context.Context, lease *store.Lease, r task.Run, job Job, w *loop.Waiting) error {
	if err := b.tell(ctx, r, job, "waiting", w.Gate.Words); err != nil {
		return err
	}
	if err := job.Publisher.Ask(ctx, w.Gate); err != nil {
		b.cfg.Log.WithField("run", r.ID).WithError(err).Warn("what the run waits for was not asked aloud")
	}
	if err := b.cfg.Store.Wait(ctx, lease, w.Gate); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrWaits, w.Gate.Words)
}

// parkPoor puts a run aside until a cap on what runs spend together lets go.
func (b *Bot) parkPoor(ctx context.Context, lease *store.Lease, r task.Run, job Job, poor *store.CapError) error {
	goes := "goes on"
	if r.Task.Repo.Dir != "" { // nobody but whoever asked takes it up
		goes = "can go on"
	}
	words := fmt.Sprintf("%s; the run %s after %s", poor, goes, poor.Until.Format("2006-01-02 15:04 MST"))
	if err := b.tell(ctx, r, job, "parked", words); err != nil {
		return err
	}
	if err := b.cfg.Store.Park(ctx, lease, poor.Until, words); err != nil {
		return err
	}
	b.alertOnce(ctx, "cap", fmt.Sprintf("%s %d %s", poor.What, r.Task.Repo.Installation, poor.Until.Format(time.DateOnly)), givenUpFor, words, map[string]any{"run": r.ID, "installation": r.Task.Repo.Installation})
	return &Parked{poor.Until, words}
}

// Parked is a run that was put aside until a cap on what runs spend together
// lets go. It holds nothing.
type Parked struct {
	Until time.Time
	Why   string
}

func (p *Parked) Error() string { return "put aside: " + p.Why }

// tell shows where a run stands; that it cannot be shown does not keep it from
// standing there.
func (b *Bot) tell(ctx context.Context, r task.Run, job Job, phase, words string) error {
	now, err := b.cfg.Store.Run(ctx, r.ID)
	if err != nil {
		return err
	}
	p := task.Progress{RunID: r.ID, Phase: phase, Tier: now.Tier, Attempt: len(now.Saved.Attempts), Cost: now.Cost, Budget: r.Budget.USD, Elapsed: now.Saved.Worked, Note: words}
	if err := job.Publisher.Progress(ctx, p); err != nil {
		b.cfg.Log.WithField("run", r.ID).WithError(err).Warn("that the run waits was not shown")
	}
	return nil
}

// history is what the tiers of an installation's runs came to so far.
func (b *Bot) history(ctx context.Context, installation int64) (*estimate.History, error) {
	raw, err := b.cfg.Store.Observations(ctx, installation)
	if err != nil {
		return nil, err
	}
	h := estimate.New(estimate.Config{})
	for _, line := range raw {
		var o estimate.Observation
		if err := json.Unmarshal(line, &o); err != nil {
			return nil, fmt.Errorf("reading the history of the tiers: %w", err)
		}
		h.Add(o)
	}
	return h, nil
}

// learn adds a finished run to the history.
func (b *Bot) learn(ctx context.Context, lease *store.Lease, res task.Result) error {
	if len(res.Case) == 0 { // it ended before it knew what it was about
		return nil
	}
	var c estimate.Case
	if err := json.Unmarshal(res.Case, &c); err != nil {
		return fmt.Errorf("reading the case of the run: %w", err)
	}
	var raw []json.RawMessage
	for _, o := range estimate.Observations(c, res) {
		line, err := json.Marshal(o)
		if err != nil {
			return fmt.Errorf("writing down what the tiers came to: %w", err)
		}
		raw = append(raw, line)
	}
	return b.cfg.Store.Observe(ctx, lease, raw)
}
