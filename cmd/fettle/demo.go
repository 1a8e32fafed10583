package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// The samples hold a bug each; nothing else in fettle knows which.
//
//go:embed all:samples
var samples embed.FS

type demoFlags struct {
	repo, issue, sample, keep string
	json                      bool
}

func newDemo(g *global) *cobra.Command {
	f := &demoFlags{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a label become a pull request, without key or network",
		Long: `demo starts a GitHub simulator on loopback with a real Git repository, files an
issue in it and puts the label on. From there everything is as on GitHub: a
signed webhook, a stored delivery, a clone, the search for the fault, the proof
in the sandbox, the pull request.

With --repo and --issue it does so with your own repository.`,
		Example: `  fettle demo
  fettle demo --sample go
  fettle demo --repo ../shop --issue bug.md --keep /tmp/look`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error { return f.run(c, p, g.quiet) }),
	}
	fl := c.Flags()
	pathVar(c, &f.repo, "repo", "", "host this `DIR` instead of a sample")
	pathVar(c, &f.issue, "issue", "", "the issue's `FILE` (first line title, rest body), or -")
	fl.StringVar(&f.sample, "sample", "python", "the sample: python, go or javascript")
	pathVar(c, &f.keep, "keep", "", "keep the simulator's data in `DIR`")
	fl.BoolVar(&f.json, "json", false, "print one JSON document on stdout and nothing else there")
	return c
}

func (f *demoFlags) run(c *cobra.Command, p *parts, quiet bool) (err error) {
	state := f.keep
	if state == "" {
		if state, err = os.MkdirTemp("", "fettle-demo-"); err != nil {
			return fmt.Errorf("making a folder for the demo: %w; give one with --keep", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	}
	dir, title, body, err := f.source(c.InOrStdin(), state)
	if err != nil {
		return err
	}
	d := &demo{parts: p, dir: dir, title: title, body: body, state: state, show: newShow(c.ErrOrStderr(), quiet)}
	sum, issueURL, err := d.run(c.Context())
	if err != nil {
		return err
	}
	d.show.done()
	if !f.json {
		fmt.Fprintf(c.OutOrStdout(), "Issue: %s\n%s\n\n%s\n\n", issueURL, title, indent(body))
		if sum.PullRequest != nil {
			fmt.Fprintf(c.OutOrStdout(), "Pull request #%d: %s\n\n%s\n", sum.PullRequest.Number, sum.PullRequest.Title, indent(sum.PullRequest.Body))
		}
	}
	if err := printSummary(c.OutOrStdout(), sum, f.json); err != nil {
		return err
	}
	if f.keep != "" {
		fmt.Fprintf(c.ErrOrStderr(), "fettle: look at it with: fettle simulate --state %s\n", filepath.Join(state, "github"))
	}
	return endingOf(sum.Outcome, sum.Draft)
}

// source is the folder and the issue to host.
func (f *demoFlags) source(in io.Reader, state string) (dir, title, body string, err error) {
	if f.repo != "" {
		if dir, err = folder(f.repo); err != nil {
			return "", "", "", err
		}
		title, body, err = readIssue(f.issue, in)
		return dir, title, body, err
	}
	if f.issue != "" {
		return "", "", "", usage("--issue needs --repo: the samples bring their own issue")
	}
	root := path.Join("samples", f.sample)
	text, err := fs.ReadFile(samples, path.Join(root, "issue.md"))
	if err != nil {
		return "", "", "", usage("there is no sample %q; there are python, go and javascript", f.sample)
	}
	dir = filepath.Join(state, "sample-"+f.sample)
	if err := layOut(path.Join(root, "repo"), dir); err != nil {
		return "", "", "", err
	}
	t, b, _ := strings.Cut(string(text), "\n")
	return dir, strings.TrimSpace(t), strings.TrimSpace(b), nil
}

// layOut writes an embedded sample into a folder. A file go.mod.txt is go.mod:
// an embedded folder may not be a module of its own.
func layOut(from, to string) error {
	return fs.WalkDir(samples, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(samples, name)
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(name, from+"/")
		if path.Base(rel) == "go.mod.txt" {
			rel = strings.TrimSuffix(rel, ".txt")
		}
		target := filepath.Join(to, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("laying the sample out: %w", err)
		}
		return os.WriteFile(target, data, 0o644)
	})
}

// demo is one label's way to a pull request, with every part real but GitHub.
type demo struct {
	*parts
	dir, title, body, state string
	show                    *show
	wrap                    func(http.Handler) http.Handler // round the simulator, for tests that look on; nil otherwise
}

const (
	demoOwner = "local"
	demoUser  = "maintainer"
)

func (d *demo) run(ctx context.Context) (sum bot.Summary, issueURL string, err error) {
	w, err := d.start(ctx)
	if err != nil {
		return sum, "", err
	}
	n, err := w.file(d.title, d.body)
	if err == nil {
		sum, err = d.wait(w.ctx, w.served, w.sim, w.name, n)
	}
	return sum, fmt.Sprintf("%s/%s/%s/issues/%d", w.sim.URL(), demoOwner, w.name, n), errors.Join(err, w.end())
}

// demoWorld is a simulator with one repository, and a server that works for it.
type demoWorld struct {
	ctx    context.Context // of both
	sim    *simulator.Server
	name   string // of the repository
	label  string
	url    string // of the server
	served chan error
	end    func() error
}

// start starts both.
func (d *demo) start(ctx context.Context) (w *demoWorld, err error) {
	ctx, cancel := context.WithCancel(ctx)
	secret := newID()
	// The simulator has to know the webhook's address before the server has
	// one, and the server the simulator's: the webhook's is set afterwards.
	sim, err := simulator.New(simulator.Config{Addr: "127.0.0.1:0", Root: filepath.Join(d.state, "github"), WebhookSecret: secret, Now: d.now, Log: d.log, Middleware: d.wrap})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("starting the GitHub simulator: %w", err)
	}
	simulated, served := make(chan error, 1), make(chan error, 1)
	go func() { simulated <- sim.Serve(ctx) }()
	w = &demoWorld{ctx: ctx, sim: sim, name: repoName(filepath.Base(d.dir)), label: d.set.Label, served: served}
	w.end = func() error {
		cancel()
		return errors.Join(<-served, <-simulated, sim.Close())
	}
	defer func() {
		if err != nil {
			cancel()
			err = errors.Join(err, <-simulated, sim.Close())
		}
	}()
	if err := sim.AddRepo(demoOwner, w.name, d.dir); err != nil {
		return nil, usage("hosting %s: %w", d.dir, err)
	}
	if err := sim.SetPermission(demoOwner, w.name, demoUser, "write"); err != nil {
		return nil, err
	}
	if err := d.configure(sim, secret); err != nil {
		return nil, err
	}
	addr := make(chan string, 1)
	go func() {
		served <- d.serve(ctx, service{addr: "127.0.0.1:0", workers: 1, door: true}, func(url string) { addr <- url })
	}()
	select {
	case w.url = <-addr:
		sim.SetWebhook(w.url+"/webhook", secret)
	case err := <-served:
		return nil, err
	}
	return w, nil
}

