package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// pullChanged keeps up with what others do to a pull request of fettle's.
func (a *App) pullChanged(ctx context.Context, ev task.Event) (string, error) {
	if ev.Action == "closed" && ev.Pull.Merged {
		if note, err := a.reverted(ctx, ev); err != nil || note != "" {
			return note, err
		}
	}
	p, err := a.own(ctx, ev.Repo, ev.Pull.Number)
	if err != nil {
		return "", err
	}
	note, err := a.toJudge(ctx, ev)
	if err != nil || p == nil {
		return note, err
	}
	switch ev.Action {
	case "closed":
		return a.pullClosed(ctx, ev, *p)
	case "reopened":
		if err := a.cfg.Store.SetFate(ctx, *p, "", ""); err != nil {
			return "", err
		}
		return "open again", a.restate(ctx, ev.Repo, *p)
	case "synchronize":
		return a.pushedByOthers(ctx, ev, *p)
	case "edited":
		if ev.Pull.Base != p.Base {
			return "it is for " + ev.Pull.Base + " now", a.cfg.Store.Rebase(ctx, *p, ev.Pull.Base)
		}
	case "ready_for_review":
		return "ready: " + ev.Actor + " decided it", a.restate(ctx, ev.Repo, *p)
	case "converted_to_draft":
		return "a draft: " + ev.Actor + " decided it", a.restate(ctx, ev.Repo, *p)
	}
	return "ignored: nothing is done for " + ev.Action, nil
}

// pullClosed writes down what became of the pull request, ends what still works on
// it, and takes fettle's labels off the issue. What GitHub says now counts, whatever
// order its deliveries come in.
func (a *App) pullClosed(ctx context.Context, ev task.Event, p store.Pull) (string, error) {
	now, err := a.app.Forge.Pull(ctx, ev.Repo, p.Number)
	if err != nil {
		return "", err
	}
	if now.State == "open" {
		return "it is open again", nil
	}
	fate := task.FateClosed
	switch {
	case now.Merged && now.HeadSHA == p.Head:
		fate = task.FateMerged
	case now.Merged:
		fate = task.FateChanged
	}
	if err := a.cfg.Store.SetFate(ctx, p, fate, now.MergeCommit); err != nil {
		return "", err
	}
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil {
		return "", err
	}
	if live != nil && (live.Saved.Published == p.Number || live.Task.Follow != nil && live.Task.Follow.Pull == p.Number) {
		if err := a.cfg.Store.AskCancel(ctx, live.ID, fmt.Sprintf("the pull request #%d was %s", p.Number, map[bool]string{true: "merged", false: "closed"}[now.Merged])); err != nil {
			return "", err
		}
	}
	if err := a.unlabel(ctx, ev.Repo, p.Issue); err != nil {
		return "", err
	}
	if now.Merged && !a.keeps(ctx, p) {
		if _, err := a.app.Forge.DeleteBranch(ctx, ev.Repo, p.Branch, p.Head); err != nil {
			a.cfg.Log.WithError(err).Warn("the branch of a merged pull request was not deleted")
		}
	}
	if err := a.tellFate(ctx, ev.Repo, p, fate); err != nil {
		return "", err
	}
	return "it was " + string(fate), a.learnFate(ctx, ev, p, fate, now.MergeCommit) // nothing waits for it
}

// tellFate makes the status comment of the issue say what became of the pull
// request: an edit, which sends nobody mail.
func (a *App) tellFate(ctx context.Context, repo task.Repo, p store.Pull, fate task.Fate) error {
	runs, err := a.worked(ctx, p)
	if err != nil {
		return err
	}
	return a.restatus(ctx, repo, p, a.text.fated(p, fate, runs))
}

// restate makes label and status comment say whether an open pull request is a
// draft, after a person decided it. A live run says it when it ends.
func (a *App) restate(ctx context.Context, repo task.Repo, p store.Pull) error {
	now, err := a.app.Forge.Pull(ctx, repo, p.Number)
	if err != nil || now.State != "open" {
		return err
	}
	label := labelHuman
	if !now.Draft { // as a draft it only referred to the issue
		label = labelReady
		// Before the label: who merges on seeing it closes the issue with it.
		if err := a.app.Forge.Closes(ctx, repo, p.Number, p.Issue); err != nil {
			return err
		}
	}
	if err := a.app.Forge.StateLabel(ctx, repo, p.Issue, label); err != nil {
		return err
	}
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil || live != nil {
		return err
	}
	runs, err := a.worked(ctx, p)
	if err != nil {
		return err
	}
	for i, r := range runs {
		if r.Result == nil || r.Task.Follow != nil && r.Task.Follow.Kind == task.FollowQuestion {
			continue
		}
		res, pub := *r.Result, r.Result.Published
		if res.Draft != now.Draft {
			res.Draft, res.NextAction = now.Draft, "Review and merge."
			if now.Draft {
				res.NextAction = "Make it ready for review when nothing is left to decide."
			}
		}
		pub.PullRequest = &now
		var before task.USD
		for _, earlier := range runs[i+1:] {
			before += earlier.Cost
		}
		return a.restatus(ctx, repo, p, a.text.finished(res, pub, before))
	}
	return nil
}

