package bot

import (
	"context"
	"errors"
	"fmt"

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
	next, joined, err := b.cfg.Store.CreateRun(ctx, store.NewRun{ID: newID, Task: r.Task, Budget: r.Budget, Saved: &saved})
	if err != nil {
		return "", err
	}
	if joined {
		return next.ID, fmt.Errorf("another run (%s) is under way for this issue", next.ID)
	}
	return next.ID, nil
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
