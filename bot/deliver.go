package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/judge"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// AppConfig is what the service needs to work as a GitHub App.
type AppConfig struct {
	Forge     Forge
	Funnel    *redact.Funnel
	Checkouts *checkout.Store
	Label     string // that starts a run
	Budget    task.Budget
	Gates     task.Gates
	NewID     func() string
	Access    settings.Access
	// LogURL is where the log of a run can be read, or ""; nil: nowhere.
	LogURL func(run string) string
	Keep   settings.Keep
	// Prune deletes what files hold of repositories that known does not list under
	// their installation; nil: nothing is kept beside the checkouts.
	Prune func(known func() (map[int64][]string, error)) error
	// Remark stands as an open point in each pull request's checklist; "": none does.
	Remark string
	// Judge judges a change (SPEC S13); nil: nothing does.
	Judge func(ctx context.Context, in judge.Input) (judge.Report, error)
	// JudgedBy names all that a judgement depends on beside the change: the program, the
	// settings, the sandbox and its tools. "": no judgement is kept.
	JudgedBy string
	// KeepBranch leaves fettle's branch where its pull request was merged.
	KeepBranch bool
}

// App is the service behind the webhook: it turns stored deliveries into runs
// and runs into publications.
type App struct {
	*Bot
	app  AppConfig
	text reporter

	judging chan struct{} // a place for each judgement under way
	next    chan struct{} // and one for that which is next
	under   sync.Map      // those under way: key of the pull request to judgedNow

	swept atomic.Int64 // repositories that sweeps have looked through
}

// NewApp returns the service as a GitHub App.
func NewApp(b *Bot, app AppConfig) *App {
	return &App{Bot: b, app: app, text: reporter{app.Funnel}, judging: make(chan struct{}, judgedAtOnce()), next: make(chan struct{}, 1)}
}

// Accept stores a delivery; after it the door may answer 2xx.
func (a *App) Accept(ctx context.Context, id, event string, installation int64, payload []byte) (fresh bool, err error) {
	fresh, err = a.cfg.Store.Accept(ctx, store.Delivery{ID: id, Event: event, Payload: payload, Installation: installation, ReceivedAt: a.cfg.Now().UTC()})
	if err == nil {
		a.cfg.Point("delivery accepted")
	}
	return fresh, err
}

// Deliver acts on a stored delivery. It is repeated when it fails, and does
// nothing twice.
func (a *App) Deliver(ctx context.Context, id string) error {
	d, err := a.cfg.Store.Delivery(ctx, id)
	if err != nil {
		return fmt.Errorf("reading the delivery %s: %w", id, err)
	}
	note, err := a.delivered(ctx, d)
	var limited *forge.RateLimited
	switch {
	case errors.As(err, &limited):
		return store.Later(limited.Until, err)
	case err != nil:
		return err
	}
	a.cfg.Log.WithField("delivery", id).WithField("event", d.Event).Info(note)
	return a.cfg.Store.FinishDelivery(ctx, id, note)
}

// delivered acts on a delivery, and says what came of it.
func (a *App) delivered(ctx context.Context, d store.Delivery) (note string, err error) {
	if d.Event == judgeEvent {
		return a.judged(ctx, d)
	}
	events, err := a.app.Forge.DecodeAll(d.Event, d.ID, d.Payload)
	if err != nil {
		return "not understood: " + err.Error(), nil //nolint:nilerr // nor will it be the next time
	}
	var notes []string
	for _, ev := range events {
		ev.Received = d.ReceivedAt
		note, err := a.handle(ctx, ev)
		if err != nil {
			return "", err
		}
		notes = append(notes, note)
	}
	return strings.Join(notes, "; "), nil
}

