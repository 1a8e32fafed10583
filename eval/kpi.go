package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Rate is how many of a number, with the interval that holds the true rate in 95 of
// 100 cases (Wilson, Probable Inference, 1927).
type Rate struct {
	N    int     `json:"n"`
	Of   int     `json:"of"`
	Rate float64 `json:"rate"` // 0 where Of is 0: nothing was measured
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func rate(n, of int) Rate {
	if of == 0 {
		return Rate{}
	}
	const z = 1.959964
	p, m := float64(n)/float64(of), float64(of)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return Rate{n, of, p, max(centre-half, 0), min(centre+half, 1)}
}

// Spread describes figures. The median of an even number lies between the middle two;
// P90 is the least figure that nine in ten do not pass.
type Spread struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Max    float64 `json:"max"`
}

func spread(of []float64) (s Spread) {
	if len(of) == 0 {
		return s
	}
	of = slices.Sorted(slices.Values(of))
	for _, v := range of {
		s.Mean += v / float64(len(of))
	}
	n := len(of)
	s.Median = (of[(n-1)/2] + of[n/2]) / 2
	s.P90, s.Max = of[int(math.Ceil(.9*float64(n)))-1], of[n-1]
	return s
}

// Figures are the KPIs of some results.
type Figures struct {
	Cases     int  `json:"cases"`
	ReadyOK   Rate `json:"ready_right"`    // of changes called ready, those that pass the held-back tests
	SolvedOK  Rate `json:"right_ready"`    // of changes that pass them, those called ready
	Success   Rate `json:"success"`        // of cases, those that ended right
	Valid     Rate `json:"valid_patch"`    // of cases, changes that pass and touch no file that nobody expected
	Tested    Rate `json:"with_tests"`     // of changes, those with tests
	Rollback  Rate `json:"rollback"`       // of changes that were applied, those that the held-back tests refute
	Generic   Rate `json:"generic_fixes"`  // of right changes, those of the mechanical tier
	Places    Rate `json:"places"`         // of places asked for, those named
	FirstTime Rate `json:"edits_first"`    // of answers with edits, those that applied as they came
	Unread    Rate `json:"answers_unread"` // of calls, those whose answer could not be used

	UnreadBy  map[string]int     `json:"answers_unread_by,omitempty"` // by class of prompt and of failure
	Escalated map[task.Tier]Rate `json:"needed,omitempty"`            // of cases, those in which the tier was asked
	Solved    map[task.Tier]int  `json:"solved_by,omitempty"`
	Ladder    []Rung             `json:"ladder,omitempty"`
	Ends      map[Verdict]int    `json:"verdicts"`

	Attempts   int      `json:"attempts"`
	Iteration  float64  `json:"iteration_score"` // mean of 1/attempts of what ended right
	Signal     Rate     `json:"patch_signal"`    // of attempts of models with edits and of cases tried mechanically, those that ended in a change
	Seconds    Spread   `json:"seconds"`         // of a case
	Overhead   Spread   `json:"overhead_s"`      // the runner's own, of a case
	Cost       task.USD `json:"cost_usd"`
	PerCase    task.USD `json:"cost_per_case_usd"`
	PerSuccess task.USD `json:"cost_per_success_usd"` // 0 without a success
	PerTester  task.USD `json:"cost_per_tester_run_usd,omitempty"`
	Calls      int      `json:"calls"`
	TokensIn   int      `json:"tokens_in"`
	TokensOut  int      `json:"tokens_out"`
	CaseIn     Spread   `json:"case_tokens_in"` // of a case that asked a model
	CaseOut    Spread   `json:"case_tokens_out"`
	Waited     Spread   `json:"waited_s"`              // of a case that waited at the bridge, of its seconds
	AnsweredBy []string `json:"answered_by,omitempty"` // as the answers say it
	Saving     float64  `json:"partial_update_saving"` // of the bytes of changed files, what edits did not have to repeat
}

// Rung is what the ladder up to a tier came to.
type Rung struct {
	Tier   task.Tier `json:"tier"`
	Solved Rate      `json:"solved"` // by this tier or one below
	Cost   task.USD  `json:"cost_usd"`
}

// Report is a run with its figures.
type Report struct {
	Plan    Plan              `json:"plan"`
	Started time.Time         `json:"started"`
	Ended   time.Time         `json:"ended"` // the figures are of results between the two
	Skipped string            `json:"skipped,omitempty"`
	All     Figures           `json:"all"`
	By      map[string]Groups `json:"by"` // kind, language, class
	Results []Result          `json:"results"`
}

// Groups are figures by a property's value.
type Groups map[string]Figures

// Score makes the figures of results.
func Score(plan Plan, results []Result) Report {
	rep := Report{Plan: plan, All: figures(results), By: map[string]Groups{}, Results: results}
	for _, r := range results {
		end := r.Started.Add(time.Duration((r.Seconds + r.Judging + r.Overhead) * float64(time.Second)))
		if rep.Started.IsZero() || r.Started.Before(rep.Started) {
			rep.Started = r.Started
		}
		if end.After(rep.Ended) {
			rep.Ended = end
		}
	}
	for by, of := range map[string]func(Result) string{
		"kind": func(r Result) string { return string(r.Kind) }, "language": func(r Result) string { return r.Language }, "class": func(r Result) string { return r.Class },
	} {
		parts := map[string][]Result{}
		for _, r := range results {
			if name := of(r); name != "" {
				parts[name] = append(parts[name], r)
			}
		}
		rep.By[by] = Groups{}
		for name, part := range parts {
			rep.By[by][name] = figures(part)
		}
	}
	return rep
}

