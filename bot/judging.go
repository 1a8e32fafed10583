package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// A pull request that is to be judged waits as a delivery of fettle's own (SPEC S13):
// it is durable, is taken up again after a crash, and is seen and retried where
// deliveries are. GitHub's door takes no event of this name.
const judgeEvent = "fettle.judge"

// JudgeCheck is the name of the check run, which a branch may require. It names the
// branch: a check belongs to a commit, and what another branch says of the same commit,
// under its own settings, must not stand in its place.
func JudgeCheck(base string) string { return "fettle judge (" + base + ")" }

const (
	judgeTurn  = 5 * time.Second // until one that found others before it looks again
	judgeLimit = 30 * time.Minute
)

// judgedAtOnce is how many one process judges: each takes several runs of the tests.
func judgedAtOnce() int { return max(1, runtime.NumCPU()/4) }

// asked is the payload of a judgeEvent, in the shape of GitHub's, by which what is
// stored of a repository is found when it goes.
type asked struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Number int    `json:"number"`
	Head   string `json:"head"`               // commit that was to be judged
	Base   string `json:"base"`               // branch
	By     int64  `json:"comment,omitempty"`  // that asked; 0: it is judged as it comes
	Actor  string `json:"actor,omitempty"`    // who asked for tests
	Tests  string `json:"tests,omitempty"`    // see the constants; "": it is judged alone
	Event  string `json:"delivery,omitempty"` // with which it came
}

func (k asked) key(installation int64) string {
	return fmt.Sprintf("%d %s %d", installation, strings.ToLower(k.Repository.FullName), k.Number)
}

// judgedNow is a judgement under way in this process.
type judgedNow struct {
	head, base string
	stop       context.CancelCauseFunc
}

// errMoved ends a judgement of what is not the pull request any more.
var errMoved = errors.New("it was pushed to or aimed elsewhere since; that is judged in its place")

// changes are the actions on a pull request after which it may be another one.
var changes = []string{"opened", "synchronize", "reopened", "edited"}

// toJudge has a pull request judged as the file of its base branch wants it. One of
// fettle's is judged like any of a bot.
func (a *App) toJudge(ctx context.Context, ev task.Event) (string, error) {
	const other = "ignored: a pull request that is not fettle's"
	if a.app.Judge == nil || !slices.Contains(changes, ev.Action) || ev.Action == "edited" && ev.Before == "" { // its words alone
		return other, nil
	}
	wish, err := a.judgeWish(ctx, ev.Repo, ev.Pull.Base)
	switch {
	case err != nil && !errors.Is(err, errUnreadable):
		return "", err
	case err == nil && !wish.Wants(ev.Repo, *ev.Pull):
		return other, nil
	}
	return a.queueJudgement(ctx, ev.Repo, *ev.Pull, asked{Event: ev.Delivery})
}

// errUnreadable: the file of a branch has something to say of judging, and cannot be read.
var errUnreadable = errors.New("the file cannot be used")

// saysJudge finds the key in a file that cannot be read.
var saysJudge = lazyregexp.New(`(?m)^["']?judge["']?\s*:`)

// judgeWish is what the file of a branch says of judging.
func (a *App) judgeWish(ctx context.Context, repo task.Repo, branch string) (settings.Judge, error) {
	text, err := a.app.Forge.File(ctx, repo, branch, settings.RepoFile)
	if err != nil {
		return settings.Judge{}, err
	}
	own, err := settings.LoadRepo([]byte(text))
	switch {
	case err == nil:
		return own.Judge, nil
	case saysJudge.MatchString(text): // what it means to require is not known: it is
		return settings.Judge{Required: true}, fmt.Errorf("%s of %s: %w: %w", settings.RepoFile, branch, errUnreadable, err)
	}
	return settings.Judge{}, nil
}

// judgeCommand is /fettle judge: on a pull request, or on an issue that one of fettle's
// is for.
func (a *App) judgeCommand(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	n := ev.Issue.Number
	if !ev.Issue.IsPullRequest {
		p, err := a.pull(ctx, ev)
		switch {
		case err != nil:
			return "", err
		case p == nil:
			return a.answer(ctx, ev, c, "There is no change here to judge: say it on a pull request.")
		}
		n = p.Number
	}
	if a.app.Judge == nil {
		return a.answer(ctx, ev, c, "Changes are not judged here; `fettle judge` does it in a terminal.")
	}
	pr, err := a.app.Forge.Pull(ctx, ev.Repo, n)
	if err != nil {
		return "", err
	}
	if pr.State != "open" {
		return a.answer(ctx, ev, c, fmt.Sprintf("#%d is not open, so it is not judged; `fettle judge` does it in a terminal.", n))
	}
	return a.queueJudgement(ctx, ev.Repo, pr, asked{By: ev.CommentID})
}

