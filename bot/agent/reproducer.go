package agent

import (
	"context"
	"path"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Reproducer writes a test that shows an issue's fault, before anybody mends it
// (SPEC C5, C10).
type Reproducer struct {
	role
	limits Limits
}

// Aim is what a reproducer's test has to do on the code as it is.
type Aim string

// The aims. A test that holds a fault is turned round afterwards: models write
// one that passes more reliably than one that fails (AssertFlip).
const (
	AimFail Aim = "fail"
	AimPass Aim = "pass"
	AimTurn Aim = "turn"
	AimHold Aim = "hold" // no issue: it holds what the functions of a change do
	// AimConform: no issue and no change: it holds functions to what documents say of them.
	AimConform Aim = "conform"
)

// ReproductionBrief is all that the reproducer may know for an answer.
type ReproductionBrief struct {
	Task     task.Task
	Tier     task.Tier
	Aim      Aim
	Tests    []Head // of the repository, to write another like them
	TestDirs []string
	Shown    Shown
	Last     string // the test as it was written last; may be empty
	// CameOf is what Last did on the code as it is, and Failures with what.
	CameOf   string
	Failures []task.Failure
	Red      []string // all of its tests that fail
	Earlier  Earlier
	MaxBytes int // of the prompt's user part without the conversation; 0: 48 KiB
	Tools    Tools
}

// Earlier is what another way of writing the test brought; empty: there was none.
type Earlier struct {
	Aim  Aim
	Came []string // why its answers were turned down, in their order
	Test string   // the last of them
}

// Bounds of what is told of an earlier way: it is a warning, and no work to go on with.
const (
	mostEarlier     = 3
	longestReason   = 400
	longestEarlier  = 1500
	shortestEarlier = 300
)

func earlierOf(e Earlier) earlierView {
	v := earlierView{Aim: e.Aim, Test: foreign(clipped(e.Test, longestEarlier))}
	for _, why := range e.Came[max(len(e.Came)-mostEarlier, 0):] {
		v.Came = append(v.Came, foreign(clipped(why, longestReason)))
	}
	return v
}

// reproducerTurns bounds the answers to one brief: reading and looking included.
const reproducerTurns = 4

// Write asks for a test. The first new test file of the answer is it, else its first
// new file, else its first edit of a test file that is there; whatever else an answer would change is not looked at. Test is nil where
// there is none, and the words say why; without words the turns ended before. The error is as Developer.Develop's.
func (p *Reproducer) Write(ctx context.Context, ask Ask, b ReproductionBrief) (test *task.Edit, words string, err error) {
	limits := p.limits
	limits.Turns = min(limits.Turns, reproducerTurns)
	data := func() any {
		v := newView()
		v.Task, v.Heads, v.TestDirs, v.Shown = taskOf(b.Task), headsOf(b.Tests), dirsOf(b.TestDirs), shownOf(b.Shown)
		v.Diff, v.Feedback, v.Failures = foreign(b.Last), foreign(b.CameOf), beside(b.Failures, 3, []Text{{Code: b.Last}}, b.Red)
		v.Earlier = earlierOf(b.Earlier)
		v.Tools, v.Turns = b.Tools != nil, limits.Turns
		return v
	}
	less := func(over int) bool {
		switch {
		case cut(&b.Earlier.Test, over, shortestEarlier):
		case b.Earlier.Test != "":
			b.Earlier.Test = ""
		case len(b.Tests) > 1:
			b.Tests = b.Tests[:1]
		case b.Shown.less():
		case len(b.Tests) > 0:
			b.Tests = nil
		default:
			return cut(&b.Task.Body, over, shortestBody)
		}
		return true
	}
	req, err := p.request("reproducer-"+string(b.Aim), window(b.MaxBytes), data, less)
	if err != nil {
		return nil, "", err
	}
	req.Tier, req.Agent = b.Tier, "reproducer"
	got, err := converse(ctx, ask, req, Brief{Tools: b.Tools, MaxBytes: b.MaxBytes, mayDecline: true}, limits, p.count)
	if err != nil {
		return nil, "", err
	}
	var added *task.Edit
	for _, e := range got.Patch.Edits {
		if e.Kind != task.EditCreate {
			if added == nil && code.IsTest(e.Path) {
				added = &e
			}
			continue
		}
		e.Path = path.Clean(e.Path)
		if len(got.NewTests) > 0 && e.Path == got.NewTests[0] {
			return &e, got.Explanation, nil
		}
		if test == nil {
			test = &e // its name is no test's, which is said when it is tried
		}
	}
	if test == nil {
		test = added
	}
	if test == nil && got.Ending != NothingDone && got.Ending != Finished {
		return nil, "", nil // it was still looking
	}
	return test, got.Explanation, nil
}
