package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/service"
)

// Needs is what the tests of a Session need beside their tree.
type Needs struct {
	Env      map[string]string `json:"-"` // for all its commands but those of a setup; what the sandbox and a command set is stronger
	Services []Service         // started for each command that Needs them, in this order, and ended with it
	Git      bool              // those commands find the tree committed to a repository of its own
}

// Service is a program that runs beside a command, in its network and under its
// limits.
type Service struct {
	Name   string
	Argv   []string
	Apart  bool // it runs in a fresh folder of its own, not in the tree; TMPDIR is that folder in both cases
	Port   int  // on the loopback; PORT tells it
	Path   string
	Ready  []string      // see service.Config
	Within time.Duration // in which it has to be ready
	Cure   string        // what to do where one of its programs is not found
}

// Need says what commands of this Session need that say so (Command.Needs).
func (s *Sandbox) Need(n Needs) error {
	if s.parent == nil {
		return errors.New("sandbox: tests' needs are those of one Session, not of the whole sandbox")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needs = n
	return nil
}

func (s *Sandbox) needed() Needs {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.needs
}

const makingGit = ".fettle-git-" // and something random, while it is made

// under adds the variables that an environment does not have.
func (n Needs) under(env [][2]string) [][2]string {
	have := map[string]bool{}
	for _, kv := range env {
		have[kv[0]] = true
	}
	for k, v := range n.Env {
		if !have[k] {
			env = append(env, [2]string{k, v})
		}
	}
	return env
}

// The attendant is this very program, shown inside and started under the
// attendant's name: it makes the repository, starts the services one after
// another, runs the command, and ends with it. The command's own pipes go
// through it untouched, but for what a sealed one reads; what services say goes into none of them.
const (
	attendInside = insideParts + "/attend"
	unserved     = 125 // the attendant's status where a service is not there
	unservedMark = "fettle: what the tests need is not there: "
)

func init() {
	if len(os.Args) > 2 && os.Args[0] == attendInside {
		service.Guard() // before any foreign code: its pipes are the command's
		os.Exit(attend(os.Args[1], os.Args[2:]))
	}
}

// attending is what the attendant is told.
type attending struct {
	Needs
	Root   string // the tree
	Sealed bool   // the command is: what it reads is no service's to see
}

// attended makes a command one that is started by the attendant, and gives the
// time that this may take.
func (w *Workspace) attended(c Command) (Command, time.Duration, error) {
	n := w.box.needed()
	if !c.Needs || !n.Git && len(n.Services) == 0 {
		return c, 0, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return c, 0, fmt.Errorf("sandbox: finding our own program to start what the tests need: %w", err)
	}
	told := attending{n, "/work", c.Sealed}
	if w.box.walls.Backend == None {
		told.Root, c.attendant = w.Path(), exe
	} else {
		c.attendant = attendInside
		c.ReadOnly = append(c.ReadOnly[:len(c.ReadOnly):len(c.ReadOnly)], Mount{exe, attendInside})
	}
	data, err := json.Marshal(told)
	c.attend = []string{attendInside, string(data)}
	var most time.Duration
	for _, s := range n.Services {
		most += s.Within
	}
	return c, most, err
}

func attend(told string, argv []string) int {
	var n attending
	if err := json.Unmarshal([]byte(told), &n); err != nil {
		fmt.Fprintln(os.Stderr, unservedMark+err.Error())
		return unserved
	}
	var in io.Reader = os.Stdin
	if n.Sealed { // an ordinary user's launcher holds the same pipe open, and a service could read it there
		key, err := io.ReadAll(os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, "fettle: reading what the command is given:", err)
			return 127
		}
		in = bytes.NewReader(key)
	}
	if n.Git {
		if err := commit(n.Root); err != nil {
			fmt.Fprintln(os.Stderr, "fettle: the tree stands in no Git repository:", err)
		}
	}
	running := make([]*service.Service, len(n.Services))
	for i, s := range n.Services {
		one, err := s.start(n.Root)
		if err != nil {
			fmt.Fprintln(os.Stderr, unservedMark+err.Error())
			return unserved
		}
		defer one.End()
		running[i] = one
	}
	code := through(argv, in)
	for i, one := range running {
		if one.Dead() {
			fmt.Fprintf(os.Stderr, "fettle: the service %s ended before the tests did: %s; it said last: %s\n", n.Services[i].Name, one.How(), last(one))
		}
	}
	return code
}

