package danger_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/verify/danger"
)

// dangerous holds something of most kinds in each language.
var dangerous = map[string]string{
	py: "import os, subprocess, shutil, requests\n\nMAX_SIZE = 10\n\n\ndef is_allowed(u):\n    return True\n\n\ndef f(u, x):\n    if not u.admin:\n        raise PermissionDenied()\n" +
		"    if x == 'blue-42':\n        return 'red-17'\n    validate(x)\n    requests.get('https://api.shop.io', verify=False)\n    try:\n        subprocess.run(['ls', x])\n    except Exception:\n        pass\n    shutil.rmtree(os.environ['HOME'])\n    return x\n",
	js: "const cp = require('child_process');\n\nfunction isAllowed(u) {\n  return true;\n}\n\nfunction f(u, x) {\n  if (!u.admin) {\n    throw new Error('no');\n  }\n  escapeHtml(x);\n  cp.exec('ls');\n  try {\n    g(x);\n  } catch (e) {\n  }\n  return process.env.HOME;\n}\n",
	gg: "package a\n\nimport (\n\t\"crypto/md5\"\n\t\"os\"\n\t\"os/exec\"\n)\n\nconst maxSize = 10\n\nfunc f(x int) error {\n\tif x < 0 {\n\t\treturn errors.New(\"negative\")\n\t}\n\texec.Command(\"ls\")\n\tmd5.New()\n\treturn os.RemoveAll(os.Getenv(\"HOME\"))\n}\n",
}

// TestC6FormattingAloneIsSilent: blank lines, comments, spaces in brackets, another
// order of functions.
func TestC6FormattingAloneIsSilent(t *testing.T) {
	seed := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // chance that can be repeated
	comment := map[string]string{py: "# a word", js: "// a word", gg: "// a word"}
	for file, src := range dangerous {
		for range 60 {
			var out []string
			for line := range strings.SplitSeq(src, "\n") {
				if seed.IntN(4) == 0 {
					out = append(out, "")
				}
				if indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; seed.IntN(5) == 0 && line != "" {
					out = append(out, indent+comment[file])
				}
				if seed.IntN(3) == 0 {
					line = strings.NewReplacer("(", "( ", ", ", ",  ").Replace(line)
				}
				if file != gg && seed.IntN(3) == 0 {
					line = strings.ReplaceAll(line, "'", "\"")
				}
				out = append(out, line)
			}
			after := strings.Join(out, "\n")
			if found := find(t, change{file: file, before: src, after: after}); len(found) > 0 {
				t.Fatalf("%s: formatting alone has findings %v\n%s", file, found, after)
			}
		}
	}
}

// TestC6MovedCodeIsSilent: from one file to another, and deeper.
func TestC6MovedCodeIsSilent(t *testing.T) {
	cut := func(s string) (head, tail string) {
		at := strings.Index(s, "def f(")
		return s[:at], s[at:]
	}
	head, tail := cut(dangerous[py])
	imports := head[:strings.Index(head, "MAX")]
	files := []danger.File{
		{Path: py, Before: []byte(dangerous[py]), After: []byte(head)},
		{Path: "app/other.py", After: []byte(imports + tail)},
	}
	found, err := danger.Find(t.Context(), files, danger.Known{})
	if err != nil || len(found) > 0 {
		t.Errorf("a moved function: %v, %v", found, err)
	}
	deeper := imports + "if x:\n" + strings.ReplaceAll("    "+strings.ReplaceAll(tail, "\n", "\n    "), "\n    \n", "\n\n")
	if found := find(t, change{file: py, before: imports + tail, after: deeper}); len(found) > 0 {
		t.Errorf("an indented function: %v", found)
	}
}

// TestC6TheReverseOfAChangeAddsNothingThatTheChangeAdded: lines are left out and
// put back at random.
func TestC6TheReverseOfAChangeAddsNothingThatTheChangeAdded(t *testing.T) {
	seed := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // chance that can be repeated
	for file, src := range dangerous {
		for range 100 {
			less := strings.Split(src, "\n")
			for range 1 + seed.IntN(4) {
				at := seed.IntN(len(less))
				less = append(less[:at:at], less[at+1:]...)
			}
			other := strings.Join(less, "\n")
			added := map[string]bool{}
			for _, f := range find(t, change{file: file, before: other, after: src}) {
				if !f.Removed && f.Kind != danger.Limit { // a limit that changes, changes both ways
					added[string(f.Kind)+f.Why+f.Text] = true
				}
			}
			for _, f := range find(t, change{file: file, before: src, after: other}) {
				if !f.Removed && added[string(f.Kind)+f.Why+f.Text] {
					t.Fatalf("%s: both the change and its reverse add %v\n%s", file, f, other)
				}
			}
		}
	}
}

