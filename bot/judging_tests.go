package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

// What /fettle test is asked on a pull request of others (SPEC S13): the tests that the
// change lacks, shown as a patch, or committed to the branch of the pull request. They
// are new files; nothing of the author's is touched, and a fork is never written to.
const (
	testsShown  = "shown"
	testsCommit = "commit"
)

// shownPatch is the largest patch that stands in a comment, which GitHub bounds.
const shownPatch = 30_000

// testsCommand is /fettle test on a pull request that is not fettle's.
func (a *App) testsCommand(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	if a.app.Judge == nil {
		return a.answer(ctx, ev, c, "Tests of others' changes are not written here; `fettle judge --tests FILE` does it in a terminal.")
	}
	pr, err := a.app.Forge.Pull(ctx, ev.Repo, ev.Issue.Number)
	if err != nil {
		return "", err
	}
	if pr.State != "open" {
		return a.answer(ctx, ev, c, fmt.Sprintf("#%d is not open, so no tests are written for it; `fettle judge --tests FILE` does it in a terminal.", pr.Number))
	}
	ask := asked{By: ev.CommentID, Actor: ev.Actor, Tests: testsShown}
	if c.Commit {
		ask.Tests = testsCommit
	}
	return a.queueJudgement(ctx, ev.Repo, pr, ask)
}

// mayBeCommitted: a pull request that moved may have moved by the commit of its tests,
// before this process died and could say so.
func (k asked) mayBeCommitted(pr task.PullRequest) bool {
	return k.Tests == testsCommit && pr.State == "open" && pr.Base == k.Base
}

// testsOf says on a pull request which tests it lacks, and commits them where that is
// asked for.
func (a *App) testsOf(ctx context.Context, repo task.Repo, pr task.PullRequest, ask asked) (string, error) {
	moved := pr.HeadSHA != ask.Head
	report, err := a.judgedNow(ctx, repo, pr, ask)
	var asking *askingError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, errMoved):
		return errMoved.Error(), nil
	case errors.As(err, &asking):
		return "", asking.err
	case err != nil:
		return "no tests were written", a.sayTests(ctx, repo, ask, "## fettle test: no tests were written\n\n"+a.app.Funnel.Markdown(oneLine(err.Error(), 500))+"\n\nThis says nothing about the change. `/fettle test` tries again.\n")
	}
	var to, why string
	if ask.Tests == testsCommit && len(report.Offer.Files) > 0 {
		if to, why, err = a.commitTests(ctx, repo, pr, ask, report.Report); err != nil {
			return "", err
		}
	}
	if to == "" {
		if pr, err = a.app.Forge.Pull(ctx, repo, ask.Number); err != nil {
			return "", err
		}
		if stale := ask.stale(pr); stale != "" || moved { // it was pushed to, or closed, meanwhile
			return errMoved.Error(), nil
		}
	}
	note := fmt.Sprintf("%s of tests offered", task.Count(len(report.Offer.Files), "file"))
	if to != "" {
		note = fmt.Sprintf("%s of tests committed as %s", task.Count(len(report.Offer.Files), "file"), to)
	}
	return note, a.sayTests(ctx, repo, ask, a.text.tests(report, testsTold{pr: pr, fork: !strings.EqualFold(pr.HeadRepo, repo.Slug()), commit: to, not: why})+fmt.Sprintf("\n<sub>For commit %s.%s</sub>\n", ask.Head, report.words()))
}

func (a *App) sayTests(ctx context.Context, repo task.Repo, ask asked, text string) error {
	_, _, err := a.app.Forge.StatusComment(ctx, repo, ask.Number, "tests", text)
	return err
}

// commitTests puts the tests on the branch of a pull request, on top of the commit that
// they were written for. why says in words what keeps them from it.
func (a *App) commitTests(ctx context.Context, repo task.Repo, pr task.PullRequest, ask asked, r judge.Report) (sha, why string, err error) {
	switch {
	case !strings.EqualFold(pr.HeadRepo, repo.Slug()):
		return "", "the branch lies in a fork, and I never write to forks", nil
	case strings.EqualFold(pr.Head, repo.DefaultBranch):
		return "", "the branch is the default branch of the repository, which I never write to", nil
	}
	if stopped, err := a.stoppedHere(ctx, pr.Number, task.Task{Repo: repo}); err != nil {
		return "", "", err
	} else if stopped {
		return "", "the repository is quarantined", nil
	}
	message := fmt.Sprintf("test: pin what #%d changes\n\nCharacterisation tests, made without a model. Asked for by %s on #%d.\n\nFettle-Run: tests-%d-%s\n", pr.Number, ask.Actor, pr.Number, ask.By, ask.Head[:min(12, len(ask.Head))])
	if wish, err := a.signsOff(ctx, repo, pr.Base); err != nil {
		return "", "", err
	} else if wish {
		who, err := a.app.Forge.Signature(ctx, repo, pr.Number)
		if err != nil {
			return "", "", fmt.Errorf("signing the commit off, which the repository asks for: %w", err)
		}
		message += forge.SignedOff + who + "\n"
	}
	var files []task.FileChange
	for _, f := range r.Offer.Files {
		files = append(files, task.FileChange{Path: f.Path, Mode: "100644", Content: []byte(f.Content)})
	}
	sha, err = a.app.Forge.CommitFiles(ctx, repo, pr.Head, ask.Head, message, files, ask.Head, unwritten{})
	var ruled *forge.Ruled
	switch {
	case foreign(err):
		return "", "the branch was pushed to since", nil
	case errors.As(err, &ruled):
		return "", ruled.Words, nil
	}
	return sha, "", err
}

