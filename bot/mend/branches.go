package mend

import (
	"context"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// evensBranches tells whether after the change both branches of a condition do
// the same, so that the condition decides nothing any more. Nobody writes that:
// it only silences what looked at the other branch.
func (c candidate) evensBranches(ctx context.Context) bool {
	before, after := evenBranches(ctx, c.path, c.original), evenBranches(ctx, c.path, c.text())
	return after > before
}

// evenBranches counts the conditions of a file whose branches are alike.
func evenBranches(ctx context.Context, path string, src []byte) int {
	tree, err := code.Parse(ctx, code.LanguageOf(path), src)
	if err != nil {
		return 0 // it was parsed before; what cannot be looked at is not held against it
	}
	n := 0
	tree.Walk(func(x code.Node) bool {
		if yes, no, ok := branches(x); ok && flat(yes) == flat(no) {
			n++
		}
		return true
	})
	return n
}

// branches are the two ways of a condition.
func branches(n code.Node) (yes, no code.Node, ok bool) {
	switch n.Kind() {
	case "if_statement", "ternary_expression":
		var other bool
		yes, ok = n.ChildByField("consequence")
		no, other = n.ChildByField("alternative")
		if ok = ok && other; ok && no.Kind() == "else_clause" {
			if body, found := no.ChildByField("body"); found {
				no = body
			} else if kids := no.NamedChildren(); len(kids) > 0 {
				no = kids[len(kids)-1]
			}
		}
	case "conditional_expression":
		if kids := n.NamedChildren(); len(kids) == 3 {
			return kids[0], kids[2], true
		}
	}
	return yes, no, ok
}

// flat is a node's text without blanks and the brackets of a block.
func flat(n code.Node) string {
	text := strings.Join(strings.Fields(n.Text()), " ")
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		text = strings.TrimSuffix(inner, "}")
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ";")
}
