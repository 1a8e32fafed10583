package loop

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestS5TheBestAttemptIsToldWithTheNewTestsThatFail(t *testing.T) {
	t.Parallel()
	base := verify.Report{Tests: []verify.TestResult{{ID: "pytest:.:t.py::old", Status: verify.StatusFailed}}}
	a := task.Attempt{Number: 1, Red: []string{"pytest:.:t.py::old", "pytest:.:test_new.py::test_new"}}
	got := nextAction(task.Result{Outcome: task.FailedAllTiers, Best: &a}, base, 1, 1)
	if strings.Contains(got, "breaks nothing") || !strings.Contains(got, "test_new") || strings.Contains(got, "old") {
		t.Errorf("%s", got)
	}
	a.Red = a.Red[:1]
	if got := nextAction(task.Result{Outcome: task.FailedAllTiers, Best: &a}, base, 1, 1); strings.Contains(got, "new tests") {
		t.Errorf("%s", got)
	}
}

func TestC6AGreenTestThatASufficientChangeBreaksIsSaid(t *testing.T) {
	t.Parallel()
	r := &run{}
	res := task.Result{Outcome: task.FailedAllTiers, Attempts: []task.Attempt{{Number: 1}, {Number: 2, Fixed: []string{"a::test_issue"}, Broken: []string{"a::test_pins"}}}}
	if got := r.held(res); !strings.Contains(got, "a::test_pins") || !strings.Contains(got, "may hold what the issue calls wrong") {
		t.Errorf("%q", got)
	}
	res.Outcome = task.Success
	if got := r.held(res); got != "" {
		t.Errorf("%q", got)
	}
}
