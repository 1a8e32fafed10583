package agent

import (
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Evidence is what the checks say of an attempt.
type Evidence struct {
	Green   bool   // every required check passed on the whole tree
	Proven  bool   // a test that failed before the change passes now
	Refused string // why the edits were not applied, or ""
	Fixed   []string
	// Reproduced and Known are how many of Fixed are the reproduction's, and the
	// repository's own; the rest are new tests of the change.
	Reproduced, Known int
	OnBase            *task.NewOnBase // what the developer's own new tests did before; nil: not asked
	Broken            []string        // tests that were green and are red or were not seen
	StillRed          []string        // tests that failed before and still fail
	Missing           []string        // files that the plan promised and that are not there
	Failures          []task.Failure
	Unkept            int // failures that are not among them, for their number
	Tier              task.Tier
	Earlier           []task.Attempt // of the same step, oldest first
}

// Red tells whether anything speaks against the attempt. Evidence that
// contradicts itself is red.
func (e Evidence) Red() bool {
	return !e.Green || e.Refused != "" || len(e.Broken) > 0 || len(e.Missing) > 0
}

// reds are the tests that are red with the change.
func (e Evidence) reds() []string {
	var out []string
	for _, f := range e.Failures {
		out = append(out, f.Test)
	}
	return slices.Concat(out, e.Broken, e.StillRed)
}

// Next is what follows an attempt, from the best to the worst.
type Next string

// What may follow.
const (
	NextAccept   Next = "accept"   // the step is done
	NextRetry    Next = "retry"    // again at the same tier
	NextEscalate Next = "escalate" // the next tier
	NextReplan   Next = "replan"   // the plan is revised
	NextFail     Next = "fail"     // the step ends
)

// order ranks what may follow; a judgement only goes towards its end.
var order = []Next{NextAccept, NextRetry, NextEscalate, NextReplan, NextFail}

func (n Next) rank() int {
	for i, x := range order {
		if x == n {
			return i
		}
	}
	return len(order)
}

// Decision is what follows an attempt and who decided it.
type Decision struct {
	Next   Next   `json:"next"`
	By     string `json:"by"` // checks, tester, reviewer, strategy
	Reason string `json:"reason,omitempty"`
}

// Judge decides what follows from the evidence and from what the models say.
// The worst of the three counts: red checks beat any verdict, escalate_tier
// beats RETRY, and a model can lower a verdict but never raise it. Only a new
// plan for failures that no plan can answer becomes another try (SPEC L3). An
// empty recommendation or verdict says nothing, an unknown one is a retry.
func Judge(e Evidence, advice Advice, review Review) Decision {
	d := Decision{Next: NextAccept, By: "checks", Reason: "every required check passed"}
	if e.Red() {
		d.Next, d.Reason = NextRetry, whyRed(e)
	}
	d = d.worse(nextOf(advice.Recommendation), "tester", advice.Reason)
	escalated := d
	d = d.worse(nextOf(review.Verdict), "reviewer", review.Reason)
	if d.Next != NextReplan || MayReplan(e.Failures) {
		return d
	}
	if escalated.Next != NextEscalate { // an approval of the others does not become one by this
		escalated = Decision{Next: NextRetry}
	}
	class := ClassOf(e.Failures[0])
	return Decision{Next: escalated.Next, By: "strategy", Reason: fmt.Sprintf("a new plan does not answer %s: %s", class, StrategyFor(class).Words)}
}

func (d Decision) worse(n Next, by, reason string) Decision {
	if n.rank() <= d.Next.rank() {
		return d
	}
	return Decision{Next: n, By: by, Reason: reason}
}

func nextOf(word string) Next {
	switch word {
	case "", answer.PassToCommit, answer.Accept:
		return NextAccept
	case answer.EscalateTier:
		return NextEscalate
	case answer.EscalateToPlanner:
		return NextReplan
	case answer.Fail:
		return NextFail
	}
	return NextRetry
}

func whyRed(e Evidence) string {
	switch {
	case e.Refused != "":
		return e.Refused
	case len(e.Missing) > 0:
		return fmt.Sprintf("the plan promised %s, and it is not there", line(e.Missing[0]))
	case len(e.Broken) > 0:
		return fmt.Sprintf("%d tests that were green are red or were not seen", len(e.Broken))
	}
	return "the checks are red"
}
