package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pry is a shell whose children look into it.
const pry = `
for f in environ maps mem auxv; do head -c 1 "/proc/$$/$f" >/dev/null 2>&1; [ $? -eq 0 ] && [ $f != mem ] && echo "read $f"; done
dd if=/dev/null of="/proc/$$/mem" conv=notrunc 2>/dev/null && echo "opened mem"
ls "/proc/$$/fd" >/dev/null 2>&1 && echo "listed fd"
cat /proc/self/environ >/dev/null && echo "child is ordinary"
echo done`

func TestC6NothingLooksIntoASealedProcess(t *testing.T) {
	t.Parallel()
	s := boxed(t, Config{})
	w := workspace(t, s, nil)
	said := func(c Command) string {
		r, err := w.Run(context.Background(), c)
		if err != nil || !r.OK() {
			t.Fatalf("%+v %v", r, err)
		}
		return string(r.Stdout)
	}
	if got := said(Command{Argv: []string{"/bin/sh", "-c", pry}}); !strings.Contains(got, "read environ") || !strings.Contains(got, "listed fd") ||
		strings.Contains(got, "opened mem") != (s.Walls().Landlock == "") { // which forbids to write there anyway
		t.Fatalf("the payload does not try what it should: %q", got)
	}
	for range 2 { // the second start takes the copy of the first
		if got := said(Command{Argv: []string{"/bin/sh", "-c", pry}, Sealed: true}); got != "child is ordinary\ndone\n" {
			t.Errorf("a child reached into its sealed parent: %q", got)
		}
	}
}

func TestC6ToolsRunSealedAsTheyDoOtherwise(t *testing.T) {
	t.Parallel()
	s := boxed(t, Config{})
	w := workspace(t, s, nil)
	for name, args := range map[string][]string{
		"python3": {"-I", "-c", "import sys, hashlib, subprocess; print(subprocess.check_output([sys.executable, '-c', 'print(1+1)']))"},
		"node":    {"-e", "console.log(require('crypto').randomBytes(4).length)"},
		"go":      {"env", "GOROOT"},
	} {
		if _, ok := s.Tool(name); !ok {
			continue
		}
		env := map[string]string{}
		if exe, _ := s.Tool("go"); name == "go" {
			env["GOROOT"] = filepath.Dir(filepath.Dir(exe))
		}
		var out [2]string
		for i, sealed := range []bool{false, true} {
			r, err := w.Run(context.Background(), Command{Argv: append([]string{name}, args...), Env: env, Sealed: sealed})
			if err != nil || !r.OK() {
				t.Fatalf("%s: %+v %v\n%s", name, r, err, r.Stderr)
			}
			out[i] = string(r.Stdout)
		}
		if out[0] != out[1] || out[0] == "" {
			t.Errorf("%s says %q, and sealed %q", name, out[0], out[1])
		}
	}
}

func TestC6AScriptCannotBeSealed(t *testing.T) {
	t.Parallel()
	s := boxed(t, Config{})
	w := workspace(t, s, nil)
	script := filepath.Join(t.TempDir(), "tool")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r, err := w.Run(context.Background(), Command{Argv: []string{script}, Sealed: true}); err == nil || !strings.Contains(err.Error(), "script") {
		t.Errorf("%+v %v", r, err)
	}
}
