package bot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// mechanical is the result of a run that mechanical repair found something in.
func mechanical(template, path string, change func(*task.Result)) task.Result {
	a := task.Attempt{Number: 1, Tier: task.TierMechanical, Search: &task.Search{Template: template},
		Patch: task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: path}}}}
	r := task.Result{Outcome: task.Success, Tier: task.TierMechanical, Best: &a, Attempts: []task.Attempt{a}}
	if change != nil {
		change(&r)
	}
	return r
}

// finished makes a run of a repository, and finishes it.
func finished(t *testing.T, db *store.Store, id string, repo task.Repo, issue int, res task.Result) {
	t.Helper()
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: id, Task: task.Task{Title: "x", Issue: issue, Repo: repo}}); err != nil {
		t.Fatal(err)
	}
	lease, _, err := db.ClaimRun(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Finish(t.Context(), lease, res, "done"); err != nil {
		t.Fatal(err)
	}
}

func TestR4WhatCameOfEarlierChangesIsKnownToTheNextRun(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	till, foreign := shop, shop
	till.Name, foreign.Installation = "till", 2
	finished(t, db, "ready", shop, 1, mechanical("variable", "a.py", nil))
	finished(t, db, "draft", shop, 2, mechanical("guard_null", "b.py", func(r *task.Result) { r.Draft = true }))
	finished(t, db, "model", shop, 3, mechanical("integer_constant", "c.py", func(r *task.Result) {
		better := task.Attempt{Number: 2, Tier: task.Tier1}
		r.Tier, r.Best, r.Attempts = task.Tier1, &better, append(r.Attempts, better)
	}))
	finished(t, db, "failed", shop, 4, mechanical("slice", "d.py", func(r *task.Result) { r.Outcome = task.FailedAllTiers }))
	finished(t, db, "nothing found", shop, 5, task.Result{Outcome: task.FailedAllTiers, Attempts: []task.Attempt{{Number: 1, Tier: task.TierMechanical, Search: &task.Search{}}}})
	finished(t, db, "another repository", till, 1, mechanical("await", "a.py", nil))
	finished(t, db, "another installation", foreign, 1, mechanical("await", "a.py", nil))
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "going on", Task: task.Task{Title: "x", Issue: 6, Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	got, err := bot.Past(t.Context(), db, shop)
	want := []task.Mended{{Template: "variable", Path: "a.py", Accepted: true}, {Template: "guard_null", Path: "b.py"}, {Template: "integer_constant", Path: "c.py"}, {Template: "slice", Path: "d.py"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%+v, want\n%+v", err, got, want)
	}
}

func TestR4OnlyTheLatestRunsAreLearntFrom(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	for i := range 53 {
		finished(t, db, fmt.Sprint("r", i), shop, i+1, mechanical(fmt.Sprint("t", i), "a.py", nil))
	}
	got, err := bot.Past(t.Context(), db, shop)
	if err != nil || len(got) != 50 || got[0].Template != "t3" || got[49].Template != "t52" {
		t.Errorf("%v: %d changes, %+v", err, len(got), got[:min(len(got), 2)])
	}
}
