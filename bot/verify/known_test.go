package verify

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestC6ASuiteWithKnownRedTestsHasNotPassed(t *testing.T) {
	t.Parallel()
	checks := []task.Check{{Name: "syntax", Status: task.CheckPassed}, {Name: "pytest (21 tests)", Status: task.CheckFailed, Detail: "20 passed, 1 failed, 0 skipped"}}
	forgive(checks, 1)
	if checks[0].Status != task.CheckPassed || checks[1].Status == task.CheckPassed || checks[1].Status == task.CheckFailed {
		t.Errorf("%+v", checks)
	}
}
