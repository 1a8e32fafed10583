package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// Each script under testdata/script is fettle as a user types it, with what it
// prints and its exit status.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// HOME stays: toolchains of version managers are found through it.
			e.Setenv("HOME", os.Getenv("HOME"))
			for name, dir := range map[string]string{"XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"} {
				dir = filepath.Join(e.WorkDir, ".xdg", dir)
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
				e.Setenv(name, dir)
			}
			e.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(e.WorkDir, ".xdg", "gitconfig"))
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return os.WriteFile(filepath.Join(e.WorkDir, ".xdg", "gitconfig"), []byte("[user]\nname = A\nemail = a@localhost\n[init]\ndefaultBranch = main\n[core]\nautocrlf = false\n"), 0o644)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil // who may make namespaces with every user in them
			case "quick":
				return sandboxtest.Quick(), nil
			}
			return false, fmt.Errorf("the condition %q is none", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"tree":      tree,
			"noprocess": noProcess,
			"bytes":     writeBytes,
		},
	})
}

// exits N program args…: the program ends with exactly this status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// tree DIR FILE writes down every byte and mode below DIR but for .fettle.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tree DIR FILE")
	}
	text, err := treeHash(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// noprocess MARK: nothing runs with the mark in its arguments.
func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: noprocess MARK")
	}
	if left := processes(args[0]); len(left) > 0 {
		ts.Fatalf("still running: %v", left)
	}
}

// bytes FILE TEXT writes what a text archive cannot hold: escapes are Go's, in
// the name as well.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf(`usage: bytes FILE TEXT`)
	}
	name, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	p := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(p), 0o755))
	ts.Check(os.WriteFile(p, []byte(text), 0o644))
}
