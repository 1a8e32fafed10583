package bot

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// pull leaves the pull request as the result says, in the form that the repository
// asks for.
func (g *github) pull(ctx context.Context, branch string, res task.Result) (task.PullRequest, error) {
	t, base := res.Task, baseBranch(res.Task)
	template, err := g.forge.Template(ctx, t.Repo, "")
	if err != nil {
		g.log.WithError(err).Warn("the template for pull requests was not read; the text is in fettle's own form")
	}
	title, body := g.text.pullRequest(res)
	body = InTemplate(g.remarked(ctx, res, body), template)
	pr, err := g.forge.PullRequest(ctx, t.Repo, branch, base, title, body, t.Issue, res.Draft)
	if err != nil && base == t.Repo.DefaultBranch {
		// It may have another name by now; the commits are the same.
		if now, askErr := g.forge.Repo(ctx, t.Repo); askErr == nil && now.DefaultBranch != base {
			pr, err = g.forge.PullRequest(ctx, t.Repo, branch, now.DefaultBranch, title, body, t.Issue, res.Draft)
		}
	}
	if err != nil || len(t.Wishes.Labels) == 0 {
		return pr, err
	}
	if err := g.forge.AddLabels(ctx, t.Repo, pr.Number, t.Wishes.Labels...); err != nil {
		g.log.WithError(err).Warn("the labels that the repository wants were not put on the pull request")
	}
	return pr, nil
}

// remarked is a pull request's text with what is to be known of it besides: that
// the issue was edited since, and who signed the commit.
func (g *github) remarked(ctx context.Context, res task.Result, body string) string {
	var lines []string
	if words := g.edited(ctx); words != "" {
		lines = append(lines, "- [ ] "+words)
	}
	if g.remark != "" {
		lines = append(lines, "- [ ] "+g.remark)
	}
	if sha, ok, err := g.forge.BranchHead(ctx, res.Task.Repo, branchName(res.Task)); err == nil && ok {
		if signed, err := g.forge.Verified(ctx, res.Task.Repo, sha); err == nil && signed {
			lines = append(lines, "- [x] the commit was made through GitHub's API as the App and is shown as verified")
		}
	}
	if len(lines) == 0 {
		return body
	}
	const end = "- [x] sandbox: "
	return strings.Replace(body, end, strings.Join(lines, "\n")+"\n"+end, 1)
}

// edited says that the issue does not read any more as it did at the trigger, or "".
func (g *github) edited(ctx context.Context) string {
	t := g.run.Task
	if t.Follow != nil {
		return ""
	}
	now, err := g.forge.Issue(ctx, t.Repo, t.Issue)
	if err != nil || now.Number != t.Issue || now.Title == t.Title && sameWords(now.Body, t.Body) {
		return ""
	}
	return fmt.Sprintf("the issue was edited after the trigger; this is for its text as it was then (`sha256:%s`). `/fettle fix` works on the new one", t.TextHash()[:16])
}

// sameWords compares texts as GitHub stores them: line ends and final blanks may
// change, and what the funnel took out of the stored one is no edit.
func sameWords(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b) || strings.Contains(b, redact.Mark)
}

// signed is a commit message with the sign-off that the repository asks for.
func (g *github) signed(ctx context.Context, res task.Result, message string) (string, error) {
	if !res.Task.Wishes.SignOff {
		return message, nil
	}
	who, err := g.forge.Signature(ctx, res.Task.Repo, res.Task.Issue)
	if err != nil {
		return "", fmt.Errorf("signing the commit off, which the repository asks for: %w", err)
	}
	return strings.TrimRight(message, "\n") + "\n" + forge.SignedOff + who + "\n", nil
}

// queued shows on the issue how many runs are before a new one, where some are.
func (a *App) queued(ctx context.Context, r task.Run) {
	place, err := a.cfg.Store.Place(ctx, r.ID)
	if err == nil && place > 0 {
		_, _, err = a.app.Forge.StatusComment(ctx, r.Task.Repo, r.Task.Issue, statusKey(r.Task), a.text.queued(r, place, a.app.LogLink(r.ID)))
	}
	if err != nil {
		a.cfg.Log.WithField("run", r.ID).WithError(err).Warn("the run's place in the queue was not shown")
	}
}

