package loop_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// listener keeps what a run said of itself.
type listener struct {
	*loop.Memory
	mu    sync.Mutex
	notes []string
}

func (l *listener) Progress(ctx context.Context, p task.Progress) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, p.Phase+": "+p.Note)
	return l.Memory.Progress(ctx, p)
}

// TestL5ALongBaselineSaysThatItStillRuns: whoever waits for a suite that hangs
// learns when it is stopped.
func TestL5ALongBaselineSaysThatItStillRuns(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	b := newBench(t, map[string]string{"test_slow.py": "import time\n\ndef test_slow():\n    time.sleep(6.5)\n"}, func(scripted.Call, int) scripted.Answer { return scripted.Answer{} })
	heard := &listener{Memory: b.journal}
	if _, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: heard}); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(heard.notes, "\n")
	if !strings.Contains(said, "baseline: the tests still run after ") || !strings.Contains(said, "is stopped after 10s, a suite after 4m0s") {
		t.Errorf("nothing was said while the baseline ran:\n%s", said)
	}
}
