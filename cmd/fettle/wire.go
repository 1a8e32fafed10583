package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/delegate"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/smoke"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
)

// global are the flags of every command.
type global struct {
	config  string
	quiet   bool
	verbose bool
}

// parts is what the commands share once the settings are read.
type parts struct {
	set    *settings.Settings
	funnel *redact.Funnel
	log    *logrus.Logger
	now    func() time.Time
	point  func(string) // tests end the process at named places; nil otherwise

	unswept bool // of the demo and of tests: the server takes up only what it is told of

	stale time.Duration // of tests: when a worker that does not answer counts as dead; 0: the store's own

	boxes   string // overrides where the sandbox's state is kept
	askAnew bool   // the sandbox asks all toolchains again

	mu  sync.Mutex
	box *sandbox.Sandbox
}

// load reads the settings and makes the logger, whose every line goes through
// the funnel.
func (g *global) load(errs io.Writer) (*parts, error) {
	set, err := settings.Load(g.config)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return g.parts(set, errs), nil
}

// with is a command that works by the settings. At its end what it holds is given back.
func (g *global) with(do func(*cobra.Command, *parts, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p, err := g.load(c.ErrOrStderr())
		if err != nil {
			return err
		}
		defer p.close()
		return do(c, p, args)
	}
}

// onRuns is with for the runs in the database.
func (g *global) onRuns(c *cobra.Command, do func(*parts, *store.Store) error) error {
	return g.with(func(c *cobra.Command, p *parts, _ []string) error {
		db, err := p.openRuns(c.Context())
		if err != nil {
			return err
		}
		defer db.Close()
		return do(p, db)
	})(c, nil)
}

// parts is what commands share, by these settings.
func (g *global) parts(set *settings.Settings, errs io.Writer) *parts {
	p := &parts{set: set, funnel: redact.New(set.Known()...), now: time.Now, log: logrus.New()}
	p.log.SetOutput(errs)
	var format logrus.Formatter = &logrus.TextFormatter{FullTimestamp: true, DisableColors: true}
	if set.Log.Format == "json" {
		format = &logrus.JSONFormatter{}
	}
	p.log.SetFormatter(redact.Formatter(p.funnel, format))
	p.log.SetLevel(logrus.WarnLevel)
	if g.verbose {
		p.verbose()
	}
	return p
}

// verbose logs at the level of the settings, info by default.
func (p *parts) verbose() {
	level, err := logrus.ParseLevel(p.set.Log.Level)
	if err != nil {
		level = logrus.InfoLevel
	}
	p.log.SetLevel(level)
}

// models makes the client of the tiers that are configured.
func (p *parts) models() *model.Client {
	endpoints := map[task.Tier]model.Endpoint{}
	for tier, t := range p.set.Tiers {
		endpoints[tier] = p.endpoint(tier, t)
	}
	return model.New(model.Config{Endpoints: endpoints, Now: p.now, Log: p.log})
}

// endpoint is a tier as the client takes it, with its substitute if it has one.
// The key is read at each call, so that a renewed one counts at once.
func (p *parts) endpoint(tier task.Tier, t settings.Tier) model.Endpoint {
	ep := model.Endpoint{
		Tier: tier, Preset: t.Preset, BaseURL: t.BaseURL, Model: t.Model,
		PriceIn: t.PriceIn, PriceCached: t.PriceCached, PriceOut: t.PriceOut,
		Timeout: t.Timeout, MaxTokens: t.MaxTokens, ContextTokens: t.ContextTokens,
		APIKey: func() (string, error) {
			key, err := t.Key()
			if err == nil && key != "" {
				p.funnel.AddSecret(key)
			}
			return key, err
		},
	}
	if t.Substitute != nil {
		sub := p.endpoint(tier, *t.Substitute)
		ep.Substitute = &sub
	}
	return ep
}

// agents are the commands that write the changes of a tier.
func (p *parts) agents() map[task.Tier]*delegate.Agent {
	out := map[task.Tier]*delegate.Agent{}
	for tier, t := range p.set.Tiers {
		if len(t.Command) > 0 {
			out[tier] = &delegate.Agent{Name: t.Agent, Argv: t.Command, Endpoint: p.endpoint(tier, t), Wall: t.Timeout}
		}
	}
	return out
}

// sandbox is the process's own, started when the first run needs it. A context
// that ends must not end the sandbox of other runs.
func (p *parts) sandbox(ctx context.Context) (*sandbox.Sandbox, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box != nil {
		return p.box, nil
	}
	box, err := sandbox.New(context.WithoutCancel(ctx), sandbox.Config{Backend: p.set.Sandbox, EngineHost: p.set.Engine.Host, EngineImage: p.set.Engine.Image, StateDir: p.sandboxState(), AskAnew: p.askAnew, Now: p.now, Log: p.log})
	if err != nil {
		return nil, refused(err)
	}
	p.box = box
	return box, nil
}

