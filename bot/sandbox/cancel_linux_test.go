package sandbox

import (
	"context"
	"testing"
	"time"
)

// A cancel may come at any moment of a start, also between the launcher's
// first fork and the moment when it ties its child's life to its own.
func TestS01CancelInMidStartLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	box := newBoxed(t, Config{})
	w := workspace(t, box, map[string]string{"a": "x"})
	for i := range 150 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*100*time.Microsecond, cancel)
		done := make(chan struct{})
		go func() {
			defer close(done)
			p, err := w.Start(ctx, Command{Argv: []string{"sleep", "60"}})
			if err == nil {
				_, _ = p.Wait()
			}
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("a start that was cancelled after %d µs did not end", i*100)
		}
		cancel()
	}
}
