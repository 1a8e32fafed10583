package gate

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

// test is one test of a file.
type test struct {
	name string
	body code.Node
}

// sheet is a test file as the rules see it.
type sheet struct {
	d       *dialect
	t       *code.Tree
	path    string
	tests   []test
	project map[string]bool        // names that lead to the project's code
	mocked  map[string]bool        // names that a mock stands for
	defs    map[string][]code.Node // functions, classes and fixtures of this file
	vars    map[string][]code.Node // name → values that it is given anywhere in the file
	touched map[string][]code.Node // name → calls that it is handed to
	helpers map[string]bool        // names that come from helpers of the tests
	star    bool                   // the project's names are imported without being named
	asserts func(test) []assertion.Assertion
}

func newSheet(ctx context.Context, base fs.FS, files map[string]bool, p string, t *code.Tree) (*sheet, error) {
	s := &sheet{d: dialectOf(t.Lang), t: t, path: p, project: map[string]bool{}, mocked: map[string]bool{},
		defs: map[string][]code.Node{}, vars: map[string][]code.Node{}, touched: map[string][]code.Node{}, helpers: map[string]bool{}}
	if err := s.d.imports(ctx, s, base, files); err != nil {
		return nil, err
	}
	t.Walk(func(n code.Node) bool {
		s.d.define(s, n)
		s.function(n)
		if name, args, ok := assertion.Call(n); ok && !s.asserting(name) && !s.d.frame.MatchString(name) {
			for _, a := range args {
				for _, id := range s.d.names(s, a) {
					s.touched[id] = append(s.touched[id], n)
				}
			}
			if recv := root(name); recv != name { // a method may change what it is called on
				s.touched[recv] = append(s.touched[recv], n)
			}
		}
		return true
	})
	s.tests = s.d.tests(t)
	memo := map[string][]assertion.Assertion{}
	s.asserts = func(t test) []assertion.Assertion {
		if _, ok := memo[t.name]; !ok {
			memo[t.name] = s.find(t.body)
		}
		return memo[t.name]
	}
	return s, nil
}

// function notes a function or class that a node defines, but for the tests.
func (s *sheet) function(n code.Node) {
	name, fn, ok := assertion.Function(n)
	if k := n.Kind(); k == "class_definition" || k == "class_declaration" {
		name, ok = assertion.Field(n, "name")
	}
	begins := map[code.Language]string{code.Python: "test", code.Go: "Test"}[s.t.Lang]
	if ok && fn.Kind() != "func_literal" && (begins == "" || !strings.HasPrefix(name, begins)) {
		s.defs[name] = append(s.defs[name], fn)
	}
}

// assertion reads an assertion. What may be the test's own by its name counts where it is
// imported from a module of assertions.
func (s *sheet) assertion(n, body code.Node) (assertion.Assertion, bool) {
	a, ok := assertion.Of(n, body)
	if ok && a.Loose {
		name, _, _ := assertion.Call(n)
		ok = s.helpers["assert:"+name]
	}
	return a, ok
}

func (s *sheet) asserting(name string) bool {
	asserts, may := assertion.Named(s.t.Lang, name)
	return asserts && (!may || s.helpers["assert:"+name])
}

// find lists the assertions below a node; one inside a helper of the same file
// counts where the helper is called.
func (s *sheet) find(body code.Node) []assertion.Assertion {
	var out []assertion.Assertion
	body.Walk(func(n code.Node) bool {
		if a, ok := s.assertion(n, body); ok {
			out = append(out, a)
			return true
		}
		if name, args, ok := assertion.Call(n); ok {
			if s.d.helps(s, name, args) {
				out = append(out, assertion.Assertion{Node: n, About: append(args, body)})
				return true
			}
			if s.renamed(name) {
				out = append(out, assertion.Assertion{Node: n, About: args})
				return true
			}
			for _, def := range s.defs[last(name)] {
				if def != body && !inside(n, def) && s.assertsIn(def) {
					out = append(out, assertion.Assertion{Node: n, About: append(args, def)})
					break
				}
			}
		}
		return true
	})
	return out
}

// assertsIn tells whether a node asserts, by itself or by a helper of the file
// that it calls.
func (s *sheet) assertsIn(def code.Node) bool { return s.assertsBelow(def, map[code.Node]bool{}) }

