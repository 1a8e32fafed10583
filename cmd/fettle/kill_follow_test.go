package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// reviewed is weave.py as a follow-up leaves it.
const reviewed = `def interleave(first, second):
    """Give one of each in turn, then what is left of the longer."""
    out = []
    for i in range(max(len(first), len(second))):
        out += first[i:i + 1] + second[i:i + 1]
    return out
`

// TestF01KilledAtTheEffectsOfFollowUps: the server is killed after each thing that
// it does to a pull request that stands; nothing is left out and nothing comes twice.
func TestF01KilledAtTheEffectsOfFollowUps(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	_, tiers := models(t, func(c scripted.Call, _ int) scripted.Answer {
		if strings.Contains(c.User, "docstring") {
			return scripted.Answer{Text: scripted.Edit("weave.py", "interleave", reviewed, "The docstring says what is left.")}
		}
		return scripted.Answer{Text: right}
	}, task.Tier1)
	files := weaveFiles()
	files[".fettle.yml"] = "gates: [\"somebody has to read it\"]\n"
	w := newWorld(t, files, tiers)
	n := w.ask(weaveTitle, weaveBody)
	label := w.labelled()
	w.whileItDies(func(url string) {
		w.post(url, label.header.Get("X-GitHub-Delivery"), "issues", label.body, signedBy(canary))
	})
	pull := func() simulator.PullView { return w.sim.Snapshot(owner, "weave").Pulls[0] }
	if len(w.sim.Snapshot(owner, "weave").Pulls) != 1 || !pull().Draft {
		t.Fatalf("no draft stands\n%s", w.tail())
	}
	w.kills = 1
	w.spared = "delivery_accepted job_claimed token_minted cloned saved_triaged saved_baseline saved_localised saved_attempt prompt_sent reply_stored edit_applied testing"
	commits := 1
	step := func(name, event string, act func() error, ended func() bool, made int, points ...string) {
		t.Helper()
		_ = os.Remove(w.killed)
		w.sim.SetWebhook(w.sink, canary)
		w.mu.Lock()
		w.held = nil
		w.mu.Unlock()
		w.must(act())
		w.must(w.sim.Settle(t.Context()))
		w.mu.Lock()
		at := slices.IndexFunc(w.held, func(h held) bool { return h.header.Get("X-GitHub-Event") == event })
		if at < 0 {
			t.Fatalf("%s: no event %s", name, event)
		}
		told := w.held[at]
		w.mu.Unlock()
		w.whileItDiesUntil(ended, func(url string) {
			w.post(url, told.header.Get("X-GitHub-Delivery"), event, told.body, signedBy(canary))
		})
		deaths := w.deaths()
		for _, p := range points {
			if !slices.Contains(deaths, p) {
				t.Errorf("%s: the server was never killed at %q, but at %v", name, p, deaths)
			}
		}
		commits += made
		out, err := exec.Command("git", "--git-dir", w.gitDir(), "rev-list", "--count", "--first-parent", "main.."+pull().Head).Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(commits) {
			t.Errorf("%s: %s commits on the branch, want %d (%v)\n%s", name, got, commits, err, w.tail())
		}
	}
	runs := func(n int) func() bool { return func() bool { return len(w.runs()) == n && w.ended() } }
	says := func(words string) int {
		count := 0
		for _, c := range pull().Comments {
			count += strings.Count(c.Body, words)
		}
		return count
	}

	step("a moved base", "push", func() error {
		w.must(w.sim.Ready(owner, "weave", pull().Number, false, human)) // and it becomes a draft again
		_, err := w.sim.CommitFile(owner, "weave", "main", "weave.py", []byte(strings.Replace(weave, "first + second\n", "first + second\n\n\ndef rest(items):\n    return items[1:]\n", 1)), "the rest", human)
		return err
	}, runs(2), 1, "committed", "branch_moved", "pushed", "made_a_draft", "told", "published")
	if says("The moved base is answered") != 1 {
		t.Errorf("said of the base:\n%s", said(pull().IssueView))
	}
	step("a review", "pull_request_review", func() error {
		_, err := w.sim.Review(owner, "weave", pull().Number, "changes_requested", "Say in the docstring what is left.", human, simulator.Remark{Path: "weave.py", Line: 2, Body: "Say in this docstring what is left."}, simulator.Remark{Path: "weave.py", Line: 5, Body: "Why does it go by the maximum?"})
		return err
	}, runs(3), 1, "committed", "branch_moved", "pushed", "made_a_draft", "thread_answered", "thread_resolved", "told", "published")
	for i, th := range pull().Threads {
		if len(th.Comments) != 2 || (th.ResolvedBy != "") != (i == 0) {
			t.Errorf("thread %d: %+v", i, th)
		}
	}
	if says("The review is answered") != 1 {
		t.Errorf("said of the review:\n%s", said(pull().IssueView))
	}
	step("an undo", "issue_comment", func() error {
		_, err := w.sim.Comment(owner, "weave", pull().Number, "/fettle undo", human)
		return err
	}, runs(4), 1, "committed", "branch_moved", "told", "published")
	if says("is taken back by") != 1 || strings.Contains(pull().Diff, "left of the longer") {
		t.Errorf("said of the undo:\n%s\n%s", said(pull().IssueView), pull().Diff)
	}
	step("an approval", "pull_request_review", func() error {
		_, err := w.sim.Review(owner, "weave", pull().Number, "approved", "", human)
		return err
	}, func() bool {
		i := w.sim.Snapshot(owner, "weave").Issues[0]
		return !pull().Draft && slices.Contains(i.Labels, "agent:pr-ready") && strings.Contains(said(i), "opened #")
	}, 0, "made_ready")
	snap := w.oracle(n)
	if len(snap.Pulls) != 1 || len(w.runs()) != 4 || !strings.HasSuffix(strings.TrimSpace(pull().Body), fmt.Sprintf("Fixes #%d", n)) {
		t.Errorf("%d pull requests, %d runs\n%s", len(snap.Pulls), len(w.runs()), pull().Body)
	}
}
