// Package detect finds out how a repository is built, checked and tested (SPEC
// C2). In goes a tree to read; out comes a plan: commands with their folder,
// the format of what they print, the tools that they need, and the reason for
// each. It reads configuration as advice from strangers: what it finds is run
// in the sandbox only, and it never runs anything itself.
package detect

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// Kind is what a command is for, in the order in which they are run.
type Kind string

// The kinds.
const (
	Build Kind = "build"
	Lint  Kind = "lint"
	Types Kind = "types"
	Test  Kind = "test"
)

// Order is the position of a kind in the pipeline.
func (k Kind) Order() int { return slices.Index([]Kind{Build, Lint, Types, Test}, k) }

// Need is a tool that has to be there.
type Need struct {
	Program string `json:"program,omitempty"` // an executable of the PATH, or a file of the tree with a slash
	Module  string `json:"module,omitempty"`  // a module that the command's Python can import
	Python  string `json:"python,omitempty"`  // that Python
	Install string `json:"install"`           // what to do when it is missing
}

// Command is one check of a repository.
type Command struct {
	Name     string            `json:"name"` // unique in a plan: "pytest", "eslint in web"
	Kind     Kind              `json:"kind"`
	Tool     string            `json:"tool"`
	Dir      string            `json:"dir"`  // slash-separated, "." for the root
	Argv     []string          `json:"argv"` // {out} stands for a folder for results outside the tree
	Env      map[string]string `json:"env,omitempty"`
	Typed    string            `json:"typed"` // what a person types in Dir for the same
	Own      []string          `json:"-"`     // the repository's own words, where they are known: variables, program, arguments
	Or       string            `json:"-"`     // another tool that runs the same tests, where this one is not there
	Format   parse.Format      `json:"format,omitempty"`
	Results  string            `json:"results,omitempty"` // file in {out}, or pattern of files in Dir, that holds the result; empty: what is printed
	Module   string            `json:"module,omitempty"`  // Go: module path
	Needs    []Need            `json:"needs,omitempty"`
	Required bool              `json:"required"`
	Declared bool              `json:"declared,omitempty"` // the repository's own file names it
	Why      string            `json:"why"`
	Files    []string          `json:"-"` // test files, from the root, where they are known
}

// Plan is how a repository is checked.
type Plan struct {
	Commands []Command `json:"commands"`
	Setup    []string  `json:"setup,omitempty"`    // what would install its dependencies
	Notes    []string  `json:"notes,omitempty"`    // what was seen and is not covered
	Unknown  []string  `json:"-"`                  // build systems that are not covered: "mix.exs (Elixir)"
	Wants    []Want    `json:"wants,omitempty"`    // versions of interpreters
	Services []string  `json:"services,omitempty"` // of settings.ServiceKinds, that its own files start for the tests
}

// Tests tells whether the plan runs any tests.
func (p Plan) Tests() bool {
	return slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Kind == Test })
}

// Tree is a list of the regular files of a tree, without what is installed,
// built or vendored, and a way to read them.
type Tree struct {
	fsys  fs.FS
	Files []string // slash-separated, sorted
	have  map[string]bool
	cache map[string]string
}

const (
	maxSource = 512 << 10
	maxFiles  = 200_000
)

// Ignored tells whether a file lies in a folder that Scan leaves out.
func Ignored(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), code.Foreign)
}

// Scan lists the files of a tree. A folder that cannot be read is left out.
func Scan(fsys fs.FS) (*Tree, error) {
	t := &Tree{fsys: fsys, have: map[string]bool{}, cache: map[string]string{}}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && p != "." && code.Foreign(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && len(t.Files) < maxFiles:
			t.Files = append(t.Files, p)
			t.have[p] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking at the tree: %w", err)
	}
	sort.Strings(t.Files)
	return t, nil
}

// Has tells whether the tree has a regular file of that name.
func (t *Tree) Has(p string) bool { return t.have[p] }

