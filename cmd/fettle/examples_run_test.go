package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// shownLine is a line of testdata/examples.txt.
type shownLine struct {
	how  byte   // one of those that are told there
	arg  string // status, words or a name
	line string
}

// examples are the scenes, in order, by name.
func examples(t *testing.T) (names []string, scenes map[string][]shownLine) {
	t.Helper()
	text, err := os.ReadFile("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	scenes = map[string][]shownLine{}
	scene := ""
	for n, l := range strings.Split(string(text), "\n") {
		how, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		e := shownLine{line: rest}
		switch how {
		case "", "#":
			continue
		case "##":
			scene = rest
			names = append(names, rest)
			continue
		case "=", "?", ":":
			e.arg, e.line, _ = strings.Cut(rest, " ")
		case "@", "&":
			e.arg, e.line, _ = strings.Cut(rest, " "+how+" ")
		case "$", "+":
		default:
			t.Fatalf("line %d of examples.txt begins with %q", n+1, how)
		}
		e.how = how[0]
		scenes[scene] = append(scenes[scene], e)
	}
	return names, scenes
}

// O8: each example of help, README and documents is run and ends as examples.txt says.
func TestO8ExamplesAreRun(t *testing.T) {
	t.Parallel()
	names, scenes := examples(t)
	shown, told := shownLines(t), map[string]bool{}
	for name, scene := range scenes {
		for _, e := range scene {
			if strings.ContainsRune(around, rune(e.how)) {
				continue
			}
			told[e.line] = true
			if shown[e.line] == "" {
				t.Errorf("%s: %s: no page and no help shows this line", name, e.line)
			}
		}
	}
	for line, where := range shown {
		if !told[line] {
			t.Errorf("%s shows a line that testdata/examples.txt does not run: %s", where, line)
		}
	}
	if t.Failed() {
		return
	}
	sandboxtest.Whole(t)
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not here; .ci/setup-runners.sh installs Debian's")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			for _, e := range scenes[name] {
				s.play(e)
			}
		})
	}
}

// stage is a folder with a project, and what lines of a shell need around it.
type stage struct {
	*testing.T
	dir   string
	words []string // pairs: what stands for what in a line
	env   []string
	sim   *simulator.Server // where a line started one
}

// around are the signs of lines that are no examples.
const around = "$:+&"

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{T: t, dir: t.TempDir()}
	s.words = []string{"./bin/fettle", "fettle", "~/", s.dir + "/", "/tmp/", s.dir + "/tmp/", "sqlite:/backup", "sqlite:" + s.dir + "/tmp",
		"/etc/", s.dir + "/tmp/", "/var/lib/", s.dir + "/tmp/", "10.0.0.5:8081", "127.0.0.1:0",
		"127.0.0.1:8080", "127.0.0.1:0", "127.0.0.1:8081", "127.0.0.1:0", "127.0.0.1:7337", "127.0.0.1:0"}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	s.words = append(s.words, "CHECKOUT", checkout)
	lay, err := filepath.Abs("testdata/examples.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"tmp", "state", "config", "project"} {
		if err := os.MkdirAll(filepath.Join(s.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := s.shell(t.Context(), `cd .. && sh "`+lay+`"`)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return s
}

// shell is a line in the project. HOME stays: toolchains are found through it.
func (s *stage) shell(ctx context.Context, line string) *exec.Cmd {
	c := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", line)
	c.Dir = filepath.Join(s.dir, "project")
	c.Env = append(os.Environ(), "PATH="+filepath.Join(s.dir, "bin")+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(s.dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"), "NO_COLOR=1", "GIT_CONFIG_GLOBAL="+filepath.Join(s.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1", "BASH_ENV="+filepath.Join(s.dir, "env"), "GITHUB_TOKEN=", "GH_TOKEN=")
	c.Env = append(c.Env, s.env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}

func (s *stage) play(e shownLine) {
	s.Helper()
	if e.how == '+' {
		doubles[e.line](s)
		return
	}
	line := strings.NewReplacer(s.words...).Replace(e.line)
	if e.how == '@' || e.how == '&' {
		s.serves(e, line)
		return
	}
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Minute) // ends what hangs
	defer cancel()
	c := s.shell(ctx, line)
	var out, errs bytes.Buffer
	c.Stdout = &out
	run := c.Run
	if e.how == '?' {
		run = func() error { return s.opens(c, &errs) }
	} else {
		c.Stderr = &errs
	}
	err := run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatalf("%s: %v", e.line, err)
	}
	got, want := strconv.Itoa(c.ProcessState.ExitCode()), e.arg
	if e.how == '$' || e.how == ':' {
		want = "0"
	}
	if got != want || e.how == ':' && strings.TrimSpace(out.String()) == "" {
		s.Errorf("%s\nends with %s, want %s\n%s%s", line, got, want, out.String(), errs.String())
	}
	if e.how == ':' {
		s.word(e.arg, strings.TrimSpace(out.String()))
	}
}

// serves waits until a server has said what it is waited for. An example is ended then, and
// what is not one when the scene ends; what that printed stands in ~/served.
func (s *stage) serves(e shownLine, line string) {
	s.Helper()
	c := s.shell(context.WithoutCancel(s.Context()), line) // until it is ended here
	var out heard
	c.Stdout, c.Stderr = &out, &out
	s.must(c.Start())
	ended := make(chan struct{})
	var err error
	go func() { err = c.Wait(); close(ended) }()
	end := func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		<-ended
	}
	for !strings.Contains(out.String(), e.arg) {
		select {
		case <-ended:
			s.Fatalf("%s ended: %v\n%s", e.line, err, out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if e.how == '@' {
		end()
		return
	}
	s.Cleanup(end)
	s.must(os.WriteFile(filepath.Join(s.dir, "served"), []byte(out.String()), 0o600))
}

// heard is what a process has printed so far.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *heard) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *heard) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
