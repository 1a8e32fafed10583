package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/task"
)

const stranger = "stranger"

// A fault that mechanical repair mends, and whose change is ready and no draft: the
// issue, a red test and the documentation agree.
const (
	stayTitle = "Seven-night guests are charged the full price"
	stayBody  = "total(10000, 7) gives 70000 and should give 63000: seven nights or more are 10 % off."
)

func stayFiles() map[string]string {
	return map[string]string{
		"stay.py":      "\"\"\"What a stay costs.\"\"\"\n\n\ndef discount_percent(nights):\n    \"\"\"Seven nights or more are 10 % off.\"\"\"\n    if nights > 7:\n        return 10\n    return 0\n\n\ndef total(cents, nights):\n    \"\"\"The price of a stay, in cents.\"\"\"\n    return cents * nights * (100 - discount_percent(nights)) // 100\n",
		"test_stay.py": "import unittest\n\nfrom stay import discount_percent, total\n\n\nclass Stay(unittest.TestCase):\n    def test_a_short_stay_costs_the_full_price(self):\n        self.assertEqual(total(10000, 3), 30000)\n\n    def test_no_discount_below_a_week(self):\n        self.assertEqual(discount_percent(6), 0)\n\n    def test_a_full_week_is_discounted(self):\n        self.assertEqual(total(10000, 7), 63000)\n\n    def test_a_long_stay_is_discounted(self):\n        self.assertEqual(discount_percent(10), 10)\n",
	}
}

// outside is a world with that fault.
func outside(t *testing.T, repo, config string) *world {
	t.Helper()
	files := stayFiles()
	if repo != "" {
		files[".fettle.yml"] = repo
	}
	return newWorld(t, files, config)
}

// asked is an issue of somebody who may not write, labelled by somebody who may.
func (w *world) asked() int {
	w.Helper()
	n, err := w.sim.OpenIssue(owner, "weave", stayTitle, stayBody, stranger)
	w.must(err)
	w.must(w.sim.Label(owner, "weave", n, "agent:fix", human))
	return n
}

// waiting tells whether the only run waits at a gate.
func (w *world) waiting(kind task.GateKind) func() bool {
	return func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].Waiting != nil && all[0].Waiting.Kind == kind
	}
}

// git asks the simulator's repository.
func (w *world) git(args ...string) string {
	w.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir", w.gitDir()}, args...)...).Output()
	w.must(err)
	return strings.TrimSpace(string(out))
}

func said(i simulator.IssueView) string {
	var all []string
	for _, c := range i.Comments {
		all = append(all, c.Body)
	}
	return strings.Join(all, "\n----\n")
}

func TestL6AnOutsidersChangeIsADraftWithoutCIUntilItIsApproved(t *testing.T) {
	heavy(t)
	w := outside(t, "", "")
	s := w.start()
	n := w.asked()
	w.until(time.Minute, "the run waits with its draft", w.waiting(task.GateOutsider))
	snap := w.sim.Snapshot(owner, "weave")
	if len(snap.Pulls) != 1 || !snap.Pulls[0].Draft || !strings.Contains(snap.Pulls[0].Body, stranger) || strings.Contains(snap.Pulls[0].Body, "[skip ci]") {
		t.Fatalf("pull requests %+v", snap.Pulls)
	}
	draft := snap.Pulls[0]
	if subject := w.git("log", "-1", "--format=%s", draft.HeadSHA); !strings.HasSuffix(subject, "[skip ci]") {
		t.Errorf("CI is not asked to skip %q", subject)
	}
	_, err := w.sim.Comment(owner, "weave", n, "/fettle approve", stranger)
	w.must(err)
	w.until(time.Minute, "the stranger is refused", func() bool {
		return strings.Contains(said(w.sim.Snapshot(owner, "weave").Issues[0]), "Only people who may write")
	})
	if !w.waiting(task.GateOutsider)() {
		t.Fatal("a stranger approved")
	}
	_, err = w.sim.Comment(owner, "weave", draft.Number, "/fettle approve", human) // where the change is read
	w.must(err)
	w.until(time.Minute, "the run ends", w.ended)
	w.stop(s)
	snap = w.oracle(n)
	ready := snap.Pulls[0]
	if ready.Draft || ready.HeadSHA == draft.HeadSHA || w.git("rev-parse", ready.HeadSHA+"^") != draft.HeadSHA {
		t.Errorf("draft %v at %s on %s", ready.Draft, ready.HeadSHA, draft.HeadSHA)
	}
	if w.git("rev-parse", ready.HeadSHA+"^{tree}") != w.git("rev-parse", draft.HeadSHA+"^{tree}") || strings.Contains(w.git("log", "-1", "--format=%B", ready.HeadSHA), "skip ci") {
		t.Errorf("approved: %s", w.git("show", ready.HeadSHA))
	}
	if strings.Contains(ready.Body, stranger) {
		t.Errorf("the open point is left:\n%s", ready.Body)
	}
	if r := w.runs()[0]; r.Outcome != task.Success || r.Result.Draft {
		t.Errorf("%s, draft %v: %s", r.Outcome, r.Result.Draft, r.Reason)
	}
}

