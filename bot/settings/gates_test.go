package settings

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestL5L6TheOperatorSetsGatesCapsAndPlans(t *testing.T) {
	t.Parallel()
	s, err := Parse("/etc/fettle/config.yml", []byte("gates: {plan: true, critical: true, outsider: approve}\nprompts: prompts\n"+
		"budget: {replans: 0, steps: 4, issue_usd: 2, installation_day_usd: 7.5, server_month_usd: 100}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (task.Gates{Plan: true, Critical: true, RiskOver: AskedRisk, Outsider: task.OutsiderApprove}); s.Gates != want {
		t.Errorf("gates %+v, want %+v", s.Gates, want)
	}
	if want := (task.Caps{Issue: 2 * task.Dollar, InstallationDay: task.Dollars(7.5), ServerMonth: 100 * task.Dollar}); s.Caps != want {
		t.Errorf("caps %+v, want %+v", s.Caps, want)
	}
	if s.Budget.Replans != -1 || s.Budget.Steps != 4 || s.Budget.USD != task.Dollar || s.Prompts != "/etc/fettle/prompts" {
		t.Errorf("budget %+v, prompts %q", s.Budget, s.Prompts)
	}
	if s, err = Parse("c.yml", nil); err != nil || s.Caps != task.DefaultCaps() || s.Gates != (task.Gates{Outsider: task.OutsiderSkipCI}) {
		t.Errorf("without a file: caps %+v, gates %+v, %v", s.Caps, s.Gates, err)
	}
}

func TestL6BadGatesAndCapsNameFileLineAndWay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"gates:\n  outsider: never\n":         "c.yml:2: gates.outsider: must be one of skip_ci, approve, off",
		"gates:\n  plans: true\n":             "c.yml:2: gates.plans: unknown key; allowed here: critical, outsider, plan",
		"gates: [plan]\n":                     "c.yml:1: gates: must be a mapping",
		"budget:\n  server_month_usd: 0\n":    "c.yml:2: budget.server_month_usd: must be a number from 0.01",
		"budget:\n  replans: -1\n":            "c.yml:2: budget.replans: must be a whole number from 0 to 20",
		"label: x\nbudget:\n  steps: many\n":  "c.yml:3: budget.steps",
		"label: x\nprompts:\n  planner: x\n":  "c.yml:2: prompts: must be text",
		"budget:\n  issue_dollars: 3\n":       "allowed here: attempts, attempts_per_tier, explore, installation_day_usd, issue_usd",
		"budget: {replans: 2, steps: 1000}\n": "c.yml:1: budget.steps",
	} {
		if _, err := Parse("c.yml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"budget:\n  server_month_usd: 1\n": ".fettle.yml:2: budget.server_month_usd: belongs to the operator's own file",
		"prompts: x\n":                     ".fettle.yml:1: prompts: belongs to the operator's own file",
		"gates:\n  outsider: 7\n":          ".fettle.yml:2: gates.outsider",
	} {
		if _, err := LoadRepo([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestC2ARepositoryAddsGatesAndTakesNoneAway(t *testing.T) {
	t.Parallel()
	repo, err := LoadRepo([]byte("gates: {plan: true, outsider: off}\nbudget: {replans: 9, steps: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, notes := NarrowGates(task.Gates{Critical: true, Outsider: task.OutsiderSkipCI}, repo)
	if g != (task.Gates{Plan: true, Critical: true, Outsider: task.OutsiderSkipCI}) || len(notes) != 1 || !strings.Contains(notes[0], "gates.outsider off") {
		t.Errorf("%+v, %q", g, notes)
	}
	b, notes := Narrow(task.DefaultBudget(), repo)
	if replans(b) != task.DefaultReplans || b.Steps != 3 || len(notes) != 1 || !strings.Contains(notes[0], "budget.replans 9") {
		t.Errorf("%+v, %q", b, notes)
	}
}

func TestC2NarrowedGatesAndPlansAreNeverWider(t *testing.T) {
	t.Parallel()
	way := rapid.SampledFrom([]task.OutsiderGate{"", task.OutsiderOff, task.OutsiderSkipCI, task.OutsiderApprove})
	drawn := func(t *rapid.T, name string) task.Gates {
		return task.Gates{Plan: rapid.Bool().Draw(t, name+" plan"), Critical: rapid.Bool().Draw(t, name+" critical"), RiskOver: rapid.IntRange(0, 3).Draw(t, name+" risk"), Outsider: way.Draw(t, name)}
	}
	rapid.Check(t, func(t *rapid.T) {
		have, ask := drawn(t, "have"), drawn(t, "ask")
		got := Stricter(have, ask)
		if have.Plan && !got.Plan || have.Critical && !got.Critical || have.RiskOver > 0 && (got.RiskOver == 0 || got.RiskOver > have.RiskOver) || strictness(got.Outsider) < strictness(have.Outsider) {
			t.Errorf("%+v asked for %+v gives %+v", have, ask, got)
		}
		allowed := task.Budget{Replans: rapid.IntRange(-1, 4).Draw(t, "replans"), Steps: rapid.IntRange(1, 4).Draw(t, "steps")}
		wish := task.Budget{Replans: rapid.IntRange(-1, 4).Draw(t, "wish"), Steps: rapid.IntRange(0, 4).Draw(t, "wished")}
		if b, _ := narrowBudget(allowed, &wish); replans(b) > replans(allowed) || b.Steps > allowed.Steps {
			t.Errorf("%+v asked for %+v gives %+v", allowed, wish, b)
		}
	})
}
