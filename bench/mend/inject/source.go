package inject

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// source is a parsed file with what the rules ask of it.
type source struct {
	tree *code.Tree
	src  []byte
	lang code.Language
}

func (s *source) python() bool { return s.lang == code.Python }
func (s *source) script() bool { return s.lang == code.JavaScript }
func (s *source) golang() bool { return s.lang == code.Go }
func (s *source) ruby() bool   { return s.lang == code.Ruby }

var functions = []string{
	"function_definition", "lambda", // Python
	"function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function_declaration", "generator_function",
	"method_declaration", "func_literal", // Go; methods of Java
	"constructor_declaration",    // Java
	"function_item",              // Rust; C, C++ and PHP call it as Python does
	"method", "singleton_method", // Ruby
}

var loops = []string{"for_statement", "while_statement", "for_in_statement", "do_statement"}

// inFunction tells code that runs when something is called.
func inFunction(n code.Node) bool {
	_, ok := n.Ancestor(functions...)
	return ok
}

// kindOf is the kind of the node's field, or "".
func kindOf(n code.Node, field string) string {
	c, ok := n.ChildByField(field)
	if !ok {
		return ""
	}
	return c.Kind()
}

func text(n code.Node, field string) string {
	c, ok := n.ChildByField(field)
	if !ok {
		return ""
	}
	return c.Text()
}

// block tells a node whose children are statements of a function.
func block(n code.Node) bool {
	switch n.Kind() {
	case "block", "statement_block", "statement_list", "compound_statement", "body_statement", "then":
		return inFunction(n)
	}
	return false
}

// statements lists the statements of a block or of what holds one.
func statements(n code.Node) []code.Node {
	list := n.NamedChildren()
	if len(list) == 1 && list[0].Kind() == "statement_list" {
		return list[0].NamedChildren()
	}
	return list
}

// siblings are the statements of the block that a statement stands in; nil
// where it stands in none.
func siblings(n code.Node) []code.Node {
	p, ok := n.Parent()
	if !ok || !block(p) {
		return nil
	}
	return statements(p)
}

// next is the statement after one of a block.
func next(n code.Node) (code.Node, bool) {
	list := siblings(n)
	i := slices.Index(list, n)
	if i < 0 || i+1 >= len(list) {
		return code.Node{}, false
	}
	return list[i+1], true
}

// body is the block of a compound statement.
func body(n code.Node) (code.Node, bool) {
	for _, f := range []string{"body", "consequence"} {
		if b, ok := n.ChildByField(f); ok && slices.Contains([]string{"block", "statement_block"}, b.Kind()) {
			return b, true
		}
	}
	return code.Node{}, false
}

// removable tells a statement that can go without leaving an empty block where
// the language allows none.
func (s *source) removable(n code.Node) bool {
	list := siblings(n)
	return len(list) > 1 || len(list) == 1 && !s.python()
}

// drop takes a statement out, with its lines where it stands alone on them.
func (s *source) drop(n code.Node) Edit {
	start, end := s.lines(n)
	return Edit{Start: start, End: end}
}

// lines is the span of a statement with its lines where it stands alone on
// them, and else of the statement and a separator after it.
func (s *source) lines(n code.Node) (start, end int) {
	start, end = n.Start(), n.End()
	for end < len(s.src) && (s.src[end] == ' ' || s.src[end] == '\t' || s.src[end] == ';') {
		end++
	}
	indent, alone := code.IndentBefore(s.src, start)
	if alone && (end == len(s.src) || s.src[end] == '\n' || s.src[end] == '\r') {
		start -= len(indent)
		if at := strings.IndexByte(string(s.src[end:]), '\n'); at >= 0 {
			end += at + 1
		}
		return start, end
	}
	return start, end
}

// alone gives the indentation of a statement that has whole lines to itself.
func (s *source) alone(n code.Node) (indent string, ok bool) {
	indent, ok = code.IndentBefore(s.src, n.Start())
	_, end := s.lines(n)
	return indent, ok && end > 0 && (end == len(s.src) || s.src[end-1] == '\n')
}

// oneLine tells a node on a single line.
func oneLine(n code.Node) bool { return n.Line() == n.EndLine() }

// content is the first offset from at on that is no white space.
func (s *source) content(at int) int {
	for at < len(s.src)-1 && strings.IndexByte(" \t\r\n", s.src[at]) >= 0 {
		at++
	}
	return at
}

func replace(n code.Node, with string) Edit { return Edit{n.Start(), n.End(), with} }

