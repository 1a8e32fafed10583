package loop_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/loop"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// blank is a repository of one language whose tests are green, the same issue
// about it, and what models write.
type blank struct {
	files       map[string]string
	path        string // of the reproduction
	test        string // that shows the fault
	passes      string // the same, holding the fault as it is
	source, fix string // the file of the fault and its text without it
	unsaid      string // a test of which the issue does not say what it expects
	wrong       []string
}

const namesTitle, namesBody = "initials drops every word but the first", "For the name Ada Lovelace `initials` answers just A. It should be AL, one letter for each word."

var blanks = map[string]blank{
	"python": {
		files: map[string]string{
			"names.py":            "def initials(name):\n    words = name.split(' ')\n    return words[0][0]\n",
			"tests/test_names.py": "from names import initials\n\n\ndef test_one():\n    assert initials('Bo') == 'B'\n",
			"conftest.py":         "",
		},
		path:   "tests/test_initials.py",
		test:   "from names import initials\n\n\ndef test_initials_of_two_words():\n    assert initials('Ada Lovelace') == 'AL'\n",
		passes: "from names import initials\n\n\ndef test_initials_of_two_words():\n    assert initials('Ada Lovelace') == 'A'  # AL\n",
		source: "names.py", fix: "def initials(name):\n    out = ''\n    for word in name.split(' '):\n        out += word[0]\n    return out\n",
		unsaid: "from names import initials\n\n\ndef test_initials_of_two_words():\n    assert initials('Grace Hopper') == 'G. H.'\n",
		wrong: []string{
			"from names import initial_letters\n\n\ndef test_it():\n    assert initial_letters('Ada Lovelace') == 'AL'\n",
			"import names\n\n\ndef test_it():\n    assert names.initails('Ada Lovelace') == 'AL'\n",
			"from names import initials\n\n\ndef test_it(person):\n    assert initials(person) == 'AL'\n",
			"from names import initials\n\n\ndef test_it():\n    assert initials(open('people.txt').read()) == 'AL'\n",
		},
	},
	"javascript": {
		files: map[string]string{
			"package.json":       `{"name": "names", "scripts": {"test": "node --test"}}`,
			"names.js":           "function initials(name) {\n  const words = name.split(' ');\n  return words[0][0];\n}\n\nmodule.exports = { initials };\n",
			"test/names.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\ntest('one', () => {\n  assert.strictEqual(initials('Bo'), 'B');\n});\n",
		},
		path:   "test/initials.test.js",
		test:   "const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(initials('Ada Lovelace'), 'AL');\n});\n",
		passes: "const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(initials('Ada Lovelace'), 'A'); // AL\n});\n",
		source: "names.js", fix: "function initials(name) {\n  let out = '';\n  for (const word of name.split(' ')) out += word[0];\n  return out;\n}\n\nmodule.exports = { initials };\n",
		unsaid: "const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(initials('Grace Hopper'), 'G. H.');\n});\n",
		wrong: []string{
			"const test = require('node:test');\nconst { initials } = require('../nmaes');\n\ntest('two words', () => {\n  require('node:assert').strictEqual(initials('Ada Lovelace'), 'AL');\n});\n",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst names = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(names.initails('Ada Lovelace'), 'AL');\n});\n",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(initials(person), 'AL');\n});\n",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst { initials } = require('../names');\n\ntest('two words', () => {\n  assert.strictEqual(initials(fs.readFileSync('people.txt', 'utf8')), 'AL');\n});\n",
		},
	},
	"go": {
		files: map[string]string{
			"go.mod":        "module example.org/names\n\ngo 1.21\n",
			"names.go":      "package names\n\nimport \"strings\"\n\n// Initials shortens a name.\nfunc Initials(name string) string {\n\twords := strings.Split(name, \" \")\n\treturn words[0][:1]\n}\n",
			"names_test.go": "package names\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif got := Initials(\"Bo\"); got != \"B\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		},
		path:   "initials_test.go",
		test:   "package names\n\nimport \"testing\"\n\nfunc TestTwoWords(t *testing.T) {\n\tif got := Initials(\"Ada Lovelace\"); got != \"AL\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		passes: "package names\n\nimport \"testing\"\n\nfunc TestTwoWords(t *testing.T) {\n\tif got := Initials(\"Ada Lovelace\"); got != \"A\" { // AL\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		source: "names.go", fix: "package names\n\nimport \"strings\"\n\n// Initials shortens a name.\nfunc Initials(name string) string {\n\tout := \"\"\n\tfor _, word := range strings.Split(name, \" \") {\n\t\tout += word[:1]\n\t}\n\treturn out\n}\n",
		unsaid: "package names\n\nimport \"testing\"\n\nfunc TestTwoWords(t *testing.T) {\n\tif got := Initials(\"Grace Hopper\"); got != \"G. H.\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		wrong: []string{
			"package names\n\nimport (\n\t\"testing\"\n\n\t\"example.org/names/people\"\n)\n\nfunc TestTwoWords(t *testing.T) {\n\tif got := Initials(people.Ada); got != \"AL\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
			"package names\n\nimport \"testing\"\n\nfunc TestTwoWords(t *testing.T) {\n\tif got := Capitals(\"Ada Lovelace\"); got != \"AL\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
			"package names\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTwoWords(t *testing.T) {\n\tname, err := os.ReadFile(\"people.txt\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif got := Initials(string(name)); got != \"AL\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
			"package names\n\nimport \"testing\"\n\nfunc TestTwoWords(t *testing.T) {\n\tvar people []string\n\tif got := Initials(people[1]); got != \"AL\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		},
	},
}