// queued is the status comment of a run that has not begun.
func (r reporter) queued(run task.Run, place int, log string) string {
	return fmt.Sprintf("⏳ **fettle** will work on this: %s %s before it.\n\n| | |\n| --- | --- |\n| text as read | `sha256:%s` |\n%s\n`/fettle stop` ends the run. <sub>Run `%s`</sub>\n",
		task.Count(place, "run"), map[bool]string{true: "is", false: "are"}[place == 1], run.Task.TextHash()[:16], logRow(log), run.ID)
}

// logRow links to the log in a status comment.
func logRow(url string) string {
	if url == "" {
		return ""
	}
	return fmt.Sprintf("| log | [what it did so far](%s) |\n", url)
}

// publisher is the publisher of a run, with the link to its log.
func (a *App) publisher(lease *store.Lease, r task.Run) Publisher {
	g := a.NewGitHub(a.app.Forge, a.app.Funnel, lease, r)
	g.logLink, g.remark = a.app.LogLink(r.ID), a.app.Remark
	return g
}

// LogLink is where the log of a run can be read, or "".
func (c AppConfig) LogLink(run string) string {
	if c.LogURL == nil {
		return ""
	}
	return c.LogURL(run)
}

// mostAnnotations bounds the annotations of a check.
const mostAnnotations = 50

// notes are the failures of the last attempt, each at its line.
func (r reporter) notes(res task.Result) []task.Annotation {
	if res.Best == nil {
		return nil
	}
	var out []task.Annotation
	seen := map[string]bool{}
	for _, f := range res.Best.Failures {
		file := path.Clean(f.File)
		at := fmt.Sprintf("%s:%d:%s", file, f.Line, f.Test)
		if f.File == "" || path.IsAbs(file) || strings.HasPrefix(file, "..") || f.Line <= 0 || seen[at] || len(out) == mostAnnotations {
			continue
		}
		seen[at] = true
		message := strings.TrimSpace(f.Exception + " " + f.Message)
		if f.Cause != "" {
			message += "\n" + f.Cause
		}
		out = append(out, task.Annotation{Path: file, Line: f.Line, Level: task.NoteFailure, Title: f.Test, Message: message})
	}
	return out
}

// wip puts the failures of the best attempt on its commit.
func (g *github) wip(ctx context.Context, sha string, res task.Result) {
	_, err := g.once(ctx, "check_run:"+sha, func(ctx context.Context) (any, error) {
		return nil, g.forge.CheckRun(ctx, res.Task.Repo, sha, "fettle", "failure", "Not mended: "+strings.ReplaceAll(string(res.Outcome), "_", " "), g.text.exhausted(res, task.Publication{Branch: branchName(res.Task), Commit: sha}), g.text.notes(res)...)
	})
	if err != nil {
		g.log.WithError(err).Warn("the check run was not written")
	}
}

var (
	adds      = lazyregexp.New(`(?i)^\W*(?:please )?(?:add|support|implement|introduce|allow|provide|expose|feature)\b`)
	reshapes  = lazyregexp.New(`(?i)^\W*(?:please )?(?:refactor|rename|extract|simplify|clean ?up|restructure|deduplicate|split|move)\b`)
	isDocFile = lazyregexp.New(`(?i)(\.(md|rst|adoc|txt)$|^docs?/|(^|/)(README|CHANGELOG|LICENSE)[^/]*$)`)
)

// kind is the type of a conventional commit, from what was done: which files were
// changed, whether a failing test turned green, and what was asked.
func kind(res task.Result) string {
	var paths []string
	if res.Best != nil {
		paths = res.Best.Patch.Paths()
	}
	all := func(is func(string) bool) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !is(p) })
	}
	switch {
	case all(isDocFile.MatchString):
		return "docs"
	case all(code.IsTest):
		return "test"
	case slices.ContainsFunc(res.Reproduction, func(id string) bool { return !slices.Contains(res.NewTests, id) }):
		return "fix" // a test of the repository was red
	case reshapes.MatchString(res.Task.Title):
		return "refactor"
	case adds.MatchString(res.Task.Title):
		return "feat"
	}
	return "fix"
}

// quiet is nil for an error that says that nothing can be said in a conversation:
// what is to be said stands elsewhere too.
func (g *github) quiet(err error) error {
	if errors.Is(err, forge.ErrLocked) {
		g.log.WithError(err).Warn("the conversation is locked, so nothing is said there")
		return nil
	}
	return err
}
