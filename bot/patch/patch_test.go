package patch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

const calc = `"""A small calculator."""
import math


def add(a, b):
    return a - b


class Shop:
    tax = 0.2

    def total(self, items):
        return sum(items)

    def gross(self, items):
        return self.total(items) * (1 + self.tax)


def area(r):
    return math.pi * r
`

// tree makes a folder of files.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// id finds a region's id by its qualified name.
func id(t testing.TB, path, src, name string) string {
	t.Helper()
	regions, err := code.Regions(context.Background(), path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range regions {
		if r.QualifiedName == name {
			return r.ID
		}
	}
	t.Fatalf("%s has no region %q", path, name)
	return ""
}

func one(kind task.EditKind, path, region, text string) task.Patch {
	return task.Patch{Edits: []task.Edit{{Kind: kind, Path: path, Region: region, Code: text}}}
}

// picture is every file below a folder with kind, mode and bytes.
func picture(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(p)
			text += target
		} else if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text += string(data)
		}
		out[p] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func unchanged(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Fatalf("%s: %s is %q, want %q", what, name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s: %s is new", what, name)
		}
	}
}

func TestE2OtherBytesStay(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"lf": calc, "crlf": strings.ReplaceAll(calc, "\n", "\r\n"), "no final newline": strings.TrimSuffix(calc, "\n"), "bom": "\ufeff" + calc,
	} {
		dir := tree(t, map[string]string{"calc.py": src})
		a, err := Apply(t.Context(), dir, one(task.EditReplace, "calc.py", id(t, "calc.py", src, "add"), "def add(a, b):\n    return a + b\n"), Guard{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := read(t, dir, "calc.py"), strings.Replace(src, "a - b", "a + b", 1); got != want {
			t.Errorf("%s: got %q", name, got)
		}
		if len(a.Regions) != 1 || a.Regions[0].Name != "add" || a.Regions[0].ResolvedBy != "id" || !slices.Equal(a.Paths, []string{"calc.py"}) {
			t.Errorf("%s: regions %+v", name, a.Regions)
		}
		if err := a.Rollback(); err != nil || read(t, dir, "calc.py") != src {
			t.Errorf("%s: rollback: %v", name, err)
		}
	}
}

func TestSeveralEditsOfOneFileApplyToTheOriginal(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"calc.py": calc})
	p := task.Patch{Edits: []task.Edit{
		{Kind: task.EditReplace, Path: "calc.py", Region: id(t, "calc.py", calc, "area"), Code: "def area(r):\n    return math.pi * r * r"},
		{Kind: task.EditDelete, Path: "calc.py", Region: id(t, "calc.py", calc, "Shop.gross")},
		{Kind: task.EditInsert, Path: "calc.py", Region: id(t, "calc.py", calc, "add"), Code: "def sub(a, b):\n    return a - b"},
		{Kind: task.EditReplace, Path: "calc.py", Region: id(t, "calc.py", calc, "add"), Code: "def add(a, b):\n    return a + b"},
		{Kind: task.EditCreate, Path: "new/test_calc.py", Code: "def test_add():\n    assert True\n"},
	}}
	before := picture(t, dir)
	a, err := Apply(t.Context(), dir, p, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(calc, "    return a - b\n", "    return a + b\n\n\ndef sub(a, b):\n    return a - b\n", 1)
	want = strings.Replace(want, "math.pi * r", "math.pi * r * r", 1)
	want = strings.Replace(want, "    def gross(self, items):\n        return self.total(items) * (1 + self.tax)\n", "", 1)
	squash := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if got := read(t, dir, "calc.py"); squash(got) != squash(want) {
		t.Errorf("got\n%s", got)
	}
	if read(t, dir, "new/test_calc.py") == "" || len(a.Paths) != 2 || len(a.Regions) != 5 {
		t.Errorf("applied: %+v", a)
	}
	if err := a.Rollback(); err != nil {
		t.Fatal(err)
	}
	unchanged(t, "after Rollback", picture(t, dir), before)
	if err := a.Rollback(); err != nil {
		t.Errorf("a second Rollback: %v", err)
	}
}

