package mutate

import (
	"maps"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fettle-dev/fettle/bot/code"
)

// wholes are projects with one fault between « and », the right text after |.
var wholes = map[string]string{
	"project_call python": `
-- text.py --
def width(word):
    return sum(2 if wide(c) else 1 for c in word)
-- wrap.py --
from text import width

def lines(words):
    used = width("")
    for word in words:
        used += «len|width»(word)
    return used
`,
	"project_whole python": `
-- usage.py --
def base_of(reading):
    if reading.swapped:
        return reading.start
    return reading.value


class Register:
    def feed(self, reading):
        self._last = «reading.value|base_of(reading)»
`,
	"project_whole javascript": `
-- line.js --
export class Line {
  constructor(price, rate) {
    this.price = price;
    this.rate = rate;
  }
  net() {
    return this.price * (1 - this.rate);
  }
}
-- bill.js --
import { Line } from "./line.js";

export function total(lines) {
  return lines.reduce((sum, line) => sum + «line.price|line.net()», 0);
}
`,
	"project_call go": `
-- text/width.go --
package text

func Width(s string) int { return 2 * len(s) }
-- text/wrap.go --
package text

func Lines(words []string) (n int) {
	for _, word := range words {
		n += «len|Width»(word)
	}
	return n
}
`,
	"project_call js": `
-- lib/text.js --
exports.width = function width(word) { return word.length; };
function measure(word) { return word.length * 2; }
module.exports = { measure };
-- lib/wrap.js --
const { measure } = require('./text');
const size = (w) => w.length;
function total(words) {
  let n = measure('');
  for (const word of words) n += «size|measure»(word);
  return n;
}
`,
	"project_method python": `
-- store.py --
class Store:
    def find(self, name):
        return self.rows.get(name)
    def require(self, name):
        return self.rows[name]
-- use.py --
def price(store, name):
    return store.«find|require»(name).price
`,
	"project_field go": `
-- model/order.go --
package model

type Order struct {
	Total, Subtotal int
	Name string
}
-- tax/tax.go --
package tax

import "example.com/x/model"

func Of(o model.Order) int { return o.«Total|Subtotal» / 10 }
`,
	"project_field python": `
-- model.py --
class Order:
    def __init__(self, total, subtotal):
        self.total = total
        self.subtotal = subtotal
-- tax.py --
def tax(order):
    return order.«total|subtotal» / 10
`,
	"project_field js": `
-- model.js --
const order = (total, subtotal) => ({ total, subtotal, lines: [] });
-- tax.js --
const tax = (o) => o.«total|subtotal» / 10;
`,
	"project_constant go": `
-- s/state.go --
package s

const (
	Open = iota
	Held
	Done
)
-- s/next.go --
package s

func Waits(x int) bool { return x == «Open|Held» }
`,
	"project_wrap python": `
-- names.py --
def normalise(name):
    return name.strip().lower()
-- book.py --
from names import normalise

class Book:
    def add(self, entry):
        self.rows[normalise(entry.name)] = entry
    def find(self, name):
        return self.rows.get(«name|normalise(name)»)
`,
	"project_wrap js": `
-- money.js --
const { cents } = require('./cents');
const show = (line) => cents(line.total);
-- cents.js --
function cents(total) { return Math.round(total * 100); }
module.exports = { cents };
-- bill.js --
const { cents } = require('./cents');
function bill(order) { return [cents(0), «order.total|cents(order.total)»]; }
`,
	"project_wrap go": `
-- a/key.go --
package a

func fold(name string) string { return name }
-- a/book.go --
package a

type Book struct{ rows map[string]int }

func (b *Book) Find(name string) int { return b.rows[«name|fold(name)»] }
`,
	"project_normalise python": `
-- names.py --
def normalise(name):
    return name.strip().lower()
-- book.py --
from names import normalise

def rename(book, old, name):
    «|name = normalise(name)
    »book.rows[name] = book.rows.pop(old)
    book.names.append(name)
`,
	"sibling_statement python": `
-- book.py --
class Book:
    def add(self, row):
        self.rows.append(row)
        self.total += row.price
        self.changed = True
    def remove(self, row):
        self.rows.remove(row)
        self.total -= row.price«|
        self.changed = True»
`,
	"sibling_statement go": `
-- civil/next.go --
package civil

func (m Moment) NextDay() Moment {
	m.Day++
	m.Hour = 0
	m.Minute = 0
	return m
}
-- civil/month.go --
package civil

func (m Moment) NextMonth() Moment {
	m.Month++«|
	m.Hour = 0
	m.Minute = 0»
	return m
}
`,
	"sibling_statement js": `
-- a.js --
class Cart {
  add(line) {
    this.lines.push(line);
    this.version += 1;
    this.emit('change', line);
  }
  drop(line) {
    this.lines = this.lines.filter((l) => l !== line);
    this.version += 1;«|
    this.emit('change', line);»
  }
}
`,
	"companion_statement go": `
-- cache/store.go --
package cache

func (s *Store) Put(key string, value, weight int) {
	if el, ok := s.index[key]; ok {
		e := entryOf(el)
		s.tags.drop(key, e.tags)«|
		s.used -= e.weight»
		e.value, e.weight = value, weight
	}
	s.used += weight
}

func (s *Store) unlink(el *Element) {
	e := entryOf(el)
	s.tags.drop(e.key, e.tags)
	s.used -= e.weight
	delete(s.index, e.key)
}
`,
	"companion_statement python": `
-- cart.py --
class Cart:
    def take(self, line):
        self.lines.remove(line)
        self.total -= line.price
    def clear_gifts(self):
        for line in list(self.lines):
            if line.gift:
                self.lines.remove(line)«|
                self.total -= line.price»
`,
	"companion_statement js": `
-- cart.js --
class Cart {
  put(line) {
    this.lines.push(line);
    this.changed();
  }
  merge(other) {
    for (const line of other.lines) {
      this.lines.push(line);«|
      this.changed();»
    }
  }
}
`,
	"opposite_statement js": `
-- a.js --
function order(all, path) {
  function visit(name) {
    path.push(name);
    for (const need of all[name]) visit(need);«|
    path.pop();»
    all.done(name);
  }
  visit('all');
}
`,
	"opposite_statement python": `
-- a.py --
class Walk:
    def enter(self, node):
        self.open.add(node)
        for kid in node.kids:
            self.enter(kid)«|
        self.open.discard(node)»
        self.done.append(node)
`,
	"opposite_statement go": `
-- a/pool.go --
package a

type Pool struct{ free int }

func (p *Pool) Acquire() { p.free-- }
func (p *Pool) Release() { p.free++ }

func Do(p *Pool, f func() error) error {
	p.Acquire()
	err := f()
	«|p.Release()
	»return err
}
`,
	"both_operands go": `
-- a/sets.go --
package a

type Sets struct{ parent map[string]string }

func (s *Sets) Find(a string) string { return s.parent[a] }

func (s *Sets) Union(a, b string) bool {
	if s.Find(a) == s.Find(b) {
		return false
	}
	s.parent[«b] = a|s.Find(b)] = s.Find(a)»
	return true
}
`,
}

