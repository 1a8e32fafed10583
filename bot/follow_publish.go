package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// follow publishes what came of a follow-up: a commit on the branch that stands,
// an answer to each thread, and on the pull request what has no thread.
func (g *github) follow(ctx context.Context, res task.Result) (task.Publication, error) {
	f := res.Task.Follow
	pub := task.Publication{Branch: f.Branch, PullRequest: &task.PullRequest{Number: f.Pull, URL: f.URL, Draft: res.Draft}}
	var err error
	switch {
	case res.Outcome == task.Success && f.Kind == task.FollowUndo:
		err = g.takeBack(ctx, &pub)
	case res.Outcome == task.Success && len(res.Changes) > 0:
		pub, err = g.add(ctx, res)
	}
	if err != nil {
		return pub, err
	}
	if pub.Commit != "" {
		if err := g.store.KeepPull(ctx, g.lease, store.Pull{Number: f.Pull, URL: f.URL, Branch: f.Branch, Base: f.Base, Head: pub.Commit}); err != nil {
			return pub, err
		}
	}
	if res.Outcome == task.Cancelled {
		return pub, nil
	}
	if err := g.answerThreads(ctx, res, pub); err != nil {
		return pub, err
	}
	return pub, g.tellPull(ctx, res, &pub)
}

// add puts the change as a commit on top of the branch. Whoever pushed in between
// keeps what they pushed: then this ends with a conflict.
func (g *github) add(ctx context.Context, res task.Result) (task.Publication, error) {
	f := res.Task.Follow
	pub, err := g.commit(ctx, res)
	if foreign(err) {
		return pub, fmt.Errorf("somebody pushed to %s while this was worked on, and nothing is pushed over it; ask again where it is still wanted: %w", f.Branch, err)
	}
	if err != nil {
		return pub, err
	}
	pub.PullRequest = &task.PullRequest{Number: f.Pull, URL: f.URL, Draft: res.Draft}
	if res.Draft {
		if _, err := g.once(ctx, "draft", func(ctx context.Context) (any, error) { return nil, g.forge.SetDraft(ctx, res.Task.Repo, f.Pull, true) }); err != nil {
			return pub, err
		}
		g.point("made a draft")
	}
	if err := g.check(ctx, pub.Commit, res); err != nil {
		g.log.WithError(err).Warn("the check run was not written")
	}
	return pub, nil
}

// takeBack reverts the last commit.
func (g *github) takeBack(ctx context.Context, pub *task.Publication) error {
	var err error
	pub.Commit, err = once(ctx, g, "commit", func(ctx context.Context) (string, error) {
		sha, err := g.undone(ctx)
		if err == nil {
			g.point("branch moved")
		}
		return sha, err
	})
	if err != nil {
		return fmt.Errorf("taking back the last commit on %s: %w", pub.Branch, err)
	}
	return nil
}

// answerThreads replies to each thread once, and resolves those that are done.
// A question is answered and left open: who asked says whether that was it.
func (g *github) answerThreads(ctx context.Context, res task.Result, pub task.Publication) error {
	f := res.Task.Follow
	for _, t := range f.Threads {
		body, done := g.text.threadAnswer(res, pub, t, slices.Contains(res.Left, t.ID))
		key := "thread:" + t.ID
		if _, err := g.once(ctx, key, func(ctx context.Context) (any, error) {
			return g.forge.ReplyThread(ctx, res.Task.Repo, f.Pull, t.Comments[0].ID, fmt.Sprintf("follow-%s-%d", g.run.ID, t.Last().ID), body)
		}); err != nil {
			if forge.IsGone(err) { // somebody deleted the comment
				continue
			}
			return fmt.Errorf("answering a thread: %w", err)
		}
		g.point("thread answered")
		if !done {
			continue
		}
		if _, err := g.once(ctx, "resolve:"+t.ID, func(ctx context.Context) (any, error) {
			return nil, g.forge.ResolveThread(ctx, res.Task.Repo, t.ID)
		}); err != nil && !forge.IsGone(err) {
			return fmt.Errorf("resolving a thread: %w", err)
		}
		g.point("thread resolved")
	}
	return nil
}

