package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// demoOf runs the demo on a folder and gives its document and what stands in
// the simulator afterwards.
func demoOf(t *testing.T, want int, dir, title, body, config string) (bot.Summary, simulator.Snapshot) {
	t.Helper()
	c, keep := demoCall(t, dir, title, body, operator(t, config))
	if c.code != want {
		t.Fatalf("exit status %d, want %d\n%s\n%s", c.code, want, c.out, c.errors)
	}
	return c.summary(t), kept(t, keep, repoName(filepath.Base(dir)))
}

// demoAny is demoOf for any end.
func demoAny(t *testing.T, dir, title, body, config string) (bot.Summary, simulator.Snapshot) {
	t.Helper()
	c, keep := demoCall(t, dir, title, body, config)
	return c.summary(t), kept(t, keep, repoName(filepath.Base(dir)))
}

func demoCall(t *testing.T, dir, title, body, config string) (c called, keep string) {
	t.Helper()
	keep = t.TempDir()
	return call(t, "demo", "--repo", dir, "--issue", write(t, "issue.md", title+"\n"+body+"\n"), "--keep", keep, "--config", config, "--json", "--quiet"), keep
}

// kept reads the simulator's data after the demo.
func kept(t *testing.T, keep, name string) simulator.Snapshot {
	t.Helper()
	sim, err := simulator.New(simulator.Config{Root: filepath.Join(keep, "github")})
	if err != nil {
		t.Fatal(err)
	}
	snap := sim.Snapshot(demoOwner, name)
	if err := sim.Close(); err != nil {
		t.Fatal(err)
	}
	if len(snap.Issues) != 1 {
		t.Fatalf("the simulator kept %d issues of %s", len(snap.Issues), name)
	}
	return snap
}

func TestL1Tier2MendsWhatTier1CouldNotAndThePullRequestSaysSo(t *testing.T) {
	endToEnd(t) // TestL1Tier2MendsWhatTier1CouldNotAndCostsAddUp, of bot/loop
	right, wrong := rightWeave(t), wrongWeave(t)
	double, tiers := models(t, func(c scripted.Call, n int) scripted.Answer {
		if c.Model == "model-tier1" {
			return scripted.Answer{Text: wrong(n), TokensIn: 1000, TokensOut: 100}
		}
		return scripted.Answer{Text: right, TokensIn: 2000, TokensOut: 200}
	}, task.Tier1, task.Tier2)
	sum, snap := demoOf(t, 0, lay(t, weaveFiles()), weaveTitle, weaveBody, tiers)
	if sum.Outcome != task.Success || sum.Draft || sum.Tier != task.Tier2 || sum.Attempts != 4 {
		t.Errorf("%s, draft %v %v, at %s in %d attempts", sum.Outcome, sum.Draft, sum.DraftReasons, sum.Tier, sum.Attempts)
	}
	// tier1: $1 and $2 per million, two calls of 1000 and 100 tokens (a repeated
	// error escalates); tier2:
	// $2 and $4, one call of 2000 and 200, and the reviewer's of 100 and 10
	tier1, tier2 := task.Dollars(2*(1000*1+100*2)/1e6), task.Dollars((2000*2+200*4+100*2+10*4)/1e6)
	if len(double.Calls()) != 4 || sum.Cost != tier1+tier2 || sum.CostByTier[task.Tier1] != tier1 || sum.CostByTier[task.Tier2] != tier2 {
		t.Errorf("%d calls, cost %s by tier %v; want %s and %s", len(double.Calls()), sum.Cost, sum.CostByTier, tier1, tier2)
	}
	if len(snap.Pulls) != 1 || snap.Pulls[0].Draft {
		t.Fatalf("pull requests: %+v", snap.Pulls)
	}
	body := snap.Pulls[0].Body
	for _, part := range []string{"mended at **tier2**", "tier1 (model-tier1): 2 attempts, " + tier1.String(), "tier2 (model-tier2): 1 attempt, " + tier2.String(), "cost " + (tier1 + tier2).String(), "taking turns", "Fixes #1"} {
		if !strings.Contains(body, part) {
			t.Errorf("the pull request does not say %q:\n%s", part, body)
		}
	}
	last := double.Calls()[2]
	if last.Model != "model-tier2" || !strings.Contains(last.User, "first + list(second)") {
		t.Errorf("tier 2 was not shown what had failed:\n%s", last.User)
	}
}

