package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A toolchain is asked once, and again when a file that its answer depends on is
// another, when it is asked in another environment, when the answer is old, when what
// is kept is not readable, and by doctor.
func TestC1AToolchainIsAskedAgainWhenItsFilesChange(t *testing.T) { //nolint:paralleltest // it sets HOME
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", "")
	count, program, library := filepath.Join(dir, "count"), filepath.Join(dir, "lang"), filepath.Join(dir, "library")
	if err := os.Mkdir(library, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(program, fmt.Sprintf("#!/bin/sh\necho asked >>%s\necho '{\"Library\":\"%s\"}'\n", count, library))
	asked := func(anew bool) int {
		t.Helper()
		_ = os.Remove(count)
		q := openQuestions(anew)
		var a struct{ Library string }
		if !q.ask(t.Context(), &a, func() []string { return []string{a.Library} }, program, "where") || a.Library != library {
			t.Fatalf("the answer is %+v", a)
		}
		q.keep()
		text, _ := os.ReadFile(count)
		return strings.Count(string(text), "asked")
	}
	kept := openQuestions(false).file
	if first, again := asked(false), asked(false); first != 1 || again != 0 {
		t.Errorf("asked %d times, then %d; once is enough", first, again)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the answers are kept as %v, %v", info, err)
	}
	for what, change := range map[string]func(){
		"something was installed":       func() { write(filepath.Join(library, time.Now().String()), "") },
		"the program is another":        func() { write(program, string(must(os.ReadFile(program)))+"# newer\n") },
		"the environment is another":    func() { t.Setenv("PYENV_VERSION", "3.12.1") },
		"a manager chooses another":     func() { write(filepath.Join(dir, ".tool-versions"), "lang 2") },
		"what is kept is cut off":       func() { write(kept, "{\"a\":") },
		"what is kept is not an object": func() { write(kept, "null") },
		"the answer is old": func() {
			q := openQuestions(false)
			for key, a := range q.answers {
				a.At = a.At.Add(-answersKept)
				q.answers[key] = a
			}
			q.changed = true
			q.keep()
		},
	} {
		change()
		if first, again := asked(false), asked(false); first != 1 || again != 0 {
			t.Errorf("%s: asked %d times, then %d", what, first, again)
		}
	}
	for what, change := range map[string]func() error{
		"others may write to the file":   func() error { return os.Chmod(kept, 0o622) },
		"others may write to the folder": func() error { return os.Chmod(filepath.Dir(kept), 0o722) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if first := asked(false); first != 1 {
			t.Errorf("%s: what stands there is believed", what)
		}
		if err := os.Chmod(filepath.Dir(kept), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if asked(true) != 1 {
		t.Error("whoever wants it asked anew gets what was kept")
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
