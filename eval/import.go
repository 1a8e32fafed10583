package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Instance is a line of a file in the format of SWE-bench.
type Instance struct {
	ID        string  `json:"instance_id"`
	Repo      string  `json:"repo"`        // owner/name
	Base      string  `json:"base_commit"` // full hash
	Problem   string  `json:"problem_statement"`
	TestPatch string  `json:"test_patch"`
	Patch     string  `json:"patch"`
	Fails     testIDs `json:"FAIL_TO_PASS"`
	Passes    testIDs `json:"PASS_TO_PASS"`
}

// testIDs are ids of tests: a list, or one that stands in a string, as the sets have it.
type testIDs []string

// UnmarshalJSON reads both forms.
func (n *testIDs) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if raw = []byte(text); strings.TrimSpace(text) == "" {
			raw = []byte("[]")
		}
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("the ids of tests are neither a list nor one in a string: %w", err)
	}
	*n = list
	return nil
}

var (
	repoName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
	fullHash = regexp.MustCompile(`^[0-9a-f]{40}$`)
	plainID  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,150}$`)
)

// wrong says what an instance lacks, or "".
func (in Instance) wrong() string {
	switch {
	case !plainID.MatchString(in.ID):
		return fmt.Sprintf("instance_id %q is missing, or no name for a folder", in.ID)
	case !repoName.MatchString(in.Repo) || slices.Contains(strings.Split(in.Repo, "/"), "..") || slices.Contains(strings.Split(in.Repo, "/"), "."):
		return fmt.Sprintf("repo %q is not OWNER/NAME", in.Repo)
	case !fullHash.MatchString(in.Base):
		return fmt.Sprintf("base_commit %q is no full hash", in.Base)
	case strings.TrimSpace(in.Problem) == "":
		return "problem_statement is empty"
	case strings.TrimSpace(in.TestPatch) == "":
		return "test_patch is empty"
	case strings.TrimSpace(in.Patch) == "":
		return "patch is empty"
	case len(in.Fails) == 0:
		return "FAIL_TO_PASS names no test"
	case slices.ContainsFunc(slices.Concat(in.Fails, in.Passes), func(id string) bool { return id == "" || id[0] == '-' || strings.ContainsRune(id, 0) }):
		return "a test has no name, or one that a runner takes for an option"
	}
	return ""
}

// Instances reads a file of instances, one a line. A line that cannot be read is an
// error that names it.
func Instances(r io.Reader) (out []Instance, err error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8; a set has to be JSON, one instance a line")
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var in Instance
		if err := json.Unmarshal(line, &in); err != nil {
			return nil, fmt.Errorf("line %d: %w; a set has to be JSON, one instance a line", n, err)
		}
		if why := in.wrong(); why != "" {
			return nil, fmt.Errorf("line %d: %s", n, why)
		}
		if slices.ContainsFunc(out, func(o Instance) bool { return o.ID == in.ID }) {
			return nil, fmt.Errorf("line %d: the instance %s stands there twice", n, in.ID)
		}
		out = append(out, in)
	}
	if len(out) == 0 {
		return nil, errors.New("it holds no instance")
	}
	return out, nil
}

// Import makes cases of a set in the format of SWE-bench. The repositories are local
// clones below a folder: OWNER/NAME, OWNER__NAME, OWNER+NAME or NAME.
func (m Maker) Import(ctx context.Context, set string, all []Instance, clones string) (Made, error) {
	var jobs []job
	for _, in := range all {
		title, _, _ := strings.Cut(strings.TrimSpace(in.Problem), "\n")
		jobs = append(jobs, job{in.ID, title, func(ctx context.Context) error {
			dir := cloneOf(clones, in.Repo)
			if dir == "" {
				return &dropped{dropClone, fmt.Sprintf("there is no clone of %s below %s", in.Repo, clones)}
			}
			return m.instance(ctx, set, in, dir)
		}, in.ID})
	}
	return m.all(ctx, set, jobs, 0)
}

func cloneOf(clones, repo string) string {
	owner, name, _ := strings.Cut(repo, "/")
	for _, at := range []string{owner + "/" + name, owner + "__" + name, owner + "+" + name, name} {
		for _, ending := range []string{"", ".git"} {
			dir := filepath.Join(clones, filepath.FromSlash(at+ending))
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return dir
			}
		}
	}
	return ""
}

// instance makes a case of one.
func (m Maker) instance(ctx context.Context, set string, in Instance, dir string) (err error) {
	at, err := m.Trees.Range(ctx, dir, in.Base, in.Base)
	if err != nil {
		return &dropped{dropClone, err.Error()}
	}
	defer func() { err = errors.Join(err, at.Close()) }()
	tree, err := at.Tree(ctx)
	if err != nil {
		return err
	}
	changes, before, err := tree.Patch(ctx, in.TestPatch)
	if errors.Is(err, checkout.ErrPatch) {
		return &dropped{dropText, "test_patch: " + err.Error()}
	}
	if err != nil {
		return err
	}
	c := raw{name: in.ID, issue: strings.TrimSpace(in.Problem) + "\n", base: before, held: map[string][]byte{}, fix: in.Patch}
	var files []string
	for _, f := range changes {
		if !f.Deleted {
			c.held[f.Path] = f.Content
			files = append(files, f.Path)
		}
	}
	slices.Sort(files)
	language := ""
	for _, m := range diffed.FindAllStringSubmatch(in.Patch, -1) {
		if ChangesCode(m[1]) {
			language = string(code.LanguageOf(m[1]))
		}
	}
	c.about = map[string]any{"language": language, "class": "bug_fix", "origin": in.Repo + "@" + in.Base}
	return m.keep(ctx, set, c, func(_ context.Context, repo string) ([]string, error) { return in.command(repo, files) })
}

// command runs the tests that an instance names, by the form of their ids.
func (in Instance) command(repo string, files []string) ([]string, error) {
	ids := slices.Concat(in.Fails, in.Passes)
	every := func(is func(string) bool) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return !is(id) })
	}
	var argv []string
	switch {
	case every(func(id string) bool { file, _, _ := strings.Cut(id, "::"); return strings.HasSuffix(file, ".py") }):
		argv = pytest(repo, ids, nil)
	case every(func(id string) bool { return goTest.MatchString(id) }):
		var dirs, tests []string
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				dirs = append(dirs, "./"+strings.TrimPrefix(folder(f), "."))
			}
		}
		for _, id := range ids {
			top, _, _ := strings.Cut(id, "/")
			tests = append(tests, top)
		}
		slices.Sort(dirs)
		slices.Sort(tests)
		argv = append([]string{"go", "test", "-run", "^(" + strings.Join(slices.Compact(tests), "|") + ")$"}, slices.Compact(dirs)...)
	default:
		return nil, &dropped{dropRunner, fmt.Sprintf("its tests are named as no runner here names them, such as %q; known are FILE.py::TEST and TestName of Go", ids[0])}
	}
	if sourced(repo) && argv[0] == "python3" {
		argv = append([]string{"env", "PYTHONPATH=src"}, argv...)
	}
	return argv, nil
}

var goTest = regexp.MustCompile(`^(?:Test|Example|Fuzz)\w*(?:/.*)?$`)

// job makes one case. What keeps it from being one is a *dropped.
type job struct {
	name, title string // as it is told
	make        func(ctx context.Context) error
	made        string // the name of the case
}

// all does jobs beside each other, until there are as many cases as most says; 0: all.
func (m Maker) all(ctx context.Context, set string, jobs []job, most int) (Made, error) {
	out := Made{Set: set, Looked: len(jobs), Candidates: len(jobs), Cases: []string{}, Dropped: []Drop{}}
	var mu sync.Mutex
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(m.Jobs, 1))
	for _, j := range jobs {
		group.Go(func() error {
			mu.Lock()
			full := most > 0 && len(out.Cases) >= most
			if full {
				out.Candidates--
			}
			mu.Unlock()
			if err := within.Err(); err != nil || full {
				return err
			}
			err := j.make(within)
			mu.Lock()
			defer mu.Unlock()
			return m.count(&out, Drop{Name: j.name, Title: j.title}, j.made, err)
		})
	}
	err := group.Wait()
	slices.Sort(out.Cases)
	return out, err
}

// count adds a case or what was dropped to what was made.
func (m Maker) count(out *Made, d Drop, name string, err error) error {
	var no *dropped
	switch {
	case err == nil:
		out.Cases = append(out.Cases, name)
		m.tell("%s/%s holds", out.Set, name)
	case errors.As(err, &no):
		d.Class, d.Why = no.class, no.why
		out.drop(d)
		m.tell("%s %s: %s", out.Set, d.Name, no.class)
	default:
		return fmt.Errorf("%s %s: %w", out.Set, d.Name, err)
	}
	return nil
}

// What the folder of a case of others may be made of, by name.
var (
	beforeNames = []string{"before", "buggy", "broken", "bug", "repo"}
	afterNames  = []string{"after", "fixed", "correct", "solution"}
	testNames   = []string{"heldback", "tests", "test"}
	textNames   = []string{"issue.md", "problem.md", "description.md", "README.md", "issue.txt", "description.txt"}
)

// ImportFolders makes cases of a folder that holds a folder for each: with the program
// before and after, tests that lie over both, and a text that says what is wrong.
func (m Maker) ImportFolders(ctx context.Context, dir string, argv []string) (Made, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Made{}, err
	}
	var jobs []job
	set := filepath.Base(dir)
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		jobs = append(jobs, job{e.Name(), "", func(ctx context.Context) error { return m.folder(ctx, set, filepath.Join(dir, e.Name()), argv) }, e.Name()})
	}
	return m.all(ctx, set, jobs, 0)
}

// firstOf is the first of some names that a folder has. A link is none: whoever wrote the
// set would choose with it what is read of this machine.
func firstOf(dir string, names []string, is func(fs.FileMode) bool) string {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && is(info.Mode()) {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// folder makes a case of one.
func (m Maker) folder(ctx context.Context, set, dir string, argv []string) error {
	before, after, tests := firstOf(dir, beforeNames, fs.FileMode.IsDir), firstOf(dir, afterNames, fs.FileMode.IsDir), firstOf(dir, testNames, fs.FileMode.IsDir)
	text := firstOf(dir, textNames, fs.FileMode.IsRegular)
	for what, at := range map[string][2]string{
		"program before": {before, strings.Join(beforeNames, ", ")}, "program after": {after, strings.Join(afterNames, ", ")},
		"tests": {tests, strings.Join(testNames, ", ")}, "text that says what is wrong": {text, strings.Join(textNames, ", ")},
	} {
		if at[0] == "" {
			return &dropped{dropText, fmt.Sprintf("it has no %s: none of %s", what, at[1])}
		}
	}
	words, err := os.ReadFile(text)
	if err != nil {
		return err
	}
	was, err := contents(before)
	if err != nil {
		return err
	}
	is, err := contents(after)
	if err != nil {
		return err
	}
	c := raw{name: filepath.Base(dir), issue: strings.TrimSpace(string(words)) + "\n", base: os.DirFS(before), fix: ""}
	if c.held, err = contents(tests); err != nil {
		return err
	}
	if strings.TrimSpace(string(words)) == "" || !plainID.MatchString(c.name) {
		return &dropped{dropText, "its text is empty, or its name no name for a case"}
	}
	fixed, language := map[string][]byte{}, ""
	var changes []task.FileChange
	for _, name := range sortedKeys(was, is) {
		now, there := is[name]
		if old, ok := was[name]; ok && there && bytes.Equal(old, now) {
			continue
		}
		fixed[name] = now
		changes = append(changes, task.FileChange{Path: name, Content: now, Deleted: !there, Mode: "100644"})
		if ChangesCode(name) {
			language = cmp.Or(language, string(code.LanguageOf(name)))
		}
	}
	if len(changes) == 0 {
		return &dropped{dropText, "the programs before and after are the same"}
	}
	if c.fix, err = checkout.DiffOf(changes, func(p string) ([]byte, string, bool, error) {
		data, ok := was[p]
		return data, "100644", ok, nil
	}); err != nil {
		return err
	}
	c.about = map[string]any{"language": language, "class": "bug_fix", "origin": set + "/" + c.name}
	return m.keep(ctx, set, c, func(ctx context.Context, repo string) ([]string, error) {
		if len(argv) > 0 {
			return argv, nil
		}
		return m.command(ctx, repo, c.held, fixed)
	})
}

// contents are the regular files below a folder.
func contents(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || slices.ContainsFunc(strings.Split(name, "/"), func(p string) bool { return slices.Contains(leftovers, p) }) {
			return err
		}
		out[name], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return err
	})
	return out, err
}

func sortedKeys(all ...map[string][]byte) (out []string) {
	for _, m := range all {
		for name := range m {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
