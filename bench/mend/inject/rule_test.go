package inject

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

// planted gives the texts that a rule makes of a small file.
func planted(t *testing.T, rule, path, src string) []string {
	t.Helper()
	faults, err := Faults(t.Context(), path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range faults {
		if f.Rule != rule {
			continue
		}
		if ok, err := f.Parses(t.Context(), []byte(src)); err != nil {
			t.Fatal(err)
		} else if ok {
			out = append(out, string(f.Apply([]byte(src))))
		}
	}
	return out
}

// A case is a small file of a language (by its ending), and how a piece of it
// looks after the rule.
type example struct{ rule, path, src, old, after string }

var examples = []example{
	{"missing-guard", "a.py", "def f(a):\n    if not a:\n        return 0\n    return a[0]\n", "    if not a:\n        return 0\n", ""},
	{"missing-guard", "a.go", "package p\n\nfunc f(a []int) int {\n\tif len(a) == 0 {\n\t\treturn 0\n\t}\n\treturn a[0]\n}\n", "\tif len(a) == 0 {\n\t\treturn 0\n\t}\n", ""},
	{"missing-guard", "a.js", "function f(a) {\n  if (!a) return 0\n  return a[0]\n}\n", "  if (!a) return 0\n", ""},
	{"lost-condition", "a.py", "def f(a, b):\n    if a and b:\n        g()\n    return 1\n", "a and b", "a"},
	{"lost-condition", "a.go", "package p\n\nfunc f(a, b bool) bool {\n\treturn a || b\n}\n", "a || b", "b"},
	{"lost-condition", "a.js", "function f(a, b) {\n  if (a && !b) g()\n}\n", "a && !b", "!b"},
	{"missing-statement", "a.py", "def f(a):\n    a.sort()\n    return a\n", "    a.sort()\n", ""},
	{"missing-statement", "a.go", "package p\n\nfunc f(n int) int {\n\tn = n * 2\n\treturn n\n}\n", "\tn = n * 2\n", ""},
	{"missing-statement", "a.js", "function f(a) {\n  a.push(1)\n  return a\n}\n", "  a.push(1)\n", ""},
	{"copy-paste", "a.py", "def f(o, p):\n    o.left = p.left\n    o.right = p.right\n", "p.right", "p.left"},
	{"copy-paste", "a.go", "package p\n\nfunc f(o, q *T) {\n\to.A = q.A\n\to.B = q.B\n}\n", "o.B = q.B", "o.A = q.B"},
	{"copy-paste", "a.js", "function f(o, p) {\n  return o.a === p.b && o.c === p.d\n}\n", "o.c === p.d", "o.c === p.b"},
	{"missing-case", "a.py", "def f(a):\n    if a == 1:\n        return 2\n    elif a == 2:\n        return 3\n    else:\n        return 4\n", "    elif a == 2:\n        return 3\n", ""},
	{"missing-case", "a.go", "package p\n\nfunc f(a int) int {\n\tswitch a {\n\tcase 1:\n\t\treturn 2\n\tcase 3, 4:\n\t\treturn 5\n\t}\n\treturn 0\n}\n", "3, 4", "3"},
	{"missing-case", "a.js", "const table = {a: 1, b: 2, c: 3}\n", ", c: 3", ""},
	{"missing-case", "b.js", "function f(a) {\n  if (a === 1) {\n    g()\n  } else if (a === 2) {\n    h()\n  } else {\n    i()\n  }\n}\n", "else if (a === 2) {\n    h()\n  } else", "else"},
	{"missing-case", "b.go", "package p\n\nfunc f(a int) {\n\tif a == 1 {\n\t\tg()\n\t} else if a == 2 {\n\t\th()\n\t}\n}\n", " else if a == 2 {\n\t\th()\n\t}", ""},
	{"missing-conversion", "a.py", "def f(a):\n    return a.strip().lower()\n", ".strip()", ""},
	{"missing-conversion", "b.py", "def f(a):\n    return [escape(a)]\n", "escape(a)", "a"},
	{"missing-conversion", "a.go", "package p\n\nfunc f(a string) string {\n\treturn strings.TrimPrefix(a, \"v\")\n}\n", "strings.TrimPrefix(a, \"v\")", "a"},
	{"missing-conversion", "a.js", "function f(a) {\n  return a.toLowerCase()\n}\n", ".toLowerCase()", ""},
	{"lost-term", "a.py", "def f(a, b):\n    return a + b\n", "a + b", "b"},
	{"lost-term", "a.go", "package p\n\nfunc f(a, b int) int {\n\treturn a - b\n}\n", "a - b", "a"},
	{"lost-term", "a.js", "function f(a, b) {\n  return `${a}-${b}`\n}\n", "${b}", ""},
	{"wrong-nesting", "a.py", "def f(a):\n    n = 0\n    for x in a:\n        n += x\n    return n\n", "    return n\n", "        return n\n"},
	{"wrong-nesting", "a.go", "package p\n\nfunc f(a []int) {\n\tfor _, x := range a {\n\t\tg(x)\n\t\th()\n\t}\n}\n", "\t\th()\n\t}\n", "\t}\n\th()\n"},
	{"wrong-nesting", "a.js", "function f(a) {\n  for (const x of a) {\n    g(x)\n  }\n  h()\n}\n", "  }\n  h()\n", "    h()\n  }\n"},
	{"stale-variable", "a.py", "def f(a):\n    b = g(a)\n    return h(b)\n", "h(b)", "h(a)"},
	{"stale-variable", "a.go", "package p\n\nfunc f(a int) int {\n\tb := g(a)\n\treturn h(b, b)\n}\n", "h(b, b)", "h(b, a)"},
	{"stale-variable", "a.js", "function f(a) {\n  const b = g(a)\n  return h(b)\n}\n", "h(b)", "h(a)"},
	{"wrong-text", "a.py", "def f(a):\n    return a['left'] + a['right']\n", "'left'", "'right'"},
	{"wrong-text", "a.go", "package p\n\nfunc f(a int) string {\n\treturn fmt.Sprintf(\"%02d\", a)\n}\n", "%02d", "%d"},
	{"wrong-text", "a.js", "function f(a) {\n  return a.join(', ')\n}\n", "', '", "','"},
	{"missing-argument", "a.py", "def f(a):\n    return sorted(a, key=len)\n", ", key=len", ""},
	{"missing-argument", "a.js", "function f(a) {\n  return parseInt(a, 10)\n}\n", ", 10", ""},
	{"swapped-steps", "a.py", "def f(a):\n    a.x = 1\n    a.go()\n", "    a.x = 1\n    a.go()\n", "    a.go()\n    a.x = 1\n"},
	{"swapped-steps", "a.go", "package p\n\nfunc f(n int) {\n\tn = n + 1\n\tg(n)\n}\n", "\tn = n + 1\n\tg(n)\n", "\tg(n)\n\tn = n + 1\n"},
	{"swapped-steps", "a.js", "function f(a) {\n  a.x = 1\n  g(a)\n}\n", "  a.x = 1\n  g(a)\n", "  g(a)\n  a.x = 1\n"},
	{"wrong-default", "a.py", "def f(a, deep=True):\n    return a\n", "deep=True", "deep=False"},
	{"wrong-default", "b.py", "def f(a):\n    b = a or 'x'\n    return b\n", "a or 'x'", "a"},
	{"wrong-default", "a.go", "package p\n\nfunc f(a string) string {\n\tif a == \"\" {\n\t\ta = \"x\"\n\t}\n\treturn a\n}\n", "\tif a == \"\" {\n\t\ta = \"x\"\n\t}\n", ""},
	{"wrong-default", "a.js", "function f(a) {\n  const b = a ?? 1\n  return b\n}\n", "a ?? 1", "a"},
	{"loop-exit", "a.py", "def f(a):\n    for x in a:\n        if x:\n            continue\n        g(x)\n", "continue", "break"},
	{"loop-exit", "a.go", "package p\n\nfunc f(a []int) (n int) {\n\tfor _, x := range a {\n\t\tif x > 0 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn\n}\n", "\t\t\tn++\n", "\t\t\tn++\n\t\t\tbreak\n"},
	{"loop-exit", "a.js", "function f(a) {\n  for (const x of a) {\n    if (x) {\n      g(x)\n      break\n    }\n  }\n}\n", "      break\n", ""},
	{"forgotten-end", "a.py", "def f(a):\n    return a[1:]\n", "a[1:]", "a[:]"},
	{"forgotten-end", "a.go", "package p\n\nfunc f(a []int) int {\n\treturn a[len(a)-1]\n}\n", "a[len(a)-1]", "a[0]"},
	{"forgotten-end", "a.js", "function f(a) {\n  return a.slice(1)\n}\n", ".slice(1)", ""},
	{"wrong-scale", "a.py", "STEP = 1024\n", "1024", "1000"},
	{"wrong-scale", "a.go", "package p\n\nconst day = 24 * hour\n", "24", "12"},
	{"wrong-scale", "a.js", "const max = 255\n", "255", "25"},
	{"wrong-regex", "a.py", "import re\nWORD = re.compile(r'\\w+$')\n", "+$", "$"},
	{"wrong-regex", "a.go", "package p\n\nvar word = regexp.MustCompile(`^a(b|cd)`)\n", "|cd", ""},
	{"wrong-regex", "a.js", "const word = /^a+$/\n", "^a", "a"},
	{"misplaced-reset", "a.py", "def f(a):\n    n = 0\n    for x in a:\n        n += x\n    return n\n", "        n += x\n", "        n = 0\n        n += x\n"},
	{"misplaced-reset", "a.go", "package p\n\nfunc f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tn += x\n\t}\n\treturn n\n}\n", "\t\tn += x\n", "\t\tn = 0\n\t\tn += x\n"},
	{"misplaced-reset", "a.js", "function f(a) {\n  let n = 0\n  for (const x of a) {\n    n += x\n  }\n  return n\n}\n", "    n += x\n", "    n = 0\n    n += x\n"},
	{"wrong-error", "a.py", "def f(a):\n    try:\n        return a[0]\n    except (KeyError, OSError):\n        return 0\n", "(KeyError, OSError)", "KeyError"},
	{"wrong-error", "a.go", "package p\n\nfunc f() (int, error) {\n\tn, err := g()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn n, nil\n}\n", "return 0, err", "return 0, nil"},
	{"wrong-error", "a.js", "function f(a) {\n  throw new RangeError(a)\n}\n", "RangeError", "TypeError"},
	{"shared-state", "a.py", "def f(a):\n    b = a.copy()\n    b.append(1)\n    return b\n", "a.copy()", "a"},
	{"shared-state", "a.go", "package p\n\nfunc f(a []int) []int {\n\tb := slices.Clone(a)\n\treturn b\n}\n", "slices.Clone(a)", "a"},
	{"shared-state", "a.js", "function f(a) {\n  const b = [...a]\n  return b\n}\n", "[...a]", "a"},
}

func TestARulePlantsWhatItsNameSays(t *testing.T) {
	t.Parallel()
	for _, e := range examples {
		t.Run(e.rule+"/"+e.path, func(t *testing.T) {
			t.Parallel()
			want := strings.Replace(e.src, e.old, e.after, 1)
			if want == e.src {
				t.Fatalf("the example changes nothing: %q is not in it", e.old)
			}
			if got := planted(t, e.rule, e.path, e.src); !slices.Contains(got, want) {
				t.Fatalf("not among the faults:\n%s\nbut these are:\n%s", want, strings.Join(got, "---\n"))
			}
		})
	}
}

func TestEveryRuleIsShownInEachLanguageItIsFor(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		for _, lang := range []code.Language{code.Python, code.JavaScript, code.Go} {
			shown := slices.ContainsFunc(examples, func(e example) bool { return e.rule == r && code.LanguageOf(e.path) == lang })
			if !shown && (r != "missing-argument" || lang != code.Go) {
				t.Errorf("no example of %s in %s", r, lang)
			}
		}
	}
}

