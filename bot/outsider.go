package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/task"
)

// Words of somebody without write permission may ask for a change whose mere
// push runs CI with secrets (SPEC L6). So a human says yes first: before the
// push, or, with the draft in view, before CI is not asked to skip any more.

// held says what has to wait of a result on an outsider's words: nothing (nil),
// or the gate to wait at. The result comes back as it may go out now.
func (b *Bot) held(ctx context.Context, r task.Run, way task.OutsiderGate, res task.Result) (task.Result, *loop.Waiting, error) {
	pushes := res.Outcome == task.Success || res.Outcome.Exhausted() && res.Best != nil && len(res.Changes) > 0
	if r.Saved.Outsider == "" || way == task.OutsiderOff || !pushes {
		return res, nil, nil
	}
	said, err := b.cfg.Store.Answers(ctx, r.ID)
	if err != nil {
		return res, nil, err
	}
	for i := len(said) - 1; i >= 0; i-- {
		switch a := said[i]; {
		case a.Gate != task.GateOutsider:
		case a.Approved:
			return res, nil, nil
		default:
			res.Outcome, res.Reason = task.Rejected, "the change was not approved: "+a.Feedback
			res.NextAction = "Nothing of it is pushed any more; ask again when it is wanted."
			return res, nil, nil
		}
	}
	what := "a change that passes"
	if res.Outcome != task.Success {
		what = fmt.Sprintf("the best attempt (%s)", strings.ReplaceAll(string(res.Outcome), "_", " "))
	}
	gate := task.Gate{Kind: task.GateOutsider, Attempt: res.Best.Number, Asked: b.cfg.Now().UTC()}
	if way == task.OutsiderApprove {
		gate.Words = fmt.Sprintf("%s is ready and not pushed: its task is in words of %s, who may not write to this repository, and CI runs what is pushed", what, r.Saved.Outsider)
		return res, &loop.Waiting{Gate: gate}, nil
	}
	res.SkipCI = true
	if res.Outcome != task.Success {
		return res, nil, nil // its commit asks CI to skip; there is no pull request to make ready
	}
	res.Draft = true
	res.DraftReasons = append(res.DraftReasons, fmt.Sprintf("the task is in words of %s, who may not write to this repository, so the commit asks CI to skip: read the change, then say `/fettle approve`", r.Saved.Outsider))
	res.NextAction = "Read the change; `/fettle approve` lets CI run on it."
	gate.Words = fmt.Sprintf("a draft stands, and CI is asked to skip it, because its task is in words of %s, who may not write to this repository; `/fettle approve` lets CI run", r.Saved.Outsider)
	return res, &loop.Waiting{Gate: gate}, nil
}

// stands writes down that a draft stands and waits.
func (b *Bot) stands(ctx context.Context, j *journal, pub task.Publication) error {
	if pub.PullRequest == nil {
		return errors.New("a draft was published, and no pull request is known for it")
	}
	now, err := b.cfg.Store.Run(ctx, j.lease.RunID)
	if err != nil {
		return err
	}
	now.Saved.Published = pub.PullRequest.Number
	return j.Save(ctx, now.Saved)
}

// left is the result of a run that was cancelled while its draft waited: the
// draft stays as it is.
func (b *Bot) left(ctx context.Context, r task.Run) task.Result {
	res := b.without(ctx, r, r.Saved.Outcome, "the draft was left as it is: "+r.CancelReason, "Nothing; its commit still asks CI to skip.")
	res.Draft = true
	return res
}

// release takes the request to skip CI back: a commit of the same tree without
// it, and the pull request as it would have been. What humans closed or went on
// with meanwhile stays theirs.
func (g *github) release(ctx context.Context, pub *task.Publication, res task.Result) error {
	pr, err := g.forge.Issue(ctx, res.Task.Repo, pub.PullRequest.Number)
	if err != nil {
		return fmt.Errorf("looking whether the draft is open: %w", err)
	}
	if pr.State != "open" {
		return nil
	}
	sha, err := once(ctx, g, "commit:approved", func(ctx context.Context) (string, error) {
		message, err := g.signed(ctx, res, g.text.commitMessage(res))
		if err != nil {
			return "", err
		}
		sha, err := g.forge.Recommit(ctx, res.Task.Repo, pub.Branch, pub.Commit, message, ledger{g.store, g.lease, g.point})
		if foreign(err) { // somebody pushed, and so asked CI
			g.log.WithError(err).Info("the branch is a human's now; no commit is needed for CI to run")
			return pub.Commit, nil
		}
		return sha, err
	})
	if err != nil {
		return fmt.Errorf("asking CI to run: %w", err)
	}
	pub.Commit = sha
	now, err := once(ctx, g, "pull_request:approved", func(ctx context.Context) (task.PullRequest, error) { return g.pull(ctx, pub.Branch, res) })
	if err != nil {
		return fmt.Errorf("bringing the pull request up to date: %w", err)
	}
	pub.PullRequest = &now
	return nil
}

// published is what stands outside of a run that was published before.
func (g *github) published(ctx context.Context, res task.Result) (task.Publication, error) {
	pr, err := once(ctx, g, "pull_request", func(context.Context) (task.PullRequest, error) {
		return task.PullRequest{}, errors.New("the run is said to be published, and is not; look at its pull request")
	})
	return task.Publication{Branch: branchName(res.Task), PullRequest: &pr}, err
}
