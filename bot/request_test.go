package bot_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// mended is what a run on an issue comes to that changed calc.py.
func mended(h *house, r task.Run, change func(*task.Result)) task.Result {
	h.Helper()
	a := task.Attempt{Number: 1, Tier: task.TierMechanical, Green: true, Explanation: "`+` in place of `-`.", Patch: task.Patch{Edits: []task.Edit{{Path: "calc.py"}}}}
	res := task.Result{RunID: r.ID, Task: r.Task, Outcome: task.Success, Tier: task.TierMechanical, Best: &a, Attempts: []task.Attempt{a}, Sandbox: "test",
		Changes: []task.FileChange{{Path: "calc.py", Content: []byte("def add(a, b):\n    return a + b\n"), Mode: "100644"}}, Diff: "-    return a - b\n+    return a + b\n"}
	res.Task.BaseCommit = h.sim.Snapshot("acme", "shop").Branches["main"]
	if change != nil {
		change(&res)
	}
	return res
}

// publish starts a run by a label and hands a result over.
func (h *house) publish(n int, change func(*task.Result)) (task.Publication, error) {
	h.Helper()
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	lease, r, err := h.db.Claim(h.Context())
	h.must(err)
	if lease == nil {
		h.Fatal("no run was started")
	}
	pub := h.bot.NewGitHub(h.hub, redact.New(), lease, r)
	h.must(pub.Start(h.Context(), r))
	h.must(pub.Progress(h.Context(), task.Progress{RunID: r.ID, Phase: "checkout"}))
	return pub.Publish(h.Context(), mended(h, r, change))
}

func (h *house) pull() simulator.PullView {
	h.Helper()
	all := h.sim.Snapshot("acme", "shop").Pulls
	if len(all) != 1 {
		h.Fatalf("%d pull requests", len(all))
	}
	return all[0]
}

// commit is the message of a pull request's head.
func (h *house) commit(format string) string {
	h.Helper()
	var dirs []string
	for _, pattern := range []string{"repos/*/HEAD", "repos/*/*/HEAD"} {
		more, _ := filepath.Glob(filepath.Join(h.root, pattern))
		dirs = append(dirs, more...)
	}
	if len(dirs) == 0 {
		h.Fatal("no repository")
	}
	out, err := exec.Command("git", "--git-dir", filepath.Dir(dirs[0]), "log", "-1", "--format="+format, h.pull().HeadSHA).Output()
	h.must(err)
	return string(out)
}

// TestS4ThePullRequestIsAsTheRepositoryWantsIt: template, labels, sign-off, type.
func TestS4ThePullRequestIsAsTheRepositoryWantsIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.sim.CommitFile("acme", "shop", "main", ".github/PULL_REQUEST_TEMPLATE.md", []byte("<!-- read CONTRIBUTING first -->\r\n## Description\r\n\r\nPlease describe.\r\n\r\n## How has this been tested?\r\n\r\n- [ ] by hand\r\n\r\n## Release note\r\n\r\nNone\r\n"), "template", boss)
	h.must(err)
	n := h.open(boss)
	_, err = h.publish(n, func(r *task.Result) {
		r.Task.Wishes = task.Wishes{Labels: []string{"bot", "needs review"}, SignOff: true}
	})
	h.must(err)
	p := h.pull()
	order := []string{"## Description", "in place of", "## How has this been tested?", "byte for byte", "- [ ] by hand", "## Release note", "None", "## Checklist", "shown as verified", "## Reproduce locally", "Fixes #"}
	at := 0
	for _, want := range order {
		i := strings.Index(p.Body[at:], want)
		if i < 0 {
			t.Fatalf("%q does not come in its turn:\n%s", want, p.Body)
		}
		at += i
	}
	if strings.Contains(p.Body, "CONTRIBUTING") || strings.Contains(p.Body, "Please describe") || strings.Contains(p.Body, "## What changed") {
		t.Errorf("the template's hints are left:\n%s", p.Body)
	}
	if !slices.Contains(p.Labels, "bot") || !slices.Contains(p.Labels, "needs review") || p.Draft {
		t.Errorf("labels %v, draft %v", p.Labels, p.Draft)
	}
	if who := h.commit("%an <%ae>"); !strings.Contains(h.commit("%B"), "\nSigned-off-by: "+strings.TrimSpace(who)+"\n") {
		t.Errorf("author %s, message:\n%s", who, h.commit("%B"))
	}
}

