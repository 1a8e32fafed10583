package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// keepExtreme lets an assignment only raise, or only lower, what it assigns to:
// x = y becomes x = max(x, y).
func keepExtreme(s *scene, n code.Node) {
	if !isStatement(n) || len(n.Text()) > 100 {
		return
	}
	left, right, ok := plainAssignment(n)
	if kids := n.NamedChildren(); s.d.lang == py && n.Kind() == "expression_statement" && len(kids) == 1 && kids[0].Kind() == "assignment" {
		l, ok1 := kids[0].ChildByField("left")
		r, ok2 := kids[0].ChildByField("right")
		left, right, ok = l, r, ok1 && ok2
	}
	if !ok || isConstant(right) || !isValue(right) || !isPlace(left) || wordCount(right.Text(), left.Text()) > 0 {
		return
	}
	if s.typeIs(right, "text", "string", "bool", "list", "dict", "error") || s.typeIs(left, "text", "string", "bool", "list", "dict", "error") {
		return
	}
	w := 0.3
	if _, ok := inLoop(n); ok {
		w = 1
	}
	for _, f := range [2][3]string{{"max", ">", "After"}, {"min", "<", "Before"}} {
		l, r := left.Text(), right.Text()
		why := "Let %s only become " + map[string]string{"max": "more.", "min": "less."}[f[0]]
		switch s.d.lang {
		case py:
			s.put(right.Start(), right.End(), f[0]+"("+l+", "+r+")", w, why, one(l))
		case js:
			s.put(right.Start(), right.End(), "Math."+f[0]+"("+l+", "+r+")", w, why, one(l))
		default:
			cond := r + " " + f[1] + " " + l
			if typ := s.typeOfPlace(right) + s.typeOfPlace(left); strings.Contains(typ, "time.Time") {
				cond = r + "." + f[2] + "(" + l + ")"
			}
			s.put(n.Start(), n.End(), s.lines(s.guard(cond, n.Text()), s.indentOf(n)), w, why, one(l))
		}
	}
}

// isPlace tells a variable or a field of one.
func isPlace(n code.Node) bool {
	switch n.Kind() {
	case "identifier", "attribute", "member_expression", "selector_expression":
		return true
	}
	return false
}
