package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// TestJudgedBySecondOpinionsOnlyLower: whatever a model says, a judgement gets no better.
func TestJudgedBySecondOpinionsOnlyLower(t *testing.T) {
	t.Parallel()
	repo := lay(t, map[string]string{"README.md": "one\n", "secret/plan.md": "Copyright © hush\n\nhush, the whole of the plan\n", ".fettle.yml": "never_send: [\"secret/**\"]\n"})
	inGit(t, repo, "init", "-q", "-b", "main", ".")
	inGit(t, repo, "add", ".")
	inGit(t, repo, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "one")
	for name, text := range map[string]string{"README.md": "two\nhush, the whole of the plan\n", "secret/plan.md": "Copyright © hush and others\n"} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	issue := write(t, "issue.md", "The text is old\n\nIt says: hush, the whole of the plan\n")
	for verdict, want := range map[string]struct {
		code int
		says []string
	}{
		`{"verdict": "ACCEPT", "reason": "it is fine"}`:               {0, []string{"plausible:", "a second opinion (model-tier1, $0.0012) has nothing against it"}},
		`{"verdict": "RETRY", "reason": "the word is\nmisspelt"}`:     {0, []string{"plausible:", "wants more: the word is misspelt"}},
		`{"verdict": "FAIL", "reason": "the issue asks for three"}`:   {1, []string{"unproven:", "is against it: the issue asks for three"}},
		`I would rather tell you about the weather, which is lovely.`: {0, []string{"plausible:", "there is no second opinion: "}},
	} {
		t.Run(verdict, func(t *testing.T) {
			t.Parallel()
			srv, tiers := allModels(t, func(scripted.Call, int) scripted.Answer {
				return scripted.Answer{Text: verdict, TokensIn: 1000, TokensOut: 100}
			}, task.Tier1)
			c := call(t, "judge", "--repo", repo, "--config", operator(t, tiers), "--opinion", "tier1", "--quiet", "--issue", issue)
			for _, words := range want.says {
				if !strings.Contains(c.out, words) {
					t.Errorf("%q is missing", words)
				}
			}
			if c.code != want.code {
				t.Errorf("status %d", c.code)
			}
			for _, asked := range srv.Calls() {
				if !strings.Contains(asked.User, "+two") || strings.Contains(asked.User, "hush") {
					t.Errorf("X6: it is shown\n%s", asked.User)
				}
			}
			if t.Failed() {
				t.Logf("%d calls\n%s%s", len(srv.Calls()), c.out, c.errors)
			}
		})
	}
	t.Run("what might cost too much is not asked", func(t *testing.T) {
		t.Parallel()
		srv, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "x"} }, task.Tier1)
		c := call(t, "judge", "--repo", repo, "--config", operator(t, tiers), "--opinion", "tier1", "--max-cost", "0.0001", "--quiet")
		if c.code != 0 || len(srv.Calls()) != 0 || !strings.Contains(c.out, "--max-cost is $0.0001") {
			t.Errorf("status %d, %d calls\n%s%s", c.code, len(srv.Calls()), c.out, c.errors)
		}
	})
	t.Run("a tier that is not there is told", func(t *testing.T) {
		t.Parallel()
		_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "x"} }, task.Tier1)
		for tier, words := range map[string]string{"tier2": "no model is configured for tier2", "best": `got "best"`} {
			if c := call(t, "judge", "--repo", repo, "--config", operator(t, tiers), "--opinion", tier, "--quiet"); c.code != 2 || !strings.Contains(c.errors, words) {
				t.Errorf("%s: status %d\n%s%s", tier, c.code, c.out, c.errors)
			}
		}
	})
}
