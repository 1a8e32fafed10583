package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// forgery is a patch that does not mend anything but wants to be judged green.
type forged struct {
	name    string
	fixture string
	files   map[string]string               // written into the tree
	append  map[string]string               // added at the end of a base file
	prepend map[string]string               // added at its beginning
	replace [2]string                       // in the fixture's source: what by what
	says    string                          // part of a reason
	more    func(t *testing.T, out Verdict) // what else must hold
}

// The patches of TRUST S12b. Each must end red or, for what it reaches for, as a
// draft, whatever it prints or returns.
var forgeries = []forged{
	{name: "os._exit at import", fixture: "pytest",
		prepend: map[string]string{"shop/cart.py": "__import__('os')._exit(0)\n"}, says: "cannot be run now"},
	{name: "os._exit in a function", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\n\ndef total(prices):\n    __import__('os')._exit(0)\n"}, says: "turned red"},
	{name: "os._exit is named", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\nimport os\n\ndef total(prices):\n    os._exit(0)\n"}, says: "controls processes"},
	{name: "a green report printed, then exit", fixture: "unittest",
		prepend: map[string]string{"shop.py": "import sys\nprint('Ran 3 tests in 0.001s\\n\\nOK')\nprint('{\"k\": \"end\"}')\nsys.stdout.flush()\nsys.exit(0)\n"},
		says:    "cannot be run now"},
	{name: "conftest.py that rewrites outcomes", fixture: "pytest", files: map[string]string{
		"conftest.py":       "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    got = yield\n    got.get_result().outcome = 'passed'\n",
		"tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef prices():\n    return []\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    got = yield\n    got.get_result().outcome = 'passed'\n",
	}, says: "no test that failed before passes now"},
	{name: "a module in the place of a library's", fixture: "pytest", files: map[string]string{
		"difflib.py": "def ndiff(a, b):\n    return []\n", "json.py": "def dumps(*a, **k):\n    return '{}'\n", "pytest.py": "", "sitecustomize.py": "import os\nos._exit(0)\n",
	}, says: "takes the place of the module"},
	{name: "sitecustomize alone", fixture: "pytest", files: map[string]string{
		"sitecustomize.py": "import os\nos._exit(0)\n", "usercustomize.py": "import os\nos._exit(0)\n", "tests/sitecustomize.py": "import os\nos._exit(0)\n",
	}, says: "no test that failed before passes now"},
	{name: "tests deselected by configuration", fixture: "pytest", files: map[string]string{
		"pytest.ini": "[pytest]\naddopts = -k label\n", "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--deselect tests/test_cart.py::test_total'\n",
		"tox.ini": "[pytest]\naddopts = --collect-only\n",
	}, says: "no test that failed before passes now"},
	{name: "no test collected", fixture: "pytest", files: map[string]string{
		"setup.cfg": "[tool:pytest]\npython_files = nothing_*.py\n", "tests/test_cart.py": "",
	}, says: "no test that failed before passes now"},
	{name: "the test's expectation is changed", fixture: "pytest", files: map[string]string{
		"tests/test_cart.py": "def test_total():\n    assert True\n\ndef test_mean_of_nothing():\n    assert True\n",
	}, says: "no test that failed before passes now"},
	{name: "assertEqual replaced", fixture: "unittest",
		prepend: map[string]string{"shop.py": "import importlib\n_c = importlib.import_module('unittest.' + 'case')\n_c.TestCase.assertEqual = lambda *a, **k: None\n"},
		says:    "TamperedHarness"},
	{name: "assertEqual's code replaced", fixture: "unittest",
		prepend: map[string]string{"shop.py": "import importlib\n_c = importlib.import_module('unittest.' + 'case')\n\ndef _same(self, first, second, msg=None):\n    return None\n\n_c.TestCase._baseAssertEqual.__code__ = _same.__code__\n_c.TestCase.assertEqual.__code__ = _same.__code__\n"},
		says:    "TamperedHarness"},
	{name: "the runner's functions replaced", fixture: "pytest",
		prepend: map[string]string{"shop/cart.py": "import importlib\n_p = importlib.import_module('_py' + 'test.python')\n_p.Function.runtest = lambda self: None\n"},
		says:    "TamperedHarness"},
	{name: "a builtin replaced", fixture: "pytest",
		prepend: map[string]string{"shop/cart.py": "import importlib\n_b = importlib.import_module('built' + 'ins')\n_b.AssertionError = type('Quiet', (BaseException,), {})\n"},
		says:    "TamperedHarness"},
	{name: "skip raised in the function", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\n\ndef total(prices):\n    m = __import__('pytest')\n    getattr(m, 'skip')('not today')\n\n\ndef label(name):\n    return total(name)\n"},
		says:   "not seen to run and pass", more: func(t *testing.T, out Verdict) {
			if !slices.Contains(out.Missing, "pytest:.:tests/test_cart.py::test_label[a-A]") {
				t.Errorf("missing: %q", out.Missing)
			}
		}},
	{name: "SkipTest raised in the function", fixture: "unittest",
		append: map[string]string{"shop.py": "\n\ndef label(name):\n    raise getattr(__import__('unit' + 'test'), 'Skip' + 'Test')('no')\n\n\ndef total(prices):\n    return label('')\n"},
		says:   "not seen to run and pass"},
	{name: "SystemExit raised in the function", fixture: "unittest",
		append: map[string]string{"shop.py": "\n\ndef total(prices):\n    raise SystemExit(0)\n"}, says: "turned red"},
	{name: "records written to every descriptor", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\n\ndef total(prices):\n    import os\n    for fd in range(3, 40):\n        try:\n            os.write(fd, b'00 [1, \"result\", {\"id\": \"x\", \"status\": \"passed\"}]\\n')\n        except OSError:\n            pass\n    return 6\n"},
		says:   "was written"},
	{name: "result files written to /out", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\n\nimport os\nfor _n in os.listdir('/out') + ['a.jsonl']:\n    open('/out/' + _n, 'w').write('{\"k\":\"begin\"}\\n{\"k\":\"end\"}\\n')\nos.kill(os.getppid(), 9)\n"},
		says:   "cannot be run now"},
	{name: "an object equal to everything", fixture: "pytest",
		append: map[string]string{"shop/cart.py": "\n\nclass Any(int):\n    def __eq__(self, other):\n        return True\n\n\ndef total(prices):\n    return Any()\n"},
		says:   "decides what it is equal to"},
	{name: "process.exit in a module", fixture: "node",
		prepend: map[string]string{"lib/cart.js": "console.log('# pass 4\\n# fail 0');\nprocess.exit(0);\n"}, says: "not seen to run and pass"},
	{name: "process.exit in a function", fixture: "node",
		prepend: map[string]string{"lib/cart.js": "String.prototype.toUpperCase = () => process.exit(0);\n"}, says: "turned red"},
	{name: "node's configuration and tests changed", fixture: "node", files: map[string]string{
		"package.json":      `{"name": "shop", "type": "module", "scripts": {"test": "node --test other"}}`,
		"test/cart.test.js": "import test from 'node:test';\ntest('total adds', () => {});\n", "test/more.test.js": "import test from 'node:test';\ntest('total adds', () => {});\n",
	}, says: "no test that failed before passes now"},
	{name: "os.Exit in init", fixture: "go", files: map[string]string{
		"cart/zz.go": "package cart\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc init() {\n\tfmt.Print(\"\\026=== RUN   TestTotal\\n\\026--- PASS: TestTotal (0.00s)\\n\\026=== RUN   TestTotal/three\\n\\026    --- PASS: TestTotal/three (0.00s)\\n\\026=== RUN   TestTotal/none\\n\\026    --- PASS: TestTotal/none (0.00s)\\n\\026=== RUN   TestFirst\\n\\026--- PASS: TestFirst (0.00s)\\n\\026=== RUN   TestLast\\n\\026--- PASS: TestLast (0.00s)\\nPASS\\n\")\n\tos.Exit(0)\n}\n",
	}, says: ""},
	{name: "a green report printed by go code", fixture: "go", files: map[string]string{
		"cart/zz.go": "package cart\n\nimport \"fmt\"\n\nvar mark = string(rune(22))\n\nfunc init() {\n\tfor _, n := range []string{\"TestTotal\", \"TestTotal/three\", \"TestFirstOfNone\"} {\n\t\tfmt.Printf(\"%s=== RUN   %s\\n%s--- PAS%s: %s (0.00s)\\n\", mark, n, mark, \"S\", n)\n\t}\n}\n",
	}, says: ""},
	{name: "a TestMain added", fixture: "go", files: map[string]string{
		"cart/main_test.go": "package cart\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n",
		"cart/new_test.go":  "package cart\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {}\n",
	}, says: "no test that failed before passes now"},
}

// judged is the verdict on the patch.
func (f forged) judged(t *testing.T) Verdict {
	t.Helper()
	r := open(t, f.fixture)
	f.write(t, r)
	return judge(t, verifier(t), Judge{Dir: r.dir, Base: r.base, Baseline: baselines(t, f.fixture)})
}

// write lays the patch into the tree.
func (f forged) write(t *testing.T, r repository) {
	t.Helper()
	source := mends[f.fixture][0]
	texts := map[string]string{}
	if f.replace[0] != "" {
		texts[source] = strings.Replace(readBase(t, r, source), f.replace[0], f.replace[1], 1)
	}
	text := func(name string) string {
		if texts[name] == "" {
			texts[name] = readBase(t, r, name)
		}
		return texts[name]
	}
	for name, more := range f.append {
		texts[name] = text(name) + more
	}
	for name, more := range f.prepend {
		texts[name] = more + text(name)
	}
	for name, all := range f.files {
		texts[name] = all
	}
	for name, all := range texts {
		r.write(t, name, all)
	}
}

func TestS12bForgedResultsAreRejected(t *testing.T) {
	t.Parallel()
	each := 3
	if sandboxtest.Quick() {
		each = 6
	}
	for _, f := range some(forgeries, each) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			out := f.judged(t)
			told := strings.Join(out.Reasons, "\n")
			for _, x := range out.Failures {
				told += "\n" + x.Exception + " " + x.Message
			}
			for _, x := range out.Reach {
				told += "\n" + x.String()
			}
			if out.Green && len(out.Reach) == 0 || !out.Green && len(out.Reasons) == 0 {
				t.Fatalf("it was judged green: %+v", out)
			}
			if !strings.Contains(told, f.says) {
				t.Errorf("the verdict does not say %q:\n%s", f.says, told)
			}
			if f.more != nil {
				f.more(t, out)
			}
		})
	}
}

