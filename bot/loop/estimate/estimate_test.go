package estimate

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/task"
)

var (
	tiers = []task.Tier{task.Tier1, task.Tier2, task.Tier3}
	bug   = Case{Class: "bug", Language: "python"}
	hard  = Case{Class: "refactor", Language: "python"}
)

const cent = task.Dollar / 100

// seen adds n observations, of which some were solved.
func seen(h *History, c Case, before []Try, tier task.Tier, n, solved int, cost task.USD) {
	for i := range n {
		h.Add(Observation{Case: c, Before: before, Tier: tier, Solved: i < solved, Cost: cost})
	}
}

func ask(h *History, c Case, tried ...Try) Choice {
	return h.Next(Query{Case: c, Tiers: tiers, Tried: tried, Left: task.Dollar * 100, Draw: 0.99})
}

func TestL9WithoutHistoryTheCheapestTierComesFirst(t *testing.T) {
	t.Parallel()
	c := ask(New(Config{}), bug)
	if c.Tier != task.Tier1 || !strings.Contains(c.Why, "0 of 0 seen") || c.Solve <= 0.5 || c.Cost <= 0 {
		t.Errorf("%+v", c)
	}
}

func TestL9ATierThatNeverHelpedIsPassedOverWithItsReason(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	seen(h, bug, nil, task.Tier1, 60, 50, 3*cent)
	seen(h, hard, nil, task.Tier1, 60, 0, 3*cent)
	seen(h, hard, []Try{{task.Tier1, 3 * cent}}, task.Tier2, 60, 55, 20*cent)
	if c := ask(h, bug); c.Tier != task.Tier1 {
		t.Errorf("bug: %+v", c)
	}
	c := ask(h, hard)
	if c.Tier != task.Tier2 || !strings.Contains(c.Why, "tier1 is passed over") || !strings.Contains(c.Why, "refactor") {
		t.Errorf("refactor: %+v", c)
	}
}

func TestL9GivingUpNeedsLeaveAndEvidence(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	tried := []Try{{task.Tier1, 3 * cent}, {task.Tier2, 20 * cent}}
	query := Query{Case: bug, Tiers: tiers, Tried: tried, Left: 100 * task.Dollar, MayStop: true, Draw: 0.99}
	if c := h.Next(query); c.Tier != task.Tier3 {
		t.Errorf("gave up without evidence: %+v", c)
	}
	seen(h, bug, tried, task.Tier3, 200, 2, 50*cent)
	if c := h.Next(query); c.Tier != "" || !strings.Contains(c.Why, "would solve") {
		t.Errorf("went on for nothing: %+v", c)
	}
	if c := ask(h, bug, tried...); c.Tier != task.Tier3 {
		t.Errorf("gave up without leave: %+v", c)
	}
}

func TestL9AFailureThatWasDearSpeaksAgainstGoingOn(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	usual, dear := []Try{{task.Tier1, 3 * cent}}, []Try{{task.Tier1, 20 * cent}}
	seen(h, bug, nil, task.Tier1, 50, 20, 3*cent)
	seen(h, bug, usual, task.Tier2, 40, 30, 20*cent)
	seen(h, bug, dear, task.Tier2, 40, 2, 20*cent)
	easy := h.guess(tiers, bug, usual, task.Tier2).solve
	if tough := h.guess(tiers, bug, dear, task.Tier2).solve; tough > easy/2 {
		t.Errorf("after a dear failure %.2f, after a usual one %.2f", tough, easy)
	}
}

