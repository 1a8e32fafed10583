package agent

import (
	"context"
	"fmt"
	"maps"

	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Advice is what the tester recommends.
type Advice struct {
	Recommendation string  `json:"recommendation"` // pass_to_commit, fix_required, escalate_tier
	Reason         string  `json:"reason"`
	Confidence     float64 `json:"confidence"` // 0 to 1
	Asked          bool    `json:"asked"`      // a model said so, not a rule
}

// Tester says what the checks of an attempt mean.
type Tester struct{ role }

// testerTokens is the most that the tester may answer (SPEC L2).
const testerTokens = 50

const (
	syntaxErrors  = 3 // as many attempts of a tier that do not parse escalate
	complexTests  = 5 // as many failing tests with
	complexCauses = 3 // as many causes are a complex logic error
)

// Recommend reads the evidence by rules, and asks the nano tier only when they
// do not decide. With ask nil, or when the model gives no usable answer, the
// advice is what the checks say, at half confidence. The error is Ask's, for
// what is not the model's fault: a cancelled call, a refused budget.
func (t *Tester) Recommend(ctx context.Context, ask Ask, e Evidence) (Advice, error) {
	if a, decided := t.Rule(e); decided {
		return a, nil
	}
	unsure := Advice{answer.PassToCommit, "the checks are green, though no test shows that the fault is gone", 0.5, false}
	if e.Red() {
		unsure = Advice{answer.FixRequired, whyRed(e), 0.5, false}
	}
	if ask == nil {
		return unsure, nil
	}
	failures := append([]task.Failure(nil), e.Failures[:min(3, len(e.Failures))]...)
	data := func() any {
		v := newView()
		v.Failures, v.Evidence = describeAll(failures, 3, e.Unkept+len(e.Failures)-len(failures), e.reds()), evidenceOf(e)
		return v
	}
	req, err := t.request("tester", 6<<10, data, func(int) bool { return shorten(&failures) })
	if err != nil {
		return Advice{}, err
	}
	req.Tier, req.Agent, req.MaxTokens = task.TierNano, "tester", testerTokens
	got, _, err := answer.Tester.Ask(ctx, answer.Ask(ask), req, t.count)
	switch {
	case err != nil && unanswered(ctx, err):
		unsure.Reason += "; the tester's model gave no usable answer"
		return unsure, nil
	case err != nil:
		return Advice{}, err
	}
	return Advice{got.Recommendation, got.Reason, got.Confidence, true}, nil
}

func shorten(failures *[]task.Failure) bool {
	if len(*failures) <= 1 {
		return false
	}
	*failures = (*failures)[:len(*failures)-1]
	return true
}

// Rule is what the checks alone decide, and whether they do.
func (t *Tester) Rule(e Evidence) (Advice, bool) {
	rule := func(what, reason string, confidence float64) (Advice, bool) {
		return Advice{what, reason, confidence, false}, true
	}
	if !e.Red() {
		if e.Proven {
			return rule(answer.PassToCommit, "nothing that was green is red, and a failing test passes now", 1)
		}
		return Advice{}, false
	}
	if n := syntaxIn(e); n >= syntaxErrors {
		return rule(answer.EscalateTier, fmt.Sprintf("%d answers of this tier did not parse", n), 0.95)
	}
	last, is := lastFailed(e)
	if is && repeats(e, last) {
		return rule(answer.EscalateTier, "the same error came again", 0.95)
	}
	if complexLogic(e) {
		return rule(answer.EscalateTier, "the errors are many and have different causes", 0.8)
	}
	switch {
	case e.Refused != "":
		return rule(answer.FixRequired, e.Refused, 1)
	case !is:
		return rule(answer.FixRequired, "the first try of this tier is red", 0.9)
	case len(e.Fixed) > len(last.Fixed) && len(e.Broken) <= len(last.Broken):
		return rule(answer.FixRequired, "more tests pass than after the last try", 0.9)
	}
	return Advice{}, false
}

// syntaxIn counts the attempts of the tier that did not parse, this one too.
func syntaxIn(e Evidence) int {
	n := 0
	if allSyntax(e.Failures) {
		n++
	}
	for _, a := range e.Earlier {
		if a.Tier == e.Tier && allSyntax(a.Failures) {
			n++
		}
	}
	return n
}

func allSyntax(failures []task.Failure) bool {
	for _, f := range failures {
		if f.Kind != task.FailSyntax {
			return false
		}
	}
	return len(failures) > 0
}

// lastFailed is the attempt of the same tier before this one.
func lastFailed(e Evidence) (task.Attempt, bool) {
	for i := len(e.Earlier) - 1; i >= 0; i-- {
		if e.Earlier[i].Tier == e.Tier {
			return e.Earlier[i], true
		}
	}
	return task.Attempt{}, false
}

// repeats tells whether exactly the same failures, or the same refusal, came
// after the last attempt too. Fingerprints leave out numbers, paths, times.
func repeats(e Evidence, last task.Attempt) bool {
	if e.Refused != "" {
		return e.Refused == last.Refused
	}
	now, before := prints(e.Failures), prints(last.Failures)
	return len(now) > 0 && maps.Equal(now, before)
}

func prints(failures []task.Failure) map[string]bool {
	out := map[string]bool{}
	for _, f := range failures {
		if f.Fingerprint != "" {
			out[f.Fingerprint] = true
		}
	}
	return out
}

// complexLogic tells failures of logic in many tests with different causes,
// after at least one try.
func complexLogic(e Evidence) bool {
	if _, again := lastFailed(e); !again {
		return false
	}
	tests, causes := map[string]bool{}, map[string]bool{}
	for _, f := range e.Failures {
		switch ClassOf(f) {
		case ClassAssertion, ClassException, ClassCall, ClassTimeout:
			tests[f.Test], causes[f.Fingerprint] = true, true
		}
	}
	return len(tests) >= complexTests && len(causes) >= complexCauses
}
