package code

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const pythonSample = `#!/usr/bin/env python3
"""Module words."""
from __future__ import annotations
import os

import sys

LIMIT = 3
NAMES = [
    "a",
]


@cache
@app.route("/x")
async def fetch(url,
                n=1):
    """Get it."""
    def inner(x):
        return x
    return inner(url)


# About Box.
class Box(Base):
    """A box."""
    size = 1

    @property
    def area(self):
        return self.size

    @area.setter
    def area(self, v):
        self.size = v

    class Lid:
        def open(self): return 1


if __name__ == "__main__":
    print(fetch("x"))
`

const scriptSample = `'use strict';
import fs from "fs";
const path = require("path");

/** Adds. */
export async function add(a, b) { return a + b; }

export const twice = (x) => {
  const inner = function () { return x; };
  return inner() * 2;
};

let count = 0, other = 1;

export default class Cart extends Base {
  static #n = 0;
  onClick = () => { this.go(); };
  constructor(items) { super(); this.items = items; }
  get total() { return 1; }
  static *each() { yield 1; }
}

const api = {
  list() { return []; },
  make: async (x) => x,
  drop: function (x) { return x; },
};

module.exports.run = function run() { return api; };

app.get("/", (req, res) => {
  res.send("x");
});
`

const tsxSample = `import React from "react";

export interface Props { a: number }
type Id = string | number;
export enum Color { Red, Green }

export const View: React.FC<Props> = ({ a }) => <div>{a}</div>;

const Fast = memo(function Fast(p: Props) { return <b>{p.a}</b>; });

namespace Geo { export function area(x: number): number { return x; } }

abstract class Shape<T> { private n: number = 1; abstract area(): number; scale(k: number): T { return k as any; } }
`

const goSample = `// Package p is a sample.
package p

import (
	"fmt"
	"os"
)

const (
	A = 1
	B = 2
)

var x = 1

// Store keeps things.
type Store[T any] struct {
	m map[string]T
}

type (
	One int
	Two interface{ Do() }
)

// Get gets.
func (s *Store[T]) Get(k string) (v T, err error) {
	check := func(k string) bool { return k != "" }
	if !check(k) {
		return v, fmt.Errorf("x")
	}
	return s.m[k], nil
}

func main() { os.Exit(x) }
`

func outline(t *testing.T, path, src string) string {
	t.Helper()
	regions, err := Regions(t.Context(), path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	checkRegions(t, path, []byte(src), regions)
	var b strings.Builder
	for _, r := range regions {
		id, _, _ := strings.Cut(r.ID, "@")
		fmt.Fprintf(&b, "%s %d-%d\n", id, r.StartLine, r.EndLine)
	}
	return b.String()
}

// checkRegions holds what is true of the regions of any text.
func checkRegions(t testing.TB, path string, src []byte, regions []Region) {
	t.Helper()
	ids := map[string]bool{}
	for i, r := range regions {
		if ids[r.ID] {
			t.Errorf("%s: id %s twice", path, r.ID)
		}
		ids[r.ID] = true
		if r.StartByte < 0 || r.EndByte > len(src) || r.StartByte >= r.EndByte {
			t.Fatalf("%s: %s has the span [%d,%d) of %d bytes", path, r.ID, r.StartByte, r.EndByte, len(src))
		}
		if i > 0 && regions[i-1].StartByte > r.StartByte {
			t.Errorf("%s: %s is out of order", path, r.ID)
		}
	}
	var open []Region
	for _, r := range regions {
		for len(open) > 0 && open[len(open)-1].EndByte <= r.StartByte {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && r.EndByte > open[len(open)-1].EndByte {
			t.Errorf("%s: %s [%d,%d) crosses the end of %s at %d", path, r.ID, r.StartByte, r.EndByte, open[len(open)-1].ID, open[len(open)-1].EndByte)
		}
		open = append(open, r)
	}
}

func TestE1RegionsOfEachLanguage(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, src, want string }{
		{"a.py", pythonSample, `block:docstring 2-2
block:imports 3-6
block:LIMIT 8-11
function:fetch 14-21
function:fetch.inner 19-20
class:Box 25-38
method:Box.area 29-31
method:Box.area#2 33-35
class:Box.Lid 37-38
method:Box.Lid.open 38-38
block:main 41-42
`},
		{"a.js", scriptSample, `block:docstring 1-1
block:imports 2-3
function:add 6-6
function:twice 8-11
function:twice.inner 9-9
block:count 13-13
class:Cart 15-21
method:Cart.onClick 17-17
method:Cart.constructor 18-18
method:Cart.total 19-19
method:Cart.each 20-20
block:api 23-27
method:api.list 24-24
method:api.make 25-25
method:api.drop 26-26
function:module.exports.run 29-29
block:app.get 31-33
`},
		{"a.tsx", tsxSample, `block:imports 1-1
type:Props 3-3
type:Id 4-4
type:Color 5-5
function:View 7-7
function:Fast 9-9
module:Geo 11-11
function:Geo.area 11-11
class:Shape 13-13
method:Shape.area 13-13
method:Shape.scale 13-13
`},
		{"a.go", goSample, `block:package 2-2
block:imports 4-7
block:A 9-12
block:x 14-14
type:Store 17-19
block:One 21-24
type:One 22-22
type:Two 23-23
method:Store.Get 27-33
function:Store.Get.check 28-28
function:main 35-35
`},
		{"A.java", "package a;\nimport b.C;\n\nclass A {\n  int f(int x) { return x; }\n}\n", "block:statements 1-1\nblock:imports 2-2\nclass:A 4-6\nmethod:A.f 5-5\n"},
		{"a.rs", "use std::fs;\n\nstruct S;\nimpl S {\n  fn f(&self) -> i32 { 1 }\n}\nfn g() {}\n", "block:imports 1-1\ntype:S 3-3\nclass:S 4-6\nmethod:S.f 5-5\nfunction:g 7-7\n"},
		{"a.rb", "require 'x'\n\nclass A\n  def f(x)\n    x\n  end\nend\n", "block:imports 1-1\nclass:A 3-7\nmethod:A.f 4-6\n"},
		{"notes.txt", "one\n\ntwo\n", "block:lines1-3 1-3\n"},
		{"empty.py", "", ""},
		{"bom.py", "\ufeffdef f():\r\n\treturn 1", "function:f 1-2\n"},
	}
	for _, test := range tests {
		if got := outline(t, test.path, test.src); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.path, got, test.want)
		}
	}
}

