package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/hooks"
)

type serveFlags struct {
	addr    string
	workers int
}

func newServe(g *global) *cobra.Command {
	f := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Receive GitHub's webhooks and work on issues",
		Long: `serve is the GitHub App: it verifies and stores each delivery before it answers,
and works on the issues that carry the label. Killed at any point, it goes on
where it stood when it is started again.

It needs the App's id, private key and webhook secret in the configuration:

  github:
    app_id: 12345
    private_key_file: /etc/fettle/app.pem
    webhook_secret_file: /etc/fettle/webhook-secret   # one secret a line; two may be valid at once

Who may ask for work beside people who may write to a repository, and how often:

  bots: {allow: ["renovate[bot]"]}       # others are told no, once
  installations: {allow: [acme, 4711]}   # accounts or ids; without it every one
  commands_per_hour: 30                  # of one user
  delete_branch: false                   # keep fettle's branch after a merge
  log: {url: "https://logs.example.org/?run={run}"}

Deliveries that were missed while it was down are asked for again, and labelled
issues without a run are taken up: at the start and every ten minutes. When the
App is uninstalled, everything stored for it is deleted.

The webhook is at /webhook. /healthz says that the process lives; /readyz that the
database keeps what is delivered (else 503), and how the breakers stand. The first
SIGTERM drains, the second ends at once.`,
		Example: `  fettle serve --addr 127.0.0.1:8080
  fettle serve --config /etc/fettle/config.yml --workers 4`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := g.load(c.ErrOrStderr())
			if err != nil {
				return err
			}
			p.verbose() // a server's log is what its operator has
			if f.workers == 0 {
				if err := p.shares("serve --workers 0"); err != nil {
					return err
				}
			}
			return p.serve(c.Context(), service{addr: f.addr, workers: f.workers, door: true}, func(url string) { fmt.Fprintf(c.ErrOrStderr(), "fettle: listening on %s\n", url) })
		},
	}
	c.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "`ADDRESS` to listen on")
	c.Flags().IntVar(&f.workers, "workers", 2, "runs worked on at the same time; 0: only store what is delivered")
	return c
}

// service is what one process does of the App.
type service struct {
	addr    string // to listen on; "": nowhere
	door    bool   // takes webhooks
	workers int    // runs at a time; 0 leaves deliveries and runs to other processes
}

// shares refuses what takes several processes on a database that takes one.
func (p *parts) shares(what string) error {
	if store.Shared(p.set.Database) {
		return nil
	}
	return usage("'fettle %s' works beside other processes, and %s is a file, which one process works; set database: postgres://… for several, or run 'fettle serve', which does everything", what, p.set.Database)
}

