package estimate

import (
	"math"

	"github.com/fettle-dev/fettle/bot/task"
)

// guess is what is expected of a tier.
type guess struct {
	solve   float64
	cost    float64 // billionths of a dollar
	deduced bool    // from the ladder climbed step by step
	seen    int     // observations of just this case
	solved  int
	states  int     // observations of the tier after the same tiers, whatever the case
	alike   int     // of those, with the property that was seen least
	would   float64 // that a tier passed over would have solved it, as far as that is known
}

// correct takes in what was seen under the i-th key.
func (g *guess) correct(i int, c count) {
	w := float64(weight)
	if g.deduced {
		w = trust
	}
	if i == 0 {
		g.states, g.alike = c.seen, c.seen
	} else {
		g.alike = min(g.alike, g.seen) // not the last key: all properties together were hardly ever seen
	}
	g.seen, g.solved = c.seen, c.solved
	if i > 0 && c.seen >= g.alike {
		return // what all tries share tells them apart from none
	}
	g.cost = c.spend(g.cost, w)
	g.solve = likely(c.solve(g.solve, w))
}

// likely keeps a probability off 0 and 1, from which no odds lead back.
func likely(p float64) float64 { return min(max(p, least), 1-least) }

// guess corrects the start by one count after another, from the general to the
// particular.
func (h *History) guess(tiers []task.Tier, c Case, before []Try, tier task.Tier) guess {
	g := h.start(tiers, c, before, tier)
	for i, key := range h.keys(g.deduced, c, before, tier) {
		n := count{}
		if at := h.at[key]; at != nil {
			n = *at
		}
		g.correct(i, n)
	}
	return g
}

// start is what is expected before anything was seen in this place.
//
// Where a cheaper tier was passed over, little was seen. So the start is put
// together from the ladder climbed step by step: what the missing tier would
// have solved, this one solves for the most part; of the rest, what it solves
// after that one failed.
func (h *History) start(tiers []task.Tier, c Case, before []Try, tier task.Tier) guess {
	prior, ok := h.cfg.Priors[tier]
	if !ok {
		prior = defaultPriors[tier]
	}
	g := guess{solve: likely(prior.Solve), cost: float64(prior.Cost)}
	if missing := missed(tiers, models(before), tier); missing != "" {
		g.deduced = true
		g.solve, g.cost, g.would = h.composed(tiers, c, models(before), missing, tier)
	}
	return g
}

// missed is the cheapest tier below this one that was not tried, or "".
func missed(tiers []task.Tier, before []Try, tier task.Tier) task.Tier {
	for _, t := range tiers {
		tried := false
		for _, b := range before {
			tried = tried || b.Tier == t
		}
		if t.Rank() < tier.Rank() && !tried {
			return t
		}
	}
	return ""
}

// composed is the probability that a tier solves a task although a cheaper one
// was passed over, what it costs, and that the cheaper one would have.
func (h *History) composed(tiers []task.Tier, c Case, before []Try, missing, tier task.Tier) (solve, cost, would float64) {
	at := 0
	for at < len(before) && before[at].Tier.Rank() < missing.Rank() {
		at++
	}
	instead := h.guess(tiers, c, before[:at], missing)
	all := append(append(append([]Try(nil), before[:at]...), Try{missing, task.USD(instead.cost)}), before[at:]...)
	after := h.guess(tiers, c, all, tier)
	// Of the tasks that are left, the share that the missing one would solve:
	// it is smaller when stronger ones failed on them too.
	would = instead.solve * math.Pow(1-h.cfg.Overlap, float64(len(before)-at))
	return would*h.cfg.Overlap + (1-would)*after.solve, after.cost, would
}