func TestE1SignatureDocAndParent(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, src, id, signature, doc, parent string }{
		{"a.py", pythonSample, "function:fetch", `@cache @app.route("/x") async def fetch(url, n=1):`, "Get it.", ""},
		{"a.py", pythonSample, "class:Box", "class Box(Base):", "A box.", ""},
		{"a.py", pythonSample, "class:Box.Lid", "class Lid:", "", "Box"},
		{"a.js", scriptSample, "function:add", "export async function add(a, b)", "Adds.", ""},
		{"a.js", scriptSample, "method:api.make", "make: async (x) =>", "", "api"},
		{"a.go", goSample, "method:Store.Get", "func (s *Store[T]) Get(k string) (v T, err error)", "Get gets.", "Store"},
	}
	for _, test := range tests {
		regions, err := Regions(t.Context(), test.path, []byte(test.src))
		if err != nil {
			t.Fatal(err)
		}
		r, how, err := Resolve(regions, test.id)
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Signature != test.signature || r.Doc != test.doc || r.Parent != test.parent {
			t.Errorf("%s: signature %q doc %q parent %q", test.id, r.Signature, r.Doc, r.Parent)
		}
		if how.By != "name" || how.Changed {
			t.Errorf("%s: an id without a hash resolves as %+v", test.id, how)
		}
	}
}

func TestE1EveryLineWithCodeBelongsToARegion(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{"a.py": pythonSample, "a.js": scriptSample, "a.tsx": tsxSample, "a.go": goSample} {
		regions, err := Regions(t.Context(), path, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(src, "\n") {
			if text := strings.TrimSpace(line); text == "" || isComment([]byte(text)) || strings.HasPrefix(text, "#!") {
				continue
			}
			if _, ok := Enclosing(regions, i+1); !ok {
				t.Errorf("%s:%d %q belongs to no region", path, i+1, line)
			}
		}
	}
}

func TestEnclosingIsTheInnermost(t *testing.T) {
	t.Parallel()
	regions, err := Regions(t.Context(), "a.py", []byte(pythonSample))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{14: "fetch", 20: "fetch.inner", 21: "fetch", 27: "Box", 38: "Box.Lid.open", 9: "LIMIT"} {
		if r, ok := Enclosing(regions, line); !ok || r.QualifiedName != want {
			t.Errorf("line %d lies in %q, want %q", line, r.QualifiedName, want)
		}
	}
	if r, ok := Enclosing(regions, 12); ok {
		t.Errorf("an empty line between regions lies in %s", r.ID)
	}
}

func TestE2ResolveTellsMovedFromChanged(t *testing.T) {
	t.Parallel()
	before := "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
	regions, err := Regions(t.Context(), "a.py", []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	f, g := regions[0].ID, regions[1].ID
	after, err := Regions(t.Context(), "a.py", []byte("import os\n\n\ndef g():\n    return 3\n\n\ndef f():\n    return 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r, how, err := Resolve(after, f); err != nil || r.StartLine != 8 || how != (Resolution{By: "id", Score: 1}) {
		t.Errorf("a moved region: %+v %+v %v", r, how, err)
	}
	if r, how, err := Resolve(after, g); err != nil || r.Name != "g" || how.By != "name" || !how.Changed {
		t.Errorf("a changed region: %+v %+v %v", r, how, err)
	}
	if _, _, err := Resolve(after, "function:h@00000000"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing region: %v", err)
	}
	twice, err := Regions(t.Context(), "a.py", []byte(before+before))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resolve(twice, "function:f"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("a name that stands twice: %v", err)
	}
	if _, how, err := Resolve(twice, f); err != nil || how.By != "id" {
		t.Errorf("the first of two: %+v %v", how, err)
	}
}
