package bot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// A follow-up goes on with a pull request that stands: a run like any other, of
// the same issue, with the branch as its base and what was said or is red as its
// task. One run of an issue is live at a time, so a delivery that finds one waits.

// Bounds of the wait for a live run: a part of the time that the delivery has
// waited already.
const (
	leastWait = 2 * time.Second
	mostWait  = 2 * time.Minute
	waitShare = 4
)

// own is the pull request of fettle's with this number, or nil.
func (a *App) own(ctx context.Context, repo task.Repo, number int) (*store.Pull, error) {
	return a.firstPull(ctx, repo, store.PullFilter{Number: number})
}

// firstPull is the first of fettle's pull requests in a repository that pass a filter, or nil.
func (a *App) firstPull(ctx context.Context, repo task.Repo, f store.PullFilter) (*store.Pull, error) {
	all, err := a.cfg.Store.Pulls(ctx, repo.Installation, repo.Slug(), f)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// earlier are the follow-ups of a pull request, the newest first.
func (a *App) earlier(ctx context.Context, p store.Pull) ([]task.Run, error) {
	runs, err := a.cfg.Store.Runs(ctx, store.Filter{Installation: p.Installation, Repo: p.Repo, Issue: p.Issue, Limit: 1000})
	return slices.DeleteFunc(runs, func(r task.Run) bool { return r.Task.Follow == nil || r.Task.Follow.Pull != p.Number }), err
}

// later puts the delivery off while a run of the issue is live: its work is not
// lost, and it is never done beside that run's.
func (a *App) later(ctx context.Context, ev task.Event, p store.Pull) error {
	live, err := a.cfg.Store.LiveRun(ctx, p.Installation, p.Repo, p.Issue)
	if err != nil || live == nil {
		return err
	}
	now := a.cfg.Now()
	wait := min(max(now.Sub(ev.Received)/waitShare, leastWait), mostWait)
	return store.Later(now.Add(wait), fmt.Errorf("run %s of the issue is under way", live.ID))
}

// asks is what a follow-up is asked.
type asks struct {
	title, body string
	origin      task.Origin
	follow      task.Follow
}

// follow makes the run that goes on with a pull request. The words are those of
// whoever may write to the repository, as they were when this was decided.
func (a *App) follow(ctx context.Context, ev task.Event, p store.Pull, q asks) (string, error) {
	if err := a.later(ctx, ev, p); err != nil {
		return "", err
	}
	repo, err := a.app.Forge.Repo(ctx, ev.Repo)
	if err != nil {
		return "", err
	}
	head, ok, err := a.app.Forge.BranchHead(ctx, repo, p.Branch)
	if err != nil {
		return "", err
	}
	if !ok {
		return "the branch " + p.Branch + " is gone", nil
	}
	f := q.follow
	if stopped, err := a.stoppedHere(ctx, p.Number, task.Task{Repo: repo, Follow: &f}); err != nil || stopped {
		return "refused: the repository is quarantined", err
	}
	first, err := a.cfg.Store.Run(ctx, p.Run)
	if err != nil {
		return "", err
	}
	if held, err := a.unapproved(ctx, first); err != nil {
		return "", err
	} else if held {
		_, err := a.app.Forge.Comment(ctx, repo, p.Number, "unapproved", fmt.Sprintf("This draft is for words of %s, who may not write to this repository, and nobody has approved it: CI was asked to skip it, and would run on whatever I push now. So I leave it as it is. Push to the branch yourself, or say `/fettle fix` on the issue.", a.app.Funnel.Markdown(first.Saved.Outsider)))
		return "refused: nobody approved the outsider's draft", err
	}
	if first.Result != nil {
		f.Known = first.Result.KnownRed
		q.body = strings.TrimSpace(q.body + "\n\n" + changedWords(first.Result.Best))
	}
	f.Pull, f.URL, f.Branch, f.Base, f.Head, f.Of, f.Run = p.Number, p.URL, p.Branch, p.Base, head, p.Generation, p.Run
	run, joined, err := a.cfg.Store.CreateRun(ctx, store.NewRun{ID: a.app.NewID(), Budget: a.app.Budget, Delivery: followKey(ev.Delivery, f), Saved: &task.RunState{}, Task: task.Task{
		Title: q.title, Body: q.body, Origin: q.origin, Repo: repo, Issue: p.Issue, IssueURL: fmt.Sprintf("%s/issues/%d", repo.HTMLURL, p.Issue),
		Actor: ev.Actor, BaseBranch: p.Base, Follow: &f,
	}})
	switch {
	case err != nil:
		return "", err
	case joined: // somebody was faster: it is asked again
		return "", store.Later(a.cfg.Now().Add(leastWait), fmt.Errorf("run %s of the issue is under way", run.ID))
	}
	return fmt.Sprintf("follow-up %s (%s)", run.ID, f.Kind), nil
}

// unapproved tells of a run whose draft stands for an outsider's words without a yes.
// While that can still be given the run is live; here it was cancelled, or left.
func (a *App) unapproved(ctx context.Context, r task.Run) (bool, error) {
	if r.Saved.Outsider == "" || r.Saved.Published == 0 { // it went out like anybody's
		return false, nil
	}
	said, err := a.cfg.Store.Answers(ctx, r.ID)
	return !slices.ContainsFunc(said, func(s task.Answer) bool { return s.Gate == task.GateOutsider && s.Approved }), err
}

// changedWords says what a pull request changed: a review need not name it.
func changedWords(a *task.Attempt) string {
	if a == nil || len(a.Regions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("What the pull request changed:\n\n")
	for _, g := range a.Regions[:min(len(a.Regions), 10)] {
		fmt.Fprintf(&b, "- `%s` in %s, line %d\n", g.Name, g.Path, g.StartLine)
	}
	return b.String()
}

// followKey makes asking twice for the same work of a delivery one ask.
func followKey(delivery string, f task.Follow) string {
	return fmt.Sprintf("%s/%s/%v", delivery, f.Kind, f.Comments)
}

// followUp works on what is asked of a pull request that stands.
func (b *Bot) followUp(ctx context.Context, r task.Run, job Job, journal *journal, tree *checkout.Tree) (task.Result, error) {
	f := r.Task.Follow
	var res task.Result
	var left []string
	var err error
	nothing := false
	if f.Kind == task.FollowSuggestion {
		var p task.Patch
		p, left = suggested(tree.BaseFS(), f.Threads)
		nothing = len(p.Edits) == 0
	}
	if f.Kind == task.FollowBase {
		p, ok, err := b.pinned(ctx, r, job)
		if err != nil {
			return res, err
		}
		if !ok {
			return b.without(ctx, r, task.Rejected, "its edits do not say which bytes they replace, so making them anew could take back what the base has got since", "Merge or rebase the branch, or say `/fettle fix` on the pull request with what to do."), nil
		}
		with := *f
		with.Edits = &p
		r.Task.Follow = &with
	}
	if !f.Kind.Climbs() || nothing {
		res, err = b.onTheSide(ctx, r, job, tree)
	} else {
		res, _, err = b.loop(ctx, r, job, journal, tree)
	}
	if err != nil {
		return res, err
	}
	if res.Left = left; res.Outcome != task.Success && f.Kind.Climbs() {
		res.NextAction = "Say `/fettle fix` on the pull request with what to do, or push to its branch."
		if f.Kind == task.FollowCheck { // nobody but its App may be asked to run it again
			res.NextAction += " If the check may be red by chance, run it again: nothing is done about a green one."
		}
	}
	res.Answers, err = b.answers(ctx, r, job, tree)
	return res, err
}

// pinned are the edits of a pull request, each naming its region by the hash of the
// bytes that it replaced: where the moved base has others there, it is refused.
func (b *Bot) pinned(ctx context.Context, r task.Run, job Job) (p task.Patch, ok bool, err error) {
	first, err := b.cfg.Store.Run(ctx, r.Task.Follow.Run)
	if err != nil || job.Before == nil || first.Result == nil {
		return p, false, err
	}
	before, err := job.Before(ctx, first.Result.Task.BaseCommit)
	if err != nil {
		return p, false, fmt.Errorf("reading the code as it was before the pull request: %w", err)
	}
	defer func() { err = errors.Join(err, before.Close()) }()
	for _, e := range r.Task.Follow.Edits.Edits {
		if e.Kind == task.EditFile { // it holds all that the file was
			return p, false, nil
		}
		if e.Kind.NeedsRegion() {
			src, err := fs.ReadFile(before.BaseFS(), e.Path)
			if err != nil {
				return p, false, nil //nolint:nilerr // a file that another commit made: there is nothing to hold it against
			}
			regions, err := code.Regions(ctx, e.Path, src)
			if err != nil {
				return p, false, nil //nolint:nilerr // what cannot be read cannot be pinned
			}
			at, _, err := code.Resolve(regions, e.Region)
			if err != nil {
				return p, false, nil //nolint:nilerr // the same
			}
			e.Region = at.ID
		}
		p.Edits = append(p.Edits, e)
	}
	return p, true, nil
}

// onTheSide is work that no ladder is climbed for: answers, tests of what was
// changed, a commit taken back. A result without a change asks for none.
func (b *Bot) onTheSide(ctx context.Context, r task.Run, job Job, tree *checkout.Tree) (res task.Result, err error) {
	res = task.Result{RunID: r.ID, Task: r.Task, Outcome: task.Success}
	res.Task.BaseCommit = tree.BaseCommit()
	if r.Task.Follow.Kind != task.FollowTests {
		return res, nil
	}
	in, done, engine, err := b.input(ctx, r, job, tree)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, done()) }()
	first, err := b.cfg.Store.Run(ctx, r.Task.Follow.Run)
	if err != nil {
		return res, err
	}
	runs, err := b.cfg.Store.Runs(ctx, store.Filter{Installation: r.Task.Repo.Installation, Repo: r.Task.Repo.Slug(), Issue: r.Task.Issue, Limit: 1000})
	if err != nil {
		return res, err
	}
	var paths []string
	for _, x := range append(runs, first) {
		if x.Result != nil && x.Result.Best != nil && x.Outcome == task.Success {
			paths = append(paths, x.Result.Best.Patch.Paths()...)
		}
	}
	slices.Sort(paths)
	if job.Before == nil || first.Result == nil || first.Result.Task.BaseCommit == "" {
		return b.without(ctx, r, task.Rejected, "the commit that the pull request was made from is not known any more", askAgain), nil
	}
	before, err := job.Before(ctx, first.Result.Task.BaseCommit)
	if err != nil {
		return res, fmt.Errorf("reading the code as it was before the pull request: %w", err)
	}
	defer func() { err = errors.Join(err, before.Close()) }()
	res, err = engine.Pin(ctx, in, before.BaseFS(), slices.Compact(paths))
	res.Task.BaseCommit = tree.BaseCommit()
	if res.NextAction = "Look at the new tests."; res.Outcome != task.Success {
		res.NextAction = "Nothing was changed."
	}
	return res, err
}

