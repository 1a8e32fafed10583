package agent

import (
	"context"

	"github.com/fettle-dev/fettle/bot/task"
)

// Head is how a file begins.
type Head struct{ Path, Text string }

// Accepted is a step of the plan that is done: its change stands in the tree.
type Accepted struct {
	Goal    string
	Changed []string // files and regions
	Diff    string   // from the step before it
}

// Stale is the answer of Permit to an edit of code that is not what its author
// knows.
type Stale struct {
	Why  string
	Code string // as it is now; may be empty
}

func (s *Stale) Error() string { return s.Why }

// Precedent is a fix that worked before on something alike (SPEC M5).
type Precedent struct {
	Words       string  // what failed and what mended it
	Diff        string  // may be empty
	SuccessRate float64 // 0 to 1
	Tries       int
}

// Brief is all that the developer may know for an attempt.
type Brief struct {
	Task task.Task
	Tier task.Tier
	Plan Plan // what the step belongs to; may be empty
	Step Step // what is asked now; empty: the task as a whole
	// Feedback is what a human, the tester or the reviewer said against the
	// last attempt.
	Feedback string
	Done     []Accepted // steps of the plan that stand in the tree
	Shown    Shown
	Small    bool // the model's window is small: a form of its own, short
	Failures []task.Failure
	Red      []string       // all tests that fail now
	Attempts []task.Attempt // that failed on this tree, for tiers that see them
	// History are decisions of the ladder in one line each, such as "tier1
	// gave up: the same error three times"; tier 3 sees them.
	History    []string
	Precedents []Precedent // tier 1 sees one of them
	Warnings   []string    // wrong pattern → correct pattern (SPEC M6)
	Advice     []string    // what maintainers said in reviews here (SPEC M8); it binds nobody
	// Regenerate asks for whole new code of the failing functions instead of
	// another small change: the plateau of SPEC C8.
	Regenerate bool
	NeedsTest  bool     // no test fails: a reproduction test has to come with the change
	MayTest    bool     // none fails, and one is welcome though the step need not bring it
	TestDirs   []string // where the repository keeps its tests
	Checks     []string // names that run_check takes
	MaxBytes   int      // of the prompt's user part without the conversation; 0: 48 KiB

	mayDecline bool // an answer that only finishes, with the reason, is taken at once

	// Tools answer the developer's questions; nil: there are none and the
	// first answer is the last.
	Tools Tools
	// Permit is asked before an edit is kept. Its error's words, and the code of
	// a *Stale, are shown to the developer, who may ask for another edit, unless it
	// wraps ErrFatal; nil: all are kept. The patch guard judges them in any case.
	Permit func(context.Context, task.Edit) error
}

// Answer is the developer's wish.
type Answer struct {
	Patch       task.Patch
	Explanation string
	NewTests    []string // paths of the test files that the patch creates
	Refused     string   // what Permit said last against an edit
	Ending      Ending   // how the conversation ended
	Turns       int      // answers that could be used
	Actions     []Done   // what was asked for, in order
	Repairs     []string // what had to be corrected to read the answers
}

// Ending is how a developer's conversation ended.
type Ending string

// The endings. All but Finished may leave a change that is only a part of what
// was meant; the checks judge it all the same.
const (
	Finished    Ending = "finished"
	NothingDone Ending = "nothing_done" // "finish" twice without an edit
	OutOfTurns  Ending = "out_of_turns" // turns, actions or tokens are used up
	Repeating   Ending = "repeating"    // the same action with the same arguments three times
)

// Done is one action with what came of it, for the record.
type Done struct {
	Action string `json:"action"`
	Target string `json:"target,omitempty"` // path, region, query or check
	Result string `json:"result"`           // shown, failed, repeated, kept, refused, ignored
	Bytes  int    `json:"bytes,omitempty"`  // of the result that was shown
	Hidden int    `json:"hidden,omitempty"` // characters in it that a reader would not have seen
}
