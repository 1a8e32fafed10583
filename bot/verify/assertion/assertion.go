// Package assertion tells what of a test file's syntax makes a test fail: assert
// statements, calls of assertion libraries, what is raised, and Go's conditions around
// t.Error. In flow nodes of a tree, out flow assertions with the expressions that
// decide them. It never runs anything and follows no name: whether a helper asserts,
// and what a name stands for, its callers find out.
package assertion

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// Assertion is a place that can make a test fail, and the expressions that decide it.
type Assertion struct {
	Node  code.Node
	About []code.Node
	// Same: About begins with two operands that are held to be equal.
	Same bool
	// Loose: by its name it asserts, which may be the test's own or no library's.
	Loose bool
	// Statement says what is held to what: Node, the if around Go's t.Error or around
	// what is raised, the with around an expected exception. It has no tree where a
	// test fails without a condition.
	Statement code.Node
}

// raises are calls that expect an exception.
var raises = lazyregexp.New(`(?:aises\w*|[Ww]arns\w*|Logs)$`)

var (
	python = lazyregexp.New(`^(?:self|cls|case|tc)\.(?:assert\w*|fail)$|^pytest\.(?:raises|warns|fail)$|(?:^|\.)assert_?\w*$`)
	script = lazyregexp.New(`^(?:t\.)?(?:assert|strict)(?:\.\w+)*$|^expect\(|^t\.fail$|^(?:chai\.)?should\b`)
	golang = lazyregexp.New(`^(?:t|tb|c|tt|s\.T\(\))\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$|^(?:require|assert|is|qt|check)\.\w+$`)
	loose  = lazyregexp.New(`^(?:(?:self|cls|t|\$this)\.)?assert|^expect\(|^(?:require|check)\.|^t\.(?:is|equal|deepEqual|same)$|(?:^|\.)raises$`)
	// imported are the methods of JavaScript's assertion modules that are imported by name.
	imported = lazyregexp.New(`^(?:equal|strictEqual|deepEqual|deepStrictEqual|notEqual|notStrictEqual|ok|throws|rejects|doesNotThrow|match|fail)$`)
	reports  = lazyregexp.New(`\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$`)
)

// Named tells whether what is called so asserts; loose, whether it only may.
func Named(lang code.Language, name string) (asserts, may bool) {
	known := map[code.Language]*lazyregexp.Regexp{code.Python: python, code.JavaScript: script, code.TypeScript: script, code.TSX: script, code.Go: golang}[lang]
	if known != nil && name != "expect" && known.MatchString(name) && !strings.HasPrefix(name, "assert.rejects.") {
		return true, false
	}
	maybe := name != "expect" && loose.MatchString(name) || lang == code.Go && reports.MatchString(name) || known == script && imported.MatchString(name)
	return maybe, maybe
}

// Reports tells whether a call of Go says that the test fails.
func Reports(name string) bool { return reports.MatchString(name) }

// Call gives the text of what a call calls, and its arguments.
func Call(n code.Node) (name string, args []code.Node, ok bool) {
	switch n.Kind() {
	case "call", "call_expression", "method_invocation", "function_call_expression", "member_call_expression", "scoped_call_expression", "macro_invocation":
	default:
		return "", nil, false
	}
	for _, field := range []string{"function", "method", "name", "macro"} {
		fn, ok := n.ChildByField(field)
		if !ok {
			continue
		}
		if list, has := n.ChildByField("arguments"); has {
			args = list.NamedChildren()
		}
		name = fn.Text()
		for _, on := range []string{"receiver", "object", "scope"} {
			if of, has := n.ChildByField(on); has && field != "function" {
				name = of.Text() + "." + name
			}
		}
		return name, args, true
	}
	return "", nil, false
}

// Function gives the name and the node of a function that a node defines.
func Function(n code.Node) (name string, fn code.Node, ok bool) {
	switch n.Kind() {
	case "function_definition", "function_declaration", "method_declaration", "method_definition", "generator_function_declaration":
		own, _ := Field(n, "name")
		return own, n, true
	case "assignment", "variable_declarator", "short_var_declaration", "public_field_definition", "pair":
		for _, f := range [][2]string{{"name", "value"}, {"left", "right"}, {"property", "value"}, {"key", "value"}} {
			left, ok := n.ChildByField(f[0])
			right, has := n.ChildByField(f[1])
			if !ok || !has {
				continue
			}
			if one := right.NamedChildren(); right.Kind() == "expression_list" && len(one) == 1 {
				right = one[0]
			}
			switch right.Kind() {
			case "lambda", "arrow_function", "function_expression", "func_literal":
				return left.Text(), right, true
			}
		}
	}
	return "", n, false
}

// Field is the text of a field, "" where it is not there.
func Field(n code.Node, name string) (string, bool) {
	c, ok := n.ChildByField(name)
	if !ok {
		return "", false
	}
	return c.Text(), true
}

