package bot

import (
	"context"
	"errors"
	"fmt"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// begin makes a run, or for plan one that makes a plan and waits with it.
func (a *App) begin(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	issue, err := a.issue(ctx, ev.Repo, ev.Issue.Number)
	if err != nil {
		return "", err
	}
	if issue.IsPullRequest {
		return a.answer(ctx, ev, c, fmt.Sprintf("I start from issues; say `/fettle %s` on the issue that this pull request is for.", c.Name))
	}
	if c.Base != "" {
		if _, there, err := a.app.Forge.BranchHead(ctx, ev.Repo, c.Base); err != nil {
			return "", err
		} else if !there {
			return a.answer(ctx, ev, c, "There is no branch of that name; nothing was started. `/fettle fix --base NAME` takes the name of a branch of this repository.")
		}
	}
	if c.Name == "fix" {
		_, note, err := a.start(ctx, ev, issue, task.OriginComment, c.Hint, c.Base, task.Gates{})
		return note, err
	}
	joined, note, err := a.start(ctx, ev, issue, task.OriginComment, c.Hint, c.Base, task.Gates{Plan: true, PlanFirst: true})
	if err == nil && joined {
		return a.answer(ctx, ev, c, "A run is under way here already; `/fettle status` says where it stands, and `/fettle stop` ends it.")
	}
	return note, err
}

// start makes a run that waits at the given gates besides the operator's, or
// joins the one that is live.
func (a *App) start(ctx context.Context, ev task.Event, issue task.Issue, origin task.Origin, hint, base string, gates task.Gates) (joined bool, note string, err error) {
	repo, err := a.app.Forge.Repo(ctx, ev.Repo)
	if err != nil {
		return false, "", err
	}
	if stopped, err := a.stoppedHere(ctx, issue.Number, task.Task{Repo: repo}); err != nil || stopped {
		return false, "refused: the repository is quarantined", err
	}
	outsider, err := a.outsider(ctx, repo, issue.Author, ev.Actor)
	if err != nil {
		return false, "", err
	}
	if err := a.app.Forge.React(ctx, repo, issue.Number, 0, "eyes"); err != nil && !errors.Is(err, forge.ErrLocked) {
		return false, "", err
	}
	if ev.Issue.Title != "" { // the text counts as it was at the trigger, whatever it was edited to since
		issue.Title, issue.Body = ev.Issue.Title, ev.Issue.Body
	}
	run, joined, err := a.cfg.Store.CreateRun(ctx, store.NewRun{ID: a.app.NewID(), Budget: a.app.Budget, Delivery: ev.Delivery, Saved: &task.RunState{Outsider: outsider, Gates: gates}, Task: task.Task{
		Title: issue.Title, Body: issue.Body, Hint: hint, Origin: origin, Repo: repo, Issue: issue.Number, IssueURL: issue.URL,
		Actor: ev.Actor, BaseBranch: base,
	}})
	if err != nil {
		return false, "", err
	}
	if joined {
		return true, "joined " + run.ID, nil
	}
	a.queued(ctx, run)
	return false, "started " + run.ID, nil
}

// retry makes a run on the task of the last one that ended, on the steps that
// were accepted, at the tier that was named.
func (a *App) retry(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	runs, err := a.last(ctx, ev)
	switch {
	case err != nil:
		return "", err
	case len(runs) == 0:
		return a.answer(ctx, ev, c, "There is no run here to try again; `/fettle fix` starts one.")
	}
	id, err := a.RetryAt(ctx, runs[0], task.Tier(c.Tier), ev.Delivery)
	switch {
	case errors.Is(err, ErrTier):
		return a.answer(ctx, ev, c, upperFirst(err.Error())+". Nothing was done.")
	case errors.Is(err, store.ErrHeld):
		return a.answer(ctx, ev, c, "A run is under way here; `/fettle status` says where it stands, and `/fettle stop` ends it.")
	case errors.Is(err, store.ErrDone):
		return a.answer(ctx, ev, c, "The last run ended well; `/fettle fix` starts another.")
	case err != nil:
		return "", err
	}
	return "tries again as " + id, nil
}

// RetryAt makes a run that goes on where an ended one stood, at a tier ("": where it
// would have gone on). The same ask again, known by its name, gives the same run. ErrHeld
// while a run on the issue is live, ErrDone when the last one ended well.
func (a *App) RetryAt(ctx context.Context, last task.Run, tier task.Tier, ask string) (string, error) {
	if top := a.app.Budget.MaxTier; top != "" && tier.Rank() > top.Rank() {
		return "", fmt.Errorf("%w %s", ErrTier, top)
	}
	if last.State == task.StateDone && last.Outcome == task.Success {
		return "", store.ErrDone
	}
	next := store.NewRun{ID: a.app.NewID(), Task: last.Task, Budget: a.app.Budget, Delivery: ask}
	was := last.Saved
	saved := task.RunState{Scope: was.Scope, Gates: was.Gates, Outsider: was.Outsider} // on the branch as it is now
	if at, err := loop.From(was, loop.StepDone(was)+1); err == nil && loop.StepDone(was) > 0 {
		saved = loop.Fresh(at) // on the base that its accepted steps are for
	}
	saved.Version, saved.Published, saved.Next, saved.Feedback = 1, 0, tier, ""
	if tier == task.TierMechanical { // nothing above it: it comes first in any case
		saved.Next, next.Budget.MaxTier = "", tier
	}
	next.Saved = &saved
	run, joined, err := a.cfg.Store.CreateRun(ctx, next)
	if err == nil && joined && run.ID == last.ID {
		err = store.ErrHeld
	}
	return run.ID, err
}

// live is the run that a comment is about: the issue's, or on a pull request of
// fettle's that of the issue behind it.
func (a *App) live(ctx context.Context, ev task.Event) (*task.Run, error) {
	issue, err := a.issueOf(ctx, ev)
	if err != nil {
		return nil, err
	}
	return a.cfg.Store.LiveRun(ctx, ev.Repo.Installation, ev.Repo.Slug(), issue)
}

// issueOf is the issue whose runs an event is about.
func (a *App) issueOf(ctx context.Context, ev task.Event) (int, error) {
	if !ev.Issue.IsPullRequest {
		return ev.Issue.Number, nil
	}
	p, err := a.own(ctx, ev.Repo, ev.Issue.Number)
	if err != nil || p == nil {
		return ev.Issue.Number, err
	}
	return p.Issue, nil
}

// last is the issue's newest run, if there is one.
func (a *App) last(ctx context.Context, ev task.Event) ([]task.Run, error) {
	issue, err := a.issueOf(ctx, ev)
	if err != nil {
		return nil, err
	}
	return a.cfg.Store.Runs(ctx, store.Filter{Installation: ev.Repo.Installation, Repo: ev.Repo.Slug(), Issue: issue, Limit: 1})
}