// leaves are the tokens below a node.
func leaves(n code.Node) []code.Node {
	var out []code.Node
	n.Walk(func(c code.Node) bool {
		if len(c.Children()) == 0 && !c.IsExtra() {
			out = append(out, c)
		}
		return true
	})
	return out
}

// names are the identifiers below a node that stand for variables.
func names(n code.Node) map[string]bool {
	out := map[string]bool{}
	n.Walk(func(c code.Node) bool {
		if variable(c) {
			out[c.Text()] = true
		}
		return true
	})
	return out
}

// variable tells the use of a name that is neither called nor a name of a
// field, of an argument or of a type.
func variable(n code.Node) bool {
	if n.Kind() != "identifier" && n.Kind() != "variable_name" {
		return false
	}
	switch p, _ := n.Parent(); p.Kind() {
	case "attribute", "member_expression", "selector_expression":
		return n.Field() == "object" || n.Field() == "operand"
	case "call", "call_expression", "new_expression":
		return n.Field() != "function" && n.Field() != "constructor" && n.Field() != "method"
	case "keyword_argument":
		return n.Field() != "name"
	case "type", "raise_statement", "except_clause":
		return false
	}
	return true
}

// target and value are the two sides of an assignment of a single name or
// place; value is a zero node for steps such as i++.
func assignment(n code.Node) (target, value code.Node, ok bool) {
	switch n.Kind() {
	case "expression_statement":
		if list := n.NamedChildren(); len(list) == 1 && list[0].Kind() != n.Kind() {
			return assignment(list[0])
		}
		return
	case "assignment", "augmented_assignment", "assignment_expression", "augmented_assignment_expression", "assignment_statement", "short_var_declaration", "operator_assignment":
		target, ok = n.ChildByField("left")
		value, _ = n.ChildByField("right")
	case "variable_declaration", "lexical_declaration":
		if list := n.NamedChildren(); len(list) == 1 && list[0].Kind() == "variable_declarator" {
			target, ok = list[0].ChildByField("name")
			v, has := list[0].ChildByField("value")
			value, ok = v, ok && has
		}
	case "update_expression", "inc_statement", "dec_statement":
		if list := n.NamedChildren(); len(list) == 1 {
			return list[0], code.Node{}, true
		}
	}
	if ok && target.Kind() == "expression_list" {
		left, right := target.NamedChildren(), value.NamedChildren()
		if len(left) != 1 || len(right) != 1 {
			return target, value, false
		}
		return left[0], right[0], true
	}
	return target, value, ok
}

// call gives the called expression and the arguments of a call.
func call(n code.Node) (fn code.Node, args []code.Node, ok bool) {
	if n.Kind() != "call" && n.Kind() != "call_expression" && n.Kind() != "function_call_expression" {
		return fn, nil, false
	}
	fn, ok = n.ChildByField("function")
	list, has := n.ChildByField("arguments")
	if !ok || !has || !strings.HasSuffix(list.Kind(), "argument_list") && list.Kind() != "arguments" {
		return fn, nil, false
	}
	return fn, list.NamedChildren(), true
}

// method splits a call of a method into what it is called on and its name.
func method(fn code.Node) (object code.Node, name string, ok bool) {
	if fn == (code.Node{}) {
		return object, "", false
	}
	switch fn.Kind() {
	case "attribute":
		object, ok = fn.ChildByField("object")
		return object, text(fn, "attribute"), ok
	case "member_expression":
		object, ok = fn.ChildByField("object")
		return object, text(fn, "property"), ok
	case "selector_expression":
		object, ok = fn.ChildByField("operand")
		return object, text(fn, "field"), ok
	}
	return object, "", false
}

// jump tells a statement after which its block does not go on.
func jump(n code.Node) bool {
	switch n.Kind() {
	case "return_statement", "raise_statement", "throw_statement", "continue_statement", "break_statement", "goto_statement", "return", "next", "break":
		return true
	}
	return false
}

// complaining tells text that only a message or a log shows.
func complaining(n code.Node) bool {
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		switch p.Kind() {
		case "raise_statement", "throw_statement", "assert_statement":
			return true
		case "call", "call_expression", "new_expression":
			fn := strings.ToLower(text(p, "function") + text(p, "constructor") + text(p, "method"))
			if fn == "raise" {
				return true
			}
			for _, word := range []string{"error", "panic", "warn", "log", "print", "debug"} {
				if strings.Contains(fn, word) && !strings.Contains(fn, "sprint") && !strings.Contains(fn, "fprint") {
					return true
				}
			}
		}
		if slices.Contains(functions, p.Kind()) {
			return false
		}
	}
	return false
}
