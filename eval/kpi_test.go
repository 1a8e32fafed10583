package eval

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// byHand are ten results whose figures were worked out on paper.
func byHand() []Result {
	usd, one := task.Dollars, []string{"a.py"}
	mechanical, both := []task.Tier{task.TierMechanical}, []task.Tier{task.TierMechanical, task.Tier1}
	return []Result{
		{Kind: Edit, Case: "1", Verdict: Right, Changed: one, Tier: task.TierMechanical, Template: "boundary", Asked: mechanical, Attempts: 1, Seconds: 2},
		{Kind: Edit, Case: "2", Verdict: Right, Changed: one, Tier: task.Tier1, Asked: both, Attempts: 2, Seconds: 10, Cost: usd(.03), CostByTier: map[task.Tier]task.USD{task.Tier1: usd(.03)}, Calls: 2, TokensIn: 3000, TokensOut: 300, Edits: 1, First: 1, Sent: 200, Whole: 1000},
		{Kind: Edit, Case: "3", Verdict: WrongReady, Changed: []string{"README.md", "a.py"}, Outside: []string{"README.md"}, Tests: true, Tier: task.Tier2, Asked: append(both, task.Tier2), Attempts: 4, Seconds: 30, Cost: usd(.12), CostByTier: map[task.Tier]task.USD{task.Tier1: usd(.02), task.Tier2: usd(.1)}, Calls: 5, Edits: 3, First: 2, Unread: map[string]int{"developer/1 schema_invalid": 1}, Sent: 600, Whole: 3000},
		{Kind: Edit, Case: "4", Verdict: WrongDraft, Draft: true, Changed: one, Asked: both, Attempts: 3, Seconds: 40, Cost: usd(.05), CostByTier: map[task.Tier]task.USD{task.Tier1: usd(.05)}, Calls: 1, TesterRuns: 2, TesterCost: usd(.0004)},
		{Kind: Edit, Case: "5", Verdict: Right, Draft: true, Changed: one, Tier: task.Tier1, Asked: both, Attempts: 2, Seconds: 5, Cost: usd(.04), CostByTier: map[task.Tier]task.USD{task.Tier1: usd(.04)}},
		{Kind: Edit, Case: "6", Verdict: NoChange, Asked: mechanical, Attempts: 1, Seconds: 50},
		{Kind: Refuse, Case: "7", Verdict: Right, Seconds: 1},
		{Kind: Refuse, Case: "8", Verdict: NotRefused, Changed: one, Seconds: 3, Cost: usd(.02), CostByTier: map[task.Tier]task.USD{task.Tier1: usd(.02)}},
		{Kind: Ask, Case: "9", Verdict: Right, Named: 2, Places: 2, Seconds: 4, Cost: usd(.01), Calls: 1, TokensIn: 1000, TokensOut: 100, Waited: 3, AnsweredBy: []string{"b"}},
		{Kind: Ask, Case: "10", Verdict: WrongAnswer, Named: 1, Places: 2, Seconds: 5, Cost: usd(.01), CostByTier: map[task.Tier]task.USD{task.Tier3: usd(.01)}, Calls: 1, TokensIn: 2000, Waited: 4, AnsweredBy: []string{"a", "b"}},
	}
}

