package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// Labels that mirror a run's state on its issue.
const (
	labelWorking = "agent:working"
	labelReady   = "agent:pr-ready"
	labelHuman   = "agent:needs-human"
)

// minStatusGap is between two edits of the status comment while a run goes on: it
// keeps the comment below GitHub's limits for content. The last word comes at once.
const minStatusGap = 15 * time.Second

// Forge is what the service asks of GitHub. Every call that writes is safe to
// repeat: it looks for what is already there.
type Forge interface {
	DecodeAll(event, delivery string, payload []byte) ([]task.Event, error)
	Token(ctx context.Context, installation int64, repo string) (string, error)
	Permission(ctx context.Context, repo task.Repo, login string) (string, error)
	Issue(ctx context.Context, repo task.Repo, n int) (task.Issue, error)
	Linked(ctx context.Context, repo task.Repo, issue int, prefix string) (int, error)
	Repo(ctx context.Context, repo task.Repo) (task.Repo, error)
	React(ctx context.Context, repo task.Repo, issue int, comment int64, content string) error
	StatusComment(ctx context.Context, repo task.Repo, issue int, key, body string) (int64, string, error)
	Comment(ctx context.Context, repo task.Repo, issue int, key, body string) (string, error)
	StateLabel(ctx context.Context, repo task.Repo, issue int, label string) error
	CommitFiles(ctx context.Context, repo task.Repo, branch, base, message string, files []task.FileChange, expectOld string, ledger forge.Ledger) (string, error)
	Recommit(ctx context.Context, repo task.Repo, branch, head, message string, ledger forge.Ledger) (string, error)
	BranchHead(ctx context.Context, repo task.Repo, branch string) (string, bool, error)
	PullRequest(ctx context.Context, repo task.Repo, head, base, title, body string, closes int, draft bool) (task.PullRequest, error)
	CheckRun(ctx context.Context, repo task.Repo, sha, name, conclusion, title, summary string, notes ...task.Annotation) error
	Account(ctx context.Context, installation int64) (string, error)
	Installations(ctx context.Context) ([]int64, error)
	Repositories(ctx context.Context, installation int64) ([]task.Repo, error)
	LabelledIssues(ctx context.Context, repo task.Repo, label string, limit int) ([]task.Issue, error)
	Labeller(ctx context.Context, repo task.Repo, issue int, label string) (login string, bot bool, err error)
	Deliveries(ctx context.Context, since time.Time, limit int) ([]task.HookDelivery, error)
	Redeliver(ctx context.Context, delivery int64) error
	Template(ctx context.Context, repo task.Repo, ref string) (string, error)
	File(ctx context.Context, repo task.Repo, ref, name string) (string, error)
	Closes(ctx context.Context, repo task.Repo, n, issue int) error
	AddLabels(ctx context.Context, repo task.Repo, n int, labels ...string) error
	Signature(ctx context.Context, repo task.Repo, issue int) (string, error)
	Verified(ctx context.Context, repo task.Repo, sha string) (bool, error)
	Checks(ctx context.Context, repo task.Repo, ref string) ([]task.CheckEnd, error)
	Annotations(ctx context.Context, repo task.Repo, check int64) ([]task.Annotation, error)
	Pull(ctx context.Context, repo task.Repo, n int) (task.PullRequest, error)
	Threads(ctx context.Context, repo task.Repo, n int) ([]task.Thread, error)
	Reviews(ctx context.Context, repo task.Repo, n int) ([]task.Review, error)
	ReplyThread(ctx context.Context, repo task.Repo, n int, top int64, key, body string) (string, error)
	ResolveThread(ctx context.Context, repo task.Repo, id string) error
	ReactReview(ctx context.Context, repo task.Repo, comment int64, content string) error
	SetDraft(ctx context.Context, repo task.Repo, n int, draft bool) error
	Revert(ctx context.Context, repo task.Repo, branch, head, message string, ledger forge.Ledger) (string, error)
	RemoveLabel(ctx context.Context, repo task.Repo, n int, label string) error
	DeleteBranch(ctx context.Context, repo task.Repo, branch, at string) (deleted bool, err error)
}

