package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

var sums = map[string]string{
	"sums.py":            "def total(first, second):\n    return first - second\n",
	"tests/test_sums.py": "from sums import total\n\n\ndef test_nothing():\n    assert total(3, 0) == 3\n",
	"conftest.py":        "",
}

// sumsBench is a repository whose tests are green, and an issue with an example.
func sumsBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, sums, nil)
	b.task = task.Task{Title: "total(2, 3) gives -1, expected 5", Body: "total(5, -1) gives 6 instead of 4.", Origin: task.OriginEval}
	return b
}

func TestC5AnExampleInTheIssueBecomesTheFailingTestThatIsMended(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	b := sumsBench(t)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || res.Tier != task.TierMechanical || res.Cost != 0 {
		t.Fatalf("outcome %s at %s (%s), cost %v", res.Outcome, res.Tier, res.Reason, res.Cost)
	}
	files := map[string]string{}
	for _, c := range res.Changes {
		files[c.Path] = string(c.Content)
	}
	const where = "tests/test_total_issue.py"
	if len(files) != 2 || !strings.Contains(files[where], "assert total(2, 3) == 5") || !strings.Contains(files[where], "assert total(5, -1) == 4") || files["sums.py"] == "" {
		t.Fatalf("changes %v", files)
	}
	if len(res.Reproduction) != 2 || !strings.Contains(res.Reproduction[0], where) {
		t.Errorf("reproduction %v", res.Reproduction)
	}
	found := false
	for _, c := range res.Checks {
		found = found || c.Name == "reproduction test made from the issue's example" && c.Status == task.CheckPassed && strings.Contains(c.Detail, "planted faults found")
	}
	if !found {
		t.Errorf("the checklist does not tell of the test: %+v", res.Checks)
	}
	for _, why := range res.DraftReasons {
		if strings.Contains(why, "weak") || strings.Contains(why, "not known") {
			t.Errorf("the test is doubted: %s", why)
		}
	}
	if len(b.journal.State.Baseline) == 0 || len(b.journal.State.Example) == 0 {
		t.Error("the test is not in the saved state")
	}

	// A process that takes the run up again has the same test.
	again := b.journal.State
	again.Outcome, again.Accepted, again.Attempts = "", 0, nil
	again.Plan, again.PlanNo, again.Step, again.Done = nil, 0, 0, nil
	b.journal.State = again
	if err := b.tree.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := b.run(t, task.Budget{}); res.Outcome != task.Success || len(res.Changes) != 2 {
		t.Fatalf("taken up again: %s (%s), %d files", res.Outcome, res.Reason, len(res.Changes))
	}
}

func TestC5AnExampleThatTheBaseDoesNotShowMakesNoTest(t *testing.T) {
	t.Parallel()
	b := sumsBench(t)
	b.task.Title, b.task.Body = "total(2, 3) gives 7, expected 5", ""
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Rejected || len(res.Changes) != 0 || !strings.Contains(res.Reason, "no test fails") {
		t.Fatalf("outcome %s (%s), %d files", res.Outcome, res.Reason, len(res.Changes))
	}
}

func TestC5ACrashInTheIssueMendedIsADraft(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	b := newBench(t, map[string]string{
		"sums.py":            "def head(values):\n    return values[1]\n",
		"tests/test_sums.py": "from sums import head\n\n\ndef test_same():\n    assert head([4, 4]) == 4\n",
		"conftest.py":        "",
	}, nil)
	b.task = task.Task{Title: "head crashes on one value", Body: "```\n>>> head([3])\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nIndexError: list index out of range\n```", Origin: task.OriginEval}
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || !res.Draft || !strings.Contains(strings.Join(res.DraftReasons, " "), "does not say what head([3]) should give") {
		t.Fatalf("outcome %s (%s), draft %v: %v", res.Outcome, res.Reason, res.Draft, res.DraftReasons)
	}
}

func TestC5AModelsWorthlessTestIsToldAndAskedForAgainOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestC5ARefusedTestKeepsTheChangeAndIsAskedForAlone stands for it in the quick one")
	}
	green := strings.Replace(tests, tests[strings.Index(tests, "def test_takes_turns"):strings.Index(tests, "def test_one_empty")], "", 1)
	id := region(t, broken)
	const good = "from weave import interleave\n\n\ndef test_turns():\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n"
	const sleepy = "import time\n\nfrom weave import interleave\n\n\ndef test_turns():\n    time.sleep(0.01)\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n"
	answer := func(test string) string {
		return "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":\"" + id + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"test_turns.py\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n" + mended + "```\n```\n" + test + "```\n"
	}
	b := newBench(t, map[string]string{"weave.py": broken, "test_weave.py": green}, func(c scripted.Call, n int) scripted.Answer {
		if n == 0 {
			return scripted.Answer{Text: answer(sleepy)}
		}
		if !strings.Contains(c.User, "it waits") {
			t.Error("the model is not told why its test was thrown away")
		}
		return scripted.Answer{Text: answer(good)}
	}, task.Tier1)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || len(res.Attempts) != 2 || !strings.Contains(res.Attempts[0].Refused, "it waits") {
		t.Fatalf("outcome %s (%s), %d attempts: %+v", res.Outcome, res.Reason, len(res.Attempts), res.Attempts)
	}
}

