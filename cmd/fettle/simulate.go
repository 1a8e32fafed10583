package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/settings"
)

type simulateFlags struct {
	addr, webhookURL, secret, state string
	repos                           []string
}

func newSimulate(g *global) *cobra.Command {
	f := &simulateFlags{}
	c := &cobra.Command{
		Use:   "simulate --repo DIR",
		Short: "Run the GitHub simulator on its own",
		Long: `simulate is a GitHub on this machine: real Git repositories, the REST calls that
fettle makes, signed webhooks, and pages to look at issues and pull requests.
It is for trying fettle out and for tests; it is not GitHub.

The App's private key is written to the state folder as app.pem; point
github.private_key_file of 'fettle serve' at it, and github.base_url at the
address printed. Another program can act as people do by calls below /_simulator/,
such as POST /_simulator/label; they need the token that is printed, and only
addresses of this machine are answered.`,
		Example: `  fettle simulate --addr 127.0.0.1:9090 --webhook-url http://127.0.0.1:8080/webhook --secret s3cret --repo ./my-project`,
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c, g) },
	}
	fl := c.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:9090", "`ADDRESS` to listen on; loopback only")
	fl.StringVar(&f.webhookURL, "webhook-url", "http://127.0.0.1:8080/webhook", "`URL` that deliveries are sent to")
	fl.StringVar(&f.secret, "secret", "", "the webhook `SECRET`")
	pathVar(c, &f.state, "state", "", "`DIR` for its data (default: a temporary folder)")
	fl.StringArrayVar(&f.repos, "repo", nil, "`DIR` to host, as owner \"local\"; OWNER/NAME=DIR to name it (may be given several times)")
	return c
}

func (f *simulateFlags) run(c *cobra.Command, g *global) error {
	p, err := g.load(c.ErrOrStderr())
	if err != nil {
		return err
	}
	if f.state == "" {
		if f.state, err = os.MkdirTemp("", "fettle-simulator-"); err != nil {
			return fmt.Errorf("making a folder for the simulator's data: %w; give one with --state", err)
		}
		defer os.RemoveAll(f.state)
	}
	s, err := simulator.New(simulator.Config{Addr: f.addr, Root: f.state, WebhookURL: f.webhookURL, WebhookSecret: f.secret, Now: p.now, Log: p.log})
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
	key := filepath.Join(f.state, "app.pem")
	if err := os.WriteFile(key, s.PrivateKeyPEM(), 0o600); err != nil {
		return fmt.Errorf("writing the App's key: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "fettle: the simulator is at %s (app_id %d, private_key_file %s)\n", s.URL(), s.AppID(), key)
	fmt.Fprintf(c.ErrOrStderr(), "fettle: calls below %s/_simulator/ need 'Authorization: Bearer %s'\n", s.URL(), s.ControlToken())
	return s.Serve(c.Context())
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