func TestK2FiguresAreThoseWorkedOutByHand(t *testing.T) {
	t.Parallel()
	usd27 := task.Dollars(.27)
	f := Score(Plan{}, byHand()).All
	for name, is := range map[string][2]any{
		"ready and right":       {of(f.ReadyOK), [2]int{2, 3}}, // 1 and 2, not 3
		"right and ready":       {of(f.SolvedOK), [2]int{2, 3}},
		"success":               {of(f.Success), [2]int{5, 10}},
		"valid patch":           {of(f.Valid), [2]int{3, 6}},
		"with tests":            {of(f.Tested), [2]int{1, 5}},
		"rollback":              {of(f.Rollback), [2]int{3, 6}}, // 3, 4 and 8
		"generic":               {of(f.Generic), [2]int{1, 3}},
		"places":                {of(f.Places), [2]int{3, 4}},
		"edits at once":         {of(f.FirstTime), [2]int{3, 4}},
		"patch signal":          {of(f.Signal), [2]int{4, 10}}, // 3 of 4 edits, and 1 of 6 tried mechanically
		"unread":                {of(f.Unread), [2]int{1, 10}},
		"tier 1 needed":         {of(f.Escalated[task.Tier1]), [2]int{4, 10}},
		"tier 2 needed":         {of(f.Escalated[task.Tier2]), [2]int{1, 10}},
		"solved":                {f.Solved, map[task.Tier]int{task.TierMechanical: 1, task.Tier1: 2}},
		"attempts":              {f.Attempts, 13},
		"iterations":            {f.Iteration, (1 + .5 + .5) / 3},
		"seconds":               {f.Seconds, Spread{Mean: 15, Median: 5, P90: 40, Max: 50}},
		"cost":                  {f.Cost, task.Dollars(.28)},
		"cost of a case":        {f.PerCase, task.Dollars(.028)},
		"cost of a success":     {f.PerSuccess, task.Dollars(.056)},
		"cost of a tester's":    {f.PerTester, task.Dollars(.0002)},
		"calls and tokens":      {[3]int{f.Calls, f.TokensIn, f.TokensOut}, [3]int{10, 6000, 400}},
		"tokens in of a case":   {f.CaseIn, Spread{Mean: 1200, Median: 1000, P90: 3000, Max: 3000}}, // of the five with calls
		"waited":                {f.Waited, Spread{Mean: 3.5, Median: 3.5, P90: 4, Max: 4}},
		"answered by":           {f.AnsweredBy, []string{"a", "b"}},
		"ladder: only paid":     {f.Ladder[3], Rung{Tier: task.Tier3, Solved: f.Ladder[2].Solved, Cost: usd27}},
		"saved by edits":        {f.Saving, .8},
		"ladder: all, tier 1":   {of(f.Ladder[1].Solved), [2]int{3, 10}},
		"ladder: cost, tier 1":  {f.Ladder[1].Cost, task.Dollars(.16)},
		"ladder: cost, tier 2":  {f.Ladder[2].Cost, task.Dollars(.26)},
		"verdict: wrong, ready": {f.Ends[WrongReady], 1},
	} {
		if got, ok := is[0].(float64); ok && math.Abs(got-is[1].(float64)) < 1e-12 {
			continue
		}
		if s, ok := is[0].(Spread); ok {
			s.Mean = math.Round(s.Mean*1e9) / 1e9
			is[0] = s
		}
		if !reflect.DeepEqual(is[0], is[1]) {
			t.Errorf("%s: %v, want %v", name, is[0], is[1])
		}
	}
	if low, high := f.Success.Low, f.Success.High; math.Abs(low-.2366) > 1e-4 || math.Abs(high-.7634) > 1e-4 { // from a printed table
		t.Errorf("5 of 10: %.4f to %.4f", low, high)
	}
}

func of(r Rate) [2]int { return [2]int{r.N, r.Of} }

// An interrupted run leaves whole lines and perhaps the beginning of one.
func TestK4ALineThatWasCutIsRunAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, resultsFile)
	if err := os.WriteFile(name, []byte("{\"case\":\"a\"}\n{\"case\":\"b\"}\n{\"cas"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := ReadResults(dir)
		if err != nil || len(got) != 2 || got[1].Case != "b" {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if left, _ := os.ReadFile(name); string(left) != "{\"case\":\"a\"}\n{\"case\":\"b\"}\n" {
		t.Errorf("left: %q", left)
	}
}

func TestK4ARunOfSomethingElseIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	cfg := Config{Out: t.TempDir(), Plan: Plan{Version: planVersion, Suite: "s", Repeat: 1}}
	if _, err := begin(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(cfg); err != nil {
		t.Errorf("the same plan: %v", err)
	}
	cfg.Plan.Seed = 1
	if _, err := begin(cfg); err == nil {
		t.Error("a run with another seed went on")
	}
	unlock, err := lock(cfg.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := lock(cfg.Out); err == nil {
		t.Error("two runs work in one folder")
	}
}