// A model whose test alone was refused need not write its change again.
func TestC5ARefusedTestKeepsTheChangeAndIsAskedForAlone(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	green := strings.Replace(tests, tests[strings.Index(tests, "def test_takes_turns"):strings.Index(tests, "def test_one_empty")], "", 1)
	id := region(t, broken)
	whole := func(test string) string {
		return "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":\"" + id + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"test_turns.py\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n" + mended + "```\n```\n" + test + "```\n"
	}
	alone := func(test string) string {
		return "```json\n{\"edits\":[{\"kind\":\"create_file\",\"path\":\"test_turns.py\",\"code\":1}],\"explanation\":\"a better test\"}\n```\n```\n" + test + "```\n"
	}
	const head, good = "from weave import interleave\n\n\n", "def test_turns():\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n"
	for name, bad := range map[string]string{
		"it passes on the base": head + "def test_empty():\n    assert interleave([], [1]) == [1]\n",
		"it is worthless":       "import time\n\n" + head + "def test_turns():\n    time.sleep(0.01)\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n",
	} {
		if testing.Short() && name != "it is worthless" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{"weave.py": broken, "test_weave.py": green}, func(c scripted.Call, n int) scripted.Answer {
				if n == 0 {
					return scripted.Answer{Text: whole(bad)}
				}
				if !strings.Contains(c.User, "answer with a better test alone") {
					t.Error("the model is not told that its change is kept")
				}
				return scripted.Answer{Text: alone(head + good)}
			}, task.Tier1)
			res := b.run(t, task.Budget{})
			if res.Outcome != task.Success || len(res.Attempts) != 2 || !strings.Contains(res.Diff, "test_turns.py") || !strings.Contains(res.Diff, "weave.py") {
				t.Fatalf("outcome %s (%s), %d attempts, second: %q\n%s", res.Outcome, res.Reason, len(res.Attempts), res.Attempts[len(res.Attempts)-1].Refused, res.Diff)
			}
		})
	}
}

func TestC10AGreenTestThatPinsWhatTheIssueCallsWrongIsSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"sums.py":            "def total(first, second):\n    return first - second\n",
		"tests/test_sums.py": "from sums import total\n\n\ndef test_pinned():\n    assert total(2, 3) == -1\n",
		"conftest.py":        "",
	}, nil)
	b.task = task.Task{Title: "total(2, 3) gives -1, expected 5", Body: "It subtracts.", Origin: task.OriginEval}
	res := b.run(t, task.Budget{})
	if res.Outcome == task.Success || !strings.Contains(res.NextAction, "tests/test_sums.py:5 passes and holds total(2, 3) to be -1, which the issue calls wrong") {
		t.Fatalf("%s (%s): %s", res.Outcome, res.Reason, res.NextAction)
	}
}

// reproducing lets the bench's model write a reproduction before any fix.
func (b *bench) reproducing(t testing.TB) {
	t.Helper()
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b.cfg.Reproducer = roles.Reproducer
	b.engine = loop.New(b.cfg)
}

func TestC5AnExampleThatHoldsAlreadyIsToldWithWhatItGave(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	b := sumsBench(t)
	b.task.Title, b.task.Body = "total(3, 0) gives 4, expected 3", "Also total(5, 1) should be 4."
	res := b.run(t, task.Budget{})
	for _, want := range []string{"the issue's own examples were run", "hold already: total(3, 0) gives 3, total(5, 1) gives 4; no test fails"} {
		if !strings.Contains(res.Reason, want) {
			t.Errorf("the reason does not say %q: %s", want, res.Reason)
		}
	}
	if res.Outcome != task.Rejected || !strings.Contains(res.NextAction, "mended already") {
		t.Errorf("outcome %s, next %q", res.Outcome, res.NextAction)
	}

	// A process that takes the run up says the same.
	b.journal.State.Outcome, b.journal.State.Reason = "", ""
	if again := b.run(t, task.Budget{}); again.Reason != res.Reason {
		t.Errorf("taken up again: %s", again.Reason)
	}
}