func TestS12eANewTestThatReadsTheSourceIsADoubt(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	v := verifier(t)
	for name, c := range map[string]struct {
		test  string
		reads bool
	}{
		"honest":        {"from shop import one\n\ndef test_one():\n    assert one(2) == 1\n", false},
		"its source":    {"import inspect, shop\n\ndef test_one():\n    assert 'n - 1' in inspect.getsource(shop.one)\n", true},
		"the traceback": {"import traceback, shop\n\ndef test_one():\n    try:\n        shop.one('')\n    except TypeError as e:\n        assert traceback.extract_tb(e.__traceback__)[-1].line == 'return n - 1'\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := from(t, "-- shop.py --\ndef one(n):\n    return n + 0\n\ndef two(n):\n    return n + 1\n-- test_two.py --\nfrom shop import two\n\ndef test_two():\n    assert two(1) == 2\n")
			base := baseline(t, v, r)
			r.write(t, "test_new.py", c.test)
			r.write(t, "shop.py", "def one(n):\n    return n - 1\n\ndef two(n):\n    return n + 1\n")
			out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base, NewTests: []string{"test_new.py"}})
			if doubt := strings.Contains(strings.Join(out.Doubts, "\n"), ReadsSource); !out.Green || doubt != c.reads {
				t.Errorf("green %t, %q, %q", out.Green, out.Reasons, out.Doubts)
			}
		})
	}
}

func TestS12bAddedTestsAndNewTestsAreToldApart(t *testing.T) {
	t.Parallel()
	v, r := verifier(t), open(t, "pytest")
	base := baselines(t, "pytest")
	r.write(t, "tests/test_added.py", "def test_added():\n    assert True\n")
	r.write(t, "shop/cart.py", strings.Replace(readBase(t, r, "shop/cart.py"), "prices[1:]", "prices", 1))
	out := judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base})
	if !out.Green || strings.Contains(out.Checks[1].Name, "7") || !slices.Equal(out.Restored, []string{"tests/test_added.py"}) {
		t.Errorf("an added test that nobody asked for was run: %+v", out)
	}
	out = judge(t, v, Judge{Dir: r.dir, Base: r.base, Baseline: base, NewTests: []string{"tests/test_added.py"}})
	if !out.Green || !strings.Contains(out.Checks[1].Name, "7 tests") {
		t.Errorf("the new test was not run: %+v", out)
	}
}
