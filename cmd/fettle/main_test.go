package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// The test binary is fettle itself, when it is called by that name, and a few
// variants of it.
func TestMain(m *testing.M) {
	testscript.Main(swept{m}, map[string]func(){
		"fettle":         main,
		"fettle-offline": offline,
		"fettle-killed":  killedServer,
	})
}

// swept removes what tests share when all are over.
type swept struct{ *testing.M }

func (m swept) Run() int {
	dir, err := os.MkdirTemp("", "fettle-shared-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	sharedState = dir
	if err := sandboxtest.ShareWarm(filepath.Join(dir, "sandbox")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.M.Run()
}

// sharedState is a state folder for runs on Go repositories: the standard
// library is compiled once for it, not once for each test.
var sharedState string

// offline is fettle in a network namespace of its own, with nothing but
// loopback in it; whoever starts it makes the namespace.
func offline() {
	if err := raiseLoopback(); err != nil {
		fmt.Fprintln(os.Stderr, "raising loopback:", err)
		os.Exit(99)
	}
	main()
}

// heavy bounds the tests that run whole repairs at the same time.
var heavySlots = make(chan struct{}, 3)

func heavy(t *testing.T) {
	t.Helper()
	t.Parallel()
	heavySlots <- struct{}{}
	t.Cleanup(func() { <-heavySlots })
}

// endToEnd is heavy, and a test whose promise is shown in a shorter one, too, in part: the
// quick form leaves it to `make test-whole`, which continuous integration runs.
func endToEnd(t *testing.T) {
	t.Helper()
	sandboxtest.Whole(t)
	heavy(t)
}

// lay writes files, given by their slash-separated names, and returns the folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// write puts a file into a folder of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	return filepath.Join(lay(t, map[string]string{name: text}), name)
}

// operator writes an operator's file whose state is the test's own.
func operator(t *testing.T, more string) string {
	t.Helper()
	return write(t, "config.yml", "state_dir: "+t.TempDir()+"\n"+more)
}

// operatorFor is operator with the shared state where the language needs it.
func operatorFor(t *testing.T, sample string) string {
	t.Helper()
	if sample == "go" {
		return write(t, "config.yml", "state_dir: "+sharedState+"\n")
	}
	return operator(t, "")
}

// called is what a command printed and how it ended.
type called struct {
	code        int
	out, errors string
}

// call runs a command in this process.
func call(t *testing.T, args ...string) called {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &errs)
	return called{code, out.String(), errs.String()}
}

// summary reads the one JSON document that a command with --json prints.
func (c called) summary(t *testing.T) bot.Summary {
	t.Helper()
	var s bot.Summary
	dec := json.NewDecoder(strings.NewReader(c.out))
	if err := dec.Decode(&s); err != nil {
		t.Fatalf("stdout is not one JSON document: %v\n%s\n%s", err, c.out, c.errors)
	}
	if dec.More() {
		t.Fatalf("stdout holds more than one JSON document:\n%s", c.out)
	}
	return s
}

// treeHash lists every entry below a folder with mode and content, but for
// .fettle.
func treeHash(dir string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if rel == ".fettle" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum = fmt.Sprintf("%x %s", sha256.Sum256(data), info.ModTime().UTC())
		case d.Type()&fs.ModeSymlink != 0:
			if sum, err = os.Readlink(p); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%q %s %s\n", rel, info.Mode(), sum)
		return nil
	})
	return b.String(), err
}

// processes lists what runs with this text in its arguments.
func processes(mark string) []string {
	var out []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		raw, err := os.ReadFile(name)
		if err == nil && bytes.Contains(raw, []byte(mark)) && filepath.Base(filepath.Dir(name)) != fmt.Sprint(os.Getpid()) {
			out = append(out, filepath.Dir(name)+": "+string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '})))
		}
	}
	return out
}

// native runs the repository's own tests on the host, which only trusted
// repositories of these tests may ask for.
func native(dir string, argv ...string) (ok bool, out string, err error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "GOFLAGS=-mod=mod")
	raw, err := c.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return err == nil && exit == nil, string(raw), err
}

// O8: the page of the command line names each command that --help lists.
func TestO8TheCommandLinesPageNamesEachCommand(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newRoot(strings.NewReader(""), io.Discard, io.Discard).Commands() {
		if !c.Hidden && c.Name() != "help" && !regexp.MustCompile(`fettle`+"`?"+`\s+`+regexp.QuoteMeta(c.Name())+`\b`).Match(page) {
			t.Errorf("docs/cli.md says nothing of fettle %s", c.Name())
		}
		if c.Name() == "action" && !c.Hidden {
			t.Error("people are offered what only a job types")
		}
	}
}
