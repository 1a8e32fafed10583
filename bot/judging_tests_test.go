package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	shopCode = `def discount(price, percent):
    return price - price * percent / 100


def shipping(weight):
    if weight > 10:
        return 20
    return 5
`
	shopTests = `import unittest

from shop import discount, shipping


class Shop(unittest.TestCase):
    def test_discount(self):
        self.assertEqual(discount(100, 10), 90)

    def test_shipping_is_known(self):
        self.assertIsNotNone(shipping(3))
        self.assertIsNotNone(shipping(30))
`
	pinnedShop = "test_shipping_pinned.py"
)

var shopMore = strings.Replace(shopCode, "    if weight > 10", "    if weight > 25:\n        return 50\n    if weight > 10", 1)

func shopEvening(t *testing.T, judging string) *evening {
	t.Helper()
	files := map[string]string{"shop.py": shopCode, "test_shop.py": shopTests}
	if judging != "" {
		files[".fettle.yml"] = "judge: " + judging + "\n"
	}
	return newEvening(t, files, task.Gates{}, mends)
}

// file is what a file of the repository holds at a commit or branch; "": it is not there.
func (e *evening) file(ref, name string) string {
	e.Helper()
	text, err := e.client.File(e.Context(), e.repo(), ref, name)
	e.must(err)
	return text
}

func (e *evening) head(n int) string {
	e.Helper()
	pr, err := e.client.Pull(e.Context(), e.repo(), n)
	e.must(err)
	return pr.HeadSHA
}

func (e *evening) repo() task.Repo {
	e.Helper()
	repo, err := e.client.Find(e.Context(), acme, shopN)
	e.must(err)
	return repo
}

func TestTestOfOthersIsShownAndCommittedOnRequest(t *testing.T) {
	t.Parallel()
	e := shopEvening(t, "")
	sha := e.change("more", "shop.py", shopMore)
	n := e.request("more", "Heavy things cost more.", ada)
	e.say(n, "/fettle test", mel) // may not write
	e.handled()
	if got := e.remarks(n); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "fettle test:") }) || e.judged.Load() != 0 {
		t.Fatalf("somebody who may not write had tests written: %q", got)
	}
	e.say(n, "/fettle test", ada)
	e.until("the tests are shown", e.told(n, "1 file of tests that this change lacks"))
	e.handled()
	comment := e.lastRemark(n, "fettle test:")
	for _, want := range []string{"+++ b/" + pinnedShop, "git apply tests.patch", "`/fettle test commit` has me commit it to `more`", "of them no other test notices", "is judged unproven", sha} {
		if !strings.Contains(comment, want) {
			t.Errorf("the comment lacks %q:\n%s", want, comment)
		}
	}
	if e.head(n) != sha {
		t.Error("the branch moved though nobody asked for it")
	}
	if e.check(sha) != nil {
		t.Error("tests were asked for, and a check was set")
	}
	// What was shown is what is committed, on top of what it was written for.
	e.say(n, "/fettle test commit", ada)
	e.until("the tests are committed", e.told(n, "Committed to `more` as"))
	e.handled()
	now := e.head(n)
	if now == sha || !strings.Contains(e.lastRemark(n, "fettle test:"), now) {
		t.Errorf("the branch stands at %s:\n%s", now, e.lastRemark(n, "fettle test:"))
	}
	if e.judged.Load() != 1 {
		t.Errorf("judged %d times, the second time from the record", e.judged.Load())
	}
	pinned := e.file("more", pinnedShop)
	for _, line := range strings.Split(strings.TrimSpace(pinned), "\n") {
		if !strings.Contains(comment, "+"+line) {
			t.Errorf("%q was committed and not shown", line)
		}
	}
	if e.file("more", "test_shop.py") != shopTests || e.file("more", "shop.py") != shopMore || e.file("main", pinnedShop) != "" {
		t.Error("something else was changed")
	}
	if got := e.remarks(n); len(slices.DeleteFunc(got, func(s string) bool { return !strings.Contains(s, "fettle test:") })) != 1 {
		t.Errorf("more than one comment: %q", got)
	}
}

// A process that dies when it has committed the tests, and has not said so, says so when
// it is back, and commits nothing again; somebody's own commit is not taken for its.
func TestTestACommitIsSaidAfterAKill(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	e := shopEvening(t, "")
	sha := e.change("more", "shop.py", shopMore)
	n := e.request("more", "Heavy things cost more.", ada)
	by, err := e.sim.Comment(acme, shopN, n, "/fettle test commit", ada)
	e.must(err)
	e.until("the tests are committed", e.told(n, "Committed to `more` as"))
	e.handled()
	now := e.head(n)
	e.say(n, "/fettle test", ada) // the comment says something else
	e.until("nothing is lacking now", func() bool { return !e.told(n, "Committed to `more` as")() })
	e.handled()
	again := func(id string) {
		e.Helper()
		_, err := e.db.Accept(e.Context(), store.Delivery{ID: id, Event: "fettle.judge", Installation: e.repo().Installation, ReceivedAt: time.Now(),
			Payload: fmt.Appendf(nil, `{"repository":{"full_name":"%s/%s"},"number":%d,"head":%q,"base":"main","comment":%d,"actor":%q,"tests":"commit"}`, acme, shopN, n, sha, by, ada)})
		e.must(err)
	}
	again("again")
	e.until("it is said", e.told(n, "Committed to `more` as "+now))
	e.handled()
	if e.head(n) != now || e.judged.Load() != 2 {
		t.Errorf("the branch stands at %s, and not at %s; judged %d times", e.head(n), now, e.judged.Load())
	}
	_, err = e.sim.CommitFile(acme, shopN, "more", "other.txt", []byte("x"), "mine\n\n"+fmt.Sprintf("Fettle-Run: tests-%d-%d-%s", n, by, sha[:12]), ada)
	e.must(err)
	top := e.head(n)
	comment := e.lastRemark(n, "fettle test:")
	again("and again")
	e.handled()
	if e.head(n) != top || e.lastRemark(n, "fettle test:") != comment {
		t.Errorf("the branch stands at %s, and not at %s\n%s", e.head(n), top, e.lastRemark(n, "fettle test:"))
	}
}

