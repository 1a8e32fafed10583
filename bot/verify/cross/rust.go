package cross

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// rustTest finds the function of "module::test".
func rustTest(tree *code.Tree, name string) []code.Node {
	name = name[strings.LastIndex(name, ":")+1:]
	var out []code.Node
	tree.Walk(func(n code.Node) bool {
		if own, ok := n.ChildByField("name"); n.Kind() == "function_item" && ok && own.Text() == name {
			out = append(out, n)
		}
		return true
	})
	return out
}

// rustWrong makes an assertion state the opposite.
func rustWrong(n code.Node, _ string) []change {
	if n.Kind() != "macro_invocation" {
		return nil
	}
	kids := n.NamedChildren()
	if len(kids) != 2 || kids[1].Kind() != "token_tree" {
		return nil
	}
	name, tokens := kids[0], kids[1]
	switch prefix := strings.TrimPrefix(name.Text(), "debug_"); prefix {
	case "assert_eq":
		return replaced(name, strings.Replace(name.Text(), "_eq", "_ne", 1))
	case "assert_ne":
		return replaced(name, strings.Replace(name.Text(), "_ne", "_eq", 1))
	case "assert":
		text := tokens.Text()
		if condition := firstArgument(text[1 : len(text)-1]); condition != "" {
			begin := tokens.Start() + 1
			return []change{{begin, begin + len(condition), "!(" + condition + ")"}}
		}
	}
	return nil
}

// firstArgument is the text up to the first comma that stands in no bracket, text
// or generic argument.
func firstArgument(text string) string {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			return text[:i]
		}
	}
	return text
}

// rustEnding fails behind the last statement of a test that always comes there.
func rustEnding(function code.Node, _, token string) []change {
	body, ok := function.ChildByField("body")
	_, gives := function.ChildByField("return_type")
	if !ok || gives || strings.Contains(body.Text(), "return") || panics(function) {
		return nil
	}
	end := body.End() - 1
	return []change{{end, end, fmt.Sprintf(" ; panic!(%q); ", token)}}
}

// panics tells that a test is meant to: its attribute stands before it.
func panics(function code.Node) bool {
	up, ok := function.Parent()
	if !ok {
		return false
	}
	meant := false
	for _, n := range up.NamedChildren() {
		switch {
		case n.Start() == function.Start():
			return meant
		case n.Kind() == "attribute_item":
			meant = meant || strings.Contains(n.Text(), "should_panic")
		case !strings.Contains(n.Kind(), "comment"):
			meant = false
		}
	}
	return meant
}