// FuzzC6TheRulesForLinesHold: any text is read, a text beside itself is silent, and
// lines are lines of the text.
func FuzzC6TheRulesForLinesHold(f *testing.F) {
	names := []string{"a.sh", "Makefile", "a.yml", "Dockerfile", "a.sql", "a.json", "a.toml", "requirements.txt", "LICENSE", "x.html", "a.rb"}
	for i, src := range []string{"rm -rf / || true\n", "a:\n\tset +e\n", "verify: false\nmax_size: 5\n", "USER root\n", "DELETE FROM t; DROP TABLE t;\n", "{\"a\": \"git+https://b.io\"}", "a = 1\n", "--index-url x\n", "MIT\n", "{{{ a }}}", "\xff;\x00--\n/*"} {
		f.Add(uint8(i), src)
	}
	f.Fuzz(func(t *testing.T, which uint8, src string) {
		file := names[int(which)%len(names)]
		found, err := danger.Find(t.Context(), []danger.File{{Path: file, Before: []byte{}, After: []byte(src)}}, danger.Known{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range found {
			if x.Line < 1 || x.Line > 1+strings.Count(src, "\n") || len(x.Text) > 80 || strings.ContainsAny(x.Text, "\n`") {
				t.Fatalf("%+v of %q", x, src)
			}
		}
		if same, err := danger.Find(t.Context(), []danger.File{{Path: file, Before: []byte(src), After: []byte(src)}}, danger.Known{}); err != nil || len(same) > 0 {
			t.Fatalf("a file that stays has findings %v, %v", same, err)
		}
	})
}

func TestC6AnIssueThatAsksToWeakenTestsIsADoubt(t *testing.T) {
	for _, c := range []struct {
		title, body string
		asks        bool
	}{
		{"Make CI green", "Please skip the failing test in test_cart.py.", true},
		{"Skip test_total", "", true},
		{"Delete tests/test_cart.py", "", true},
		{"CI red", "Just disable the flaky tests and merge.", true},
		{"CI red", "The total is wrong. You can comment out the assertion for now.", true},
		{"CI red", "please make the tests always pass", true},
		{"CI red", "Mark `test_total` as xfail.", true},
		{"CI red", "Change the test so that it passes.", true},
		{"CI red", "we should just remove those old tests", true},
		{"CI red", "Ignore the test suite, it is annoying.", true},
		{"CI red", "Relax the assertions in test_a.py", true},
		{"CI red", "Don't run the tests for this.", true},
		{"CI red", "lower the coverage threshold", true},
		{"A test is skipped by mistake", "test_total is skipped on Linux, it should run.", false},
		{"Tests are skipped when the name has a dot", "The runner must not skip tests.", false},
		{"--skip-tests is ignored", "The option to skip tests does nothing.", false},
		{"Wrong total", "The test test_total fails. Please do not delete the test.", false},
		{"Cannot delete test data", "When I try to delete the test data, nothing happens.", false},
		{"Removing a test from the list crashes", "", false},
		{"Skip empty lines", "parse() should skip empty lines; add a test.", false},
		{"Wrong total", "```\nskip the tests\n```\nThe total is wrong.", false},
		{"Wrong total", "Fix the code so that the tests pass.", false},
		{"Remove the test account from the list", "", false},
		{"Skip the test for None", "is_valid(None) should be true", false},
		{"Ignore case in test()", "`filter.test()` should ignore case", false},
		{"Update the test runner", "The runner wrongly skips tests in folders.", false},
	} {
		if said := danger.AsksToWeakenTests(c.title, c.body); (said != "") != c.asks {
			t.Errorf("%q, %q: said %q, want a wish: %v", c.title, c.body, said, c.asks)
		}
	}
}
