package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestX4AFolderWithPipesAndDevicesHoldsNobody has every command that reads a
// folder read one in which a file is a pipe that nobody writes to, or leads to
// a device without end. Each ends by itself; memory and files are limited, so
// that reading without end fails instead of filling the machine.
func TestX4AFolderWithPipesAndDevicesHoldsNobody(t *testing.T) {
	t.Parallel()
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o600) }
	device := func(name string) error { return os.Symlink("/dev/zero", name) }
	inGit := []string{"fix --issue ISSUE", "risk", "check --fast --only syntax"}
	all := append([]string{"check --only syntax", "init", "regions list"}, inGit...)
	for row, c := range []struct {
		name     string
		make     func(string) error
		commands []string
		says     string // where it is refused
	}{
		{".git", pipe, all, ""},
		{".git", device, all, ""},
		{".git/HEAD", pipe, inGit, "HEAD is a named pipe"},
		{".git/HEAD", device, inGit, "HEAD is a device"},
		{".git/config", pipe, inGit, ""},
		{".git/commondir", pipe, inGit, ""},
		{".git/packed-refs", device, inGit, ""},
		{".git/index", pipe, inGit, "index is a named pipe"},
		{".git/index", device, inGit, "index is a device"},
		{".git/objects/pack/pack-0.idx", pipe, inGit, "pack-0.idx is a named pipe"},
		{".gitignore", pipe, inGit, ".gitignore is a named pipe"},
		{"sub/.gitignore", pipe, inGit, ".gitignore is a named pipe"},
		{"sub/.git/HEAD", pipe, inGit, "sub/.git/HEAD is a named pipe"},
		{".fettle.yml", pipe, []string{"check --only syntax", "fix --issue ISSUE"}, ".fettle.yml"},
		{".fettle.yml", device, []string{"check --only syntax", "fix --issue ISSUE"}, ".fettle.yml"},
		{"package.json", pipe, all, ""},
		{"pyproject.toml", device, all, ""},
		{"go.mod", pipe, all, ""},
		{"AGENTS.md", pipe, all, ""},
		{"b.py", pipe, all, ""},
		{".fettle/last_run.json.fettle-tmp", pipe, []string{"fix --issue ISSUE"}, ""},
	} {
		commands := c.commands
		if testing.Short() { // of each, the next
			commands = []string{c.commands[row%len(c.commands)]}
		}
		for _, command := range commands {
			t.Run(strings.ReplaceAll(command, " ", "_")+"/"+strings.ReplaceAll(c.name, "/", "_"), func(t *testing.T) {
				t.Parallel()
				dir := lay(t, map[string]string{"a.py": "def f(x):\n    return x\n", "sub/c.py": "y = 1\n"})
				for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "x"}} {
					if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
				}
				special := filepath.Join(dir, c.name)
				if err := errors.Join(os.RemoveAll(special), os.MkdirAll(filepath.Dir(special), 0o755), c.make(special)); err != nil {
					t.Fatal(err)
				}
				command = strings.ReplaceAll(command, "ISSUE", write(t, "issue.md", "f is wrong\n"))
				ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute) // only ends a hang
				defer stop()
				cmd := exec.CommandContext(ctx, "sh", "-c", "ulimit -v 16000000 && ulimit -f 2000000 && exec fettle --config "+operator(t, "")+" "+command)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if ctx.Err() != nil {
					t.Fatalf("it does not end:\n%s", out)
				}
				if err != nil && cmd.ProcessState.ExitCode() != exitUsage && cmd.ProcessState.ExitCode() != exitRefused && cmd.ProcessState.ExitCode() != exitWaits {
					t.Fatalf("%v\n%s", err, out)
				}
				if !strings.Contains(string(out), c.says) {
					t.Errorf("it does not say %q:\n%s", c.says, out)
				}
			})
		}
	}
}
