package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/forge"
	"github.com/fettle-dev/fettle/bot/forge/manifest"
	"github.com/fettle-dev/fettle/bot/settings"
)

// appFlags are those of 'fettle init --github'.
type appFlags struct {
	github, add                              bool
	org, server, caFile, webhook, name, addr string
}

func (f *appFlags) register(c *cobra.Command) {
	fl := c.Flags()
	fl.BoolVar(&f.github, "github", false, "create the GitHub App on a page of this machine")
	fl.StringVar(&f.org, "org", "", "with --github: the `ORGANISATION` that will own the App (default: your account)")
	fl.StringVar(&f.server, "server", "", "with --github: `URL` of a GitHub Enterprise Server (default: github.com)")
	pathVar(c, &f.caFile, "ca-file", "", "with --github: `FILE` with the PEM certificate of the authority behind --server")
	fl.StringVar(&f.webhook, "webhook-url", "", "with --github: `URL` at which GitHub reaches 'fettle serve' (default: the page asks)")
	fl.StringVar(&f.name, "app-name", "", "with --github: `NAME` proposed for the App")
	fl.StringVar(&f.addr, "addr", "127.0.0.1:0", "with --github: loopback `ADDRESS` of the page; port 0 takes a free one")
	fl.BoolVar(&f.add, "add", false, "with --github: add the App to an operator's file that is there")
}

// check refuses flags that belong to the other half of the command.
func (f *appFlags) check(c *cobra.Command, args []string) error {
	if f.github {
		if len(args) > 0 || c.Flags().Changed("write") {
			return usage("--github creates the App and takes neither a folder nor --write; see '%s --help'", c.CommandPath())
		}
		return nil
	}
	for _, name := range []string{"org", "server", "ca-file", "webhook-url", "app-name", "addr", "add"} {
		if c.Flags().Changed(name) {
			return usage("--%s is for creating the App: add --github", name)
		}
	}
	return nil
}

// create shows the page until the App is there.
func (f *appFlags) create(c *cobra.Command, g *global, asJSON bool) error {
	file, err := settings.File(g.config)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	var ca []byte
	if f.caFile != "" {
		if ca, err = os.ReadFile(f.caFile); err != nil {
			return usage("reading --ca-file: %w", err)
		}
	}
	errs := c.ErrOrStderr()
	shown := false
	made, err := manifest.Run(c.Context(), manifest.Config{
		Place: forge.Place{Server: f.server, Org: f.org, CA: ca}, Name: f.name, Webhook: f.webhook, Addr: f.addr, File: file, CAFile: f.caFile, Add: f.add,
		Note: func(what string) { fmt.Fprintf(errs, "fettle: %s\n", what) },
	}, func(address string) {
		shown = true
		fmt.Fprintf(errs, "fettle: to create the App, open %s\nfettle: ctrl-c stops; nothing is written until GitHub has made the App\n", address)
	})
	switch {
	case err == nil:
	case !shown: // it did not begin
		return &exitError{exitUsage, err}
	case c.Context().Err() != nil:
		return fmt.Errorf("no App was created, and nothing was written: %w", err)
	default:
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), made)
	}
	return printf(c.OutOrStdout(), `the App %s (id %d, owner %s) is made; written:
  %s
  %s
  %s

next:
  1. install it on a repository: %s
  2. start the server: %s
     what GitHub sends to %s has to arrive where it
     listens, by default on 127.0.0.1:8080
  3. make the label agent:fix in the repository and put it on an issue

'fettle doctor%s --repo OWNER/NAME' says whether all of it works
`, made.Slug, made.AppID, made.Owner, made.File, made.Key, made.Secret, made.Install, made.Serve, made.Webhook, strings.TrimPrefix(made.Serve, "fettle serve")) // doctor takes the same flags
}
