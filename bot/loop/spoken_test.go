package loop_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// TestM2WithoutAFailingTestTheIssuesNamesTellThePlace: the function that the issue
// names is shown first, before others whose names have more of its words, with the
// reason on record; a file that no model may see is not among them.
func TestM2WithoutAFailingTestTheIssuesNamesTellThePlace(t *testing.T) {
	t.Parallel()
	other := "def give_each_turn_should(turn):\n    return turn\n\n\ndef one_of_each(turn):\n    return [turn]\n"
	var first string
	b := newBench(t, map[string]string{"weave.py": broken, "turns/each_turn.py": other, "secret/interleave.py": other, "weave.pyi": "def interleave(a, b): ...\n"}, func(c scripted.Call, n int) scripted.Answer {
		if n == 0 {
			first = c.User
		}
		return scripted.Answer{Text: "no"}
	}, task.Tier1)
	at := filepath.Join(t.TempDir(), "index.db")
	b.cfg.Memory = func(ctx context.Context, _ task.Repo) (*memory.Index, error) { return memory.Open(ctx, at) }
	b.task.Title = "`interleave` does not take turns"
	_, err := loop.New(b.cfg).Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Budget: task.Budget{Attempts: 1, AttemptsPerTier: 1}, NeverSend: []string{"secret/**"}, Tree: b.tree, State: b.journal.State, Journal: b.journal})
	if err != nil {
		t.Fatal(err)
	}
	var got []mend.Suspect
	if err := json.Unmarshal(b.journal.State.Suspects, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 || got[0].Path != "weave.py" || !slices.ContainsFunc(got[0].Reasons, func(s string) bool { return strings.Contains(s, "names interleave") }) {
		t.Errorf("%+v", got)
	}
	if slices.ContainsFunc(got, func(s mend.Suspect) bool { return strings.HasPrefix(s.Path, "secret/") }) {
		t.Errorf("a withheld file is a place: %+v", got)
	}
	mine, others := strings.Index(first, "def interleave("), strings.Index(first, "def give_each_turn_should(")
	if mine < 0 || others >= 0 && others < mine {
		t.Errorf("the prompt shows:\n%s", first)
	}
	if info, err := os.Stat(at); err != nil || info.Size() == 0 {
		t.Errorf("the repository's index was not kept: %v", err)
	}
}
