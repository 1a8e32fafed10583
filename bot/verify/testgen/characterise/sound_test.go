package characterise

import (
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
)

func TestC5OnlyALiteralBecomesSourceOfATest(t *testing.T) {
	t.Parallel()
	types := map[string]bool{"Point": true, "open": false, "uint": false}
	cases := []struct {
		lang code.Language
		good []string
		bad  []string
	}{
		{code.Python, []string{`1`, `-2.5`, `1e5`, `None`, `True`, `"a\"b"`, `b"x"`, `[1, (2,)]`, `{"a": {1, 2}}`, `set()`, `frozenset({1})`, `()`}, []string{
			``, ` 1`, "1\n", `1; import os`, "1\nimport os", `__import__("os")`, `f"{open}"`, `open("/etc/passwd")`, `[x for x in y]`, `lambda: 1`,
			`name`, `a.b`, `1 # word`, `frozenset(open)`, `set([1])`, `1 + 1`, `(yield)`, `"a" "b`, `not 1`, `-name`, `"` + "\u202e" + `"`, `1 if 2 else 3`, `x = 1`, `y := 1`,
		}},
		{code.JavaScript, []string{`1`, `-1`, `'a\'b'`, `null`, `undefined`, `[1, [2]]`, `{ a: 1, 'b-c': [] }`, `true`}, []string{
			``, `1;process.exit()`, `require('fs')`, "`${process}`", `() => 1`, `{ get a() { return 1 } }`, `{ [a]: 1 }`, `{ ...a }`, `a`, `/x/`, `new Date()`,
			`1 /* word */`, `1 // word`, `-a`, `{ a() {} }`, `{ a }`, `[...a]`, `1, 2`, "'" + "\u2028" + "'", `a = 1`,
		}},
		{code.Go, []string{`1`, `-1`, `"a"`, `nil`, `true`, `int8(3)`, `[]int{1, -2}`, `map[string]Point{"a": {X: 1}}`, `&Point{X: 1}`, `[2]uint8{1, 2}`}, []string{
			``, `os.Exit(1)`, `open("x")`, `func() int { return 1 }()`, `uint(3)`, `Point`, `1 /* word */`, "1 // word", `1 + 1`, `Point{X: run()}`, `*p`, `<-c`,
			`[]int{1}[0]`, "`raw`", `1)`, `Point{}; x`, `unsafe.Pointer(nil)`, `Other{}`, `[...]int{1}`, `'a'`, `&1`, "\"\u200b\"",
		}},
	}
	for _, c := range cases {
		r := rules{lang: c.lang, types: types}
		for _, s := range c.good {
			if !r.literal(t.Context(), s) {
				t.Errorf("%s: %q is a literal", c.lang, s)
			}
		}
		for _, s := range c.bad {
			if r.literal(t.Context(), s) {
				t.Errorf("%s: %q is taken for a literal", c.lang, s)
			}
		}
	}
	long := rules{lang: code.Python}
	if long.literal(t.Context(), `"`+strings.Repeat("a", longestText)+`"`) {
		t.Error("a text without bounds is taken")
	}
}

// What the drivers can say honestly is taken, whatever it is.
func TestC5EveryDrawnValueIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := drawnValue(rt, 2)
		if !(rules{lang: code.Python}).value(t.Context(), v) {
			rt.Fatalf("%s is refused", text(v, code.Python))
		}
	})
}

func TestC5ARecordThatIsNoCallIsRefused(t *testing.T) {
	t.Parallel()
	r := rules{lang: code.Python}
	one := &target{lang: code.Python, class: "Box", siblings: map[string]bool{"fill": true}}
	one.Name = "take"
	number := value{Kind: "int", Text: "1"}
	honest := func() record {
		return record{Recv: &receiver{Class: "Box", Args: []value{number}}, Before: []method{{Name: "fill", Args: []value{number}}}, Args: []value{number}, Module: "a.box"}
	}
	if !r.record(t.Context(), one, honest()) {
		t.Fatal("an honest record is refused")
	}
	for name, spoil := range map[string]func(*record){
		"a class that is a call":       func(c *record) { c.Recv.Class = "Box().x" },
		"a method that is a statement": func(c *record) { c.Before[0].Name = "fill(); evil" },
		"a method of no function here": func(c *record) { c.Before[0].Name = "system" },
		"an argument that is a call":   func(c *record) { c.Args[0].Text = "exit()" },
		"a kind that is not its text":  func(c *record) { c.Args[0].Kind = "str" },
		"a keyword that is code":       func(c *record) { c.Args[0].Prefix = "a=b, c=" },
		"a module that is a statement": func(c *record) { c.Module = "a\nimport os" },
		"brackets that are code":       func(c *record) { c.Args[0] = value{Kind: "list", Open: "[exit(), ", Close: "]"} },
		"a text beside parts":          func(c *record) { c.Args[0] = value{Kind: "list", Open: "[", Close: "]", Text: "x"} },
		"a key that is a call": func(c *record) {
			c.Args[0] = value{Kind: "map", Open: "{", Close: "}", Parts: []value{{Kind: "int", Text: "1", Prefix: "exit(): "}}}
		},
		"more arguments than anybody": func(c *record) { c.Args = make([]value, mostArgs+1) },
		"no object for a method":      func(c *record) { c.Recv, c.Before = nil, nil },
	} {
		c := honest()
		spoil(&c)
		if r.record(t.Context(), one, c) {
			t.Errorf("%s is taken", name)
		}
	}
	for _, o := range []outcome{{Raises: "A: x\nimport os"}, {Home: "a b"}, {After: []string{"exit()"}}, {Error: strings.Repeat("a", longestWord+1)}} {
		if r.outcome(t.Context(), o) {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestC5GoTypesAreThoseOfThePackage(t *testing.T) {
	t.Parallel()
	got := goTypes(fstest.MapFS{
		"p/a.go":      {Data: []byte("package p\ntype Point struct{}\ntype Of[T any] struct{}\nfunc run() {}\nvar int8 = 1\n")},
		"p/a_test.go": {Data: []byte("package p_test\ntype Alien int\n")},
		"p/broken.go": {Data: []byte("package p\ntype Left int\nfunc {")},
	}, "p")
	for name, want := range map[string]bool{"Point": true, "Of": false, "run": false, "int8": false} {
		if is, ok := got[name]; !ok || is != want {
			t.Errorf("%s: %v, declared %v", name, is, ok)
		}
	}
	if _, ok := got["Alien"]; ok {
		t.Error("a type of another package counts")
	}
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`1`, `"a"`, `[1, {"a": None}]`, `{ a: 'x' }`, `map[string]int{"a": 1}`, `exit()`, "1\n2", `frozenset({1})`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []code.Language{code.Python, code.JavaScript, code.Go} {
			if !(rules{lang: lang}).literal(t.Context(), s) {
				continue
			}
			// outside of quotes a literal has no character that ends a statement
			quoted, mark, skip := false, byte(0), false
			for i := range len(s) {
				switch b := s[i]; {
				case skip:
					skip = false
				case quoted && b == '\\':
					skip = true
				case quoted:
					quoted = b != mark
				case b == '"' || b == '\'':
					quoted, mark = true, b
				case strings.IndexByte(";\n\r#`=$@|<>!?/%*^~", b) >= 0:
					t.Errorf("%s takes %q", lang, s)
				}
			}
			if quoted {
				t.Errorf("%s takes %q, whose quotes stay open", lang, s)
			}
		}
	})
}
