package reach

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fettle-dev/fettle/bot/code"
)

// empty is a node of no text, for what stands in no tree.
var empty = sync.OnceValue(func() code.Node {
	t, err := code.Parse(context.Background(), code.Python, nil)
	if err != nil {
		panic("the empty text does not parse: " + err.Error()) // the grammars are built in
	}
	return t.Root()
})

// field is the node's field, or the empty node: a text with syntax errors may
// lack any.
func field(n code.Node, name string) code.Node {
	if c, ok := n.ChildByField(name); ok {
		return c
	}
	return empty()
}

// above is the node's parent, or the empty node.
func above(n code.Node) code.Node {
	if up, ok := n.Parent(); ok {
		return up
	}
	return empty()
}

// texts are the kinds of nodes that hold constant text in any of the languages.
var texts = map[string]bool{"string": true, "concatenated_string": true, "template_string": true,
	"interpreted_string_literal": true, "raw_string_literal": true, "rune_literal": true}

// constant is the text that an expression always has: a literal, literals
// joined by + or by standing beside each other, or a list of such joined by a
// constant. ok is false where that is known only when the code runs.
func constant(n code.Node) (text string, ok bool) {
	switch n.Kind() {
	case "string", "template_string", "interpreted_string_literal", "raw_string_literal":
		return literal(n)
	case "parenthesized_expression", "expression_list":
		if in := n.NamedChildren(); len(in) == 1 {
			return constant(in[0])
		}
	case "concatenated_string":
		return joined(n.NamedChildren(), "")
	case "binary_operator", "binary_expression":
		left := field(n, "left")
		right := field(n, "right")
		if op, has := n.ChildByField("operator"); has && op.Text() == "+" {
			return joined([]code.Node{left, right}, "")
		}
		if kids := n.Children(); len(kids) == 3 && kids[1].Text() == "+" {
			return joined([]code.Node{left, right}, "")
		}
	case "call", "call_expression":
		return joinCall(n)
	}
	return "", false
}

func joined(parts []code.Node, by string) (string, bool) {
	var out []string
	for _, p := range parts {
		t, ok := constant(p)
		if !ok {
			return "", false
		}
		out = append(out, t)
	}
	return strings.Join(out, by), true
}

// joinCall reads "-".join(["a", "b"]) and ["a", "b"].join("-").
func joinCall(n code.Node) (string, bool) {
	function := field(n, "function")
	arguments := field(n, "arguments")
	kids := function.NamedChildren()
	args := arguments.NamedChildren()
	if len(kids) != 2 || len(args) != 1 || kids[1].Text() != "join" {
		return "", false
	}
	list, by := args[0], kids[0]
	if by.Kind() == "array" {
		list, by = by, list
	}
	sep, ok := constant(by)
	if !ok || list.Kind() != "list" && list.Kind() != "tuple" && list.Kind() != "array" {
		return "", false
	}
	return joined(list.NamedChildren(), sep)
}

// literal is the value of one literal; one with a hole has none.
func literal(n code.Node) (string, bool) {
	var out strings.Builder
	for _, c := range n.NamedChildren() {
		switch c.Kind() {
		case "interpolation", "template_substitution":
			return "", false
		case "string_start", "string_end":
			continue
		}
		out.WriteString(c.Text())
	}
	text := out.String()
	if n.Kind() == "raw_string_literal" || strings.ContainsAny(prefix(n), "rR") {
		return text, true
	}
	return unescape(text), true
}

// prefix is what stands before a Python string's quote.
func prefix(n code.Node) string {
	return n.Text()[:max(0, strings.IndexAny(n.Text(), "'\""))]
}

// unescape reads the escapes that the languages share; one that it does not know
// stays as it is.
func unescape(s string) string {
	var out strings.Builder
	for s != "" {
		if r, n, ok := escape(s); ok {
			out.WriteRune(r)
			s = s[n:]
			continue
		}
		_, n := utf8.DecodeRuneInString(s)
		out.WriteString(s[:n])
		s = s[n:]
	}
	return out.String()
}

// escape reads \n, \x41, \u0041, \U00000041, \u{41} and \101.
func escape(s string) (r rune, length int, ok bool) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0, false
	}
	number := func(digits string, base, length int) (rune, int, bool) {
		v, err := strconv.ParseUint(digits, base, 32)
		return rune(v), length, err == nil
	}
	switch c := s[1]; {
	case c == 'u' && strings.HasPrefix(s[2:], "{"):
		if end := strings.IndexByte(s, '}'); end > 0 {
			return number(s[3:end], 16, end+1)
		}
	case c == 'x' && len(s) >= 4:
		return number(s[2:4], 16, 4)
	case c == 'u' && len(s) >= 6:
		return number(s[2:6], 16, 6)
	case c == 'U' && len(s) >= 10:
		return number(s[2:10], 16, 10)
	case c >= '0' && c <= '7':
		end := 2
		for end < len(s) && end < 4 && s[end] >= '0' && s[end] <= '7' {
			end++
		}
		return number(s[1:end], 8, end)
	case c == '\\' || c == '\'' || c == '"' || c == '`':
		return rune(c), 2, true
	case c == 'n':
		return '\n', 2, true
	}
	return 0, 0, false
}

// spelled is an identifier as the language reads it: Python normalises
// (PEP 3131), JavaScript knows escapes in names.
func spelled(n code.Node) string {
	text := n.Text()
	if strings.Contains(text, `\`) {
		text = unescape(text)
	}
	return norm.NFKC.String(text)
}

// constants judges the text that an expression always has. It tells whether the
// expression is such a text, which needs no further look.
func (l *look) constants(n code.Node) bool {
	if !texts[n.Kind()] && n.Kind() != "binary_operator" && n.Kind() != "binary_expression" && n.Kind() != "call" && n.Kind() != "call_expression" {
		return false
	}
	text, ok := constant(n)
	if !ok {
		return false
	}
	l.spoken(n, text)
	return true
}

// root is the name that a chain of members starts at, and the members' names
// from there on; a member by a computed name is "?". ok is false where it
// starts at anything else than a name.
func root(n code.Node) (name code.Node, members []string, ok bool) {
	for {
		switch n.Kind() {
		case "identifier", "package_identifier":
			return n, members, true
		case "attribute", "member_expression", "selector_expression":
			kids := n.NamedChildren()
			if len(kids) < 2 {
				return n, nil, false
			}
			members = append([]string{spelled(kids[len(kids)-1])}, members...)
			n = kids[0]
		case "subscript", "subscript_expression", "index_expression":
			kids := n.NamedChildren()
			if len(kids) < 2 {
				return n, nil, false
			}
			key, known := constant(kids[len(kids)-1])
			if !known {
				key = "?"
			}
			members = append([]string{key}, members...)
			n = kids[0]
		case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "sequence_expression":
			kids := n.NamedChildren()
			if len(kids) == 0 {
				return n, nil, false
			}
			if n = kids[0]; n.Up() == "sequence_expression" {
				n = kids[len(kids)-1]
			}
		default:
			return n, nil, false
		}
	}
}

// means is what a chain stands for, such as "os.path" for `p.path` where p was
// imported as os; "" when it starts at a local value.
func (l *look) means(n code.Node) string {
	name, members, ok := root(n)
	if !ok {
		return ""
	}
	of := l.bound[spelled(name)]
	if of == "" {
		return ""
	}
	return strings.Join(append([]string{of}, members...), ".")
}