func TestC5AnExampleThatHoldsBesideOneThatFailsIsNotTold(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	b := sumsBench(t)
	b.task.Title, b.task.Body = "total(2, 3) gives -1, expected 5", "total(3, 0) gives 3, expected 3."
	if res := b.run(t, task.Budget{}); res.Outcome != task.Success || strings.Contains(strings.Join(res.DraftReasons, " "), "total(3, 0)") {
		t.Errorf("outcome %s (%s), open %v", res.Outcome, res.Reason, res.DraftReasons)
	}
}

// A model mends something else than what the issue complains of.
func TestC5AComplaintThatWasNotTrueMakesTheChangeADraft(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	regions, err := code.Regions(t.Context(), "sums.py", []byte(sums["sums.py"]))
	if err != nil || len(regions) != 1 {
		t.Fatalf("%v %v", regions, err)
	}
	b := newBench(t, map[string]string{"sums.py": sums["sums.py"], "tests/test_sums.py": sums["tests/test_sums.py"], "conftest.py": ""}, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"sums.py\",\"region\":\"" + regions[0].ID + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"tests/test_more.py\",\"code\":2}],\"explanation\":\"adds\"}\n```\n```\ndef total(first, second):\n    return first + second\n```\n```\nfrom sums import total\n\n\ndef test_adds():\n    assert total(2, 3) == 5\n```\n"}
	}, task.Tier1)
	b.task = task.Task{Title: "total(3, 0) gives 4, expected 3", Body: "It should add two numbers.", Origin: task.OriginEval}
	res := b.run(t, task.Budget{})
	if res.Outcome != task.Success || !strings.Contains(strings.Join(res.DraftReasons, " "), "the issue complains of total(3, 0), but without the change total(3, 0) gives 3 already") {
		t.Errorf("outcome %s (%s), open %v", res.Outcome, res.Reason, res.DraftReasons)
	}
}

// L2: the reviewer is told how many of the developer's own new tests were red before, which
// are run on the code as it was.
func TestL2TheReviewerIsToldHowManyNewTestsWereRed(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	green := strings.Replace(tests, tests[strings.Index(tests, "def test_takes_turns"):strings.Index(tests, "def test_one_empty")], "", 1)
	const own = "from weave import interleave\n\n\ndef test_turns():\n    assert interleave([1, 2], [9]) == [1, 9, 2]\n\n\ndef test_nothing():\n    assert interleave([], []) == []\n"
	said := ""
	b := newBench(t, map[string]string{"weave.py": broken, "test_weave.py": green}, func(c scripted.Call, _ int) scripted.Answer {
		if strings.Contains(c.System, "You review a change") {
			said = c.User
			return scripted.Answer{Text: `{"verdict": "ACCEPT", "reason": "good"}`}
		}
		return scripted.Answer{Text: "```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":\"" + region(t, broken) + "\",\"code\":1},{\"kind\":\"create_file\",\"path\":\"test_turns.py\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n" + mended + "```\n```\n" + own + "```\n"}
	}, task.Tier1)
	roles, err := agent.New(agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b.cfg.Reviewer = roles.Reviewer
	b.engine = loop.New(b.cfg)
	if res := b.run(t, task.Budget{}); res.Outcome != task.Success {
		t.Fatalf("outcome %s (%s): %+v", res.Outcome, res.Reason, res.Attempts)
	}
	if want := "pass now: 1 (1 of the change's new tests); of the developer's own new tests, 1 of 2 failed before the change."; !strings.Contains(said, want) {
		t.Errorf("%q is not said:\n%s", want, said)
	}
	b.replays(t)
}

// L4: a new test that no runner finds, under one name after the other, is no reason to climb.
func TestL4NewTestsThatNoRunnerFindsEndTheRun(t *testing.T) {
	t.Parallel()
	green := strings.Replace(tests, tests[strings.Index(tests, "def test_takes_turns"):strings.Index(tests, "def test_one_empty")], "", 1)
	id, asked := region(t, broken), 0
	b := newBench(t, map[string]string{"weave.py": broken, "test_weave.py": green}, func(c scripted.Call, n int) scripted.Answer {
		asked++
		return scripted.Answer{Text: fmt.Sprintf("```json\n{\"edits\":[{\"kind\":\"replace_region\",\"path\":\"weave.py\",\"region\":%q,\"code\":1},{\"kind\":\"create_file\",\"path\":\"spec/turns%d_spec.rb\",\"code\":2}],\"explanation\":\"turns\"}\n```\n```\n%s```\n```\nit 'takes turns' do\n  expect(%d).to eq(1)\nend\n```\n", id, n, mended, n)}
	}, task.Tier1, task.Tier2)
	res := b.run(t, task.Budget{})
	if res.Outcome != task.LoopDetected || asked != 3 || !strings.Contains(res.Reason, "finds none of them") {
		t.Fatalf("outcome %s (%s) after %d answers: %+v", res.Outcome, res.Reason, asked, res.Attempts)
	}
}