// marked takes a fault's project apart: the files, the faulty one's path, the
// span of the fault, and what is right there.
func marked(t *testing.T, text string) (files map[string]*code.Tree, path string, start int, wrong, right string) {
	t.Helper()
	files = map[string]*code.Tree{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		src := string(f.Data)
		if before, rest, ok := strings.Cut(src, "«"); ok {
			fault, after, _ := strings.Cut(rest, "»")
			wrong, right, _ = strings.Cut(fault, "|")
			path, start, src = f.Name, len(before), before+wrong+after
		}
		tree, err := code.Parse(t.Context(), code.LanguageOf(f.Name), []byte(src))
		if err != nil || tree.HasError() {
			t.Fatalf("%s does not parse: %v", f.Name, err)
		}
		files[f.Name] = tree
	}
	return files, path, start, wrong, right
}

func allWholes() map[string]string {
	out := maps.Clone(wholes)
	maps.Copy(out, parts)
	maps.Copy(out, losses)
	return out
}

func TestR1WhatTheProjectHoldsMendsOneFunction(t *testing.T) {
	t.Parallel()
	for name, text := range allWholes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mendsWhole(t, name, text)
		})
	}
}

// mendsWhole fails when no mutation makes the right text of a project's fault; its
// name begins with the operator.
func mendsWhole(t *testing.T, name, text string) {
	t.Helper()
	files, path, start, wrong, right := marked(t, text)
	src := files[path].Src
	want := string(src[:start]) + right + string(src[start+len(wrong):])
	op, _, _ := strings.Cut(name, " ")
	var same []Mutation
	found := false
	for _, m := range NewProject(files).Beyond(path, 0, len(src)) {
		if m.Operator == op {
			same = append(same, m)
		}
		if string(Apply(src, m)) == want {
			found = true
			if m.Description == "" || m.Prior <= 0 || m.Class == "" {
				t.Errorf("%+v", m)
			}
		}
	}
	if !found {
		t.Errorf("not among the %d of %s:", len(same), op)
		for _, m := range same {
			t.Logf("%q -> %q", src[m.Start:m.End], m.Replacement)
		}
	}
}