func TestL6AnOutsidersDraftThatIsStoppedStaysAsItIs(t *testing.T) {
	endToEnd(t) // TestS3WhatPeopleDoToIssuesAndPullRequests, of bot
	w := outside(t, "", "")
	s := w.start()
	n := w.asked()
	w.until(time.Minute, "the run waits with its draft", w.waiting(task.GateOutsider))
	w.must(w.sim.CloseIssue(owner, "weave", n, human))
	w.until(time.Minute, "the run ends", w.ended)
	w.stop(s)
	snap := w.oracle(n)
	if r := w.runs()[0]; r.Outcome != task.Success || !r.Result.Draft || len(snap.Pulls) != 1 || !snap.Pulls[0].Draft {
		t.Errorf("%s, %s; %+v", r.Outcome, r.Reason, snap.Pulls)
	}
}

func TestL6NothingOfAnOutsiderIsPushedBeforeAYes(t *testing.T) {
	endToEnd(t)
	answers := []bool{true}
	if !testing.Short() {
		answers = append(answers, false)
	}
	for _, yes := range answers {
		w := outside(t, "gates: {outsider: approve}\n", "gates: {outsider: skip_ci}\n") // a repository may ask for more
		s := w.start()
		n := w.asked()
		w.until(time.Minute, "the run waits", w.waiting(task.GateOutsider))
		if snap := w.sim.Snapshot(owner, "weave"); len(snap.Branches) != 1 || len(snap.Pulls) != 0 || !strings.Contains(said(snap.Issues[0]), "May this be published?") {
			t.Fatalf("branches %v, pull requests %+v\n%s", snap.Branches, snap.Pulls, said(snap.Issues[0]))
		}
		_, err := w.sim.Comment(owner, "weave", n, map[bool]string{true: "/fettle approve", false: "/fettle reject we do not want this"}[yes], human)
		w.must(err)
		w.until(time.Minute, "the run ends", w.ended)
		w.stop(s)
		snap, r := w.oracle(n), w.runs()[0]
		switch {
		case yes && (r.Outcome != task.Success || len(snap.Pulls) != 1 || snap.Pulls[0].Draft || strings.Contains(w.git("log", "-1", "--format=%B", snap.Pulls[0].HeadSHA), "skip ci")):
			t.Errorf("approved: %s, %+v", r.Outcome, snap.Pulls)
		case !yes && (r.Outcome != task.Rejected || len(snap.Branches) != 1 || !strings.Contains(said(snap.Issues[0]), "we do not want this")):
			t.Errorf("rejected: %s, %v\n%s", r.Outcome, snap.Branches, said(snap.Issues[0]))
		}
	}
}

func TestL6OffPublishesAnOutsidersChangeLikeAnyOther(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestL6AnOutsidersChangeIsADraftWithoutCIUntilItIsApproved stands for it in the quick one")
	}
	heavy(t)
	w := outside(t, "", "gates: {outsider: off}\n")
	s := w.start()
	n := w.asked()
	w.until(time.Minute, "the run ends", w.ended)
	w.stop(s)
	if snap := w.oracle(n); len(snap.Pulls) != 1 || snap.Pulls[0].Draft || strings.Contains(w.git("log", "-1", "--format=%B", snap.Pulls[0].HeadSHA), "skip ci") {
		t.Errorf("%+v", snap.Pulls)
	}
}

func TestS3PlanStopsWithAPlanAndRetryTriesAgain(t *testing.T) {
	endToEnd(t) // TestAMaintainersEvening, of bot
	w := newWorld(t, quickFiles(), "")
	n, err := w.sim.OpenIssue(owner, "weave", quickTitle, quickBody, human)
	w.must(err)
	s := w.start()
	say := func(words string) {
		_, err := w.sim.Comment(owner, "weave", n, words, human)
		w.must(err)
	}
	say("/fettle plan")
	w.until(time.Minute, "the run waits with its plan", w.waiting(task.GatePlan))
	if r := w.runs()[0]; r.Attempts != 0 || !strings.Contains(said(w.sim.Snapshot(owner, "weave").Issues[0]), "Is this plan right?") {
		t.Errorf("%d attempts before the plan was approved\n%s", r.Attempts, said(w.sim.Snapshot(owner, "weave").Issues[0]))
	}
	say("/fettle retry")
	w.until(time.Minute, "the retry is answered", func() bool {
		return strings.Contains(said(w.sim.Snapshot(owner, "weave").Issues[0]), "A run is under way here")
	})
	say("/fettle stop")
	w.until(time.Minute, "the run ends", w.ended)
	say("/fettle retry --tier mechanical")
	w.until(time.Minute, "another run waits with its plan", func() bool {
		all := w.runs()
		return len(all) == 2 && all[0].Waiting != nil && all[0].Waiting.Kind == task.GatePlan
	})
	say("/fettle approve")
	w.until(time.Minute, "the run ends", w.ended)
	w.stop(s)
	if r := w.runs()[0]; r.Outcome != task.Success || r.Tier != task.TierMechanical || r.Budget.MaxTier != task.TierMechanical {
		t.Errorf("%s at %s, up to %s: %s", r.Outcome, r.Tier, r.Budget.MaxTier, r.Reason)
	}
}