// tellPull says on the pull request what no thread is told.
func (g *github) tellPull(ctx context.Context, res task.Result, pub *task.Publication) error {
	f := res.Task.Follow
	if f.Review == nil && f.Check == nil && f.Kind != task.FollowTests && f.Kind != task.FollowUndo && f.Kind != task.FollowBase && len(f.Threads) > 0 {
		return nil
	}
	url, err := once(ctx, g, "told", func(ctx context.Context) (string, error) {
		return g.forge.Comment(ctx, res.Task.Repo, f.Pull, "follow-"+g.run.ID, g.text.followed(res, *pub))
	})
	if err != nil {
		return fmt.Errorf("saying on the pull request what was done: %w", err)
	}
	g.point("told")
	pub.ReportURL = url
	return nil
}

// threadAnswer is what a thread is told, and whether it is done with.
func (r reporter) threadAnswer(res task.Result, pub task.Publication, t task.Thread, left bool) (body string, done bool) {
	if words, ok := res.Answers[t.ID]; ok {
		return r.funnel.Markdown(words), false
	}
	switch {
	case left:
		return "These lines are not there any more as they were commented on, so the suggestion was not applied. Say it again on the lines as they are now.", false
	case res.Outcome != task.Success:
		return fmt.Sprintf("This is not done: %s. %s\n", r.funnel.Markdown(strings.TrimRight(res.Reason, ".")), r.funnel.Markdown(perTierLine(res))), false
	case pub.Commit == "":
		return "Nothing had to be changed for this.", false
	}
	return fmt.Sprintf("Done in %s. %s\n\n%s", pub.Commit, r.funnel.Markdown(explanation(res)), r.funnel.Markdown(proofLine(res))), true
}

func explanation(res task.Result) string {
	if res.Best == nil {
		return ""
	}
	return res.Best.Explanation
}

// proofLine says what speaks for a follow-up's change.
func proofLine(res task.Result) string {
	switch {
	case res.Best == nil:
		return ""
	case len(res.Reproduction) > 0:
		return "Shown by " + strings.Join(shown(res.Reproduction, 3), ", ") + ", which failed before and passes now; every test that passed before still passes."
	case len(res.Best.NewTests) > 0:
		return "The new tests pass, and every test that passed before still passes."
	}
	return "No test shows it; every test that passed before still passes."
}

func perTierLine(res task.Result) string {
	lines := perTier(res)
	if len(lines) == 0 {
		return "Nothing was tried."
	}
	return "Tried: " + strings.Join(lines, "; ") + "."
}

// followed is what the pull request is told of a follow-up.
func (r reporter) followed(res task.Result, pub task.Publication) string {
	f := res.Task.Follow
	what := f.What()
	if f.Check != nil {
		what = "the red check `" + codeSpan(f.Check.Name) + "`"
	}
	var b strings.Builder
	switch {
	case res.Outcome != task.Success:
		fmt.Fprintf(&b, "## fettle stopped on %s: %s\n\n%s\n\n%s\n\n%s\n", what, res.Outcome, r.funnel.Markdown(res.Reason), r.funnel.Markdown(perTierLine(res)), r.funnel.Markdown(res.NextAction))
	case f.Kind == task.FollowUndo:
		fmt.Fprintf(&b, "The last commit, %s, is taken back by %s.\n", f.Head, pub.Commit)
	case pub.Commit == "":
		fmt.Fprintf(&b, "Nothing had to be changed for %s.\n", what)
	default:
		fmt.Fprintf(&b, "%s is answered by %s. %s\n\n%s\n\n", upperFirst(what), pub.Commit, r.funnel.Markdown(explanation(res)), r.funnel.Markdown(proofLine(res)))
		for _, d := range res.DraftReasons {
			fmt.Fprintf(&b, "- open: %s\n", r.funnel.Markdown(d))
		}
	}
	fmt.Fprintf(&b, "\n<sub>Run `%s`, cost %s · words as read: `sha256:%s`</sub>\n", res.RunID, res.Cost, res.Task.TextHash()[:16])
	return b.String()
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