func TestE4AndE5RefusalsSayWhyAndWriteNothing(t *testing.T) {
	t.Parallel()
	add := id(t, "calc.py", calc, "add")
	shop := id(t, "calc.py", calc, "Shop")
	total := id(t, "calc.py", calc, "Shop.total")
	fake := "gh" + "p_" + strings.Repeat("a1B2", 9)
	dir := tree(t, map[string]string{"calc.py": calc, "test_calc.py": "def test_a():\n    assert 1\n", "Makefile": "all:\n", "sub/x.py": calc, ".github/ci.py": calc, "big.py": strings.Repeat("#\n", 5<<20)})
	outside := tree(t, map[string]string{"victim.py": calc})
	for link, target := range map[string]string{"link.py": "calc.py", "out.py": filepath.Join(outside, "victim.py"), "dirlink": outside, "self": "sub"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(path, text string) task.Patch { return one(task.EditReplace, path, add, text) }
	good := "def add(a, b):\n    return a + b\n"
	for _, c := range []struct {
		name  string
		patch task.Patch
		guard Guard
		rule  string
		says  string
	}{
		{"outside", replace("../calc.py", good), Guard{}, RulePath, "inside the repository"},
		{"absolute", replace("/etc/passwd", good), Guard{}, RulePath, "absolute"},
		{"dotted", replace("sub/../calc.py", good), Guard{}, RulePath, "shortest"},
		{"git", one(task.EditCreate, "sub/.GIT/config", "", "x"), Guard{}, RulePath, "Git directory"},
		{"git by another name", one(task.EditCreate, "git~1/config", "", "x"), Guard{}, RulePath, "Git directory"},
		{"hidden name", one(task.EditCreate, "a\u202eb.py", "", "x = 1\n"), Guard{}, RulePath, "character"},
		{"symlink inside", replace("link.py", good), Guard{}, RuleSymlink, "symbolic link"},
		{"symlink outside", replace("out.py", good), Guard{}, RuleSymlink, "symbolic link"},
		{"through a symlink", replace("dirlink/victim.py", good), Guard{}, RuleSymlink, "symbolic link"},
		{"new file through a symlink", one(task.EditCreate, "self/new.py", "", "x = 1\n"), Guard{}, RuleSymlink, "symbolic link"},
		{"folder", replace("sub", good), Guard{}, RulePath, "regular file"},
		{"below a file", one(task.EditCreate, "calc.py/x.py", "", "x = 1\n"), Guard{}, RulePath, "not a folder"},
		{"missing file", replace("none.py", good), Guard{}, RuleTarget, "no such file"},
		{"missing region", one(task.EditReplace, "calc.py", "function:nope@00000000", good), Guard{}, RuleTarget, "add"},
		{"no region", one(task.EditReplace, "calc.py", "", good), Guard{}, RuleTarget, "names no region"},
		{"exists", one(task.EditCreate, "calc.py", "", good), Guard{}, RuleTarget, "exists"},
		{"protected", one(task.EditReplace, "Makefile", "x", "y"), Guard{}, RuleProtected, "human"},
		{"workflow", replace(".github/ci.py", good), Guard{}, RuleProtected, "human"},
		{"case", one(task.EditCreate, "CONFTEST.PY", "", "x = 1\n"), Guard{}, RuleProtected, "human"},
		{"by the repository", replace("sub/x.py", good), Guard{Protected: []string{"sub/**"}}, RuleProtected, "sub/**"},
		{"scope", replace("calc.py", good), Guard{Scope: []string{"sub"}}, RuleScope, "only sub may change"},
		{"tests", one(task.EditReplace, "test_calc.py", "test_a", "def test_a():\n    assert True"), Guard{}, RuleTests, "evidence"},
		{"syntax", replace("calc.py", "def add(a, b):\n    return (a +\n"), Guard{}, RuleSyntax, "line"},
		{"new file syntax", one(task.EditCreate, "n.py", "", "def (\n"), Guard{}, RuleSyntax, "does not parse"},
		{"lost function", replace("calc.py", "def plus(a, b):\n    return a + b\n"), Guard{}, RuleLost, "add is gone"},
		{"lost method", one(task.EditReplace, "calc.py", shop, "class Shop:\n    def total(self, items):\n        return 0\n"), Guard{}, RuleLost, "gross"},
		{"placeholder", replace("calc.py", "def add(a, b):\n    # ... rest of the code unchanged\n    return a + b\n"), Guard{}, RulePlaceholder, "line 6"},
		{"placeholder words", replace("calc.py", "def add(a, b):\n    # existing code remains the same\n    return a + b\n"), Guard{}, RulePlaceholder, "whole code"},
		{"conflict", one(task.EditCreate, "n.txt", "", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"), Guard{}, RuleConflict, "line 1"},
		{"fence", replace("calc.py", "```python\n"+good+"```"), Guard{}, RuleFence, "fence"},
		{"secret", replace("calc.py", "def add(a, b):\n    key = '"+fake+"'\n    return a + b\n"), Guard{}, RuleSecret, "github-token"},
		{"size", replace("calc.py", good), Guard{MaxBytes: 10}, RuleSize, "10 are allowed"},
		{"large file", replace("big.py", good), Guard{}, RuleSize, "not edited"},
		{"no change", replace("calc.py", "def add(a, b):\n    return a - b\n"), Guard{}, RuleNoChange, "already"},
		{"no edit", task.Patch{}, Guard{}, RuleNoChange, "no edit"},
		{"nul", replace("calc.py", "def add(a, b):\n    return '\x00'\n"), Guard{}, RuleText, "NUL"},
		{"overlap", task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: "calc.py", Region: total, Code: "def total(self, items):\n    return 1"},
			{Kind: task.EditReplace, Path: "calc.py", Region: shop, Code: strings.Replace(calc[strings.Index(calc, "class"):strings.Index(calc, "def area")], "0.2", "0.3", 1)}}}, Guard{}, RuleOverlap, "overlaps"},
		{"file and folder", task.Patch{Edits: []task.Edit{{Kind: task.EditCreate, Path: "a", Code: "x\n"}, {Kind: task.EditCreate, Path: "a/b", Code: "x\n"}}}, Guard{}, RulePath, "folder of"},
		{"second edit bad", task.Patch{Edits: []task.Edit{replace("calc.py", good).Edits[0], replace("none.py", good).Edits[0]}}, Guard{}, RuleTarget, "no such file"},
	} {
		before := picture(t, dir)
		_, err := Apply(t.Context(), dir, c.patch, c.guard)
		var refusal *Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if refusal.Rule != c.rule || !strings.Contains(refusal.Error(), c.says) {
			t.Errorf("%s: refused by %s: %s", c.name, refusal.Rule, refusal)
		}
		unchanged(t, c.name, picture(t, dir), before)
	}
	if read(t, outside, "victim.py") != calc {
		t.Error("a file outside was written")
	}
}

