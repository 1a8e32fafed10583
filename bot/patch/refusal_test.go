package patch

import (
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// Every refusal of SPEC E4 in the very words that a model gets.
func TestE4EveryRefusalInTheWordsThatAModelGets(t *testing.T) {
	t.Parallel()
	const user = "from calc import add\n\n\ndef use():\n    return add(1, 2)\n"
	latin := "# -*- coding: latin-1 -*-\ndef f():\n    return 'caf\xe9'\n"
	fake := "gh" + "p_" + strings.Repeat("a1B2", 9)
	add, shop := id(t, "calc.py", calc, "add"), id(t, "calc.py", calc, "Shop")
	dir := tree(t, map[string]string{"calc.py": calc, "user.py": user, "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 1) == 2\n",
		"latin.py": latin, "plain.js": "function f() { return 'caf\xe9'; }\n", "wide.py": "\xff\xfed\x00e\x00", "data.py": "x\x00y\n", "small.py": "x = 1\n"})
	replace := func(text string) task.Patch { return one(task.EditReplace, "calc.py", add, text) }
	kept := strings.Replace(calc, "a - b", "a + b", 1)
	for name, c := range map[string]struct {
		patch task.Patch
		guard Guard
		rule  string
		want  string
	}{
		"does not parse": {
			replace("def add(a, b):\n    return (a + b\n"), Guard{}, RuleSyntax,
			`calc.py: ` + add + `: does not parse after the edit: line 6, column 12, line 2 of the code given: “(” is never closed (the line reads "    return (a + b")`,
		},
		"does not parse, Go": {
			one(task.EditCreate, "x.go", "", "package p\n\nfunc F( {\n}\n"), Guard{}, RuleSyntax,
			`x.go: function:F@2a7f9468: does not parse after the edit: line 3, column 9: expected ')', found '{' (the line reads "func F( {")`,
		},
		"a target that is not sure enough": {
			one(task.EditReplace, "calc.py", "method:add", "def add(a, b):\n    return a + b\n"), Guard{Confidence: 0.85}, RuleConfidence,
			`calc.py: ` + id(t, "calc.py", kept, "add") + `: that this is what the edit means is 0.80 sure, and 0.85 is needed; give the whole id, or copy the lines exactly`,
		},
		"a symbol is lost": {
			replace("def plus(a, b):\n    return a + b\n"), Guard{}, RuleLost,
			`calc.py: ` + add + `: function add is gone after the edit; give the region's whole new code with every function that it holds, under its own name, ask for it to be deleted, or say "signature": true where it is renamed`,
		},
		"a whole file loses symbols": {
			one(task.EditFile, "calc.py", "", kept[:strings.Index(kept, "def area")]), Guard{}, RuleLost,
			`calc.py: the file that you gave leaves out function area; give them too, write a comment such as "... existing code ..." where they stand, or delete them with delete_region`,
		},
		"a whole file leaves out lines nobody can tell": {
			one(task.EditFile, "calc.py", "", strings.Replace(kept, "    return a + b\n", "    x = a\n    # ... existing code ...\n    return x\n", 1)), Guard{}, RulePlaceholder,
			`calc.py: line 7: a line stands for code that is left out (# ... existing code ...), and what stands before and after it does not say which: "x = a" is not in the file, or more than once; give the whole code there; or give the changed regions one by one with replace_region`,
		},
		"a signature changes": {
			replace("def add(a, b, c):\n    return a + b + c\n"), Guard{}, RuleSignature,
			`calc.py: ` + add + `: the signature changes from "def add(a, b):" to "def add(a, b, c):", which was not asked for: parameter c is new and has no default. Keep the parameters, give a new one a default, or say "signature": true in this edit and change the callers in the same answer; its callers are at test_calc.py:5, user.py:5`,
		},
		"a placeholder": {
			replace("def add(a, b):\n    # ... rest of the code unchanged\n    return a + b\n"), Guard{}, RulePlaceholder,
			`line 6 stands for code that is left out ("# ... rest of the code unchanged"); write the region's whole code`,
		},
		"conflict markers": {
			one(task.EditCreate, "n.txt", "", "a\n<<<<<<< HEAD\nb\n"), Guard{}, RuleConflict,
			`n.txt: block:lines1-3@09ec11dc: line 2 is a conflict marker ("<<<<<<< HEAD"); give the final code`,
		},
		"a fence left over": {
			replace("```python\ndef add(a, b):\n    return a + b\n```"), Guard{}, RuleFence,
			`calc.py: ` + add + `: the code begins or ends with a Markdown fence; give the code alone`,
		},
		"a secret": {
			replace("def add(a, b):\n    key = '" + fake + "'\n    return a + b\n"), Guard{}, RuleSecret,
			`line 6 holds what looks like a secret (github-token); read it from the environment or a setting`,
		},
		"too much": {
			replace("def add(a, b):\n    return a + b\n"), Guard{MaxBytes: 10}, RuleSize,
			`the patch brings 32 bytes of new text, 10 are allowed; change fewer and smaller regions`,
		},
		"not the file's encoding": {
			one(task.EditReplace, "plain.js", "f", "function f() { return 'é'; }"), Guard{}, RuleEncoding,
			`plain.js: f: the file is not UTF-8, and the code holds characters that are not ASCII; write them as escapes`,
		},
		"what could not be shown": {
			one(task.EditReplace, "latin.py", "f", "def f():\n    return 'caf\uFFFD' + 1"), Guard{}, RuleEncoding,
			`latin.py: f: the code holds U+FFFD, which only stands for bytes that could not be shown; leave the lines that hold it out of the edit`,
		},
		"UTF-16": {
			one(task.EditReplace, "wide.py", "f", "x"), Guard{}, RuleEncoding,
			`wide.py: the file is UTF-16 or UTF-32; only UTF-8, ASCII and single-byte files are edited`,
		},
		"binary": {
			one(task.EditReplace, "data.py", "f", "x"), Guard{}, RuleEncoding,
			`data.py: the file is binary; only text is edited`,
		},
		"no import": {
			one(task.EditImport, "calc.py", "", "import os\nos.remove('x')\n"), Guard{}, RuleTarget,
			`calc.py: add an import: not an import: line 2 reads "os.remove('x')"; give import statements only`,
		},
		"a search block that is nowhere": {
			one(task.EditSearch, "small.py", "", "<<<<<<< SEARCH\nx = 2\n=======\nx = 3\n>>>>>>> REPLACE\n"), Guard{}, RuleTarget,
			`small.py: search block 1: no such region: none of its lines stands in the file; copy them exactly`,
		},
		"a search block that fits twice": {
			one(task.EditSearch, "calc.py", "", "<<<<<<< SEARCH\n\n=======\nx = 3\n>>>>>>> REPLACE\n"), Guard{}, RuleTarget,
			`calc.py: search block 1: the SEARCH part is empty; give the lines that are to be replaced, or use insert_after`,
		},
		"no search block": {
			one(task.EditSearch, "small.py", "", "x = 3\n"), Guard{}, RuleTarget,
			`small.py: not a search/replace block: line 1 ("x = 3") stands outside of a block; a block is <<<<<<< SEARCH, the lines as they are, =======, the new lines, >>>>>>> REPLACE`,
		},
		"a whole file beside a region": {
			task.Patch{Edits: []task.Edit{{Kind: task.EditFile, Path: "calc.py", Code: kept}, {Kind: task.EditDelete, Path: "calc.py", Region: shop}}}, Guard{}, RuleOverlap,
			`calc.py: whole_file holds all changes of its file; give it alone, or give the regions one by one`,
		},
		"a block inside a region": {
			task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: "calc.py", Region: add, Code: "def add(a, b):\n    return a + b"}, {Kind: task.EditSearch, Path: "calc.py", Code: "<<<<<<< SEARCH\n    return a - b\n=======\n    return b + a\n>>>>>>> REPLACE\n"}}}, Guard{}, RuleOverlap,
			`calc.py: this edit overlaps the one of ` + add + `; give the outer region once with both changes`,
		},
		"an unknown kind": {
			one("rewrite", "calc.py", add, "x"), Guard{}, RuleTarget,
			`calc.py: ` + add + `: an edit of kind "rewrite" does not go with this file; use replace_region, insert_after, delete_region, add_import, whole_file, search_replace or create_file`,
		},
	} {
		before := picture(t, dir)
		_, err := Apply(t.Context(), dir, c.patch, c.guard)
		var refusal *Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if refusal.Rule != c.rule || !strings.Contains(refusal.Error(), c.want) {
			t.Errorf("%s: refused by %s:\n%s\nwant\n%s", name, refusal.Rule, refusal, c.want)
		}
		unchanged(t, name, picture(t, dir), before)
	}
}

