package code

import (
	"strings"
	"testing"
)

func TestR2AFunctionThatDoesWhatItsSiblingDoes(t *testing.T) {
	t.Parallel()
	mean := "def mean(values):\n    \"\"\"The mean.\"\"\"\n    total = sum(values)  # of all\n    return total / len(values)\n\n\n"
	script := "function mean(values) {\n  return values.reduce((a, b) => a + b, 0) / values.length;\n}\n"
	for name, c := range map[string]struct{ path, before, after, want string }{
		"the mean called median":      {"s.py", mean + "def median(xs):\n    return xs[0]\n", mean + "def median(xs):\n    \"\"\"The median.\"\"\"\n    all = sum(xs)\n    return all / len(xs)\n", "median mean"},
		"handed on":                   {"s.py", mean + "def median(xs):\n    return xs[0]\n", mean + "def median(xs):\n    return mean(xs)\n", "median mean"},
		"something else":              {"s.py", mean + "def median(xs):\n    return xs[0]\n", mean + "def median(xs):\n    all = sorted(xs)\n    return all / len(xs)\n", ""},
		"they were alike before":      {"s.py", mean + "def average(xs):\n    return mean(xs)\n", mean + "def average(xs):\n    total = sum(xs)\n    return total / len(xs)\n", ""},
		"they say too little":         {"s.py", "def a(x):\n    return x\n\n\ndef b(x):\n    return 1\n", "def a(x):\n    return x\n\n\ndef b(x):\n    return x\n", ""},
		"another class":               {"s.py", "class A:\n    def f(self, x):\n        return self.go(x + 1)\n\n\nclass B:\n    def g(self, x):\n        return 2\n", "class A:\n    def f(self, x):\n        return self.go(x + 1)\n\n\nclass B:\n    def g(self, x):\n        return self.go(x + 1)\n", ""},
		"the same class":              {"s.py", "class A:\n    def f(self, x):\n        return self.go(x + 1)\n\n    def g(self, x):\n        return 2\n", "class A:\n    def f(self, x):\n        return self.go(x + 1)\n\n    def g(self, y):\n        return self.go(y + 1)\n", "g f"},
		"JavaScript":                  {"s.js", script + "function median(xs) {\n  return xs[0];\n}\n", script + "function median(xs) {\n  return xs.reduce((a, b) => a + b, 0) / xs.length;\n}\n", "median mean"},
		"Go":                          {"s.go", "package s\n\nfunc Up(n int) int {\n\tm := n + 1\n\treturn m * 2\n}\n\nfunc Down(n int) int {\n\treturn n\n}\n", "package s\n\nfunc Up(n int) int {\n\tm := n + 1\n\treturn m * 2\n}\n\nfunc Down(k int) int {\n\tr := k + 1\n\treturn r * 2\n}\n", "Down Up"},
		"parameters in another order": {"s.py", "def sub(a, b):\n    return abs(a) - abs(b)\n\n\ndef rsub(a, b):\n    return 0\n", "def sub(a, b):\n    return abs(a) - abs(b)\n\n\ndef rsub(a, b):\n    return abs(b) - abs(a)\n", ""},
	} {
		got, err := Twins(t.Context(), c.path, []byte(c.before), []byte(c.after))
		var pairs []string
		for _, w := range got {
			pairs = append(pairs, w.Name+" "+w.Of)
		}
		if err != nil || strings.Join(pairs, ", ") != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
