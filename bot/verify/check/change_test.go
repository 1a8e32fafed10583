package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// judged judges the change from before to after in a real sandbox.
func judged(t *testing.T, before, after map[string]string, declared ...settings.Check) map[string]Judged {
	t.Helper()
	checked(t, map[string]string{"README": "x"}, Options{}) // opens the sandbox
	dir, base, undo := t.TempDir(), fstest.MapFS{}, map[string][]byte{}
	for p, text := range before {
		base[p] = &fstest.MapFile{Data: []byte(text)}
		if after[p] != text {
			undo[p] = []byte(text)
		}
	}
	for p, text := range after {
		if _, ok := before[p]; !ok {
			undo[p] = nil
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	all, err := New(Config{Sandbox: shared.box}).Judge(context.Background(), Change{Dir: dir, Before: undo, Base: base, Declared: declared})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Judged{}
	for _, j := range all {
		out[j.Name] = j
	}
	return out
}

// style is a linter: a finding for each line that ends with a semicolon.
const style = `grep -n ';$' *.py | sed 's/:.*/:1: E703 semicolon/' | sed 's/^\([0-9]*\):/cart.py:\1:/' ; ! grep -q ';$' *.py`

func TestC3OnlyNewFindingsCount(t *testing.T) {
	t.Parallel()
	check := settings.Check{Name: "style", Run: style, Required: true}
	before := map[string]string{"cart.py": "a = 1;\nb = 2\n"}
	j := judged(t, before, map[string]string{"cart.py": "# a comment moves it\na = 1;\nb = 3\n"}, check)["style"]
	if j.Red() || j.Known != 1 || j.Open != "" {
		t.Errorf("what was there before is held against the change: %+v", j)
	}
	j = judged(t, before, map[string]string{"cart.py": "a = 1;\nb = 3;\n"}, check)["style"]
	if !j.Red() || j.Known != 1 || len(j.Failures) != 1 || j.Failures[0].File != "cart.py" {
		t.Errorf("a second finding of the same words is a new one: %+v", j)
	}
	check.Required = false
	if j = judged(t, before, map[string]string{"cart.py": "a = 1;\nb = 3;\n"}, check)["style"]; j.Red() || len(j.Failures) != 1 {
		t.Errorf("what is not required is told and holds nothing up: %+v", j)
	}
}

func TestC6ACheckThatNamesNothingProvesNothing(t *testing.T) {
	t.Parallel()
	j := judged(t, map[string]string{"a.py": "a = 1\n"}, map[string]string{"a.py": "a = 2\n"},
		settings.Check{Name: "odd", Run: "exit 3", Required: true}, settings.Check{Name: "fresh", Run: "grep -q 1 a.py", Required: true})
	if odd := j["odd"]; odd.Red() || !strings.Contains(odd.Open, "on the base too") {
		t.Errorf("%+v", odd)
	}
	if fresh := j["fresh"]; !fresh.Red() || fresh.Open != "" {
		t.Errorf("what was green on the base is new: %+v", fresh)
	}
}

func TestC6TestsThatVanishAreRed(t *testing.T) {
	t.Parallel()
	green := strings.Replace(tests, "mean([]), 0", "mean([2]), 2", 1)
	before := map[string]string{"cart.py": cart, "test_cart.py": green}
	after := map[string]string{"cart.py": cart + "# x\n", "test_cart.py": strings.Replace(green, "def test_empty", "def no_test", 1)}
	j := judged(t, before, after, settings.Check{Name: "unit", Run: "python3 -m unittest", Required: true})["unit"]
	if !j.Red() || j.Failures[0].Kind != task.FailMissing || !strings.Contains(j.Failures[0].Message, "2 tests passed before the change and 1 after it") {
		t.Errorf("%+v", j)
	}
}

func TestC6AFailureInOtherWordsIsNotTakenBack(t *testing.T) {
	t.Parallel()
	// Its words differ from run to run, and the test passes in none.
	flaky := "import os\nimport time\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_ok(self):\n        pass\n\n    def test_time(self):\n        self.fail(str(time.monotonic_ns()).translate(str.maketrans('0123456789', 'abcdefghij')))\n"
	j := judged(t, map[string]string{"test_a.py": strings.Replace(flaky, "self.fail(", "print(", 1)}, map[string]string{"test_a.py": flaky},
		settings.Check{Name: "unit", Run: "python3 -m unittest", Required: true})["unit"]
	if !j.Red() {
		t.Errorf("%+v", j)
	}
}

func TestC6OnlyAWholeSecondRunTakesAFailureBack(t *testing.T) {
	t.Parallel()
	lost := task.Failure{Test: "a", Fingerprint: "1"}
	for _, c := range []struct {
		what   string
		second Judged
		red    bool
	}{
		{"it saw the test pass", Judged{Check: Check{Status: Passed, Passed: 10}}, false},
		{"it was cut off", Judged{Check: Check{Status: Failed, Passed: 3}}, true},
		{"it did not run", Judged{Check: Check{Status: NotRun}, Open: "no time"}, true},
		{"it failed again", Judged{Check: Check{Status: Failed, Passed: 9, Failures: []task.Failure{lost}}}, true},
	} {
		j := Judged{Check: Check{Status: Failed, Passed: 9, Required: true, Failures: []task.Failure{lost}}}
		j.confirm(c.second)
		if j.Red() != c.red || !c.red && j.Open == "" {
			t.Errorf("%s: red %v, open %q", c.what, j.Red(), j.Open)
		}
	}
}

func TestC2DetectedLintersAreAdvice(t *testing.T) {
	t.Parallel()
	module := map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n", "a.go": "package a\n\nimport \"fmt\"\n\nfunc A() { fmt.Printf(\"%d\\n\", 1) }\n"}
	after := map[string]string{"go.mod": module["go.mod"], "a.go": strings.Replace(module["a.go"], "1)", "\"one\")", 1)}
	all := judged(t, module, after)
	if j := all["go vet"]; len(all) != 1 || j.Red() || len(j.Failures) != 1 || j.Failures[0].Line != 5 {
		t.Errorf("%+v", all)
	}
}

// A double of tsc finds a number that is given a text.
func TestC3ANewTypeErrorIsRedWhereTheBaseHasNone(t *testing.T) {
	t.Parallel()
	tree := func(a, old string) map[string]string {
		return map[string]string{"package.json": `{"devDependencies": {"typescript": "5"}}`, "tsconfig.json": "{}", "a.ts": a, "old.ts": old,
			"node_modules/.bin/tsc": "#!/bin/sh\ngrep -n 'number = \"' a.ts old.ts | sed 's/^\\([^:]*\\):\\([0-9]*\\):.*/\\1(\\2,7): error TS2322: Type is not assignable./' > out; cat out; [ ! -s out ] || exit 2\n"}
	}
	good, bad := "let n: number = 1\n", "let n: number = \"1\"\n"
	for name, c := range map[string]struct {
		before, after map[string]string
		red           bool
	}{
		"a clean base":        {tree(good, good), tree(bad, good), true},
		"one that was there":  {tree(good, bad), tree(good+"let m = 2\n", bad), false},
		"a base with another": {tree(good, bad), tree(bad, bad), false},
	} {
		j := judged(t, c.before, c.after)["tsc"]
		if j.Red() != c.red || j.Status == NotRun {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

func TestC3ComparingCountsEachFingerprint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prints := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"}))
		list := func(in []string) (out []task.Failure) {
			for _, p := range in {
				out = append(out, task.Failure{Fingerprint: p, File: "x"})
			}
			return out
		}
		base, after := prints.Draw(t, "base"), prints.Draw(t, "after")
		j := compare(Check{Kind: "lint", Status: Failed, Failures: list(after)}, Check{Status: Failed, Failures: list(base)})
		if j.Known+len(j.Failures) != len(after) {
			t.Fatalf("%d known and %d new of %d", j.Known, len(j.Failures), len(after))
		}
		for _, p := range []string{"a", "b", "c"} {
			count := func(in []string) (n int) {
				for _, x := range in {
					if x == p {
						n++
					}
				}
				return n
			}
			fresh := 0
			for _, f := range j.Failures {
				if f.Fingerprint == p {
					fresh++
				}
			}
			if want := max(0, count(after)-count(base)); fresh != want {
				t.Fatalf("%s: %d new, want %d", p, fresh, want)
			}
		}
	})
}

// __init__.py, index.js, doc.go: files of one name in other folders are others.
func TestC3AFindingInAnotherFileOfTheSameNameIsNew(t *testing.T) {
	t.Parallel()
	found := func(file string) Check {
		f := task.Failure{Suite: "lint", File: file, Kind: task.FailLint, Message: "unused import"}
		f.Fingerprint = parse.Fingerprint(f)
		return Check{Kind: "lint", Status: Failed, Failures: []task.Failure{f}}
	}
	if j := compare(found("b/__init__.py"), found("a/__init__.py")); j.Known != 0 || len(j.Failures) != 1 {
		t.Errorf("%d known and %d new", j.Known, len(j.Failures))
	}
	if j := compare(found("a/__init__.py"), found("a/__init__.py")); j.Known != 1 || len(j.Failures) != 0 {
		t.Errorf("%d known and %d new of the same file", j.Known, len(j.Failures))
	}
}

// TestC3ARedCheckOfTheBaseIsNotHeldAgainstAChange: the failures that the base has are
// known, whatever the change; one more is not.
func TestC3ARedCheckOfTheBaseIsNotHeldAgainstAChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after string
		want  Status
	}{
		"a comment":         {"# a mean\n" + cart, Passed},
		"another red test":  {"def mean(x):\n    return sum(x) / len(x) + 1\n", Failed},
		"a file that broke": {"def mean(x:\n", Failed},
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{"cart.py": c.after, "test_cart.py": tests})
		opt := Options{Profile: Fast, Changed: []string{"cart.py"}}
		r := checkedIn(t, dir, opt)
		if r.Status != Failed {
			t.Fatalf("%s: the base's test is not red: %+v", name, r)
		}
		plan, err := detect.Detect(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		opt.Plan = plan
		r, err = New(Config{Sandbox: shared.box}).New(context.Background(), dir, r, opt, map[string][]byte{"cart.py": []byte(cart)})
		if err != nil || r.Status != c.want {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
}
