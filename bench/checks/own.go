package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

//go:embed report
var reporters embed.FS

// outcome is what one way of running a project's tests said.
type outcome struct {
	failed []string // ids without suite and folder, sorted
	passed int
	took   time.Duration
}

// own is how a project's tests are run by its own command: with a reporter of
// this bench that writes ids, so that neither fettle's runner nor any of its
// parsers has a part in it.
type own struct {
	runner string
	argv   []string // {report} stands for the folder of reporters
	env    []string
}

// unnamed stands for a command that failed and named no test, such as mocha
// where a file cannot be loaded.
const unnamed = "(no test is named)"

var errNoCommand = errors.New("no command is known for this folder; give one of pytest, unittest, go, node, mocha, jest, vitest as DIR=RUNNER")

// ownCommand is the project's own command. The runner is given, or told by the
// manifest: go.mod, the dependencies of package.json, else pytest.
func ownCommand(dir, runner string) (own, error) {
	have := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	manifest, err := os.ReadFile(filepath.Join(dir, "package.json"))
	switch {
	case runner != "":
	case have("go.mod"):
		runner = "go"
	case err == nil:
		runner = scriptRunner(string(manifest))
	default:
		runner = "pytest"
	}
	known := map[string]own{
		"pytest":   {argv: []string{"python3", "-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "fettle_bench_report", "-p", "no:cacheprovider"}, env: []string{"PYTHONPATH={report}" + src(have("src"))}},
		"unittest": {argv: []string{"python3", "{report}/unit.py", "discover"}},
		"go":       {argv: []string{"go", "test", "-json", "./..."}, env: []string{"GOPROXY=off"}},
		"node":     {argv: []string{"node", "--test", "--test-reporter={report}/node.mjs"}},
		"mocha":    {argv: []string{"npm", "test", "--silent", "--", "--reporter", "{report}/mocha.cjs"}},
		"jest":     {argv: []string{"npm", "test", "--silent", "--", "--ci", "--reporters={report}/jest.cjs"}, env: []string{"CI=1"}},
		"vitest":   {argv: []string{"npx", "vitest", "run", "--reporter={report}/vitest.mjs"}, env: []string{"CI=1"}},
	}
	o, ok := known[runner]
	if !ok {
		return own{}, errNoCommand
	}
	o.runner = runner
	return o, nil
}

func src(have bool) string {
	if have {
		return ":src"
	}
	return ""
}

// scriptRunner reads the runner out of a package.json.
func scriptRunner(manifest string) string {
	var pkg struct {
		Scripts         map[string]string `json:"scripts"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if json.Unmarshal([]byte(manifest), &pkg) != nil {
		return ""
	}
	for _, r := range []string{"vitest", "mocha", "jest"} {
		if strings.Contains(pkg.Scripts["test"], r) || pkg.DevDependencies[r] != "" {
			return r
		}
	}
	if pkg.DevDependencies["kcd-scripts"] != "" {
		return "jest"
	}
	return "node"
}

// run runs the command in dir, a copy that it may litter, with a limit of time
// and in a process group of its own that is killed at the end.
func (o own) run(ctx context.Context, dir, reports string, limit time.Duration) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fill := func(s string) string { return strings.ReplaceAll(s, "{report}", reports) }
	argv := []string{"-c", `ulimit -t 900 -n 4096 -f 2000000; exec "$@"`, "sh"}
	for _, a := range o.argv {
		argv = append(argv, fill(a))
	}
	lines := filepath.Join(dir, "..", "own.jsonl")
	if err := os.WriteFile(lines, nil, 0o600); err != nil {
		return outcome{}, err
	}
	cmd := exec.CommandContext(ctx, "sh", argv...)
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = append(os.Environ(), "CHECKS_OUT="+lines, "NO_COLOR=1")
	for _, e := range o.env {
		cmd.Env = append(cmd.Env, fill(e))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	took := time.Since(begun)
	if ctx.Err() != nil {
		return outcome{}, fmt.Errorf("%s did not end within %s", strings.Join(o.argv, " "), limit)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, fmt.Errorf("starting %s: %w", strings.Join(o.argv, " "), err)
	}
	var out outcome
	if o.runner == "go" {
		out = goEvents(stdout.Bytes(), modulePath(dir))
	} else if out, err = ids(lines); err != nil {
		return outcome{}, err
	}
	out.took = took
	if exit != nil && len(out.failed) == 0 {
		out.failed = []string{unnamed}
	}
	return out, nil
}

// ids reads the reporters' lines; of a test seen twice a failure counts.
func ids(file string) (outcome, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return outcome{}, err
	}
	status := map[string]string{}
	for line := range strings.Lines(string(data)) {
		var r struct{ ID, Status string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return outcome{}, fmt.Errorf("reading a reporter's line: %w", err)
		}
		if status[r.ID] != "failed" {
			status[r.ID] = r.Status
		}
	}
	return counted(status), nil
}

func counted(status map[string]string) outcome {
	var out outcome
	for id, s := range status {
		switch s {
		case "failed":
			out.failed = append(out.failed, id)
		case "passed":
			out.passed++
		}
	}
	slices.Sort(out.failed)
	return out
}

// goEvents reads `go test -json`: ids are "package folder:Test/sub", or the
// folder alone for a package that failed without a failed test.
func goEvents(data []byte, module string) outcome {
	status, red := map[string]string{}, map[string]bool{}
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 16<<20)
	var failed []string
	for in.Scan() {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(in.Bytes(), &e) != nil || e.Package == "" {
			continue
		}
		folder := strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/")
		if folder == "" {
			folder = "."
		}
		switch {
		case e.Test != "" && (e.Action == "fail" || e.Action == "pass"):
			status[folder+":"+e.Test] = map[string]string{"fail": "failed", "pass": "passed"}[e.Action]
			red[folder] = red[folder] || e.Action == "fail"
		case e.Test == "" && e.Action == "fail":
			failed = append(failed, folder)
		}
	}
	for _, folder := range failed {
		if !red[folder] {
			status[folder] = "failed"
		}
	}
	return counted(status)
}

func modulePath(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(rest), `"`)
		}
	}
	return ""
}