// start starts the service in a fresh folder and waits for it.
func (s Service) start(root string) (*service.Service, error) {
	fresh, err := os.MkdirTemp("", s.Name+"-") // in /tmp, which is the command's own and goes with it
	if err != nil {
		return nil, fmt.Errorf("the service %s has no folder for its data: %w", s.Name, err)
	}
	cfg := service.Config{
		Argv: s.Argv, Dir: root, Env: service.Environ("TMPDIR="+fresh, fmt.Sprintf("PORT=%d", s.Port)),
		Addr: fmt.Sprintf("127.0.0.1:%d", s.Port), Path: s.Path, Ready: s.Ready, Within: s.Within,
	}
	if s.Apart {
		cfg.Dir = fresh
	}
	one, err := service.Start(cfg)
	if err != nil {
		return nil, fmt.Errorf("the service %s %w", s.Name, err)
	}
	if err := one.Wait(); err != nil {
		words := fmt.Sprintf("the service %s %v", s.Name, err)
		if said := last(one); said != "" {
			words += "; it said last: " + said
		}
		if errors.Is(err, service.ErrNotFound) {
			words += "; " + s.Cure
		}
		one.End()
		return nil, errors.New(words)
	}
	return one, nil
}

// last are the last lines that a service said.
func last(s *service.Service) string {
	lines := strings.Split(strings.TrimSpace(s.Log.Text()), "\n")
	return strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
}

const lastLines = 5

// through runs a command on this process's own output and returns its exit status,
// 128+n after signal n.
func through(argv []string, in io.Reader) int {
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx,gosec // it ends with the namespace; the command is what the sandbox is for
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		fmt.Fprintln(os.Stderr, "fettle:", err)
		return 127
	}
	if st, ok := exit.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return 128 + int(st.Signal())
	}
	return exit.ExitCode()
}

// commit makes a repository of one commit of the tree, where there is none. It
// appears whole: of two that make one, the first wins.
func commit(root string) error {
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return nil
	}
	dir, err := os.MkdirTemp(root, makingGit)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	git := filepath.Join(dir, ".git")
	const never = makingGit + "*\nnode_modules\n.venv\n"
	for _, args := range [][]string{
		{"init", "-q", "--template=", "-b", "main", dir},
		{"config", "user.name", "fettle"},
		{"config", "user.email", "fettle@localhost"},
		{"add", "-A"},
		{"commit", "-q", "--allow-empty", "--no-verify", "-m", "The tree that is tested"},
	} {
		cmd := exec.Command("git", args...) //nolint:noctx,gosec // it ends with the namespace
		cmd.Dir = root
		if args[0] != "init" {
			cmd.Env = service.Environ("GIT_DIR="+git, "GIT_WORK_TREE="+root, "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %.300s", args[0], err, out)
		}
		if args[0] == "init" {
			info := filepath.Join(git, "info")
			if err := errors.Join(os.MkdirAll(info, 0o755), os.WriteFile(filepath.Join(info, "exclude"), []byte(never), 0o644)); err != nil {
				return err
			}
		}
	}
	if err := os.Rename(git, filepath.Join(root, ".git")); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// lacking is what the attendant says of a command that it did not start, or "".
func (r Result) lacking() string {
	words, is := bytes.CutPrefix(r.Stderr, []byte(unservedMark))
	if !is || r.ExitCode != unserved {
		return ""
	}
	return strings.TrimSpace(string(words))
}