func (a *App) act(ctx context.Context, ev task.Event) (note string, err error) {
	switch ev.Kind {
	case task.EventLabeled, task.EventReopened:
		return a.labeled(ctx, ev)
	case task.EventUnlabeled, task.EventClosed:
		return a.withdrawn(ctx, ev)
	case task.EventComment:
		return a.comment(ctx, ev)
	case task.EventReview:
		return a.reviewed(ctx, ev)
	case task.EventCheck:
		return a.checked(ctx, ev)
	case task.EventPull:
		return a.pullChanged(ctx, ev)
	case task.EventPush:
		return a.pushed(ctx, ev)
	case task.EventRemoved:
		return a.removed(ctx, ev)
	case task.EventRepo:
		return a.repoChanged(ctx, ev)
	case task.EventPing:
		return "ping", nil
	}
	return prefixed("ignored: ", ev.Reason), nil
}

// labeled starts a run if the label is still there: deliveries come in any
// order, and what GitHub says now is what counts (TRUST F03).
func (a *App) labeled(ctx context.Context, ev task.Event) (string, error) {
	issue, err := a.issue(ctx, ev.Repo, ev.Issue.Number)
	if err != nil {
		return "", err
	}
	if issue.State != "open" || !issue.HasLabel(a.app.Label) {
		return "the label is gone or the issue is closed", nil
	}
	if ok, err := a.allowed(ctx, ev); err != nil || !ok {
		return "refused: " + ev.Actor + " may not start work here", err
	}
	_, note, err := a.start(ctx, ev, issue, task.OriginLabel, "", "", task.Gates{})
	return note, err
}

// withdrawn cancels the live run unless GitHub says that it is wanted again.
func (a *App) withdrawn(ctx context.Context, ev task.Event) (string, error) {
	issue, err := a.issue(ctx, ev.Repo, ev.Issue.Number)
	if err != nil {
		return "", err
	}
	if issue.State == "open" && issue.HasLabel(a.app.Label) {
		return "the label is there (again)", nil
	}
	live, err := a.cfg.Store.LiveRun(ctx, ev.Repo.Installation, ev.Repo.Slug(), ev.Issue.Number)
	if err != nil || live == nil {
		return "nothing to cancel", err
	}
	reason := fmt.Sprintf("the label %s was taken off", a.app.Label)
	if issue.State != "open" {
		reason = "the issue was closed"
	} else if live.Task.Origin == task.OriginComment {
		return "the run was asked for by a comment and goes on", nil
	}
	return "cancelled " + live.ID, a.cfg.Store.AskCancel(ctx, live.ID, reason)
}

func (a *App) comment(ctx context.Context, ev task.Event) (string, error) {
	commands := command.Parse(ev.Comment)
	if len(commands) == 0 {
		return "no command", nil
	}
	ok, err := a.allowed(ctx, ev)
	if err != nil || !ok {
		return "refused: " + ev.Actor + " may not start work here", err
	}
	if err := a.app.Forge.React(ctx, ev.Repo, ev.Issue.Number, ev.CommentID, "eyes"); err != nil {
		return "", err
	}
	return a.obey(ctx, ev, commands)
}

// obey carries out the commands of somebody who may command.
func (a *App) obey(ctx context.Context, ev task.Event, commands []command.Command) (string, error) {
	var notes []string
	for _, c := range commands {
		note, err := a.command(ctx, ev, c)
		if err != nil {
			return "", err
		}
		notes = append(notes, c.Name+": "+note)
	}
	return strings.Join(notes, "; "), nil
}

func (a *App) command(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	if !c.OK() {
		return a.answer(ctx, ev, c, c.Answer())
	}
	if note, closed, err := a.closed(ctx, ev, c); closed || err != nil {
		return note, err
	}
	switch c.Name {
	case "fix", "plan":
		if ev.Issue.IsPullRequest {
			return a.fixPull(ctx, ev, c)
		}
		return a.begin(ctx, ev, c)
	case "retry":
		return a.retry(ctx, ev, c)
	case "stop":
		live, err := a.live(ctx, ev)
		if err != nil {
			return "", err
		}
		if live == nil {
			return a.answer(ctx, ev, c, "Nothing is running here.")
		}
		return "cancelled " + live.ID, a.Stop(ctx, live.ID, "/fettle stop by "+ev.Actor)
	case "approve", "reject":
		return a.decide(ctx, ev, c)
	case "resume":
		return a.goOn(ctx, ev, c)
	case "explain":
		return a.explain(ctx, ev, c)
	case "test", "undo":
		return a.onPull(ctx, ev, c)
	case "judge":
		return a.judgeCommand(ctx, ev, c)
	case "status":
		return a.answer(ctx, ev, c, a.statusWords(ctx, ev))
	case "release":
		return a.release(ctx, ev, c)
	case "help":
		return a.answer(ctx, ev, c, command.Help())
	}
	return a.answer(ctx, ev, c, c.Answer())
}

