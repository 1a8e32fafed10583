package heal

import (
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// State is where a workflow, or everything (Paused), stands.
type State string

// The states (SPEC H2).
const (
	Healthy     State = "healthy"
	Degraded    State = "degraded"
	Quarantined State = "quarantined"
	Recovering  State = "recovering"
	Paused      State = "paused"
)

// Cause is why a state changes.
type Cause string

// The causes.
const (
	StepTrip     Cause = "step breaker"
	WorkflowTrip Cause = "workflow breaker"
	GlobalTrip   Cause = "global breaker"
	Relapse      Cause = "failure while recovering"
	Proved       Cause = "validated successes"
	Released     Cause = "release"
)

// moves is the picture of doc.go. What is not in it is refused.
var moves = map[State]map[Cause]State{
	Healthy:     {StepTrip: Degraded, WorkflowTrip: Quarantined, GlobalTrip: Paused},
	Degraded:    {WorkflowTrip: Quarantined, Proved: Healthy},
	Quarantined: {Released: Recovering},
	Recovering:  {Relapse: Quarantined, Proved: Healthy},
	Paused:      {Released: Healthy},
}

// Next is the state that a cause leads to; false where it changes nothing.
func Next(s State, c Cause) (State, bool) {
	to, ok := moves[s][c]
	return to, ok
}

// Result is what became of a step.
type Result struct {
	ID           string // the same result under the same id counts once
	Installation int64  // whose run it was
	Run          string
	Step         string
	Trigger      task.Trigger // "": it went well
	Validated    bool         // the run ended with a change that its checks prove
	Words        string       // what happened, for people; foreign text
}

// Scope is all that is kept of a workflow, or of everything. It survives a JSON round
// trip, and Apply on it is all that changes it.
type Scope struct {
	State     State          `json:"state"`
	Since     int64          `json:"since"`               // of the state, in microseconds
	Successes int            `json:"successes,omitempty"` // validated, in this state
	InARow    map[string]int `json:"in_a_row,omitempty"`  // failures of a step without a success of it between
	Failures  []Failure      `json:"failed,omitempty"`    // in the window, the oldest first
	Clock     int64          `json:"clock"`               // of the last failure
	Case      string         `json:"case,omitempty"`      // the move that led here
}

// Failure is one in a window.
type Failure struct {
	At           int64 `json:"at"` // in microseconds
	Installation int64 `json:"of,omitempty"`
}

// fresh is a scope of which nothing is known.
func fresh() Scope { return Scope{State: Healthy} }

// skew is how far two servers' clocks may be apart before it counts as a jump.
const skew = time.Minute

// mostKept bounds what a scope holds; no threshold is higher (settings).
const mostKept = settings.MostFailures

// slide moves the window to now. A clock that runs a little behind another server's
// stands still. One that jumped back takes what is in the window with it: how long
// ago it was stays the same, so that nothing is forgotten early nor kept for long.
func (s *Scope) slide(now int64, window time.Duration) {
	switch back := s.Clock - now; {
	case back <= 0:
		s.Clock = now
	case back > skew.Microseconds():
		for i := range s.Failures {
			s.Failures[i].At -= back
		}
		s.Clock = now
	}
	s.Failures = slices.DeleteFunc(s.Failures, func(f Failure) bool { return f.At <= s.Clock-window.Microseconds() })
}

// Recent is how many failures are in the window at a time.
func (s Scope) Recent(now time.Time, window time.Duration) int {
	s.Failures = slices.Clone(s.Failures)
	s.slide(now.UnixMicro(), window)
	return len(s.Failures)
}

// of is how many of the failures in the window at a time are an installation's.
func (s *Scope) of(installation int64, now time.Time, window time.Duration) (n int) {
	s.slide(now.UnixMicro(), window)
	for _, f := range s.Failures {
		if f.Installation == installation {
			n++
		}
	}
	return n
}

func (s *Scope) fail(of, now int64, window time.Duration) {
	s.slide(now, window)
	s.Failures = append(s.Failures, Failure{s.Clock, of})
	if n := len(s.Failures) - mostKept; n > 0 {
		s.Failures = s.Failures[n:]
	}
}

// become moves to another state where the picture allows it.
func (s *Scope) become(c Cause, now int64) bool {
	to, ok := Next(s.State, c)
	if !ok {
		return false
	}
	s.State, s.Since, s.Successes, s.InARow = to, now, 0, nil
	if c == Released { // what led here was looked at: it does not count again
		s.Failures = nil
	}
	return true
}

// Apply takes a result into a workflow. The cause is "" where the state stays.
func (s *Scope) Apply(p settings.Heal, r Result, now time.Time) Cause {
	at := now.UnixMicro()
	if r.Trigger == task.ModelOutage || s.State == Quarantined { // what still runs down changes nothing
		return ""
	}
	if r.Trigger == "" {
		delete(s.InARow, r.Step)
		if !r.Validated {
			return ""
		}
		s.Successes++
		need := p.Degraded.Successes
		if s.State == Recovering {
			need = p.Recovering.Successes
		}
		if s.Successes >= need && s.become(Proved, at) {
			return Proved
		}
		if s.State == Healthy {
			s.Successes = 0
		}
		return ""
	}
	s.fail(0, at, p.Workflow.Window) // all of one installation
	if s.InARow == nil {
		s.InARow = map[string]int{}
	}
	s.InARow[r.Step]++
	for _, c := range []struct {
		holds bool
		cause Cause
	}{
		{s.State == Recovering, Relapse},
		{len(s.Failures) >= p.Workflow.Failures, WorkflowTrip},
		{s.InARow[r.Step] >= p.Step.InARow, StepTrip},
	} {
		if c.holds && s.become(c.cause, at) {
			return c.cause
		}
	}
	return ""
}

// ApplyGlobal takes a result into the scope of everything. Beyond its share an
// installation does not count: what goes wrong with one is no reason to stop all.
func (s *Scope) ApplyGlobal(p settings.Heal, r Result, now time.Time) Cause {
	if r.Trigger == "" || s.State == Paused {
		return ""
	}
	if share := p.Global.Installation; share > 0 && s.of(r.Installation, now, p.Global.Window) >= share {
		return ""
	}
	s.fail(r.Installation, now.UnixMicro(), p.Global.Window)
	if len(s.Failures) >= p.Global.Failures && s.become(GlobalTrip, now.UnixMicro()) {
		return GlobalTrip
	}
	return ""
}

// Release lifts a quarantine or a pause; false where there is none.
func (s *Scope) Release(now time.Time) bool { return s.become(Released, now.UnixMicro()) }

// idle tells whether a result leaves the scope as it is, so that nothing has to be
// written: nearly every step of a healthy workflow.
func (s Scope) idle(r Result) bool {
	return r.Trigger == "" && s.InARow[r.Step] == 0 && (!r.Validated || s.State == Healthy || s.State == Quarantined)
}