func TestE5WhatIsAllowedPasses(t *testing.T) {
	t.Parallel()
	src := strings.Replace(calc, "return a - b", "# ... rest of the code\n    return a - b", 1) // an old line is nobody's fault
	for name, c := range map[string]struct {
		patch task.Patch
		guard Guard
	}{
		"scope by name":         {one(task.EditReplace, "pkg/calc.py", id(t, "x.py", src, "add"), strings.Replace("def add(a, b):\n    # ... rest of the code\n    return a + b", "x", "x", 1)), Guard{Scope: []string{"*.py"}}},
		"scope by folder":       {one(task.EditReplace, "pkg/calc.py", "area", "def area(r):\n    return 0"), Guard{Scope: []string{"pkg/"}}},
		"new test out of scope": {one(task.EditCreate, "tests/test_new.py", "", "def test_x():\n    assert 1\n"), Guard{Scope: []string{"pkg/**"}}},
		"existing test":         {one(task.EditReplace, "tests/test_a.py", "test_a", "def test_a():\n    assert True"), Guard{AllowTests: true}},
		"docstring with fence":  {one(task.EditReplace, "pkg/calc.py", "area", "def area(r):\n    \"\"\"Area.\n\n    ```\n    area(1)\n    ```\n    \"\"\"\n    return 0"), Guard{}},
		"broken before":         {one(task.EditReplace, "broken.py", "ok", "def ok():\n    return 2"), Guard{}},
		"markdown":              {one(task.EditCreate, "docs/x.md", "", "```\ncode\n```\n"), Guard{}},
		"odd name":              {one(task.EditReplace, "new\nline.py", "add", "def add(a, b):\n    return a + b"), Guard{}},
	} {
		dir := tree(t, map[string]string{"pkg/calc.py": src, "tests/test_a.py": "def test_a():\n    assert 1\n", "broken.py": "def ok():\n    return 1\n\n\ndef bad(:\n    pass\n", "new\nline.py": calc})
		if _, err := Apply(t.Context(), dir, c.patch, c.guard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Apply(t.Context(), t.TempDir(), one(task.EditCreate, "x.py", "", "x = 1\n"), Guard{Scope: []string{"["}}); err == nil || !strings.Contains(err.Error(), "glob") {
		t.Errorf("a bad glob: %v", err)
	}
}

func TestModesAndHardLinksSurvive(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"calc.py": calc})
	other := filepath.Join(t.TempDir(), "linked")
	target := filepath.Join(dir, "calc.py")
	if err := errors.Join(os.Chmod(target, 0o755), os.Link(target, other)); err != nil {
		t.Fatal(err)
	}
	a, err := Apply(t.Context(), dir, one(task.EditReplace, "calc.py", "add", "def add(a, b):\n    return a + b"), Guard{})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode: %v %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != calc {
		t.Error("the edit went through a hard link")
	}
	if err := a.Rollback(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode after rollback: %v %v", info.Mode(), err)
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"src/**", "src/a/b.py", true}, {"src/**", "lib/src/a", false}, {"*.py", "a/b.py", true}, {"/a.py", "a.py", true}, {"a/*.py", "a/b/c.py", false},
		{"**/x/*.go", "a/b/x/c.go", true}, {"**/x/*.go", "x/c.go", true}, {"src", "src/a", true}, {"src/", "a/src/b", true}, {"a/b", "a/b/c/d", true},
		{"a/b", "a", false}, {"LICENSE*", "License.md", true}, {"**", "x", true}, {"a/**/z", "a/z", true}, {"package.json", "web/package.json", true}, {"package.json", "package.json5", false},
		{"./src", "src/a", true}, {"./src/", "lib/src/a", false}, {"src//a", "src/a", true}, {".", "a/b", true}, {"/.", "a/b", true},
	} {
		if got := matches([]string{c.glob}, c.name) != ""; got != c.want {
			t.Errorf("%q covers %q: %v", c.glob, c.name, got)
		}
	}
}

