package code

import "testing"

func TestE4WhatBreaksTheCallersOfASignature(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, before, after, want string }{
		{"a.py", "def f(a, b): pass", "def f(a, b): return 1", ""},
		{"a.py", "def f(a, b): pass", "def f(a, b, c=1): pass", ""},
		{"a.py", "def f(a, b): pass", "def f(a: int, b=2, *args, **kw) -> int: pass", ""},
		{"a.py", "def f(a, b): pass", "def f(a, b, c): pass", "parameter c is new and has no default"},
		{"a.py", "def f(a, b): pass", "def f(a): pass", "parameter b is gone"},
		{"a.py", "def f(a, b): pass", "def f(b, a): pass", "where a was, b is"},
		{"a.py", "def f(a, b=1): pass", "def f(a, b): pass", "parameter b has no default any more"},
		{"a.py", "def f(a): pass", "async def f(a): pass", "it is async now"},
		{"a.py", "def f(a, *, b=1): pass", "def f(a, b=1): pass", "where b was, b is"},
		{"a.py", "class A:\n    def f(self, a): pass", "class A:\n    @staticmethod\n    def f(a): pass", "where self was, a is"},
		{"a.js", "function f(a, b = 1) {}", "function f(a, b = 2, c = 3) {}", ""},
		{"a.js", "const f = (a) => a;", "const f = (a, b) => a;", "parameter b is new and has no default"},
		{"a.js", "const f = x => x;", "const f = (x) => { return x; };", ""},
		{"a.js", "class A { f({ a, b }) {} }", "class A { f({ a, b, c }) {} }", ""},
		{"a.ts", "function f(a: string): void {}", "function f(a: string | null, b?: number): void {}", ""},
		{"a.ts", "function f(a: string): void {}", "function f(a: number): void {}", "parameter a has type number instead of string"},
		{"a.go", "package p\nfunc f(a, b int) error { return nil }", "package p\nfunc f(x int, y int) (err error) { return }", ""},
		{"a.go", "package p\nfunc f(a int) error { return nil }", "package p\nfunc f(a int) (int, error) { return 0, nil }", "it gives (int, error) instead of (error)"},
		{"a.go", "package p\nfunc f(a int) {}", "package p\nfunc f(a int, b ...string) {}", "parameter b is new and has no default"},
		{"a.go", "package p\nfunc (s *S) F(a int) {}", "package p\nfunc (s *S) F(a int64) {}", "parameter a has type int64 instead of int"},
	} {
		before, err1 := Callables(t.Context(), c.path, []byte(c.before))
		after, err2 := Callables(t.Context(), c.path, []byte(c.after))
		if err1 != nil || err2 != nil || len(before) != 1 || len(after) != 1 {
			t.Errorf("%q → %q: %v %v %+v %+v", c.before, c.after, err1, err2, before, after)
			continue
		}
		if got := after[0].Breaks(before[0]); got != c.want {
			t.Errorf("%q → %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}