// signsOff tells whether the file of a branch wants commits signed off.
func (a *App) signsOff(ctx context.Context, repo task.Repo, branch string) (bool, error) {
	text, err := a.app.Forge.File(ctx, repo, branch, settings.RepoFile)
	if err != nil {
		return false, err
	}
	own, err := settings.LoadRepo([]byte(text))
	return err == nil && own.SignOff, nil //nolint:nilerr // judging said that it cannot be read
}

// unwritten is a ledger of nothing: a commit of tests is known by the comment that it
// names and by GitHub's signature.
type unwritten struct{}

func (unwritten) Made(context.Context, string) error           { return nil }
func (unwritten) IsOurs(context.Context, string) (bool, error) { return false, nil }

// testsTold is what became of tests that were written.
type testsTold struct {
	pr     task.PullRequest
	fork   bool
	commit string // that holds them; "": none
	not    string // why they were not committed, though it was asked for
}

// tests is the comment with the tests that a change lacks.
func (r reporter) tests(rep judgedBefore, told testsTold) string {
	var b strings.Builder
	o := rep.Offer
	if len(o.Files) == 0 {
		b.WriteString("## fettle test: nothing to add\n\n")
	} else {
		fmt.Fprintf(&b, "## fettle test: %s that this change lacks\n\n", task.Count(len(o.Files), "file")+" of tests")
		b.WriteString("Made without a model, from calls that the tests here make. They pin what the changed functions do now: read them, a pinned fault stays one. Each passes with the change three times, runs lines of it, and notices a fault planted there.\n\n")
	}
	for _, f := range o.Files {
		fmt.Fprintf(&b, "- `%s`: %s\n", codeSpan(f.Path), r.funnel.Markdown(f.Words()))
	}
	branch := codeSpan(told.pr.Head)
	switch {
	case len(o.Files) == 0:
	case told.commit != "":
		fmt.Fprintf(&b, "\nCommitted to `%s` as %s. `git revert %s` takes them back.\n", branch, told.commit, told.commit[:min(12, len(told.commit))])
	case len(o.Patch) > shownPatch:
		fmt.Fprintf(&b, "\nThe patch is too long to stand here: `fettle judge %d --tests tests.patch` writes it.\n", told.pr.Number)
	default:
		fmt.Fprintf(&b, "\n<details open><summary>The patch</summary>\n\n%s\n</details>\n\nTo take it, save the block as `tests.patch` in a checkout of `%s` and say\n\n```sh\ngit apply tests.patch\n```\n", r.funnel.Fence(o.Patch, "diff"), branch)
	}
	switch {
	case len(o.Files) == 0 || told.commit != "":
	case told.not != "":
		fmt.Fprintf(&b, "\nNothing was committed: %s.\n", r.funnel.Markdown(told.not))
	case told.fork:
		b.WriteString("\nThe branch lies in a fork, which I never write to.\n")
	default:
		fmt.Fprintf(&b, "\nOr `/fettle test commit` has me commit it to `%s`.\n", branch)
	}
	if len(o.Left) > 0 {
		b.WriteString("\nNot written:\n\n")
		for _, words := range o.Left[:min(len(o.Left), 10)] {
			fmt.Fprintf(&b, "- %s\n", r.funnel.Markdown(oneLine(words, 300)))
		}
	}
	fmt.Fprintf(&b, "\nThe change without them is judged %s", rep.Judgement)
	if len(rep.Reasons) > 0 {
		fmt.Fprintf(&b, ": %s", r.funnel.Markdown(oneLine(rep.Reasons[0], 300)))
	}
	b.WriteString(". `/fettle judge` says more.\n")
	return b.String()
}
