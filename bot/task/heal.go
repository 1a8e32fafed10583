package task

// Trigger is a failure of a step that counts for the breakers (SPEC H1). A red attempt
// inside the loop is none.
type Trigger string

// The triggers; "" is a step that went well.
const (
	TargetNotFound Trigger = "target_not_found" // an edit was refused because its target is not there
	Postcondition  Trigger = "postcondition"    // a check is red after the attempt was accepted, or CI on the pull request
	Watchdog       Trigger = "watchdog_timeout" // a limit of a run or of a check was reached
	LowConfidence  Trigger = "low_confidence"   // an edit was refused because its target is not sure enough
	ModelOutage    Trigger = "model_outage"     // counts globally only: it is not the repository's fault
)

// Triggers lists them all.
var Triggers = []Trigger{TargetNotFound, Postcondition, Watchdog, LowConfidence, ModelOutage}

// Care is how careful a run has to be.
type Care struct {
	// Confidence is the least, from 0 to 1, that the target of an edit is the one that
	// was meant.
	Confidence float64 `json:"confidence,omitempty"`
	// Why is set in degraded mode (SPEC H3): full checks, drafts only, ambiguous
	// changes refused, nothing learned.
	Why string `json:"why,omitempty"`
}

// Degraded tells whether it is degraded mode.
func (c Care) Degraded() bool { return c.Why != "" }
