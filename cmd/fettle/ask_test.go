package main

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

var askFiles = map[string]string{
	"pricing.py":     "def discount_percent(nights):  # of a full week\n    return 10 if nights > 7 else 0\n",
	"secret/keys.py": "def discount_key():\n    return 'the discount of the hidden week'\n",
	".fettle.yml":    "never_send: [\"secret/**\"]\n",
}

const askWords = "where is the discount of a week, and its key?"

func TestS6AnAnswerCitesOnlyPlacesThatExist(t *testing.T) {
	t.Parallel()
	srv, tiers := models(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "<think>hm</think>It is computed there [pricing.py:1-2]; the rate lies elsewhere [rates.py:7], [pricing.py:9] and [secret/keys.py:1].", TokensIn: 1000, TokensOut: 100}
	}, task.TierNano, task.Tier2)
	repo := lay(t, askFiles)
	c := call(t, "ask", "--repo", repo, "--config", operator(t, tiers), "--quiet", askWords)
	for _, want := range []string{"It is computed there [pricing.py:1-2];", "[rates.py:7 (no such place)]", "[pricing.py:9 (no such place)]", "[secret/keys.py:1 (no such place)]", "model-nano, $0.0012"} {
		if !strings.Contains(c.out, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if c.code != 0 || strings.Contains(c.out, "hm") {
		t.Errorf("status %d\n%s%s", c.code, c.out, c.errors)
	}
	calls := srv.Calls()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	if calls[0].Model != "model-nano" || !strings.Contains(calls[0].User, "1  def discount_percent(nights)") {
		t.Errorf("%s is shown\n%s", calls[0].Model, calls[0].User)
	}
	if strings.Contains(calls[0].User, "discount_key") || strings.Contains(calls[0].User, "keys.py") {
		t.Errorf("X6: what must never be sent is sent\n%s", calls[0].User)
	}
}

func TestS6AnAnswerWithoutAPlaceIsNotReliedOn(t *testing.T) {
	t.Parallel()
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "In rates.py, surely [rates.py:1].", TokensIn: 1000, TokensOut: 100}
	}, task.Tier1)
	c := call(t, "ask", "--repo", lay(t, askFiles), "--config", operator(t, tiers), "--json", "--quiet", askWords)
	if c.code != 1 || !strings.Contains(c.out, `"unknown_places": [`) || !strings.Contains(c.errors, "cites no place that exists") {
		t.Errorf("status %d\n%s%s", c.code, c.out, c.errors)
	}
}

func TestL5AQuestionIsNotAskedThatMightCostTooMuch(t *testing.T) {
	t.Parallel()
	srv, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "x"} }, task.Tier3)
	c := call(t, "ask", "--repo", lay(t, askFiles), "--config", operator(t, tiers), "--max-cost", "0.0001", "--quiet", askWords)
	if c.code != 3 || len(srv.Calls()) != 0 || !strings.Contains(c.out, "pricing.py:1-2") || !strings.Contains(c.errors, "--max-cost is $0.0001") {
		t.Errorf("status %d, %d calls\n%s%s", c.code, len(srv.Calls()), c.out, c.errors)
	}
}

func TestA3AModelThatFailsLeavesThePlaces(t *testing.T) {
	t.Parallel()
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Status: 401, Body: "{}"} }, task.Tier1)
	c := call(t, "ask", "--repo", lay(t, askFiles), "--config", operator(t, tiers), "--quiet", askWords)
	if c.code != 1 || !strings.Contains(c.out, "pricing.py:1-2") || !strings.Contains(c.errors, "the model did not answer") {
		t.Errorf("status %d\n%s%s", c.code, c.out, c.errors)
	}
}

// No line is shown twice, such as a method's in its class, and the comment above a region
// is shown with it: what a place is for often stands there alone.
func TestM9AQuestionComesWithEachLineOnceAndWithComments(t *testing.T) {
	t.Parallel()
	srv, tiers := models(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "There [stay.py:6]."}
	}, task.TierNano)
	repo := lay(t, map[string]string{"stay.py": "import math\n\n\nclass Stay:\n    # The discount of a full week.\n    def discount(self, nights):\n        return 10 if nights > 7 else 0\n\n    def total(self, nights):\n        return nights * 80 - self.discount(nights)\n"})
	if c := call(t, "ask", "--repo", repo, "--config", operator(t, tiers), "--quiet", "which discount has the total of a week?"); c.code != 0 || len(srv.Calls()) != 1 {
		t.Fatalf("status %d\n%s%s", c.code, c.out, c.errors)
	}
	user := srv.Calls()[0].User
	for _, line := range []string{"# The discount of a full week.", "def discount(self, nights):", "def total(self, nights):", "return nights * 80"} {
		if strings.Count(user, line) != 1 {
			t.Errorf("%q stands there %d times\n%s", line, strings.Count(user, line), user)
		}
	}
}