// creates answers with whole files, each under its path.
func creates(files ...string) scripted.Answer {
	var edits, blocks strings.Builder
	for i := 0; i < len(files); i += 2 {
		kind := "whole_file"
		if strings.Contains(files[i], "test") {
			kind = "create_file"
		}
		fmt.Fprintf(&edits, `%s{"action": %q, "path": %q, "code": %d}`, map[bool]string{true: ", "}[i > 0], kind, files[i], i/2+1)
		fmt.Fprintf(&blocks, "```\n%s```\n", files[i+1])
	}
	return scripted.Answer{Text: fmt.Sprintf("```json\n{\"actions\": [%s], \"explanation\": \"As the issue says.\"}\n```\n%s", edits.String(), blocks.String()), TokensIn: 1000, TokensOut: 100}
}

// aim tells what a reproducer is asked for; "" where the developer is asked.
func aim(c scripted.Call) agent.Aim {
	for a, words := range map[agent.Aim]string{agent.AimFail: "You write a test that shows", agent.AimPass: "You write a test that holds", agent.AimTurn: "A test of a repository passes"} {
		if strings.Contains(c.System, words) {
			return a
		}
	}
	return ""
}

// begin is a bench on the blank, whose reproducer answers with the tests given,
// one after the other. Asked to mend, the model writes the fix; where no test
// shows the fault, a right one with it.
func (f blank) begin(t *testing.T, tests ...string) *bench {
	t.Helper()
	n := 0
	b := newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
		if aim(c) == "" {
			if strings.Contains(c.User, "No test fails now") {
				return creates(f.source, f.fix, f.path, f.test)
			}
			return creates(f.source, f.fix)
		}
		if n++; n > len(tests) {
			t.Errorf("the reproducer is asked %d times", n)
			return scripted.Answer{Text: "no"}
		}
		return creates(f.path, tests[n-1])
	}, task.Tier1)
	b.reproducing(t)
	b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
	return b
}

// told are the decisions of a kind.
func (b *bench) told(kind string) []string {
	var out []string
	for _, d := range b.journal.Decisions {
		if d.Kind == kind {
			out = append(out, d.Reason)
		}
	}
	return out
}

// inSome does it in each language; in the quick run in one.
func inSome(t *testing.T, do func(t *testing.T, f blank)) {
	t.Helper()
	if testing.Short() {
		do(t, blanks["python"])
		return
	}
	for name, f := range blanks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do(t, f)
		})
	}
}

func ready(t *testing.T, b *bench, res task.Result) {
	t.Helper()
	if res.Outcome != task.Success || res.Draft {
		t.Fatalf("%s (%s), draft %v: %q\n%q\n%q", res.Outcome, res.Reason, res.Draft, res.DraftReasons, b.told("reproduction.turned_down"), b.told("reproduction.given_up"))
	}
}

