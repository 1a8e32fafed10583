package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// judged is an evening on which .fettle.yml says this of judging.
func judged(t *testing.T, judging string) *evening {
	t.Helper()
	files := weaveFiles()
	if judging != "" {
		files[".fettle.yml"] = "judge: " + judging + "\n"
	}
	return newEvening(t, files, task.Gates{}, mends)
}

// change commits a file to a branch, which begins at main.
func (e *evening) change(branch, path, text string) (sha string) {
	e.Helper()
	sha, err := e.sim.CommitFile(acme, shopN, branch, path, []byte(text), "change "+path, ada)
	e.must(err)
	return sha
}

func (e *evening) request(branch, body, author string) int {
	e.Helper()
	n, err := e.sim.OpenPull(acme, shopN, "fix: "+branch, body, branch, "main", author, false)
	e.must(err)
	return n
}

// concluded waits for the judge's check on a commit.
func (e *evening) concluded(sha, conclusion, title string) {
	e.Helper()
	e.until(title+" on "+sha, func() bool { return e.check(sha) != nil })
	if c := e.check(sha); c.Conclusion != conclusion || !strings.HasPrefix(c.Title, title) {
		e.Errorf("%s is %s (%s), want %s (%s)", sha, c.Title, c.Conclusion, title, conclusion)
	}
}

// handled waits until nothing waits or is worked on.
func (e *evening) handled() {
	e.Helper()
	e.must(e.sim.Settle(e.Context()))
	e.until("all is handled", func() bool {
		depth, err := e.db.Depth(context.Background())
		e.must(err)
		return depth.Deliveries["queued"]+depth.Deliveries["working"] == 0
	})
}

// remarks are the comments of fettle's own on a pull request.
func (e *evening) remarks(n int) (all []string) {
	for _, p := range e.snap().Pulls {
		for _, c := range p.Comments {
			if p.Number == n && strings.HasPrefix(c.Author, "fettle") {
				all = append(all, c.Body)
			}
		}
	}
	return all
}

func TestJudgedAPullRequestIsJudgedAtEachPush(t *testing.T) {
	t.Parallel()
	e := judged(t, "{pull_requests_of: [people]}")
	worse := e.change("turns", "weave.py", "def interleave(first, second):\n    return None\n")
	n := e.request("turns", "It does.", ada)
	e.concluded(worse, "failure", "refuted")
	better := e.change("turns", "weave.py", mendedWeave("One of each in turn."))
	e.until("the comment is of the last push", func() bool { return e.told(n, better+"; the next push is judged by itself")() })
	e.concluded(better, "success", "p") // proven or plausible, as the planted faults have it
	e.handled()
	if got := e.remarks(n); len(got) != 1 || !strings.Contains(got[0], "test_takes_turns") || strings.Contains(got[0], "refuted") {
		t.Errorf("%d comments: %q", len(got), got)
	}
	for _, p := range e.snap().Pulls {
		if len(p.Reviews) != 0 || p.State != "open" {
			t.Errorf("the judge approves or merges: %+v", p)
		}
	}
}

func TestJudgedForksAreJudgedWhereTheBaseSaysSo(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	e := judged(t, "{pull_requests_of: [forks], deny: [mel]}")
	e.must(e.sim.SetPermission(acme, shopN, mel, "read"))
	// What a fork says in its own .fettle.yml does not count.
	files := map[string]string{"weave.py": mendedWeave("x"), ".fettle.yml": "judge: {pull_requests_of: [people], allow: [mel]}\nsetup: [\"touch /work/pwned\"]\n"}
	n, err := e.sim.OpenForkPull(acme, shopN, "mine", "look", eve, "patch-1", files)
	e.must(err)
	m, err := e.sim.OpenForkPull(acme, shopN, "mine", "look", mel, "patch-2", files)
	e.must(err)
	e.change("turns", "weave.py", mendedWeave("y"))
	own := e.request("turns", "", ada)
	e.until("the fork's is judged", e.told(n, "fettle judge: "))
	e.handled()
	for _, other := range []int{m, own} {
		if got := e.remarks(other); len(got) != 0 {
			t.Errorf("#%d was judged: %q", other, got)
		}
	}
	// Whoever may write may ask, and nobody else.
	e.say(m, "/fettle judge", mel)
	e.handled()
	if e.told(m, "fettle judge: ")() {
		t.Error("somebody who may not write had it judged")
	}
	e.say(m, "/fettle judge", ada)
	e.until("it is judged as asked", e.told(m, "`/fettle judge` has a later push judged"))
}

