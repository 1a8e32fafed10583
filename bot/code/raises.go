package code

import (
	"context"
	"strings"
)

// Raising is the statement of a line that ends the function with an exception, or builds
// one to give it back; "" where the line has none, or cannot be read.
func Raising(ctx context.Context, path string, src []byte, line int) string {
	t, err := Parse(ctx, LanguageIn(path, src), src)
	if err != nil {
		return ""
	}
	found := ""
	t.Walk(func(n Node) bool {
		if n.Line() > line || n.EndLine() < line {
			return false
		}
		if n.raises() {
			found = n.Text() // the innermost
		}
		return true
	})
	return found
}

func (n Node) raises() bool {
	switch n.Kind() {
	case "raise_statement", "throw_statement", "throw_expression":
		return true
	case "call_expression", "call", "macro_invocation":
		first, ok := n.FirstNamed()
		return ok && (n.t.Lang == Go && first.Is("panic") || n.t.Lang == Ruby && first.Is("raise") || n.t.Lang == Rust && first.Is("panic"))
	case "new_expression": // the stack of V8 ends where the error is built
		class, ok := n.ChildByField("constructor")
		return ok && n.Up() == "return_statement" && (strings.HasSuffix(class.Text(), "Error") || strings.HasSuffix(class.Text(), "Exception"))
	}
	return false
}
