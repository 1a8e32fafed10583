package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// terminal is a terminal of tmux with a shell in it, driven by keys.
type terminal struct {
	t    *testing.T
	tmux string
	env  []string
}

// newTerminal opens one in a folder. fettle's state is the test's own.
func newTerminal(t *testing.T, dir string, columns, rows int, env ...string) *terminal {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not here; .ci/setup-runners.sh installs Debian's")
	}
	sockets, err := os.MkdirTemp("", "fettle-tmux-") // the address of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cache, err := os.UserCacheDir() // another one would let each terminal compile the parsers again
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, tmux: tmux, env: append(append(os.Environ(), "TMUX=", "TMUX_TMPDIR="+sockets, "TERM=xterm-256color", "NO_COLOR=", "CI=", "ACCESSIBLE=", "LC_ALL=C.UTF-8", "PS1=$ ", "HISTFILE=", // a shell that is ended would write its history while the folder is removed
		"XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "HOME="+home, "XDG_CACHE_HOME="+cache), env...)}
	x.run("-f", os.DevNull, "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "-c", dir, "bash --norc --noprofile")
	t.Cleanup(func() { x.run("kill-server"); _ = os.RemoveAll(sockets) })
	return x
}

func (x *terminal) run(args ...string) string {
	x.t.Helper()
	cmd := exec.Command(x.tmux, args...)
	cmd.Env = x.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// types presses keys, as tmux names them: words are typed, Enter and C-c are keys.
func (x *terminal) types(keys ...string) {
	x.t.Helper()
	x.run(append([]string{"send-keys"}, keys...)...)
}

// screen is what a person sees, all is that with what has scrolled away.
func (x *terminal) screen() string { x.t.Helper(); return x.run("capture-pane", "-p") }
func (x *terminal) all() string    { x.t.Helper(); return x.run("capture-pane", "-p", "-J", "-S", "-") }

// shows waits until all words are on the screen or above it.
func (x *terminal) shows(words ...string) string {
	x.t.Helper()
	var seen string
	for range 90 * 10 { // a bound on what does not come
		seen = x.all()
		there := true
		for _, w := range words {
			there = there && strings.Contains(seen, w)
		}
		if there {
			return seen
		}
		time.Sleep(100 * time.Millisecond)
	}
	x.t.Fatalf("the terminal does not show %q:\n%s", words, seen)
	return seen
}
