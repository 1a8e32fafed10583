package loop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// The developer looks in every way, once where it may not: what comes back is the
// code, or the reason, and the run's decisions tell of it.
func TestM9ADeveloperLooksAndIsToldWhyNot(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"loom.py":      "def interleave(a, b):\n    out = []\n    for x, y in zip(a, b):\n        out.append(x)\n        out.append(y)\n    return out + a + b\n\n\ndef twice(a):\n    return interleave(a, a)\n",
		"test_loom.py": "from loom import interleave\n\n\ndef test_turns():\n    assert interleave([1], [2]) == [1, 2]\n",
		"vault.py":     "CODE = 'the-secret-word-of-the-house'\n",
	}
	looks := []string{
		`{"action": "read_region", "path": "loom.py", "region": "3-4"}`, `{"action": "outline", "path": "loom.py"}`, `{"action": "search", "query": "give twice"}`,
		`{"action": "try_code", "path": "loom.py", "query": "interleave([7], [8])"}`, `{"action": "try_code", "path": "loom.py", "query": "open('vault.py').read()"}`,
		`{"action": "try_code", "path": "vault.py", "query": "CODE"}`, `{"action": "read_region", "path": "vault.py"}`,
	}
	var prompts []string
	b := newBench(t, files, func(c scripted.Call, n int) scripted.Answer {
		prompts = append(prompts, c.User)
		if n == 0 {
			return scripted.Answer{Text: "```json\n" + fmt.Sprintf(`{"actions": [%s], "explanation": "looking"}`, strings.Join(looks, ", ")) + "\n```"}
		}
		return scripted.Answer{Text: scripted.Edit("loom.py", "interleave", "def interleave(a, b):\n    out = []\n    for x, y in zip(a, b):\n        out += [x, y]\n    return out\n", "it takes turns")}
	}, task.Tier1)
	b.cfg.Box = boxed
	_, err := loop.New(b.cfg).Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Budget: task.Budget{Attempts: 2}, NeverSend: []string{"vault.py"}, Tree: b.tree, Journal: b.journal})
	if err != nil || len(prompts) < 2 {
		t.Fatal(err, len(prompts))
	}
	first, second := prompts[0], prompts[1]
	for _, want := range []string{"    for x, y in zip(a, b):\n        out.append(x)", "9-10 function:twice@", "Regions that these words point at", "[7, 8, 7, 8]", "never shown to a model"} {
		if !strings.Contains(second, want) {
			t.Errorf("the answer does not say %q:\n%s", want, second)
		}
	}
	if strings.Contains(first+second, "the-secret-word") || strings.Contains(first, "vault") {
		t.Error("what is never sent was shown")
	}
	if strings.Count(first, "def interleave(a, b):") != 1 || !strings.Contains(first, "def test_turns():") {
		t.Errorf("the code stands there %d times:\n%s", strings.Count(first, "def interleave(a, b):"), first)
	}
	shown, looked := 0, 0
	for _, d := range b.journal.Decisions {
		switch d.Kind {
		case "model.shown":
			shown++
		case "model.looked":
			looked++
		}
	}
	if shown == 0 || looked != len(looks) {
		t.Errorf("%d times told what was shown, %d times what was asked", shown, looked)
	}
	b.replays(t)
}

func TestM3AWindowThatHoldsNoPromptIsSaidAtTheBeginning(t *testing.T) {
	t.Parallel()
	s := newBenchWith(t, map[string]string{"loom.py": "def f():\n    return 1\n", "test_loom.py": "from loom import f\n\n\ndef test_f():\n    assert f() == 1\n"},
		func(scripted.Call, int) scripted.Answer {
			t.Error("a model was asked")
			return scripted.Answer{}
		}, func(e *model.Endpoint) { e.ContextTokens = 2048 }, task.Tier1)
	res := s.run(t, task.Budget{})
	if res.Outcome != task.Rejected || !strings.Contains(res.Reason, "smaller than the smallest prompt") || s.journal.Decisions[0].Kind != "tier.skipped" {
		t.Errorf("%s: %s; %s", res.Outcome, res.Reason, s.journal.Decisions[0].Kind)
	}
}
