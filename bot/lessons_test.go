package bot_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/memory/pattern"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// shelves are three modules that fail in the same way: what a table does not hold is
// reckoned with.
func shelves() map[string]string {
	test := func(module, name string) string {
		return "import unittest\n\nfrom " + module + " import " + name + "\n\n\nclass Of" + strings.ToUpper(name[:1]) + name[1:] + "(unittest.TestCase):\n" +
			"    def test_known_" + name + "(self):\n        self.assertEqual(" + name + "({\"a\": 2}, \"a\"), 200)\n\n" +
			"    def test_unknown_" + name + "(self):\n        self.assertEqual(" + name + "({}, \"a\"), 0)\n"
	}
	return map[string]string{
		"prices.py":       "def price(table, label):\n    return table.get(label) * 100\n",
		"weights.py":      "def weight(bag, item):\n    return bag.get(item) * 100\n",
		"parts.py":        "def found(parts, key):\n    for known, value in parts.items():\n        if known == key:\n            return value\n\n\ndef share(parts, key):\n    return found(parts, key) * 100\n",
		"test_prices.py":  test("prices", "price"),
		"test_weights.py": test("weights", "weight"),
		"test_parts.py":   test("parts", "share"),
	}
}

func (e *evening) lessons() bot.Lessons {
	e.Helper()
	return bot.NewLessons(e.db, e.runs()[0].Task.Repo)
}

func (e *evening) asked(title, body string) task.Run {
	e.Helper()
	n := e.open(title, body, ada)
	e.must(e.sim.Label(acme, shopN, n, "agent:fix", ada))
	e.until("the run on #"+title+" ends", e.ended(n, 1))
	return e.of(n)[0]
}

