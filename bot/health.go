package bot

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/command"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Where fettle works by itself, heal is asked before each step and told after it. A
// run on a folder has somebody who asked for it in front of it and changes nothing
// that others see: it has no breakers, and a server's do not stop it.

const (
	afterRelease = "Look at what failed; somebody who may write to this repository lifts the quarantine with `/fettle release`. Then ask again."
	pausedFor    = time.Minute // until a paused run looks again
)

func (b *Bot) healed(t task.Task) bool { return b.cfg.Heal != nil && t.Repo.Dir == "" }

// health is heal as the loop of a run sees it.
type health struct {
	bot *Bot
	run task.Run
}

func (h *health) ShouldRun(ctx context.Context, step string) (task.Care, error) {
	care, err := h.bot.cfg.Heal.ShouldRun(ctx, heal.WorkflowOf(h.run.Task))
	if stop := quarantine(err); stop != nil {
		stop.Reason += "; it was stopped before the step " + step
		return care, stop
	}
	return care, err
}

// OnResult outlives a cancel: what a step came to counts also when the run is stopped.
func (h *health) OnResult(ctx context.Context, id, step string, trigger task.Trigger, words string) error {
	if trigger == task.ModelOutage {
		h.bot.alertOnce(context.WithoutCancel(ctx), "provider", "model "+oneLine(words, 80), outageAgain, "a provider of models is down: "+words, map[string]string{"run": h.run.ID})
	}
	_, err := h.bot.cfg.Heal.OnResult(context.WithoutCancel(ctx), heal.WorkflowOf(h.run.Task), heal.Result{ID: id, Run: h.run.ID, Step: step, Trigger: trigger, Words: words})
	return err
}

// quarantine is the end of a run of a workflow that is stopped, or nil.
func quarantine(err error) *loop.Stop {
	var held *heal.Held
	if errors.As(err, &held) && held.State == heal.Quarantined {
		return &loop.Stop{Outcome: task.Quarantined, Reason: held.Words}
	}
	return nil
}

// mayBegin asks heal before a run begins. A pause is an error: the run waits.
func (b *Bot) mayBegin(ctx context.Context, r task.Run) (*loop.Stop, error) {
	if !b.healed(r.Task) {
		return nil, nil
	}
	_, err := b.cfg.Heal.ShouldRun(ctx, heal.WorkflowOf(r.Task))
	if stop := quarantine(err); stop != nil {
		if r.Saved.Outcome != "" { // whether its result may go out is asked then
			return nil, nil
		}
		return stop, nil
	}
	return nil, err
}

// mayPublish asks heal before a change goes out: what other runs of the workflow did
// meanwhile counts.
func (b *Bot) mayPublish(ctx context.Context, r task.Run, res task.Result) (task.Result, error) {
	if !b.healed(r.Task) || res.Outcome != task.Success || r.Saved.Published > 0 {
		return res, nil
	}
	_, err := b.cfg.Heal.ShouldRun(ctx, heal.WorkflowOf(r.Task))
	if stop := quarantine(err); stop != nil {
		res.Outcome, res.Reason, res.NextAction = stop.Outcome, stop.Reason+"; the change was not pushed", afterRelease
		return res, nil //nolint:nilerr // the quarantine is the result
	}
	return res, err
}

// step tells heal what a step of the service's own came to: no trigger, and it went well.
func (b *Bot) step(ctx context.Context, r task.Run, step string, trigger task.Trigger, words string) error {
	if !b.healed(r.Task) {
		return nil
	}
	_, err := b.cfg.Heal.OnResult(ctx, heal.WorkflowOf(r.Task), heal.Result{ID: r.ID + "/" + step, Run: r.ID, Step: step, Trigger: trigger, Words: words})
	return err
}

// runEnded tells heal how a run ended, and adds it to what is learned unless heal
// says that nothing is learned now. A change is validated when its checks are green;
// whether it was a draft does not matter: in degraded mode every one is.
func (b *Bot) runEnded(ctx context.Context, lease *store.Lease, r task.Run, got *task.Recalled, res task.Result) error {
	if !b.healed(r.Task) {
		return b.learn(ctx, lease, res)
	}
	key := heal.WorkflowOf(r.Task)
	learning, err := b.learning(ctx, r.Task)
	if err != nil {
		return err
	}
	proved := res.Outcome == task.Success && res.Best != nil && res.Best.Green
	switch {
	case res.Outcome == task.Timeout:
		err = b.step(ctx, r, "run", task.Watchdog, res.Reason)
	case res.Outcome == task.Success || res.Outcome.Exhausted():
		_, err = b.cfg.Heal.OnResult(ctx, key, heal.Result{ID: r.ID + "/run", Run: r.ID, Step: "run", Validated: proved})
	}
	if err != nil {
		return err
	}
	if got != nil && (proved || res.Outcome.Exhausted()) { // without them it says nothing of lessons
		if err := b.cfg.Heal.Ended(ctx, key, r.ID, got.Version, proved); err != nil {
			if ctx.Err() != nil {
				return err
			}
			b.cfg.Log.WithField("run", r.ID).WithError(err).Error("heal: what was learned was not taken back; the next run that ends tries again")
		}
	}
	if !learning {
		return nil
	}
	return b.learn(ctx, lease, res)
}