// answers are what is said to the questions among a follow-up's threads, by the
// thread's id: from the trail of the run that made the change, and the places that
// the words seem to be about.
func (b *Bot) answers(ctx context.Context, r task.Run, job Job, tree *checkout.Tree) (out map[string]string, err error) {
	out = map[string]string{}
	var open []task.Thread
	for _, t := range r.Task.Follow.Threads {
		if isQuestion(t.Last().Body) {
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return out, nil
	}
	first, err := b.cfg.Store.Run(ctx, r.Task.Follow.Run)
	if err != nil {
		return out, err
	}
	in, done, engine, err := b.input(ctx, r, job, tree)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, done()) }()
	for _, t := range open {
		places, err := engine.Places(ctx, in, t.Last().Body)
		if err != nil {
			return out, err
		}
		out[t.ID] = trail(first, t.Path, places)
	}
	return out, nil
}

// trail answers a question about a change from what is on record of it.
func trail(r task.Run, path, places string) string {
	var b strings.Builder
	if r.Result == nil || r.Result.Best == nil {
		b.WriteString("Nothing is on record of why this was changed.\n")
	} else {
		res := r.Result
		for _, why := range res.Causes {
			fmt.Fprintf(&b, "What was wrong: %s\n\n", why)
		}
		if res.Best.Explanation != "" {
			fmt.Fprintf(&b, "Why it was changed: %s\n\n", res.Best.Explanation)
		}
		for _, reg := range res.Best.Regions {
			if path == "" || reg.Path == path {
				fmt.Fprintf(&b, "- changed: %s in %s, line %d\n", reg.Name, reg.Path, reg.StartLine)
			}
		}
		if len(res.Reproduction) > 0 {
			fmt.Fprintf(&b, "- shown by: %s (failed before, passes now)\n", strings.Join(shown(res.Reproduction, 5), ", "))
		}
		if x := res.Best.Search; x != nil && x.Place != "" {
			fmt.Fprintf(&b, "- looked for at %s; %s tried, %d passed every test\n", x.Place, task.Count(x.Tried, "candidate"), x.Plausible)
		}
		for _, d := range res.Best.Doubts {
			fmt.Fprintf(&b, "- open: %s\n", d)
		}
		for _, alt := range res.Best.Alternatives {
			fmt.Fprintf(&b, "- another change that passes: %s\n", alt)
		}
	}
	if places != "" {
		fmt.Fprintf(&b, "- code that the question seems to be about: %s\n", places)
	}
	return b.String()
}

// undone takes the last commit of a follow-up's branch back by one on top of it.
func (g *github) undone(ctx context.Context) (string, error) {
	f := g.run.Task.Follow
	return g.forge.Revert(ctx, g.run.Task.Repo, f.Branch, f.Head, fmt.Sprintf("revert: take back %s\n\nAsked for by %s on #%d.\n\nFettle-Run: %s\n", f.Head[:min(12, len(f.Head))], g.run.Task.Actor, f.Pull, g.run.ID), ledger{g.store, g.lease, g.point})
}

// foreign tells that somebody else has moved the branch.
func foreign(err error) bool {
	_, is := errors.AsType[*forge.Conflict](err)
	return is
}