// sandboxState is where the sandbox keeps copies and its warm build cache.
func (p *parts) sandboxState() string {
	if p.boxes != "" {
		return p.boxes
	}
	return filepath.Join(p.set.StateDir, "sandbox")
}

// close gives back what the process holds.
func (p *parts) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.box == nil {
		return nil
	}
	err := p.box.Close()
	p.box = nil
	return err
}

// roles reads the prompts: the operator's own where there are some.
func (p *parts) roles(count func(model.Kind)) (*agent.Roles, error) {
	roles, err := agent.New(agent.Config{Prompts: p.set.Prompts, Count: count})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return roles, nil
}

// engine makes the loop of one run, with a session of the sandbox: what one
// repository's code leaves in a cache never reaches another's.
func (p *parts) engine(ctx context.Context, run string) (*loop.Loop, func() error, error) {
	whole, err := p.sandbox(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, own, err := p.rules()
	if err != nil {
		return nil, nil, err
	}
	box := whole.Session()
	models := p.models()
	roles, err := p.roles(models.Tally().Add)
	if err != nil {
		return nil, nil, errors.Join(err, box.Close())
	}
	prep, err := p.preparer()
	if err != nil {
		return nil, nil, errors.Join(err, box.Close())
	}
	setup := prep.For(box)
	verifier := verify.New(verify.Config{Sandbox: box, Warm: true, Now: p.now, Log: p.log})
	mender := mend.New(mend.Config{Sandbox: box, Verifier: verifier, Now: p.now, Log: p.log, Rules: own, Trusted: p.trusted()})
	checker := check.New(check.Config{Sandbox: box, Now: p.now, Log: p.log})
	pins := characterise.New(characterise.Config{Sandbox: box, Verifier: verifier, Now: p.now, Log: p.log})
	return loop.New(loop.Config{
			Checker: checker, Smoke: smoke.New(smoke.Config{Sandbox: box, Now: p.now, Log: p.log, Hide: p.funnel.Secrets}), Characteriser: pins, Verifier: verifier, Mender: mender, Developer: roles.Developer, Planner: roles.Planner, Tester: roles.Tester, Reviewer: roles.Reviewer, Triager: roles.Triager, Reproducer: roles.Reproducer, Models: models, Agents: p.agents(),
			Memory: p.memory, Setup: setup, Box: box, Sandbox: box.Walls().String(), Now: p.now, Log: p.log, Point: p.point,
		}), func() error {
			for _, n := range models.Tally().Counts() {
				p.log.WithFields(logrus.Fields{"run": run, "prompt": n.PromptClass, "action": n.Action, "class": n.Class, "times": n.Times, "calls": n.Asked}).Info("models: failures")
			}
			return errors.Join(box.Close(), setup.Close())
		}, nil
}

// memory opens the index of a repository.
func (p *parts) memory(ctx context.Context, repo task.Repo) (*memory.Index, error) {
	project := repo.Slug()
	if repo.Installation != 0 { // a folder's path keeps its case
		project = strings.ToLower(project)
	}
	return memory.Open(ctx, p.indexFile(repo.Installation, project))
}

func (p *parts) checkouts() (*checkout.Store, error) {
	return checkout.New(checkout.Config{Root: filepath.Join(p.set.StateDir, "checkouts"), CAFile: p.set.GitHub.CAFile, Funnel: p.funnel, Now: p.now, Log: p.log})
}

func (p *parts) openStore(ctx context.Context) (*store.Store, error) {
	if err := os.MkdirAll(p.set.StateDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the state directory: %w; set state_dir in the configuration", err)
	}
	if info, err := os.Stat(p.set.StateDir); err == nil && info.Mode().Perm()&0o077 != 0 {
		// It may be shared on purpose, such as /var/tmp: the files in it are not.
		p.log.Warnf("others may enter the state directory %s (mode %04o): chmod 700 it, or set state_dir to a folder of its own", p.set.StateDir, info.Mode().Perm())
	}
	return store.Open(ctx, p.set.Database, store.Config{Now: p.now, Log: p.log, Funnel: p.funnel, Caps: p.set.Caps, Stale: p.stale})
}

// openRuns is openStore, and ends the runs of commands that were killed.
func (p *parts) openRuns(ctx context.Context) (*store.Store, error) {
	db, err := p.openStore(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := db.EndAbandoned(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (p *parts) bot(s *store.Store) *bot.Bot {
	return bot.New(bot.Config{Store: s, Engine: p.engine, Now: p.now, Log: p.log, Point: p.point})
}

// heal opens the breakers that all servers on a database share.
func (p *parts) heal(s *store.Store) (*heal.Heal, error) {
	file, err := p.set.HealPath()
	if err != nil {
		return nil, err
	}
	policy, err := heal.OpenPolicy(file, p.log)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return heal.New(heal.Config{Store: s, Policy: policy, Learned: bot.NewLearned(s), Now: p.now, Log: p.log}), nil
}

// newID is 64 random bits in hexadecimal.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
