package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/actions"
	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func newAction(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:    "action",
		Hidden: true, // the steps of the action type it, nobody else
		Short:  "Work on the event of a GitHub Actions job",
		Long: `action is what the GitHub Action runs (actions/action.yml, docs/actions.md). It
takes the job's event through the same service as 'fettle serve' takes webhooks:
the same commands, the same question to GitHub whether the actor may write, the
same runs. It ends when nothing is left to do, or a run waits for a human.

It reads GITHUB_EVENT_PATH, GITHUB_EVENT_NAME, GITHUB_REPOSITORY, GITHUB_TOKEN,
GITHUB_API_URL, RUNNER_TEMP and what else a runner sets, and its inputs from
variables that begin with FETTLE_. 'fettle action report' comes after it in any case.

Exit status 0 also where nothing could be mended: the output outcome says so.
1 the run ended with an error; 2 no event, or one that fettle does not know;
5 refused: pull_request_target, the head of a fork, no sandbox; 130 cancelled.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return g.action(c) },
	}
	c.AddCommand(newActionJudge(g), &cobra.Command{
		Use:   "report",
		Short: "Tell the runner how its job's run ended",
		Long: `report sets the outputs outcome, pull-request-url, branch, cost-usd, risk, artifact
and record, writes the job's summary and annotations, and puts the run's record into
a folder to upload. Where the step before it was cancelled or killed, it says so on
the issue. It reads nothing but what that step left.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return g.reportJob(c) },
	})
	return c
}

func (g *global) action(c *cobra.Command) error {
	job, err := actions.Read(os.Getenv)
	var end actions.Ending
	if err == nil {
		err = g.workJob(c, job, &end)
	} else {
		err = &exitError{exitUsage, err}
	}
	var no *actions.Refusal
	if errors.As(err, &no) {
		err = refused(no)
	}
	if job.Dir == "" {
		return err
	}
	if cut := context.Cause(c.Context()); cut != nil { // the report says so
		return errors.Join(cut, job.End(end))
	}
	var e *exitError
	var code ending
	if end.Done = true; err != nil && !errors.As(err, &code) {
		end.Error, end.Refuse = err.Error(), errors.As(err, &e) && e.code == exitRefused
	}
	return errors.Join(err, job.End(end))
}

// jobParts are the parts of a job: everything that it keeps lies in its folder.
func (g *global) jobParts(c *cobra.Command, job *actions.Job) (*parts, error) {
	if g.config != "" {
		return nil, usage("the configuration of a job is the input config; leave --config out")
	}
	text, err := job.OperatorFile()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	set, err := settings.Parse(filepath.Join(job.Dir, "config"), text)
	if err != nil {
		return nil, &exitError{exitUsage, fmt.Errorf("the input config: %w", err)}
	}
	set.StateDir, set.Database = job.Dir, filepath.Join(job.Record(), actions.Database)
	set.GitHub = settings.GitHub{BaseURL: job.APIURL, CAFile: set.GitHub.CAFile}
	set.Access.Installations = nil
	if job.In.Label != "" {
		set.Label = job.In.Label
	}
	p := g.parts(set, c.ErrOrStderr())
	p.askAnew = true // what is kept on a runner, earlier steps of the job can have written
	p.verbose()
	for _, secret := range []string{job.Token, job.JobToken, string(job.In.PrivateKey)} {
		p.funnel.AddSecret(secret)
	}
	return p, nil
}

// jobForge is GitHub as the job may use it. Where GitHub does not say which installation
// the App has, the client comes with the error.
func (p *parts) jobForge(ctx context.Context, job *actions.Job) (*forge.Client, error) {
	if job.In.AppID == 0 {
		return p.client(forge.Config{Token: job.Token, TokenFor: job.Repo, MarkerKey: job.MarkerKey()})
	}
	client, err := p.client(forge.Config{AppID: job.In.AppID, PrivateKey: job.In.PrivateKey, MarkerKey: job.MarkerKey()})
	if err != nil {
		return nil, err
	}
	id, err := client.InstallationOf(ctx, job.Repo)
	if err != nil {
		return client, err
	}
	return client, job.Installed(id)
}

// jobApp is the service as a job uses it.
func (p *parts) jobApp(db *store.Store, client *forge.Client, job *actions.Job, login string) (*bot.App, error) {
	trees, err := p.checkouts()
	if err != nil {
		return nil, err
	}
	cfg := bot.AppConfig{
		Forge: client, Funnel: p.funnel, Checkouts: trees, Label: p.set.Label, Budget: p.set.Budget, Gates: p.set.Gates, NewID: newID,
		Judge: p.judgeTrees, Access: p.set.Access, LogURL: func(string) string { return job.RunURL }, KeepBranch: p.set.KeepBranch,
	}
	if login == forge.JobLogin {
		cfg.Remark = noCI
	}
	return bot.NewApp(p.bot(db), cfg), nil
}

// noCI is said wherever a pull request is made with a job's token.
const noCI = "GitHub starts no CI for this pull request, because the token of a job opened it: close and reopen it to start CI, or give the action the token of an App"

