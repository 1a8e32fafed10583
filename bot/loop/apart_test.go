package loop_test

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// A model adds its test to a file of the base, as people do: the test stands in a new file,
// the one that is there stays as it is, and nobody is asked a second time.
func TestC5TestsAddedToAFileOfTheBaseStandInANewOne(t *testing.T) {
	t.Parallel()
	inSome(t, func(t *testing.T, f blank) {
		t.Helper()
		var base string
		for p := range f.files {
			if strings.Contains(p, "test") && p != "conftest.py" && !strings.HasSuffix(p, "json") {
				base = p
			}
		}
		added := f.test[strings.LastIndex(f.test, "\n\n"):] // without its head
		calls := 0
		b := newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
			calls++
			if aim(c) == "" {
				return creates(f.source, f.fix)
			}
			answer := creates(base, f.files[base]+added)
			answer.Text = strings.Replace(answer.Text, "create_file", "whole_file", 1)
			return answer
		}, task.Tier1)
		b.reproducing(t)
		b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
		res := b.run(t, task.Budget{})
		ready(t, b, res)
		if calls > 2 {
			t.Errorf("%d calls", calls)
		}
		var paths []string
		for _, c := range res.Changes {
			paths = append(paths, c.Path)
			if c.Path == base {
				t.Errorf("%s of the base was changed", base)
			}
		}
		if len(paths) != 2 {
			t.Errorf("changed: %q", paths)
		}
	})
}