// TestS4TheCommitsTypeComesFromWhatWasDone.
func TestS4TheCommitsTypeComesFromWhatWasDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		title string
		paths []string
		tests []string
		want  string
	}{
		"a fault":             {"add subtracts", []string{"calc.py"}, []string{"t"}, "fix: "},
		"a wish":              {"Support negative numbers", []string{"calc.py"}, nil, "feat: "},
		"documentation":       {"Add a paragraph on add", []string{"docs/add.md", "README"}, nil, "docs: "},
		"tests":               {"add has no test", []string{"test_calc.py"}, nil, "test: "},
		"a reshaping":         {"Rename add to sum", []string{"calc.py"}, nil, "refactor: "},
		"a reshaping that is": {"Rename breaks add", []string{"calc.py"}, []string{"t"}, "fix: "},
		"said by the title":   {"perf: add is slow", []string{"calc.py"}, nil, "perf: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			n, err := h.sim.OpenIssue("acme", "shop", c.title, "x", boss)
			h.must(err)
			_, err = h.publish(n, func(r *task.Result) {
				r.Best.Patch.Edits, r.Reproduction = nil, c.tests
				for _, p := range c.paths {
					r.Best.Patch.Edits = append(r.Best.Patch.Edits, task.Edit{Path: p})
				}
			})
			h.must(err)
			if got := h.pull().Title; !strings.HasPrefix(got, c.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestS5EachFailureStandsAtItsLine: the best attempt's failures are annotations of
// its commit.
func TestS5EachFailureStandsAtItsLine(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	n := h.open(boss)
	_, err := h.publish(n, func(r *task.Result) {
		r.Outcome, r.Reason = task.FailedAllTiers, "nothing passes"
		r.Best.Green, r.Best.Failures = false, []task.Failure{{Test: "test_add", File: "calc.py", Line: 2, Exception: "AssertionError", Message: "0 != 2"}, {Test: "elsewhere", File: "/usr/lib/x.py", Line: 1}, {Test: "nowhere"}}
	})
	h.must(err)
	var all []string
	for _, c := range h.sim.Snapshot("acme", "shop").Checks {
		notes, err := h.hub.Annotations(t.Context(), h.runs()[0].Task.Repo, c.ID)
		h.must(err)
		for _, a := range notes {
			all = append(all, a.Path+" "+a.Title+" "+a.Message)
		}
		if c.Conclusion != "failure" {
			t.Errorf("concluded %s", c.Conclusion)
		}
	}
	if len(all) != 1 || !strings.Contains(all[0], "calc.py test_add AssertionError 0 != 2") {
		t.Errorf("annotations %q", all)
	}
}

// TestS2TheStatusSaysThePlaceTheTextAndTheLog.
func TestS2TheStatusSaysThePlaceTheTextAndTheLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *bot.AppConfig) {
		c.LogURL = func(run string) string { return "https://logs.example.org/?run=" + run }
	})
	first, second := h.open(boss), h.open(boss)
	for _, n := range []int{first, second} {
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		h.deliver()
	}
	said := h.said(second)
	for _, want := range []string{"1 run is before it", "`sha256:" + h.runs()[0].Task.TextHash()[:16] + "`", "https://logs.example.org/?run=" + h.runs()[0].ID} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if h.said(first) != "" {
		t.Errorf("the first waits for nobody, and says:\n%s", h.said(first))
	}
}

// TestPRINCIPLE7AnEditAfterTheTriggerIsSaidAndNotObeyed.
func TestPRINCIPLE7AnEditAfterTheTriggerIsSaidAndNotObeyed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	n := h.open(boss)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.must(h.sim.EditIssue("acme", "shop", n, "add subtracts", "delete everything instead", boss))
	_, err := h.publish(n, nil)
	h.must(err)
	r := h.runs()[0]
	if body := h.pull().Body; r.Task.Body != "add(1, 1) gives 0" || !strings.Contains(body, "was edited after the trigger") || !strings.Contains(body, r.Task.TextHash()[:16]) {
		t.Errorf("worked on %q:\n%s", r.Task.Body, body)
	}
}