// answer replies once to one command of one comment.
func (a *App) answer(ctx context.Context, ev task.Event, c command.Command, body string) (string, error) {
	_, err := a.app.Forge.Comment(ctx, ev.Repo, ev.Issue.Number, fmt.Sprintf("reply-%d-%s", ev.CommentID, c.Name), body)
	return "answered", err
}

// lastWords says how the last run ended where none is live.
func (a *App) lastWords(ctx context.Context, ev task.Event) string {
	runs, err := a.last(ctx, ev)
	if err != nil || len(runs) == 0 {
		return "`/fettle fix` starts a run."
	}
	said := "The last run " + a.app.Funnel.Markdown(Standing(runs[0])) + "."
	if p, err := a.pull(ctx, ev); err == nil && p != nil && p.Fate == "" {
		said += fmt.Sprintf(" Its pull request is #%d; review it, or say `/fettle fix` there with what to change.", p.Number)
	}
	return said
}

func (a *App) statusWords(ctx context.Context, ev task.Event) string {
	live, err := a.live(ctx, ev)
	switch {
	case err != nil:
		return "The state of this issue could not be read; try again."
	case live == nil:
		return "Nothing is running here. " + a.lastWords(ctx, ev)
	case live.Waiting != nil:
		return fmt.Sprintf("Run `%s` waits for an answer about the %s: `/fettle approve`, or `/fettle reject` with the reason. Cost so far %s, %s.", live.ID, gateWords(*live.Waiting), live.Cost, task.Count(live.Attempts, "attempt"))
	}
	return fmt.Sprintf("Run `%s` is %s%s; cost so far %s, %s.", live.ID, live.State, prefixed(" at ", string(live.Tier)), live.Cost, task.Count(live.Attempts, "attempt"))
}

// Next claims the next run that is fair and works on it. It says whether there
// was one.
func (a *App) Next(ctx context.Context) (worked bool, err error) {
	lease, r, err := a.cfg.Store.Claim(ctx)
	if err != nil || lease == nil {
		return false, err
	}
	a.cfg.Point("job claimed")
	if out, err := a.expelled(ctx, lease, r); out {
		return true, err
	}
	auth := func(ctx context.Context) (string, error) {
		token, err := a.app.Forge.Token(ctx, r.Task.Repo.Installation, r.Task.Repo.Name)
		if err == nil {
			a.cfg.Point("token minted")
		}
		return token, err
	}
	base := &baseFor{app: a, run: r, auth: auth}
	_, _, err = a.Run(ctx, lease, r, Job{
		Open:      base.open,
		Base:      base.chosen,
		Publisher: a.publisher(lease, r),
		Linked: func(ctx context.Context) (int, error) {
			if r.Task.Follow != nil {
				return 0, nil
			}
			return a.app.Forge.Linked(ctx, r.Task.Repo, r.Task.Issue, fmt.Sprintf("fettle/issue-%d", r.Task.Issue))
		},
		Before: func(ctx context.Context, commit string) (*checkout.Tree, error) {
			return a.app.Checkouts.Open(ctx, r.Task.Repo, commit, auth)
		},
		Gates: a.app.Gates,
	})
	if terr := a.TellMoves(ctx); terr != nil && ctx.Err() == nil {
		a.cfg.Log.WithError(terr).Warn("heal: not everybody was told; it is tried again within a minute")
	}
	var parked *Parked
	if errors.Is(err, ErrWaits) || errors.As(err, &parked) {
		return true, nil // it is where it should be, and its worker is free
	}
	return true, err
}
