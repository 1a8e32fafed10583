package store_test

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.SQLite)
}

// TestOnlyListedTransitions: the table is the picture beside task.State, and
// the terminal state absorbs.
func TestOnlyListedTransitions(t *testing.T) {
	t.Parallel()
	states := []task.State{task.StateQueued, task.StateRunning, task.StateParked, task.StateDone}
	want := map[string]bool{
		"queued>running": true, "queued>done": true, "running>queued": true,
		"running>parked": true, "running>done": true, "parked>queued": true,
	}
	for _, a := range states {
		for _, b := range states {
			if step := string(a + ">" + b); store.MayBecome(a, b) != want[step] {
				t.Errorf("%s: %v", step, store.MayBecome(a, b))
			}
		}
	}
}
