package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// works are the commands that begin something.
var works = map[string]bool{"fix": true, "plan": true, "retry": true, "resume": true, "test": true, "undo": true}

// closed answers a command that begins something where nothing is wanted any more.
func (a *App) closed(ctx context.Context, ev task.Event, c command.Command) (note string, closed bool, err error) {
	if ev.Issue.State != "closed" || !works[c.Name] {
		return "", false, nil
	}
	what := "issue"
	if ev.Issue.IsPullRequest {
		what = "pull request"
	}
	note, err = a.answer(ctx, ev, c, fmt.Sprintf("This %s is closed, so nothing is begun. Reopen it and say `/fettle %s` again.", what, c.Name))
	return note, true, err
}

// pull is the open pull request of fettle's that a comment is about: the one that it
// stands on, or the issue's last; nil where there is none.
func (a *App) pull(ctx context.Context, ev task.Event) (*store.Pull, error) {
	f := store.PullFilter{Issue: ev.Issue.Number, Open: true}
	if ev.Issue.IsPullRequest {
		f = store.PullFilter{Number: ev.Issue.Number}
	}
	return a.firstPull(ctx, ev.Repo, f)
}

// fixPull goes on with a pull request of fettle's, on what is said behind the
// command and on what stands unanswered in its reviews.
func (a *App) fixPull(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	p, err := a.pull(ctx, ev)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return a.answer(ctx, ev, c, fmt.Sprintf("This pull request is not mine. I start from issues; say `/fettle %s` on the issue that it is for.", c.Name))
	case c.Name == "plan":
		return a.answer(ctx, ev, c, "Plans are made before a pull request; say `/fettle fix` with what to change here.")
	}
	if err := a.later(ctx, ev, *p); err != nil {
		return "", err
	}
	open, err := a.unanswered(ctx, ev, *p)
	if err != nil {
		return "", err
	}
	if c.Hint != "" {
		open.review = &task.Review{ID: ev.CommentID, State: task.ReviewCommented, Body: c.Hint, Author: ev.Actor}
	}
	q, more, ok := open.work(*p)
	if !ok {
		return a.answer(ctx, ev, c, "Everything asked here is answered. Say what to change: `/fettle fix` and the words behind it, or a review comment on the lines.")
	}
	note, err := a.follow(ctx, ev, *p, q)
	if err == nil && more {
		err = store.Later(a.cfg.Now().Add(leastWait), fmt.Errorf("%s; the rest comes after it", note))
	}
	return note, err
}

// onPull is test and undo: work on a pull request that needs no words.
func (a *App) onPull(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	p, err := a.pull(ctx, ev)
	switch {
	case err != nil:
		return "", err
	case p == nil && c.Name == "test" && ev.Issue.IsPullRequest:
		return a.testsCommand(ctx, ev, c)
	case p == nil:
		return a.answer(ctx, ev, c, "There is no open pull request of mine here; `/fettle fix` on the issue starts one.")
	}
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil {
		return "", err
	}
	if live != nil && live.Task.Follow == nil {
		return a.answer(ctx, ev, c, "A run is under way here; `/fettle status` says where it stands, and `/fettle stop` ends it.")
	}
	q := asks{origin: task.OriginReview, title: fmt.Sprintf("test what #%d changed", p.Number), follow: task.Follow{Kind: task.FollowTests, Comments: []int64{ev.CommentID}}}
	if c.Name == "undo" {
		head, ok, err := a.app.Forge.BranchHead(ctx, ev.Repo, p.Branch)
		if err != nil {
			return "", err
		}
		if !ok || head != p.Head {
			return a.answer(ctx, ev, c, fmt.Sprintf("The last commit on `%s` is not mine, so I take nothing back.", p.Branch))
		}
		undone, err := a.undoOf(ctx, *p)
		switch {
		case err != nil:
			return "", err
		case undone != nil && slices.Contains(undone.Task.Follow.Comments, ev.CommentID):
			return "done by " + undone.ID, nil
		case undone != nil:
			return a.answer(ctx, ev, c, fmt.Sprintf("It was undone already: the last commit on `%s`, %s, takes back %s. I do not undo an undo, nor what was before it: say `/fettle fix` with what you want instead, or use `git revert`.", p.Branch, head, undone.Task.Follow.Head))
		}
		q.title, q.follow.Kind = fmt.Sprintf("take back %s", head[:12]), task.FollowUndo
	}
	return a.follow(ctx, ev, *p, q)
}

// undoOf is the run whose undo is the last commit of fettle's on the branch, or nil.
func (a *App) undoOf(ctx context.Context, p store.Pull) (*task.Run, error) {
	runs, err := a.earlier(ctx, p)
	for _, r := range runs {
		if r.Task.Follow.Kind == task.FollowUndo && r.Result != nil && r.Result.Published.Commit == p.Head {
			return &r, err
		}
	}
	return nil, err
}

// explain answers with the trail of evidence of a change.
func (a *App) explain(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	p, err := a.pull(ctx, ev)
	if err != nil {
		return "", err
	}
	var r task.Run
	if p != nil {
		r, err = a.cfg.Store.Run(ctx, p.Run)
	} else {
		var runs []task.Run
		runs, err = a.cfg.Store.Runs(ctx, store.Filter{Installation: ev.Repo.Installation, Repo: ev.Repo.Slug(), Issue: ev.Issue.Number, Limit: 1})
		if err == nil && (len(runs) == 0 || ev.Issue.IsPullRequest) {
			return a.answer(ctx, ev, c, "There is no change of mine here to explain; `/fettle fix` on an issue makes one.")
		}
		if err == nil {
			r = runs[0]
		}
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(a.app.Funnel.Markdown(trail(r, "", "")))
	if r.Result == nil {
		fmt.Fprintf(&b, "- %s\n", a.app.Funnel.Markdown(Standing(r)))
	}
	if p != nil {
		later, err := a.earlier(ctx, *p)
		if err != nil {
			return "", err
		}
		for _, f := range slices.Backward(later) {
			if f.Result != nil && f.Result.Published.Commit != "" {
				fmt.Fprintf(&b, "- follow-up (%s): %s %s\n", f.Task.Follow.Kind, f.Result.Published.Commit, a.app.Funnel.Markdown(explanation(*f.Result)))
			}
		}
	}
	if r.Result != nil {
		fmt.Fprintf(&b, "\n<details><summary>What was tried and checked</summary>\n\n%s\n</details>\n", a.app.Funnel.Markdown(evidenceOf(*r.Result)))
	}
	fmt.Fprintf(&b, "\n<sub>Run `%s`; `fettle runs show %s` has every attempt</sub>\n", r.ID, r.ID)
	return a.answer(ctx, ev, c, b.String())
}

// evidenceOf is what was tried at each tier and what the checks said.
func evidenceOf(res task.Result) string {
	var b strings.Builder
	for _, line := range perTier(res) {
		fmt.Fprintf(&b, "- tried at %s\n", line)
	}
	for _, check := range res.Checks {
		fmt.Fprintf(&b, "- %s: %s%s\n", check.Name, check.Status, prefixed(", ", shortIDs(check.Detail)))
	}
	return b.String()
}

// Explain is the trail of evidence of a run's change. Foreign words in it are as they
// came: print it through the funnel.
func Explain(r task.Run) string {
	if r.Result == nil {
		return trail(r, "", "") + "- " + Standing(r) + "\n"
	}
	return trail(r, "", "") + evidenceOf(*r.Result)
}
