package reproduction

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// Beside is a file whose functions the candidate can call: a test file of its package,
// a conftest.py, a module that it imports.
type Beside struct{ Path, Text string }

// Reaches tells whether a test can call the functions of another test file: one of its
// package in Go, a conftest.py above it, a module that it imports.
func Reaches(test, text, file string) bool {
	name := path.Base(file)
	switch {
	case file == test || !code.IsTest(file) && name != "conftest.py" || !slices.Contains(family[path.Ext(test)], path.Ext(file)):
		return false
	case path.Ext(test) == ".go":
		return path.Dir(file) == path.Dir(test)
	case name == "conftest.py":
		return path.Dir(file) == "." || strings.HasPrefix(test, path.Dir(file)+"/")
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	return slices.ContainsFunc(imports.FindAllString(text, -1), func(line string) bool {
		return slices.Contains(identifier.FindAllString(line, -1), stem) || strings.Contains(line, "/"+stem)
	})
}

var family = map[string][]string{".go": {".go"}, ".py": {".py"},
	".js": {".js", ".mjs", ".cjs"}, ".mjs": {".js", ".mjs", ".cjs"}, ".cjs": {".js", ".mjs", ".cjs"},
	".ts": {".ts", ".tsx", ".js"}, ".tsx": {".ts", ".tsx", ".js"}}

// helpers are the functions that hold what they are given to something.
type helpers struct {
	own    *code.Tree            // of the candidate
	stated []assertion.Assertion // of the candidate itself
	defs   map[string][]helper
	called int // how often one was followed
}

// helper is a function or method that asserts.
type helper struct {
	fn      code.Node
	params  []code.Param
	locals  map[string]code.Node // names that it gives one value
	asserts []code.Node
	calls   []code.Node // of functions that may be helpers, too
	method  bool
}

// held is an assertion as the call of a helper makes it: with what is passed in the
// place of the parameters.
type held struct {
	text string
	in   code.Node // of the helper
}

// Bounds of what is read of helpers, which a model wrote.
const (
	deepest    = 3     // helpers that call each other are followed
	mostCalled = 5_000 // calls of helpers of a file
)

// readHelpers finds the helpers of a candidate. A text that cannot be read has none.
func readHelpers(ctx context.Context, c Candidate) *helpers {
	h := &helpers{defs: map[string][]helper{}}
	for n, f := range append([]Beside{{c.Path, c.Text}}, c.Beside...) {
		t, err := code.Parse(ctx, code.LanguageOf(f.Path), []byte(f.Text))
		if err != nil {
			continue
		}
		if n == 0 {
			h.own = t
		}
		t.Walk(func(node code.Node) bool {
			if a, ok := stating(node, t.Root()); n == 0 && ok {
				h.stated = append(h.stated, a)
			} else if cond, ok := node.ChildByField("condition"); n == 0 && ok && node.Kind() == "if_statement" && compared.MatchString(node.Text()) {
				h.stated = append(h.stated, assertion.Assertion{Node: cond, Statement: node})
			}
			if name, fn, ok := assertion.Function(node); ok && !isTest.MatchString(name) {
				h.defs[name] = append(h.defs[name], newHelper(fn))
			}
			return true
		})
	}
	for again := true; again; { // what asserts by a helper is one
		again = false
		for _, name := range slices.Sorted(maps.Keys(h.defs)) {
			kept := slices.DeleteFunc(slices.Clone(h.defs[name]), func(d helper) bool {
				return len(d.asserts) == 0 && !slices.ContainsFunc(d.calls, func(call code.Node) bool { return len(h.of(call)) > 0 })
			})
			again = again || len(kept) < len(h.defs[name])
			if h.defs[name] = kept; len(kept) == 0 {
				delete(h.defs, name)
			}
		}
	}
	return h
}

// isTest is the name of what a runner calls itself.
var isTest = lazyregexp.New(`^(?:test|Test|Benchmark|Example|Fuzz)`)

// compared begins an if that holds something to something, whatever it does then.
var compared = lazyregexp.New(`^if (?:\w+ ?:?=|\w.* != )`)

// stating reads an assertion that says what it is about.
func stating(n, body code.Node) (assertion.Assertion, bool) {
	a, ok := assertion.Of(n, body)
	return a, ok && a.Statement != (code.Node{})
}

// wording is the text of a statement: of an if, its condition.
func wording(n code.Node, bind map[string]string) string {
	cond, ok := n.ChildByField("condition")
	if !ok || n.Kind() != "if_statement" && n.Kind() != "elif_clause" {
		return render(n, bind)
	}
	if init, has := n.ChildByField("initializer"); has {
		return "if " + render(init, bind) + "; " + render(cond, bind) + " {"
	}
	return "if " + render(cond, bind) + " {"
}

func newHelper(fn code.Node) helper {
	h := helper{fn: fn, locals: map[string]code.Node{}}
	h.params, _ = code.Parameters(fn)
	h.method = fn.Kind() == "method_definition" || fn.Kind() == "method_declaration"
	if len(h.params) > 0 && (h.params[0].Name == "self" || h.params[0].Name == "cls") {
		h.params, h.method = h.params[1:], true
	}
	if _, in := fn.Ancestor("class_definition"); in && fn.Kind() == "function_definition" {
		h.method = true // a static one
	}
	body, ok := fn.ChildByField("body")
	if !ok {
		return h
	}
	many := map[string]bool{}
	body.Walk(func(n code.Node) bool {
		if a, ok := stating(n, fn); ok {
			if !slices.Contains(h.asserts, a.Statement) {
				h.asserts = append(h.asserts, a.Statement)
			}
			return false
		}
		if n.Field() == "initializer" && n.Up() == "if_statement" {
			return false // its name stands for the value in the condition only
		}
		if _, _, is := assertion.Call(n); is {
			h.calls = append(h.calls, n)
		}
		for _, f := range [][2]string{{"name", "value"}, {"left", "right"}} {
			left, ok := n.ChildByField(f[0])
			right, has := n.ChildByField(f[1])
			if !ok || !has || n.Kind() == "keyword_argument" || n.Kind() == "binary_expression" {
				continue
			}
			if name := left.Text(); many[name] {
				delete(h.locals, name)
			} else {
				many[name], h.locals[name] = true, right
			}
		}
		return true
	})
	for _, p := range h.params {
		delete(h.locals, p.Name)
	}
	return h
}

// of are the helpers that a call may call, by its name.
func (h *helpers) of(call code.Node) []helper {
	name, _, ok := assertion.Call(call)
	if !ok {
		return nil
	}
	dot := strings.LastIndexByte(name, '.')
	return slices.DeleteFunc(slices.Clone(h.defs[name[dot+1:]]), func(d helper) bool {
		return dot >= 0 && !d.method && d.fn.Kind() != "arrow_function" || dot < 0 && d.method
	})
}

// around tells whether a line lies in a helper of the candidate.
func (h *helpers) around(line int) bool {
	if h == nil {
		return false
	}
	for _, list := range h.defs {
		if slices.ContainsFunc(list, func(d helper) bool { return d.fn.Tree() == h.own && d.fn.Line() <= line && line <= d.fn.EndLine() }) {
			return true
		}
	}
	return false
}

// at are the assertions that the calls of helpers in a line make.
func (h *helpers) at(line int) (out []held) {
	if h == nil || h.own == nil || len(h.defs) == 0 {
		return nil
	}
	if h.around(line) {
		return nil
	}
	h.own.Walk(func(n code.Node) bool {
		if n.Line() > line || n.EndLine() < line {
			return false
		}
		if found := h.of(n); len(found) > 0 && n.Line() == line {
			out = append(out, h.inline(found, n, nil, 0)...)
			return false
		}
		return true
	})
	return out
}

// inline writes out what a call of helpers asserts about what it is given.
func (h *helpers) inline(found []helper, call code.Node, outer map[string]string, depth int) (out []held) {
	_, args, _ := assertion.Call(call)
	for _, d := range found {
		if h.called++; h.called > mostCalled {
			return out
		}
		bind := d.bind(args, outer)
		for _, a := range d.asserts {
			if !uses(a, bind) {
				continue
			}
			out = append(out, held{wording(a, bind), a})
		}
		for _, inner := range d.calls {
			if more := h.of(inner); depth < deepest && len(more) > 0 {
				out = append(out, h.inline(more, inner, bind, depth+1)...)
			}
		}
	}
	return out
}

// uses tells whether a node has one of some names.
func uses(n code.Node, names map[string]string) bool {
	found := false
	n.Walk(func(c code.Node) bool {
		if _, ok := names[c.Text()]; ok && c.Kind() == "identifier" {
			found = true
		}
		return !found
	})
	return found
}

// bind gives each parameter and local name of a helper the text that it stands for.
func (d helper) bind(args []code.Node, outer map[string]string) map[string]string {
	bind := map[string]string{}
	at := 0
	for _, a := range args {
		if name, ok := a.ChildByField("name"); ok && a.Kind() == "keyword_argument" {
			value, _ := a.ChildByField("value")
			bind[name.Text()] = bounded(value, outer)
			continue
		}
		if at < len(d.params) {
			bind[d.params[at].Name] = bounded(a, outer)
		}
		at++
	}
	for _, p := range d.params {
		if _, ok := bind[p.Name]; !ok && p.Given != "" {
			bind[p.Name] = p.Given
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.locals)) {
		if _, ok := bind[name]; !ok {
			bind[name] = bounded(d.locals[name], bind)
		}
	}
	delete(bind, "")
	return bind
}

// bounded is render, or the text as it stands where it grows too long: names that stand for
// twice another one, which stands for twice a third, have no end.
func bounded(n code.Node, bind map[string]string) string {
	if text := render(n, bind); len(text) <= longestStatement {
		return text
	}
	return n.Text()
}

// render is a node's text with names replaced by what they stand for.
func render(n code.Node, bind map[string]string) string {
	var out strings.Builder
	at := n.Start()
	n.Walk(func(c code.Node) bool {
		if c.Kind() != "identifier" && c.Kind() != "shorthand_property_identifier" {
			return true
		}
		by, ok := bind[c.Text()]
		if f := c.Field(); !ok || f == "attribute" || f == "property" || f == "field" || f == "name" && c.Up() == "keyword_argument" {
			return true
		}
		out.WriteString(string(c.Tree().Src[at:c.Start()]) + by)
		at = c.End()
		return true
	})
	out.Write(n.Tree().Src[at:n.End()])
	return out.String()
}

// with adds to a test's source that of the helpers that it calls: they are a part of
// what it runs.
func (h *helpers) with(source string) string {
	if h == nil || h.own == nil || len(h.defs) == 0 {
		return source
	}
	from := strings.Index(string(h.own.Src), source)
	if from < 0 {
		return source
	}
	var out strings.Builder
	out.WriteString(source)
	added := map[code.Node]bool{}
	var add func(n code.Node, from, to int)
	add = func(n code.Node, from, to int) {
		n.Walk(func(c code.Node) bool {
			if c.End() <= from || to <= c.Start() {
				return false
			}
			for _, d := range h.of(c) {
				within := d.fn.Tree() == h.own && from <= d.fn.Start() && d.fn.End() <= to
				if !added[d.fn] && c.Start() >= from && !within {
					added[d.fn] = true
					out.WriteString("\n" + d.fn.Text())
					add(d.fn, d.fn.Start(), d.fn.End())
				}
			}
			return true
		})
	}
	add(h.own.Root(), from, from+len(source))
	return out.String()
}

// site is the line of the test out of which a failure comes, and the line of the helper
// that it calls there, if it is one that fails. The first is 0 where the helper is called
// more than once and nothing tells which call it was.
func (c Candidate) site(f task.Failure, r belong.Red) (at, inner int) {
	inner = c.at(f)
	if !c.helpers.around(inner) {
		return inner, 0
	}
	for n := len(f.Trace) - 1; n >= 0; n-- {
		if fr := f.Trace[n]; fr.File == c.Path {
			if !c.helpers.around(fr.Line) && len(c.helpers.at(fr.Line)) > 0 {
				return fr.Line, inner
			}
		}
	}
	calls := 0 // of Go's tests the trace is one line
	for n, line := range strings.Split(c.Text, "\n") {
		if strings.Contains(r.Source, strings.TrimSpace(line)) && slices.ContainsFunc(c.helpers.at(n+1), func(h held) bool { return h.in.Line() <= inner && inner <= h.in.EndLine() }) {
			at = n + 1
			calls++
		}
	}
	switch calls {
	case 0:
		return inner, 0
	case 1:
		return at, inner
	}
	return 0, inner
}

// assertions are those of a line: its own, or those that it makes by a helper.
func (c Candidate) assertions(n int) (out []held) {
	for _, a := range c.helpers.stated {
		if a.Statement.Line() == n && !slices.ContainsFunc(out, func(h held) bool { return h.in == a.Statement }) {
			out = append(out, held{wording(a.Statement, nil), a.Statement})
		}
	}
	if len(out) == 0 {
		return c.helpers.at(n)
	}
	return out
}

// failed is the assertion of a line that failed, in a helper at the line inner, and
// what the test wrote there.
func (c Candidate) failed(at, inner int) (statement, wrote string) {
	list := c.helpers.at(at)
	for _, h := range list {
		if h.in.Tree() == c.helpers.own && h.in.Line() <= inner && inner <= h.in.EndLine() {
			return h.text, c.line(at)
		}
	}
	var own code.Node // the innermost
	for _, a := range c.helpers.stated {
		if a.Node.Line() <= at && at <= a.Node.EndLine() && (len(list) == 0 || a.Statement.Line() == at) {
			own = a.Statement
		}
	}
	switch {
	case own != code.Node{}:
		statement = wording(own, nil)
	case len(list) > 0:
		return list[0].text, c.line(at)
	default:
		statement = c.statement(at)
	}
	return statement, statement
}