// TestR1ProjectIsTheSameEachTime holds the order of what maps hold.
func TestR1ProjectIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	for name, text := range allWholes() {
		files, path, _, _, _ := marked(t, text)
		first := NewProject(files).Beyond(path, 0, len(files[path].Src))
		for range 3 {
			again := NewProject(files).Beyond(path, 0, len(files[path].Src))
			if len(again) != len(first) {
				t.Fatalf("%s: %d and %d", name, len(first), len(again))
			}
			for i := range again {
				if again[i] != first[i] {
					t.Errorf("%s: %v and %v", name, again[i], first[i])
				}
			}
		}
	}
}

// TestR1BeyondParses: what is made of foreign files is still code.
func TestR1BeyondParses(t *testing.T) {
	t.Parallel()
	for name, text := range allWholes() {
		files, path, _, _, _ := marked(t, text)
		src := files[path].Src
		for _, m := range NewProject(files).Beyond(path, 0, len(src)) {
			tree, err := code.Parse(t.Context(), files[path].Lang, Apply(src, m))
			if err != nil || tree.HasError() {
				t.Errorf("%s: %s: %q does not parse", name, m.Operator, m.Replacement)
			}
		}
	}
}

// TestR1ForcedPlacesParse: a forced change is code, and so is what follows from it.
func TestR1ForcedPlacesParse(t *testing.T) {
	t.Parallel()
	for lang, src := range map[code.Language]string{
		code.Python:     "def pick(lines, least=0):\n    out = []\n    for line in lines:\n        if line.count > least:\n            out.append(line.sku)\n    return out\n\nclass Line:\n    def __init__(self, sku, count, held):\n        self.sku = sku\n        self.count = count\n        self.held = held\n",
		code.JavaScript: "function pick(lines, least) {\n  const out = [];\n  for (const line of lines) {\n    if (line.count > least) {\n      out.push(line.sku);\n    }\n  }\n  return out;\n}\nconst line = (sku, count, held) => ({ sku, count, held });\n",
		code.Go:         "package p\n\nfunc pick(lines []Line, least int) (out []string) {\n\tfor _, line := range lines {\n\t\tif line.Count > least {\n\t\t\tout = append(out, line.SKU)\n\t\t}\n\t}\n\treturn out\n}\n\ntype Line struct {\n\tSKU string\n\tCount int\n\tHeld bool\n}\n",
	} {
		tree, err := code.Parse(t.Context(), lang, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		p := NewProject(map[string]*code.Tree{"a": tree})
		forces := p.Forces("a", 0, len(src))
		if len(forces) < 8 {
			t.Errorf("%s: %d forces", lang, len(forces))
		}
		stricter := false
		for _, f := range forces {
			all := append([]Mutation{f.Mutation}, p.Conditions("a", f, map[string]bool{"held": true})...)
			if len(all) < 6 {
				t.Errorf("%s: %d conditions for %s", lang, len(all)-1, f.Description)
			}
			for _, m := range all {
				changed, err := code.Parse(t.Context(), lang, Apply([]byte(src), m))
				if err != nil || changed.HasError() {
					t.Errorf("%s: %q does not parse", lang, m.Replacement)
				}
				low := strings.ToLower(m.Replacement)
				stricter = stricter || strings.Contains(low, "count > least and not line.held") || strings.Contains(low, "count > least && !line.held")
			}
		}
		if !stricter {
			t.Errorf("%s: what is held is not asked for", lang)
		}
	}
}