func TestE6RiskNamesItsReasons(t *testing.T) {
	t.Parallel()
	small := Risk([]Change{{"calc.py", []byte(calc), []byte(strings.Replace(calc, "a - b", "a + b", 1))}}, Facts{Tier: task.TierMechanical, TestsAdded: true})
	if small.Score > 5 {
		t.Errorf("one operator scores %+v", small)
	}
	signature := Risk([]Change{{"calc.py", []byte(calc), []byte(strings.Replace(calc, "def add(a, b)", "def add(a, b, c)", 1))}}, Facts{})
	secret := Risk([]Change{{"app/auth/login.py", []byte("x = 1\n"), []byte("if x:\n    x = 2\n")}, {"b.py", []byte("y = 1\n"), nil}}, Facts{Tier: task.Tier3})
	for what, c := range map[string]struct {
		risk task.Risk
		says string
	}{
		"signature": {signature, "signature of add"}, "path": {secret, "sensitive"}, "deleted": {secret, "b.py is deleted"},
		"tier": {secret, "tier3"}, "tests": {secret, "no new test"},
	} {
		if !strings.Contains(strings.Join(c.risk.Reasons, "\n"), c.says) {
			t.Errorf("%s: %+v", what, c.risk)
		}
	}
	if signature.Score <= small.Score || secret.Score <= signature.Score || secret.Score > 100 {
		t.Errorf("scores %d, %d, %d", small.Score, signature.Score, secret.Score)
	}
	if added := Risk([]Change{{"test_new.py", nil, []byte("def test_x(): pass\n")}}, Facts{TestsAdded: true}); added.Score != 0 {
		t.Errorf("a new test scores %+v", added)
	}
}