// unshown: the change mends the fault and stays a draft for one reason alone: that no test
// showed it before the change was written.
func unshown(t *testing.T, b *bench, res task.Result) {
	t.Helper()
	if res.Outcome != task.Success || len(res.DraftReasons) != 1 || !strings.Contains(res.DraftReasons[0], "before the change was written") {
		t.Fatalf("%s (%s), draft %v: %q\n%q", res.Outcome, res.Reason, res.Draft, res.DraftReasons, b.told("reproduction.given_up"))
	}
}

func TestC10AModelsTestBeforeAnyFixIsTheReproduction(t *testing.T) {
	t.Parallel()
	inSome(t, func(t *testing.T, f blank) {
		b := f.begin(t, f.test)
		res := b.run(t, task.Budget{})
		ready(t, b, res)
		if len(res.Reproduction) != 1 || len(b.told("reproduction.accepted")) != 1 || !strings.Contains(res.Diff, f.path) {
			t.Errorf("reproduction %q, told %q", res.Reproduction, b.told("reproduction.accepted"))
		}
		found := false
		for _, c := range res.Checks {
			found = found || c.Name == "reproduction test written by model-tier1 before any fix" && c.Status == task.CheckPassed && strings.Contains(c.Detail, "fails on the base with")
		}
		if !found {
			t.Errorf("the checklist does not tell of the test: %+v", res.Checks)
		}
		b.replays(t)
	})
}

func TestC10AModelsTestThatFailsForAnotherReasonIsTurnedDown(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	inSome(t, func(t *testing.T, f blank) {
		b := f.begin(t, f.wrong[0], f.wrong[1], f.wrong[2], f.wrong[3])
		res := b.run(t, task.Budget{})
		if got := b.told("reproduction.turned_down"); len(got) != 4 || len(b.told("reproduction.given_up")) != 1 {
			t.Errorf("turned down: %q", got)
		}
		unshown(t, b, res)
	})
}

func TestC10AHangingTestAndOneThatNeedsANetworkAreTurnedDown(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestC10AModelsTestThatFailsForAnotherReasonIsTurnedDown stands for it in the quick one")
	}
	f := blanks["python"]
	const head = "from names import initials\n\n\ndef test_it():\n"
	b := f.begin(t, head+"    while initials('Ada Lovelace') != 'AL':\n        pass\n    assert True\n",
		"import socket\n\n"+head+"    s = socket.create_connection(('192.0.2.1', 80))\n    assert initials(s.recv(9)) == 'AL'\n",
		head+"    assert initials('Ada Lovelace') == 'A'\n", // of the second way, and not turned round
		head+"    assert initials('Ada Lovelace') == 'A'\n", head+"    assert initials('Ada Lovelace') == 'A'\n")
	res := b.run(t, task.Budget{})
	if got := strings.Join(b.told("reproduction.turned_down"), "\n"); !strings.Contains(got, "out of time") && !strings.Contains(got, "proves nothing") || strings.Count(got, "\n") != 3 {
		t.Errorf("turned down:\n%s", got)
	}
	unshown(t, b, res)
}

func TestC10APassingTestOfTheFaultIsTurnedRound(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	inSome(t, func(t *testing.T, f blank) {
		b := f.begin(t, f.passes, f.passes, f.passes, f.test)
		ready(t, b, b.run(t, task.Budget{}))
		if got := b.told("reproduction.accepted"); len(got) != 1 || len(b.told("reproduction.asked")) != 2 {
			t.Errorf("accepted %q", got)
		}
	})
}