func (s *sheet) assertsBelow(def code.Node, looked map[code.Node]bool) bool {
	if looked[def] {
		return false
	}
	looked[def] = true
	found := false
	def.Walk(func(n code.Node) bool {
		if found {
			return false
		}
		if _, found = s.assertion(n, def); found {
			return false
		}
		if name, args, ok := assertion.Call(n); ok {
			found = s.d.helps(s, name, args) || s.renamed(name) || slices.ContainsFunc(s.defs[last(name)], func(h code.Node) bool { return s.assertsBelow(h, looked) })
		}
		return !found
	})
	return found
}

// renamed tells whether a name is another one of an assertion, as in
// same = assert.equal.
func (s *sheet) renamed(name string) bool {
	return slices.ContainsFunc(s.vars[name], func(v code.Node) bool {
		k := v.Kind()
		return (k == "attribute" || k == "member_expression" || k == "selector_expression") && s.asserting(wording(v))
	})
}

func inside(n, outer code.Node) bool { return outer.Start() <= n.Start() && n.End() <= outer.End() }

// seen is what an expression depends on.
type seen struct {
	any, project, mock, unknown bool
}

// closure follows names to what they were made of, within the file.
func (s *sheet) closure(t test, about []code.Node) seen {
	var out seen
	done := map[string]bool{}
	work := slices.Clone(about)
	for steps := 0; len(work) > 0 && steps < 5000; steps++ {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if s.d.mock.MatchString(wording(n)) && s.makesMock(n) {
			out.mock = true
		}
		for _, id := range s.d.names(s, n) {
			out.any = true
			if done[id] {
				continue
			}
			done[id] = true
			switch values := append(append(slices.Clone(s.vars[id]), s.defs[id]...), s.touched[id]...); {
			case s.mocked[id]:
				out.mock = true
			case s.project[id] && len(s.vars[id])+len(s.defs[id]) == 0, s.star && len(s.vars[id])+len(s.defs[id]) == 0 && !pythonOwn[id] && !s.d.given(s, t, id):
				out.project = true
			default:
				work = append(work, values...)
				out.unknown = out.unknown || len(values) == 0 && s.d.given(s, t, id)
			}
		}
	}
	return out
}

// makesMock: a mock is made in the node.
func (s *sheet) makesMock(n code.Node) bool {
	found := false
	n.Walk(func(c code.Node) bool {
		if name, ok := s.d.called(c); ok && s.d.mock.MatchString(name+"(") {
			found = true
		}
		return !found
	})
	return found
}

func (s *sheet) mentionsProject(t test) bool {
	return s.closure(t, []code.Node{t.body}).project || s.d.runs.MatchString(t.body.Text())
}

// always tells whether an assertion holds whatever the code does: both sides
// are the same expression, or it is made of constants.
func (s *sheet) always(t test, a assertion.Assertion) bool {
	if len(a.About) == 0 {
		return false
	}
	if s.d.constant != nil && s.d.constant(s, a) {
		return true
	}
	if !a.Same || len(a.About) < 2 {
		return false
	}
	l, r := s.written(t, a.About[0], 0), s.written(t, a.About[1], 0)
	return l == r && !s.d.steps.MatchString(l)
}

// written is the text of an expression without white space, a name that is
// given one value in the test replaced by that value.
func (s *sheet) written(t test, n code.Node, depth int) string {
	for n.Kind() == "parenthesized_expression" && len(below(n)) == 1 {
		n = below(n)[0]
	}
	text := strings.Join(strings.Fields(wording(n)), "")
	if n.Kind() != "identifier" || depth > 3 {
		return text
	}
	var values []code.Node
	for _, v := range s.vars[wording(n)] {
		if inside(v, t.body) {
			values = append(values, v)
		}
	}
	if len(values) == 1 && (len(s.touched[wording(n)]) == 0 || values[0].Kind() == "call" || values[0].Kind() == "call_expression") {
		return s.written(t, values[0], depth+1)
	}
	return text
}

// list gives the files of the base.
func list(base fs.FS) (map[string]bool, error) {
	out := map[string]bool{}
	if base == nil {
		return out, nil
	}
	err := fs.WalkDir(base, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (code.Foreign(d.Name()) || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.Type().IsRegular():
			out[p] = true
		}
		return nil
	})
	return out, err
}

// root is the first name of a dotted one, last the last.
func root(name string) string {
	for i, r := range name {
		if r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80 {
			return name[:i]
		}
	}
	return name
}

func last(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}