// learning tells whether a run may use and add to what was learned.
func (b *Bot) learning(ctx context.Context, t task.Task) (bool, error) {
	if !b.healed(t) {
		return true, nil
	}
	return b.cfg.Heal.Learning(ctx, heal.WorkflowOf(t))
}

// learnedVersions are the versions of what repositories taught, as heal asks for them.
type learnedVersions struct{ db *store.Store }

// NewLearned gives heal the lessons of a database.
func NewLearned(db *store.Store) heal.Learned { return learnedVersions{db} }

func (l learnedVersions) of(installation int64, repo string) Lessons {
	owner, name, _ := strings.Cut(repo, "/")
	return NewLessons(l.db, task.Repo{Installation: installation, Owner: owner, Name: name})
}

func versionName(n int) string { return fmt.Sprintf("v%02d", n) }

// Rollback implements heal.Learned.
func (l learnedVersions) Rollback(ctx context.Context, installation int64, repo, to, why string) (string, error) {
	lessons, want := l.of(installation, repo), 0
	if to != "" {
		var err error
		if want, err = strconv.Atoi(strings.TrimPrefix(to, "v")); err != nil {
			return "", fmt.Errorf("%q is no version of what was learned", to)
		}
		all, err := lessons.Versions(ctx) // the newest first
		if err != nil {
			return "", err
		}
		kept := 0
		for _, v := range all {
			if kept == 0 || kept > want { // the newest that is not newer, else the oldest
				kept = v.Number
			}
		}
		want = kept
	}
	if _, err := lessons.Rollback(ctx, want, why); err != nil {
		return "", err
	}
	return lessons.Version(ctx)
}

// parkPaused puts a run aside while everything is paused. It is told once.
func (b *Bot) parkPaused(ctx context.Context, lease *store.Lease, r task.Run, job Job, held *heal.Held) error {
	if r.Reason != held.Words {
		if err := b.tell(ctx, r, job, "parked", held.Words); err != nil {
			return err
		}
	}
	until := b.cfg.Now().Add(pausedFor)
	if err := b.cfg.Store.Park(ctx, lease, until, held.Words); err != nil {
		return err
	}
	return &Parked{until, held.Words}
}

// stoppedHere answers who asks for a run of a quarantined workflow, on the issue or pull
// request with a number; false where it may begin. A pause stops no asking: the run waits
// in the queue.
func (a *App) stoppedHere(ctx context.Context, number int, t task.Task) (bool, error) {
	if !a.healed(t) {
		return false, nil
	}
	_, err := a.cfg.Heal.ShouldRun(ctx, heal.WorkflowOf(t))
	var held *heal.Held
	switch {
	case !errors.As(err, &held):
		return false, err
	case held.State == heal.Paused:
		return false, nil
	}
	_, err = a.app.Forge.Comment(ctx, t.Repo, number, "quarantine-"+held.Case, a.text.quarantined(held))
	if errors.Is(err, forge.ErrLocked) {
		err = nil
	}
	return true, err
}

func (r reporter) quarantined(h *heal.Held) string {
	return fmt.Sprintf("🚫 **fettle** does not start here: %s.\n\nSomebody who may write to this repository can look at what failed and say `/fettle release`; labelled issues are taken up then. The operator sees the case with `fettle heal case %s`.\n", r.funnel.Markdown(h.Words), h.Case)
}

