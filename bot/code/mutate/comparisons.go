package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var boundaries = map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}

func boundary(s *scene, n code.Node) {
	_, op, _, ok := operatorIn(n)
	if !ok {
		return
	}
	if to := boundaries[op.Text()]; to != "" {
		s.put(op.Start(), op.End(), to, 1, "Compare with %s instead of %s.", to, op.Text())
	}
}

// operatorIn gives the operator of a comparison, also in a chain: the nodes
// around it and itself.
func operatorIn(n code.Node) (left, op, right code.Node, ok bool) {
	if n.Field() == "operators" || n.Field() == "operator" {
		p, has := n.Parent()
		if !has || !isComparison(n.Text()) && !isComparison(n.Kind()) {
			return left, op, right, false
		}
		kids := p.Children()
		for i, c := range kids {
			if c == n && i > 0 && i+1 < len(kids) {
				return kids[i-1], n, kids[i+1], true
			}
		}
	}
	return left, op, right, false
}

func comparison(s *scene, n code.Node) {
	left, op, right, ok := operatorIn(n)
	if !ok {
		return
	}
	text := strings.Join(strings.Fields(op.Text()), " ")
	for _, c := range comparisonChoices(s.d.lang, text, left, right) {
		s.put(op.Start(), op.End(), c.text, c.weight, "Compare with %s instead of %s.", c.text, text)
	}
}

type choice struct {
	text   string
	weight float64
}

func comparisonChoices(lang int, op string, left, right code.Node) []choice {
	switch op {
	case "<", "<=", ">", ">=":
		flip := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
		out := []choice{{flip, 1}, {map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[op], 0.7}}
		if lang == js {
			return append(out, choice{"===", 0.2}, choice{"!==", 0.2})
		}
		return append(out, choice{"==", 0.2}, choice{"!=", 0.2})
	case "==", "!=", "===", "!==":
		out := []choice{{map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "==="}[op], 1}}
		if orderable(left) && orderable(right) {
			for _, o := range []string{">=", "<=", ">", "<"} {
				out = append(out, choice{o, 0.5})
			}
		}
		if lang == py && right.Kind() == "none" {
			out = append(out, choice{map[string]string{"==": "is", "!=": "is not"}[op], 0.3})
		}
		if lang == py && !orderable(right) {
			out = append(out, choice{map[string]string{"==": "in", "!=": "not in"}[op], 0.3})
		}
		return out
	case "is":
		return []choice{{"is not", 1}}
	case "is not":
		return []choice{{"is", 1}}
	case "in":
		if lang == js {
			return nil
		}
		return []choice{{"not in", 1}, {"==", 0.1}}
	case "not in":
		return []choice{{"in", 1}, {"!=", 0.1}}
	}
	return nil
}

// orderable tells what may be compared by size.
func orderable(n code.Node) bool {
	switch n.Kind() {
	case "none", "null", "nil", "undefined", "true", "false", "string", "template_string", "interpreted_string_literal",
		"list", "tuple", "dictionary", "array", "object":
		return false
	}
	return true
}

func equalityKind(s *scene, n code.Node) {
	_, op, right, ok := operatorIn(n)
	if !ok {
		return
	}
	to := map[string]string{"==": "===", "===": "==", "!=": "!==", "!==": "!="}
	if s.d.lang == py {
		to = map[string]string{"is": "==", "is not": "!="}
		if right.Kind() == "none" || right.Kind() == "true" || right.Kind() == "false" {
			to["=="], to["!="] = "is", "is not"
		}
	}
	if text := to[strings.Join(strings.Fields(op.Text()), " ")]; text != "" {
		s.put(op.Start(), op.End(), text, 1, "Compare with %s instead of %s.", text, op.Text())
	}
}
