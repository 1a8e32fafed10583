package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestL5ALocalRunOverTheServersCapSaysWhyAndWhatToDo(t *testing.T) {
	endToEnd(t)
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: rightWeave(t), TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	state := t.TempDir()
	spent(t, filepath.Join(state, "fettle.db"), task.Dollars(0.0099))
	conf := write(t, "config.yml", "state_dir: "+state+"\n"+tiers+"budget: {server_month_usd: 0.01}\n")
	dir, issue := lay(t, weaveFiles()), write(t, "issue.md", weaveTitle+"\n"+weaveBody+"\n")
	got := call(t, "fix", "--config", conf, "--repo", dir, "--issue", issue, "--max-candidates", "5")
	id := regexp.MustCompile(`run ([0-9a-f]{16}) was put aside until`).FindStringSubmatch(got.errors)
	if got.code != task.BudgetExhausted.ExitCode() || id == nil || !strings.Contains(got.errors, "has a cap of $0.01") || !strings.Contains(got.errors, "fettle runs resume "+id[1]) {
		t.Fatalf("%+v", got)
	}
	again := call(t, "runs", "resume", "--config", conf, id[1])
	if again.code != got.code || !strings.Contains(again.errors, "has a cap of $0.01") {
		t.Errorf("%+v", again)
	}
	doc := call(t, "fix", "--config", conf, "--repo", dir, "--issue", issue, "--max-candidates", "5", "--json", "--quiet").summary(t)
	if !strings.Contains(doc.Reason, "has a cap of $0.01") || doc.NextAction == "" || doc.RunID == "" {
		t.Errorf("%+v", doc)
	}
}

// spent makes a run that spent money.
func spent(t *testing.T, db string, usd task.USD) {
	t.Helper()
	s, err := store.Open(t.Context(), db, store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err = s.CreateRun(t.Context(), store.NewRun{ID: "before", Budget: task.DefaultBudget(), Task: task.Task{Title: "x", Origin: task.OriginCLI, Repo: task.Repo{Dir: "/w"}}}); err != nil {
		t.Fatal(err)
	}
	lease, _, err := s.ClaimRun(t.Context(), "before")
	if err == nil {
		_, err = s.Reserve(t.Context(), lease, task.Reservation{ID: "1", Run: "before", Tier: task.Tier1, Worst: usd})
	}
	if err == nil {
		err = s.Finish(t.Context(), lease, task.Result{RunID: "before", Outcome: task.FailedAllTiers}, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestL8EffectsAreALogWithoutSecrets(t *testing.T) {
	heavy(t)
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: rightWeave(t), TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	conf := operator(t, tiers)
	got := call(t, "fix", "--config", conf, "--repo", lay(t, weaveFiles()), "--issue", write(t, "issue.md", weaveTitle+"\n"+weaveBody+" ghp_"+strings.Repeat("aB3dE6gH9", 4)+"\n"), "--json", "--quiet")
	log := call(t, "runs", "log", "--config", conf, "--effects", got.summary(t).RunID)
	if log.code != 0 || strings.Contains(log.out, "ghp_") || !strings.Contains(log.out, redact.Mark) {
		t.Fatalf("%.2000s", log.out)
	}
	kinds := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(log.out), "\n") {
		var e task.Effect
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Seq != i+1 {
			t.Fatalf("line %d is effect %d: %v", i+1, e.Seq, err)
		}
		kinds[e.Kind] = true
	}
	if !kinds["begin"] || !kinds["reply"] {
		t.Errorf("kinds %v", kinds)
	}
	if got := call(t, "runs", "log", "--config", conf, "--effects", "--messages", "x"); got.code != exitUsage {
		t.Errorf("two logs at once: %+v", got)
	}
}

func TestA4TheOperatorsPromptsAreRead(t *testing.T) {
	heavy(t)
	prompts := lay(t, map[string]string{"nonsense.md": "x"})
	conf := operator(t, "prompts: "+prompts+"\n")
	got := call(t, "fix", "--config", conf, "--repo", lay(t, quickFiles()), "--issue", write(t, "issue.md", quickTitle+"\n"))
	if got.code == 0 || !strings.Contains(got.errors, "nonsense.md") {
		t.Fatalf("%+v", got)
	}
	if err := os.Remove(filepath.Join(prompts, "nonsense.md")); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "fix", "--config", conf, "--repo", lay(t, quickFiles()), "--issue", write(t, "issue.md", quickTitle+"\n")); strings.Contains(got.errors+got.out, "prompt") {
		t.Errorf("%+v", got)
	}
}