// release lifts the quarantine of the repository that the command stands in, and of no
// other.
func (a *App) release(ctx context.Context, ev task.Event, c command.Command) (string, error) {
	if a.cfg.Heal == nil {
		return a.answer(ctx, ev, c, "Nothing is quarantined here: this server has no breakers.")
	}
	if ev.ActorIsBot { // one on the operator's list starts runs; people who may write judge what failed
		if ok, err := a.mayWrite(ctx, ev.Repo, ev.Actor); err != nil {
			return "", err
		} else if !ok {
			return a.answer(ctx, ev, c, "A bot that may not write to this repository does not lift its quarantine. Somebody who may can look at what failed and say `/fettle release`.")
		}
	}
	moves, err := a.cfg.Heal.Release(ctx, ev.Repo.Installation, ev.Repo.Slug(), ev.Actor)
	if err != nil {
		return "", err
	}
	words := "Nothing is quarantined here."
	if len(moves) > 0 {
		words = "The quarantine is lifted. I go on carefully (recovering): full checks, drafts only, and one failure quarantines again. Issues that carry the label and have no run are taken up within ten minutes; `/fettle fix` is faster."
	}
	var held *heal.Held
	if _, err := a.cfg.Heal.ShouldRun(ctx, heal.WorkflowOf(task.Task{Repo: ev.Repo})); errors.As(err, &held) && held.State == heal.Paused {
		words += " Everything is paused on this server, and that only its operator can lift."
	}
	return a.answer(ctx, ev, c, words)
}

// ciEnded tells heal what CI said of a commit of fettle's.
func (a *App) ciEnded(ctx context.Context, p store.Pull, sha, red string) error {
	if a.cfg.Heal == nil {
		return nil
	}
	r := heal.Result{ID: fmt.Sprintf("ci/%d/%s/%s/green", p.Installation, p.Repo, sha), Run: p.Run, Step: "ci"}
	if red != "" {
		r.ID, r.Trigger, r.Words = strings.TrimSuffix(r.ID, "green")+"red", task.Postcondition, red+" is red on "+p.URL
	}
	first, err := a.cfg.Store.Run(ctx, p.Run)
	if err != nil {
		return err
	}
	_, err = a.cfg.Heal.OnResult(ctx, heal.WorkflowOf(first.Task), r)
	return err
}

// TellMoves tells everybody whom a move of heal concerns, and was not told: the issues
// whose runs wait, and the operator's webhook. A crash between leaves it to the next. A
// repository that cannot be told keeps nobody else from being told; after a day it is
// not tried again.
func (a *App) TellMoves(ctx context.Context) error {
	if a.cfg.Heal == nil {
		return nil
	}
	moves, err := a.cfg.Heal.Untold(ctx)
	if err != nil {
		return err
	}
	var all []error
	for _, m := range moves {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := a.tellMove(ctx, m); err != nil {
			all = append(all, fmt.Errorf("telling of the move %s of %s: %w", m.ID, m.Place(), err))
		}
	}
	return errors.Join(all...)
}

// toldWithin is for how long somebody who cannot be reached is tried.
const toldWithin = 24 * time.Hour

func (a *App) tellMove(ctx context.Context, m heal.Move) error {
	if mine, err := a.cfg.Store.Turn(ctx, "heal "+m.ID, alertWithin); err != nil || !mine { // another server is at it
		return err
	}
	if first, err := a.cfg.Store.Turn(ctx, "alert "+m.ID, toldWithin); err != nil {
		return err
	} else if first {
		a.alert(ctx, "breaker", m.Report(), m)
	}
	if m.To == heal.Quarantined {
		if err := a.tellWaiting(ctx, m); err != nil {
			if a.cfg.Now().Sub(m.At) < toldWithin {
				return err
			}
			a.cfg.Log.WithField("case", m.ID).WithError(err).Error("heal: whoever waits was not told in a day, and is not told any more")
		}
	}
	return a.cfg.Heal.Told(ctx, m)
}

// tellWaiting says on the issue of each run that waits for somebody that it will not
// go on; the others end by themselves and say so.
func (a *App) tellWaiting(ctx context.Context, m heal.Move) error {
	runs, err := a.cfg.Store.Runs(ctx, store.Filter{Installation: m.Installation, Repo: m.Repo, State: task.StateParked, Limit: 1000})
	if err != nil {
		return err
	}
	var all []error
	for _, r := range runs {
		if k := heal.WorkflowOf(r.Task); k.Class != m.Class {
			continue
		}
		words := fmt.Sprintf("🚫 The run `%s`, which waits here, does not go on: fettle is quarantined in this repository after repeated failures (case %s). An answer is kept; `/fettle release` by somebody who may write to this repository lifts the quarantine.\n", r.ID, m.ID)
		if _, err := a.app.Forge.Comment(ctx, r.Task.Repo, r.Task.Issue, "quarantine-"+m.ID, words); err != nil && !forge.IsGone(err) && !errors.Is(err, forge.ErrLocked) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
