package bugs

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// scriptUnits finds the calls it("title", () => …) and those of test, specify
// and t.test that hold no further ones.
func scriptUnits(t *code.Tree) []Unit {
	var out []Unit
	t.Walk(func(n code.Node) bool {
		if n.Kind() != "call_expression" || !scriptCall(n) || holdsCall(n) {
			return true
		}
		c := cut{n.Start(), n.End(), "undefined"}
		if p, ok := n.Parent(); ok && p.Kind() == "expression_statement" {
			c = cut{p.Start(), p.End(), ";"}
		}
		out = append(out, Unit{Name: scriptName(n), cuts: []cut{c}})
		return false
	})
	return out
}

var scriptWords = []string{"it", "test", "specify"}

// scriptCall tells a call that makes a test: the word, and a function among
// the arguments.
func scriptCall(n code.Node) bool {
	f, ok := n.ChildByField("function")
	if !ok {
		return false
	}
	for f.Kind() == "call_expression" { // test.each(rows)("title", …)
		if f, ok = f.ChildByField("function"); !ok {
			return false
		}
	}
	word := f.Text()
	if f.Kind() == "member_expression" {
		object, _ := f.ChildByField("object")
		property, _ := f.ChildByField("property")
		if word = property.Text(); slices.Contains(scriptWords, object.Text()) {
			word = object.Text()
		} else if object.Kind() != "identifier" {
			return false
		}
	}
	return slices.Contains(scriptWords, word) && takesFunction(n)
}

func takesFunction(n code.Node) bool {
	args, ok := n.ChildByField("arguments")
	if !ok {
		return false
	}
	return slices.ContainsFunc(args.NamedChildren(), func(a code.Node) bool {
		return slices.Contains([]string{"arrow_function", "function_expression", "function", "generator_function"}, a.Kind())
	})
}

// holdsCall tells whether a test lies within another.
func holdsCall(n code.Node) bool {
	found := false
	n.Walk(func(in code.Node) bool {
		if in != n && in.Kind() == "call_expression" && scriptCall(in) {
			found = true
		}
		return !found
	})
	return found
}

// scriptName joins the titles of a test and of what it lies in.
func scriptName(n code.Node) string {
	name := title(n)
	for p, ok := n.Ancestor("call_expression"); ok; p, ok = p.Ancestor("call_expression") {
		if takesFunction(p) && title(p) != "" {
			name = title(p) + " > " + name
		}
	}
	return name
}

// title is the first argument where it is a text.
func title(call code.Node) string {
	args, ok := call.ChildByField("arguments")
	if !ok {
		return ""
	}
	list := args.NamedChildren()
	if len(list) == 0 || list[0].Kind() != "string" && list[0].Kind() != "template_string" {
		return ""
	}
	return strings.NewReplacer(`\'`, `'`, `\"`, `"`, "\\`", "`", `\\`, `\`).Replace(strings.Trim(list[0].Text(), "'\"`"))
}