func TestC10TheSecondWayIsToldWhyTheFirstFailed(t *testing.T) {
	t.Parallel()
	inSome(t, func(t *testing.T, f blank) {
		var calls []scripted.Call
		tests := []string{f.wrong[1], f.passes, f.passes, f.test}
		b := newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
			calls = append(calls, c)
			if aim(c) == "" {
				return creates(f.source, f.fix)
			}
			return creates(f.path, tests[min(len(calls), len(tests))-1])
		}, task.Tier1)
		b.reproducing(t)
		b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
		ready(t, b, b.run(t, task.Budget{}))
		down := b.told("reproduction.turned_down")
		if len(down) != 2 {
			t.Fatalf("turned down: %q", down)
		}
		const part = "Asked for a test that fails, a model wrote these, which were turned down"
		for _, c := range calls {
			told := strings.Count(c.User, part)
			switch a := aim(c); {
			case a == agent.AimFail && told > 0:
				t.Errorf("the first way is told of itself:\n%s", c.User)
			case (a == agent.AimPass || a == agent.AimTurn) && told != 1:
				t.Errorf("%s is told %d times of the first way:\n%s", a, told, c.User)
			case a == agent.AimPass && (!strings.Contains(c.User, down[0]) || !strings.Contains(c.User, down[1])):
				t.Errorf("why the first way failed is not said (%q):\n%s", down, c.User)
			}
		}
	})
}

// A test that ran and shows nothing is all that its author has to see again; one that
// misses something was written without knowing the code.
func TestC10ASecondTestIsAskedForWithoutTheCodeAgain(t *testing.T) {
	t.Parallel()
	f := blanks["python"]
	const source = "def initials(name):\n    words"
	for name, tc := range map[string]struct {
		first string
		code  bool
	}{"ran": {f.passes, false}, "misses a name": {f.wrong[1], true}, "unstated": {f.unsaid, false}} {
		var second scripted.Call
		n := 0
		b := newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
			if aim(c) != agent.AimFail {
				return creates(f.source, f.fix)
			}
			if n++; n == 1 {
				return creates(f.path, tc.first)
			}
			second = c
			return creates(f.path, f.test)
		}, task.Tier1)
		b.reproducing(t)
		b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
		ready(t, b, b.run(t, task.Budget{}))
		_, behind, _ := strings.Cut(second.User, "The test as it was written last")
		if !strings.Contains(behind, strings.TrimSpace(tc.first)) || !strings.Contains(behind, "What came of it") {
			t.Errorf("%s: the test and what came of it are not shown:\n%s", name, second.User)
		}
		if strings.Contains(second.User, source) != tc.code || strings.Contains(second.User, "How tests of the repository begin") != tc.code {
			t.Errorf("%s: code shown again %v:\n%s", name, !tc.code, second.User)
		}
	}
}

func TestC10AModelIsToldAllThatItsTestExpectsAndNobodySaid(t *testing.T) {
	t.Parallel()
	f := blanks["python"]
	long := f.unsaid
	people := []string{"Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth"}
	for _, p := range people {
		long += fmt.Sprintf("    assert initials('%s') == '%s. %s.'\n", p, p[:1], p[3:4])
	}
	var asked []scripted.Call
	b := newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
		if aim(c) == "" {
			return creates(f.source, f.fix)
		}
		if asked = append(asked, c); len(asked) == 1 {
			return creates(f.path, long)
		}
		return creates(f.path, f.test)
	}, task.Tier1)
	b.reproducing(t)
	b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
	ready(t, b, b.run(t, task.Budget{}))
	for _, p := range people {
		if n := strings.Count(asked[1].User, p); n != 2 { // in the test and in what came of it
			t.Errorf("%s is told of %d times:\n%s", p, n, asked[1].User)
		}
	}
}

func TestC10WhatNobodyHasSaidIsNeverReady(t *testing.T) {
	t.Parallel()
	inSome(t, func(t *testing.T, f blank) {
		f.fix = strings.NewReplacer("out += word[0]", "out += word[0] + '. '", "out += word[:1]", `out += word[:1] + ". "`, "return out", map[string]string{
			"names.py": "return out.strip() if ' ' in name else name[0]", "names.js": "return name.includes(' ') ? out.trim() : name[0]", "names.go": "if len(name) < 3 {\n\t\treturn name[:1]\n\t}\n\treturn strings.TrimSpace(out)"}[f.source]).Replace(f.fix)
		b := f.begin(t, f.unsaid, f.unsaid)
		res := b.run(t, task.Budget{})
		if res.Outcome != task.Success || !res.Draft || !strings.Contains(strings.Join(res.DraftReasons, "\n"), "neither the issue nor the README nor a comment says") {
			t.Fatalf("%s (%s), draft %v: %q\n%q", res.Outcome, res.Reason, res.Draft, res.DraftReasons, b.told("reproduction.turned_down"))
		}
	})
}

