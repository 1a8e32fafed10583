// Package sandboxtest runs a test binary once more under other circumstances:
// as an ordinary user, and with the walls of the sandbox taken away. In go the
// names of tests; out come their outputs and whether they passed. It also lets
// tests with state folders of their own share one warm build cache. It is for
// tests only and must not be imported by anything else.
package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"
)

// Backend is the environment variable that names the backend which tests take
// for theirs: empty, or "none" to see them fail.
const Backend = "FETTLE_TEST_SANDBOX"

// nobody is the uid and gid of a user who owns nothing.
const nobody = 65534

// Patience bounds a run of a whole suite.
const Patience = 8 * time.Minute

// AsOrdinaryUser runs the tests of the calling test's own binary whose names
// match pattern, with env on top of a small environment, and returns what they
// said. Started as root it does so as another user; then the binary and the
// package's testdata are copied to where that user can read them. An error is
// the child's exit status.
func AsOrdinaryUser(t *testing.T, pattern string, env ...string) (string, error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "fettle-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := furnish(dir, exe); err != nil {
		t.Fatalf("preparing a folder for an ordinary user: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "tests"), "-test.run", pattern, "-test.v", "-test.timeout", Patience.String(), fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Dir = dir
	tmp := filepath.Join(dir, "tmp")
	cmd.Env = append([]string{"HOME=" + tmp, "TMPDIR=" + tmp, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("SKIPPED: this machine does not let us start a program as uid %d: %v", nobody, err)
	}
	return string(out), err
}

// furnish copies what the child needs into a folder that everybody may enter.
func furnish(dir, exe string) error {
	tmp := filepath.Join(dir, "tmp")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(tmp, 0o700)); err != nil {
		return err
	}
	if err := lend(tmp); err != nil {
		return err
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "tests"), data, 0o755); err != nil { //nolint:gosec // another user is to execute it
		return err
	}
	if _, err := os.Stat("testdata"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return readable(filepath.Join(dir, "testdata"), "testdata")
}

// warmName is the folder of Go's compiled packages for a payload's uid; an ordinary
// user's payloads have none of their own.
var warmName = regexp.MustCompile(`^(go-.+)-\d+-(v\d+)$`)

// lend copies what is compiled once per machine, Go's own packages and the parser
// modules, to where the child looks for it. Without it the child compiles them again.
func lend(tmp string) error {
	copies := map[string]string{}
	warm := filepath.Join(os.TempDir(), fmt.Sprintf("fettle-sandbox-%d", os.Getuid()), "warm")
	if kept, err := os.ReadDir(warm); err == nil {
		for _, e := range kept {
			if m := warmName.FindStringSubmatch(e.Name()); m != nil {
				copies[filepath.Join(warm, e.Name())] = filepath.Join(tmp, fmt.Sprintf("fettle-sandbox-%d", nobody), "warm", m[1]+"--1-"+m[2])
			}
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		copies[filepath.Join(cache, "fettle", "wasm")] = filepath.Join(tmp, ".cache", "fettle", "wasm")
	}
	for from, to := range copies {
		if _, err := os.Stat(from); err != nil {
			continue // compiled by no process yet
		}
		if err := errors.Join(os.MkdirAll(to, 0o700), os.CopyFS(to, os.DirFS(from))); err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(tmp, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody) //nolint:gosec // a folder that nobody else writes, and no link is followed
	})
}

// readable copies a tree with modes that let everybody read it.
func readable(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return err
		}
		return os.Chmod(path, 0o755) //nolint:gosec // another user is to read it
	})
}

var verdict = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\w+)`)

// Verdicts are the names of the tests, not their parts, that passed, failed and
// were skipped in an output of go test -v, sorted.
func Verdicts(out string) (passed, failed, skipped []string) {
	for _, m := range verdict.FindAllStringSubmatch(out, -1) {
		to := map[string]*[]string{"PASS": &passed, "FAIL": &failed, "SKIP": &skipped}[m[1]]
		*to = append(*to, m[2])
	}
	for _, l := range [][]string{passed, failed, skipped} {
		slices.Sort(l)
	}
	return passed, failed, skipped
}

// Pass runs the tests as an ordinary user and fails unless all of them pass,
// and at least one does. Where the caller is an ordinary user already they have
// run.
func Pass(t *testing.T, pattern string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: the tests run as an ordinary user already")
	}
	if os.Getenv(Backend) != "" {
		t.Skipf("SKIPPED: %s is set", Backend)
	}
	out, err := AsOrdinaryUser(t, pattern)
	passed, failed, skipped := Verdicts(out)
	if err != nil || len(passed) == 0 || len(failed) > 0 {
		t.Errorf("as uid %d: %v, failed %v\n%s", nobody, err, failed, out)
	}
	t.Logf("as uid %d passed: %v", nobody, passed)
	if len(skipped) > 0 {
		t.Logf("as uid %d skipped: %v", nobody, skipped)
	}
}
