package bot

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

func TestS4NewTestsAreToldAsNewAndWhose(t *testing.T) {
	t.Parallel()
	res := task.Result{Tier: task.Tier1, Reproduction: []string{"pytest:.:tests/test_new.py::test_ratio", "pytest:.:tests/test_old.py::test_total"}, NewTests: []string{"pytest:.:tests/test_new.py::test_ratio"},
		Best: &task.Attempt{NewTests: []string{"tests/test_new.py", "tests/test_ratio_pinned.py"}, OwnTests: []string{"tests/test_ratio_pinned.py"}}}
	var b strings.Builder
	reporter{redact.New()}.evidence(&b, res)
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "test_ratio`") && !strings.Contains(line, "a new test") || strings.Contains(line, "test_total`") && strings.Contains(line, "new") {
			t.Errorf("%s", line)
		}
	}
	for _, want := range []string{"The repository's tests and their configuration were taken from the base commit", "`tests/test_new.py` (written by the model of tier1)", "`tests/test_ratio_pinned.py` (written by fettle)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &b)
		}
	}
}

func TestS5AGreenAttemptOfAFailedRunIsNotProved(t *testing.T) {
	t.Parallel()
	res := task.Result{Outcome: task.FailedAllTiers, Attempts: []task.Attempt{{Number: 1, Tier: task.Tier1, Green: true, Diff: "x", Why: "green, but the reviewer says: it fits the tested value only"}}}
	lines := strings.Join(perTier(res), "\n")
	if strings.Contains(lines, "proved") || !strings.Contains(lines, "the reviewer says") {
		t.Errorf("%s", lines)
	}
	res.Outcome = task.Success
	if lines := strings.Join(perTier(res), "\n"); !strings.Contains(lines, "proved") {
		t.Errorf("%s", lines)
	}
}

func TestR3SurvivorsOfPlantedFaultsAreNamed(t *testing.T) {
	t.Parallel()
	s := gate.Score{Mutants: 5, Killed: 1, Survivors: []string{"a.py:1 Use 1 instead of 2.", "a.py:2 b", "a.py:3 c", "a.py:4 d"}}
	if got := s.String(); !strings.Contains(got, "1 of 5 planted faults found") || !strings.Contains(got, "a.py:1 Use 1 instead of 2.") || !strings.Contains(got, "1 more") {
		t.Errorf("%s", got)
	}
}