func TestJudgedWhatIsNotProvedPassesOnlyWhereNothingIsRequired(t *testing.T) {
	t.Parallel()
	for judging, want := range map[string]string{"{pull_requests_of: [people]}": "neutral", "{required: true}": "failure"} {
		e := judged(t, judging)
		e.judges = func(_ context.Context, in judge.Input) (judge.Report, error) { // a double
			if strings.Contains(in.Title, "broken") {
				return judge.Report{}, errors.New("the tests could not be started")
			}
			return judge.Report{Judgement: judge.Unproven, Reasons: []string{"nothing shows it"}}, nil
		}
		sha := e.change("a", "weave.py", mendedWeave("x"))
		e.request("a", "", ada)
		e.concluded(sha, want, "unproven: nothing shows it")
		issue := e.open("it is broken", "here", ada)
		sha = e.change("b", "weave.py", mendedWeave("y"))
		e.request("b", fmt.Sprintf("Fixes #%d", issue), ada)
		e.concluded(sha, want, "could not be judged")
	}
}

// A check belongs to a commit: what another branch says of the same commit, or GitHub's
// not answering, makes no required check green.
func TestJudgedARequiredCheckIsOfItsBranchAlone(t *testing.T) {
	t.Parallel()
	e := judged(t, "{required: true}")
	e.must(e.sim.SetRequired(acme, shopN, "main", bot.JudgeCheck("main")))
	_, err := e.sim.CommitFile(acme, shopN, "old", ".fettle.yml", []byte("judge: {pull_requests_of: [people, forks]}\n"), "another file", ada)
	e.must(err)
	e.judges = func(context.Context, judge.Input) (judge.Report, error) { // a double
		return judge.Report{Judgement: judge.Unproven, Reasons: []string{"nothing shows it"}}, nil
	}
	sha := e.change("a", "weave.py", mendedWeave("x"))
	n := e.request("a", "", ada)
	e.concluded(sha, "failure", "unproven")
	_, err = e.sim.OpenPull(acme, shopN, "the same elsewhere", "", "a", "old", ada, false)
	e.must(err)
	e.until("the other branch has its own", func() bool {
		return slices.ContainsFunc(e.snap().Checks, func(c simulator.CheckView) bool { return c.Name == bot.JudgeCheck("old") && c.Conclusion == "neutral" })
	})
	e.handled()
	if err := e.sim.MergePull(acme, shopN, n, ada); err == nil || e.check(sha).Conclusion != "failure" {
		t.Errorf("merged: %v, %+v", err, e.check(sha))
	}
}

// What the base means to require is not known where its file cannot be read.
func TestJudgedABaseThatCannotBeReadLetsNothingThrough(t *testing.T) {
	t.Parallel()
	e := judged(t, "{required: maybe}")
	sha := e.change("a", "weave.py", mendedWeave("x"))
	e.request("a", "", ada)
	e.concluded(sha, "failure", "could not be judged")
}

func TestJudgedAPullRequestThatIsReopenedIsJudgedAgain(t *testing.T) {
	t.Parallel()
	e := judged(t, "{pull_requests_of: [people]}")
	began := make(chan struct{}, 10)
	goOn := make(chan struct{})
	e.judges = func(ctx context.Context, _ judge.Input) (judge.Report, error) { // a double
		began <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return judge.Report{Judgement: judge.Proven}, ctx.Err()
	}
	sha := e.change("a", "weave.py", mendedWeave("x"))
	n := e.request("a", "", ada)
	<-began
	e.must(e.sim.CloseIssue(acme, shopN, n, ada))
	close(goOn)
	e.handled()
	if c := e.check(sha); c != nil {
		t.Errorf("a closed pull request has %+v", c)
	}
	e.must(e.sim.ReopenIssue(acme, shopN, n, ada))
	e.concluded(sha, "success", "proven")
}

func TestJudgedAPushDuringTheJudgingCountsInItsPlace(t *testing.T) {
	t.Parallel()
	e := judged(t, "{pull_requests_of: [people]}")
	began := make(chan struct{})
	var times atomic.Int32
	e.judges = func(ctx context.Context, _ judge.Input) (judge.Report, error) { // a double
		if times.Add(1) == 1 {
			close(began)
			<-ctx.Done() // the push ends it
			return judge.Report{}, ctx.Err()
		}
		return judge.Report{Judgement: judge.Refuted}, nil
	}
	first := e.change("a", "weave.py", mendedWeave("x"))
	n := e.request("a", "", ada)
	<-began
	second := e.change("a", "weave.py", brokenWeave)
	e.concluded(second, "failure", "refuted")
	e.handled()
	if c := e.check(first); c != nil {
		t.Errorf("the commit before has %+v", c)
	}
	if got := e.remarks(n); len(got) != 1 || !strings.Contains(got[0], "refuted") {
		t.Errorf("comments: %q", got)
	}
}

func TestJudgedJudgeIsAnsweredWhereThereIsNothingToJudge(t *testing.T) {
	t.Parallel()
	e := judged(t, "")
	n := e.open("a question", "why?", ada)
	e.say(n, "/fettle judge", ada)
	e.until("it is answered", e.told(n, "say it on a pull request"))
}
