package loop

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// save writes the state down; a crash after it goes on from here.
func (r *run) save(ctx context.Context, phase string) error {
	r.state.Phase, r.state.Worked = phase, r.worked()
	if err := r.in.Journal.Save(context.WithoutCancel(ctx), r.state); err != nil {
		return fmt.Errorf("saving the run after %s: %w", phase, err)
	}
	r.saved = r.state
	r.Point("saved " + phase)
	return nil
}

// worked is how long the run was worked on, by this process and those before
// it. A clock that was set back takes nothing away.
func (r *run) worked() time.Duration {
	return r.in.State.Worked + max(0, r.now().Sub(r.begun))
}

// saveTime adds the time of an interrupted run to what is saved, so that a run
// that is interrupted again and again still ends. It is no error when it fails:
// whoever interrupted the run may have taken it over.
func (r *run) saveTime(ctx context.Context) {
	if r.recorder.replays {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	r.saved.Worked = r.in.State.Worked + max(0, r.Now().Sub(r.begun))
	if err := r.in.Journal.Save(ctx, r.saved); err != nil {
		r.log.WithError(err).Debug("the time of the interrupted run was not saved")
	}
}

// end decides the outcome once; what was decided first stands.
func (r *run) end(outcome task.Outcome, reason string) {
	if r.state.Outcome == "" {
		if r.state.Setup != "" && outcome != task.Success && outcome != task.Cancelled && !strings.Contains(reason, r.state.Setup) {
			reason = strings.TrimSuffix(reason, ".") + ". The " + r.state.Setup
		}
		r.state.Outcome, r.state.Reason = outcome, r.withHolding(outcome, reason)
	}
}

func (r *run) note(ctx context.Context, kind, reason string, data map[string]any) error {
	err := r.in.Journal.Decide(ctx, task.Decision{Run: r.in.RunID, At: r.now(), After: r.recorder.last, Seen: r.recorder.digest(), Kind: kind, Reason: reason, Data: data})
	if err != nil {
		return ended(ctx, fmt.Errorf("writing the decision %q to the audit log: %w", kind, err))
	}
	r.log.WithField("decision", kind).Info(reason)
	return nil
}

// progress shows how far the run is; a cancel is honoured here.
func (r *run) progress(ctx context.Context, phase string, tier task.Tier, note string) error {
	if err := r.alive(ctx); err != nil {
		return err
	}
	return r.show(ctx, phase, tier, note)
}

// show is progress by the wall clock, also from inside an effect.
func (r *run) show(ctx context.Context, phase string, tier task.Tier, note string) error {
	if r.recorder.replays {
		return nil
	}
	p := task.Progress{
		RunID: r.in.RunID, Phase: phase, Tier: tier, Attempt: len(r.state.Attempts) + 1, Cost: r.money.all, Budget: r.in.Budget.USD,
		Elapsed: r.in.State.Worked + max(0, r.Now().Sub(r.begun)), Note: note, Care: r.care.Why,
	}
	if phase == "setup" || phase == "baseline" || phase == "reproduce" || phase == "localise" {
		p.Attempt = 0
	}
	if err := r.in.Journal.Progress(ctx, p); err != nil {
		return ended(ctx, fmt.Errorf("reporting progress: %w", err))
	}
	return nil
}

// best is the number of the accepted attempt, else of the one that mended the
// most failing tests without breaking any, else 0.
func (r *run) best() int {
	if r.state.Accepted > 0 {
		return r.state.Accepted
	}
	best, score := 0, -1
	for _, a := range r.state.Attempts {
		if a.Diff == "" || a.Refused != "" || len(a.Broken) > 0 {
			continue
		}
		if len(a.Fixed) > score {
			best, score = a.Number, len(a.Fixed)
		}
	}
	return best
}

// names shortens test ids to the part a person reads.
func names(ids []string) string {
	out := append([]string(nil), ids...)
	sort.Strings(out)
	if len(out) > 5 {
		out = append(out[:5], fmt.Sprintf("%d more", len(ids)-5))
	}
	return strings.Join(out, ", ")
}