func TestS5AnswersThatNeverWorkEndAsWIPAndReport(t *testing.T) {
	endToEnd(t)
	wrong := wrongWeave(t)
	_, tiers := models(t, func(c scripted.Call, n int) scripted.Answer {
		return scripted.Answer{Text: wrong(n + 10*int(c.Model[len(c.Model)-1]))}
	}, task.Tier1, task.Tier2)
	sum, snap := demoOf(t, 3, lay(t, weaveFiles()), weaveTitle, weaveBody, tiers+"budget: {attempts_per_tier: 2}\n")
	if sum.Outcome != task.FailedAllTiers || sum.PullRequest != nil || len(snap.Pulls) != 0 {
		t.Errorf("%s with pull request %v", sum.Outcome, sum.PullRequest)
	}
	issue := snap.Issues[0]
	if !slices.Contains(issue.Labels, labelHuman) || slices.Contains(issue.Labels, "agent:working") || slices.Contains(issue.Labels, "agent:pr-ready") {
		t.Errorf("labels: %v", issue.Labels)
	}
	if len(snap.Branches) != 2 {
		t.Errorf("branches: %v, want main and the WIP", snap.Branches)
	}
	all := strings.Join(sum.Comments, "\n")
	for _, part := range []string{"fettle stopped", "What was tried, and why it failed", "mechanical: 1 attempt", "tier1 (model-tier1): 2 attempts", "tier2 (model-tier2): 2 attempts", "WIP commit", "Look at this first", "test_takes_turns"} {
		if !strings.Contains(all, part) {
			t.Errorf("the report does not say %q:\n%s", part, all)
		}
	}
	if len(sum.Comments) != 2 {
		t.Errorf("%d comments, want the status and the report", len(sum.Comments))
	}
}

const labelHuman = "agent:needs-human"

func TestL5TheBudgetIsCheckedBeforeTheCall(t *testing.T) {
	heavy(t)
	double, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "never"} }, task.Tier1)
	c := call(t, "fix", "--repo", lay(t, weaveFiles()), "--issue", write(t, "issue.md", weaveTitle+"\n"+weaveBody), "--config", operator(t, tiers), "--max-cost", "0.0001", "--max-candidates", "5", "--json", "--quiet")
	sum := c.summary(t)
	if c.code != 3 || sum.Outcome != task.BudgetExhausted || sum.Cost != 0 || len(double.Calls()) != 0 {
		t.Errorf("exit status %d, %s (%s), %s, %d calls", c.code, sum.Outcome, sum.Reason, sum.Cost, len(double.Calls()))
	}
	if sum.NextAction == "" {
		t.Error("no next action")
	}
}

func TestF09AModelThatIsDownEscalatesAndEndsHonestly(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	_, tiers := models(t, func(c scripted.Call, n int) scripted.Answer {
		if c.Model == "model-tier1" {
			return scripted.Answer{Status: 401, Body: `{"error":{"message":"no such key"}}`}
		}
		return scripted.Answer{Text: right}
	}, task.Tier1, task.Tier2)
	c := call(t, "fix", "--repo", lay(t, weaveFiles()), "--issue", write(t, "issue.md", weaveTitle+"\n"+weaveBody), "--config", operator(t, tiers), "--json", "--quiet")
	sum := c.summary(t)
	if c.code != 0 || sum.Tier != task.Tier2 || sum.CostByTier[task.Tier1] != 0 {
		t.Errorf("exit status %d, %s at %q, %v\n%s", c.code, sum.Outcome, sum.Tier, sum.CostByTier, c.errors)
	}
}
