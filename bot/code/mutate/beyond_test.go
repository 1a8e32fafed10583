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
