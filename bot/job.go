package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// A job of GitHub Actions takes one event through the same App as a server takes
// deliveries: Accept, Deliver, Next. What is here is what a process needs that ends
// when there is nothing more to do.

// parkedFor is how long a job waits for a run that was put aside; one that is put
// aside for longer is taken up by another job.
const parkedFor = 10 * time.Minute

// Take accepts one event and works until it is handled and no run can go on. A
// run that waits for a human, or was put aside for long, stays in the store. An
// event that was handled before is not handled again; its run goes on where it was
// cut. It returns what the event came to.
func (a *App) Take(ctx context.Context, id, event string, installation int64, payload []byte) (note string, err error) {
	if _, err := a.Accept(ctx, id, event, installation, payload); err != nil {
		return "", err
	}
	working, done := context.WithCancel(ctx)
	worked := make(chan error, 1)
	go func() { worked <- a.cfg.Store.Work(working, store.Handlers{Delivery: a.Deliver, Run: a.Next}, 1) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-worked: // the context ended, or the work could not begin
			done()
			return "", errors.Join(err, context.Cause(ctx))
		case <-tick.C:
		}
		var over bool
		if note, over, err = a.settled(ctx, id); over || err != nil && ctx.Err() == nil {
			done()
			return note, errors.Join(err, <-worked)
		}
	}
}

// settled tells whether there is nothing more to do for a delivery and its runs.
func (a *App) settled(ctx context.Context, id string) (note string, over bool, err error) {
	d, err := a.cfg.Store.Delivery(ctx, id)
	if err != nil {
		return "", false, err
	}
	switch d.State {
	case "failed":
		return d.Note, true, errors.New("the event could not be handled: " + d.Note)
	case "done":
	default:
		return "", false, nil
	}
	depth, err := a.cfg.Store.Depth(ctx)
	if err != nil || depth.Deliveries["queued"]+depth.Deliveries["working"] > 0 { // what is to be judged waits there
		return "", false, err
	}
	runs, err := a.cfg.Store.Runs(ctx, store.Filter{Limit: 100})
	if err != nil {
		return "", false, err
	}
	for _, r := range runs {
		if r.State != task.StateDone && !a.aside(r) {
			return "", false, nil
		}
	}
	return d.Note, true, nil
}

// aside tells whether a run waits for a human, or longer than a job does.
func (a *App) aside(r task.Run) bool {
	return r.State == task.StateParked && !r.CancelAsked && (r.Waiting != nil || r.NotBefore.Sub(a.cfg.Now()) > parkedFor)
}

// Cut says on its issue that a run was cut with its job, and how it goes on.
func (a *App) Cut(ctx context.Context, r task.Run) error {
	if err := a.app.Forge.StateLabel(ctx, r.Task.Repo, r.Task.Issue, labelHuman); err != nil {
		return err
	}
	_, _, err := a.app.Forge.StatusComment(ctx, r.Task.Repo, r.Task.Issue, statusKey(r.Task), a.text.cut(r, a.app.LogLink(r.ID)))
	return err
}

func (r reporter) cut(run task.Run, log string) string {
	return fmt.Sprintf("⏸️ **fettle**'s job was cancelled or died. What was done until then is kept.\n\n| | |\n| --- | --- |\n| tried | %s |\n| cost | %s |\n%s\nRun the job again, or say `/fettle resume`: it goes on after the last attempt. `/fettle stop` ends it. <sub>Run `%s`</sub>\n",
		task.Count(len(run.Saved.Attempts), "attempt"), run.Cost, logRow(log), run.ID)
}

// JobSummary is a run as the summary of a job shows it.
func (a *App) JobSummary(r task.Run, cut bool) string {
	t := a.text
	var b strings.Builder
	fmt.Fprintf(&b, "## [%s](%s)\n\n", t.funnel.Markdown(oneLine(r.Task.Title, 120)), r.Task.IssueURL)
	switch {
	case r.Result != nil:
		pub := r.Result.Published
		b.WriteString(t.finished(*r.Result, pub, 0))
		if pub.PullRequest != nil {
			fmt.Fprintf(&b, "\n%s\n", pub.PullRequest.URL)
		}
		switch {
		case r.Outcome == task.Success && r.Result.Best != nil:
			fmt.Fprintf(&b, "\n%s", t.checkSummary(*r.Result))
		case r.Outcome != task.Success:
			fmt.Fprintf(&b, "\n%s", t.exhausted(*r.Result, pub))
		}
	case cut:
		b.WriteString(t.cut(r, ""))
	case r.Waiting != nil:
		b.WriteString(t.question(*r.Waiting, changeAt(r, *r.Waiting)))
	default:
		fmt.Fprintf(&b, "Run `%s` is %s%s.\n", r.ID, r.State, prefixed(": ", t.funnel.Markdown(r.Reason)))
	}
	return a.app.Funnel.Comment(b.String())
}

// JobNotes are the failures of a run's best attempt, each at its line.
func (a *App) JobNotes(r task.Run) []task.Annotation {
	if r.Result == nil || r.Outcome == task.Success {
		return nil
	}
	return a.text.notes(*r.Result)
}

var issueBranch = lazyregexp.New(`^fettle/issue-([1-9][0-9]{0,9})(-|$)`)

// IssueOfBranch is the issue that a branch of fettle's is for, or 0.
func IssueOfBranch(branch string) int {
	m := issueBranch.FindStringSubmatch(branch)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}
