package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
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

func TestRunsACommandInADisposableCopy(t *testing.T) {
	s := newBoxed(t, Config{})
	t.Log(s.Walls(), s.Tools())
	w := workspace(t, s, map[string]string{"a/b.txt": "hello"})
	r := run(t, w, "sh", "-c", "cat a/b.txt; echo changed >a/b.txt; echo out >/out/r; env; pwd; ls -la / /tmp /work; id")
	t.Logf("%d %s %s %v", r.ExitCode, r.Stdout, r.Stderr, r.Elapsed)
	for _, name := range []string{"python3", "node", "go", "npm"} {
		p, _ := s.Tool(name)
		arg := "--version"
		if name == "go" {
			arg = "version"
		}
		r = run(t, w, p, arg)
		t.Logf("%s %d %s %s %v", p, r.ExitCode, r.Stdout, r.Stderr, r.Elapsed)
	}
}

func TestGoTestsUseTheWarmStandardLibrary(t *testing.T) {
	s := newBoxed(t, Config{})
	if err := s.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	one := s.Session()
	defer one.Close()
	w := workspace(t, one, map[string]string{"go.mod": "module x\ngo 1.21\n", "x_test.go": "package x\nimport (\"testing\";\"net/http\")\nfunc TestX(t *testing.T){ _ = http.Get }\n"})
	for range 2 {
		r := run(t, w, "go", "test", "-v", "./...")
		t.Logf("%d %s %s %v", r.ExitCode, r.Stdout, r.Stderr, r.Elapsed)
	}
}
