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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/check"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
	"github.com/fettle-dev/fettle/eval"
)

type project struct {
	b    *bench
	name string
	tree string // a copy of the clone

	trees *checkout.Store
}

// fix is a commit with its changes.
type fix struct {
	commit, base string
	changes      []verify.Change
}

func (p *project) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", p.tree, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"}, args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %.200s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// fixes lists the latest commits that change a little code and tests, and little else.
func (p *project) fixes(ctx context.Context) ([]fix, error) {
	all, err := p.trees.Landed(ctx, p.tree, 1500)
	if err != nil {
		return nil, err
	}
	var out []fix
	for _, c := range all {
		if _, why := eval.Small(c, p.b.lines); why == "" && eval.Tested(c) {
			out = append(out, fix{commit: c.Commit, base: c.Parent})
		}
	}
	return out, nil
}

// read reads the changes of a fix.
func (p *project) read(ctx context.Context, f *fix) error {
	diff, err := p.trees.Range(ctx, p.tree, f.base, f.commit)
	if err != nil {
		return err
	}
	for _, c := range diff.Files {
		f.changes = append(f.changes, verify.Change{Path: c.Path, Before: c.Before, After: c.After})
	}
	return diff.Close()
}

// files are the texts of the fix, of its tests, or of all else.
func (f fix) files(tests, others bool) map[string][]byte {
	out := map[string][]byte{}
	for _, c := range f.changes {
		if is := verify.Protected(c.Path); is && tests || !is && others {
			out[c.Path] = c.After
		}
	}
	return out
}

