package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// logic gives n failing tests with as many causes.
func logic(n, causes int) []task.Failure {
	var out []task.Failure
	for i := range n {
		out = append(out, task.Failure{Kind: task.FailAssertion, Test: fmt.Sprint("t", i), Message: "assert 1 == 2", Fingerprint: fmt.Sprint("f", i%causes)})
	}
	return out
}

func earlier(failures ...[]task.Failure) []task.Attempt {
	var out []task.Attempt
	for _, f := range failures {
		out = append(out, task.Attempt{Tier: task.Tier1, Failures: f})
	}
	return out
}

func TestL2TheTestersRulesDecideWithoutAModel(t *testing.T) {
	t.Parallel()
	syntax := []task.Failure{{Kind: task.FailSyntax, Fingerprint: "s"}}
	other := []task.Failure{{Kind: task.FailSyntax, Fingerprint: "s2"}}
	for name, tc := range map[string]struct {
		e    Evidence
		want string
	}{
		"green and proven":           {Evidence{Green: true, Proven: true}, answer.PassToCommit},
		"does not parse":             {Evidence{Failures: syntax, Tier: task.Tier1}, answer.FixRequired},
		"does not parse, third time": {Evidence{Failures: syntax, Tier: task.Tier1, Earlier: earlier(other, syntax)}, answer.EscalateTier},
		"of another tier":            {Evidence{Failures: syntax, Tier: task.Tier2, Earlier: earlier(other, syntax)}, answer.FixRequired},
		"the same error again":       {Evidence{Failures: logic(1, 1), Tier: task.Tier1, Earlier: earlier(logic(2, 1))}, answer.EscalateTier},
		"the same refusal again":     {Evidence{Refused: "no region", Tier: task.Tier1, Earlier: []task.Attempt{{Tier: task.Tier1, Refused: "no region"}}}, answer.EscalateTier},
		"another refusal":            {Evidence{Refused: "no region", Tier: task.Tier1, Earlier: []task.Attempt{{Tier: task.Tier1, Refused: "out of scope"}}}, answer.FixRequired},
		"many causes":                {Evidence{Failures: logic(6, 3), Tier: task.Tier1, Earlier: earlier(logic(1, 1))}, answer.EscalateTier},
		"many causes, first try":     {Evidence{Failures: logic(6, 3), Tier: task.Tier1}, answer.FixRequired},
		"more tests pass":            {Evidence{Fixed: []string{"t"}, Failures: logic(2, 2), Tier: task.Tier1, Earlier: earlier(logic(3, 3))}, answer.FixRequired},
	} {
		got, decided := roles(t).Tester.Rule(tc.e)
		if !decided || got.Recommendation != tc.want || got.Asked || got.Reason == "" || got.Confidence <= 0 {
			t.Errorf("%s: %+v %v, want %s", name, got, decided, tc.want)
		}
	}
}

var (
	unproven = Evidence{Green: true}
	standing = Evidence{Failures: logic(2, 2), Tier: task.Tier1, Earlier: earlier(logic(3, 3))}
)

func TestL2TheNanoModelIsAskedOnlyWhenTheChecksDoNotDecide(t *testing.T) {
	t.Parallel()
	never := func(context.Context, model.Request) (model.Reply, error) {
		t.Error("a model was asked")
		return model.Reply{}, nil
	}
	if _, err := roles(t).Tester.Recommend(t.Context(), never, Evidence{Green: true, Proven: true}); err != nil {
		t.Error(err)
	}
	for _, e := range []Evidence{unproven, standing} {
		s := &speaker{says: []string{`{"recommendation": "escalate_tier", "reason": "the logic is not understood", "confidence": 0.9}`}}
		a, err := roles(t).Tester.Recommend(t.Context(), s.ask, e)
		if err != nil || a != (Advice{answer.EscalateTier, "the logic is not understood", 0.9, true}) {
			t.Errorf("%+v %v", a, err)
		}
		r := s.asked[0]
		if r.Tier != task.TierNano || r.MaxTokens != 50 || len(r.Schema) == 0 || len(r.System)+len(r.User) > 8<<10 {
			t.Errorf("asked %+v", r)
		}
	}
}

func TestL2WithoutAUsableAnswerTheChecksAdvise(t *testing.T) {
	t.Parallel()
	down := func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{}, &model.Error{Class: model.Server, Err: errors.New("500")}
	}
	babble := &speaker{says: []string{"It depends."}}
	for name, ask := range map[string]Ask{"down": down, "babble": babble.ask, "none": nil} {
		for want, e := range map[string]Evidence{answer.PassToCommit: unproven, answer.FixRequired: standing} {
			a, err := roles(t).Tester.Recommend(t.Context(), ask, e)
			if err != nil || a.Recommendation != want || a.Confidence > 0.5 || a.Asked {
				t.Errorf("%s: %+v %v, want %s", name, a, err, want)
			}
		}
	}
	stop := errors.New("the budget is spent")
	if _, err := roles(t).Tester.Recommend(t.Context(), func(context.Context, model.Request) (model.Reply, error) { return model.Reply{}, stop }, unproven); !errors.Is(err, stop) {
		t.Errorf("a refused budget: %v", err)
	}
	if _, err := roles(t).Reviewer.Review(t.Context(), func(context.Context, model.Request) (model.Reply, error) { return model.Reply{}, stop }, ReviewBrief{}); !errors.Is(err, stop) {
		t.Errorf("a refused budget: %v", err)
	}
}

