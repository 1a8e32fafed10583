package estimate

import (
	"fmt"

	"github.com/fettle-dev/fettle/bot/task"
)

// count is what was seen under one key, beside what the more general keys had
// led to expect of the very same tries. So a count says how much its key
// matters, whichever tasks came to be tried there.
type count struct {
	seen, solved int
	hoped        float64 // sum of the probabilities that were expected
	cost, meant  float64 // that was spent and that was expected, billionths of a dollar
}

// solve corrects a probability by the odds that were seen against the expected
// ones, as if weight further tries had come out as expected. Without anything
// more general above it this is the mean of a Beta posterior.
func (c count) solve(p, weight float64) float64 {
	yes := (float64(c.solved) + weight*p) / (c.hoped + weight*p)
	no := (float64(c.seen-c.solved) + weight*(1-p)) / (float64(c.seen) - c.hoped + weight*(1-p))
	return p * yes / (p*yes + (1-p)*no)
}

// spend corrects a cost likewise.
func (c count) spend(cost, weight float64) float64 {
	if cost <= 0 {
		return c.cost / (float64(c.seen) + weight)
	}
	return cost * (c.cost + weight*cost) / (c.meant + weight*cost)
}

// Add learns from an observation.
func (h *History) Add(o Observation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.start(h.known(), o.Case, o.Before, o.Tier)
	for i, key := range h.keys(g.deduced, o.Case, o.Before, o.Tier) {
		c := h.at[key]
		if c == nil {
			c = &count{}
			h.at[key] = c
		}
		c.add(o, g)
		g.correct(i, *c)
	}
	if h.all[o.Tier] == nil {
		h.all[o.Tier] = &count{}
	}
	h.all[o.Tier].add(o, g)
}

func (c *count) add(o Observation, expected guess) {
	c.seen++
	c.hoped += expected.solve
	c.meant += expected.cost
	c.cost += float64(max(o.Cost, 0))
	if o.Solved {
		c.solved++
	}
}

// keys are what is counted of a try: the tier after those that failed before
// it, then one property of the task at a time, among them whether the last
// failure cost more than usual, and at last all properties together. A place
// for which most is deduced has too few tries to be divided so finely.
func (h *History) keys(deduced bool, c Case, before []Try, tier task.Tier) []string {
	place := string(tier) + " after"
	for _, t := range models(before) {
		place += " " + string(t.Tier)
	}
	keys := []string{place}
	if deduced {
		return append(keys, fmt.Sprintf("%s|%q", place, c))
	}
	effort := ""
	if m := models(before); len(m) > 0 {
		effort = h.effort(m[len(m)-1])
	}
	for i, part := range []string{effort, c.Class, c.Language, c.Failure, c.Size} {
		if part != "" {
			keys = append(keys, fmt.Sprintf("%s|%d %s", place, i, part))
		}
	}
	return append(keys, fmt.Sprintf("%s|%q", place, c))
}

// known are the tiers that were seen at work.
func (h *History) known() (out []task.Tier) {
	for _, t := range task.Ladder {
		if t != task.TierMechanical && h.all[t] != nil {
			out = append(out, t)
		}
	}
	return out
}

// models leaves the mechanical search out: it is tried on every task that has
// a failing test and says nothing about the tiers.
func models(tried []Try) []Try {
	if len(tried) > 0 && tried[0].Tier == task.TierMechanical {
		return tried[1:]
	}
	return tried
}

// effort tells whether a failed try cost more than tries of its tier do.
func (h *History) effort(t Try) string {
	c := h.all[t.Tier]
	if c != nil && c.seen >= weight && 2*float64(t.Cost)*float64(c.seen) > 3*c.cost {
		return "dear"
	}
	return "usual"
}
