package bot

import (
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
