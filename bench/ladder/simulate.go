package ladder

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fettle-dev/fettle/bot/loop/estimate"
	"github.com/fettle-dev/fettle/bot/task"
)

// Settings of a comparison.
type Settings struct {
	FalseGreen float64         // share of wrong patches that the checks let pass
	FalseRed   float64         // share of right patches that the checks refuse
	Budget     task.USD        // of a task; 0: none
	Estimate   estimate.Config // of the policies that learn
	Seed       uint64
	Rounds     int // the tasks come in another order in each; 1 by default
}

// Policy is a way of choosing the next tier. A policy is made anew for each
// round; those that learn are told what the checks said, never the truth.
type Policy struct {
	Name  string
	Next  func(t Task, tried []estimate.Try, left task.USD, draw float64) task.Tier // "" ends the task
	Learn func(o estimate.Observation)                                              // nil: it does not
}

// Policies are the ways that are compared.
func Policies(tb *Table, s Settings) []func() Policy {
	strongest := tb.Tiers[len(tb.Tiers)-1]
	return []func() Policy{
		func() Policy {
			return Policy{Name: "always tier 1 → 3", Next: func(_ Task, tried []estimate.Try, _ task.USD, _ float64) task.Tier { return above(tb.Tiers, tried) }}
		},
		func() Policy {
			return Policy{Name: "always the strongest", Next: func(_ Task, tried []estimate.Try, _ task.USD, _ float64) task.Tier {
				if len(tried) > 0 {
					return ""
				}
				return strongest
			}}
		},
		func() Policy { return byHistory("first tier by history", tb, s, false, false) },
		func() Policy { return byHistory("each tier by history", tb, s, true, false) },
		func() Policy { return byHistory("… and may give up", tb, s, true, true) },
		func() Policy { return Policy{Name: "oracle", Next: oracle(tb.Tiers)} },
	}
}

// above is the tier after the last one tried.
func above(tiers []task.Tier, tried []estimate.Try) task.Tier {
	for _, t := range tiers {
		if len(tried) == 0 || t.Rank() > tried[len(tried)-1].Tier.Rank() {
			return t
		}
	}
	return ""
}

// callsInBudget is how many calls of the dearest kind a budget holds.
const callsInBudget = 20

// byHistory chooses the first tier, or each one, by what was seen.
func byHistory(name string, tb *Table, s Settings, each, mayStop bool) Policy {
	h := estimate.New(s.Estimate)
	return Policy{Name: name, Learn: h.Add, Next: func(t Task, tried []estimate.Try, left task.USD, draw float64) task.Tier {
		if len(tried) > 0 && !each {
			return above(tb.Tiers, tried)
		}
		// As in a run, one call is what has to fit the budget, not a whole attempt.
		worst := map[task.Tier]task.USD{}
		for _, tier := range tb.Tiers {
			worst[tier] = s.Budget / callsInBudget
		}
		return h.Next(estimate.Query{Case: t.Case, Tiers: tb.Tiers, Tried: tried, Left: left, Worst: worst, MayStop: mayStop && len(tried) > 0, Draw: draw}).Tier
	}}
}

// oracle knows the table: it asks only the cheapest tier that solves the task,
// and none when none does.
func oracle(tiers []task.Tier) func(Task, []estimate.Try, task.USD, float64) task.Tier {
	return func(t Task, tried []estimate.Try, _ task.USD, _ float64) task.Tier {
		best := task.Tier("")
		for _, tier := range tiers {
			if did := t.By[tier]; did.Solved && len(tried) == 0 && (best == "" || did.Cost < t.By[best].Cost) {
				best = tier
			}
		}
		return best
	}
}

// Result is what came of a policy: medians over the rounds.
type Result struct {
	Policy  string            `json:"policy"`
	Tasks   int               `json:"tasks"`         // of all rounds
	Solved  float64           `json:"solved"`        // share of tasks with a right patch
	Wrong   float64           `json:"wrong"`         // share that ended with a wrong patch that the checks let pass
	Cost    task.USD          `json:"cost_per_task"` // mean of a round
	PerWin  task.USD          `json:"cost_per_solved"`
	Seconds float64           `json:"seconds_per_task"`
	First   map[task.Tier]int `json:"first"`  // how often each tier came first, in all rounds
	Spread  float64           `json:"spread"` // of Solved, between the best and the worst round
	most    task.USD          // that one task cost
}

// Compare runs all policies.
func Compare(tb *Table, s Settings) []Result {
	var out []Result
	for _, make := range Policies(tb, s) {
		out = append(out, run(tb, s, make))
	}
	return out
}

