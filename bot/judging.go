package bot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// A pull request that is to be judged waits as a delivery of fettle's own (SPEC S13):
// it is durable, is taken up again after a crash, and is seen and retried where
// deliveries are. GitHub's door takes no event of this name.
const judgeEvent = "fettle.judge"

// JudgeCheck is the name of the check run, which a branch may require.
const JudgeCheck = "fettle judge"

const (
	judgedAtOnce = 1               // by one process: each takes several runs of the tests
	judgeTurn    = 5 * time.Second // until one that found others before it looks again
	judgeLimit   = 30 * time.Minute
)

// asked is the payload of a judgeEvent, in the shape of GitHub's, by which what is
// stored of a repository is found when it goes.
type asked struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Number int    `json:"number"`
	Head   string `json:"head"`              // commit that was to be judged
	By     int64  `json:"comment,omitempty"` // that asked; 0: it is judged as it comes
}

// changes are the actions on a pull request after which it may be another one.
var changes = []string{"opened", "synchronize", "reopened", "ready_for_review", "edited"}

// toJudge has a pull request judged as the file of its base branch wants it. One of
// fettle's is judged like one of a bot, and where nothing is merged without.
func (a *App) toJudge(ctx context.Context, ev task.Event, own bool) (string, error) {
	if a.app.Judge == nil || !slices.Contains(changes, ev.Action) {
		return "ignored: a pull request that is not fettle's", nil
	}
	wish, err := a.judgeWish(ctx, ev.Repo, ev.Pull.Base)
	var bad *settings.Error
	switch {
	case errors.As(err, &bad):
		return "ignored: " + err.Error(), nil
	case err != nil:
		return "", err
	}
	if wanted := wish.Wants(ev.Repo, *ev.Pull) || own && wish.Required; !wanted {
		if wish.Required {
			return "not to be judged", a.app.Forge.CheckRun(ctx, ev.Repo, ev.Pull.HeadSHA, JudgeCheck, "skipped", "not judged: "+settings.RepoFile+" does not name its author", "`/fettle judge` judges it all the same.")
		}
		return "ignored: a pull request that is not fettle's", nil
	}
	return a.queueJudgement(ctx, ev.Repo, *ev.Pull, 0)
}

// judgeWish is what the file of a branch says of judging.
func (a *App) judgeWish(ctx context.Context, repo task.Repo, branch string) (settings.Judge, error) {
	text, err := a.app.Forge.File(ctx, repo, branch, settings.RepoFile)
	if err != nil {
		return settings.Judge{}, err
	}
	own, err := settings.LoadRepo([]byte(text))
	if err != nil {
		return settings.Judge{}, fmt.Errorf("%s of %s: %w", settings.RepoFile, branch, err)
	}
	return own.Judge, nil
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
	return a.queueJudgement(ctx, ev.Repo, pr, ev.CommentID)
}

// queueJudgement has a pull request judged at its head, once for each that asks.
func (a *App) queueJudgement(ctx context.Context, repo task.Repo, pr task.PullRequest, by int64) (string, error) {
	ask := asked{Number: pr.Number, Head: pr.HeadSHA, By: by}
	ask.Repository.FullName = repo.Slug()
	payload, err := json.Marshal(ask)
	if err != nil {
		return "", err
	}
	what := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %q %s %d", repo.Installation, strings.ToLower(repo.Slug()), pr.Number, pr.Base, pr.HeadSHA, by))
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
	if stale := ask.stale(pr); stale != "" {
		return stale, nil
	}
	if repo, err = a.app.Forge.Repo(ctx, repo); err != nil {
		return "", err
	}
	wish, err := a.judgeWish(ctx, repo, pr.Base)
	var report judge.Report
	if err == nil {
		report, err = a.report(ctx, repo, pr)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var limited *forge.RateLimited
	if errors.As(err, &limited) {
		return "", err
	}
	v := a.text.verdict(report, err, wish.Required)
	if pr, err = a.app.Forge.Pull(ctx, repo, ask.Number); err != nil {
		return "", err
	}
	if stale := ask.stale(pr); stale != "" { // it was pushed to, or closed, while it was judged
		return stale, nil
	}
	if err := a.app.Forge.CheckRun(ctx, repo, pr.HeadSHA, JudgeCheck, v.conclusion, v.title, v.text, v.notes...); err != nil {
		return "", err
	}
	_, _, err = a.app.Forge.StatusComment(ctx, repo, pr.Number, "judge", v.text+fmt.Sprintf("\n<sub>Commit %s; the next push is judged again. `/fettle judge` asks for it.</sub>\n", pr.HeadSHA))
	return v.title, err
}

// stale says why a judgement is not wanted any more, or "".
func (k asked) stale(pr task.PullRequest) string {
	switch {
	case pr.State != "open":
		return "it is not open any more"
	case pr.HeadSHA != k.Head:
		return "it was pushed to since; that is judged in its place"
	}
	return ""
}

// report judges a pull request against where it left its base, with the issue that it
// says it closes.
func (a *App) report(ctx context.Context, repo task.Repo, pr task.PullRequest) (r judge.Report, err error) {
	ctx, cancel := context.WithTimeout(ctx, judgeLimit)
	defer cancel()
	auth := func(ctx context.Context) (string, error) { return a.app.Forge.Token(ctx, repo.Installation, repo.Name) }
	var in judge.Input
	if n := forge.Closing(pr.Body); n > 0 {
		issue, err := a.app.Forge.Issue(ctx, repo, n)
		if err != nil && !forge.IsGone(err) {
			return r, err
		}
		in.Title, in.Body = issue.Title, issue.Body
	}
	if in.Base, in.Head, err = a.app.Checkouts.OpenChange(ctx, repo, pr.Base, pr.HeadSHA, auth); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, in.Base.Close(), in.Head.Close()) }()
	r, err = a.app.Judge(ctx, in)
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
