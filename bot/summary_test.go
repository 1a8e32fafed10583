package bot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/task"
)

// What is left to do depends on where the change stands: on GitHub, in a
// folder, or only in the record.
func TestS7TheNextActionFitsWhereTheChangeStands(t *testing.T) {
	t.Parallel()
	folder, hosted := task.Repo{Dir: "/shop"}, task.Repo{Owner: "acme", Name: "shop"}
	for name, c := range map[string]struct {
		repo          task.Repo
		draft         bool
		pub           task.Publication
		says, saysNot string
	}{
		"GitHub":             {hosted, false, task.Publication{PullRequest: &task.PullRequest{Number: 7}}, "merge it", "fettle runs diff"},
		"GitHub, a draft":    {hosted, true, task.Publication{PullRequest: &task.PullRequest{Number: 7}}, "open points", "fettle runs diff"},
		"a folder":           {folder, false, task.Publication{}, "'fettle apply' writes", "merge"},
		"a folder, a draft":  {folder, true, task.Publication{}, "Decide on the open points; 'fettle apply' writes", "ready"},
		"applied":            {folder, false, task.Publication{Applied: true}, "commit it", "apply"},
		"an applied draft":   {folder, true, task.Publication{Applied: true}, "Decide on the open points and commit it", "apply"},
		"failed in a folder": {folder, false, task.Publication{}, "", ""},
	} {
		res := task.Result{RunID: "r1", Task: task.Task{Repo: c.repo}, Outcome: task.Success, Draft: c.draft, NextAction: "Review the change and merge it.", Published: c.pub}
		if c.draft {
			res.NextAction = "Decide on the open points, then mark the change as ready."
		}
		if name == "failed in a folder" {
			res.Outcome, c.says = task.FailedAllTiers, res.NextAction
		}
		sum := bot.Summarise(res, res.Published)
		story := bot.Story(task.Run{ID: "r1", State: task.StateDone, Result: &res}, nil)
		for what, got := range map[string]string{"next_action": sum.NextAction, "last_run.md": sum.Markdown(), "runs show": story[strings.LastIndex(story, "Next"):]} {
			if !strings.Contains(got, c.says) || c.saysNot != "" && strings.Contains(sum.NextAction, c.saysNot) {
				t.Errorf("%s: %s is %q", name, what, got)
			}
		}
		if sum.Applied != c.pub.Applied {
			t.Errorf("%s: applied is %v", name, sum.Applied)
		}
	}
}

func TestS7ChecksKeepTheirReasons(t *testing.T) {
	t.Parallel()
	sum := bot.Summarise(task.Result{Elapsed: time.Second, Attempts: make([]task.Attempt, 1), Checks: []task.Check{{Name: "smoke", Status: task.CheckFailed, Seconds: 2, Detail: "GET /items\ngave 500"}}}, task.Publication{})
	if md := sum.Markdown(); !strings.Contains(md, "- smoke: failed in 2.0 s: GET /items gave 500\n") || !strings.Contains(md, ", 1 attempt,") {
		t.Error(md)
	}
}
