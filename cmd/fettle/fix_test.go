package main

import (
	"context"
	"errors"
	"os"
	"testing"

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
	if b, err := f.budget(allowed, true); err != nil || b.USD != 1 {
		t.Errorf("--max-cost 0 allows %v, %v", b.USD, err)
	}
	if b, err := f.budget(allowed, false); err != nil || b.USD != allowed.USD {
		t.Errorf("without the flag %v, %v", b.USD, err)
	}
}
