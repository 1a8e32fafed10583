package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// GitHub does not deliver again by itself what a server that was down missed, and
// nobody else takes back what a run that died in a bad moment left standing. The
// sweep does both; each of its steps is bounded, and repeated it changes nothing.

// Bounds of a sweep. What is left over is the next one's.
const (
	sweepEvery    = 10 * time.Minute
	forgetEvery   = time.Minute
	trimEvery     = time.Hour
	deliveriesFor = 3 * 24 * time.Hour // as long as GitHub keeps them
	mostListed    = 5000               // deliveries that are looked at
	mostRedeliver = 150                // that are asked for again: GitHub takes 180 changes a minute
	mostTries     = 5                  // attempts of one delivery, ours and GitHub's
	retryDelivery = 5 * time.Minute    // the least time between them
	untoldFor     = 24 * time.Hour
	mostUntold    = 100
	mostRepos     = 100 // whose issues are looked through
	mostIssues    = 1000
)

// Swept is what a sweep did.
type Swept struct {
	At         time.Time
	Redelivery int      // deliveries that GitHub was asked for again
	Started    int      // labelled issues without a run that were taken up
	Repaired   int      // issues that said that they are worked on, and were not
	Left       []string // what a bound left for the next sweep
}

// String says it in a line.
func (s Swept) String() string {
	if s.At.IsZero() {
		return "not swept yet"
	}
	left := ""
	if len(s.Left) > 0 {
		left = "; left for the next: " + strings.Join(s.Left, ", ")
	}
	return fmt.Sprintf("last sweep %s: %s asked for again, %s taken up, %s repaired%s", s.At.UTC().Format(time.RFC3339), counted(s.Redelivery, "delivery", "deliveries"), task.Count(s.Started, "labelled issue"), task.Count(s.Repaired, "stale state"), left)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Keep sweeps at once, and then again and again until ctx ends; said gets what
// each sweep did.
func (a *App) Keep(ctx context.Context, said func(Swept)) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	mine, more := true, false // after a start there is most to find
	var trimmed time.Time
	for ctx.Err() == nil {
		if a.cfg.Now().Sub(trimmed) >= trimEvery {
			if more, err := a.Trim(ctx); err != nil && ctx.Err() == nil {
				a.cfg.Log.WithError(err).Error("what is older than it is kept was not deleted; it is tried again in an hour")
				trimmed = a.cfg.Now()
			} else if !more {
				trimmed = a.cfg.Now()
			}
		}
		if mine || more {
			s, err := a.Sweep(ctx)
			more = s.Redelivery == mostRedeliver // the rest in a minute
			if err != nil && ctx.Err() == nil {
				a.cfg.Log.WithError(err).Error("a sweep was not done to its end; the next one is")
			}
			said(s)
		}
		if err := a.TellMoves(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.WithError(err).Warn("heal: not everybody was told; it is tried again")
		}
		if err := a.TellGivenUp(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.WithError(err).Warn("deliveries that were given up were not told of; it is tried again")
		}
		if _, err := a.Forget(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.WithError(err).Error("data of a removed installation is not deleted yet; it is tried again")
		}
		if err := a.Prune(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.WithError(err).Error("files of what was removed are not deleted yet; it is tried again")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var err error
		if mine, err = a.cfg.Store.Turn(ctx, "sweep", sweepEvery); err != nil && ctx.Err() == nil {
			a.cfg.Log.WithError(err).Error("whose turn the sweep is could not be asked")
		}
	}
}

// Sweep asks for missed deliveries, takes up labelled issues that have no run, and
// takes back what says that it is worked on and is not. A step that fails does not
// keep the others from being done.
func (a *App) Sweep(ctx context.Context) (Swept, error) {
	s := Swept{At: a.cfg.Now()}
	err := errors.Join(a.untold(ctx, &s), a.missed(ctx, &s), a.labelledIssues(ctx, &s), a.uninstalled(ctx))
	if s.Redelivery+s.Started+s.Repaired+len(s.Left) > 0 {
		a.cfg.Log.Info(s.String())
	}
	return s, err
}

// missed asks GitHub again for what nobody has answered well (TRUST F05), the
// oldest first.
func (a *App) missed(ctx context.Context, s *Swept) error {
	now := a.cfg.Now()
	all, err := a.app.Forge.Deliveries(ctx, now.Add(-deliveriesFor), mostListed)
	if err != nil {
		return err
	}
	type event struct {
		newest    task.HookDelivery
		tries     int
		delivered bool
	}
	events, ids := map[string]*event{}, []string{}
	for _, d := range all { // the newest first
		e := events[d.GUID]
		if e == nil {
			e = &event{newest: d}
			events[d.GUID] = e
			ids = append(ids, d.GUID)
		}
		e.tries++
		e.delivered = e.delivered || d.Delivered()
	}
	var want []string
	for i := len(ids) - 1; i >= 0; i-- {
		e := events[ids[i]]
		if !e.delivered && e.newest.StatusCode != 0 && e.tries < mostTries && (e.tries == 1 || now.Sub(e.newest.At) >= retryDelivery) {
			want = append(want, ids[i])
		}
	}
	if want, err = a.cfg.Store.Unknown(ctx, want); err != nil {
		return err
	}
	if len(want) > mostRedeliver {
		s.Left = append(s.Left, counted(len(want)-mostRedeliver, "delivery", "deliveries"))
		want = want[:mostRedeliver]
	}
	for _, id := range want {
		if err := a.app.Forge.Redeliver(ctx, events[id].newest.ID); err != nil {
			return err
		}
		s.Redelivery++
	}
	return nil
}

// untold says of runs that ended without a word how they ended.
func (a *App) untold(ctx context.Context, s *Swept) error {
	runs, err := a.cfg.Store.Untold(ctx, a.cfg.Now().Add(-untoldFor), mostUntold)
	if err != nil {
		return err
	}
	var problems []error
	for _, r := range runs {
		if r.Result != nil && r.Task.Follow == nil {
			err := a.say(ctx, r)
			if err != nil && !forge.IsGone(err) && !errors.Is(err, forge.ErrLocked) {
				problems = append(problems, err)
				continue
			}
			s.Repaired++
		}
		problems = append(problems, a.cfg.Store.Told(ctx, r))
	}
	return errors.Join(problems...)
}

// say leaves on the issue how a run ended.
func (a *App) say(ctx context.Context, r task.Run) error {
	res, t := *r.Result, r.Task
	if err := a.app.Forge.StateLabel(ctx, t.Repo, t.Issue, stateLabel(res)); err != nil {
		return err
	}
	if res.Outcome.Exhausted() || res.Outcome == task.Error || res.Outcome == task.Rejected {
		url, err := a.app.Forge.Comment(ctx, t.Repo, t.Issue, "report-"+r.ID, a.text.exhausted(res, res.Published))
		if err != nil {
			return err
		}
		res.Published.ReportURL = url
	}
	_, _, err := a.app.Forge.StatusComment(ctx, t.Repo, t.Issue, statusKey(t), a.text.finished(res, res.Published, 0))
	return err
}

// stateLabel is the state that a result leaves its issue in.
func stateLabel(res task.Result) string {
	switch {
	case res.Outcome == task.Cancelled || res.Outcome == task.Success && res.Best == nil:
		return ""
	case res.Outcome == task.Success && !res.Draft:
		return labelReady
	}
	return labelHuman
}

// labelledIssues looks through the issues of the repositories that the App can
// reach: those with the trigger label that have no run, and those whose label says
// that they are worked on.
func (a *App) labelledIssues(ctx context.Context, s *Swept) error {
	repos, more, err := a.reachable(ctx)
	if err != nil {
		return err
	}
	if more > 0 {
		s.Left = append(s.Left, counted(more, "repository", "repositories"))
	}
	var problems []error
	for _, repo := range repos {
		err := a.labelledIn(ctx, repo, s)
		var limited *forge.RateLimited
		switch {
		case errors.As(err, &limited):
			return errors.Join(append(problems, err)...)
		case err != nil && !forge.IsGone(err):
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// reachable are the repositories to look through in this sweep: each sweep goes on
// where the one before it ended.
func (a *App) reachable(ctx context.Context) (repos []task.Repo, more int, err error) {
	installations, err := a.app.Forge.Installations(ctx)
	if err != nil {
		return nil, 0, err
	}
	var all []task.Repo
	for _, id := range installations {
		some, err := a.app.Forge.Repositories(ctx, id)
		if err != nil && !forge.IsGone(err) {
			return nil, 0, err
		}
		for _, r := range some {
			if a.app.Access.Installation(id, r.Owner) {
				all = append(all, r)
			}
		}
	}
	if len(all) <= mostRepos {
		return all, 0, nil
	}
	from := int(a.swept.Add(mostRepos)-mostRepos) % len(all)
	return append(all[from:len(all):len(all)], all[:from]...)[:mostRepos], len(all) - mostRepos, nil
}

func (a *App) labelledIn(ctx context.Context, repo task.Repo, s *Swept) error {
	asked, err := a.app.Forge.LabelledIssues(ctx, repo, a.app.Label, mostIssues)
	if err != nil {
		return err
	}
	for _, issue := range asked {
		runs, err := a.cfg.Store.Runs(ctx, store.Filter{Installation: repo.Installation, Repo: repo.Slug(), Issue: issue.Number, Limit: 1})
		if err != nil {
			return err
		}
		if len(runs) > 0 {
			continue // its label was seen
		}
		started, err := a.takeUp(ctx, repo, issue)
		if err != nil {
			return err
		}
		if started {
			s.Started++
		}
	}
	working, err := a.app.Forge.LabelledIssues(ctx, repo, labelWorking, mostIssues)
	if err != nil {
		return err
	}
	for _, issue := range working {
		mended, err := a.unwork(ctx, repo, issue)
		if err != nil {
			return err
		}
		if mended {
			s.Repaired++
		}
	}
	return nil
}

// takeUp starts a run on an issue whose label nobody told of. Who put it on is
// asked, and counts as in any trigger. What the issue said then is not known any
// more, so where its author may not write somebody who may has to ask again.
func (a *App) takeUp(ctx context.Context, repo task.Repo, issue task.Issue) (bool, error) {
	login, bot, err := a.app.Forge.Labeller(ctx, repo, issue.Number, a.app.Label)
	if err != nil {
		return false, err
	}
	ev := task.Event{Kind: task.EventLabeled, Delivery: fmt.Sprintf("sweep %d %s#%d", repo.Installation, strings.ToLower(repo.Slug()), issue.Number), Repo: repo, Issue: issue, Label: a.app.Label, Actor: login, ActorIsBot: bot}
	if ok, err := a.allowed(ctx, ev); err != nil || !ok {
		return false, err
	}
	outsider, err := a.outsider(ctx, repo, issue.Author, login)
	if err != nil {
		return false, err
	}
	if outsider != "" {
		_, err := a.app.Forge.Comment(ctx, repo, issue.Number, "missed-label", fmt.Sprintf("The label `%s` was put on while I was not reachable. %s, who wrote this, may not write to this repository and could have changed the text since, so I did not start. Read it, then say `/fettle fix`.", a.app.Label, a.app.Funnel.Markdown(outsider)))
		return false, err
	}
	joined, note, err := a.start(ctx, ev, issue, task.OriginLabel, "", "", task.Gates{})
	if err == nil {
		a.cfg.Log.WithField("issue", fmt.Sprintf("%s#%d", repo.Slug(), issue.Number)).Info("a label that nobody told of: " + note)
	}
	return err == nil && !joined, err
}

// unwork takes the label off that says that an issue is worked on, where it is not.
func (a *App) unwork(ctx context.Context, repo task.Repo, issue task.Issue) (bool, error) {
	runs, err := a.cfg.Store.Runs(ctx, store.Filter{Installation: repo.Installation, Repo: repo.Slug(), Issue: issue.Number, Limit: 1})
	if err != nil || len(runs) > 0 && runs[0].State != task.StateDone {
		return false, err
	}
	label := labelHuman
	if len(runs) > 0 && runs[0].Result != nil {
		if runs[0].Task.Follow == nil {
			return true, a.say(ctx, runs[0])
		}
		label = stateLabel(*runs[0].Result)
	}
	return true, a.app.Forge.StateLabel(ctx, repo, issue.Number, label)
}