// serve is a process of the App until ctx ends.
func (p *parts) serve(ctx context.Context, what service, ready func(url string)) error {
	var secrets [][]byte
	if what.door {
		var err error
		if secrets, err = p.webhookSecrets(); err != nil {
			return err
		}
	}
	db, err := p.openRuns(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Serve(ctx); err != nil { // before anything listens: a second server on the file is refused
		return err
	}
	breakers, err := p.heal(db)
	if err != nil {
		return err
	}
	app, err := p.app(ctx, db, breakers, what.workers > 0)
	if err != nil {
		return err
	}
	defer p.close()
	var swept atomic.Pointer[bot.Swept]
	mux := http.NewServeMux()
	if what.door {
		mux.Handle("/webhook", hooks.Webhook(hooks.WebhookConfig{Secrets: secrets, Accept: app.Accept, Log: p.log}))
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", readyz(db, breakers, swept.Load))
	ctx, deaf := context.WithCancel(ctx) // a server that cannot hear ends, so that somebody starts it again
	defer deaf()
	hearing, err := listen(ctx, deaf, what.addr, mux, ready)
	if err != nil {
		return err
	}
	if what.workers == 0 {
		<-ctx.Done()
		return hearing(ctx)
	}
	var keeping sync.WaitGroup
	if !p.unswept {
		keeping.Go(func() { app.Keep(ctx, func(s bot.Swept) { swept.Store(&s) }) })
	}
	err = db.Work(ctx, store.Handlers{Delivery: app.Deliver, Run: app.Next}, what.workers)
	deaf()
	keeping.Wait() // before the database closes
	return errors.Join(err, hearing(ctx))
}

// listen serves HTTP until the returned function is called, which waits for what is
// under way; where the server ends by itself, deaf is called. addr "" listens nowhere.
func listen(ctx context.Context, deaf func(), addr string, h http.Handler, ready func(url string)) (end func(context.Context) error, err error) {
	if addr == "" {
		ready("")
		return func(context.Context) error { return nil }, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, usage("listening on %s: %w; choose another with --addr", addr, err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ConnContext: hooks.ConnContext}
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(hooks.Limit(l, hooks.Connections))
		deaf()
	}()
	ready("http://" + l.Addr().String())
	return func(ctx context.Context) error {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err := srv.Shutdown(closing)
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	}, nil
}

// app makes the App. One that works runs has what they need checked first, and what
// dead processes left on this machine removed.
func (p *parts) app(ctx context.Context, db *store.Store, breakers *heal.Heal, works bool) (*bot.App, error) {
	markers, err := db.Secret(ctx, "markers")
	if err != nil {
		return nil, err
	}
	client, err := p.forge(markers)
	if err != nil {
		return nil, err
	}
	if p.set.Access.Installations == nil && p.set.File != "" {
		p.log.Warn("whoever installs the App is worked for, at your cost; name the accounts under installations: {allow: [...]} in " + p.set.File)
	}
	// What each run is made of is made once: a mistake in the settings ends the
	// server, and not its runs.
	if _, err := p.preparer(); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if _, err := p.roles(nil); err != nil {
		return nil, err
	}
	trees, err := p.checkouts()
	if err != nil {
		return nil, err
	}
	if works {
		if err := sandbox.Sweep(p.sandboxState()); err != nil {
			return nil, fmt.Errorf("removing sandboxes of dead processes: %w", err)
		}
		if err := trees.Sweep(ctx, 0, nil); err != nil {
			return nil, fmt.Errorf("removing checkouts of dead processes: %w", err)
		}
		// No sandbox, no run: a process that could not run anything must not claim one.
		if _, err := p.sandbox(ctx); err != nil {
			return nil, err
		}
	}
	return bot.NewApp(bot.New(bot.Config{Store: db, Engine: p.engine, Heal: breakers, Now: p.now, Log: p.log, Point: p.point}), bot.AppConfig{
		Forge: client, Funnel: p.funnel, Checkouts: trees, Label: p.set.Label, Budget: p.set.Budget, Gates: p.set.Gates, NewID: newID,
		Access: p.set.Access, Keep: p.set.Keep, Prune: p.prune, LogURL: p.set.Log.Link, KeepBranch: p.set.KeepBranch,
	}), nil
}

// forge makes the GitHub client from the settings; markers is the key of its
// hidden markers.
func (p *parts) forge(markers []byte) (*forge.Client, error) {
	gh := p.set.GitHub
	if gh.AppID == 0 || gh.PrivateKeyFile == "" {
		return nil, usage("no GitHub App is configured: set github.app_id, github.private_key_file and github.webhook_secret_file; 'fettle serve --help' shows how")
	}
	read := func() ([]byte, error) {
		key, err := os.ReadFile(gh.PrivateKeyFile)
		if err == nil {
			p.funnel.AddSecret(string(bytes.TrimSpace(key)))
		}
		return key, err
	}
	key, err := read()
	if err != nil {
		return nil, usage("reading github.private_key_file: %w", err)
	}
	return p.client(forge.Config{AppID: gh.AppID, PrivateKey: key, ReadKey: read, MarkerKey: markers})
}

// client makes the GitHub client that has these credentials.
func (p *parts) client(cfg forge.Config) (*forge.Client, error) {
	gh := p.set.GitHub
	if gh.CAFile != "" {
		var err error
		if cfg.CA, err = os.ReadFile(gh.CAFile); err != nil {
			return nil, usage("reading github.ca_file: %w", err)
		}
	}
	cfg.BaseURL, cfg.Funnel, cfg.Now, cfg.Log, cfg.Label = gh.BaseURL, p.funnel, p.now, p.log, p.set.Label
	client, err := forge.New(cfg)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return client, nil
}

// webhookSecrets reads one secret a line.
func (p *parts) webhookSecrets() ([][]byte, error) {
	secrets, err := settings.Secrets(p.set.GitHub.WebhookSecretFile)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	for _, s := range secrets {
		p.funnel.AddSecret(string(s))
	}
	return secrets, nil
}