// Read gives at most 512 KiB of a file, nothing when it cannot be read.
func (t *Tree) Read(p string) string {
	if text, ok := t.cache[p]; ok {
		return text
	}
	f, err := t.fsys.Open(p)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return ""
	}
	text := strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff")
	if len(data) < 64<<10 {
		t.cache[p] = text
	}
	return text
}

// installed tells whether something is there that Scan leaves out, such as a
// program below node_modules/.bin, without following links out of the tree.
func (t *Tree) installed(p string) bool {
	entries, err := fs.ReadDir(t.fsys, path.Dir(p))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == path.Base(p) })
}

// Nearest is the closest folder at or above p that has one of the files; ok is
// false when none has.
func (t *Tree) Nearest(p string, markers ...string) (dir string, ok bool) {
	for d := path.Dir(p); ; d = path.Dir(d) {
		for _, m := range markers {
			if t.have[path.Join(d, m)] {
				return d, true
			}
		}
		if d == "." || d == "/" {
			return ".", false
		}
	}
}

// Within tells whether a path of the tree lies below one of its folders.
func Within(p, dir string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// From is a path of the tree as it is seen from one of its folders.
func From(dir, p string) string {
	if dir == "." || dir == "" {
		return p
	}
	return strings.TrimPrefix(p, dir+"/")
}

// Under lists the files in dir and below, but not in the folders of except.
func (t *Tree) Under(dir string, except []string) []string {
	var out []string
	for _, f := range t.Files {
		if Within(f, dir) && !slices.ContainsFunc(except, func(e string) bool { return Within(f, e) }) {
			out = append(out, f)
		}
	}
	return out
}

// Find resolves the end of a path to the shortest file of the tree that ends so.
func (t *Tree) Find(suffix string) string {
	if t.have[suffix] {
		return suffix
	}
	best := ""
	for _, f := range t.Files {
		if strings.HasSuffix(f, "/"+suffix) && (best == "" || len(f) < len(best)) {
			best = f
		}
	}
	return best
}

// Detect makes the plan of a tree. It never fails on what files say: what it
// cannot understand is a note.
func Detect(fsys fs.FS) (Plan, error) {
	t, err := Scan(fsys)
	if err != nil {
		return Plan{}, err
	}
	p := t.Plan()
	p.Notes, p.Services = append(p.Notes, t.Absent()...), t.services()
	return p, nil
}

// Plan makes the plan of a scanned tree.
func (t *Tree) Plan() Plan {
	var p Plan
	t.python(&p)
	t.node(&p)
	t.golang(&p)
	t.rust(&p)
	t.java(&p)
	t.php(&p)
	t.cmake(&p)
	t.ruby(&p)
	t.make(&p)
	t.others(&p)
	t.faults(&p, "pyproject.toml", "go.work", "Cargo.toml", "ruff.toml", ".ruff.toml", "tox.toml")
	names := map[string]int{}
	for i := range p.Commands {
		c := &p.Commands[i]
		c.Required = true
		if c.Name = c.Tool; c.Dir != "." {
			c.Name += " in " + c.Dir
		}
		if names[c.Name]++; names[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s %d", c.Name, names[c.Name])
		}
	}
	p.sort()
	p.Setup = unique(p.Setup)
	return p
}

func (p *Plan) sort() {
	sort.SliceStable(p.Commands, func(i, j int) bool {
		a, b := p.Commands[i], p.Commands[j]
		if a.Kind != b.Kind {
			return a.Kind.Order() < b.Kind.Order()
		}
		return a.Dir < b.Dir
	})
}

func unique(in []string) []string {
	var out []string
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Declared replaces what was detected by what a repository's own file says:
// where it names checks, those and no others are run. They run in a shell at
// the root; what they print is recognised.
func (p Plan) Declared(checks []settings.Check) Plan {
	if len(checks) == 0 {
		return p
	}
	out := Plan{Setup: p.Setup, Notes: p.Notes, Wants: p.Wants, Services: p.Services}
	for _, c := range checks {
		tool, kind := Classify(c.Run)
		if tool == "shell" && kind == Build {
			_, kind = Classify(c.Name)
		}
		if c.Format != "" {
			kind = Test
		}
		out.Commands = append(out.Commands, Command{
			Name: c.Name, Kind: kind, Tool: tool, Dir: ".", Argv: []string{"sh", "-c", c.Run}, Typed: c.Run, Required: c.Required, Declared: true,
			Format: parse.Format(c.Format), Results: c.Report,
			Why: settings.RepoFile + " names it",
		})
	}
	out.sort()
	return out
}

var known = []struct {
	tool string
	kind Kind
	says []string
}{
	{"pytest", Test, []string{"pytest", "py.test"}}, {"unittest", Test, []string{"-m unittest", "manage.py test"}},
	{"tox", Test, []string{"tox"}}, {"nox", Test, []string{"nox"}},
	{"jest", Test, []string{"jest"}}, {"vitest", Test, []string{"vitest"}}, {"mocha", Test, []string{"mocha"}}, {"node", Test, []string{"node --test"}},
	{"golangci-lint", Lint, []string{"golangci-lint"}}, {"staticcheck", Lint, []string{"staticcheck"}}, {"go vet", Lint, []string{"go vet"}},
	{"go test", Test, []string{"go test", "gotestsum"}}, {"go build", Build, []string{"go build"}},
	{"ruff", Lint, []string{"ruff"}}, {"flake8", Lint, []string{"flake8"}}, {"pylint", Lint, []string{"pylint"}}, {"black", Lint, []string{"black"}},
	{"mypy", Types, []string{"mypy"}}, {"pyright", Types, []string{"pyright"}}, {"tsc", Types, []string{"tsc"}},
	{"eslint", Lint, []string{"eslint"}}, {"biome", Lint, []string{"biome"}}, {"prettier", Lint, []string{"prettier"}},
	{"clippy", Lint, []string{"cargo clippy"}}, {"cargo", Test, []string{"cargo test", "cargo nextest"}}, {"cargo", Build, []string{"cargo build", "cargo check"}},
	{"rspec", Test, []string{"rspec"}}, {"minitest", Test, []string{"rails test", "rake test"}}, {"phpunit", Test, []string{"phpunit"}},
	{"rubocop", Lint, []string{"rubocop"}}, {"phpstan", Types, []string{"phpstan"}},
	{"maven", Test, []string{"mvn test", "mvn verify", "mvnw test", "mvnw verify"}}, {"gradle", Test, []string{"gradle test", "gradlew test", "gradlew check"}}, {"ctest", Test, []string{"ctest"}},
}

// Classify guesses tool and kind of a command line; what is unknown is a test
// when it says so, else a build.
func Classify(run string) (tool string, kind Kind) {
	for _, k := range known {
		for _, s := range k.says {
			if hasWords(run, s) {
				return k.tool, k.kind
			}
		}
	}
	for _, w := range []struct {
		word string
		kind Kind
	}{{"lint", Lint}, {"typecheck", Types}, {"types", Types}, {"test", Test}, {"tests", Test}, {"check", Test}} {
		if hasWords(run, w.word) {
			return "shell", w.kind
		}
	}
	return "shell", Build
}

// hasWords tells whether words stand in s as words.
func hasWords(s, words string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], words)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(words)
		if (i == 0 || strings.ContainsRune(" \t;&|(/:\"'", rune(s[i-1]))) && (end == len(s) || strings.ContainsRune(" \t;&|):\"'", rune(s[end]))) {
			return true
		}
		at = end
	}
}

// InDir tells whether one of the folders above p has one of the names.
func InDir(p string, names ...string) bool {
	parts := strings.Split(p, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(s string) bool { return slices.Contains(names, s) })
}
