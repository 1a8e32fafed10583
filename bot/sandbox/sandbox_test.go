package sandbox

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

func newBoxed(t testing.TB, cfg Config) *Sandbox {
	t.Helper()
	if cfg.StateDir == "" {
		cfg.StateDir = filepath.Join(t.TempDir(), "state")
	}
	s, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func workspace(t testing.TB, s *Sandbox, files map[string]string) *Workspace {
	t.Helper()
	w, err := s.Workspace(context.Background(), tree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func run(t testing.TB, w *Workspace, argv ...string) Result {
	t.Helper()
	r, err := w.Run(context.Background(), Command{Argv: argv})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shared is a temporary folder that other uids can reach.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fettle-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRunsInADisposableCopy(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	dir := tree(t, map[string]string{"a/b.txt": "hello", "x y\nz": "odd name"})
	if err := os.Symlink("a/b.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte("#!/bin/sh\necho ran in $PWD\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := s.Workspace(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := run(t, w, "sh", "-c", "cat link; echo changed >a/b.txt; printf result >/out/r; ./run.sh; echo bad >&2; exit 3")
	if string(r.Stdout) != "helloran in /work\n" || string(r.Stderr) != "bad\n" || r.ExitCode != 3 || r.OK() {
		t.Errorf("result %+v %q %q", r, r.Stdout, r.Stderr)
	}
	if data, err := w.ReadFile("a/b.txt", 100); err != nil || string(data) != "changed\n" {
		t.Errorf("copy: %q %v", data, err)
	}
	if data, err := w.ReadOut("r", 100); err != nil || string(data) != "result" {
		t.Errorf("out: %q %v", data, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a/b.txt")); string(data) != "hello" {
		t.Errorf("the source was written: %q", data)
	}
	if _, err := w.ReadFile("x y\nz", 100); err != nil {
		t.Error(err)
	}
	if _, err := w.ReadFile("a/b.txt", 3); err == nil {
		t.Error("the limit of a read does not hold")
	}
	if err := w.Reset(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	if r := run(t, w, "cat", "a/b.txt"); string(r.Stdout) != "hello" {
		t.Errorf("after reset: %q", r.Stdout)
	}
}

func TestFilesWrittenFromOutsideCanBeChangedInside(t *testing.T) {
	t.Parallel()
	w := workspace(t, newBoxed(t, Config{}), map[string]string{"old": "1"})
	for name, text := range map[string]string{"old": "2", "new/deep/er": "3"} {
		if err := w.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, w, "sh", "-c", "cat old new/deep/er; echo 4 >>new/deep/er; touch new/x && rm -r new old && echo ok")
	if string(r.Stdout) != "23ok\n" {
		t.Errorf("%q %q", r.Stdout, r.Stderr)
	}
	for _, bad := range []string{"../x", "/etc/x", "new/../../x"} {
		if err := w.WriteFile(bad, nil); err == nil {
			t.Errorf("wrote %s", bad)
		}
	}
	if err := w.Remove("was/never/there"); err != nil {
		t.Error(err)
	}
}

func TestToolsAreTheRealOnesAndRunInside(t *testing.T) {
	t.Parallel()
	s := newBoxed(t, Config{})
	w := workspace(t, s, nil)
	for name, arg := range map[string]string{"python3": "--version", "node": "--version", "go": "version"} {
		path, ok := s.Tool(name)
		if !ok {
			t.Errorf("no %s on this machine", name)
			continue
		}
		if r := run(t, w, path, arg); r.ExitCode != 0 || strings.Contains(path, "shims") {
			t.Errorf("%s: %q %q", path, r.Stdout, r.Stderr)
		}
		if r := run(t, w, "sh", "-c", "command -v "+name); strings.TrimSpace(string(r.Stdout)) == "" {
			t.Errorf("%s is not in the inside PATH", name)
		}
	}
	for _, tool := range s.Tools() {
		if tool.Name == "python3" && tool.Has("pytest") {
			if r := run(t, w, tool.Path, "-c", "import pytest; print(pytest.__version__)"); r.ExitCode != 0 {
				t.Errorf("%s: %s", tool.Path, r.Stderr)
			}
		}
	}
	if _, ok := s.Tool("no-such-program"); ok {
		t.Error("a program that is not there was found")
	}
}

func TestTalksToALongLivedProcess(t *testing.T) {
	t.Parallel()
	w := workspace(t, newBoxed(t, Config{}), nil)
	p, err := w.Start(context.Background(), Command{Argv: []string{"cat"}})
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 16)
	for range 3 {
		if _, err := p.Stdin.Write([]byte("ping")); err != nil {
			t.Fatal(err)
		}
		if n, err := p.Stdout.Read(buf); err != nil || string(buf[:n]) != "ping" {
			t.Fatalf("%q %v", buf[:n], err)
		}
	}
	_ = p.Stdin.Close()
	if r, err := p.Wait(); err != nil || !r.OK() {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := p.Stdout.Read(buf); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestSmallThings(t *testing.T) {
	t.Parallel()
	w := workspace(t, newBoxed(t, Config{}), map[string]string{"d/f": "x"})
	host := filepath.Join(t.TempDir(), "driver") // below a folder that only we may enter
	if err := os.WriteFile(host, []byte("driven"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := w.Run(context.Background(), Command{Argv: []string{"sh", "-c", "cat; pwd; echo \"$WORD\"; cat /d/x; kill -11 $$"}, Dir: "d",
		Env: map[string]string{"WORD": "a b\nc"}, Stdin: strings.NewReader("in "), ReadOnly: []Mount{{Host: host, Inside: "/d/x"}}})
	if err != nil || string(r.Stdout) != "in /work/d\na b\nc\ndriven" || r.Signal != "SIGSEGV" || r.ExitCode != 139 {
		t.Errorf("%+v %q %q %v", r, r.Stdout, r.Stderr, err)
	}
	for _, c := range []Command{{}, {Argv: []string{"a\x00b"}}, {Argv: []string{"true"}, Dir: "../x"},
		{Argv: []string{"true"}, Env: map[string]string{"A=B": ""}}, {Argv: []string{"true"}, ReadOnly: []Mount{{Host: "x", Inside: "/x"}}}} {
		if _, err := w.Run(context.Background(), c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	if r := run(t, w, "no-such-program"); r.ExitCode != 127 || len(r.Stderr) == 0 {
		t.Errorf("%+v", r)
	}
	if r, err := w.Run(context.Background(), Command{Argv: []string{"sh", "-c", "while :; do :; done"}, Limits: Limits{CPU: time.Second}}); err != nil || !r.TimedOut {
		t.Errorf("processor time: %+v %v", r, err)
	}
}

func TestOutputKeepsHeadAndTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 40).Draw(t, "limit")
		c, all := newCapped(int64(limit)), ""
		for _, part := range rapid.SliceOf(rapid.StringMatching(`[a-z]{0,30}`)).Draw(t, "parts") {
			_, _ = c.Write([]byte(part))
			all += part
		}
		out, cut := c.Bytes()
		if !cut && string(out) != all || cut != (len(all) > limit) {
			t.Fatalf("limit %d: %q of %q, cut %v", limit, out, all, cut)
		}
		if cut && (!strings.HasPrefix(string(out), all[:limit/2]+"\n[") || !strings.HasSuffix(string(out), "]\n"+all[len(all)-(limit-limit/2):])) {
			t.Fatalf("limit %d: %q of %q", limit, out, all)
		}
	})
}

func TestGoTestsUseTheWarmStandardLibrary(t *testing.T) {
	t.Parallel()
	cfg := Config{warm: "package warm\nimport \"testing\"\nfunc TestWarm(t *testing.T) {}\n"}
	if testing.Short() { // the one that all tests of the machine share
		cfg = Config{StateDir: filepath.Join(t.TempDir(), "state")}
		if err := sandboxtest.ShareWarm(cfg.StateDir); err != nil {
			t.Fatal(err)
		}
	}
	s := newBoxed(t, cfg)
	if err := s.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module x\ngo 1.21\n",
		"x_test.go": "package x\nimport \"testing\"\nfunc TestX(t *testing.T){}\n"}
	for range 2 { // two repositories: neither sees the other's cache
		one := s.Session()
		w := workspace(t, one, files)
		if r := run(t, w, "sh", "-c", "ls -d /cache/left-behind; touch /cache/left-behind; go test -x -v ./... 2>&1"); !r.OK() || strings.Contains(string(r.Stdout), "left-behind") ||
			!strings.Contains(string(r.Stdout), "PASS: TestX") || !strings.Contains(string(r.Stdout), " -p x ") || strings.Contains(string(r.Stdout), " -p runtime ") {
			t.Errorf("%v %d %s%s", r.Elapsed, r.ExitCode, r.Stdout, r.Stderr)
		}
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
}