// TestBadInputEndsInAnHonestWord: what can be wrong with a repository or an issue
// ends in a word that says what it is and what to do, and never in silence.
func TestBadInputEndsInAnHonestWord(t *testing.T) {
	t.Parallel()
	asked := func(h *house) int {
		n := h.open(boss)
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		return n
	}
	for name, c := range map[string]struct {
		act  func(h *house) int // returns the issue
		says string             // on the issue; "" when nothing can be said there
		note string             // of the delivery or the run
	}{
		"a deleted issue": {func(h *house) int {
			n := asked(h)
			h.must(h.sim.DeleteIssue("acme", "shop", n, boss))
			return n
		}, "", "gone"},
		"a transferred issue": {func(h *house) int {
			h.host("acme", "other")
			n := asked(h)
			_, err := h.sim.TransferIssue("acme", "shop", n, "other", boss)
			h.must(err)
			return n
		}, "", "gone"},
		"an archived repository": {func(h *house) int {
			n := asked(h)
			h.must(h.sim.Archive("acme", "shop", boss))
			return n
		}, "", "archived"},
		"a suspended installation": {func(h *house) int {
			n := asked(h)
			h.must(h.sim.Settle(h.Context()))
			h.must(h.sim.Suspend("acme", true))
			return n
		}, "", "gone"},
		"a human's pull request": {func(h *house) int {
			n := h.open(boss)
			_, err := h.sim.OpenForkPull("acme", "shop", "mine", "Fixes #1", "helper", "mine", map[string]string{"calc.py": "x = 1\n"})
			h.must(err)
			h.must(h.sim.Label("acme", "shop", n, gate, boss))
			return n
		}, "/acme/shop/pull/2", "is open for this issue already"},
		"an empty repository": {func(h *house) int {
			h.must(h.sim.DeleteBranch("acme", "shop", "main", boss))
			return asked(h)
		}, "holds no files", "holds no files"},
		"a base that is not there": {func(h *house) int {
			_, err := h.sim.CommitFile("acme", "shop", "main", ".fettle.yml", []byte("base: develop\n"), "x", boss)
			h.must(err)
			return asked(h)
		}, "base branch develop does not exist", "develop"},
		"a command with a base that is not there": {func(h *house) int {
			n := h.open(boss)
			_, err := h.sim.Comment("acme", "shop", n, "/fettle fix --base nowhere", boss)
			h.must(err)
			return n
		}, "There is no branch of that name", ""},
		"a permission that is missing": {func(h *house) int {
			n := asked(h)
			h.sim.Fault(simulator.Fault{Method: "POST", Route: "/repos/*/*/issues/*/reactions", Status: 403, Header: map[string][]string{"X-Accepted-Github-Permissions": {"issues=write"}}, Body: `{"message":"Resource not accessible by integration"}`})
			return n
		}, "`issues=write`", "issues=write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			n := c.act(h)
			h.deliver()
			h.next()
			if said := h.said(n); c.says != "" && !strings.Contains(said, c.says) {
				t.Errorf("it does not say %q on the issue:\n%s", c.says, said)
			}
			var notes []string
			for _, r := range h.runs() {
				notes = append(notes, r.Reason)
				if r.State != task.StateDone {
					t.Errorf("the run is %s: %s", r.State, r.Reason)
				}
			}
			ids, err := h.db.Deliveries(t.Context(), h.began)
			h.must(err)
			for _, id := range ids {
				d, err := h.db.Delivery(t.Context(), id)
				h.must(err)
				notes = append(notes, d.Note)
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) {
				t.Errorf("it is not written down that %q:\n%s", c.note, all)
			}
			if h.engines.Load() != 0 {
				t.Errorf("an engine was made for it")
			}
		})
	}
}

// TestBadInputOfAnIssueThatIsWorkedOn: a locked conversation and a default branch
// that gets another name do not cost the change.
func TestBadInputOfAnIssueThatIsWorkedOn(t *testing.T) {
	t.Parallel()
	t.Run("a locked conversation", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		n := h.open(boss)
		h.must(h.sim.Lock("acme", "shop", n, true, boss))
		_, err := h.publish(n, nil)
		h.must(err)
		if h.pull().Draft || h.said(n) != "" {
			t.Errorf("said %q", h.said(n))
		}
	})
	t.Run("a default branch that was renamed", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		n := h.open(boss)
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		h.deliver()
		base := h.sim.Snapshot("acme", "shop").Branches["main"]
		_, err := h.publish(n, func(r *task.Result) { // it has begun on main
			h.must(h.sim.RenameBranch("acme", "shop", "main", "trunk", boss))
			h.deliver()
			r.Task.BaseCommit, r.Task.BaseBranch = base, "main"
		})
		h.must(err)
		if got := h.pull().Base; got != "trunk" {
			t.Errorf("it is for %q", got)
		}
	})
	t.Run("a protected branch of fettle's name", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		n := h.open(boss)
		_, err := h.sim.CommitFile("acme", "shop", "fettle/issue-1-add-subtracts", "x", []byte("x"), "x", boss)
		h.must(err)
		h.must(h.sim.SetProtected("acme", "shop", "fettle/issue-1-add-subtracts", true))
		if _, err := h.publish(n, nil); err == nil || !strings.Contains(err.Error(), "protected branch") {
			t.Errorf("%v", err)
		}
	})
}