// queueJudgement has a pull request judged at its head, once for each that asks. What is
// judged of it at another head, or for another branch, ends.
func (a *App) queueJudgement(ctx context.Context, repo task.Repo, pr task.PullRequest, ask asked) (string, error) {
	ask.Number, ask.Head, ask.Base = pr.Number, pr.HeadSHA, pr.Base
	ask.Repository.FullName = repo.Slug()
	if under, ok := a.under.Load(ask.key(repo.Installation)); ok {
		if u := under.(judgedNow); u.head != ask.Head || u.base != ask.Base {
			u.stop(errMoved)
		}
	}
	payload, err := json.Marshal(ask)
	if err != nil {
		return "", err
	}
	what := sha256.Sum256(fmt.Appendf(nil, "%s %q %s %d %q %s", ask.key(repo.Installation), pr.Base, pr.HeadSHA, ask.By, ask.Event, ask.Tests))
	fresh, err := a.cfg.Store.Accept(ctx, store.Delivery{
		ID: "judge-" + hex.EncodeToString(what[:12]), Event: judgeEvent, Payload: payload, Installation: repo.Installation, ReceivedAt: a.cfg.Now().UTC(),
	})
	if err == nil && !fresh {
		return fmt.Sprintf("#%d was to be judged already", pr.Number), nil
	}
	return fmt.Sprintf("#%d is to be judged", pr.Number), err
}

// judged judges the pull request that a judgeEvent names, and says so there.
func (a *App) judged(ctx context.Context, d store.Delivery) (note string, err error) {
	var ask asked
	if err := json.Unmarshal(d.Payload, &ask); err != nil {
		return "not understood: " + err.Error(), nil //nolint:nilerr // nor will it be the next time
	}
	owner, name, _ := strings.Cut(ask.Repository.FullName, "/")
	ev := task.Event{Repo: task.Repo{Installation: d.Installation, Owner: owner, Name: name}, Issue: task.Issue{Number: ask.Number, IsPullRequest: true}}
	return a.outcome(ctx, ev, func() (string, error) { return a.judgePull(ctx, ev.Repo, ask) })
}

func (a *App) judgePull(ctx context.Context, repo task.Repo, ask asked) (string, error) {
	select {
	case a.next <- struct{}{}: // one waits here, so that the place is never empty
	default:
		return "", store.Later(a.cfg.Now().Add(judgeTurn), errors.New("other pull requests are judged first"))
	}
	select {
	case a.judging <- struct{}{}:
		<-a.next
		defer func() { <-a.judging }()
	case <-ctx.Done():
		<-a.next
		return "", context.Cause(ctx)
	}
	pr, err := a.app.Forge.Pull(ctx, repo, ask.Number)
	if err != nil {
		return "", err
	}
	if stale := ask.stale(pr); stale != "" && !ask.mayBeCommitted(pr) {
		return stale, nil
	}
	if repo, err = a.app.Forge.Repo(ctx, repo); err != nil {
		return "", err
	}
	if ask.Tests != "" {
		return a.testsOf(ctx, repo, pr, ask)
	}
	wish, err := a.judgeWish(ctx, repo, pr.Base)
	if err != nil && !errors.Is(err, errUnreadable) {
		return "", err
	}
	var report judgedBefore
	if err == nil {
		report, err = a.judgedNow(ctx, repo, pr, ask)
	}
	var asking *askingError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, errMoved):
		return errMoved.Error(), nil
	case errors.As(err, &asking): // GitHub did not answer: that says nothing of the change
		return "", asking.err
	}
	v := a.text.verdict(report.Report, err, wish.Required)
	if pr, err = a.app.Forge.Pull(ctx, repo, ask.Number); err != nil {
		return "", err
	}
	if stale := ask.stale(pr); stale != "" { // it was pushed to, or closed, while it was judged
		return stale, nil
	}
	if err := a.app.Forge.CheckRun(ctx, repo, pr.HeadSHA, JudgeCheck(pr.Base), v.conclusion, v.title, v.text, v.notes...); err != nil {
		return "", err
	}
	later := "`/fettle judge` has a later push judged"
	if wish.Wants(repo, pr) {
		later = "the next push is judged by itself"
	}
	_, _, err = a.app.Forge.StatusComment(ctx, repo, pr.Number, "judge", v.text+fmt.Sprintf("\n<sub>Commit %s; %s.%s</sub>\n", pr.HeadSHA, later, report.words()))
	return v.title, err
}

