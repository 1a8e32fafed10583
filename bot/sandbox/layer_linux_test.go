package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var wide = Room{Files: 10_000, Bytes: 64 * mib, Parts: 64}

// installed runs a script as setup command on a tree and collects what it left.
func installed(t *testing.T, s *Sandbox, src, script string) *Layer {
	t.Helper()
	one := s.Session()
	defer one.Close()
	w, err := one.SetupWorkspace(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := w.Run(t.Context(), Command{Argv: []string{"sh", "-ec", script}, Setup: &Setup{}})
	if err != nil || !r.OK() {
		t.Fatalf("%v: %d %s%s", err, r.ExitCode, r.Stdout, r.Stderr)
	}
	dir := filepath.Join(t.TempDir(), "layer")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := w.Collect(t.Context(), src, dir, wide)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// using is a session that shows a layer, with a workspace of src.
func using(t *testing.T, s *Sandbox, l *Layer, src string) *Workspace {
	t.Helper()
	one := s.Session()
	t.Cleanup(func() { _ = one.Close() })
	if err := one.Use(l); err != nil {
		t.Fatal(err)
	}
	w, err := one.Workspace(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func sh(t *testing.T, w *Workspace, script string) string {
	t.Helper()
	r := run(t, w, "sh", "-c", script)
	return string(r.Stdout) + string(r.Stderr)
}

func TestC1WhatASetupAddedIsSeenReadOnlyAndTheTreeStays(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	src := tree(t, map[string]string{"main.txt": "tracked", "sub/a.txt": "a", "gone.txt": "x", "script.sh": "echo own"})
	l := installed(t, s, src, `
mkdir -p node_modules/.bin node_modules/dep sub/gen ~/.cache/tool ~/.config/x
echo module > node_modules/dep/index.js; ln -s ../dep/index.js node_modules/.bin/dep
echo new > sub/gen/file; echo alone > sub/alone.txt; echo changed > main.txt; rm gone.txt
echo kept > ~/.cache/tool/data; mkdir empty`)
	w := using(t, s, l, src)
	out := sh(t, w, `cat main.txt gone.txt node_modules/.bin/dep sub/gen/file sub/alone.txt ~/.cache/tool/data; echo
touch node_modules/dep/evil 2>&1; touch ~/.cache/tool/evil 2>&1; echo x > sub/alone.txt; rm sub/gen/file 2>&1
touch node_modules/.cache/fine && touch ~/.cache/own && echo writable; ls -A`)
	for _, want := range []string{"trackedxmodule\nnew\nalone\nkept\n", "touch: cannot touch 'node_modules/dep/evil': Read-only file system", "~", "writable"} {
		if want == "~" {
			want = "cannot touch '/tmp/home/.cache/tool/evil': Read-only file system"
		}
		if !strings.Contains(out, want) {
			t.Errorf("missing %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "empty") || strings.Count(out, "ead-only file system") != 4 {
		t.Errorf("got\n%s", out)
	}
	told := strings.Join(l.Dropped, "\n")
	if !strings.Contains(told, "the change of a file of the tree (main.txt)") || !strings.Contains(told, "the removal of a file of the tree (gone.txt)") {
		t.Errorf("told %q", told)
	}
	if err := l.Check(); err != nil {
		t.Error(err)
	}
}

func TestC1WhatTheTreeHasIsNeverHiddenByALayer(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	l := installed(t, s, tree(t, map[string]string{"a": "", "pkg/a": ""}), `mkdir gen pkg/gen other; echo layer | tee gen/x pkg/gen/x other/x >file`)
	later := tree(t, map[string]string{"gen/mine": "tree", "file": "tree", "pkg": "a file now"})
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(later, "other")); err != nil {
		t.Fatal(err)
	}
	w := using(t, s, l, later)
	out := sh(t, w, "cat gen/mine file; ls gen; cat pkg; readlink other; ls other/x")
	if !strings.HasPrefix(out, "treetreemine\na file now"+elsewhere) || strings.Contains(out, "layer") {
		t.Errorf("got %q", out)
	}
}

func TestC1NothingEscapesThroughALayer(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	src := tree(t, map[string]string{"a": "tracked"})
	l := installed(t, s, src, `
mkdir n; cd n
ln -s /etc/passwd etc; ln -s /proc/self/environ proc; ln -s ../../../../../../etc up; ln -s /usr/bin/env fine; ln -s ../a tree; ln -s /cache c; ln -s /out/x o
mkfifo pipe; echo s > suid; chmod 4755 suid; ln suid hard; ln ../a also; mkdir -p shut; echo x > shut/f; chmod 0 shut
mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; ln -s / ../rootlink; ln -s n ../nlink
truncate -s 1 ok; python3 - <<'X' 2>/dev/null || true
import socket; socket.socket(socket.AF_UNIX).bind("sock")
X
chmod 755 shut 2>/dev/null; chmod 0 shut`)
	for _, gone := range []string{"etc", "proc", "up", "c", "o", "pipe", "sock", ".git"} {
		if _, err := os.Lstat(filepath.Join(l.Dir, "p0", gone)); err == nil {
			t.Errorf("%s was taken over", gone)
		}
	}
	for _, name := range []string{"suid", "hard", "also"} {
		info, err := os.Lstat(filepath.Join(l.Dir, "p0", name))
		if err != nil || info.Mode()&os.ModeSetuid != 0 || links(info) != 1 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	w := using(t, s, l, src)
	if out := sh(t, w, "readlink n/fine; cat n/tree; ls rootlink nlink 2>&1"); !strings.HasPrefix(out, "/usr/bin/env\ntracked") || strings.Count(out, "No such file") != 2 {
		t.Errorf("got %q", out)
	}
}

func TestC1ALayerThatChangedIsSeen(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	for name, change := range map[string]func(dir string) error{
		"shorter": func(dir string) error { return os.Truncate(filepath.Join(dir, "p0/x"), 0) },
		"gone":    func(dir string) error { return os.Remove(filepath.Join(dir, "p0/x")) },
		"more":    func(dir string) error { return os.WriteFile(filepath.Join(dir, "p0/y"), nil, 0o644) },
		"other":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "p0/x"), []byte("other"), 0o644) },
	} {
		l := installed(t, s, tree(t, map[string]string{"a": ""}), "mkdir n; echo kept > n/x")
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		if err := change(l.Dir); err != nil {
			t.Fatal(err)
		}
		if l.Check() == nil {
			t.Errorf("%s: not seen", name)
		}
	}
	bad := installed(t, s, tree(t, map[string]string{"a": ""}), "mkdir n; echo kept > n/x")
	bad.Parts[0].Inside = "/usr"
	if bad.Check() == nil || s.Session().Use(bad) == nil {
		t.Error("a part at /usr was taken")
	}
}

func TestC1ASetupsRoomIsBounded(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	src := tree(t, map[string]string{"a": ""})
	for script, room := range map[string]Room{
		"mkdir n; truncate -s 400M n/holes":           {Files: 100, Bytes: mib, Parts: 9},
		"mkdir n; for i in 1 2 3 4 5; do >n/$i; done": {Files: 3, Bytes: mib, Parts: 9},
		"for i in 1 2 3 4 5; do echo >$i; done":       {Files: 100, Bytes: mib, Parts: 3},
	} {
		w, err := s.SetupWorkspace(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := w.Run(t.Context(), Command{Argv: []string{"sh", "-ec", script}, Setup: &Setup{}}); err != nil || !r.OK() {
			t.Fatalf("%v %+v", err, r)
		}
		if _, err := w.Collect(t.Context(), src, t.TempDir(), room); !errors.Is(err, ErrRoom) {
			t.Errorf("%s: %v", script, err)
		}
		_ = w.Close()
	}
}

func TestC1PackagesOfASetupAreFoundByPython(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	if _, ok := s.Tool("python3"); !ok {
		t.Skip("no python3")
	}
	src := tree(t, map[string]string{"src/own.py": "x = 'editable'"})
	l := installed(t, s, src, `
v=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
mkdir -p ~/.local/lib/$v/site-packages .venv/lib/$v/site-packages .venv/bin .venv/lib/python3.1/site-packages
echo "home = /usr" > .venv/pyvenv.cfg; printf '#!/bin/sh\necho tool of the venv' > .venv/bin/sometool; chmod +x .venv/bin/sometool
echo "x = 'user'" > ~/.local/lib/$v/site-packages/of_user.py; echo "x = 'venv'" > .venv/lib/$v/site-packages/of_venv.py
echo /work/src > .venv/lib/$v/site-packages/own.pth; echo "x = 'old'" > .venv/lib/python3.1/site-packages/of_venv.py`)
	w := using(t, s, l, src)
	r, err := w.Run(context.Background(), Command{Argv: []string{"python3", "-s", "-B", "-c", "import of_user, of_venv, own, extra; print(of_user.x, of_venv.x, own.x, extra.x)"},
		Env: map[string]string{"PYTHONPATH": "more"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(r.Stderr), "'extra'") {
		t.Errorf("without extra: %s %s", r.Stdout, r.Stderr)
	}
	if err := w.WriteFile("more/extra.py", []byte("x = 'extra'")); err != nil {
		t.Fatal(err)
	}
	r, err = w.Run(context.Background(), Command{Argv: []string{"python3", "-s", "-B", "-c", "import of_user, of_venv, own, extra; print(of_user.x, of_venv.x, own.x, extra.x)"},
		Env: map[string]string{"PYTHONPATH": "more"}})
	if err != nil || string(r.Stdout) != "user venv editable extra\n" {
		t.Errorf("%v %s %s", err, r.Stdout, r.Stderr)
	}
	if out := sh(t, w, "sometool"); out != "tool of the venv\n" {
		t.Errorf("got %q", out)
	}
}

func TestC1TheBridgeIsOnlyForSetup(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	w, err := s.SetupWorkspace(t.Context(), tree(t, map[string]string{"a": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cmd  Command
		want bool
	}{{Command{}, false}, {Command{Setup: &Setup{}}, false}} {
		c.cmd.Argv = []string{"sh", "-c", "env; ls /run/fettle"}
		r, err := w.Run(t.Context(), c.cmd)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.ToLower(string(r.Stdout)), "http_proxy") || strings.Contains(string(r.Stdout), "bridge"); got != c.want {
			t.Errorf("%+v: %s", c.cmd.Setup, r.Stdout)
		}
		if !slices.Contains(strings.Split(string(r.Stdout), "\n"), "GOPROXY=off") {
			t.Errorf("GOPROXY is not off: %s", r.Stdout)
		}
	}
}

func links(info os.FileInfo) uint64 { return uint64(info.Sys().(*syscall.Stat_t).Nlink) } //nolint:unconvert // narrower on arm64

// Links that one command leaves must not take the mounts of the next to another
// place: bubblewrap follows them, also out to the host.
func TestC1ALinkTakesNoMountOfALayerElsewhere(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	src := tree(t, map[string]string{"pkg/a": "", "b/a": ""})
	l := installed(t, s, src, `mkdir pkg/gen b/gen; echo layer | tee pkg/gen/x >b/gen/x`)
	w := using(t, s, l, src)
	host := t.TempDir()
	for d := host; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	out := sh(t, w, `cat pkg/gen/x b/gen/x; mv pkg old; ln -s /oldroot`+host+` pkg`)
	if out != "layer\nlayer\n" {
		t.Fatalf("got %q", out)
	}
	if out = sh(t, w, `cat pkg/gen/x b/gen/x`); !strings.HasPrefix(out, "layer\ncat: pkg/gen/x: No such file") {
		t.Errorf("got %q", out)
	}
	if list, err := os.ReadDir(host); err != nil || len(list) != 0 {
		t.Errorf("on the host stands %v %v", list, err)
	}
	if out = sh(t, w, `mv b c; mkdir b; ln -s ../../usr b/gen`); out != "" {
		t.Errorf("got %q", out)
	}
	if out = sh(t, w, `ls /usr/x /usr/bin/env 2>&1`); !strings.Contains(out, "cannot access '/usr/x'") || !strings.Contains(out, "/usr/bin/env\n") {
		t.Errorf("got %q", out)
	}
}

func TestC1ScratchSpaceOfALayerIsNoLink(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	src := tree(t, map[string]string{"a": ""})
	l := installed(t, s, src, `mkdir -p node_modules/dep; cd node_modules; echo x > dep/x; ln -s ../../usr d; ln -s ../../usr .cache`)
	if len(l.Parts) != 1 || slices.Contains(l.Parts[0].Scratch, ".cache") || !slices.Contains(l.Parts[0].Scratch, ".vite") {
		t.Fatalf("got %+v", l.Parts)
	}
	if out := sh(t, using(t, s, l, src), `cat node_modules/dep/x; touch /usr/evil 2>&1`); !strings.HasPrefix(out, "x\n") || !strings.Contains(out, "ead-only") {
		t.Errorf("got %q", out)
	}
}