func TestCodeWithNothingToForgetGetsNoFault(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.py": "def f(a):\n    \"\"\"Gives it back.\"\"\"\n    return a\n",
		"a.go": "package p\n\nfunc f(a int) int { return a }\n",
		"a.js": "function f(a) {\n  return a\n}\n",
		"b.py": "def f(a:\n",
	} {
		faults, err := Faults(t.Context(), path, []byte(src))
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: %v, %v", path, faults, err)
		}
	}
}

func TestAFaultIsSmallKnowsItsPlaceAndIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	for _, e := range examples {
		first, err := Faults(t.Context(), e.path, []byte(e.src))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Faults(t.Context(), e.path, []byte(e.src))
		if err != nil || len(first) != len(again) {
			t.Fatalf("%d faults, then %d: %v", len(first), len(again), err)
		}
		keys := map[string]bool{}
		for i, f := range first {
			if f.Key() != again[i].Key() || keys[f.Key()] {
				t.Errorf("%s: the key %s is another the second time, or doubled", e.path, f.Key())
			}
			keys[f.Key()] = true
			if f.Line < 1 || f.Line > strings.Count(e.src, "\n") || f.Lines > maxLines+1 {
				t.Errorf("%s: line %d, %d lines", f.Rule, f.Line, f.Lines)
			}
			if strings.Contains(e.src, "f(") && f.Function != "f" && !strings.HasPrefix(e.src, "import") && !strings.Contains(e.src, "f(b|") && strings.Contains(e.src, " f(") {
				t.Errorf("%s in %s: function %q", f.Rule, e.path, f.Function)
			}
		}
	}
}

func TestEditsOutsideOfAFaultChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "src")
		var f Fault
		at := 0
		for at < len(src) && len(f.Edits) < 3 {
			start := rapid.IntRange(at, len(src)).Draw(t, "start")
			end := rapid.IntRange(start, len(src)).Draw(t, "end")
			f.Edits = append(f.Edits, Edit{start, end, rapid.String().Draw(t, "text")})
			at = end + 1
		}
		want := string(src)
		for _, e := range slices.Backward(f.Edits) {
			want = want[:e.Start] + e.Text + want[e.End:]
		}
		if got := string(f.Apply(src)); got != want {
			t.Fatalf("%q instead of %q", got, want)
		}
	})
}

// FuzzFaults holds the rules against any text: none may panic, and each fault
// lies in the text and changes it.
func FuzzFaults(f *testing.F) {
	for _, e := range examples {
		f.Add(e.path, e.src)
	}
	f.Fuzz(func(t *testing.T, path, src string) {
		if len(src) > 2000 || !slices.Contains([]code.Language{code.Python, code.JavaScript, code.Go}, code.LanguageOf(path)) {
			t.Skip()
		}
		faults, err := Faults(context.Background(), path, []byte(src))
		if err != nil {
			t.Skip()
		}
		for _, fault := range faults {
			if string(fault.Apply([]byte(src))) == src {
				t.Errorf("%s at line %d changes nothing", fault.Rule, fault.Line)
			}
		}
	})
}
