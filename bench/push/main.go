// Command push measures what fettle's pre-push hook takes of its own: `git push` to
// a bare remote without a hook, with a hook that only runs the tests, and with
// fettle's, in turns, each push with a commit of its own. Without -repo it makes a
// small Python project. It prints the medians and ends with status 1 when fettle's
// own time, which is what its hook takes above the other one, is over -limit.
//
//	make bench-push
//	make bench-push PUSH="-repo DIR -edit src/a.py -run 'python3 -m pytest -q tests/test_a.py'"
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bench/machine"
)

type bench struct {
	fettle, repo, edit, run string
	rounds                  int
	trust                   bool
	work                    string
	env                     []string
}

func main() {
	var b bench
	limit := flag.Duration("limit", time.Second, "most that the hook may take of its own, in the median")
	flag.StringVar(&b.fettle, "fettle", "bin/fettle", "the program to measure")
	flag.StringVar(&b.repo, "repo", "", "a working copy to clone; empty: one is made")
	flag.StringVar(&b.edit, "edit", "calc.py", "the file that each commit adds a line to")
	flag.StringVar(&b.run, "run", "python3 -m unittest -q test_calc", "the same tests, as a hook would run them")
	flag.IntVar(&b.rounds, "n", 20, "counted rounds, after one that warms up")
	flag.BoolVar(&b.trust, "trust", false, "set fettle.trust: no sandbox")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	own, err := b.measure(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "push:", err)
		os.Exit(2)
	}
	if own > *limit {
		fmt.Fprintf(os.Stderr, "push: the hook takes %s of its own, and may take %s\n", ms(own), ms(*limit))
		os.Exit(1)
	}
}

// hooks are the ways to push: no hook, the tests alone, fettle's.
var hooks = []string{"none", "tests", "fettle"}

func (b *bench) measure(ctx context.Context) (own time.Duration, err error) {
	if b.work, err = os.MkdirTemp("", "fettle-bench-push-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(b.work)
	if b.fettle, err = filepath.Abs(b.fettle); err != nil {
		return 0, err
	}
	b.env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(b.work, "state"), "XDG_CONFIG_HOME="+b.work, "GIT_CONFIG_GLOBAL="+filepath.Join(b.work, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1")
	if err := b.prepare(ctx); err != nil {
		return 0, err
	}
	took, used := map[string][]time.Duration{}, map[string][]time.Duration{}
	for round := range b.rounds + 1 {
		for _, hook := range hooks {
			wall, cpu, err := b.push(ctx, hook, round)
			if err != nil {
				return 0, fmt.Errorf("pushing with the hook %s: %w", hook, err)
			}
			if round > 0 {
				took[hook], used[hook] = append(took[hook], wall), append(used[hook], cpu)
			}
		}
	}
	fmt.Printf("%s\n%d rounds; wall clock in the median (tenth percentile), and processor:\n", machine.Line(), b.rounds)
	for _, hook := range hooks {
		fmt.Printf("  %-8s %s (%s), %s\n", hook, ms(quantile(took[hook], .5)), ms(quantile(took[hook], .1)), ms(quantile(used[hook], .5)))
	}
	own = quantile(took["fettle"], .5) - quantile(took["tests"], .5)
	fmt.Printf("fettle's own: %s (%s), %s\n", ms(own), ms(quantile(took["fettle"], .1)-quantile(took["tests"], .1)), ms(quantile(used["fettle"], .5)-quantile(used["tests"], .5)))
	return own, nil
}

// prepare lays out the working copy and a remote for each hook.
func (b *bench) prepare(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(b.work, "gitconfig"), []byte("[user]\nname = A\nemail = a@localhost\n[init]\ndefaultBranch = main\n"), 0o600); err != nil {
		return err
	}
	dir := filepath.Join(b.work, "repo")
	if b.repo == "" {
		files := map[string]string{
			"calc.py":      "def add(a, b):\n    return a + b\n",
			"test_calc.py": "import unittest\n\nfrom calc import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
		}
		if err := os.Mkdir(dir, 0o750); err != nil {
			return err
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "one"}} {
			if err := b.git(ctx, args...); err != nil {
				return err
			}
		}
	} else if out, err := exec.CommandContext(ctx, "git", "clone", "-q", b.repo, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("cloning %s: %w: %s", b.repo, err, out)
	}
	for _, hook := range hooks {
		remote := filepath.Join(b.work, hook+".git")
		for _, args := range [][]string{{"init", "-q", "--bare", remote}, {"remote", "add", hook, remote}, {"push", "-q", hook, "HEAD:refs/heads/x"}} {
			if err := b.git(ctx, args...); err != nil {
				return err
			}
		}
	}
	if b.trust {
		return b.git(ctx, "config", "fettle.trust", "true")
	}
	return nil
}

// push makes a commit and pushes it with one of the hooks: what that takes by the
// clock and of the processor.
func (b *bench) push(ctx context.Context, hook string, round int) (wall, cpu time.Duration, err error) {
	dir := filepath.Join(b.work, "repo")
	file := filepath.Join(dir, ".git/hooks/pre-push")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return 0, 0, err
	}
	switch hook {
	case "tests":
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+b.run+"\n"), 0o700); err != nil { //nolint:gosec // a hook is run
			return 0, 0, err
		}
	case "fettle":
		cmd := exec.CommandContext(ctx, b.fettle, "hooks", "install") //nolint:gosec // the program that is measured
		cmd.Dir, cmd.Env = dir, b.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("installing: %w: %s", err, out)
		}
	}
	path := filepath.Join(dir, b.edit)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	comment := "#"
	if slices.Contains([]string{".go", ".js", ".ts", ".rs", ".java", ".c", ".cpp", ".php"}, filepath.Ext(path)) {
		comment = "//"
	}
	text = fmt.Appendf(text, "%s %s %d\n", comment, hook, round)
	if err := os.WriteFile(path, text, 0o600); err != nil { //nolint:gosec // in our own clone
		return 0, 0, err
	}
	if err := b.git(ctx, "commit", "-qam", fmt.Sprint(hook, round)); err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	state, err := b.gitUsing(ctx, "push", "-q", hook, "HEAD:refs/heads/x")
	if err != nil {
		return 0, 0, err
	}
	return time.Since(begun), state.UserTime() + state.SystemTime(), nil
}

func (b *bench) git(ctx context.Context, args ...string) error {
	_, err := b.gitUsing(ctx, args...)
	return err
}

// gitUsing tells what the processor did for git and all that it waited for.
func (b *bench) gitUsing(ctx context.Context, args ...string) (*os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = filepath.Join(b.work, "repo"), b.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out.String())
	}
	return cmd.ProcessState, nil
}

func quantile(d []time.Duration, q float64) time.Duration {
	slices.Sort(d)
	return d[int(q*float64(len(d)-1))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000) }
