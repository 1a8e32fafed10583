package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Answer takes what a human said about the gate that a run waits at, and lets
// it go on. step 0 means whatever it waits at.
func (b *Bot) Answer(ctx context.Context, runID string, a task.Answer) (task.Answer, error) {
	said, err := b.cfg.Store.Answer(ctx, runID, a)
	if errors.Is(err, store.ErrNotWaiting) {
		return said, fmt.Errorf("%w; 'fettle runs show %s' says where it stands", err, runID)
	}
	return said, err
}

// Resume lets a run go on at a step (from 1; 0 is the start; less: where it
// stands). One that has ended goes on as a new run with the id given, on its
// accepted steps. It returns the id of the run that goes on.
func (b *Bot) Resume(ctx context.Context, runID, newID string, step int) (string, error) {
	r, err := b.cfg.Store.Run(ctx, runID)
	if err != nil {
		return "", err
	}
	change := func(s *task.RunState) error {
		at := step
		if at < 0 {
			at = loop.StepDone(*s) + 1
			if len(s.Plan) == 0 {
				at = 0
			}
		}
		next, err := loop.From(*s, at)
		if err == nil {
			*s = next
		}
		return err
	}
	switch {
	case r.State != task.StateDone && step < 0:
		return runID, b.cfg.Store.Rewind(ctx, runID, func(*task.RunState) error { return nil })
	case r.State != task.StateDone && r.Saved.Published > 0:
		return "", fmt.Errorf("its draft #%d stands and waits for `/fettle approve` or `/fettle reject`; stop the run before anything else", r.Saved.Published)
	case r.State != task.StateDone:
		return runID, b.cfg.Store.Rewind(ctx, runID, change)
	case r.Outcome == task.Success:
		return "", fmt.Errorf("run %s ended well; there is nothing to go on with", runID)
	}
	saved := r.Saved
	if err := change(&saved); err != nil {
		return "", err
	}
	saved = loop.Fresh(saved)
	saved.Published = 0
	next, joined, err := b.cfg.Store.CreateRun(ctx, store.NewRun{ID: newID, Task: r.Task, Budget: r.Budget, Saved: &saved})
	if err != nil {
		return "", err
	}
	if joined {
		return next.ID, fmt.Errorf("another run (%s) is under way for this issue", next.ID)
	}
	return next.ID, nil
}

// decide takes a yes or a no of a comment to the run that waits on its issue.
func (a *App) decide(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	live, err := a.live(ctx, ev)
	if err != nil {
		return "", err
	}
	if live == nil {
		return a.answer(ctx, ev, c, "Nothing is running here, so nothing waits for an answer.")
	}
	said, err := a.Answer(ctx, live.ID, task.Answer{Step: c.Step, Approved: c.Name == "approve", Feedback: c.Hint, By: ev.Actor, At: a.cfg.Now().UTC()})
	switch {
	case errors.Is(err, store.ErrNotWaiting) && live.Waiting != nil:
		return a.answer(ctx, ev, c, fmt.Sprintf("The run waits for an answer about the %s, not for this one.", gateWords(*live.Waiting)))
	case errors.Is(err, store.ErrNotWaiting), errors.Is(err, store.ErrDone):
		return a.answer(ctx, ev, c, "The run does not wait for an answer now.")
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("%s of run %s: approved %v", said.Gate, live.ID, said.Approved), nil
}

func gateWords(g task.Gate) string {
	if g.Step > 0 {
		return fmt.Sprintf("%s (step %d)", g.Kind, g.Step)
	}
	return string(g.Kind)
}

// goOn lets the run go on: one that is put aside, or else, as a new
// one, the last that ended.
func (a *App) goOn(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	runs, err := a.last(ctx, ev)
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return a.answer(ctx, ev, c, "There is no run here to go on with; `/fettle fix` starts one.")
	}
	id, err := a.Resume(ctx, runs[0].ID, a.app.NewID(), c.From)
	if errors.Is(err, store.ErrHeld) {
		return a.answer(ctx, ev, c, "The run is under way already.")
	}
	if err != nil {
		return a.answer(ctx, ev, c, a.app.Funnel.Markdown("It cannot go on: "+err.Error()))
	}
	return "goes on as " + id, nil
}

// Record is what a run can be replayed from.
func (b *Bot) Record(ctx context.Context, runID string) (loop.Recorded, error) {
	rec := loop.Recorded{RunID: runID}
	var err error
	if rec.Effects, err = b.cfg.Store.Effects(ctx, runID); err != nil {
		return rec, err
	}
	var lines lineWriter
	err = b.cfg.Store.Decisions(ctx, runID, &lines)
	rec.Decisions = lines
	return rec, err
}

// lineWriter keeps each write, which is a line.
type lineWriter [][]byte

func (l *lineWriter) Write(p []byte) (int, error) {
	*l = append(*l, append([]byte(nil), p...))
	return len(p), nil
}
