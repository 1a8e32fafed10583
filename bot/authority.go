package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Who may ask for work: whoever GitHub says may write to the repository, bots on
// the operator's list, and nobody where the installation is not on the list. The
// text of an event never says so (TRUST principle 7).

// commandWindow is the time in which a user's commands are counted.
const commandWindow = time.Hour

// handle acts on an event of an installation that is worked for, and says in
// plain words what the App may not do.
func (a *App) handle(ctx context.Context, ev task.Event) (string, error) {
	if ok, err := a.admitted(ctx, ev); err != nil || !ok {
		return "refused: the installation is not on the operator's list", err
	}
	return a.outcome(ctx, ev, func() (string, error) { return a.act(ctx, ev) })
}

// outcome does something, and puts in words what the App cannot do there.
func (a *App) outcome(ctx context.Context, ev task.Event, do func() (string, error)) (string, error) {
	note, err := do()
	var lacks *forge.MissingPermission
	switch {
	case forge.IsGone(err):
		return "the repository or issue is gone: " + err.Error(), nil
	case errors.Is(err, forge.ErrLocked):
		return "nothing could be said: " + err.Error(), nil
	case errors.As(err, &lacks):
		return "refused: " + a.lacks(ctx, ev, lacks), nil
	}
	return note, err
}

// lacks says on the issue which permission the App lacks and how to grant it;
// where it may not even comment, the log says it.
func (a *App) lacks(ctx context.Context, ev task.Event, lacks *forge.MissingPermission) string {
	words := a.text.permission(lacks)
	if ev.Issue.Number > 0 {
		if _, err := a.app.Forge.Comment(ctx, ev.Repo, ev.Issue.Number, "permission-"+lacks.Permission, words+" Then ask again."); err != nil {
			a.cfg.Log.WithError(err).Error("that a permission is missing could not be said on the issue")
		}
	}
	return words
}

func (r reporter) permission(lacks *forge.MissingPermission) string {
	which := "I may not do what is needed here"
	if lacks.Permission != "" {
		which = fmt.Sprintf("I lack the permission `%s` here", codeSpan(lacks.Permission))
	}
	return fmt.Sprintf("%s: %s.", which, r.funnel.Markdown(lacks.Grant))
}

// admitted tells whether the event's installation is worked for. A stranger who
// installs the App spends none of the operator's money: nothing is cloned and no
// model is asked. Whoever commands there is told at most once a day.
func (a *App) admitted(ctx context.Context, ev task.Event) (bool, error) {
	id := ev.Repo.Installation
	if ev.Kind == task.EventRemoved || ev.Kind == task.EventRepo || ev.Kind == task.EventPing || ev.Kind == task.EventIgnored || a.app.Access.Installation(id, ev.Repo.Owner) {
		return true, nil
	}
	asks := ev.Kind == task.EventLabeled || ev.Kind == task.EventComment && len(command.Parse(ev.Comment)) > 0
	if !asks || ev.ActorIsBot {
		return false, nil
	}
	say, err := a.cfg.Store.Turn(ctx, fmt.Sprintf("refused installation %d", id), 24*time.Hour)
	if err != nil || !say {
		return false, err
	}
	_, err = a.app.Forge.Comment(ctx, ev.Repo, ev.Issue.Number, "not-admitted",
		"Thank you for trying me. This server works for the accounts that its operator has listed, and this one is not among them, so nothing was started. Ask the operator, or run a server of your own.")
	if err != nil {
		a.cfg.Log.WithError(err).Warn("that the installation is not on the list could not be said")
	}
	return false, nil
}

