package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/impact"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// suite is one repository at work.
type suite struct {
	b       *bench
	dir     string
	name    string
	commit  string
	commits [][]string
	tree    *detect.Tree
	cmd     detect.Command
	sandbox *sandbox.Sandbox
	box     *sandbox.Workspace // opened when it is needed
	found   found
	m       *impact.Map
}

// found is what is kept of a repository.
type found struct {
	Repo   string             `json:"repo"`
	Commit string             `json:"commit"`
	Seed   uint64             `json:"seed"`
	Wall   float64            `json:"wall"`  // seconds of the whole suite, as it is
	Start  float64            `json:"start"` // seconds of its quickest test alone
	Red    []string           `json:"red"`   // without any fault
	Faults map[string]outcome `json:"faults"`
	Ran    map[string]realRun `json:"ran"`
}

// outcome is what the whole suite said of a fault.
type outcome struct {
	Red   []string `json:"red"`             // tests that it turned red, as "file\x00id"
	Void  string   `json:"void,omitempty"`  // why it is no fault that tests could see
	Wall  float64  `json:"wall,omitempty"`  // seconds
	Files int      `json:"files,omitempty"` // 1; room for faults of several files
}

// realRun is a choice that was really run.
type realRun struct {
	Wall float64 `json:"wall"`
	Red  bool    `json:"red"`
}

