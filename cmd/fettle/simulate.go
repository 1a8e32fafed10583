package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/settings"
)

type simulateFlags struct {
	addr, webhookURL, secret, state, enterprise string
	repos                                       []string
}

func newSimulate(g *global) *cobra.Command {
	f := &simulateFlags{}
	c := &cobra.Command{
		Use:   "simulate --repo DIR",
		Short: "Run the GitHub simulator on its own",
		Long: `simulate is a GitHub on this machine: real Git repositories, the REST calls that
fettle makes, signed webhooks, and pages to look at issues and pull requests.
It is for trying fettle out and for tests; it is not GitHub.

A configuration for 'fettle serve' is written to the state folder as fettle.yml,
with the App's key and the webhook's secret beside it. Open the address that is
printed to act on the pages as anybody: file issues, label, comment, review, set
checks, merge. Another program can do the same by calls below /_simulator/, such as
POST /_simulator/label; they need the token that is printed, and only addresses of
this machine are answered.

The App is installed and ready. 'fettle init --github --server ADDRESS' makes one of
its own in its place, as on GitHub; it is installed by the form on the page that leads
there.

With --enterprise it is a GitHub Enterprise Server: https under a certificate
authority of its own, which fettle.yml names.`,
		Example: `  fettle simulate --state /tmp/sim --repo ./my-project
  fettle serve --config /tmp/sim/fettle.yml`,
		Args: noArgs,
		RunE: g.with(func(c *cobra.Command, p *parts, _ []string) error { return f.run(c, p) }),
	}
	fl := c.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:9090", "`ADDRESS` to listen on; loopback only")
	fl.StringVar(&f.webhookURL, "webhook-url", "http://127.0.0.1:8080/webhook", "`URL` that deliveries are sent to")
	fl.StringVar(&f.secret, "secret", "", "the webhook `SECRET` (default: a random one)")
	fl.StringVar(&f.enterprise, "enterprise", "", "be a GitHub Enterprise Server of this `VERSION`, such as 3.14.0")
	pathVar(c, &f.state, "state", "", "`DIR` for its data (default: a temporary folder)")
	fl.StringArrayVar(&f.repos, "repo", nil, "`DIR` to host, as owner \"local\"; OWNER/NAME=DIR to name it (may be given several times)")
	return c
}

func (f *simulateFlags) run(c *cobra.Command, p *parts) (err error) {
	if f.state == "" {
		if f.state, err = os.MkdirTemp("", "fettle-simulator-"); err != nil {
			return fmt.Errorf("making a folder for the simulator's data: %w; give one with --state", err)
		}
		defer os.RemoveAll(f.state)
	}
	if f.secret == "" {
		f.secret = rand.Text()
	}
	s, err := simulator.New(simulator.Config{Addr: f.addr, Root: f.state, Enterprise: f.enterprise, WebhookURL: f.webhookURL, WebhookSecret: f.secret, Now: p.now, Log: p.log})
	if err != nil {
		return usage("starting the simulator: %w", err)
	}
	defer s.Close()
	for _, r := range f.repos {
		owner, name, dir := repoFlag(r)
		if dir, err = folder(dir); err != nil {
			return err
		}
		if err := s.AddRepo(owner, name, dir); err != nil {
			return usage("hosting %s: %w", dir, err)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s/%s/%s\n", s.URL(), owner, name)
	}
	key, config, err := f.configure(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "fettle: the simulator is at %s (app_id %d, private_key_file %s)\n", s.URL(), s.AppID(), key)
	fmt.Fprintf(c.ErrOrStderr(), "fettle: serve it with: fettle serve --config %s\n", config)
	fmt.Fprintf(c.ErrOrStderr(), "fettle: or make an App of your own: fettle init --github --server %s --webhook-url %s --config FILE\n", s.URL(), f.webhookURL)
	fmt.Fprintf(c.ErrOrStderr(), "fettle: to act on its pages, open %s\n", s.EntryURL())
	fmt.Fprintf(c.ErrOrStderr(), "fettle: calls below %s/_simulator/ need 'Authorization: Bearer %s'\n", s.URL(), s.ControlToken())
	return s.Serve(c.Context())
}

// configure writes what 'fettle serve' needs into the state folder.
func (f *simulateFlags) configure(s *simulator.Server) (key, config string, err error) {
	dir, err := filepath.Abs(f.state)
	if err != nil {
		return "", "", err
	}
	key, config = filepath.Join(dir, "app.pem"), filepath.Join(dir, "fettle.yml")
	text := fmt.Sprintf("# made by fettle simulate; tiers of models can be added\nstate_dir: %s\ngithub:\n  base_url: %s\n  app_id: %d\n  private_key_file: app.pem\n  webhook_secret_file: webhook-secret\n",
		filepath.Join(dir, "serve"), s.URL(), s.AppID())
	if f.enterprise != "" {
		text += "  ca_file: " + s.CAFile() + "\n"
	}
	for name, content := range map[string][]byte{key: s.PrivateKeyPEM(), filepath.Join(dir, "webhook-secret"): []byte(s.WebhookSecret() + "\n"), config: []byte(text)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return "", "", fmt.Errorf("writing what fettle serve needs: %w", err)
		}
	}
	return key, config, nil
}

// repoFlag splits OWNER/NAME=DIR, or names a folder after itself.
func repoFlag(s string) (owner, name, dir string) {
	if slug, d, ok := strings.Cut(s, "="); ok {
		if o, n, ok := strings.Cut(slug, "/"); ok {
			return o, n, d
		}
	}
	abs, err := settings.Path(s, "")
	if err != nil {
		abs = s
	}
	return "local", repoName(filepath.Base(abs)), s
}

// repoName keeps the characters that GitHub allows in a repository's name.
func repoName(s string) string {
	out := strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '-'
	}, s)
	if strings.Trim(out, ".-") == "" {
		return "project"
	}
	return out
}
