package code

import "testing"

func TestC8AStatementThatRaisesIsKnownByItsLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, src, want string
		line            int
	}{
		{"a.py", "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x\n", "raise ValueError('negative')", 3},
		{"a.py", "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x\n", "", 4},
		{"a.py", "def f(x):\n    raise ValueError(\n        'negative'\n    )\n", "raise ValueError(\n        'negative'\n    )", 3},
		{"a.js", "function f(x) {\n  if (x < 0) throw new RangeError('negative');\n  return x;\n}\n", "throw new RangeError('negative');", 2},
		{"a.js", "function fail(m) {\n  return new ParseError(m);\n}\n", "new ParseError(m)", 2},
		{"a.js", "function f(x) {\n  return new Map(x);\n}\n", "", 2},
		{"a.go", "package a\n\nfunc f(x int) {\n\tpanic(\"negative\")\n}\n", "panic(\"negative\")", 4},
		{"a.go", "package a\n\nfunc f(x []int) int {\n\treturn x[3]\n}\n", "", 4},
		{"a.rs", "fn f() {\n    panic!(\"no\");\n}\n", "panic!(\"no\")", 2},
		{"a.txt", "raise x\n", "", 1},
	} {
		if got := Raising(t.Context(), c.path, []byte(c.src), c.line); got != c.want {
			t.Errorf("%s line %d: %q, want %q", c.src, c.line, got, c.want)
		}
	}
}
