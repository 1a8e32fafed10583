package bot

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/belong"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

func TestC5TheStorySaysWhoseRedTestsTheseAre(t *testing.T) {
	t.Parallel()
	issue := belong.Read("total(2) gives 3", "expected 2")
	sorted := belong.Sort(issue, []belong.Red{
		{ID: "pytest:.:t.py::test_total", File: "t.py", Name: "test_total", Source: "def test_total():\n    assert total(2) == 2\n", Message: "assert 3 == 2"},
		{ID: "pytest:.:t.py::test_tax", File: "t.py", Name: "test_tax", Source: "def test_tax():\n    assert tax(9) == 1\n", Message: "assert 5 == 1"},
	})
	claim, err := json.Marshal(sorted)
	if err != nil {
		t.Fatal(err)
	}
	got := Story(task.Run{ID: "r1", Saved: task.RunState{Claim: claim}}, nil)
	for _, part := range []string{"1 of 2 red tests is this issue's", "belongs: pytest:.:t.py::test_total: the test makes the issue's call total(2)", "not: pytest:.:t.py::test_tax: nothing in the issue points at it"} {
		if !strings.Contains(got, part) {
			t.Errorf("the story lacks %q:\n%s", part, got)
		}
	}
}

func TestC10TheStorySaysWhoWroteTheReproduction(t *testing.T) {
	t.Parallel()
	for by, words := range map[string]string{"": "made from the issue's example", "small": "written by small before any fix, fails on the base with 1 != 2"} {
		found, err := json.Marshal(example.Found{Path: "t/test_new.py", By: by, Fails: "1 != 2"})
		if err != nil {
			t.Fatal(err)
		}
		if got := Story(task.Run{ID: "r1", Saved: task.RunState{Example: found}}, nil); !strings.Contains(got, "reproduction: t/test_new.py, "+words) {
			t.Errorf("the story lacks %q:\n%s", words, got)
		}
	}
}

// A draft says what is open, never that it is proved, and closes nothing by itself;
// what was seen comes before what was changed.
func TestS4ADraftsWordsAreTrue(t *testing.T) {
	t.Parallel()
	a := task.Attempt{Number: 1, Tier: task.TierMechanical, Green: true, Explanation: "Use `>=` in place of `>`.",
		Search: &task.Search{Place: "a.py, line 3", Tried: 40, Plausible: 2, Template: "comparison", Rejected: []string{"a rival"}}}
	res := task.Result{RunID: "r1", Outcome: task.Success, Draft: true, DraftReasons: []string{"a rival passes too"}, Unsure: true, Best: &a, Attempts: []task.Attempt{a},
		Task: task.Task{Title: "CSV has no header", Issue: 3}, Causes: []string{"`assert f(7) == 1` (t.py:4) gave `0` instead of `1`."}, Tier: task.TierMechanical}
	title, body := reporter{redact.New()}.pullRequest(res)
	if strings.Contains(title, "CSV") || !strings.Contains(title, "use >= in place of >") {
		t.Errorf("the title says what the change does not: %q", title)
	}
	seen, changed, folded := strings.Index(body, "gave `0` instead of `1`"), strings.Index(body, "Use `>=`"), strings.Index(body, "<details>")
	if seen < 0 || seen > changed || folded < changed || strings.Contains(body, "proved") {
		t.Errorf("seen at %d, changed at %d, folded at %d:\n%s", seen, changed, folded, body)
	}
}