// stale says why a judgement is not wanted any more, or "".
func (k asked) stale(pr task.PullRequest) string {
	switch {
	case pr.State != "open":
		return "it is not open any more"
	case pr.HeadSHA != k.Head || pr.Base != k.Base:
		return errMoved.Error()
	}
	return ""
}

// askingError is GitHub's, and not the judge's.
type askingError struct{ err error }

func (e *askingError) Error() string { return e.err.Error() }

// judgedNow judges a pull request; a push to it, or another base, ends that (errMoved).
func (a *App) judgedNow(ctx context.Context, repo task.Repo, pr task.PullRequest, ask asked) (judgedBefore, error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	key := ask.key(repo.Installation)
	a.under.Store(key, judgedNow{ask.Head, ask.Base, stop})
	defer a.under.Delete(key)
	r, err := a.report(within, repo, pr, ask)
	if errors.Is(context.Cause(within), errMoved) && ctx.Err() == nil {
		return r, errMoved
	}
	return r, err
}

// report judges a pull request against where it left its base, with the issue that it
// says it closes; or gives what was judged of the same contents. Somebody who asks has
// it judged anew.
func (a *App) report(ctx context.Context, repo task.Repo, pr task.PullRequest, ask asked) (r judgedBefore, err error) {
	ctx, cancel := context.WithTimeout(ctx, judgeLimit)
	defer cancel()
	auth := func(ctx context.Context) (string, error) {
		token, err := a.app.Forge.Token(ctx, repo.Installation, repo.Name)
		if err != nil {
			err = &askingError{err}
		}
		return token, err
	}
	in := judge.Input{Tests: ask.Tests != ""}
	if n := forge.Closing(pr.Body); n > 0 {
		issue, err := a.app.Forge.Issue(ctx, repo, n)
		if err != nil && !forge.IsGone(err) {
			return r, &askingError{err}
		}
		in.Title, in.Body = issue.Title, issue.Body
	}
	if in.Base, in.Head, err = a.app.Checkouts.OpenChange(ctx, repo, pr.Base, ask.Head, auth); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, in.Base.Close(), in.Head.Close()) }()
	kept := a.resultsOf(repo)
	if kept != nil {
		in.Kept = kept
		if ask.By == 0 || in.Tests {
			if known := kept.judged(ctx, in); known.Head != "" {
				return known, nil
			}
		}
	}
	if pr.HeadSHA != ask.Head { // nothing is judged that is not the pull request any more
		return r, errMoved
	}
	name := in.Name() // the trees are changed by the judging
	r.Report, err = a.app.Judge(ctx, in)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("it took longer than %s", judgeLimit)
	case err == nil && kept != nil:
		kept.keep(ctx, name, r.Report)
	}
	return r, err
}

// verdict is a judgement as GitHub shows it.
type verdict struct {
	conclusion, title, text string
	notes                   []task.Annotation
}

// verdict: only what is plausible at least is a success. Where nothing could be judged,
// or nothing is proved, the check is neutral, unless a branch shall not be merged to
// without it.
func (r reporter) verdict(rep judge.Report, err error, required bool) verdict {
	neutral := map[bool]string{true: "failure", false: "neutral"}[required]
	if err != nil {
		return verdict{neutral, "could not be judged", "## fettle judge: could not be judged\n\n" + r.funnel.Markdown(oneLine(err.Error(), 500)) + "\n\nThis says nothing about the change. `/fettle judge` tries again.\n", nil}
	}
	var text strings.Builder
	_ = judge.Markdown(&text, rep, r.funnel) // a Builder takes everything
	v := verdict{title: string(rep.Judgement), text: text.String()}
	level := task.NoteWarning
	switch rep.Judgement {
	case judge.Proven, judge.Plausible:
		v.conclusion = "success"
		v.title += fmt.Sprintf(": %s from red to green, risk %d of 100", task.Count(len(rep.Tests.Fixed), "test"), rep.Risk.Score)
	case judge.Unproven:
		v.conclusion = neutral
	default:
		v.conclusion, level = "failure", task.NoteFailure
	}
	if v.conclusion != "success" && len(rep.Reasons) > 0 {
		v.title += ": " + oneLine(rep.Reasons[0], 120)
	}
	for _, f := range rep.Lines() {
		v.notes = append(v.notes, task.Annotation{Path: f.Path, Line: f.Line, Level: level, Title: f.Rule, Message: f.Message})
	}
	return v
}
