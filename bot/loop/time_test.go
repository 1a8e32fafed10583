package loop_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestL5OnlyTimeThatIsWorkedCounts(t *testing.T) {
	t.Parallel()
	var later atomic.Int64 // nanoseconds that the clock is ahead
	interrupted, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the server goes down")
	calls := 0
	b := newBench(t, weave, func(scripted.Call, int) scripted.Answer {
		calls++ // one at a time
		if calls == 1 {
			later.Add(int64(20 * time.Minute))
			cancel(gone)
			return scripted.Answer{Delay: time.Minute}
		}
		later.Add(int64(4 * time.Minute))
		return scripted.Answer{Text: "no idea"}
	}, task.Tier1)
	b.now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	budget := task.Budget{Duration: 30 * time.Minute, AttemptsPerTier: 9}
	_, err := b.engine.Run(interrupted, loop.Input{RunID: "r1", Task: b.task, Budget: budget, Tree: b.tree, Journal: b.journal})
	if !errors.Is(err, gone) {
		t.Fatalf("got %v", err)
	}
	if w := b.journal.State.Worked; w < 20*time.Minute || w > 25*time.Minute {
		t.Fatalf("%s were written down of 20 minutes", w)
	}
	if b.journal.State.Outcome != "" {
		t.Fatalf("an interrupted run has the outcome %s", b.journal.State.Outcome)
	}

	later.Add(int64(24 * time.Hour)) // parked, or no server
	res := b.run(t, budget)
	if res.Outcome != task.Timeout || calls < 3 || calls > 5 {
		t.Errorf("%s after %d calls: %s", res.Outcome, calls, res.Reason)
	}
	if res.Elapsed < 28*time.Minute || res.Elapsed > 40*time.Minute {
		t.Errorf("%s are said to have been worked", res.Elapsed)
	}
}