// allowed asks GitHub whether the actor may write; the event's text never says
// so. Whoever may not gets one polite refusal per issue.
func (a *App) allowed(ctx context.Context, ev task.Event) (bool, error) {
	if ev.ActorIsBot {
		if a.app.Access.Bot(ev.Actor) {
			return true, nil
		}
		return false, a.refuse(ctx, ev, fmt.Sprintf("I do not act on what bots ask for, and %s is one. Somebody with write permission can say `/fettle fix`; the operator of this server can list the bot under `bots: allow`.", a.app.Funnel.Markdown(ev.Actor)))
	}
	if ev.Kind == task.EventComment || ev.Kind == task.EventReview {
		if ok, err := a.within(ctx, ev); err != nil || !ok {
			return false, err
		}
	}
	if ok, err := a.mayWrite(ctx, ev.Repo, ev.Actor); err != nil || ok {
		return ok, err
	}
	how := fmt.Sprintf("a maintainer can put the label `%s` on this issue.", a.app.Label)
	if ev.Kind == task.EventLabeled {
		how = fmt.Sprintf("putting the label `%s` on is not enough without that. A maintainer can say `/fettle fix` here, or take the label off and put it on again.", a.app.Label)
	}
	return false, a.refuse(ctx, ev, fmt.Sprintf("Thank you, %s. Only people who may write to this repository can start or stop me; %s", a.app.Funnel.Markdown(ev.Actor), how))
}

// refuse says no once to this actor on this issue. Where nothing can be said, the
// refusal stands all the same.
func (a *App) refuse(ctx context.Context, ev task.Event, words string) error {
	_, err := a.app.Forge.Comment(ctx, ev.Repo, ev.Issue.Number, "refusal-"+strings.ToLower(ev.Actor), words)
	if errors.Is(err, forge.ErrLocked) {
		a.cfg.Log.WithError(err).Info("a refusal could not be said")
		return nil
	}
	return err
}

// within counts a user's commands before anything is asked of GitHub for them. The
// first above the limit is answered, the others are not.
func (a *App) within(ctx context.Context, ev task.Event) (bool, error) {
	limit := a.app.Access.CommandsPerHour
	if limit <= 0 {
		return true, nil
	}
	ok, first, err := a.cfg.Store.Command(ctx, ev.Repo.Installation, ev.Actor, ev.Delivery, limit, commandWindow)
	if err != nil || ok {
		return ok, err
	}
	a.cfg.Log.WithField("actor", ev.Actor).Info("above the limit of commands an hour")
	if !first {
		return false, nil
	}
	_, err = a.app.Forge.Comment(ctx, ev.Repo, ev.Issue.Number, "limit-"+ev.Delivery,
		fmt.Sprintf("That is more than %d commands of %s within an hour, so this one and those after it are not carried out. Say it again later.", limit, a.app.Funnel.Markdown(ev.Actor)))
	return false, err
}

func (a *App) mayWrite(ctx context.Context, repo task.Repo, login string) (bool, error) {
	level, err := a.app.Forge.Permission(ctx, repo, login)
	if err != nil {
		return false, fmt.Errorf("asking for the permission of %s: %w", login, err)
	}
	return level == "admin" || level == "maintain" || level == "write", nil
}

// outsider is who wrote the issue, if that is somebody who may not write to the
// repository, as GitHub says at the trigger; else "".
func (a *App) outsider(ctx context.Context, repo task.Repo, author, actor string) (string, error) {
	if author == "" { // whoever it was has no account any more
		return "somebody unknown", nil
	}
	if strings.EqualFold(author, actor) { // who may command
		return "", nil
	}
	ok, err := a.mayWrite(ctx, repo, author)
	if err != nil || ok {
		return "", err
	}
	return author, nil
}

// issue reads an issue as it is now. One that was transferred answers from
// where it is now, under another number: here it is gone.
func (a *App) issue(ctx context.Context, repo task.Repo, n int) (task.Issue, error) {
	got, err := a.app.Forge.Issue(ctx, repo, n)
	if err == nil && got.Number != n {
		err = forge.Gone(fmt.Sprintf("issue %s#%d was transferred", repo.Slug(), n))
	}
	return got, err
}

// expelled ends a claimed run of an installation that is not worked for any more.
func (a *App) expelled(ctx context.Context, lease *store.Lease, r task.Run) (bool, error) {
	repo := r.Task.Repo
	if a.app.Access.Installation(repo.Installation, repo.Owner) {
		return false, nil
	}
	const why = "the installation is not on the operator's list (installations: allow)"
	return true, a.cfg.Store.Finish(ctx, lease, a.without(ctx, r, task.Rejected, why, askAgain), why)
}