// worked are the runs that worked on a pull request, the newest first.
func (a *App) worked(ctx context.Context, p store.Pull) ([]task.Run, error) {
	runs, err := a.earlier(ctx, p)
	if err != nil {
		return nil, err
	}
	first, err := a.cfg.Store.Run(ctx, p.Run)
	return append(runs, first), err
}

// restatus edits the status comment of the run that opened a pull request. Where
// nothing can be said, nothing is.
func (a *App) restatus(ctx context.Context, repo task.Repo, p store.Pull, body string) error {
	_, _, err := a.app.Forge.StatusComment(ctx, repo, p.Issue, statusKey(task.Task{Generation: p.Generation}), body)
	if forge.IsGone(err) || errors.Is(err, forge.ErrLocked) {
		a.cfg.Log.WithError(err).Warn("the status comment was not edited")
		return nil
	}
	return err
}

// fated is the status comment of a pull request that is done with.
func (r reporter) fated(p store.Pull, fate task.Fate, runs []task.Run) string {
	var head string
	next := "Nothing is left to do here."
	switch fate {
	case task.FateMerged:
		head = fmt.Sprintf("🎉 #%d by **fettle** was merged into `%s`.", p.Number, codeSpan(p.Base))
	case task.FateChanged:
		head = fmt.Sprintf("🎉 #%d by **fettle** was merged into `%s`, with commits of others.", p.Number, codeSpan(p.Base))
	case task.FateReverted:
		head, next = fmt.Sprintf("↩️ #%d by **fettle** was merged, and reverted since.", p.Number), "`/fettle fix` with what was wrong about it starts another."
	default:
		head, next = fmt.Sprintf("⏹️ #%d by **fettle** was closed and not merged.", p.Number), "`/fettle fix` with what was wrong about it starts another."
	}
	var cost task.USD
	for _, run := range runs {
		cost += run.Cost
	}
	return fmt.Sprintf("%s\n\n| | |\n| --- | --- |\n| runs | %d |\n| cost | %s |\n\n%s <sub>Run `%s`</sub>\n", head, len(runs), cost, next, p.Run)
}

// keeps tells whether the operator or the repository wants the branch to stay.
func (a *App) keeps(ctx context.Context, p store.Pull) bool {
	r, err := a.cfg.Store.Run(ctx, p.Run)
	return a.app.KeepBranch || err == nil && r.Result != nil && r.Result.Task.Wishes.KeepBranch
}

// unlabel takes the labels that ask for work, or tell of it, off an issue whose pull
// request is done with.
func (a *App) unlabel(ctx context.Context, repo task.Repo, issue int) error {
	err := a.app.Forge.StateLabel(ctx, repo, issue, "")
	if err == nil {
		err = a.app.Forge.RemoveLabel(ctx, repo, issue, a.app.Label)
	}
	if forge.IsGone(err) { // so are its labels
		return nil
	}
	return err
}

// pushedByOthers: the branch is somebody else's too from here on. What fettle works
// on there ends, because nothing is pushed over their commit; asked again, it goes
// on on top of it.
func (a *App) pushedByOthers(ctx context.Context, ev task.Event, p store.Pull) (string, error) {
	// One may be told of a commit before the run that made it has written down that
	// it stands on the branch, and before this process knows its own name.
	if ours, err := a.cfg.Store.IsOurs(ctx, p.Run, ev.After); err != nil || ours {
		return "ignored: the commit is fettle's", err
	}
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil || live == nil || live.Task.Follow == nil || live.Task.Follow.Head == ev.After {
		return ev.Actor + " pushed to the branch", err
	}
	return "cancelled " + live.ID, a.cfg.Store.AskCancel(ctx, live.ID, fmt.Sprintf("%s pushed to %s", ev.Actor, p.Branch))
}

// reverts is how GitHub's button describes a pull request that takes another back.
var reverts = lazyregexp.New(`(?m)^Reverts ([\w.-]+/[\w.-]+)?#(\d+)\s*$`)

