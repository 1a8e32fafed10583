package agent

// MaxSteps is how many steps a plan has at most (SPEC L5).
const MaxSteps = 12

// Plan is an ordered list of steps. It survives a JSON round trip.
type Plan struct {
	Summary  string   `json:"summary"`
	Steps    []Step   `json:"steps"`
	Origin   Origin   `json:"origin"`
	Problems []string `json:"problems,omitempty"` // what was said against it, or why it is the fallback
}

// Step is one change with its own goal.
type Step struct {
	Goal       string   `json:"goal"`
	Targets    []string `json:"targets,omitempty"` // paths, or path::region
	Acceptance string   `json:"acceptance,omitempty"`
	Critical   bool     `json:"critical,omitempty"`
}

// Origin is how a plan came about.
type Origin string

// The origins of plans.
const (
	Planned  Origin = "planned"  // the planner's first
	Revised  Origin = "revised"  // the planner's second, after a critique or feedback
	Fallback Origin = "fallback" // made without a model: read, patch, test, finish
)
