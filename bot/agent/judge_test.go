package agent

import (
	"fmt"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// every calls f for all combinations of what the checks, the tester and the
// reviewer can say.
func every(f func(e Evidence, advice Advice, review Review)) {
	lint, logic := []task.Failure{{Kind: task.FailLint}}, []task.Failure{{Kind: task.FailAssertion}}
	for bits := range 32 {
		for _, failures := range [][]task.Failure{nil, lint, logic, append(lint, logic...)} {
			e := Evidence{Green: bits&1 != 0, Proven: bits&2 != 0, Failures: failures}
			if bits&4 != 0 {
				e.Broken = []string{"t"}
			}
			if bits&8 != 0 {
				e.Missing = []string{"f"}
			}
			if bits&16 != 0 {
				e.Refused = "not found"
			}
			for _, rec := range []string{"", answer.PassToCommit, answer.FixRequired, answer.EscalateTier, "perhaps"} {
				for _, verdict := range []string{"", answer.Accept, answer.Retry, answer.Fail, answer.EscalateToPlanner, "APPROVED"} {
					f(e, Advice{Recommendation: rec, Reason: "tester's"}, Review{Verdict: verdict, Reason: "reviewer's"})
				}
			}
		}
	}
}

func TestL2NoModelRaisesAVerdictAboveTheEvidence(t *testing.T) {
	t.Parallel()
	n := 0
	every(func(e Evidence, advice Advice, review Review) {
		n++
		d := Judge(e, advice, review)
		says := fmt.Sprintf("%+v %+v %+v: %+v", e, advice, review, d)
		if d.Reason == "" || d.Next.rank() >= len(order) {
			t.Fatal(says)
		}
		if e.Red() && d.Next == NextAccept {
			t.Fatalf("red checks were accepted: %s", says)
		}
		silent := Judge(e, Advice{}, Review{})
		if d.Next.rank() < silent.Next.rank() {
			t.Fatalf("a model raised the verdict of the checks: %s", says)
		}
		agreed := (advice.Recommendation == "" || advice.Recommendation == answer.PassToCommit) && (review.Verdict == "" || review.Verdict == answer.Accept)
		if !e.Red() && (d.Next == NextAccept) != agreed {
			t.Fatalf("one of them did not agree: %s", says)
		}
		if d != Judge(e, advice, review) {
			t.Fatal("it is not a function of its arguments")
		}
	})
	if n < 3_000 {
		t.Fatalf("only %d combinations", n)
	}
}

func TestL2EscalateTierBeatsRetryAndFailEndsTheStep(t *testing.T) {
	t.Parallel()
	every(func(e Evidence, advice Advice, review Review) {
		d := Judge(e, advice, review)
		says := fmt.Sprintf("%+v %+v %+v: %+v", e, advice, review, d)
		if advice.Recommendation == answer.EscalateTier && (d.Next == NextRetry || d.Next == NextAccept) {
			t.Fatal(says)
		}
		if (review.Verdict == answer.Fail) != (d.Next == NextFail) {
			t.Fatal(says)
		}
	})
}

func TestL3AFailingLintIsNotAnsweredByANewPlan(t *testing.T) {
	t.Parallel()
	every(func(e Evidence, advice Advice, review Review) {
		d := Judge(e, advice, review)
		onlyLint := len(e.Failures) == 1 && e.Failures[0].Kind == task.FailLint
		wanted := review.Verdict == answer.EscalateToPlanner
		if want := wanted && !onlyLint; (d.Next == NextReplan) != want {
			t.Fatalf("%+v %+v %+v: %+v", e, advice, review, d)
		}
	})
}

func TestL2WhoDecidedIsSaid(t *testing.T) {
	t.Parallel()
	green, red := Evidence{Green: true}, Evidence{Broken: []string{"t"}}
	for want, d := range map[string]Decision{
		"checks":   Judge(red, Advice{Recommendation: answer.PassToCommit}, Review{Verdict: answer.Accept}),
		"tester":   Judge(red, Advice{Recommendation: answer.EscalateTier, Reason: "r"}, Review{Verdict: answer.Retry}),
		"reviewer": Judge(green, Advice{}, Review{Verdict: answer.Retry, Reason: "r"}),
		"strategy": Judge(Evidence{Failures: []task.Failure{{Kind: task.FailLint}}}, Advice{}, Review{Verdict: answer.EscalateToPlanner, Reason: "r"}),
	} {
		if d.By != want {
			t.Errorf("%+v, want %s", d, want)
		}
	}
}