func run(tb *Table, s Settings, make func() Policy) Result {
	r := Result{First: map[task.Tier]int{}}
	rounds, n := max(s.Rounds, 1), float64(len(tb.Tasks))
	var solved, wrong, cost, took []float64
	for round := range rounds {
		p := make()
		r.Policy = p.Name
		var sum ending
		wins, losses := 0, 0
		order := rand.New(rand.NewPCG(s.Seed, uint64(round))).Perm(len(tb.Tasks)) //nolint:gosec // a simulation, not a secret
		for _, i := range order {
			e := play(tb.Tasks[i], p, s, round)
			sum.cost += e.cost
			sum.took += e.took
			r.most = max(r.most, e.cost)
			if e.green && e.right {
				wins++
			}
			if e.green && !e.right {
				losses++
			}
			if e.first != "" {
				r.First[e.first]++
			}
		}
		solved, wrong = append(solved, float64(wins)/n), append(wrong, float64(losses)/n)
		cost, took = append(cost, float64(sum.cost)/n), append(took, sum.took.Seconds()/n)
	}
	r.Tasks, r.Solved, r.Wrong, r.Spread = rounds*len(tb.Tasks), median(solved), median(wrong), slices.Max(solved)-slices.Min(solved)
	r.Cost, r.Seconds = task.USD(median(cost)), median(took)
	if r.Solved > 0 {
		r.PerWin = task.USD(median(cost) / r.Solved)
	}
	return r
}

// ending is what came of one task.
type ending struct {
	green, right bool
	cost         task.USD
	took         time.Duration
	first        task.Tier
}

// play climbs with a policy on one task. A tier whose cost would pass the
// budget is cut there, unsolved: more is never spent.
func play(t Task, p Policy, s Settings, round int) (e ending) {
	var tried []estimate.Try
	left := s.Budget
	if left == 0 {
		left = 1 << 60
	}
	for len(tried) < len(task.Ladder) {
		tier := p.Next(t, tried, left, chance(s.Seed, round, t.ID, "explore", task.Tier(fmt.Sprint(len(tried)))))
		did, ok := t.By[tier]
		if !ok {
			return e
		}
		if e.first == "" {
			e.first = tier
		}
		solved, cost := did.Solved, did.Cost
		if cost > left {
			solved, cost = false, left
		}
		// The same attempt meets the same luck under every policy.
		green := solved && chance(s.Seed, round, t.ID, "red", tier) >= s.FalseRed || !solved && cost == did.Cost && chance(s.Seed, round, t.ID, "green", tier) < s.FalseGreen
		e.cost += cost
		e.took += did.Took
		left -= cost
		if p.Learn != nil {
			p.Learn(estimate.Observation{Case: t.Case, Before: tried, Tier: tier, Solved: green, Cost: cost, Took: did.Took})
		}
		if green {
			e.green, e.right = true, solved
			return e
		}
		tried = append(tried, estimate.Try{Tier: tier, Cost: cost})
	}
	return e
}

// chance is a number from 0 up to 1 that depends on nothing but its arguments.
func chance(seed uint64, round int, id, what string, tier task.Tier) float64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%d/%s/%s/%s", seed, round, id, what, tier)
	// The hash's high bits depend little on its last bytes; a generator mixes them.
	return rand.New(rand.NewPCG(h.Sum64(), seed)).Float64() //nolint:gosec // a simulation, not a secret
}

// Print writes the results as a table.
func Print(out io.Writer, tb *Table, s Settings, results []Result) error {
	budget := "none"
	if s.Budget > 0 {
		budget = s.Budget.String()
	}
	_, err := fmt.Fprintf(out, "%s: %d tasks, %d tiers, medians of %d orders; checks: %.1f %% false green, %.1f %% false red; budget of a task: %s\n",
		tb.Name, len(tb.Tasks), len(tb.Tiers), max(s.Rounds, 1), 100*s.FalseGreen, 100*s.FalseRed, budget)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(w, "policy\tsolved\twrong\t$/task\t$/solved\ts/task\tspread\tfirst tier 1/2/3\t\n")
	for _, r := range results {
		n := float64(max(r.Tasks, 1))
		_, _ = fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%.3f\t%.3f\t%.0f\t%.1f\t%.0f/%.0f/%.0f %%\t\n", r.Policy, 100*r.Solved, 100*r.Wrong, r.Cost.Float(), r.PerWin.Float(),
			r.Seconds, 100*r.Spread, 100*float64(r.First[task.Tier1])/n, 100*float64(r.First[task.Tier2])/n, 100*float64(r.First[task.Tier3])/n)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, Aim(results))
	return err
}

// near is how many points of success a policy may give up for being cheaper.
const near = 0.02

// clear is the share of the cost below which a saving is noise.
const clear = 0.005

// Aim holds the policies that learn against always tier 1 → 3: chosen by
// history should be within two points of it, at less cost. It says which comes
// nearest, and by how much it misses.
func Aim(results []Result) string {
	if len(results) == 0 {
		return "aim: nothing was compared"
	}
	base := results[0]
	words := func(r Result) string {
		return fmt.Sprintf("%q %+.1f points, %+.1f %% cost", r.Policy, 100*(r.Solved-base.Solved), 100*(r.Cost.Float()/max(base.Cost.Float(), 1e-9)-1))
	}
	var nearest *Result
	for i, r := range results {
		if i == 0 || !strings.Contains(r.Policy, "history") && !strings.Contains(r.Policy, "give up") {
			continue
		}
		if r.Solved >= base.Solved-near && r.Cost.Float() < (1-clear)*base.Cost.Float() {
			return "aim (within 2 points of tier 1 → 3 at less cost): met by " + words(r)
		}
		if nearest == nil || r.Solved >= base.Solved-near && r.Cost < nearest.Cost {
			nearest = &results[i]
		}
	}
	if nearest == nil {
		return "aim: no policy that learns was compared"
	}
	return "aim (within 2 points of tier 1 → 3 at less cost): not met; nearest is " + words(*nearest)
}
