package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// Health is asked before each step and told after it (SPEC H3).
type Health interface {
	// ShouldRun says how careful the step has to be. A *Stop ends the run there, any
	// other error leaves it to be taken up again.
	ShouldRun(ctx context.Context, step string) (task.Care, error)
	// OnResult takes what became of a step; trigger "" is well. The same id counts once.
	OnResult(ctx context.Context, id, step string, trigger task.Trigger, words string) error
}

// careful is the effect of being told to be more, or less, careful than before.
const careful = "careful"

// heed asks whether the run may go on, between two steps: a call that is under way is
// paid for, so its reply is taken in first.
func (r *run) heed(ctx context.Context, step string) error {
	t := r.recorder
	if t.replays {
		if len(t.rest) == 0 || t.rest[0].Kind != careful {
			return nil
		}
		e, err := t.recall(careful, t.rest[0].Key)
		if err != nil {
			return err
		}
		c, err := read[task.Care](e)
		if err != nil {
			return err
		}
		return r.takeCare(ctx, c)
	}
	if r.in.Health == nil {
		return nil
	}
	c, err := r.in.Health.ShouldRun(ctx, step)
	if isStop(err) {
		fail, jerr := json.Marshal(faultOf(err))
		if jerr != nil {
			return jerr
		}
		if nerr := t.note(ctx, task.Effect{Run: t.run, Kind: stopped, Fail: fail}); nerr != nil {
			return nerr
		}
	}
	if err != nil && ctx.Err() != nil && !isStop(err) { // it is the end of the run's time, or a cancel
		return r.alive(ctx)
	}
	if err != nil || c == r.care {
		return err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := t.note(ctx, task.Effect{Run: t.run, Kind: careful, Data: data}); err != nil {
		return err
	}
	return r.takeCare(ctx, c)
}

func (r *run) takeCare(ctx context.Context, c task.Care) error {
	was := r.care
	r.care = c
	switch {
	case c.Degraded():
		return r.note(ctx, "heal.degraded", c.Why, map[string]any{"confidence": c.Confidence})
	case was.Degraded():
		return r.note(ctx, "heal.healthy", "the degraded mode is over", nil)
	}
	return nil
}

// reportStep tells what became of a step of an attempt.
func (r *run) reportStep(ctx context.Context, attempt int, step string, trigger task.Trigger, words string) error {
	if r.recorder.replays || r.in.Health == nil {
		return nil
	}
	return r.in.Health.OnResult(ctx, fmt.Sprintf("%s/%d/%s", r.in.RunID, attempt, step), step, trigger, words)
}

// timedOut gives the words of a check that passed its time limit, or "".
func timedOut(failures []task.Failure) string {
	for _, f := range failures {
		if f.Kind == task.FailTimeout {
			return f.Words()
		}
	}
	return ""
}

// toldOfTarget tells whether the targets of an attempt's edits were found.
func (r *run) toldOfTarget(ctx context.Context, a *task.Attempt, rule string) error {
	switch rule {
	case patch.RuleTarget:
		return r.reportStep(ctx, a.Number, "apply", task.TargetNotFound, a.Refused)
	case patch.RuleConfidence:
		return r.reportStep(ctx, a.Number, "apply", task.LowConfidence, a.Refused)
	case "":
		return r.reportStep(ctx, a.Number, "apply", "", "")
	}
	return nil // refused for what the edit does, not for where
}

// repairs is the repair log of an attempt (SPEC O4): the share of tests that pass
// before and after it, what kinds of edits were made, and the patterns used.
func (r *run) repairs(a task.Attempt) map[string]any {
	kinds, patterns := map[string]int{}, []string{}
	for _, e := range a.Patch.Edits {
		kinds[string(e.Kind)]++
	}
	if a.Search != nil && a.Search.Template != "" {
		patterns = append(patterns, a.Search.Template)
	}
	patterns = append(patterns, a.Lessons...)
	out := map[string]any{"fixes": kinds, "patterns": patterns}
	if all := len(r.baseline.Report.Tests); all > 0 {
		green := len(r.baseline.Report.Green())
		after := green + len(a.Fixed) + len(a.Besides) - len(a.Broken)
		out["pass_before"] = share(green, all)
		if len(a.Checks) > 0 { // it was judged
			out["pass_after"] = share(max(after, 0), max(all, after))
		}
	}
	return out
}

// share is a part of all, to three places.
func share(n, all int) float64 { return math.Round(1000*float64(n)/float64(all)) / 1000 }
