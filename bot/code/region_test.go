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

const phpSample = `<?php
declare(strict_types=1);

namespace App\Shop;

use App\Item;
use function strlen;
require_once 'x.php';

define('LIMIT', 3);

/** A cart. */
#[Entity]
final class Cart extends Base implements Priced
{
    private int $n = 0;
    public function __construct(private array $items) {}

    /** All of it. */
    #[Pure]
    public static function total(?int $a = null, string ...$rest): int
    {
        $add = fn ($x) => $x + 1; return $add(1);
    }
}

interface Priced { public function price(): int; }
trait Loud { }
enum Suit: string { case A = 'a'; public function label(): string { return 'x'; } }

function helper(int $a) {
    return $a;
}

$twice = function ($x) { return 2 * $x; };

it('adds up', function () {
    expect(1)->toBe(1);
});
`

const cSample = `/* A file. */
#include <stdio.h>
#include "a.h"

#define LIMIT 3
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

typedef struct node {
	int value;
	struct node *next;
} list;

enum color { RED, GREEN };
typedef int (*handler)(int, void *);

static int total = 0;

static const int table[] = {
	1,
	2,
};

/* Adds. */
static int
add(int a, int b)
{
	if (a > b)
		return a;
	return a + b;
}

int old(a) int a; {
	return a;
}

#ifdef EXTRA
void extra(void) {}
#endif
`

const cppSample = `#include <vector>
#include "store.h"

namespace app::core {
constexpr int limit = 3;

template <typename T> class Store : public Base<T> {
 public:
  explicit Store(int n) : n_(n) {}
  ~Store() = default;
  const T& get() const override { return items_[0]; }
  operator bool() { return true; }
  template <typename U>
  U as(U u) { return u; }
  struct Item { int a; };
 private:
  int n_;
};

enum class Mode { Fast, Slow };
using Names = std::vector<int>;

template <> void Store<int>::put(int a) {}
bool Store<int>::Item::operator==(const Item& o) const {
  auto same = [](int a, int b) { return a == b; };
  return same(a, o.a);
}

void declared(int a);
}  // namespace app::core

namespace {
int local() { return 1; }
}
extern "C" { int plain(void) { return 1; } }

extern "C" int other(void) { return 1; }

TEST(Store, Gets) { EXPECT_EQ(1, 1); }

TEST_CASE("a store that is empty", "[store]") {
  SECTION("x") { REQUIRE(true); }
}
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
		{"a.php", phpSample, `block:statements 2-2
block:namespace 4-4
block:imports 6-8
block:define 10-10
class:Cart 13-25
method:Cart.__construct 17-17
method:Cart.total 20-24
function:Cart.total.add 23-23
type:Priced 27-27
method:Priced.price 27-27
class:Loud 28-28
type:Suit 29-29
method:Suit.label 29-29
function:helper 31-33
function:twice 35-35
test:adds_up 37-39
`},
		{"a.c", cSample, `block:imports 2-3
block:LIMIT 5-5
function:MAX 6-7
type:list 9-12
type:color 14-14
type:handler 15-15
block:total 17-17
block:table 19-22
function:add 25-31
function:old 33-35
block:statements 37-37
function:extra 38-38
block:statements#2 39-39
`},
		{"a.cc", cppSample, `block:imports 1-2
module:app.core 4-30
block:app.core.limit 5-5
class:app.core.Store 7-18
method:app.core.Store.Store 9-9
method:app.core.Store._Store 10-10
method:app.core.Store.get 11-11
method:app.core.Store.operator_bool 12-12
method:app.core.Store.as 13-14
type:app.core.Store.Item 15-15
type:app.core.Mode 20-20
type:app.core.Names 21-21
method:app.core.Store.put 23-23
method:app.core.Store.Item.operator== 24-27
function:app.core.Store.Item.operator==.same 25-25
block:app.core.declared 29-29
function:local 33-33
block:statements 35-35
function:plain 35-35
function:other 37-37
test:Store.Gets 39-39
test:a_store_that_is_empty 41-43
`},
		{"n.php", "<?php\nnamespace A\\B {\nuse X;\nfunction f() {}\n}\n", "module:A.B 2-5\nblock:A.B.imports 3-3\nfunction:A.B.f 4-4\n"},
		{"g.h", "#ifndef G\n#define G\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include <a.h>\nint f(void);\nstatic inline int g(void) { return 1; }\n#ifdef __cplusplus\n}\n#endif\n#endif\n",
			"block:G 1-4\nblock:imports 6-6\nblock:f 7-7\nfunction:g 8-8\nblock:statements 12-12\n"},
		{"m.cc", "class API_EXPORT A final : B {\n  int f() { return 1; }\n};\nAPI_EXPORT void g(int a) {}\nBEGIN_DECLS\nint h() THROWS_NOT { return 1; }\n",
			"class:A 1-3\nmethod:A.f 2-2\nfunction:g 4-4\nfunction:h 6-6\n"},
		{"cut.c", "#if A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return 1;\n}\nint g(int a) {\n  if (a\n#ifdef B\n      && b\n#endif\n  ) { return 1; }\n  return 0;\n}\n", "function:f 2-7\nfunction:g 8-15\n"},
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
		{"a.php", phpSample, "class:Cart", "#[Entity] final class Cart extends Base implements Priced", "A cart.", ""},
		{"a.php", phpSample, "method:Cart.total", "#[Pure] public static function total(?int $a = null, string ...$rest): int", "All of it.", "Cart"},
		{"a.c", cSample, "function:add", "static int add(int a, int b)", "Adds.", ""},
		{"a.cc", cppSample, "class:app.core.Store", "template <typename T> class Store : public Base<T>", "", "app.core"},
		{"a.cc", cppSample, "method:app.core.Store.as", "template <typename U> U as(U u)", "", "app.core.Store"},
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
	for path, src := range map[string]string{"a.py": pythonSample, "a.js": scriptSample, "a.tsx": tsxSample, "a.go": goSample, "a.c": cSample, "a.php": phpSample} {
		regions, err := Regions(t.Context(), path, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(src, "\n") {
			if text := strings.TrimSpace(line); text == "" || isComment(LanguageOf(path), []byte(text)) || strings.HasPrefix(text, "#!") || text == "<?php" {
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