func open(ctx context.Context, b *bench, dir string) (*suite, error) {
	s := &suite{b: b, dir: dir, name: filepath.Base(dir)}
	out, err := git(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	s.commit = strings.TrimSpace(out)
	if out, err = git(ctx, dir, "log", "-n", "400", "--skip=1", "--no-merges", "--name-only", "--format=%x01"); err != nil {
		return nil, err
	}
	for part := range strings.SplitSeq(out, "\x01") {
		if files := strings.Fields(part); len(files) > 0 {
			s.commits = append(s.commits, files)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if s.tree, err = detect.Scan(root.FS()); err != nil {
		return nil, err
	}
	for _, c := range s.tree.Plan().Commands {
		if c.Kind == detect.Test && (s.cmd.Name == "" || c.Dir == ".") {
			s.cmd = c
		}
	}
	if s.cmd.Name == "" {
		return nil, errors.New("no test command was found in it")
	}
	s.found = found{Repo: s.name, Commit: s.commit, Seed: b.seed, Faults: map[string]outcome{}, Ran: map[string]realRun{}}
	if data, err := os.ReadFile(s.keep()); err == nil {
		if err := json.Unmarshal(data, &s.found); err != nil {
			return nil, fmt.Errorf("read what was found before in %s: %w", s.keep(), err)
		}
	}
	return s, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.quotepath=off"}, args...)...) //nolint:gosec // the folder is the operator's own word
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

func (s *suite) keep() string {
	return filepath.Join(s.b.dir, fmt.Sprintf("%s-%.12s-%d.json", s.name, s.commit, s.b.seed))
}

// save writes what was found, whole or not at all.
func (s *suite) save() error {
	data, err := json.Marshal(s.found)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.keep()+".part", data, 0o644); err != nil {
		return err
	}
	return os.Rename(s.keep()+".part", s.keep())
}

// workspace is the copy in which everything runs.
func (s *suite) workspace(ctx context.Context) (*sandbox.Workspace, error) {
	if s.box != nil {
		return s.box, nil
	}
	whole, err := sandbox.New(ctx, sandbox.Config{StateDir: filepath.Join(s.b.dir, "sandbox")})
	if err != nil {
		return nil, err
	}
	s.sandbox = whole
	s.box, err = whole.Session().Workspace(ctx, s.dir)
	return s.box, err
}

func (s *suite) close() {
	if s.box != nil {
		_ = s.box.Close()
		s.box = nil
	}
	if s.sandbox != nil {
		_ = s.sandbox.Close()
		s.sandbox = nil
	}
}

// maxTrace bounds what a recorder may write.
const maxTrace = 256 << 20

// start runs a command in the copy.
func (s *suite) start(ctx context.Context, c detect.Command, wall time.Duration) (sandbox.Result, error) {
	box, err := s.workspace(ctx)
	if err != nil {
		return sandbox.Result{}, err
	}
	argv := make([]string, len(c.Argv))
	for i, a := range c.Argv {
		argv[i] = strings.ReplaceAll(a, "{out}", "/out")
	}
	env := map[string]string{"FORCE_COLOR": "0", "TERM": "dumb", "COLUMNS": "160", "PYTHONDONTWRITEBYTECODE": "1"}
	for k, v := range c.Env {
		env[k] = strings.ReplaceAll(v, "{out}", "/out")
	}
	return box.Run(ctx, sandbox.Command{Argv: argv, Dir: c.Dir, Env: env, Limits: sandbox.Limits{Wall: wall, OutputBytes: 32 << 20, FileBytes: maxTrace}})
}

// report reads what the suite's command printed or wrote.
func (s *suite) report(c detect.Command, res sandbox.Result) parse.Report {
	at := parse.Place{Root: "/work", Dir: c.Dir, Module: c.Module, Find: s.tree.Find}
	if c.Results != "" {
		if data, err := s.box.ReadOut(c.Results, 64<<20); err == nil {
			return parse.Read(c.Format, data, at)
		}
	}
	return parse.Read(c.Format, res.Stdout, at)
}

// record makes the map of the suite as it is, once for a commit.
func (s *suite) record(ctx context.Context) error {
	folder := impact.Folder{Dir: filepath.Join(s.b.dir, "maps"), Keep: 100}
	var err error
	if s.m, err = folder.Load(s.cmd.Tool, s.cmd.Dir, []string{s.commit}); err != nil {
		return err
	}
	if s.m == nil {
		c, ok := impact.Trace(s.cmd, 10*time.Minute)
		if !ok {
			return fmt.Errorf("the tests of %s cannot be recorded", s.cmd.Tool)
		}
		res, err := s.start(ctx, c, 12*time.Minute)
		if err != nil {
			return err
		}
		data, err := s.box.ReadOut(impact.TraceFile, maxTrace)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if s.m, err = impact.Record(s.tree, s.cmd, data); err != nil {
			return fmt.Errorf("recording: %w: status %d, %.600s%.600s", err, res.ExitCode, res.Stdout, res.Stderr)
		}
		s.m.Commit = s.commit
		if err := folder.Save(s.m); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: recorded %d tests, %d files, %.1f s, in %s\n", s.name, len(s.m.Tests), len(s.m.Files), s.m.Seconds(), res.Elapsed.Round(time.Millisecond))
	}
	if s.found.Wall == 0 {
		return s.baseline(ctx)
	}
	return nil
}

// fresh is a command whose results do not come out of Go's cache of results.
func (s *suite) fresh(c detect.Command) detect.Command {
	if c.Tool == "go test" {
		c.Argv = slices.Insert(slices.Clone(c.Argv), 2, "-count=1")
	}
	return c
}

// baseline runs the suite as it is, twice, and its quickest test alone, twice:
// the second run of each counts, when everything is built.
func (s *suite) baseline(ctx context.Context) error {
	quick := s.m.Tests[0]
	for _, t := range s.m.Tests {
		if t.Seconds < quick.Seconds {
			quick = t
		}
	}
	whole := s.fresh(s.cmd)
	one := impact.Selection{Picks: []impact.Pick{{File: quick.File, Tests: []string{quick.ID}}}}.Narrow(whole)
	for range 2 {
		res, err := s.start(ctx, whole, 10*time.Minute)
		if err != nil {
			return err
		}
		s.found.Wall = res.Elapsed.Seconds()
		s.found.Red, _ = s.red(s.report(s.cmd, res))
		if res, err = s.start(ctx, one, 10*time.Minute); err != nil {
			return err
		}
		s.found.Start = res.Elapsed.Seconds()
	}
	fmt.Fprintf(os.Stderr, "%s: the suite takes %.1f s, one test %.1f s; red without any fault: %d\n", s.name, s.found.Wall, s.found.Start, len(s.found.Red))
	return s.save()
}
