package bot

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// A stranger's title becomes the subject with blanks collapsed and a prefix
// before it, and the funnel is what it passes last.
func TestX3AStrangersTitleClosesNothing(t *testing.T) {
	t.Parallel()
	closes := regexp.MustCompile(`(?i)(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[^\pL\pN]*(?:#\d|[^\pL\pN][\w.-]+/[\w.-]+#\d)`)
	funnel := redact.New()
	r := reporter{funnel}
	for _, title := range []string{"Clamp is wrong. Fixes" + strings.Repeat(" ", 30) + "octo/other#7", "#1 clamp is wrong", `\#1 clamp`, "F&#105;xes #7"} {
		for _, outcome := range []task.Outcome{task.Success, task.FailedAllTiers} {
			res := task.Result{RunID: "r1", Outcome: outcome, Reason: title, Task: task.Task{Title: title, Issue: 3}, Best: &task.Attempt{Explanation: title}}
			pull, body := r.pullRequest(res)
			for _, text := range []string{funnel.Message(r.commitMessage(res)), funnel.Message(pull), funnel.Comment(body), funnel.Comment(r.finished(res, task.Publication{}, 0))} {
				if found := closes.FindString(text); found != "" {
					t.Errorf("%q: %q closes in %q", title, found, text)
				}
			}
		}
	}
}

func TestB5WhatFailsBesidesIsCountedInTheReport(t *testing.T) {
	t.Parallel()
	a := task.Attempt{Number: 1, Why: "3 tests turned red", Unkept: 4, Regions: []task.RegionRef{{Path: "a.py", Name: "net", StartLine: 3}}}
	for i := range 10 {
		a.Failures = append(a.Failures, task.Failure{Test: fmt.Sprintf("pytest:.:t.py::test_%d", i), Message: "no"})
	}
	got := firstLooks(task.Result{Attempts: []task.Attempt{a}})
	if len(got) != 7 || got[6] != "… and 8 more like these" {
		t.Errorf("%q", got)
	}
	if came := Came(a); !strings.Contains(came, "test_0: no) and 13 more like this") {
		t.Errorf("%q", came)
	}
	a.Failures, a.Unkept = a.Failures[:1], 0
	if got, came := firstLooks(task.Result{Attempts: []task.Attempt{a}}), Came(a); len(got) != 2 || strings.Contains(came, "more") {
		t.Errorf("%q, %q", got, came)
	}
}