// github publishes a run on its issue. Each outward action is written down
// under a key before it is done, and the lease is checked right before it, so
// that it happens once whatever dies in between.
type github struct {
	forge Forge
	store *store.Store
	lease *store.Lease
	run   task.Run
	text  reporter
	now   func() time.Time
	log   logrus.FieldLogger
	point func(string)

	logLink string // where the run's log can be read; "": nowhere
	remark  string // an open point of each pull request; "": none

	mu      sync.Mutex // the status comment
	shown   time.Time
	phase   string
	unshown *task.Progress // a phase that began too soon after the last edit to be shown; Late shows it
}

// NewGitHub returns the publisher of a run that came from an issue.
func (b *Bot) NewGitHub(f Forge, funnel *redact.Funnel, lease *store.Lease, r task.Run) *github {
	return &github{forge: f, store: b.cfg.Store, lease: lease, run: r, text: reporter{funnel}, now: b.cfg.Now, log: b.cfg.Log.WithField("run", r.ID), point: b.cfg.Point}
}

func (g *github) Start(ctx context.Context, r task.Run) error {
	if f := r.Task.Follow; f != nil && f.Kind == task.FollowQuestion {
		return nil // it is answered before a label could be read
	}
	key := "label:working"
	if r.Saved.Gate != nil || r.Saved.Published > 0 { // it waited, and goes on
		key += fmt.Sprintf(":%d", r.Saved.Answered+1)
	}
	if _, err := g.once(ctx, key, func(ctx context.Context) (any, error) {
		return nil, g.forge.StateLabel(ctx, g.run.Task.Repo, g.run.Task.Issue, labelWorking)
	}); err != nil {
		return err
	}
	return nil
}

// Progress edits the status comment, never twice within minStatusGap, and within
// one phase with growing intervals, so that a long run does not use up the writes
// that GitHub allows in an hour.
func (g *github) Progress(ctx context.Context, p task.Progress) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	gap := minStatusGap
	switch {
	case g.phase == "", p.Phase != g.phase && (p.Phase == "waiting" || p.Phase == "parked"):
		gap = 0 // the first word; and what stands until somebody answers
	case p.Phase == g.phase:
		gap = max(gap, p.Elapsed/10)
	}
	if g.now().Sub(g.shown) < gap {
		if p.Phase != g.phase {
			g.unshown = &p
		}
		return nil
	}
	return g.show(ctx, p)
}

// Late shows the phase that Progress left out, when enough time has passed. Without
// it a long phase that began right after another would not be told of.
func (g *github) Late(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unshown == nil || g.now().Sub(g.shown) < minStatusGap {
		return nil
	}
	return g.show(ctx, *g.unshown)
}

func (g *github) show(ctx context.Context, p task.Progress) error {
	g.phase, g.shown, g.unshown = p.Phase, g.now(), nil
	return g.status(ctx, g.text.status(p, g.run.Task, g.logLink, g.now()))
}

func (g *github) status(ctx context.Context, body string) error {
	if err := g.store.Check(ctx, g.lease); err != nil {
		return err
	}
	_, _, err := g.forge.StatusComment(ctx, g.run.Task.Repo, g.run.Task.Issue, statusKey(g.run.Task), body)
	return g.quiet(err)
}

// statusKey is one per issue and generation (TRUST I2).
func statusKey(t task.Task) string {
	generation := t.Generation
	if t.Follow != nil { // the work goes on
		generation = t.Follow.Of
	}
	return fmt.Sprintf("status-%d", generation)
}