// Whatever was seen and whatever is asked: never a tier that the budget does
// not hold, never one at or below the last, never without a reason.
func TestL9TheChoiceKeepsToBudgetAndLadder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := New(Config{Explore: rapid.Float64Range(0.01, 1).Draw(t, "explore"), Worth: task.USD(rapid.Int64Range(1, int64(10*task.Dollar)).Draw(t, "worth"))})
		drawCase := rapid.Custom(func(t *rapid.T) Case {
			return Case{Class: rapid.SampledFrom([]string{"", "bug", "feature"}).Draw(t, "class"), Language: rapid.SampledFrom([]string{"", "go"}).Draw(t, "language")}
		})
		cost := rapid.Custom(func(t *rapid.T) task.USD { return task.USD(rapid.Int64Range(0, int64(task.Dollar)).Draw(t, "cost")) })
		before := func(tier task.Tier) (out []Try) {
			for _, x := range tiers[:tier.Rank()-1] {
				if rapid.Bool().Draw(t, "tried") {
					out = append(out, Try{x, cost.Draw(t, "cost")})
				}
			}
			return out
		}
		for range rapid.IntRange(0, 60).Draw(t, "observations") {
			tier := rapid.SampledFrom(tiers).Draw(t, "tier")
			h.Add(Observation{Case: drawCase.Draw(t, "case"), Before: before(tier), Tier: tier, Solved: rapid.Bool().Draw(t, "solved"), Cost: cost.Draw(t, "cost")})
		}
		q := Query{Case: drawCase.Draw(t, "asked"), Tiers: tiers, Left: cost.Draw(t, "left"), Worst: map[task.Tier]task.USD{},
			MayStop: rapid.Bool().Draw(t, "may stop"), Draw: rapid.Float64Range(0, 0.999).Draw(t, "draw"), Tried: before(task.Tier3)}
		for _, tier := range tiers {
			q.Worst[tier] = cost.Draw(t, "worst")
		}
		c := h.Next(q)
		again := h.Next(q)
		switch {
		case c != again:
			t.Fatalf("asked twice: %+v, %+v", c, again)
		case c.Why == "" || math.IsNaN(c.Solve) || c.Solve < 0 || c.Solve > 1 || c.Cost < 0:
			t.Fatalf("%+v", c)
		case c.Tier != "" && q.Worst[c.Tier] > q.Left:
			t.Fatalf("%s may cost %s of %s: %+v", c.Tier, q.Worst[c.Tier], q.Left, c)
		case c.Tier != "" && len(q.Tried) > 0 && c.Tier.Rank() <= q.Tried[len(q.Tried)-1].Tier.Rank():
			t.Fatalf("%+v after %+v", c, q.Tried)
		}
		if c.Tier == "" && !q.MayStop {
			for _, tier := range tiers {
				if (len(q.Tried) == 0 || tier.Rank() > q.Tried[len(q.Tried)-1].Tier.Rank()) && q.Worst[tier] <= q.Left {
					t.Fatalf("gave up without leave while %s was affordable: %+v", tier, c)
				}
			}
		}
	})
}

func TestL9ACaseIsReadFromTextAndFailures(t *testing.T) {
	t.Parallel()
	for title, class := range map[string]string{
		"Crash when the list is empty": "bug", "feat: export as CSV": "feature", "Please add support for TLS": "feature",
		"Refactor the parser": "refactor", "Add tests for the cache": "test", "Typo in README": "docs",
	} {
		c := CaseOf(task.Task{Title: title, Body: strings.Repeat("x", 600)}, []task.Failure{{Kind: task.FailAssertion, File: "a/b_test.go"}})
		if c != (Case{Class: class, Language: "go", Size: "medium", Failure: "assertion"}) {
			t.Errorf("%s: %+v", title, c)
		}
	}
	if c := CaseOf(task.Task{}, nil, "x.TSX"); c.Language != "typescript" || c.String() != "typescript bug, short" {
		t.Errorf("%+v", c)
	}
}

