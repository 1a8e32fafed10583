package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// finding is one line of the doctor's report.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warning, error
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // the command or setting that mends it
}

func newDoctor(g *global) *cobra.Command {
	var asJSON, mends bool
	var repo, addr string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing on this machine, and how to mend it",
		Long: `doctor looks at git, the sandbox and its walls, the toolchains, the
configuration, keys (it never prints them), the database and the disk. Each
line is ok, warning or error, with what mends it.

Each configured model's endpoint is asked which models it offers; one that is not
offered, or that its provider ends, is named with what takes its place.

Where a GitHub App is configured, GitHub is asked about it: whether it takes the key,
which permissions and events are missing and the page that grants them, where it
delivers webhooks and what became of the last ones, and the time. The server of this
machine is asked at --addr. --repo OWNER/NAME adds a repository: whether the App is
installed there, whether the default branch is protected, whether the label is there.

--fix runs what is safe of that and says so: it takes the state folder's mode from others,
makes .fettle of this folder ignore itself in Git, and puts a chat's history that cannot be
read aside. An index that is damaged is made anew by whoever uses it. Packages, keys, the
operator's file and what is on GitHub are never touched.

Exit status: 0 no line is an error; 1 a line is; 2 the configuration is wrong.`,
		Example: `  fettle doctor
  fettle doctor --fix
  fettle doctor --repo acme/shop
  fettle doctor --json | jq '.[] | select(.status != "ok")'`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			show := printFindings
			if asJSON {
				show = func(w io.Writer, all []examined) error { return writeJSON(w, all) }
			}
			p, wrong := g.load(c.ErrOrStderr())
			if wrong != nil { // the rest needs the configuration
				return errors.Join(show(c.OutOrStdout(), []examined{{finding: gitFinding(c.Context())}, {finding: finding{"configuration", "error", wrong.Error(), "mend that line of the file; docs/configure.md has every key"}}}), wrong)
			}
			defer p.close()
			var all []examined
			for _, f := range p.examine(c.Context(), repo, addr) {
				one := examined{finding: f}
				if mends {
					p.mend(&one)
				}
				all = append(all, one)
			}
			if err := show(c.OutOrStdout(), all); err != nil {
				return err
			}
			for _, f := range all {
				if f.Status == "error" {
					return ending(exitRed)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().BoolVar(&mends, "fix", false, "run the cures that are safe")
	c.Flags().StringVar(&repo, "repo", "", "look at the repository `OWNER/NAME` through the App as well")
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "`ADDRESS` at which 'fettle serve' listens")
	return c
}

func (p *parts) examine(ctx context.Context, repo, addr string) []finding {
	p.askAnew = true // whoever asks the doctor has often just installed what was missing
	out := []finding{gitFinding(ctx), p.fileFinding()}
	out = append(out, p.sandboxFindings(ctx)...)
	out = append(out, p.modelFindings(ctx)...)
	out = append(out, p.appFindings(ctx, repo, addr)...)
	out = append(out, p.databaseFinding(ctx), p.diskFinding())
	return append(out, p.folderFindings()...)
}

func (p *parts) fileFinding() finding {
	if p.set.File == "" {
		return finding{"configuration", "ok", "no operator's file: the defaults", ""}
	}
	return finding{"configuration", "ok", p.set.File, ""}
}

func gitFinding(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return finding{"git", "error", err.Error(), "apt-get install git"}
	}
	return finding{"git", "ok", strings.TrimSpace(string(out)), ""}
}

// sandboxFindings starts the sandbox for real: its self-test is the check.
func (p *parts) sandboxFindings(ctx context.Context) []finding {
	box, err := p.sandbox(ctx)
	if err != nil {
		fix := "apt-get install bubblewrap"
		if p.set.Sandbox == sandbox.Engine {
			fix = "set engine.host and engine.image in the configuration, or take 'sandbox: docker' out of it"
		}
		return append([]finding{{"sandbox", "error", err.Error(), fix}}, wallFindings(sandbox.Walls{Backend: p.set.Sandbox})...)
	}
	out := []finding{{"sandbox", "ok", box.Walls().String(), ""}}
	if p.set.Sandbox == "none" {
		out[0].Status, out[0].Fix = "warning", "take 'sandbox: none' out of the configuration"
	}
	out = append(out, wallFindings(box.Walls())...)
	for _, tool := range []struct{ name, fix string }{
		{"python3", "apt-get install python3 python3-pytest"}, {"node", "apt-get install nodejs"}, {"go", "install Go from its own site or your distribution"},
	} {
		if where, ok := box.Tool(tool.name); ok {
			out = append(out, finding{tool.name, "ok", where, ""})
		} else {
			out = append(out, finding{tool.name, "warning", "not found; repositories that need it cannot be checked", tool.fix})
		}
	}
	return out
}

// wallFindings has a line for each wall. One that is missing or weak is a
// warning: whether the sandbox may be used at all is the line before.
func wallFindings(walls sandbox.Walls) []finding {
	var out []finding
	for _, w := range sandbox.Survey(walls) {
		f := finding{"wall: " + w.Name, "ok", w.Detail, ""}
		if !w.Stands || w.Weak {
			f.Status, f.Fix = "warning", w.Cure
		}
		out = append(out, f)
	}
	return out
}

func (p *parts) databaseFinding(ctx context.Context) finding {
	db, err := p.openStore(ctx)
	var exposed []string
	if err == nil {
		exposed = db.Exposed()
		err = db.Integrity(ctx)
		_ = db.Close()
	}
	if err != nil {
		return finding{"database", "error", p.funnel.Log(err.Error()), "check 'database' and 'state_dir' in the configuration"}
	}
	if len(exposed) > 0 {
		return finding{lineDatabase, "warning", "others may read or enter " + strings.Join(exposed, ", "), "chmod 700 " + p.databaseFolder()}
	}
	return finding{"database", "ok", "opens, and its integrity check passes", ""}
}

func (p *parts) diskFinding() finding {
	var st unix.Statfs_t
	if err := unix.Statfs(p.set.StateDir, &st); err != nil {
		return finding{"disk", "error", fmt.Sprintf("%s: %v", p.set.StateDir, err), "set state_dir to a folder on a disk that works"}
	}
	free := st.Bavail * uint64(st.Bsize) >> 20
	f := finding{"disk", "ok", fmt.Sprintf("%d MiB free at %s", free, p.set.StateDir), ""}
	if free < 1024 {
		f.Status, f.Fix = "warning", "free some space, or set state_dir to another disk"
	}
	return f
}

func printFindings(w io.Writer, all []examined) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, f := range all {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", f.Status, f.Name, f.Detail)
		if f.Fixed != "" {
			fmt.Fprintf(tw, "\t\tmended: %s\n", f.Fixed)
		} else if f.Fix != "" && f.Status != "ok" {
			fmt.Fprintf(tw, "\t\t→ %s\n", f.Fix)
		}
	}
	return tw.Flush()
}