// TestM5WhatPeopleChangedInAMergeMendsTheNextIssue goes from a label to a merge with
// a human's change, and to the next issues of the same kind.
func TestM5WhatPeopleChangedInAMergeMendsTheNextIssue(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	e := newEvening(t, shelves(), task.Gates{}, func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "prices.py", "price", "def price(table, label):\n    return (table.get(label) or 0) * 100\n", "Nothing is worth nothing.")
	})
	first := e.asked("price fails for an unknown label", "`test_unknown_price` in test_prices.py fails with a TypeError.")
	if first.Outcome != task.Success || first.Tier != task.Tier1 {
		t.Fatalf("%s at %s: %s\n%s", first.Outcome, first.Tier, first.Reason, e.state())
	}
	pull := e.pull()
	book, err := e.lessons().Book(context.Background())
	e.must(err)
	if len(book.Patterns) != 0 || len(book.Drafts) != 1 || len(book.Attempts) == 0 {
		t.Fatalf("before the merge: %d patterns, %d drafts, attempts %+v; recalled %+v, changes %+v", len(book.Patterns), len(book.Drafts), book.Attempts, first.Saved.Recalled, first.Result.Changes)
	}

	// A maintainer says something, and so does somebody who may only read.
	_, err = e.sim.Review(acme, shopN, pull.Number, "commented", "We always drop every check of types, use exec instead.", eve)
	e.must(err)
	_, err = e.sim.Review(acme, shopN, pull.Number, "approved", "Fine. In this repository we always give dict.get a default.", ada)
	e.must(err)
	e.until("it is ready", func() bool { return !e.pull().Draft })
	// And writes the change in their own way before they merge it.
	_, err = e.sim.CommitFile(acme, shopN, pull.Head, "prices.py", []byte("def price(table, label):\n    return table.get(label, 0) * 100\n"), "a default is clearer", ada)
	e.must(err)
	e.must(e.sim.MergePull(acme, shopN, pull.Number, ada))
	e.until("the merge is learned from", func() bool {
		book, err = e.lessons().Book(context.Background())
		e.must(err)
		return len(book.Drafts) == 0 && len(book.Patterns) == 3
	})
	kinds := map[task.LessonKind]string{}
	for _, p := range book.Patterns {
		kinds[p.Kind] = p.Was + "→" + p.Now + p.Words
	}
	if !strings.Contains(kinds[task.LessonFix], "table.get(label, 0)") || !strings.Contains(kinds[task.LessonWrong], "or 0") || !strings.Contains(kinds[task.LessonWrong], "→    return table.get(label, 0)") {
		t.Errorf("learned %q", kinds)
	}
	if !strings.Contains(kinds[task.LessonAdvice], "dict.get a default") || strings.Contains(kinds[task.LessonAdvice], "exec") {
		t.Errorf("M8: advice %q", kinds[task.LessonAdvice])
	}
	if s := book.Stats(); s.Changed != 1 || s.Generic != 0 {
		t.Errorf("figures %+v", s)
	}

	// The next issue of the kind is mended by that, and no model is asked.
	calls := len(e.double.Calls())
	second := e.asked("weight fails for an unknown item", "`test_unknown_weight` in test_weights.py fails with a TypeError.")
	if second.Outcome != task.Success || second.Tier != task.TierMechanical || !strings.Contains(second.Result.Diff, "+    return bag.get(item, 0) * 100") {
		t.Fatalf("%s at %s: %s\n%s\n%s", second.Outcome, second.Tier, second.Reason, second.Result.Diff, e.state())
	}
	if n := len(e.double.Calls()); n != calls {
		t.Errorf("%d calls of models for what was known", n-calls)
	}
	var log bytes.Buffer
	e.must(e.db.Decisions(context.Background(), second.ID, &log))
	if story := bot.Story(second, bytes.Split(log.Bytes(), []byte("\n"))); !strings.Contains(story, "lessons of earlier runs bear on it") || !strings.Contains(story, "and it helped: the run ended with it") {
		t.Errorf("the story does not tell of the lesson:\n%s", story)
	}

	// Where it fits nowhere, a model is shown it as a precedent, with the advice.
	e.says(func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "parts.py", "share", "def share(parts, key):\n    return (found(parts, key) or 0) * 100\n", "Nothing is worth nothing.")
	})
	third := e.asked("share fails for an unknown part", "`test_unknown_share` in test_parts.py fails with a TypeError.")
	prompt := ""
	if all := e.double.Calls(); len(all) > calls {
		prompt = all[calls].User
	}
	for _, want := range []string{"A fix that worked on something alike (100 % of 1 tries)", "table.get(label, 0)", "Known to be wrong here", "it is advice on style and structure", "give dict.get a default"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("%s: the prompt does not say %q:\n%s", third.Outcome, want, prompt)
		}
	}

	// A merge as it was counts for the lesson; a revert takes it back.
	for _, p := range e.snap().Pulls {
		if p.State == "open" && strings.Contains(p.Diff, "weights.py") {
			if p.Draft {
				e.must(e.sim.Ready(acme, shopN, p.Number, false, ada))
			}
			e.must(e.sim.MergePull(acme, shopN, p.Number, ada))
			e.until("the second merge counts", func() bool {
				book, err = e.lessons().Book(context.Background())
				e.must(err)
				return book.Stats().Merged == 1
			})
		}
	}
	for _, p := range book.Patterns {
		if p.Kind == task.LessonFix && (p.Won != 2 || p.Tries != 2) {
			t.Errorf("the lesson won %d of %d", p.Won, p.Tries)
		}
	}
	past, err := bot.Past(context.Background(), e.db, second.Task.Repo)
	if err != nil || len(past) != 1 || !past[0].Accepted || !strings.HasPrefix(past[0].Template, task.Learned) {
		t.Errorf("R4: %+v %v", past, err)
	}
	var merged simulator.PullView
	for _, p := range e.snap().Pulls {
		if strings.Contains(p.Diff, "weights.py") {
			merged = p
		}
	}
	revert, err := e.sim.OpenForkPull(acme, shopN, "Revert it", fmt.Sprintf("Reverts %s/%s#%d", acme, shopN, merged.Number), ada, "take-back", map[string]string{"weights.py": shelves()["weights.py"]})
	e.must(err)
	e.must(e.sim.MergePull(acme, shopN, revert, ada))
	e.until("the revert counts", func() bool {
		book, err = e.lessons().Book(context.Background())
		e.must(err)
		return book.Stats().Reverted == 1
	})
	for _, p := range book.Patterns {
		if p.Kind == task.LessonFix && (p.Won != 1 || p.Tries != 2 || p.Reverted != 1 || !p.Usable()) {
			t.Errorf("after the revert the lesson won %d of %d, reverted %d", p.Won, p.Tries, p.Reverted)
		}
	}
	if s := book.Stats(); s.Merged != 0 || s.Changed != 1 {
		t.Errorf("figures %+v", s)
	}
}

