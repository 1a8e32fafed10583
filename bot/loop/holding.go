package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
)

// holds keeps the examples that hold on the base, where none fails there: the
// run's outcome tells of them.
func (r *run) holds(found example.Found) (err error) {
	if found.Path != "" || len(found.Holding) == 0 {
		return nil
	}
	r.holding = found.Holding
	if r.state.Holding, err = json.Marshal(r.holding); err != nil {
		return fmt.Errorf("writing down which examples hold: %w", err)
	}
	return nil
}

// heldBefore takes up what an earlier process saw to hold.
func (r *run) heldBefore() error {
	if len(r.state.Holding) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.state.Holding, &r.holding); err != nil {
		return fmt.Errorf("reading which examples hold: %w", err)
	}
	return nil
}

// holdsAlready says what the examples gave on the base, or "".
func (r *run) holdsAlready() string {
	var gave []string
	for _, e := range first(r.holding, 3) {
		gave = append(gave, e.Gave())
	}
	if n := len(r.holding) - len(gave); n > 0 {
		gave = append(gave, fmt.Sprintf("%d more", n))
	} else if len(gave) == 0 {
		return ""
	}
	what := "example was run on the code as it is, and it holds already"
	if len(gave) > 1 {
		what = "examples were run on the code as it is, and these hold already"
	}
	return fmt.Sprintf("the issue's own %s: %s", what, strings.Join(gave, ", "))
}

// withHolding begins the reason of a run that mended nothing with the examples that
// hold: they are what its reader asked about.
func (r *run) withHolding(outcome task.Outcome, reason string) string {
	if held := r.holdsAlready(); held != "" && !slices.Contains([]task.Outcome{task.Success, task.Cancelled, task.Quarantined}, outcome) {
		return strings.TrimSuffix(held+"; "+reason, "; ")
	}
	return reason
}

// holdingDoubts say of a change which complaint of the issue was not true of the base.
func (r *run) holdingDoubts() []string {
	var out []string
	for _, e := range first(r.holding, 3) {
		if e.Complains() {
			out = append(out, fmt.Sprintf("the issue complains of %s, but without the change %s already: say whether the change is wanted", e.Call, e.Gave()))
		}
	}
	return out
}