func TestE3EveryKindOfEditInOnePatch(t *testing.T) {
	t.Parallel()
	latin := "# -*- coding: latin-1 -*-\ndef f():\n    return 'caf\xe9'\n"
	dir := tree(t, map[string]string{"calc.py": calc, "whole.py": calc, "latin.py": latin})
	a, err := Apply(t.Context(), dir, task.Patch{Edits: []task.Edit{
		{Kind: task.EditReplace, Path: "calc.py", Region: "add", Code: "def add(a, b):\n    return os.sep"},
		{Kind: task.EditImport, Path: "calc.py", Code: "import os\nfrom math import pi"},
		{Kind: task.EditSearch, Path: "calc.py", Code: "<<<<<<< SEARCH\n    return math.pi * r\n=======\n    return math.pi * r * r\n>>>>>>> REPLACE\n"},
		{Kind: task.EditFile, Path: "whole.py", Code: "# ... existing code ...\n\ndef area(r):\n    return r\n"},
		{Kind: task.EditImport, Path: "whole.py", Code: "import os"},
		{Kind: task.EditReplace, Path: "latin.py", Region: "f", Code: "def f():\n    return 'né'"},
	}}, Guard{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"calc.py":  strings.NewReplacer("return a - b", "return os.sep", "import math\n", "import math\nimport os\nfrom math import pi\n", "math.pi * r", "math.pi * r * r").Replace(calc),
		"whole.py": strings.NewReplacer("import math\n", "import math\nimport os\n", "return math.pi * r", "return r").Replace(calc),
		"latin.py": strings.Replace(latin, "caf\xe9", "n\xe9", 1),
	} {
		if got := read(t, dir, name); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	how := map[string]string{}
	for _, r := range a.Regions {
		how[string(r.Edit)+" "+r.Name] = r.ResolvedBy
		line := strings.Split(read(t, dir, r.Path), "\n")[r.StartLine-1]
		if r.Name == "add" && line != "def add(a, b):" {
			t.Errorf("%s is said to stand at line %d: %q", r.ID, r.StartLine, line)
		}
	}
	for what, by := range map[string]string{"replace_region add": "name", "add_import imports": "group", "search_replace area": "text", "whole_file area": "name"} {
		if how[what] != by {
			t.Errorf("%s: resolved by %q, want %q (%v)", what, how[what], by, how)
		}
	}
}

func TestE7CallersAreFoundAndToldAdaptedOrLeft(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"lib/calc.py":        "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return add(a, a)\n",
		"app.py":             "from lib.calc import add\n\n\ndef total(xs):\n    return add(*xs)\n\n\nprint(add(1, 2))\n",
		"lib/shop.py":        "class Shop:\n    def get(self, key):\n        return key\n",
		"till.py":            "from lib.shop import Shop\n\n\ndef sell():\n    return Shop().get(1)\n",
		"dicts.py":           "def look(d):\n    return d.get(1)\n",
		"other.py":           "def add(x):\n    return x\n\n\nadd(1)\n", // another add
		"tests/test_calc.py": "from lib import calc\n\n\ndef test_add():\n    assert calc.add(1, 1) == 2\n",
		"node_modules/x.py":  "from lib.calc import add\nadd(1, 2)\n",
		"web/a.ts":           "export function load(url: string) { return url; }\n",
		"web/b.tsx":          "import { load } from './a';\nexport const x = () => load('y');\n",
		"pkg/a.go":           "package pkg\n\nfunc Add(a int) int { return a }\n",
		"pkg/b.go":           "package pkg\n\nfunc B() int { return Add(1) }\n",
		"cmd/main.go":        "package main\n\nimport \"x.org/m/pkg\"\n\nfunc main() { pkg.Add(2) }\n\nfunc Add() {}\n",
	}
	sites := func(a *Applied) string {
		var out []string
		for _, c := range a.Callers {
			state := "left"
			if c.Adapted {
				state = "adapted"
			}
			if c.Test {
				state += " test"
			}
			out = append(out, c.Path+" "+strings.SplitN(c.Region, "@", 2)[0]+" "+state)
		}
		return strings.Join(out, "; ")
	}
	for name, c := range map[string]struct {
		edits []task.Edit
		want  string
	}{
		"a signature": {[]task.Edit{
			{Kind: task.EditReplace, Path: "lib/calc.py", Region: "add", Code: "def add(a, b, c):\n    return a + b + c", Signature: true},
			{Kind: task.EditReplace, Path: "lib/calc.py", Region: "twice", Code: "def twice(a):\n    return add(a, a, 0)"},
		}, "app.py function:total left; app.py block:print left; lib/calc.py function:twice adapted; tests/test_calc.py function:test_add left test"},
		"a rename": {[]task.Edit{
			{Kind: task.EditReplace, Path: "lib/calc.py", Region: "add", Code: "def plus(a, b):\n    return a + b", Signature: true},
			{Kind: task.EditReplace, Path: "lib/calc.py", Region: "twice", Code: "def twice(a):\n    # adds\n    return add(a, a)"},
			{Kind: task.EditReplace, Path: "app.py", Region: "total", Code: "def total(xs):\n    return plus(*xs)"},
		}, "app.py block:imports left; app.py function:total adapted; app.py block:print left; lib/calc.py function:twice left; tests/test_calc.py function:test_add left test"},
		"TypeScript": {[]task.Edit{
			{Kind: task.EditReplace, Path: "web/a.ts", Region: "load", Code: "export function load(url: string, again: boolean) { return url; }", Signature: true},
		}, "web/b.tsx function:x left"},
		"Go, all adapted, not asked": {[]task.Edit{
			{Kind: task.EditReplace, Path: "pkg/a.go", Region: "Add", Code: "func Add(a, b int) int { return a + b }"},
			{Kind: task.EditReplace, Path: "pkg/b.go", Region: "B", Code: "func B() int { return Add(1, 0) }"},
			{Kind: task.EditReplace, Path: "cmd/main.go", Region: "main", Code: "func main() { pkg.Add(2, 0) }"},
		}, "cmd/main.go function:main adapted; pkg/b.go function:B adapted"},
		"a method, where its class is known": {[]task.Edit{
			{Kind: task.EditReplace, Path: "lib/shop.py", Region: "Shop.get", Code: "def get(self):\n    return 1", Signature: true},
		}, "till.py function:sell left"},
		"a class that goes, once": {[]task.Edit{
			{Kind: task.EditDelete, Path: "lib/shop.py", Region: "Shop"},
		}, "till.py block:imports left; till.py function:sell left"},
		"nothing that callers see": {[]task.Edit{
			{Kind: task.EditReplace, Path: "lib/calc.py", Region: "add", Code: "def add(a, b, c=0):\n    return a + b + c"},
		}, ""},
	} {
		a, err := Apply(t.Context(), tree(t, files), task.Patch{Edits: c.edits}, Guard{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := sites(a); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