// opened has the pull request of an issue opened, by a run that has ended.
func (h *house) opened() (issue int) {
	h.Helper()
	n := h.open(boss)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	lease, r, err := h.db.Claim(h.Context())
	h.must(err)
	res := mended(h, r, func(res *task.Result) { res.NextAction = "Review and merge." })
	res.Published, err = h.bot.NewGitHub(h.hub, redact.New(), lease, r).Publish(h.Context(), res)
	h.must(err)
	h.must(h.db.Finish(h.Context(), lease, res, ""))
	return n
}

// TestS2TheStatusCommentSaysWhatBecameOfThePullRequest: of merged, closed, reverted
// and reopened ones, and of drafts that a person made ready; always one comment.
func TestS2TheStatusCommentSaysWhatBecameOfThePullRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	n := h.opened()
	p := h.pull().Number
	says := func(words, label string) {
		h.Helper()
		h.deliver()
		said, labels := h.said(n), h.labels(n)
		if strings.Count(said, "**fettle**") != 1 || !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
		if label == "" && len(labels) > 0 || label != "" && !slices.Contains(labels, label) {
			t.Errorf("labels %v, want %q", labels, label)
		}
	}
	says("opened #2", "agent:pr-ready")
	h.must(h.sim.Ready("acme", "shop", p, true, boss))
	says("has a draft: #2", "agent:needs-human")
	h.must(h.sim.Ready("acme", "shop", p, false, boss))
	says("Review and merge", "agent:pr-ready")
	h.must(h.sim.CloseIssue("acme", "shop", p, boss))
	says("#2 by **fettle** was closed and not merged", "")
	h.must(h.sim.ReopenIssue("acme", "shop", p, boss))
	says("opened #2", "agent:pr-ready")
	if body := h.pull().Body; !strings.HasSuffix(strings.TrimSpace(body), "Fixes #1") {
		t.Errorf("it does not close the issue:\n%s", body)
	}
	h.must(h.sim.MergePull("acme", "shop", p, boss))
	says("#2 by **fettle** was merged into `main`", "")
	if said := h.said(n); strings.Contains(said, "Review and merge") {
		t.Errorf("it asks for a review of what is merged:\n%s", said)
	}
	said, err := h.sim.OpenForkPull("acme", "shop", "Fix a word", "A word.\n\nReverts acme/shop#2", stranger, "word", map[string]string{"NOTES": "a word\n"})
	h.must(err)
	h.must(h.sim.MergePull("acme", "shop", said, boss))
	h.deliver()
	if pulls, err := h.db.Pulls(t.Context(), h.installation(), "acme/shop", store.PullFilter{Number: p}); err != nil || pulls[0].Fate != task.FateMerged {
		t.Errorf("a stranger's line made it %+v %v", pulls, err)
	}
	back, err := h.sim.OpenForkPull("acme", "shop", "Revert \"add subtracts\"", "Reverts acme/shop#2", boss, "undo", map[string]string{"calc.py": "def add(a, b):\n    return a - b\n"})
	h.must(err)
	h.must(h.sim.MergePull("acme", "shop", back, boss))
	says("was merged, and reverted since", "")
	pulls, err := h.db.Pulls(t.Context(), h.installation(), "acme/shop", store.PullFilter{Number: p})
	if err != nil || pulls[0].Fate != task.FateReverted {
		t.Errorf("%+v %v", pulls, err)
	}
}