// reverted notes that a merged pull request takes one of fettle's back; "" says
// that it does not.
func (a *App) reverted(ctx context.Context, ev task.Event) (string, error) {
	m := reverts.FindStringSubmatch(strings.ReplaceAll(ev.Pull.Body, "\r\n", "\n"))
	if m == nil || m[1] != "" && !strings.EqualFold(m[1], ev.Repo.Slug()) {
		return "", nil
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return "", nil //nolint:nilerr // a number that large is no pull request
	}
	p, err := a.own(ctx, ev.Repo, n)
	if err != nil || p == nil || p.MergeCommit == "" {
		return "", err
	}
	// The words are their author's, whoever merges them: a stranger's line would make
	// a good change a bad one in what is learned.
	if ok, err := a.mayWrite(ctx, ev.Repo, ev.Pull.Author); err != nil || !ok {
		return "", err
	}
	if err := a.cfg.Store.SetFate(ctx, *p, task.FateReverted, p.MergeCommit); err != nil {
		return "", err
	}
	told := a.tellFate(ctx, ev.Repo, *p, task.FateReverted)
	return fmt.Sprintf("#%d was reverted", n), errors.Join(told, a.learnFate(ctx, ev, *p, task.FateReverted, p.MergeCommit))
}

// pushed: a branch moved that pull requests of fettle's are for.
func (a *App) pushed(ctx context.Context, ev task.Event) (string, error) {
	all, err := a.cfg.Store.Pulls(ctx, ev.Repo.Installation, ev.Repo.Slug(), store.PullFilter{Base: ev.Branch, Open: true})
	if err != nil || len(all) == 0 {
		return "ignored: no pull request of fettle's is for " + ev.Branch, err
	}
	var notes []string
	for _, p := range all {
		note, err := a.baseMoved(ctx, ev, p)
		if err != nil {
			return "", err
		}
		notes = append(notes, fmt.Sprintf("#%d: %s", p.Number, note))
	}
	return strings.Join(notes, "; "), nil
}

// baseMoved tells of a pull request that does not fit its base any more.
func (a *App) baseMoved(ctx context.Context, ev task.Event, p store.Pull) (string, error) {
	now, err := a.app.Forge.Pull(ctx, ev.Repo, p.Number)
	if err != nil {
		return "", err
	}
	if now.State != "open" || now.MergeState != "dirty" && now.MergeState != "behind" {
		return "it still fits its base", nil
	}
	if now.HeadSHA != p.Head {
		_, err := a.app.Forge.Comment(ctx, ev.Repo, p.Number, "base-"+ev.After, fmt.Sprintf("`%s` has moved, and this does not fit it any more. The branch holds commits of others, so I leave it as it is: merge or rebase it, or say `/fettle fix` with what to do.", codeSpan(ev.Branch)))
		return "it does not fit its base, and the branch is not fettle's alone", err
	}
	if err := a.later(ctx, ev, p); err != nil {
		return "", err
	}
	edits, ok, err := a.whole(ctx, p)
	if err != nil {
		return "", err
	}
	if !ok {
		_, err := a.app.Forge.Comment(ctx, ev.Repo, p.Number, "base-"+ev.After, fmt.Sprintf("`%s` has moved, and this does not fit it any more. Its commits change the same files one after the other, so I cannot make them anew by myself: merge or rebase the branch, or say `/fettle fix` with what to do.", codeSpan(ev.Branch)))
		return "it does not fit its base, and cannot be made anew", err
	}
	return a.follow(ctx, ev, p, asks{
		title: fmt.Sprintf("bring #%d up to %s", p.Number, ev.Branch), origin: task.OriginReview,
		follow: task.Follow{Kind: task.FollowBase, Edits: &edits, Comments: []int64{}},
	})
}

// whole are the edits of all commits of the pull request as one patch; ok is false
// where one changes what another changed.
func (a *App) whole(ctx context.Context, p store.Pull) (all task.Patch, ok bool, err error) {
	runs, err := a.worked(ctx, p)
	if err != nil {
		return all, false, err
	}
	for _, r := range runs {
		res := r.Result
		if res == nil || res.Outcome != task.Success || res.Best == nil || res.Published.Commit == "" {
			continue
		}
		for _, path := range res.Best.Patch.Paths() {
			if slices.Contains(all.Paths(), path) {
				return all, false, nil
			}
		}
		all.Edits = append(all.Edits, res.Best.Patch.Edits...)
	}
	return all, len(all.Edits) > 0, nil
}
