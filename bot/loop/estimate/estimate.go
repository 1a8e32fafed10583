// Package estimate chooses the tier to begin with, and the one to go on with,
// from what happened to tasks like this one (SPEC L9). In go a case and what
// was tried; out comes a tier with its reason in words. It is a table of
// counts, each of which corrects a more general one, and a look ahead over the
// few tiers that there are: small enough to be explained in a sentence.
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
	Worth   task.USD            // of a solved task: what a further tier may cost is weighed against it; $2, so that a point of success weighs two cents
	Explore float64             // most that the share of choices made to learn is; 0.03
	Enough  int                 // observations of a choice that halve that share; 30
	Overlap float64             // share of what a tier solves that a stronger one would solve too; 0.85
	Priors  map[task.Tier]Prior // solve 0.5, 0.3, 0.25 at $0.03, $0.20, $0.50 for tier1, tier2, tier3
}

// Defaults of Config.
const (
	defaultWorth   = 2 * task.Dollar
	defaultExplore = 0.03
	defaultEnough  = 30
	defaultOverlap = 0.85
	weight         = 8    // tries that the more general figure counts as
	trust          = 64   // tries that a figure deduced from the climbed ladder counts as
	least          = 1e-4 // nothing is held for less likely than this, or for more certain
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
	all map[task.Tier]*count // tries of a tier, whatever was before
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
	return &History{cfg: cfg, at: map[string]*count{}, all: map[task.Tier]*count{}}
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
