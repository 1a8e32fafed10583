package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/fettle-dev/fettle/bot/sandbox/nodepack"
)

// Kind is what is asked of fettle in a case.
type Kind string

// The kinds.
const (
	Edit   Kind = "edit"   // a change that passes the held-back tests
	Ask    Kind = "ask"    // an answer with its places, and no change
	Refuse Kind = "refuse" // no change
)

// Case is a repository, what is asked, and how the end is judged.
type Case struct {
	Suite       string   `json:"-"`
	Name        string   `json:"-"` // where it stands below its suite
	Kind        Kind     `json:"kind"`
	Language    string   `json:"language"`
	Class       string   `json:"class"`
	FaultClass  string   `json:"fault_class"` // Class, of cases with a planted fault
	TestCommand []string `json:"test_command"`
	Base        string   `json:"base"`           // a repository that several cases share: repos/BASE.txtar
	Expected    []string `json:"expected_files"` // that a change may touch, beside tests; none: those of fix.patch
	Facts       []string `json:"facts"`          // of a question: patterns that the answer has to match
	Places      []string `json:"places"`         // of a question: FILE or FILE:LINE, of which the answer has to name each
	Options     Options  `json:"options"`
	Packages    []string `json:"packages"` // of node that its tests need, installed on this machine

	files fs.FS
	base  fs.FS
}

// Options are how a case wants to be run.
type Options struct {
	Apply      string   `json:"apply"` // ready, or draft, which is the default
	UntilGreen bool     `json:"fix_until_green"`
	WithTests  bool     `json:"with_tests"`
	MaxSteps   int      `json:"max_steps"`
	MaxSeconds int      `json:"max_seconds"`
	MaxCost    float64  `json:"max_cost"`
	Scope      []string `json:"scope"`
}

// Suite is a set of cases.
type Suite struct {
	Name  string
	Cases []Case
}

// What a case is made of.
const (
	caseFile = "case.json"
	issue    = "issue.md"
	repoDir  = "repo"
	heldDir  = "heldback"
	faults   = "faults" // folders that each break a right program: a change that adds tests has to notice each
	fixFile  = "fix.patch"
	reposDir = "repos"
	archive  = ".txtar"
)

// Suites lists the suites below a folder.
func Suites(root string) ([]Suite, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("looking for suites: %w; give their folder with --cases", err)
	}
	var out []Suite
	for _, e := range entries {
		if !e.IsDir() || e.Name() == reposDir {
			continue
		}
		cases, err := Load(filepath.Join(root, e.Name()))
		if err != nil {
			return nil, err
		}
		if len(cases) > 0 {
			out = append(out, Suite{e.Name(), cases})
		}
	}
	return out, nil
}

// Load reads the cases below a folder, or the one that it is: folders with a
// case.json, and archives that hold the same.
func Load(root string) (cases []Case, err error) {
	suite := filepath.Base(root)
	add := func(name string, files fs.FS) error {
		c, err := read(files)
		if err != nil {
			return fmt.Errorf("case %s: %w", name, err)
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		c.Suite, c.Name = suite, filepath.ToSlash(strings.TrimSuffix(rel, archive))
		if c.Name == "." {
			c.Suite, c.Name = filepath.Base(filepath.Dir(root)), strings.TrimSuffix(suite, archive)
		}
		if c.Base != "" {
			if c.base, err = unpack(filepath.Join(filepath.Dir(root), reposDir, c.Base+archive)); err != nil {
				return fmt.Errorf("case %s: %w", name, err)
			}
		}
		cases = append(cases, c)
		return nil
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == caseFile && !d.IsDir():
			if err := add(filepath.Dir(name), os.DirFS(filepath.Dir(name))); err != nil {
				return err
			}
			return fs.SkipDir
		case d.Name() == repoDir && d.IsDir():
			return fs.SkipDir
		case strings.HasSuffix(name, archive):
			files, err := unpack(name)
			if err != nil {
				return err
			}
			return add(name, files)
		}
		return nil
	})
	slices.SortFunc(cases, func(a, b Case) int { return cmp.Compare(path.Base(a.Name), path.Base(b.Name)) })
	return cases, err
}

func unpack(name string) (fs.FS, error) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		return nil, err
	}
	return txtar.FS(a)
}

func read(files fs.FS) (c Case, err error) {
	raw, err := fs.ReadFile(files, caseFile)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("%s: %w", caseFile, err)
	}
	c.files, c.Kind, c.Class = files, cmp.Or(c.Kind, Edit), cmp.Or(c.Class, c.FaultClass)
	for _, name := range c.Packages {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return c, fmt.Errorf("%s: %q is no package", caseFile, name)
		}
	}
	if c.Kind != Ask && len(c.TestCommand) == 0 {
		return c, errors.New(caseFile + " has no test_command")
	}
	return c, nil
}

// Issue is what is asked, in a user's words.
func (c Case) Issue() (string, error) {
	text, err := fs.ReadFile(c.files, issue)
	return string(text), err
}

// Installed is where packages of node are looked for that cases need: a node_modules.
// make setup-runners fills it.
var Installed = filepath.Join(".tools", "runners", "node_modules")

// Lacks is what this machine does not have of what the case needs, or "".
func (c Case) Lacks() string {
	for _, name := range c.Packages {
		if _, err := os.Stat(filepath.Join(Installed, filepath.FromSlash(name), "package.json")); err != nil {
			return fmt.Sprintf("%s is not installed in %s (make setup-runners does it)", name, Installed)
		}
	}
	return ""
}

// Lay writes the repository into a folder.
func (c Case) Lay(dir string) error {
	if len(c.Packages) > 0 && c.Lacks() == "" { // else it is not run
		if err := nodepack.Lay(Installed, dir, c.Packages...); err != nil {
			return err
		}
	}
	if c.base != nil {
		if err := copyFolder(c.base, ".", dir); err != nil {
			return err
		}
	}
	return copyFolder(c.files, repoDir, dir)
}

// Faults are the names of the faults that new tests have to notice.
func (c Case) Faults() []string {
	entries, _ := fs.ReadDir(c.files, faults) // a case without them has none
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// fix is the reference answer, as a unified diff.
func (c Case) fix() ([]byte, error) { return fs.ReadFile(c.files, fixFile) }

var diffed = regexp.MustCompile(`(?m)^\+\+\+ (?:b/|repo/)?(\S+)`)

// expected are the files that a change may touch.
func (c Case) expected() []string {
	if len(c.Expected) > 0 {
		return c.Expected
	}
	text, _ := c.fix() // without one nothing is known of it
	var out []string
	for _, m := range diffed.FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// copyFolder copies a folder of files into a tree; that it is missing is no fault.
func copyFolder(from fs.FS, sub, to string) error {
	err := fs.WalkDir(from, sub, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(name, sub+"/")
		target := filepath.Join(to, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