// file files an issue and puts the label on.
func (w *demoWorld) file(title, body string) (int, error) {
	n, err := w.sim.OpenIssue(demoOwner, w.name, title, body, demoUser)
	if err == nil {
		err = w.sim.Label(demoOwner, w.name, n, w.label, demoUser)
	}
	if err != nil {
		return n, fmt.Errorf("filing the issue: %w", err)
	}
	return n, nil
}

// configure points the App at the simulator; models stay as the operator set
// them.
func (d *demo) configure(sim *simulator.Server, secret string) error {
	d.boxes = d.sandboxState() // a warm build cache outlives the demo
	set := *d.set
	set.StateDir = filepath.Join(d.state, "fettle")
	set.Database = filepath.Join(set.StateDir, "fettle.db")
	set.GitHub.AppID, set.GitHub.BaseURL = sim.AppID(), sim.URL()
	set.GitHub.PrivateKeyFile = filepath.Join(d.state, "app.pem")
	set.GitHub.WebhookSecretFile = filepath.Join(d.state, "webhook-secret")
	set.Access.Installations = nil
	d.set, d.unswept = &set, true // nothing was missed
	if err := os.WriteFile(set.GitHub.PrivateKeyFile, sim.PrivateKeyPEM(), 0o600); err != nil {
		return fmt.Errorf("writing the App's key: %w", err)
	}
	if err := os.WriteFile(set.GitHub.WebhookSecretFile, []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("writing the webhook's secret: %w", err)
	}
	return nil
}

// wait follows the run in the database until it is done.
func (d *demo) wait(ctx context.Context, served chan error, sim *simulator.Server, name string, issue int) (bot.Summary, error) {
	db, err := d.openStore(ctx)
	if err != nil {
		return bot.Summary{}, err
	}
	defer db.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return bot.Summary{}, context.Cause(ctx)
		case err := <-served:
			served <- nil
			return bot.Summary{}, errors.Join(errors.New("the server ended before the run did"), err)
		case <-tick.C:
		}
		runs, err := db.Runs(ctx, store.Filter{Limit: 1})
		if err != nil {
			return bot.Summary{}, err
		}
		if len(runs) == 0 {
			continue
		}
		r := runs[0]
		if r.State != task.StateDone {
			d.show.progress(task.Progress{RunID: r.ID, Phase: string(r.State), Tier: r.Tier, Attempt: r.Attempts, Cost: r.Cost, Budget: r.Budget.USD, Elapsed: d.now().Sub(r.CreatedAt), Note: ""})
			continue
		}
		return d.summary(r, sim.Snapshot(demoOwner, name), issue), nil
	}
}

// summary reads what stands in the simulator now, not what fettle says it did.
func (d *demo) summary(r task.Run, snap simulator.Snapshot, issue int) bot.Summary {
	res := task.Result{RunID: r.ID, Task: r.Task, Outcome: r.Outcome, Reason: r.Reason}
	if r.Result != nil {
		res = *r.Result
	}
	var pub task.Publication
	for _, pr := range snap.Pulls {
		pub.Branch, pub.Commit = pr.Head, pr.HeadSHA
		pub.PullRequest = &task.PullRequest{Number: pr.Number, URL: pr.URL, Title: pr.Title, Draft: pr.Draft, Body: pr.Body}
	}
	sum := bot.Summarise(res, pub)
	for _, i := range snap.Issues {
		if i.Number != issue {
			continue
		}
		for _, c := range i.Comments {
			sum.Comments = append(sum.Comments, c.Body)
		}
	}
	return sum
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
