// Package belong decides which red tests show the issue (SPEC C5, C6). In go
// the issue's words and a failing test with what is known of its failure; out
// comes whether the test belongs to the issue, with the evidence for and
// against, each with its weight.
//
// A test that fails proves a change only when it fails for what the issue
// complains of. One word in common is no evidence of that: a test belongs when
// the issue names it, or when two kinds of evidence meet, the place (the test
// runs the function, call or line that the issue names) and the fault (it fails
// with the values, the exception or the message that the issue tells, or is
// named after the same symptom), and nothing contradicts them.
package belong

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Red is a test that fails on the base.
type Red struct {
	ID        string
	File      string       // of the test
	Name      string       // of its function, as written in the file
	Source    string       // of its function
	Exception string       // class
	Message   string       // of the failure
	Trace     []task.Frame // outermost first
	// Ran are names of the project's functions that the test is known to run.
	Ran []string
}

// Verdict says how far a red test is the issue's.
type Verdict string

// The verdicts.
const (
	Belongs Verdict = "belongs"
	// Perhaps: the test runs what the issue names, and nothing says that it fails
	// for the same reason. A change that it proves is a person's to decide.
	Perhaps Verdict = "perhaps"
	Not     Verdict = "not"
)

// Reason is one piece of evidence.
type Reason struct {
	Words  string `json:"words"`
	Weight int    `json:"weight"` // negative: against

	place, fault, strong bool
}

func (r Reason) String() string { return fmt.Sprintf("%s (%+d)", r.Words, r.Weight) }

// Decision is the verdict on one red test and what it rests on.
type Decision struct {
	Test    string   `json:"test"`
	Verdict Verdict  `json:"verdict"`
	Weight  int      `json:"weight"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// Tied tells whether anything in the issue points at the test.
func (d Decision) Tied() bool {
	return slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Weight > 0 })
}

// Words says it in a line.
func (d Decision) Words() string {
	var why []string
	for _, r := range d.Reasons {
		why = append(why, r.String())
	}
	if len(why) == 0 {
		why = []string{"nothing in the issue points at it"}
	}
	return d.Test + ": " + strings.Join(why, "; ")
}

// Weights. One strong tie is nearly enough by itself. Without one, such as where
// there are but words in common, it takes a function that the issue names as code
// and the same symptom, or much of both.
const (
	certain   = 6 // the issue names the test
	strong    = 4
	enough    = 5 // with a strong tie, or where the place is named
	enoughAll = 7 // else
	enoughFor = 2 // of place, and of fault
	named     = 3 // a place written as code
)

// Decide weighs the evidence for one test.
func (i *Issue) Decide(r Red) Decision {
	d := Decision{Test: r.ID, Verdict: Not}
	e := evidence{issue: i, red: r, test: readTest(r)}
	d.Reasons = e.weigh()
	place, fault, least, against := 0, 0, enoughAll, false
	for _, x := range d.Reasons {
		d.Weight += x.Weight
		against = against || x.Weight < 0
		if x.place {
			place += max(x.Weight, 0)
		}
		if x.fault {
			fault += max(x.Weight, 0)
		}
		if x.strong {
			least = enough
		}
	}
	if place >= named && !against {
		least = enough
	}
	switch {
	case d.Weight >= least && place >= enoughFor && fault >= enoughFor:
		d.Verdict = Belongs
	case !against && place >= named, d.Weight >= 3 && place > 0 && fault > 0:
		d.Verdict = Perhaps
	}
	slices.SortStableFunc(d.Reasons, func(a, b Reason) int { return abs(b.Weight) - abs(a.Weight) })
	return d
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
