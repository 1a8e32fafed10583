package example

import (
	"testing"
	"unicode/utf8"
)

func TestC5ExamplesAreReadFromIssues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, title, body string
		want              Example
	}{
		{"gives, expected", "median([1, 2, 3, 4]) gives 3, expected 2.5", "", Example{Call: "median([1, 2, 3, 4])", Got: "3", Want: "2.5"}},
		{"returns instead of", "", "`median([1, 2])` returns `2` instead of `1.5`.", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"should be but got", "", "slug('A b') should be 'a-b' but I got 'a b'", Example{Call: "slug('A b')", Got: "'a b'", Want: "'a-b'"}},
		{"over sentences", "Wrong median", "Calling median([1, 2]) returns 2. It should return 1.5.", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"I expected the call to be", "", "I expected median([1, 2]) to be 1.5 but got 2", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"expected from", "", "Expected 1.5 from median([1, 2]).", Example{Call: "median([1, 2])", Want: "1.5"}},
		{"headings", "Wrong", "Call median([1, 2])\n\n**Expected:** 1.5\n**Actual:** 2\n", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"values in fences", "Wrong", "Call `median([1, 2])`.\n\nExpected:\n```\n1.5\n```\nActual:\n```\n2\n```\n", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"negative", "", "clamp(-5, -2, 3) returns -5, expected -2", Example{Call: "clamp(-5, -2, 3)", Got: "-5", Want: "-2"}},
		{"no longer a list", "", "chunk([1, 2, 3], 2) gives [[1, 2]] but should give [[1, 2], [3]]", Example{Call: "chunk([1, 2, 3], 2)", Got: "[[1, 2]]", Want: "[[1, 2], [3]]"}},
		{"session", "Wrong", "```python\n>>> from stats import median\n>>> median([1, 2])\n2\n```\nExpected 1.5.", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"session without a fence", "Wrong", "Look:\n\n>>> median([1, 2])\n2\n\nI expected 1.5", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"session that raises", "Crash", "```\n>>> median([])\nTraceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nIndexError: list index out of range\n```\n", Example{Call: "median([])", GotError: "IndexError"}},
		{"traceback with its call", "Crash", "```\nTraceback (most recent call last):\n  File \"run.py\", line 3, in <module>\n    print(median([]))\n  File \"stats.py\", line 9, in median\n    return ordered[middle]\nIndexError: list index out of range\n```\nIt should return None.", Example{Call: "median([])", GotError: "IndexError", Want: "None"}},
		{"comment arrow", "Wrong", "```js\nmedian([1, 2]) // => 2, expected 1.5\n```", Example{Call: "median([1, 2])", Got: "2", Want: "1.5"}},
		{"comment expected", "Wrong", "```js\nconsole.log(median([1, 2])); // expected 1.5\n```", Example{Call: "median([1, 2])", Want: "1.5"}},
		{"wished before an arrow", "Credit notes", "There I'd expect the mirrored result of the positive one, `instalments(-200, 3)` → `[-67, -67, -66]`.", Example{Call: "instalments(-200, 3)", Want: "[-67, -67, -66]"}},
		{"stars are no emphasis", "Secrets", "`scrub({ a: { token: 'x' } })` returns it untouched. Expected: `{ a: { token: '***' } }`, **always**.", Example{Call: "scrub({ a: { token: 'x' } })", Want: "{ a: { token: '***' } }"}},
		{"an arrow alone is unsure", "Credit notes", "I would expect more. Now `instalments(-200, 3)` → `[-67, -67, -66]`.", Example{Call: "instalments(-200, 3)", Want: "[-67, -67, -66]", Unsure: true}},
		{"comment alone is unsure", "Wrong", "```python\nmedian([1, 2])  # => 1.5\n```", Example{Call: "median([1, 2])", Want: "1.5", Unsure: true}},
		{"assert", "Fails", "```python\nassert median([1, 2]) == 1.5\n```", Example{Call: "median([1, 2])", Want: "1.5"}},
		{"assert of node", "Fails", "```js\nassert.strictEqual(median([1, 2]), 1.5);\n```", Example{Call: "median([1, 2])", Want: "1.5"}},
		{"expect", "Fails", "```js\nexpect(median([1, 2])).toBe(1.5)\n```", Example{Call: "median([1, 2])", Want: "1.5"}},
		{"go", "", "`Median([]float64{1, 2})` returns 2, want 1.5", Example{Call: "Median([]float64{1, 2})", Got: "2", Want: "1.5"}},
		{"go panic", "Crash", "`Median(nil)` crashes:\n```\npanic: runtime error: index out of range [0] with length 0\n\ngoroutine 1 [running]:\nmain.main()\n```", Example{Call: "Median(nil)", GotError: "panic"}},
		{"node error", "Crash", "```js\nmedian(null)\n```\n```\nTypeError: values is not iterable\n    at median (file:///x/stats.js:2:20)\n```", Example{Call: "median(null)", GotError: "TypeError"}},
		{"another subject behind it", "", "`fare('A', 'B')` is 180, should be 480. `C -> D` is wrong too (180 instead of 340).", Example{Call: "fare('A', 'B')", Got: "180", Want: "480"}},
		{"should raise", "", "parse('x') returns None but it should raise ValueError", Example{Call: "parse('x')", Got: "None", WantError: "ValueError"}},
		{"raises instead of", "", "parse('') raises IndexError instead of None", Example{Call: "parse('')", GotError: "IndexError", Want: "None"}},
		{"method", "Wrong", "```python\ns = Stack()\ns.push(1)\ns.size()  # returns 0, expected 1\n```", Example{Call: "s.size()", Got: "0", Want: "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all := Read(c.title, c.body)
			if len(all) == 0 {
				t.Fatal("nothing was read")
			}
			e := all[len(all)-1]
			if e.Call != c.want.Call || e.Got != c.want.Got || e.Want != c.want.Want || e.GotError != c.want.GotError || e.WantError != c.want.WantError || e.Unsure != c.want.Unsure {
				t.Fatalf("read %+v\nwant %+v", e, c.want)
			}
		})
	}
}

func TestC5WhatSaysTwoThingsOrNothingIsNoExample(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"median([1, 2]) should be 1.5. Or median([1, 2]) should be 2.",
		"median([1, 2]) is slow", "median is wrong", "", "median([1, 2]) returns 2 items", "median([1, 2",
		"Please call me (maybe) and expect 3 people", "def median(values): returns 3", "`scale('1/2-3/4 cup oil', 2)` → `1-1 1/2 cup oil`",
	} {
		if got := Read("", text); len(got) > 0 {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

// FuzzRead: no text makes the reader panic, and what it gives stands in the
// text.
func FuzzRead(f *testing.F) {
	f.Add("median([1, 2]) gives 2, expected 1.5", "```python\n>>> a(1)\nTraceback (most recent call last):\nX: y\n```\nassert f(x) == 'é'")
	f.Add("print(", "```\nprint(a\nx = 1\nprint(x)\n```")
	f.Add(">>> f()", "=> => -> expected expected 'x' instead of instead of")
	f.Fuzz(func(t *testing.T, title, body string) {
		for _, e := range Read(title, body) {
			if !utf8.ValidString(e.Call+e.Want+e.Got) || e.Call == "" || len(e.Want) > maxLiteral+100 {
				t.Fatalf("%+v", e)
			}
		}
	})
}
