package gate

import (
	"context"
	"io/fs"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
)

// dialect is what the rules have to know of a language.
type dialect struct {
	howNamed string
	habits   []habit
	mock     *lazyregexp.Regexp // a call that makes a mock, with its bracket
	frame    *lazyregexp.Regexp // calls that only hold other code
	runs     *lazyregexp.Regexp // text that starts the project as a program
	steps    *lazyregexp.Regexp // calls that differ from one to the next, rightly

	tests    func(t *code.Tree) []test
	names    func(s *sheet, n code.Node) []string // that an expression uses as values
	called   func(n code.Node) (string, bool)     // text of what a call or decorator calls
	imports  func(context.Context, *sheet, fs.FS, map[string]bool) error
	define   func(s *sheet, n code.Node)                        // notes what a node defines or assigns
	helps    func(s *sheet, name string, args []code.Node) bool // a helper of the tests in another file, which may assert
	given    func(s *sheet, t test, name string) bool           // the name comes from outside of the file
	skips    func(n code.Node) bool                             // what is no call
	swallows func(s *sheet, n code.Node) bool
	constant func(s *sheet, a assertion.Assertion) bool // true whatever its operands are
}

func dialectOf(lang code.Language) *dialect {
	switch lang {
	case code.Python:
		return pythonDialect
	case code.JavaScript, code.TypeScript, code.TSX:
		return scriptDialect
	case code.Go:
		return goDialect
	}
	return nil
}

// calls gives the text of what a call calls.
func calls(n code.Node) (string, bool) {
	if n.Kind() != "call" && n.Kind() != "call_expression" && n.Kind() != "new_expression" {
		return "", false
	}
	fn, ok := n.ChildByField("function")
	if !ok {
		fn, ok = n.ChildByField("constructor")
	}
	return wording(fn), ok
}

// bound lists the names on the left of an assignment or in a pattern.
func bound(n code.Node) []string {
	var out []string
	n.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "attribute", "member_expression", "selector_expression", "subscript", "subscript_expression", "index_expression":
			out = append(out, wording(c))
			if r := root(wording(c)); r != "self" && r != "this" {
				out = append(out, r)
			}
			return false
		case "identifier", "shorthand_property_identifier_pattern":
			out = append(out, wording(c))
		}
		return true
	})
	return out
}

// assign notes the values that the names of a pattern are given.
func (s *sheet) assign(left, right code.Node) {
	for _, name := range bound(left) {
		s.vars[name] = append(s.vars[name], right)
	}
}

// fields assigns one field of a node to another, when it has both.
func (s *sheet) fields(n code.Node, left, right string) {
	l, ok := n.ChildByField(left)
	r, has := n.ChildByField(right)
	if ok && has {
		s.assign(l, r)
	}
}

// wording is the source of a node, "" for a field that is not there.
func wording(n code.Node) string {
	if n == (code.Node{}) {
		return ""
	}
	return n.Text()
}

// below are the named nodes under a node, none for a field that is not there.
func below(n code.Node) []code.Node {
	if n == (code.Node{}) {
		return nil
	}
	return n.NamedChildren()
}
