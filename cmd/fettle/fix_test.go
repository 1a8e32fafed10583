package main

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestS6ASignalEndsARunAsCancelled(t *testing.T) {
	t.Parallel()
	parent, signal := context.WithCancelCause(t.Context())
	ctx, done := stoppable(parent)
	defer done()
	signal(&signalled{os.Interrupt})
	<-ctx.Done()
	var stop *loop.Stop
	if !errors.As(context.Cause(ctx), &stop) || stop.Outcome != task.Cancelled || stop.Reason != "stopped by interrupt" {
		t.Errorf("the run ends with %v", context.Cause(ctx))
	}
}

func TestL5NothingMayBeSpentMeansNothing(t *testing.T) {
	t.Parallel()
	allowed := task.Budget{USD: task.Dollars(1)}
	f := &fixFlags{profile: "standard"}
	if b, err := f.budget(allowed, task.Budget{}, true); err != nil || b.USD != 1 {
		t.Errorf("--max-cost 0 allows %v, %v", b.USD, err)
	}
	if b, err := f.budget(allowed, task.Budget{}, false); err != nil || b.USD != allowed.USD {
		t.Errorf("without the flag %v, %v", b.USD, err)
	}
}

// L5: a profile never allows more than the operator's file, nor takes its gates away.
func TestL5AProfileKeepsToTheOperatorsFile(t *testing.T) {
	t.Parallel()
	said := task.Budget{USD: task.Dollars(0.1), Duration: 5 * time.Minute}
	for profile := range profiles {
		f := &fixFlags{profile: profile}
		if b, err := f.budget(said, said, false); err != nil || b.USD > said.USD || b.Duration > said.Duration {
			t.Errorf("%s allows %s and %s, %v", profile, b.USD, b.Duration, err)
		}
		if g, err := f.ask(task.Gates{Plan: true, Critical: true}); err != nil || !g.Plan || !g.Critical {
			t.Errorf("%s has the gates %+v, %v", profile, g, err)
		}
	}
	f := &fixFlags{profile: "aggressive"}
	if b, err := f.budget(task.DefaultBudget(), task.Budget{}, false); err != nil || b.USD != task.Dollars(3) || b.Duration != time.Hour {
		t.Errorf("where nothing is said, aggressive allows %s and %s, %v", b.USD, b.Duration, err)
	}
}
