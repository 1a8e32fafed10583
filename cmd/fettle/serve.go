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
	"github.com/fettle-dev/fettle/bot/web"
	"github.com/fettle-dev/fettle/hooks"
)

type serveFlags struct {
	service
	token tokenFlags
}

func newServe(g *global) *cobra.Command {
	f := &serveFlags{service: service{door: true}}
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

Pages show what runs, what waits for you, what went wrong and what it cost; the API
is below /api/v1 (described at /api/v1/openapi.json) and Prometheus' metrics are at
/metrics. All of them need a token, which --new-token makes and prints once: with it
somebody may look, and with --operator also act. --of limits it to repositories or
installations; --revoke-token takes it back, with the sign-ins made with it.

The webhook is at /webhook. /healthz says that the process lives; /readyz that the
database keeps what is delivered (else 503), and how the breakers stand. The first
SIGTERM drains, the second ends at once.`,
		Example: `  fettle serve --addr 127.0.0.1:8080
  fettle serve --config /etc/fettle/config.yml --workers 4 --ui-addr 10.0.0.5:8081
  fettle serve --new-token alice --operator
  fettle serve --new-token shop-team --of acme/shop --of 4711`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error {
			if f.token.asked() {
				return f.token.run(c, p)
			}
			p.verbose() // a server's log is what its operator has
			if f.workers == 0 {
				if err := p.shares("serve --workers 0"); err != nil {
					return err
				}
			}
			return p.serve(c.Context(), f.service, func(url string) { fmt.Fprintf(c.ErrOrStderr(), "fettle: listening on %s\n", url) })
		}),
	}
	c.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "`ADDRESS` to listen on")
	c.Flags().IntVar(&f.workers, "workers", 2, "runs worked on at the same time; 0: only store what is delivered")
	c.Flags().StringVar(&f.ui, "ui-addr", "", "`ADDRESS` of the pages, the API and the metrics (default: that of the webhook)")
	c.Flags().BoolVar(&f.metrics, "public-metrics", false, "show /metrics to whoever asks")
	f.token.flags(c)
	return c
}

// service is what one process does of the App.
type service struct {
	addr    string // to listen on; "": nowhere
	door    bool   // takes webhooks, and shows the pages
	workers int    // runs at a time; 0 leaves deliveries and runs to other processes
	ui      string // address of the pages; "": addr
	metrics bool   // shown to anybody
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
	metrics := web.NewMetrics()
	metrics.Follow(db, breakers)
	app, err := p.app(ctx, db, breakers, metrics, what.workers > 0)
	if err != nil {
		return err
	}
	pages, err := web.New(web.Config{Store: db, App: app, Heal: breakers, Funnel: p.funnel, Caps: p.set.Caps, Metrics: metrics, OpenMetrics: what.metrics, NewID: newID, Now: p.now, Log: p.log})
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
	doors := []door{{what.addr, "--addr", mux}}
	switch {
	case !what.door:
	case what.ui == "":
		mux.Handle("/", pages.Handler())
	default:
		doors = append(doors, door{what.ui, "--ui-addr", pages.Handler()})
	}
	ctx, deaf := context.WithCancel(ctx) // a server that cannot hear ends, so that somebody starts it again
	defer deaf()
	heard, close, err := listen(ctx, deaf, doors)
	if err != nil {
		return err
	}
	if len(heard) > 1 {
		p.log.Info("the pages are at " + heard[1])
	}
	ready(heard[0])
	var keeping sync.WaitGroup
	if what.door {
		keeping.Go(func() { pages.Watch(ctx) })
	}
	if what.workers == 0 {
		<-ctx.Done()
	} else {
		if !p.unswept {
			keeping.Go(func() { app.Keep(ctx, func(s bot.Swept) { swept.Store(&s) }) })
		}
		err = db.Work(ctx, store.Handlers{Delivery: app.Deliver, Run: app.Next}, what.workers)
	}
	deaf()
	keeping.Wait() // before the database closes
	return errors.Join(err, close())
}

// door is an address that a process listens on; "" is nowhere.
type door struct {
	addr, flag string
	handler    http.Handler
}

// listen opens the doors, and says at which addresses. close waits for what is under way;
// where a server ends by itself, deaf is called.
func listen(ctx context.Context, deaf func(), doors []door) (heard []string, close func() error, err error) {
	served := make(chan error, len(doors))
	var servers []*http.Server
	close = func() (err error) {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		for _, srv := range servers {
			err = errors.Join(err, srv.Shutdown(closing))
		}
		for range servers {
			if e := <-served; !errors.Is(e, http.ErrServerClosed) {
				err = errors.Join(err, e)
			}
		}
		return err
	}
	for _, d := range doors {
		if d.addr == "" {
			heard = append(heard, "")
			continue
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.addr)
		if err != nil {
			return nil, nil, errors.Join(usage("listening on %s: %w; choose another with %s", d.addr, err, d.flag), close())
		}
		srv := &http.Server{Handler: d.handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ConnContext: hooks.ConnContext}
		servers = append(servers, srv)
		go func() {
			served <- srv.Serve(hooks.Limit(l, hooks.Connections))
			deaf()
		}()
		heard = append(heard, "http://"+l.Addr().String())
	}
	return heard, close, nil
}

// app makes the App. One that works runs has what they need checked first, and what
// dead processes left on this machine removed.
func (p *parts) app(ctx context.Context, db *store.Store, breakers *heal.Heal, meter bot.Meter, works bool) (*bot.App, error) {
	markers, err := db.Secret(ctx, "markers")
	if err != nil {
		return nil, err
	}
	client, err := p.forge(markers, db.Pace())
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
	judgedBy := ""
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
		if judgedBy, err = p.judgedBy(ctx); err != nil {
			return nil, err
		}
	}
	return bot.NewApp(bot.New(bot.Config{Store: db, Engine: p.engine, Heal: breakers, Meter: meter, Now: p.now, Log: p.log, Point: p.point}), bot.AppConfig{
		Forge: client, Funnel: p.funnel, Checkouts: trees, Label: p.set.Label, Budget: p.set.Budget, Gates: p.set.Gates, NewID: newID,
		Access: p.set.Access, Keep: p.set.Keep, Prune: p.prune, Judge: p.judgeTrees, JudgedBy: judgedBy, LogURL: p.set.Log.Link, KeepBranch: p.set.KeepBranch,
	}), nil
}

// forge makes the GitHub client from the settings; markers is the key of its
// hidden markers.
func (p *parts) forge(markers []byte, pace *store.Pace) (*forge.Client, error) {
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
	cfg := forge.Config{AppID: gh.AppID, PrivateKey: key, ReadKey: read, MarkerKey: markers}
	if pace != nil {
		cfg.Pace = pace
	}
	return p.client(cfg)
}

// client makes the GitHub client that has these credentials.
func (p *parts) client(cfg forge.Config) (*forge.Client, error) {
	return p.clientAt(p.set.GitHub.BaseURL, cfg)
}

func (p *parts) clientAt(base string, cfg forge.Config) (*forge.Client, error) {
	gh := p.set.GitHub
	if gh.CAFile != "" {
		var err error
		if cfg.CA, err = os.ReadFile(gh.CAFile); err != nil {
			return nil, usage("reading github.ca_file: %w", err)
		}
	}
	cfg.BaseURL, cfg.Funnel, cfg.Now, cfg.Log, cfg.Label = base, p.funnel, p.now, p.log, p.set.Label
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
