// Package estimate chooses the tier to begin with, and the one to go on with,
// from what happened to tasks like this one (SPEC L9). In go a case and what
// was tried; out comes a tier with its reason in words. It is a table of
// counts, smoothed from the general to the particular, and a look ahead over
// the few tiers that there are: small enough to be explained in a sentence.
// It imports the vocabulary only, has no clock and no randomness of its own,
// and never chooses what the budget does not hold.
package estimate

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// Case is what is known of a task before a tier is chosen. Empty fields are
// not known.
type Case struct {
	Class    string `json:"class,omitempty"`    // bug, feature, refactor, test, docs; or any other division
	Language string `json:"language,omitempty"` // python, go, …
	Size     string `json:"size,omitempty"`     // short, medium, long
	Failure  string `json:"failure,omitempty"`  // kind of the first failure
}

// Try is a tier that was tried on the task and did not solve it.
type Try struct {
	Tier task.Tier `json:"tier"`
	Cost task.USD  `json:"cost_usd"`
}

// Observation is what came of one tier on one task.
type Observation struct {
	Case   Case          `json:"case"`
	Before []Try         `json:"before,omitempty"` // tiers that had failed on the task already, in order
	Tier   task.Tier     `json:"tier"`
	Solved bool          `json:"solved"`
	Cost   task.USD      `json:"cost_usd"`
	Took   time.Duration `json:"took"`
}

// Prior is what is believed of a tier before anything was seen.
type Prior struct {
	Solve float64 // of the tasks that all cheaper tiers failed on, 0 to 1
	Cost  task.USD
}

// Config is how a History judges. Zero values mean the defaults.
type Config struct {
	Worth   task.USD            // of a solved task: what a further tier may cost is weighed against it; $1, the budget of a task
	Explore float64             // share of choices that look at what was seen least; 0.03
	Enough  int                 // observations after which a choice is not explored any more; 30
	Overlap float64             // share of what a tier solves that a stronger one would solve too; 0.85
	Priors  map[task.Tier]Prior // solve 0.5, 0.3, 0.25 at $0.03, $0.20, $0.50 for tier1, tier2, tier3
}

// Defaults of Config.
const (
	defaultWorth   = task.Dollar
	defaultExplore = 0.03
	defaultEnough  = 30
	defaultOverlap = 0.85
	weight         = 8 // observations that the more general figure counts as
)

var defaultPriors = map[task.Tier]Prior{
	task.TierMechanical: {0.2, 0},
	task.Tier1:          {0.5, task.Dollar * 3 / 100},
	task.Tier2:          {0.3, task.Dollar / 5},
	task.Tier3:          {0.25, task.Dollar / 2},
}

// History is what was seen so far. Its methods may be called at once.
type History struct {
	cfg Config
	mu  sync.RWMutex
	at  map[string]*count
}

type count struct {
	seen, solved int
	cost         task.USD
}

// New returns an empty history.
func New(cfg Config) *History {
	if cfg.Worth <= 0 {
		cfg.Worth = defaultWorth
	}
	if cfg.Explore <= 0 {
		cfg.Explore = defaultExplore
	}
	if cfg.Enough <= 0 {
		cfg.Enough = defaultEnough
	}
	if cfg.Overlap <= 0 || cfg.Overlap > 1 {
		cfg.Overlap = defaultOverlap
	}
	return &History{cfg: cfg, at: map[string]*count{}}
}

// Add learns from an observation.
func (h *History) Add(o Observation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range h.levels(o.Case, o.Before, o.Tier) {
		c := h.at[key]
		if c == nil {
			c = &count{}
			h.at[key] = c
		}
		c.seen++
		c.cost += max(o.Cost, 0)
		if o.Solved {
			c.solved++
		}
	}
}

// levels are the keys of a case from the general to the particular: the tier,
// the tiers that failed before it, whether the last of them cost more than
// usual, which tells a hard task, and then the case itself.
func (h *History) levels(c Case, before []Try, tier task.Tier) []string {
	keys := []string{string(tier)}
	add := func(part string) { keys = append(keys, keys[len(keys)-1]+"|"+part) }
	after := make([]string, 0, len(before))
	for _, t := range before {
		after = append(after, string(t.Tier))
	}
	add("after " + strings.Join(after, ","))
	if len(before) > 0 {
		add(h.effort(before[len(before)-1]))
	}
	for _, part := range []string{c.Class, c.Language, c.Failure, c.Size} {
		if part != "" {
			add(part)
		}
	}
	return keys
}

// effort tells whether a failed try cost more than tries of its tier do.
func (h *History) effort(t Try) string {
	c := h.at[string(t.Tier)]
	if c != nil && c.seen >= weight && 2*int64(t.Cost)*int64(c.seen) > 3*int64(c.cost) {
		return "dear"
	}
	return "usual"
}

// guess is what is expected of a tier.
type guess struct {
	solve  float64
	cost   float64 // billionths of a dollar
	seen   int     // observations of just this case
	solved int
	states int // observations of the tier after the same tiers, whatever the case
}

// guess smooths the counts: each level starts from what the more general one
// says, as if that had been seen eight times (a Beta prior with that mean).
//
// Where a cheaper tier was passed over, little was seen, and what was is
// chosen. So the start is put together from the ladder climbed step by step:
// what the missing tier would have solved, this one solves for the most part;
// of the rest, what it solves after that one failed.
func (h *History) guess(tiers []task.Tier, c Case, before []Try, tier task.Tier) guess {
	prior, ok := h.cfg.Priors[tier]
	if !ok {
		prior = defaultPriors[tier]
	}
	g := guess{solve: prior.Solve, cost: float64(prior.Cost)}
	missing := missed(tiers, before, tier)
	if missing != "" {
		g.solve = h.composed(tiers, c, before, missing, tier)
	}
	for i, key := range h.levels(c, before, tier) {
		n := h.at[key]
		if n == nil {
			n = &count{}
		}
		g.cost = (float64(n.cost) + weight*g.cost) / float64(n.seen+weight)
		if i == 0 {
			continue // whatever failed before: says something of the cost only
		}
		g.solve = (float64(n.solved) + weight*g.solve) / float64(n.seen+weight)
		g.seen, g.solved = n.seen, n.solved
		if i == 1 {
			g.states = n.seen
		}
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
// was passed over.
func (h *History) composed(tiers []task.Tier, c Case, before []Try, missing, tier task.Tier) float64 {
	var lower, all []Try
	higher := 0
	for _, b := range before {
		if b.Tier.Rank() > missing.Rank() {
			if higher == 0 {
				all = append(all, Try{Tier: missing})
			}
			higher++
		} else {
			lower = append(lower, b)
		}
		all = append(all, b)
	}
	if higher == 0 {
		all = append(all, Try{Tier: missing})
	}
	// Of the tasks that are left, the share that the missing one would solve:
	// it is smaller when stronger ones failed on them too.
	would := h.guess(tiers, c, lower, missing).solve
	for range higher {
		would *= 1 - h.cfg.Overlap
	}
	return would*h.cfg.Overlap + (1-would)*h.guess(tiers, c, all, tier).solve
}

// String is for messages: "python bug, assertion, short".
func (c Case) String() string {
	var parts []string
	if name := strings.TrimSpace(c.Language + " " + c.Class); name != "" {
		parts = append(parts, name)
	}
	for _, p := range []string{c.Failure, c.Size} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return "any task"
	}
	return strings.Join(parts, ", ")
}

func percent(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) }
