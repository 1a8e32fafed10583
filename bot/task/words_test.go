package task_test

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestCountsAreWords(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 attempts": task.Count(0, "attempt"), "1 attempt": task.Count(1, "attempt"), "2 changed lines": task.Count(2, "changed line"),
		"1 branch": task.Count(1, "branch"), "3 branches": task.Count(3, "branch"), "2 processes": task.Count(2, "process"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