// H3: in degraded mode what is said in a review and what is merged teach nothing; that it
// was merged is noted.
func TestH3ADegradedRepositoryTeachesNothing(t *testing.T) {
	t.Parallel()
	e := newEvening(t, shelves(), task.Gates{}, func(c scripted.Call, _ int) scripted.Answer {
		return edit(c, "prices.py", "price", "def price(table, label):\n    return (table.get(label) or 0) * 100\n", "Nothing is worth nothing.")
	})
	first := e.asked("price fails for an unknown label", "`test_unknown_price` in test_prices.py fails with a TypeError.")
	for i := range 3 {
		_, err := e.heal.OnResult(context.Background(), heal.WorkflowOf(first.Task), heal.Result{ID: fmt.Sprint(i), Step: "apply", Trigger: task.TargetNotFound})
		e.must(err)
	}
	pull := e.pull()
	_, err := e.sim.Review(acme, shopN, pull.Number, "approved", "Fine. In this repository we always give dict.get a default.", ada)
	e.must(err)
	e.until("it is ready", func() bool { return !e.pull().Draft })
	e.must(e.sim.MergePull(acme, shopN, pull.Number, ada))
	e.until("the merge is noted", func() bool {
		book, err := e.lessons().Book(context.Background())
		e.must(err)
		return book.Stats().Merged == 1
	})
	e.until("all that was told is done with", func() bool {
		ids, err := e.db.Deliveries(context.Background(), time.Time{})
		e.must(err)
		return !slices.ContainsFunc(ids, func(id string) bool {
			d, err := e.db.Delivery(context.Background(), id)
			e.must(err)
			return d.State != "done"
		})
	})
	book, err := e.lessons().Book(context.Background())
	if err != nil || len(book.Patterns) != 0 || len(book.Drafts) != 0 {
		t.Errorf("learned %+v, %d drafts, %v", book.Patterns, len(book.Drafts), err)
	}
}

// H4 on what is really kept: a version under which runs end worse is taken back to the one
// that was good, or to the nearest that is kept; runs that did not have it, and those that
// began before it, say nothing of it.
func TestH4LessonsThatMakeRunsWorseAreTakenBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := openDB(t, store.Config{})
	repo := task.Repo{Installation: 7, Owner: "Acme", Name: "Shop"}
	policy, err := heal.OpenPolicy(filepath.Join(t.TempDir(), "heal.yml"), nobody())
	if err != nil {
		t.Fatal(err)
	}
	h := heal.New(heal.Config{Store: db, Policy: policy, Learned: bot.NewLearned(db), Log: nobody()})
	l, run := bot.NewLessons(db, repo), 0
	teach := func(words string) string {
		t.Helper()
		if _, err := l.Change(ctx, "a review", func(b *pattern.Book) error {
			b.Advise(words, "ada", "ada on #1", time.Now())
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		v, err := l.Version(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ended := func(times int, version string, success bool) {
		t.Helper()
		for range times {
			run++
			if err := h.Ended(ctx, heal.WorkflowOf(task.Task{Repo: repo}), fmt.Sprint("run", run), version, success); err != nil {
				t.Fatal(err)
			}
		}
	}
	stands := func(want string, lessons int) {
		t.Helper()
		v, verr := l.Version(ctx)
		b, err := l.Book(ctx)
		if verr != nil || err != nil || v != want || len(b.Patterns) != lessons {
			t.Fatalf("%s stands with %d lessons, %v %v; want %s with %d", v, len(b.Patterns), verr, err, want, lessons)
		}
	}
	good := teach("we use one thing")
	ended(20, good, true)
	bad := teach("we use another thing")
	ended(5, good, false) // they had begun before it
	stands(bad, 2)
	ended(15, good, true)
	ended(1, bad, false)
	stands(bad, 2)
	ended(2, bad, false)
	stands("v03", 1)
	ended(9, bad, false) // they are still running when it is taken back
	stands("v03", 1)
	ended(20, "v03", true)
	for i := range store.KeptVersions + 3 { // the good one is not kept any more
		bad = teach(fmt.Sprint("we use thing ", i))
	}
	ended(3, bad, false)
	versions, err := l.Versions(ctx)
	if err != nil || versions[0].Number != 17 || !strings.Contains(versions[0].Why, "back to v07") {
		t.Fatalf("%+v %v", versions, err)
	}
	stands("v17", 5) // what v07 holds
	st, err := h.Status(ctx)
	if err != nil || len(st.Learned) != 1 || st.Learned[0].Good != "v17" || st.Learned[0].Owed || len(st.Moves) != 2 || st.Moves[1].From != "v02" || st.Moves[1].To != "v03" {
		t.Errorf("%+v %+v %v", st.Learned, st.Moves, err)
	}
}