// counter counts a rate.
type counter struct{ n, of int }

func (c *counter) add(counts, is bool) {
	if counts {
		c.of++
		if is {
			c.n++
		}
	}
}

func (c counter) rate() Rate { return rate(c.n, c.of) }

func figures(results []Result) Figures {
	f := Figures{Cases: len(results), Ends: map[Verdict]int{}, Solved: map[task.Tier]int{}, Escalated: map[task.Tier]Rate{}, UnreadBy: map[string]int{}}
	var ready, solved, success, valid, tested, rollback, generic, places, first, unread, signal counter
	var times, overheads, in, out, waited []float64
	by := map[string]bool{}
	asked, spent := map[task.Tier]int{}, map[task.Tier]task.USD{}
	var testers, sent, whole int
	var tester task.USD
	for _, r := range results {
		right, changed := r.Verdict == Right, len(r.Changed) > 0
		edit := r.Kind == Edit && changed
		ready.add(edit && !r.Draft, right)
		solved.add(edit && right, !r.Draft)
		success.add(true, right)
		valid.add(r.Kind == Edit, right && len(r.Outside) == 0)
		tested.add(edit, r.Tests)
		rollback.add(changed, !right)
		generic.add(edit && right, r.Template != "")
		places.n, places.of = places.n+r.Named, places.of+r.Places
		first.n, first.of = first.n+r.First, first.of+r.Edits
		signal.n, signal.of = signal.n+r.First, signal.of+r.Edits
		signal.add(slices.Contains(r.Asked, task.TierMechanical), r.Template != "")
		unread.of += r.Calls
		for what, n := range r.Unread {
			unread.n += n
			f.UnreadBy[what] += n
		}
		for _, t := range r.Asked {
			asked[t]++
		}
		for t, usd := range r.CostByTier {
			spent[t] += usd
		}
		if right && edit {
			f.Solved[r.Tier]++
			f.Iteration += 1 / float64(max(r.Attempts, 1))
		}
		f.Ends[r.Verdict]++
		f.Attempts += r.Attempts
		f.Cost += r.Cost
		f.Calls += r.Calls
		f.TokensIn += r.TokensIn
		f.TokensOut += r.TokensOut
		testers, tester, sent, whole = testers+r.TesterRuns, tester+r.TesterCost, sent+r.Sent, whole+r.Whole
		times, overheads = append(times, r.Seconds), append(overheads, r.Overhead)
		if r.Calls > 0 {
			in, out = append(in, float64(r.TokensIn)), append(out, float64(r.TokensOut))
		}
		if r.Waited > 0 {
			waited = append(waited, r.Waited)
		}
		for _, who := range r.AnsweredBy {
			by[who] = true
		}
	}
	f.CaseIn, f.CaseOut, f.Waited, f.AnsweredBy = spread(in), spread(out), spread(waited), slices.Sorted(maps.Keys(by))
	f.ReadyOK, f.SolvedOK, f.Success, f.Valid, f.Tested, f.Rollback = ready.rate(), solved.rate(), success.rate(), valid.rate(), tested.rate(), rollback.rate()
	f.Generic, f.Places, f.FirstTime, f.Signal = generic.rate(), places.rate(), first.rate(), signal.rate()
	f.Unread = rate(min(unread.n, unread.of), unread.of)
	f.Iteration /= float64(max(solved.of, 1))
	f.Seconds, f.Overhead = spread(times), spread(overheads)
	f.PerCase, f.PerSuccess, f.PerTester = per(f.Cost, len(results)), per(f.Cost, success.n), per(tester, testers)
	if whole > 0 {
		f.Saving = 1 - float64(sent)/float64(whole)
	}
	for t, n := range asked {
		f.Escalated[t] = rate(n, len(results))
	}
	f.Ladder = ladder(f, spent)
	return f
}

func per(usd task.USD, n int) task.USD {
	if n == 0 {
		return 0
	}
	return (usd + task.USD(n)/2) / task.USD(n)
}

// ladder adds up what the tiers solved and cost, from the cheapest. One that made no
// attempt may have been paid for a review.
func ladder(f Figures, spent map[task.Tier]task.USD) (out []Rung) {
	used := map[task.Tier]bool{}
	for t := range f.Escalated {
		used[t] = true
	}
	for t := range spent {
		used[t] = true
	}
	tiers := slices.SortedFunc(maps.Keys(used), func(a, b task.Tier) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), strings.Compare(string(a), string(b)))
	})
	n, usd := 0, task.USD(0)
	for _, t := range tiers {
		n, usd = n+f.Solved[t], usd+spent[t]
		out = append(out, Rung{t, rate(n, f.Cases), usd})
	}
	return out
}
