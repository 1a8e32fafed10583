package loop

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// The reproduction stays as it failed before, whichever step an attempt is of.
func TestC6NoAttemptEditsTheReproduction(t *testing.T) {
	t.Parallel()
	r := &run{example: &example.Found{Path: "tests/test_a.py", Content: "assert f(1) == 2\n"}}
	own := task.Edit{Kind: task.EditReplace, Path: "a.py", Code: "x"}
	theirs := task.Edit{Kind: task.EditCreate, Path: "./tests/test_a.py", Code: "assert True\n"}
	for name, on := range map[string][]int{"the first step": nil, "a later one": {1}} {
		a := &task.Attempt{On: on, NewTests: []string{"tests/test_a.py"}, Patch: task.Patch{Edits: []task.Edit{theirs, own}}}
		r.addExample(a)
		for _, e := range a.Patch.Edits {
			if e.Code == theirs.Code {
				t.Errorf("%s: the edit of the reproduction stands", name)
			}
		}
		if want := map[bool]int{true: 2, false: 1}[on == nil]; len(a.Patch.Edits) != want {
			t.Errorf("%s: %d edits, want %d", name, len(a.Patch.Edits), want)
		}
	}
}