func TestTestNeverWritesToAFork(t *testing.T) {
	t.Parallel()
	e := shopEvening(t, "")
	n, err := e.sim.OpenForkPull(acme, shopN, "more", "Heavy things cost more.", eve, "more", map[string]string{"shop.py": shopMore})
	e.must(err)
	sha := e.head(n)
	e.say(n, "/fettle test commit", eve) // the author, who may not write here
	e.handled()
	if e.judged.Load() != 0 {
		t.Fatal("an author who may not write had tests written")
	}
	e.say(n, "/fettle test commit", ada)
	e.until("it is told", e.told(n, "I never write to forks"))
	e.handled()
	if comment := e.lastRemark(n, "fettle test:"); !strings.Contains(comment, "+++ b/"+pinnedShop) || !strings.Contains(comment, "Nothing was committed") {
		t.Errorf("the comment:\n%s", comment)
	}
	if e.head(n) != sha || e.file("more", pinnedShop) != "" {
		t.Error("something was pushed")
	}
}

func TestTestSaysWhereThereIsNothingToAdd(t *testing.T) {
	t.Parallel()
	e := shopEvening(t, "")
	e.change("worse", "shop.py", strings.Replace(shopCode, "price - price", "price + price", 1))
	n := e.request("worse", "It does.", ada)
	e.say(n, "/fettle test commit", ada)
	e.until("it is told", e.told(n, "would pin a fault"))
	e.handled()
	if comment := e.lastRemark(n, "fettle test:"); !strings.Contains(comment, "nothing to add") || !strings.Contains(comment, "judged refuted") {
		t.Errorf("the comment:\n%s", comment)
	}
	e.say(n, "/fettle test everything", ada)
	e.until("the grammar is told", e.told(n, "`/fettle test [commit]`"))
}

// The same files before and after, under the same settings, are judged once; somebody
// who asks has them judged anew.
func TestJudgedTheSameContentsAreJudgedOnce(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	e := shopEvening(t, "{pull_requests_of: [people]}")
	first := e.change("more", "shop.py", shopMore)
	n := e.request("more", "Heavy things cost more.", ada)
	e.concluded(first, "neutral", "unproven")
	_, err := e.sim.CommitFile(acme, shopN, "more", "shop.py", []byte(shopMore+"\n\n"), "more space", ada)
	e.must(err)
	again := e.change("more", "shop.py", shopMore) // the same tree as at first
	e.concluded(again, "neutral", "unproven")
	e.handled()
	judged := e.judged.Load()
	comment := e.lastRemark(n, "fettle judge:")
	if !strings.Contains(comment, "Nothing was run again: the same files before and after were judged at commit "+first) || !strings.Contains(comment, "Commit "+again) {
		t.Errorf("the comment:\n%s", comment)
	}
	e.say(n, "/fettle judge", ada)
	e.handled()
	if got := e.judged.Load(); got != judged+1 {
		t.Errorf("judged %d times, and %d before it was asked for", got, judged)
	}
	if comment := e.lastRemark(n, "fettle judge:"); strings.Contains(comment, "Nothing was run again") {
		t.Errorf("the comment:\n%s", comment)
	}
}

// A push that changes the code alone takes what the tests showed of the code before the
// change from the push before; what says something of the change is asked there again.
func TestJudgedABaseIsMeasuredOnceForSeveralPushes(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	e := judged(t, "{pull_requests_of: [people]}")
	worse := e.change("turns", "weave.py", "def interleave(first, second):\n    return None\n")
	n := e.request("turns", "It does.", ada)
	e.concluded(worse, "failure", "refuted")
	better := e.change("turns", "weave.py", mendedWeave("One of each in turn."))
	e.concluded(better, "success", "p")
	e.handled()
	comment := e.lastRemark(n, "fettle judge:")
	if !strings.Contains(comment, "measured for an earlier push") || !strings.Contains(comment, "test_takes_turns") {
		t.Errorf("the comment:\n%s", comment)
	}
}

// lastRemark is the last comment of fettle's that holds some words.
func (e *evening) lastRemark(n int, words string) string {
	e.Helper()
	for _, s := range slices.Backward(e.remarks(n)) {
		if strings.Contains(s, words) {
			return s
		}
	}
	e.Fatalf("no comment of #%d says %q: %q", n, words, e.remarks(n))
	return ""
}
