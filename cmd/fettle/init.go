package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

func newInit(g *global) *cobra.Command {
	var write, asJSON, healing, agents, yes bool
	app := &appFlags{}
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Propose a .fettle.yml for a repository, or create the GitHub App",
		Long: `init looks at how the folder is built, linted, type-checked and tested, and
proposes a .fettle.yml with what it found and the reason for each. Nothing is run.
In a terminal it asks whether to write it, and the operator's file with the models that
are found (a server on this machine, a key in the environment), and offers the Git hook
and a section for AGENTS.md. --yes writes both files without asking, where there are none.
Elsewhere it prints the .fettle.yml; --write writes that alone.

With --github it creates the GitHub App in one click instead. It prints the address of
a page on this machine; open it, look at the permissions and their reasons, and press
the button. GitHub asks for a name and makes the App; its key, its webhook secret (mode
0600, in the folder github-app, mode 0700) and the operator's file are written, and the
next step is printed. Nothing is written before that, and nothing is written over.

GitHub has to reach 'fettle serve': --webhook-url says where, or the page asks. On
another machine, forward the page's port: ssh -L 8765:127.0.0.1:8765 HOST, with
--addr 127.0.0.1:8765.

--agents prints a section for AGENTS.md that tells other agents how to have their work
judged before they say that it is done; with --write it is put there, in the place of an
older one or at the end.

--heal is the operator's: it prints a heal.yml with what holds without one, or with
--write writes it beside the configuration.

Exit status: 0 proposed, written or created; 1 the App was not created; 2 usage, or a
file is there already; 130 stopped.`,
		Example: `  fettle init
  fettle init --yes
  fettle init --write
  fettle init --agents --write
  fettle init --json | jq .plan.commands
  fettle init --github --webhook-url https://fettle.example.com/webhook
  fettle init --github --org acme --server https://github.example.com --ca-file ca.pem
  fettle init --github --config ./fettle.yml --server http://127.0.0.1:9090   # fettle simulate`,
		Args: oneFolder,
		RunE: func(c *cobra.Command, args []string) error {
			if err := app.check(c, args); err != nil {
				return err
			}
			if setOf(healing, agents, app.github) > 1 {
				return usage("--agents, --heal and --github exclude each other")
			}
			if yes && (agents || healing || app.github) {
				return usage("--yes answers the questions of init alone, and --agents, --heal and --github ask none")
			}
			if agents {
				return agentsInit(c, args, write)
			}
			if healing {
				return g.healTemplate(c, write)
			}
			if app.github {
				return app.create(c, g, asJSON)
			}
			if yes && (write || asJSON) {
				return usage("--yes goes with no --write and no --json: it writes, and says so in words")
			}
			if yes || !write && !asJSON && talks(c) {
				return initTalk(c, g, args, yes)
			}
			p, err := propose(args)
			if err != nil {
				return err
			}
			if write {
				if err := p.write(); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), p)
			}
			if write {
				return printf(c.OutOrStdout(), "wrote %s with %s; 'fettle check' runs them\n", settings.RepoFile, task.Count(len(p.Plan.Commands), "check"))
			}
			return printf(c.OutOrStdout(), "%s", p.Content)
		},
	}
	c.Flags().BoolVar(&write, "write", false, "write the file, where there is none")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "ask nothing, and write the files that are proposed where there are none")
	c.Flags().BoolVar(&agents, "agents", false, "a section for AGENTS.md instead, for other agents")
	c.Flags().BoolVar(&healing, "heal", false, "the operator's heal.yml instead, with its defaults")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document: the plan with its reasons, and the file; or the App")
	app.register(c)
	return c
}

// healTemplate prints or writes the policy of the breakers.
func (g *global) healTemplate(c *cobra.Command, write bool) error {
	if !write {
		_, err := c.OutOrStdout().Write(settings.HealTemplate)
		return err
	}
	set, err := settings.Load(g.config)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	file, err := set.HealPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return usage("making the folder of %s: %w", file, err)
	}
	dir, name := filepath.Split(file)
	p := &proposal{File: name, Content: string(settings.HealTemplate), dir: dir}
	if err := p.write(); err != nil {
		return err
	}
	return printf(c.OutOrStdout(), "wrote %s; a server reads it at once\n", file)
}

// proposal is what init says.
type proposal struct {
	File    string      `json:"file"`
	Written bool        `json:"written"`
	Content string      `json:"content"`
	Plan    detect.Plan `json:"plan"`
	dir     string
}

func propose(args []string) (*proposal, error) {
	name := "."
	if len(args) == 1 {
		name = args[0]
	}
	dir, err := folder(name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usage("opening %s: %w", dir, err)
	}
	defer root.Close()
	plan, err := detect.Detect(regular.FS(root))
	if err != nil {
		return nil, err
	}
	text, err := plan.Propose()
	if err != nil {
		return nil, err
	}
	return &proposal{File: settings.RepoFile, Content: string(text), Plan: plan, dir: dir}, nil
}

func (p *proposal) write() error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return usage("opening %s: %w", p.dir, err)
	}
	defer root.Close()
	f, err := root.OpenFile(p.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already and is not written over; run 'fettle init' without --write to see the proposal", p.File)
	}
	if err != nil {
		return usage("writing %s: %w", p.File, err)
	}
	if _, err := f.WriteString(p.Content); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", p.File, err), f.Close())
	}
	p.Written = true
	return f.Close()
}
