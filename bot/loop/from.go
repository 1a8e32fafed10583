package loop

import (
	"encoding/json"
	"fmt"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/task"
)

// StepError is that a run cannot go on at a step.
type StepError struct{ words string }

func (e *StepError) Error() string { return e.words }

func noStep(format string, args ...any) error { return &StepError{fmt.Sprintf(format, args...)} }

// From gives the state in which a run goes on at a step of its plan, from 1,
// on the accepted steps before it; 0 is the start, without the plan. What was
// learned of the tree stays. A step at which it cannot go on is a StepError. Attempts stay in the record and count.
func From(s task.RunState, step int) (task.RunState, error) {
	var plan agent.Plan
	if len(s.Plan) > 0 {
		if err := json.Unmarshal(s.Plan, &plan); err != nil {
			return s, fmt.Errorf("reading the saved plan: %w", err)
		}
	}
	switch {
	case step < 0:
		return s, noStep("steps count from 1, and 0 is the start; got %d", step)
	case step == 0:
		s.Plan, s.Planned, s.Step, s.Done = nil, false, 0, nil
	case step-1 > len(s.Done):
		return s, noStep("step %d cannot be the next: only %d of %d steps are done", step, len(s.Done), len(plan.Steps))
	case step > len(plan.Steps):
		return s, noStep("there is no step %d: the plan has %d", step, len(plan.Steps))
	default:
		s.Step, s.Done = step-1, s.Done[:step-1]
	}
	s.Next, s.Gate, s.Outcome, s.Reason, s.Accepted = "", nil, "", "", 0
	return s, nil
}

// Fresh gives the state in which another run goes on where an ended one
// stood: its accepted steps are taken over as the new run's first attempts, and
// nothing else of what it spent or tried counts.
func Fresh(s task.RunState) task.RunState {
	var kept []task.Attempt
	for i, n := range s.Done {
		a := s.Attempts[n-1]
		a.Number, a.Cost, a.Elapsed, a.On = i+1, 0, 0, nil
		for k := range i {
			a.On = append(a.On, k+1)
		}
		kept = append(kept, a)
	}
	s.Attempts, s.Worked, s.Errors, s.Revisions, s.Answered = kept, 0, 0, 0, 0
	for i := range s.Done {
		s.Done[i] = i + 1
	}
	return s
}

// StepDone is how many steps of the plan in hand are done.
func StepDone(s task.RunState) int { return len(s.Done) }