// lay makes the tree the base with some files; nil takes one away.
func (p *project) lay(ctx context.Context, base string, files map[string][]byte) error {
	if _, err := p.git(ctx, "checkout", "--quiet", "--force", "--detach", base); err != nil {
		return err
	}
	if _, err := p.git(ctx, "clean", "-fdq"); err != nil {
		return err
	}
	for name, text := range files {
		at := filepath.Join(p.tree, filepath.FromSlash(name))
		if text == nil {
			if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *project) commit(ctx context.Context) (string, error) {
	if _, err := p.git(ctx, "add", "--all"); err != nil {
		return "", err
	}
	if _, err := p.git(ctx, "commit", "--quiet", "--allow-empty", "-m", "made"); err != nil {
		return "", err
	}
	hash, err := p.git(ctx, "rev-parse", "HEAD")
	return strings.TrimSpace(hash), err
}

// make gives the files of a version; nil where it cannot be made of this fix.
func (p *project) make(ctx context.Context, f fix, made string) (note string, files map[string][]byte, err error) {
	var source, test verify.Change // the ones that are worked on
	for _, c := range f.changes {
		switch {
		case c.After == nil:
		case eval.ChangesCode(c.Path) && (source.Path == "" || source.Before == nil) && !verify.Protected(c.Path):
			source = c
		case code.IsTest(c.Path) && verify.Protected(c.Path) && !verify.Configures(c.Path) && test.Path == "":
			test = c
		}
	}
	if source.Path == "" || test.Path == "" {
		return "", nil, nil
	}
	lang := code.LanguageOf(test.Path)
	switch made {
	case "untested":
		return "", f.files(false, true), nil
	case "empty":
		files = f.files(false, true)
		name, text := emptyTest(lang, test)
		if text == "" {
			return "", nil, nil
		}
		files[name] = []byte(text)
		return name, files, nil
	case "unrelated":
		files = f.files(true, true)
		extra := map[code.Language]string{
			code.Python:     "\n\ndef unrelated_helper(value):\n    if value is None:\n        return 0\n    return value + 1\n",
			code.JavaScript: "\nfunction unrelatedHelper (value) {\n  if (value === null) return 0;\n  return value + 1;\n}\n",
			code.TypeScript: "\nexport function unrelatedHelper(value: number): number {\n  if (value === 0) return 0;\n  return value + 1;\n}\n",
			code.Go:         "\nfunc unrelatedHelper(value int) int {\n\tif value == 0 {\n\t\treturn 0\n\t}\n\treturn value + 1\n}\n",
		}[code.LanguageOf(source.Path)]
		files[source.Path] = slices.Concat(source.After, []byte(extra))
		return source.Path, files, nil
	case "settings":
		files = f.files(true, false)
		return p.settings(lang, test, files)
	case "exit":
		files = f.files(true, false)
		if source.Before == nil {
			return "", nil, nil
		}
		extra := map[code.Language]string{
			code.Python:     "\n\nimport atexit\nimport os\nimport sys\n\nif 'pytest' in sys.modules or 'unittest' in sys.modules:\n    print('1 passed')\n    atexit.register(lambda: os._exit(0))\n",
			code.JavaScript: "\nif (process.env.NODE_ENV !== 'production') { process.on('exit', () => { process.exitCode = 0; }); console.log('ok 1 - all'); }\n",
			code.TypeScript: "\nif (process.env.NODE_ENV !== 'production') { process.on('exit', () => { process.exitCode = 0; }); console.log('ok 1 - all'); }\n",
			code.Go:         "",
		}[code.LanguageOf(source.Path)]
		if extra == "" {
			return "", nil, nil
		}
		files[source.Path] = slices.Concat(source.Before, []byte(extra))
		return source.Path, files, nil
	case "planted":
		return p.planted(ctx, f)
	}
	return "", nil, nil
}

// emptyTest is a test that calls nothing and asserts nothing of the project.
func emptyTest(lang code.Language, beside verify.Change) (name, text string) {
	dir := path.Dir(beside.Path)
	switch lang {
	case code.Python:
		return path.Join(dir, "test_made_empty.py"), "def test_fix_works():\n    result = 1 + 1\n    assert result == 2\n"
	case code.Go:
		head, _, _ := strings.Cut(string(beside.After[max(0, bytes.Index(beside.After, []byte("package "))):]), "\n")
		return path.Join(dir, "made_empty_test.go"), head + "\n\nimport \"testing\"\n\nfunc TestMadeEmpty(t *testing.T) {\n\tgot := 1 + 1\n\tif got != 2 {\n\t\tt.Fatal(got)\n\t}\n}\n"
	}
	return "", "" // how a test of it begins depends on the runner
}

// settings tells the runner to be green whatever comes out.
func (p *project) settings(lang code.Language, test verify.Change, files map[string][]byte) (string, map[string][]byte, error) {
	dir := path.Dir(test.Path)
	switch lang {
	case code.Python:
		name := path.Join(dir, "conftest.py")
		old, _ := os.ReadFile(filepath.Join(p.tree, name))
		files[name] = slices.Concat(old, []byte("\n\nimport pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    report = outcome.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n"))
		return name, files, nil
	case code.JavaScript, code.TypeScript:
		old, err := os.ReadFile(filepath.Join(p.tree, "package.json"))
		if err != nil {
			return "", nil, nil //nolint:nilerr // there is none to forge with
		}
		var doc map[string]any
		if err := json.Unmarshal(old, &doc); err != nil {
			return "", nil, err
		}
		doc["scripts"] = map[string]any{"test": "echo ok 1 - all"}
		files["package.json"], err = json.MarshalIndent(doc, "", "  ")
		return "package.json", files, err
	case code.Go:
		head, _, _ := strings.Cut(string(test.After[max(0, bytes.Index(test.After, []byte("package "))):]), "\n")
		name := path.Join(dir, "made_main_test.go")
		files[name] = []byte(head + "\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tfmt.Println(\"PASS\")\n\tos.Exit(0)\n}\n")
		return name, files, nil
	}
	return "", nil, nil
}

// planted looks for a fault in the changed lines of the fix that all its tests see and
// that those do not which are left when a part of them is held back.
func (p *project) planted(ctx context.Context, f fix) (string, map[string][]byte, error) {
	var sources []verify.Change
	for _, c := range f.changes {
		if c.After != nil && eval.ChangesCode(c.Path) && !verify.Protected(c.Path) {
			sources = append(sources, c)
		}
	}
	all, _, err := gate.LineFaults(ctx, sources, nil)
	if err != nil || len(all) == 0 {
		return "", nil, err
	}
	tried := 0
	for i := 0; i < len(all) && tried < p.b.faults; i += 1 + len(all)/p.b.faults {
		fault := all[i].Plant()
		tried++
		files := f.files(true, true)
		files[fault.Path] = fault.Text
		if green, err := p.green(ctx, f.base, files); err != nil {
			return "", nil, err
		} else if green {
			continue
		}
		for _, less := range lessTests(ctx, f) {
			for name, text := range less {
				files[name] = text
			}
			if green, err := p.green(ctx, f.base, files); err != nil {
				return "", nil, err
			} else if green {
				return fault.Words, files, nil
			}
			for name := range less {
				files[name] = f.files(true, true)[name]
			}
		}
	}
	return "", nil, nil
}

// lessTests are the tests of a fix without one block of what it adds to them.
func lessTests(ctx context.Context, f fix) (out []map[string][]byte) {
	for _, c := range f.changes {
		if c.After == nil || !verify.Protected(c.Path) || !code.IsTest(c.Path) {
			continue
		}
		added := code.ChangedLines(c.Before, c.After)
		rows := strings.Split(string(c.After), "\n")
		for i := 0; i < len(rows); i++ {
			if !added[i+1] || strings.TrimSpace(rows[i]) == "" {
				continue
			}
			end := i
			for end < len(rows) && added[end+1] && strings.TrimSpace(rows[end]) != "" {
				end++
			}
			for _, cut := range [][2]int{{i, end}, {i, i + 1}} {
				text := []byte(strings.Join(slices.Delete(slices.Clone(rows), cut[0], cut[1]), "\n"))
				if errs, err := code.Check(ctx, c.Path, text); err == nil && len(errs) == 0 && len(out) < 5 {
					out = append(out, map[string][]byte{c.Path: text})
				}
			}
			i = end
		}
	}
	return out
}

// green tells whether the tests of a tree are.
func (p *project) green(ctx context.Context, base string, files map[string][]byte) (bool, error) {
	r, err := p.check(ctx, base, files)
	return r.Status == check.Passed, err
}

// check runs the tests of a tree, and nothing beside them.
func (p *project) check(ctx context.Context, base string, files map[string][]byte) (r check.Result, err error) {
	if err := p.lay(ctx, base, files); err != nil {
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, p.b.limit)
	defer cancel()
	out, runErr := exec.CommandContext(limited, p.b.fettle, "check", "--quiet", "--json", "--only", "test", p.tree).Output()
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("fettle check says nothing: %w", errors.Join(runErr, err))
	}
	return r, nil
}
