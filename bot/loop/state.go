package loop

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
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
	return r.in.State.Worked + max(0, r.Now().Sub(r.begun))
}

// saveTime adds the time of an interrupted run to what is saved, so that a run
// that is interrupted again and again still ends. It is no error when it fails:
// whoever interrupted the run may have taken it over.
func (r *run) saveTime(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	r.saved.Worked = r.worked()
	if err := r.in.Journal.Save(ctx, r.saved); err != nil {
		r.log.WithError(err).Debug("the time of the interrupted run was not saved")
	}
}

// end decides the outcome once; what was decided first stands.
func (r *run) end(outcome task.Outcome, reason string) {
	if r.state.Outcome == "" {
		r.state.Outcome, r.state.Reason = outcome, reason
	}
}

func (r *run) note(ctx context.Context, kind, reason string, data map[string]any) error {
	err := r.in.Journal.Decide(ctx, task.Decision{Run: r.in.RunID, At: r.Now().UTC(), Kind: kind, Reason: reason, Data: data})
	if err != nil {
		return ended(ctx, fmt.Errorf("writing the decision %q to the audit log: %w", kind, err))
	}
	r.log.WithField("decision", kind).Info(reason)
	return nil
}

func (r *run) progress(ctx context.Context, phase string, tier task.Tier, note string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	spent, _, err := r.in.Journal.Spent(ctx)
	if err != nil {
		return ended(ctx, fmt.Errorf("reading what was spent: %w", err))
	}
	p := task.Progress{RunID: r.in.RunID, Phase: phase, Tier: tier, Attempt: len(r.state.Attempts) + 1, Cost: spent, Budget: r.in.Budget.USD, Elapsed: r.worked(), Note: note}
	if phase == "baseline" || phase == "localise" {
		p.Attempt = 0
	}
	if err := r.in.Journal.Progress(ctx, p); err != nil {
		return ended(ctx, fmt.Errorf("reporting progress: %w", err))
	}
	return nil
}

// notCheckable turns a refusal of detection into an outcome.
func notCheckable(err error) error {
	if errors.Is(err, verify.ErrNoTests) || errors.Is(err, verify.ErrUnsupported) {
		return &Stop{task.Rejected, err.Error()}
	}
	return fmt.Errorf("finding out how the repository is tested: %w", err)
}

func whyNoTest(rep verify.Report) string {
	if len(rep.Broken) == 0 {
		return "the runners found none"
	}
	return rep.Broken[0].Words()
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