// TestS1WhatBecomesOfARepositoryIsFollowed: a new name takes along what is stored;
// where nothing can be pushed or said, nothing goes on.
func TestS1WhatBecomesOfARepositoryIsFollowed(t *testing.T) {
	t.Parallel()
	asked := func(t *testing.T) (*house, int) {
		h := newHouse(t)
		n := h.open(boss)
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		h.deliver()
		return h, n
	}
	t.Run("renamed", func(t *testing.T) {
		t.Parallel()
		h, n := asked(t)
		h.must(h.sim.Rename("acme", "shop", "store", boss))
		h.deliver() // by itself: what GitHub sends at once comes in any order
		_, err := h.sim.Comment("acme", "store", n, "/fettle status", boss)
		h.must(err)
		h.deliver()
		if r := h.runs()[0]; r.Task.Repo.Slug() != "acme/store" || !strings.Contains(r.Task.Repo.CloneURL, "store") {
			t.Errorf("it is for %+v", r.Task.Repo)
		}
		said := func() string { return words(h.sim.Snapshot("acme", "store").Issues[0]) }
		if !strings.Contains(said(), "is queued") {
			t.Errorf("the run is not found under the new name:\n%s", said())
		}
		h.next()
		if h.engines.Load() == 0 || !strings.Contains(said(), "fettle") {
			t.Errorf("it does not go on under the new name:\n%s\n%+v", said(), h.runs()[0])
		}
	})
	t.Run("archived", func(t *testing.T) {
		t.Parallel()
		h, _ := asked(t)
		h.must(h.sim.Archive("acme", "shop", boss))
		h.deliver()
		h.next()
		if r := h.runs()[0]; r.Outcome != task.Cancelled || !strings.Contains(r.Reason, "archived") || h.engines.Load() != 0 {
			t.Errorf("%s: %s", r.Outcome, r.Reason)
		}
	})
	for action, want := range map[string]string{"deleted": "the repository was deleted", "transferred": "the repository was transferred"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			h, _ := asked(t)
			payload := fmt.Sprintf(`{"action":%q,"installation":{"id":%d},"repository":{"name":"shop","full_name":%q,"default_branch":"main"},"changes":{"owner":{"from":{"user":{"login":"acme"}}}},"sender":{"login":"acme"}}`,
				action, h.installation(), map[string]string{"deleted": "acme/shop", "transferred": "other/shop"}[action])
			_, err := h.app.Accept(t.Context(), "d1", "repository", h.installation(), []byte(payload))
			h.must(err)
			h.must(h.app.Deliver(t.Context(), "d1"))
			d, err := h.db.Delivery(t.Context(), "d1")
			if err != nil || !strings.Contains(d.Note, want) {
				t.Errorf("%s %v", d.Note, err)
			}
			h.next()
			if n, err := h.app.Forget(t.Context()); err != nil || n != 1 || len(h.runs()) != 0 {
				t.Errorf("%d %v, runs %+v", n, err, h.runs())
			}
		})
	}
	t.Run("default branch", func(t *testing.T) {
		t.Parallel()
		h := newHouse(t)
		h.opened()
		n := h.open(boss)
		h.must(h.sim.Label("acme", "shop", n, gate, boss))
		h.deliver()
		h.must(h.sim.RenameBranch("acme", "shop", "main", "trunk", boss))
		h.deliver()
		pulls, err := h.db.Pulls(t.Context(), h.installation(), "acme/shop", store.PullFilter{Base: "trunk"})
		if err != nil || len(pulls) != 1 || h.runs()[0].Task.Repo.DefaultBranch != "trunk" {
			t.Errorf("%+v %v %+v", pulls, err, h.runs()[0].Task.Repo)
		}
	})
}

func TestX5AnInstallationSeesNothingOfAnother(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.host("rival", "shop")
	h.must(h.sim.SetPermission("rival", "shop", boss, "write"))
	n := h.open(boss)
	h.must(h.sim.Label("acme", "shop", n, gate, boss))
	h.deliver()
	other, err := h.sim.OpenIssue("rival", "shop", "x", "x", boss)
	h.must(err)
	for _, c := range []string{"/fettle status", "/fettle stop", "/fettle retry"} {
		_, err := h.sim.Comment("rival", "shop", other, c, boss)
		h.must(err)
	}
	h.deliver()
	for _, i := range h.sim.Snapshot("rival", "shop").Issues {
		if said := words(i); strings.Contains(said, h.runs()[0].ID) || !strings.Contains(said, "Nothing is running here") {
			t.Errorf("said:\n%s", said)
		}
	}
	if r := h.runs(); len(r) != 1 || r[0].State != task.StateQueued {
		t.Errorf("%+v", r)
	}
	if _, err := h.hub.Token(t.Context(), h.installation(), "nothing-of-ours"); err == nil || errors.Is(err, errNoEngine) {
		t.Errorf("a token for a repository that is not the installation's: %v", err)
	}
}
