package loop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

const onlyTest = `from weave import interleave


def test_takes_turns():
    assert interleave(["c", "a"], ["b"]) == ["c", "b", "a"]
    assert interleave([3, 1, 9], [8]) == [3, 8, 1, 9]
`

// TestC5ARepositoryWithoutTestsIsMendedByATestOfItsOwn: it is a draft that says so.
func TestC5ARepositoryWithoutTestsIsMendedByATestOfItsOwn(t *testing.T) {
	t.Parallel()
	answer, err := json.Marshal(map[string]any{"explanation": "It joined the lists instead of taking turns.", "actions": []any{
		map[string]any{"action": "replace_region", "path": "weave.py", "region": region(t, broken), "code": 1},
		map[string]any{"action": "create_file", "path": "test_weave.py", "code": 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, map[string]string{"weave.py": broken}, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "```json\n" + string(answer) + "\n```\n\n```python\n" + mended + "```\n\n```python\n" + onlyTest + "```\n"}
	}, task.Tier1)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || !res.Draft || !slices.ContainsFunc(res.DraftReasons, func(why string) bool { return strings.Contains(why, "has no tests of its own") }) {
		t.Errorf("outcome %s, draft %v: %s %v", res.Outcome, res.Draft, res.Reason, res.DraftReasons)
	}
}

func TestC5WithoutTestsAModelOrAnExampleNothingIsBegun(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"weave.py": broken}, nil)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Rejected || res.Outcome.ExitCode() != 5 || !strings.Contains(res.Reason, "add one") || len(res.Attempts) != 0 {
		t.Errorf("outcome %s: %s", res.Outcome, res.Reason)
	}
}