func (g *github) Publish(ctx context.Context, res task.Result) (task.Publication, error) {
	var pub task.Publication
	var err error
	switch {
	case res.Task.Follow != nil:
		pub, err = g.follow(ctx, res)
	case res.Outcome == task.Success && res.Best == nil:
		pub, err = g.published(ctx, res)
	case res.Outcome == task.Success:
		pub, err = g.open(ctx, res)
	case res.Outcome.Exhausted():
		pub, err = g.handOver(ctx, res)
	case res.Outcome == task.Rejected || res.Outcome == task.Error || res.Outcome == task.Quarantined:
		err = g.report(ctx, &pub, res)
	}
	if err != nil {
		return pub, err
	}
	label, over := map[bool]string{true: labelReady, false: labelHuman}[res.Outcome == task.Success && !res.Draft], false
	switch f := res.Task.Follow; {
	case f != nil && f.Kind == task.FollowQuestion:
		return pub, nil
	case f != nil && (res.Outcome == task.Success || res.Outcome == task.Cancelled): // as the pull request stands
		pr, err := g.forge.Pull(ctx, res.Task.Repo, f.Pull)
		if err != nil {
			return pub, err
		}
		switch pub.PullRequest, label = &pr, labelReady; {
		case pr.State != "open": // its end was said, and this run ends with it
			label, over = "", true
		case pr.Draft:
			label = labelHuman
		}
	case res.Outcome == task.Cancelled || res.Outcome == task.Success && res.Best == nil:
		label = ""
	}
	key := "label:" + label
	if g.run.Saved.Published > 0 {
		key += ":approved"
	}
	if _, err := g.once(ctx, key, func(ctx context.Context) (any, error) {
		return nil, g.forge.StateLabel(ctx, res.Task.Repo, res.Task.Issue, label)
	}); err != nil {
		return pub, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unshown = nil
	if !over {
		before, err := g.before(ctx, res.Task.Follow)
		if err != nil {
			return pub, err
		}
		if err := g.status(ctx, g.text.finished(res, pub, before)); err != nil {
			return pub, err
		}
	}
	_, err = g.once(ctx, store.ToldKey(res.Outcome), func(context.Context) (any, error) { return nil, nil })
	return pub, err
}

// before is what earlier runs of a follow-up's pull request cost.
func (g *github) before(ctx context.Context, f *task.Follow) (sum task.USD, err error) {
	if f == nil {
		return 0, nil
	}
	runs, err := g.store.Runs(ctx, store.Filter{Installation: g.run.Task.Repo.Installation, Repo: g.run.Task.Repo.Slug(), Issue: g.run.Task.Issue, Limit: 1000})
	for _, r := range runs {
		if r.ID != g.run.ID && (r.ID == f.Run || r.Task.Follow != nil && r.Task.Follow.Pull == f.Pull) {
			sum += r.Cost
		}
	}
	return sum, err
}

// open pushes the change and opens the pull request.
func (g *github) open(ctx context.Context, res task.Result) (task.Publication, error) {
	pub, err := g.commit(ctx, res)
	if err != nil {
		return pub, err
	}
	pr, err := once(ctx, g, "pull_request", func(ctx context.Context) (task.PullRequest, error) {
		pr, err := g.pull(ctx, pub.Branch, res)
		if err == nil {
			g.point("pull request created")
		}
		return pr, err
	})
	if err != nil {
		return pub, fmt.Errorf("opening the pull request: %w", err)
	}
	pub.PullRequest = &pr
	if g.run.Saved.Published > 0 && !res.SkipCI {
		if err := g.release(ctx, &pub, res); err != nil {
			return pub, err
		}
	}
	if err := g.keepPull(ctx, res, pub); err != nil {
		return pub, err
	}
	// The pull request stands; a check run that cannot be written must not turn
	// the run into an error.
	if err := g.check(ctx, pub.Commit, res); err != nil {
		g.log.WithError(err).Warn("the check run was not written")
	}
	return pub, nil
}

// keepPull writes the pull request down, so that what is said of it and what becomes
// of it finds the run.
func (g *github) keepPull(ctx context.Context, res task.Result, pub task.Publication) error {
	base := pub.PullRequest.Base
	if base == "" {
		base = baseBranch(res.Task)
	}
	return g.store.KeepPull(ctx, g.lease, store.Pull{Number: pub.PullRequest.Number, URL: pub.PullRequest.URL, Branch: pub.Branch, Base: base, Head: pub.Commit})
}

// baseBranch is where a run's pull request goes.
func baseBranch(t task.Task) string { return cmp.Or(t.BaseBranch, t.Repo.DefaultBranch) }

// Ask says on the issue what the run waits for, and marks it.
func (g *github) Ask(ctx context.Context, gate task.Gate) error {
	if err := g.store.Check(ctx, g.lease); err != nil {
		return err
	}
	if err := g.forge.StateLabel(ctx, g.run.Task.Repo, g.run.Task.Issue, labelHuman); err != nil {
		return err
	}
	key := fmt.Sprintf("gate-%s-%d-%d", gate.Kind, gate.Attempt, gate.Asked.UnixMicro())
	if gate.Kind == task.GateOutsider {
		key = fmt.Sprintf("gate-%s", gate.Kind) // it is asked once, whoever works on the run
	}
	var change *task.Attempt
	if gate.Attempt > 0 { // nobody says yes to what is not shown
		now, err := g.store.Run(ctx, g.run.ID)
		if err != nil {
			return err
		}
		change = changeAt(now, gate)
	}
	_, err := g.once(ctx, key, func(ctx context.Context) (any, error) {
		return g.forge.Comment(ctx, g.run.Task.Repo, g.run.Task.Issue, key+"-"+g.run.ID, g.text.question(gate, change))
	})
	return err
}

// changeAt is the attempt that a gate is about, or nil.
func changeAt(r task.Run, g task.Gate) *task.Attempt {
	if g.Attempt < 1 || g.Attempt > len(r.Saved.Attempts) {
		return nil
	}
	return &r.Saved.Attempts[g.Attempt-1]
}

// check puts the checklist on the commit, where reviewers look for it.
func (g *github) check(ctx context.Context, sha string, res task.Result) error {
	conclusion, title := "success", "Proved by the repository's tests"
	if res.Draft {
		conclusion, title = "neutral", "Passes, and waits for a decision"
	}
	_, err := g.once(ctx, "check_run:"+sha, func(ctx context.Context) (any, error) {
		return nil, g.forge.CheckRun(ctx, res.Task.Repo, sha, "fettle", conclusion, title, g.text.checkSummary(res), g.text.notes(res)...)
	})
	if err != nil {
		return fmt.Errorf("writing the check run: %w", err)
	}
	return nil
}

// handOver pushes the best attempt as WIP and writes the final report.
func (g *github) handOver(ctx context.Context, res task.Result) (task.Publication, error) {
	var pub task.Publication
	if res.Best != nil && len(res.Changes) > 0 {
		var err error
		if pub, err = g.commit(ctx, res); err != nil {
			return pub, err
		}
		g.wip(ctx, pub.Commit, res)
	}
	err := g.report(ctx, &pub, res)
	return pub, err
}

func (g *github) commit(ctx context.Context, res task.Result) (task.Publication, error) {
	branch := branchName(res.Task)
	sha, err := once(ctx, g, "commit", func(ctx context.Context) (string, error) {
		old, _, err := g.forge.BranchHead(ctx, res.Task.Repo, branch)
		if err != nil {
			return "", err
		}
		message, err := g.signed(ctx, res, g.text.commitMessage(res))
		if err != nil {
			return "", err
		}
		sha, err := g.forge.CommitFiles(ctx, res.Task.Repo, branch, res.Task.BaseCommit, message, res.Changes, old, ledger{g.store, g.lease, g.point})
		if err == nil {
			g.point("branch moved")
		}
		return sha, err
	})
	if err != nil {
		return task.Publication{}, fmt.Errorf("committing to %s: %w", branch, err)
	}
	g.point("pushed")
	return task.Publication{Branch: branch, Commit: sha}, nil
}

// ledger keeps the run's commits in the store, where every later run on the
// repository finds them.
type ledger struct {
	store *store.Store
	lease *store.Lease
	point func(string)
}

func (l ledger) Made(ctx context.Context, sha string) error {
	err := l.store.Made(ctx, l.lease, sha)
	if err == nil {
		l.point("committed")
	}
	return err
}

func (l ledger) IsOurs(ctx context.Context, sha string) (bool, error) {
	return l.store.IsOurs(ctx, l.lease.RunID, sha)
}

func (g *github) report(ctx context.Context, pub *task.Publication, res task.Result) error {
	url, err := once(ctx, g, "report", func(ctx context.Context) (string, error) {
		url, err := g.forge.Comment(ctx, res.Task.Repo, res.Task.Issue, "report-"+res.RunID, g.text.exhausted(res, *pub))
		return url, g.quiet(err)
	})
	if err != nil {
		return fmt.Errorf("writing the final report: %w", err)
	}
	g.point("commented")
	pub.ReportURL = url
	return nil
}

func (g *github) once(ctx context.Context, key string, do func(ctx context.Context) (any, error)) (json.RawMessage, error) {
	return g.store.Once(ctx, g.lease, g.run.ID+":"+key, func(ctx context.Context, again bool) (json.RawMessage, error) {
		if again {
			g.log.WithField("action", key).Info("taking up an outward action again")
		}
		v, err := do(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(v)
	})
}

// once is an outward action that came to something, which is kept with it.
func once[T any](ctx context.Context, g *github, key string, do func(ctx context.Context) (T, error)) (v T, err error) {
	raw, err := g.once(ctx, key, func(ctx context.Context) (any, error) { return do(ctx) })
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	return v, err
}