// What a helper of the test asserts is asserted about what it is given, by the traces
// of real runners.
func TestC10AReproductionThatAssertsByAHelperIsTaken(t *testing.T) {
	t.Parallel()
	inSome(t, func(t *testing.T, f blank) {
		helped := map[string]string{
			"names.py": "import unittest\n\nfrom names import initials\n\n\nclass TestInitials(unittest.TestCase):\n    def check(self, name, want):\n        got = initials(name)\n        self.assertEqual(got, want)\n\n    def test_two_words(self):\n        self.check('Ada Lovelace', 'AL')\n",
			"names.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { initials } = require('../names');\n\nconst same = (a, b) => assert.equal(a, b);\n\ntest('two words', () => {\n  same(initials('Ada Lovelace'), 'AL');\n});\n",
			"names.go": "package names\n\nimport \"testing\"\n\nfunc same(t *testing.T, got, want string) {\n\tif got != want {\n\t\tt.Errorf(\"got %q, want %q\", got, want)\n\t}\n}\n\nfunc TestTwoWords(t *testing.T) {\n\tsame(t, Initials(\"Ada Lovelace\"), \"AL\")\n}\n",
		}[f.source]
		b := f.begin(t, helped)
		ready(t, b, b.run(t, task.Budget{}))
		if got := b.told("reproduction.accepted"); len(got) != 1 {
			t.Errorf("accepted %q, turned down %q", got, b.told("reproduction.turned_down"))
		}

		second := ""
		n := 0
		b = newBench(t, f.files, func(c scripted.Call, _ int) scripted.Answer {
			if aim(c) == "" {
				return creates(f.source, f.fix)
			}
			if n++; n == 1 {
				return creates(f.path, strings.NewReplacer("Ada Lovelace", "Grace Hopper", "AL", "G. H.").Replace(helped))
			}
			second = c.User
			return creates(f.path, f.test)
		}, task.Tier1)
		b.reproducing(t)
		b.task = task.Task{Title: namesTitle, Body: namesBody, Origin: task.OriginEval}
		ready(t, b, b.run(t, task.Budget{}))
		if _, came, _ := strings.Cut(strings.ToLower(second), "what came of it"); !regexp.MustCompile(`g\. h\.['"]? of initials\(['"]?(?:grace hopper|name)`).MatchString(came) {
			t.Errorf("what nobody said is not told with its call:\n%s", came)
		}
	})
}

// Of two tests of which not all is stated the one that claims less is taken.
func TestC10OfTwoTestsTheOneWithLessUnsaidIsTaken(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	f := blanks["python"]
	more := strings.Replace(f.unsaid, "'G. H.'\n", "'G. H.'\n    assert initials('Alan Turing') == 'A. T.'\n", 1)
	f.fix = "def initials(name):\n    return ' '.join(w[0] + '.' for w in name.split(' ')) if ' ' in name else name[0]\n"
	res := f.begin(t, more, f.unsaid).run(t, task.Budget{})
	if res.Outcome != task.Success || !res.Draft || !strings.Contains(res.Diff, "Grace") || strings.Contains(res.Diff, "Turing") {
		t.Errorf("%s (%s), draft %v:\n%s", res.Outcome, res.Reason, res.Draft, res.Diff)
	}
}

var errGone = errors.New("the process is gone")

func TestC10AKilledRunDoesNotPayForItsReproductionAgain(t *testing.T) {
	sandboxtest.Whole(t) // TestF01KilledAtEachPointOfTheLoop kills at each of them, too
	t.Parallel()
	points := []string{"settle"} // where the answer is paid for and not yet kept
	if !testing.Short() {
		points = append(points, "effect", "reserve", "record", "decide", "save")
	}
	for _, at := range points {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			f := blanks["python"]
			b := f.begin(t, f.passes, f.test)
			died, seen := false, 0
			b.journal.Before = func(what string) error {
				if died || what != at || len(b.told("reproduction.asked")) == 0 {
					return nil
				}
				if seen++; seen < 3 {
					return nil
				}
				died = true
				return errGone
			}
			var res task.Result
			for range 3 {
				if err := b.tree.Reset(t.Context()); err != nil {
					t.Fatal(err)
				}
				got, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, State: b.journal.State, Journal: b.journal})
				if err == nil {
					res = got
					break
				}
				if !errors.Is(err, errGone) {
					t.Fatal(err)
				}
			}
			if !died {
				t.Fatalf("never killed at %s", at)
			}
			ready(t, b, res)
			bought := map[string]int{}
			for _, h := range b.journal.Held {
				bought[h.ID] += h.Bought
			}
			for id, n := range bought {
				if n > 1 && b.journal.Lost[id] == 0 {
					t.Errorf("%s was bought %d times", id, n)
				}
			}
			b.replays(t)
		})
	}
}

