package apart

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// C5: tests that were added to a file of the base stand in a new one, with what they need
// and nothing else.
func TestC5AddedTestsGetAFileOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, before, after, to, want string }{
		"python": {"tests/test_shift.py",
			"import json\nfrom datetime import date\n\nimport pytest\n\nfrom plan import day, week\n\nEASTER = {date(2024, 4, 1)}\n\n\n@pytest.fixture\ndef clock():\n    return date(2024, 1, 1)\n\n\ndef test_week():\n    assert week(json.loads('1')) == 1\n",
			"import json\nfrom datetime import date\n\nimport pytest\n\nfrom plan import day, week, year\n\nEASTER = {date(2024, 4, 1)}\n\n\n@pytest.fixture\ndef clock():\n    return date(2024, 1, 1)\n\n\ndef test_week():\n    assert week(json.loads('1')) == 1\n\n\n# as README says\n@pytest.mark.parametrize('n', [1])\ndef test_holidays_in_a_row(clock, n):\n    assert day(clock, EASTER) == year(n)\n",
			"tests/test_holidays_in_a_row.py",
			"from datetime import date\nimport pytest\nfrom plan import day, year\n\n\nEASTER = {date(2024, 4, 1)}\n\n\n@pytest.fixture\ndef clock():\n    return date(2024, 1, 1)\n\n\n# as README says\n@pytest.mark.parametrize('n', [1])\ndef test_holidays_in_a_row(clock, n):\n    assert day(clock, EASTER) == year(n)\n"},
		"javascript": {"test/fare.test.js",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst { fare } = require('../src/fare');\n\nconst GROUP = 10;\n\ntest('one', () => {\n  assert.equal(fare(1), 5);\n});\n",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst { fare } = require('../src/fare');\n\nconst GROUP = 10;\n\ntest('one', () => {\n  assert.equal(fare(1), 5);\n});\n\ntest('bicycles do not make a group', () => {\n  assert.equal(fare(GROUP), 7);\n});\n",
			"test/bicycles-do-not-make-a.test.js",
			"const test = require('node:test');\nconst assert = require('node:assert');\nconst { fare } = require('../src/fare');\n\nconst GROUP = 10;\n\ntest('bicycles do not make a group', () => {\n  assert.equal(fare(GROUP), 7);\n});\n"},
		"go, two of four": {"fare_test.go", "package fare\n\nimport (\n\t\"strings\"\n\t\"testing\"\n\n\t_ \"example.org/driver/v2\"\n\tset \"example.org/go-set\"\n)\n\nfunc TestOne(t *testing.T) { set.Of(strings.ToUpper(Fare())) }\n",
			"package fare\n\nimport (\n\t\"strings\"\n\t\"testing\"\n\n\t_ \"example.org/driver/v2\"\n\tset \"example.org/go-set\"\n)\n\nfunc TestOne(t *testing.T) { set.Of(strings.ToUpper(Fare())) }\n\nfunc TestTwo(t *testing.T) { set.Of(Fare()) }\n",
			"two_test.go", "package fare\n\nimport (\n\t\"testing\"\n\t_ \"example.org/driver/v2\"\n\tset \"example.org/go-set\"\n)\n\nfunc TestTwo(t *testing.T) { set.Of(Fare()) }\n"},
		"javascript, modules": {"a.spec.ts", "import { describe, it } from 'vitest';\nimport type { Fare } from './fare';\nimport './setup';\n\nit('one', () => {});\n", "import { describe, it } from 'vitest';\nimport type { Fare } from './fare';\nimport './setup';\n\nit('one', () => {});\n\nit('two', () => { f(); });\n",
			"two.spec.ts", "import { describe, it } from 'vitest';\nimport './setup';\n\nit('two', () => { f(); });\n"},
		"go": {"fare_test.go",
			"package fare\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc want(s string) string { return strings.ToUpper(s) }\n\nfunc TestOne(t *testing.T) {\n\tif Fare() != want(\"a\") {\n\t\tt.Error()\n\t}\n}\n",
			"package fare\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc want(s string) string { return strings.ToUpper(s) }\n\nfunc TestOne(t *testing.T) {\n\tif Fare() != want(\"a\") {\n\t\tt.Error()\n\t}\n}\n\nfunc TestFareOfAGroup(t *testing.T) {\n\tif Fare() != want(\"b\") {\n\t\tt.Error()\n\t}\n}\n",
			"fare_of_a_group_test.go",
			"package fare\n\nimport \"testing\"\n\nfunc TestFareOfAGroup(t *testing.T) {\n\tif Fare() != want(\"b\") {\n\t\tt.Error()\n\t}\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to, text, ok, err := File(t.Context(), c.path, []byte(c.before), []byte(c.after), func(string) bool { return false })
			if err != nil || !ok || to != c.to || string(text) != c.want {
				t.Errorf("%t %v\n%s\n%s", ok, err, to, text)
			}
			if again, _, _, _ := File(t.Context(), c.path, []byte(c.before), []byte(c.after), func(p string) bool { return p == c.to }); again == c.to || !code.IsTest(again) {
				t.Errorf("a path that is taken: %s", again)
			}
		})
	}
}

// C6: a file of which anything was changed or taken away, or to whose own tests something
// was added, is none that was added to.
func TestC6AChangedTestFileIsNotTakenApart(t *testing.T) {
	t.Parallel()
	const before = "import plan\n\n\ndef test_a():\n    assert plan.a() == 1\n\n\ndef test_b():\n    assert plan.b() == 2\n"
	more := "\n\ndef test_c():\n    assert plan.c() == 3\n"
	for name, after := range map[string]string{
		"changed":       strings.Replace(before, "== 2", "== 3", 1) + more,
		"taken away":    strings.Split(before, "\n\n\ndef test_b")[0] + "\n" + more,
		"turned round":  "import plan\n\n\ndef test_b():\n    assert plan.b() == 2\n\n\ndef test_a():\n    assert plan.a() == 1\n" + more,
		"within a test": before + "    assert plan.b() != 3\n",
		"no test":       before + "\n\nLIMIT = 3\n",
		"not readable":  before + "\n\ndef test_c(:\n",
		"the same":      before,
	} {
		if to, text, ok, err := File(t.Context(), "tests/test_plan.py", []byte(before), []byte(after), func(string) bool { return false }); ok || err != nil {
			t.Errorf("%s: taken apart as %s (%v):\n%s", name, to, err, text)
		}
	}
	if _, _, ok, err := File(t.Context(), "tests/plan_test.rb", []byte("a\n"), []byte("a\nb\n"), nil); ok || err != nil {
		t.Errorf("a language that is not known: %t %v", ok, err)
	}
}

func FuzzApart(f *testing.F) {
	f.Add("import a\n\n\ndef test_a():\n    assert a.b() == 1\n", "\n\ndef test_b():\n    assert a.c() == 1\n")
	f.Fuzz(func(t *testing.T, before, more string) {
		for _, name := range []string{"test_a.py", "a.test.js", "a_test.go"} {
			to, text, ok, err := File(t.Context(), name, []byte(before), []byte(before+more), func(p string) bool { return p == name })
			if err != nil {
				continue
			}
			if ok && (to == name || !code.IsTest(to) || len(text) > 2*len(before+more)+100) {
				t.Errorf("%s: %d bytes of %q and %q", to, len(text), before, more)
			}
		}
	})
}