func TestL2TheReviewerSeesDiffChecksAndTask(t *testing.T) {
	t.Parallel()
	s := &speaker{says: []string{`{"verdict": "FAIL", "reason": "it fits only the tested value"}`}}
	got, err := roles(t).Reviewer.Review(t.Context(), s.ask, ReviewBrief{Task: task.Task{Title: "total is wrong"}, Tier: task.Tier2, Diff: "+    return 42\n" + strings.Repeat("+x\n", 30_000),
		Step: Step{Goal: "mend total"}, Evidence: standing, Advice: Advice{Recommendation: answer.FixRequired, Reason: "red", Asked: true}})
	if err != nil || got.Verdict != answer.Fail {
		t.Fatalf("%+v %v", got, err)
	}
	r := s.asked[0]
	for _, want := range []string{"total is wrong", "return 42", "mend total", "The checks are red;", "fix_required: red", "assert 1 == 2", "bytes were left out"} {
		if !strings.Contains(r.User, want) {
			t.Errorf("the prompt lacks %q:\n%.3000s", want, r.User)
		}
	}
	if r.Tier != task.Tier2 || len(r.User) > 32<<10 {
		t.Errorf("asked %s with %d bytes", r.Tier, len(r.User))
	}
	s = &speaker{says: []string{"Looks good to me!"}}
	if got, err := roles(t).Reviewer.Review(t.Context(), s.ask, ReviewBrief{}); err != nil || got.Verdict != "" || !strings.Contains(got.Reason, "no usable answer") {
		t.Errorf("babble: %+v %v", got, err)
	}
}

// What the checks say is said once: a rule's advice only repeats it, and a step that is
// the task has no words of its own.
func TestM9TheReviewerReadsNothingTwice(t *testing.T) {
	t.Parallel()
	s := &speaker{says: []string{`{"verdict": "ACCEPT", "reason": "as asked"}`}}
	e := Evidence{Green: true, Proven: true, Fixed: []string{"a"}}
	if _, err := roles(t).Reviewer.Review(t.Context(), s.ask, ReviewBrief{Task: task.Task{Title: "total is wrong"}, Diff: "+x\n", Evidence: e, Advice: Advice{Recommendation: answer.PassToCommit, Reason: "nothing that was green is red"}}); err != nil {
		t.Fatal(err)
	}
	user := s.asked[0].User
	for _, no := range []string{"tester says", "broke", "promised", "step of the plan", "A test that failed before"} {
		if strings.Contains(user, no) {
			t.Errorf("the prompt has %q:\n%s", no, user)
		}
	}
	if !strings.Contains(user, "The checks are green; tests that failed before and pass now: 1.") {
		t.Errorf("the prompt:\n%s", user)
	}
}

// Whose the tests are that were red before is told apart: a reproduction proves more than
// tests that came with the change.
func TestM9TheReviewerKnowsWhoseTestsWereRed(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]Evidence{
		"pass now: 3 (1 of the reproduction, 1 of the repository's own tests, 1 of the change's new tests); of the developer's own new tests, 1 of 4 failed before the change.": {Green: true, Proven: true, Fixed: []string{"a", "b", "c"}, Reproduced: 1, Known: 1, OnBase: &task.NewOnBase{Ran: 4, Red: 1}},
		"pass now: 2 (2 of the reproduction); the developer's own new tests cannot be run on the code before the change.":                                                       {Green: true, Proven: true, Fixed: []string{"a", "b"}, Reproduced: 2, OnBase: &task.NewOnBase{Broken: 1}},
		"pass now: 1 (1 of the reproduction); of the developer's own new tests, 0 of 2 failed before the change (1 file could not be run there).":                               {Green: true, Proven: true, Fixed: []string{"a"}, Reproduced: 1, OnBase: &task.NewOnBase{Ran: 2, Broken: 1}},
		"pass now: 2.": {Green: true, Proven: true, Fixed: []string{"a", "b"}},
	} {
		s := &speaker{says: []string{`{"verdict": "ACCEPT", "reason": "as asked"}`}}
		if _, err := roles(t).Reviewer.Review(t.Context(), s.ask, ReviewBrief{Task: task.Task{Title: "total is wrong"}, Diff: "+x\n", Evidence: e}); err != nil {
			t.Fatal(err)
		}
		if user := s.asked[0].User; !strings.Contains(user, want) {
			t.Errorf("%q is not said:\n%s", want, user)
		}
	}
}