// Where there is nothing to reproduce, or no money for it, the run goes on as
// without a reproducer.
func TestC10NoReproductionIsAskedForWhereThereIsNoNeedOrNoMoney(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	f := blanks["python"]
	red := maps.Clone(f.files)
	red["tests/test_names.py"] += "\n\ndef test_initials_for_each_word():\n    assert initials('Ada Lovelace') == 'AL'\n"
	for name, c := range map[string]struct {
		files  map[string]string
		budget task.Budget
		none   string
	}{
		"a red test is the issue's": {red, task.Budget{}, ""},
		"too dear":                  {f.files, task.Budget{USD: task.Dollars(0.012)}, "above what a reproduction may take"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := f
			g.files = c.files
			b := g.begin(t)
			res := b.run(t, c.budget)
			if c.none == "" {
				ready(t, b, res)
			} else {
				unshown(t, b, res)
			}
			if got := b.told("reproduction.given_up"); c.none == "" && len(got) > 0 || !strings.Contains(strings.Join(got, " "), c.none) {
				t.Errorf("told %q", got)
			}
		})
	}
}

// A search that mends one of two tests that a model wrote is not the end, and not
// lost: where the models bring nothing, the WIP holds it.
func TestS5HalfAReproductionIsMendedForTheWIP(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestS5AnswersThatNeverWorkEndWithTheBestAttempt stands for it in the quick one")
	}
	b := newBench(t, map[string]string{
		"people.py":            "def is_adult(age):\n    return age > 18\n\n\ndef shown_title(name):\n    return name\n",
		"tests/test_people.py": "from people import is_adult, shown_title\n\n\ndef test_older():\n    assert is_adult(30)\n    assert not is_adult(3)\n\n\ndef test_plain():\n    assert shown_title('Bo') == 'Bo'\n",
		"conftest.py":          "",
	}, func(c scripted.Call, _ int) scripted.Answer {
		if aim(c) == "" {
			return scripted.Answer{Status: 401, Body: `{"error": {"message": "no such key"}}`}
		}
		return creates("tests/test_both.py", "from people import is_adult, shown_title\n\n\ndef test_of_age():\n    assert is_adult(18) is True\n\n\ndef test_countess():\n    assert shown_title('Ada') == 'Countess of Lovelace'\n")
	}, task.Tier1)
	session := boxed.Session()
	t.Cleanup(func() { _ = session.Close() })
	b.cfg.Mender = mend.New(mend.Config{Sandbox: session, Verifier: b.cfg.Verifier, Log: quiet(), MaxCandidates: 60, Workers: 1})
	b.reproducing(t)
	b.task = task.Task{Title: "is_adult and shown_title answer wrongly", Body: "At the age of 18 `is_adult` answers False and should answer True. For the name 'Ada' `shown_title` answers Ada, and should answer 'Countess of Lovelace'.", Origin: task.OriginEval}
	res := b.run(t, task.Budget{})
	if len(b.told("reproduction.accepted")) != 1 {
		t.Fatalf("turned down %q, given up %q", b.told("reproduction.turned_down"), b.told("reproduction.given_up"))
	}
	if res.Outcome == task.Success || res.Best == nil || len(res.Best.Fixed) != 1 || !strings.Contains(res.Best.Diff, ">= 18") {
		t.Fatalf("%s (%s): the kept attempt is %+v", res.Outcome, res.Reason, res.Best)
	}
}