// workJob works on the job's event; end gets what is known at each point.
func (g *global) workJob(c *cobra.Command, job *actions.Job, end *actions.Ending) error {
	ctx := c.Context()
	p, err := g.jobParts(c, job)
	if err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(job.Record(), 0o700), job.Keep()); err != nil {
		return err
	}
	words, err := job.VerifyModel(ctx, p.set.Tiers[task.Tier1].BaseURL)
	if err != nil {
		return err
	}
	if words != "" {
		p.log.Info(words)
	}
	client, err := p.jobForge(ctx, job)
	if err != nil {
		return err
	}
	if end.Login, err = client.Login(ctx, job.Repo); errors.Is(err, forge.ErrPerson) {
		return refused(err)
	} else if err != nil {
		return err
	}
	events, err := client.DecodeAll(job.Event, job.Delivery(), job.Payload)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	ev := events[0]
	if ev.Kind == task.EventIgnored {
		end.Note = "nothing to do: " + ev.Reason
		p.log.Info(end.Note)
		return nil
	}
	if end.Issue = ev.Issue.Number; job.Pull {
		if end.Issue, err = p.issueBehind(ctx, client, job, ev, end.Login); err != nil {
			return err
		}
	}
	if err := errors.Join(p.restore(ctx, job, end.Issue), job.End(*end)); err != nil {
		return err
	}
	if err := sandbox.Sweep(p.sandboxState()); err != nil {
		return fmt.Errorf("removing sandboxes of dead processes: %w", err)
	}
	defer p.close()
	_, boxed := p.sandbox(ctx)
	if boxed != nil { // the run ends with this reason on its issue, if the event may start one
		p.log.WithError(boxed).Error("no sandbox, no run")
	}
	if _, err := p.preparer(); err != nil {
		return &exitError{exitUsage, err}
	}
	if _, err := p.roles(nil); err != nil {
		return err
	}
	db, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	app, err := p.jobApp(db, client, job, end.Login)
	if err != nil {
		return err
	}
	before, err := states(ctx, db)
	if err != nil {
		return err
	}
	_, known := db.Delivery(ctx, job.Delivery()) // nil: the job was started again
	note, err := app.Take(ctx, job.Delivery(), job.Event, job.Repo.Installation, job.Payload)
	if err != nil {
		return err
	}
	end.Note = note
	return p.touched(ctx, db, before, known == nil, boxed, end)
}

// issueBehind is the issue that a pull request of fettle's is for, or the number of
// somebody else's, of which nothing is known.
func (p *parts) issueBehind(ctx context.Context, client *forge.Client, job *actions.Job, ev task.Event, login string) (int, error) {
	pr, err := client.Pull(ctx, job.Repo, ev.Issue.Number)
	if err != nil {
		return 0, err
	}
	if pr.HeadRepo != job.Repo.Slug() {
		return 0, &actions.Refusal{Words: "fettle does not work on the head of a fork: whoever wrote it could have it run with what this job may do"}
	}
	if n := bot.IssueOfBranch(pr.Head); n > 0 && pr.Author == login {
		return n, nil
	}
	return pr.Number, nil
}

// restore lays what earlier jobs on the issue have left.
func (p *parts) restore(ctx context.Context, job *actions.Job, issue int) error {
	if _, err := os.Stat(filepath.Join(job.Record(), actions.Database)); err == nil {
		return nil // an earlier step of this job
	}
	client, err := p.client(forge.Config{Token: job.JobToken, TokenFor: job.Repo, MarkerKey: job.MarkerKey()})
	if err != nil {
		return err
	}
	found, err := client.Artifact(ctx, job.Repo, actions.Artifact(issue), func(r forge.WorkflowRun) bool {
		return job.Wrote(r.Path, r.Event, r.Own, bot.IssueOfBranch(r.Branch) == issue)
	})
	var lacks *forge.MissingPermission
	if errors.As(err, &lacks) {
		p.log.WithError(err).Warn("nothing is known of earlier jobs: give the job the permission actions: read, so that /fettle approve, retry and resume work")
		return nil
	}
	if err != nil || found == nil {
		return err
	}
	raw, err := client.Archive(ctx, job.Repo, found.ID)
	if forge.IsGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	p.log.WithField("run", found.Run.ID).Info("goes on with the record of an earlier job")
	return job.Unpack(raw)
}

// states are the runs as they stand, for a comparison.
func states(ctx context.Context, db *store.Store) (map[string]string, error) {
	runs, err := db.Runs(ctx, store.Filter{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, r := range runs {
		out[r.ID] = standing(r)
	}
	return out, nil
}

func standing(r task.Run) string {
	return fmt.Sprint(r.State, r.Outcome, r.Cost, r.Attempts, r.Waiting != nil, r.EndedAt, len(r.Saved.Attempts))
}

// touched writes down which run the job worked on: a job that is started again when
// its event was handled tells of the run that came of it.
func (p *parts) touched(ctx context.Context, db *store.Store, before map[string]string, again bool, boxed error, end *actions.Ending) error {
	runs, err := db.Runs(ctx, store.Filter{})
	if err != nil {
		return err
	}
	for _, r := range runs { // the newest first
		if before[r.ID] == standing(r) && !again {
			continue
		}
		end.Run = r.ID
		if r.State == task.StateDone && r.Outcome == task.Error {
			if boxed != nil {
				return boxed
			}
			return ending(exitRed)
		}
		break
	}
	return nil
}
