package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// plain is the backend "none": a copy of the tree and a clean environment, and
// nothing else between the payload and the host.
type plain struct{}

type exposed struct {
	cmd  *exec.Cmd
	mark string // environment entry by which the run's processes are found again
	home string
}

// launch implements backend.
func (plain) launch(_ context.Context, w *Workspace, c Command, _ Limits, io stdio) (running, error) {
	if c.Setup != nil {
		return nil, ErrNoSetup
	}
	home, err := os.MkdirTemp(w.dir, "tmp-")
	if err != nil {
		return nil, fmt.Errorf("sandbox: making a home: %w", err)
	}
	path, err := lookIn(w.box.tools.path(), c.Argv[0])
	if err != nil {
		return nil, err
	}
	argv := append(c.attend, c.Argv...)
	if c.attendant != "" {
		path, argv[len(c.attend)] = c.attendant, path
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Dir: filepath.Join(w.Path(), c.Dir), Env: []string{},
		Stdin: io.in, Stdout: io.out, Stderr: io.err, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, WaitDelay: time.Second}
	for _, kv := range w.environment(c) {
		switch kv[0] {
		case "HOME", "TMPDIR", "GOPATH":
			kv[1] = home
		case "GOCACHE":
			kv[1] = filepath.Join(w.box.state, "none-go-build")
		case "CARGO_TARGET_DIR", "CCACHE_DIR":
			kv[1] = filepath.Join(home, kv[0])
		case "GOMODCACHE", "CARGO_HOME", "MAVEN_OPTS", "MAVEN_USER_HOME", "GRADLE_OPTS", "GRADLE_RO_DEP_CACHE", "PHPRC", "PHP_INI_SCAN_DIR":
			continue
		}
		cmd.Env = append(cmd.Env, kv[0]+"="+kv[1])
	}
	if len(c.ReadOnly) > 0 {
		return nil, errors.New("sandbox: the backend none cannot show files at another place")
	}
	mark := "FETTLE_SANDBOX_RUN=" + nonce()
	cmd.Env = append(cmd.Env, mark)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: starting %s: %w", c.Argv[0], err)
	}
	return &exposed{cmd: cmd, mark: mark, home: home}, nil
}

func lookIn(dirs []string, name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	for _, d := range dirs {
		p := filepath.Join(d, name)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("sandbox: %s is not in %v", name, dirs)
}

func (e *exposed) wait() (int, error) {
	err := e.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -1, fmt.Errorf("sandbox: waiting for the command: %w", err)
	}
	if st, ok := e.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return 128 + int(st.Signal()), nil
	}
	return e.cmd.ProcessState.ExitCode(), nil
}

// kill ends the process group, and what left it: without a pid namespace the
// only mark that a daemon keeps is its environment.
func (e *exposed) kill() {
	_ = syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)
	for range 20 {
		if e.killMarked() == 0 {
			return
		}
	}
}

func (e *exposed) killMarked() (found int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(e.mark)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			found++
		}
	}
	return found
}

func (e *exposed) watch(bool) breach { return breach{} }
func (e *exposed) release()          { _ = os.RemoveAll(e.home) }

// workspace implements backend.
func (plain) workspace(box *Sandbox, _ int64, fill func(*Workspace) error) (*Workspace, error) {
	dir, lock, err := newBox(box.state)
	if err != nil {
		return nil, err
	}
	w := &Workspace{dir: dir, owner: -1, drop: func() error { return dropBox(dir, lock) }}
	for _, sub := range []string{"work", "out"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	if err == nil {
		err = fill(w)
	}
	if err != nil {
		_ = w.drop()
		return nil, err
	}
	return w, nil
}

func (plain) close() {}