// Of reads an assertion; body is the function that it stands in, or the whole tree.
func Of(n, body code.Node) (Assertion, bool) {
	a := Assertion{Node: n, Statement: n}
	switch n.Kind() {
	case "assert_statement":
		if a.About = n.NamedChildren(); len(a.About) == 0 {
			return a, false
		}
		a.About = a.About[:1]
		about := a.About[0]
		if sides := about.NamedChildren(); about.Kind() == "comparison_operator" && len(sides) == 2 && same.MatchString(string(n.Tree().Src[sides[0].End()-1:sides[1].Start()])) {
			a.About, a.Same = sides, true
		}
		return a, true
	case "raise_statement", "throw_statement":
		var at []code.Node
		a.About, at = conditions(n, body, "if_statement")
		a.Statement = innermost(at)
		if n.Kind() == "raise_statement" && strings.Contains(n.Text(), "AssertionError") {
			a.About = orBody(a.About, body)
			return a, true
		}
		return a, n.Kind() == "throw_statement" && len(a.About) > 0
	}
	name, args, ok := Call(n)
	if !ok {
		return a, false
	}
	asserts, may := Named(n.Tree().Lang, name)
	if !asserts {
		return a, false
	}
	a.About, a.Loose = args, may
	switch n.Tree().Lang {
	case code.Python:
		a.python(name, body)
	case code.JavaScript, code.TypeScript, code.TSX:
		a.script(name, body)
	case code.Go:
		return a, a.golang(name, body)
	}
	return a, true
}

var (
	same      = lazyregexp.New(`[^!<>]=(=)|\bis\b`)
	sameCalls = lazyregexp.New(`(?i)equal$`)
	expects   = lazyregexp.New(`\)\.to(?:Be|Equal|StrictEqual)$`)
)

func (a *Assertion) python(name string, body code.Node) {
	fn, _ := a.Node.ChildByField("function")
	if up, ok := a.Node.Ancestor("with_statement"); ok && inside(up, body) && raises.MatchString(name) {
		if block, has := up.ChildByField("body"); has && !inside(a.Node, block) {
			a.About, a.Statement = []code.Node{block}, up
			return
		}
	}
	switch {
	case strings.HasSuffix(name, ".fail"):
		_, at := conditions(a.Node, body, "if_statement")
		a.About, a.Statement = []code.Node{body}, innermost(at)
		return
	case fn.Kind() == "attribute" && !strings.HasPrefix(name, "self."): // m.assert_called_with(…)
		a.About = append(slices.Clone(a.About), fn)
	}
	a.Same = strings.HasSuffix(name, "Equal") || strings.HasSuffix(name, "Equals") || strings.HasSuffix(name, "assertIs")
}

func (a *Assertion) script(name string, body code.Node) {
	args := a.About
	fn, _ := a.Node.ChildByField("function")
	switch {
	case strings.HasPrefix(name, "expect("):
		subject := fn
		fn.Walk(func(c code.Node) bool {
			if called, held, ok := Call(c); ok && called == "expect" && len(held) > 0 {
				subject = held[0]
			}
			return true
		})
		a.About, a.Same = append([]code.Node{subject}, args...), expects.MatchString(name)
	case name == "fail" || strings.HasSuffix(name, ".fail"):
		_, at := conditions(a.Node, body, "if_statement")
		a.About, a.Statement = []code.Node{body}, innermost(at)
	default:
		if len(args) > 0 && args[0].Kind() == "binary_expression" { // assert(a === b)
			if op, _ := Field(args[0], "operator"); op == "===" || op == "==" {
				a.About, a.Same = args[0].NamedChildren(), true
				return
			}
		}
		a.Same = sameCalls.MatchString(name) && !strings.Contains(strings.ToLower(name), "not")
		n := max(1, len(args)-1)
		if a.Same {
			n = 2
		}
		a.About = args[:min(n, len(args))]
	}
}

func (a *Assertion) golang(name string, body code.Node) bool {
	library := strings.HasPrefix(name, "require") || strings.HasPrefix(name, "assert") || !reports.MatchString(name)
	if library {
		if len(a.About) < 2 {
			return false
		}
		a.About, a.Same = a.About[1:], strings.HasSuffix(name, "Equal") && !strings.Contains(name, "Not")
		return true
	}
	if a.Loose && len(a.About) == 0 && strings.HasSuffix(name, ".Error") { // of an error
		return false
	}
	conds, at := conditions(a.Node, body, "if_statement", "expression_case", "expression_switch_statement", "for_statement", "range_clause")
	a.About, a.Statement = orBody(conds, body), innermost(at)
	if len(conds) == 1 && conds[0].Kind() == "binary_expression" {
		if op, _ := Field(conds[0], "operator"); op == "!=" {
			a.About, a.Same = conds[0].NamedChildren(), true
			return true
		}
	}
	if slices.ContainsFunc(conds, func(c code.Node) bool { return strings.Contains(c.Text(), "recover()") }) { // whatever ran before it
		a.About = append(a.About, body)
	}
	return true
}

// conditions are the expressions between a node and the test's body that decide whether
// the node is reached, and the if statements around it, the innermost first.
func conditions(n, body code.Node, kinds ...string) (out, ifs []code.Node) {
	for at := n; at != body; {
		up, ok := at.Parent()
		if !ok {
			break
		}
		if slices.Contains(kinds, up.Kind()) {
			for _, field := range []string{"condition", "initializer", "value", "right"} {
				if c, ok := up.ChildByField(field); ok && c != at {
					out = append(out, c)
				}
			}
		}
		if k := up.Kind(); k == "if_statement" || k == "elif_clause" {
			ifs = append(ifs, up)
		}
		at = up
	}
	return out, ifs
}

func innermost(ifs []code.Node) code.Node {
	if len(ifs) == 0 {
		return code.Node{}
	}
	return ifs[0]
}

func orBody(conds []code.Node, body code.Node) []code.Node {
	if len(conds) == 0 {
		return []code.Node{body}
	}
	return conds
}

func inside(n, outer code.Node) bool { return outer.Start() <= n.Start() && n.End() <= outer.End() }