func TestL9AFinishedRunSaysWhatItsTiersDid(t *testing.T) {
	t.Parallel()
	attempts := []task.Attempt{{Tier: task.TierMechanical}, {Tier: task.Tier1, Cost: cent, Elapsed: time.Second}, {Tier: task.Tier1, Cost: 2 * cent, Elapsed: time.Second}, {Tier: task.Tier2, Cost: 9 * cent}}
	for outcome, want := range map[task.Outcome]string{
		task.Success:         "mechanical false [] $0.00 0s; tier1 false [mechanical] $0.03 2s; tier2 true [mechanical tier1] $0.09 0s; ",
		task.FailedAllTiers:  "mechanical false [] $0.00 0s; tier1 false [mechanical] $0.03 2s; tier2 false [mechanical tier1] $0.09 0s; ",
		task.BudgetExhausted: "mechanical false [] $0.00 0s; tier1 false [mechanical] $0.03 2s; ",
	} {
		got := ""
		for _, o := range Observations(bug, task.Result{Outcome: outcome, Attempts: attempts}) {
			var before []task.Tier
			for _, b := range o.Before {
				before = append(before, b.Tier)
			}
			got += fmt.Sprintf("%s %v %v %s %s; ", o.Tier, o.Solved, before, o.Cost, o.Took)
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", outcome, got, want)
		}
	}
}

// Whatever was seen, however often, a count leaves a probability and a cost
// that can be reckoned with; and with nothing more general than the prior it
// is the mean of a Beta posterior.
func TestL9CountsCorrectAndNeverBreak(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prior := rapid.Float64Range(0, 1).Draw(t, "prior")
		h := New(Config{Priors: map[task.Tier]Prior{task.Tier1: {prior, cent}}})
		n := rapid.IntRange(0, 2000).Draw(t, "tries")
		solved := rapid.IntRange(0, n).Draw(t, "solved")
		seen(h, Case{}, nil, task.Tier1, n, solved, task.USD(rapid.Int64Range(0, int64(task.Dollar)).Draw(t, "cost")))
		g := h.guess(tiers, bug, nil, task.Tier1)
		if math.IsNaN(g.solve) || g.solve <= 0 || g.solve >= 1 || math.IsNaN(g.cost) || g.cost < 0 {
			t.Fatalf("%+v", g)
		}
		want := (float64(solved) + weight*likely(prior)) / float64(n+weight)
		if math.Abs(g.solve-likely(want)) > 1e-9 {
			t.Fatalf("%d of %d with the prior %g: %g, want %g", solved, n, prior, g.solve, want)
		}
	})
}

func TestL9APropertyCountsBesideWhatWasExpectedOfItsTasks(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	for range 30 { // in turns, as tasks come
		seen(h, bug, nil, task.Tier1, 2, 2, 3*cent)
		seen(h, hard, nil, task.Tier1, 1, 0, 3*cent)
	}
	unseen := Case{Class: "refactor", Language: "go"} // the class is known, the language is not
	easy, tough := h.guess(tiers, Case{Class: "bug", Language: "go"}, nil, task.Tier1).solve, h.guess(tiers, unseen, nil, task.Tier1).solve
	if easy < 0.75 || tough > 0.25 {
		t.Errorf("a bug in another language %.2f, a refactoring %.2f", easy, tough)
	}
}

func TestL9TheMechanicalSearchIsNoPartOfThePlace(t *testing.T) {
	t.Parallel()
	h := New(Config{})
	seen(h, bug, []Try{{task.TierMechanical, 0}}, task.Tier1, 40, 36, 3*cent)
	if with, without := ask(h, bug, Try{task.TierMechanical, 0}), ask(h, bug); with.Solve != without.Solve || with.Solve < 0.8 {
		t.Errorf("after the mechanical search %+v, without it %+v", with, without)
	}
}

// Looking at what does not seem best is rare, becomes rarer with what was seen
// of it, and rarer the more it is expected to lose.
func TestL9ExploringDecreasesAndCostsLittle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := New(Config{})
		draw := rapid.Float64Range(0, 5e9)
		best := option{tier: task.Tier1, value: 5e9, cost: draw.Draw(t, "cost")}
		rare := option{tier: task.Tier2, value: draw.Draw(t, "value"), guess: guess{states: rapid.IntRange(0, 1000).Draw(t, "seen")}}
		share := h.share(rare, best)
		if lost := share * (best.value - rare.value); share > defaultExplore || lost > defaultExplore*cheap*best.cost+1e-6 {
			t.Fatalf("a share of %g loses %g of %g", share, lost, best.cost)
		}
		more := rare
		more.guess.states++
		if h.share(more, best) > share {
			t.Fatal("seen more and explored more")
		}
	})
}
