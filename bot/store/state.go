package store

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// transitions is what may become of a run; what is not here is refused by
// every statement that moves a run. The picture is beside task.State.
//
//	queued  → running   claimed
//	queued  → done      cancelled before it ever began
//	running → queued    released at shutdown, or swept because its heartbeat stopped
//	running → parked    waits: rate limit, full disk, a human
//	running → done      finished
//	parked  → queued    its time has come, or it was cancelled and has to say so
//
// done has no way out: terminal states absorb.
var transitions = map[task.State][]task.State{
	task.StateQueued:  {task.StateRunning, task.StateDone},
	task.StateRunning: {task.StateQueued, task.StateParked, task.StateDone},
	task.StateParked:  {task.StateQueued},
}

// MayBecome tells whether a run in one state may next be seen in another.
func MayBecome(from, to task.State) bool {
	for _, s := range transitions[from] {
		if s == to {
			return true
		}
	}
	return false
}

// from is the SQL condition that the step to a state is allowed from where the
// run stands, limited to the states given.
func from(to task.State, only ...task.State) string {
	var in []string
	for _, s := range only {
		if MayBecome(s, to) {
			in = append(in, "'"+string(s)+"'")
		}
	}
	if len(in) == 0 {
		return "1 = 0"
	}
	return "state IN (" + strings.Join(in, ", ") + ")"
}