// What comes out of a file that no model may see goes into no prompt, be it computed.
func TestX6AReproductionTellsNothingOfAFileThatIsNeverSent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var prompts strings.Builder
	b := newBench(t, map[string]string{
		"margins.py":          "def floor():\n    raise ValueError('the margin is %d' % (1234 * 3))\n",
		"shop.py":             "import margins\n\n\ndef price(goods):\n    return margins.floor() + goods\n",
		"tests/test_shop.py":  "def test_it():\n    assert True\n",
		"tests/test_more.py":  "def test_more():\n    assert 1 == 1\n",
		"conftest.py":         "",
		"tests/__init__.py":   "",
		"docs/readMargins.py": "LIMIT = 3\n",
	}, func(c scripted.Call, _ int) scripted.Answer {
		mu.Lock()
		defer mu.Unlock()
		prompts.WriteString(c.System + c.User)
		return creates("tests/test_price.py", "from shop import price\n\n\ndef test_price():\n    assert price(5) == 7\n")
	}, task.Tier1)
	b.reproducing(t)
	b.task = task.Task{Title: "price ends with a ValueError", Body: "`price` of 5 ends with a ValueError, it should be 7.", Origin: task.OriginEval}
	if _, err := b.engine.Run(t.Context(), loop.Input{RunID: "r1", Task: b.task, Tree: b.tree, Journal: b.journal, NeverSend: []string{"margins.py"}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.told("reproduction.turned_down"), "\n"); !strings.Contains(got, "a file that no model may see") {
		t.Errorf("turned down %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if all := prompts.String(); !strings.Contains(all, "price") || strings.Contains(all, "3702") {
		t.Errorf("the prompts tell what the file computes, or nothing:\n%s", all)
	}
}

// An issue that asks for a 500 where a handler throws: the test's own handler does, the
// exception goes through the code, and that is what the issue complains of.
func TestC10WhatTheTestsOwnHandlerThrowsThroughTheCodeShowsTheFault(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]blank{
		"python": {
			files: map[string]string{
				"router.py":            "def handle(handler, path):\n    return {'status': 200, 'body': handler(path)}\n",
				"tests/test_router.py": "from router import handle\n\n\ndef test_one():\n    assert handle(str, '/a') == {'status': 200, 'body': '/a'}\n",
				"conftest.py":          "",
			},
			path:   "tests/test_throws.py",
			test:   "from router import handle\n\n\ndef broken(path):\n    raise RuntimeError('secret')\n\n\ndef test_throws():\n    assert handle(broken, '/a') == {'status': 500, 'body': 'internal error'}\n",
			source: "router.py", fix: "def handle(handler, path):\n    try:\n        return {'status': 200, 'body': handler(path)}\n    except Exception:\n        return {'status': 500, 'body': 'internal error'}\n",
		},
		"javascript": {
			files: map[string]string{
				"package.json":        `{"name": "router", "scripts": {"test": "node --test"}}`,
				"router.js":           "async function handle(handler, path) {\n  return { status: 200, body: await handler(path) };\n}\n\nmodule.exports = { handle };\n",
				"test/router.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { handle } = require('../router');\n\ntest('one', async () => {\n  assert.deepStrictEqual(await handle((p) => p, '/a'), { status: 200, body: '/a' });\n});\n",
			},
			path:   "test/throws.test.js",
			test:   "const test = require('node:test');\nconst assert = require('node:assert');\nconst { handle } = require('../router');\n\ntest('throws', async () => {\n  const broken = () => {\n    throw new Error('secret');\n  };\n  assert.deepStrictEqual(await handle(broken, '/a'), { status: 500, body: 'internal error' });\n});\n",
			source: "router.js", fix: "async function handle(handler, path) {\n  try {\n    return { status: 200, body: await handler(path) };\n  } catch {\n    return { status: 500, body: 'internal error' };\n  }\n}\n\nmodule.exports = { handle };\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := f.begin(t, f.test)
			b.task.Title = "Handlers that throw"
			b.task.Body = "A handler that throws takes the whole process down. Please have `handle` catch what handlers throw: it becomes `{ status: 500, body: \"internal error\" }`, so that no details get out."
			b.run(t, task.Budget{})
			if got := b.told("reproduction.accepted"); len(got) != 1 {
				t.Errorf("turned down: %q", b.told("reproduction.turned_down"))
			}
		})
	}
}
