package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// missingOperators write code that is not there: terms of conditions, guards,
// steps, defaults and elements. What they are made of stands in the same
// function, file or project (the plastic surgery hypothesis, Barr et al., FSE
// 2014); names that nothing reads tell most of where something was lost. They
// need what the project knows, so that they belong to Beyond.
func missingOperators() []operator {
	return []operator{
		{"term_alternative", "missing condition", 0.055, all, termAlternative},
		{"term_analogy", "missing condition", 0.048, all, termAnalogy},
		{"term_opposite", "missing condition", 0.030, all, termOpposite},
		{"term_pair", "missing condition", 0.078, all, termPair},
		{"term_affix", "missing condition", 0.010, all, termAffix},
		{"term_sibling", "missing condition", 0.024, all, termSibling},
		{"guard_contains", "missing guard", 0.026, all, guardContains},
		{"guard_alternative", "missing guard", 0.033, all, guardAlternative},
		{"guard_seen", "missing guard", 0.020, all, guardSeen},
		{"guard_unpack", "missing guard", 0.020, all, guardUnpack},
		{"guard_hinted", "missing guard", 0.017, all, guardHinted},
		{"reset", "state not reset", 0.079, all, resetBeforeLoop},
		{"value_never_set", "missing statement", 0.103, js | golang, valueNeverSet},
		{"elements_never_set", "missing statement", 0.040, golang | py, elementsNeverSet},
		{"parameter_default", "missing default", 0.056, py | js, parameterDefault},
		{"default_analogy", "missing default", 0.082, all, defaultAnalogy},
		{"branch_analogy", "missing statement", 0.046, all, branchAnalogy},
		{"call_of_unused", "missing statement", 0.108, all, callOfUnused},
		{"format_value", "missing element", 0.093, py, formatValue},
		{"tuple_value", "missing element", 0.080, py, tupleValue},
		{"entry_add", "missing element", 0.015, all, entryAdd},
	}
}

// flat lists the statements of a function as the function flat does, once.
func (s *scene) flat(fn code.Node) []code.Node {
	list, known := s.flats[fn.Start()]
	if !known {
		if s.flats == nil {
			s.flats = map[int][]code.Node{}
		}
		list = flat(fn)
		s.flats[fn.Start()] = list
	}
	return list
}

// tokensOf lists the leaves of a piece of code.
func tokensOf(n code.Node) []code.Node {
	var out []code.Node
	n.Walk(func(c code.Node) bool {
		if c.IsExtra() {
			return false
		}
		if len(c.Children()) == 0 && c.End() > c.Start() {
			out = append(out, c)
		}
		return true
	})
	return out
}

// isName tells a leaf that names something.
func isName(n code.Node) bool { return strings.HasSuffix(n.Kind(), "identifier") }

// rewritten is the text of a piece of code with some of its leaves replaced.
func rewritten(n code.Node, with func(code.Node) (string, bool)) string {
	var b strings.Builder
	src, at := n.Tree().Src, n.Start()
	for _, leaf := range tokensOf(n) {
		if text, ok := with(leaf); ok {
			b.Write(src[at:leaf.Start()])
			b.WriteString(text)
			at = leaf.End()
		}
	}
	b.Write(src[at:n.End()])
	return b.String()
}

// brief writes a guard in the manner of the file: without braces on one line
// where JavaScript's ifs of the file do so.
func (s *scene) brief(cond, action string) string {
	if s.d.lang == js && s.bracesLeftOut() {
		return "if (" + cond + ") " + action
	}
	text := s.guard(cond, action)
	if s.d.lang == js && !strings.Contains(string(s.src), ";\n") {
		return strings.ReplaceAll(text, ";\n}", "\n}")
	}
	return text
}

// bracesLeftOut tells whether the file has an if without braces that leaves.
func (s *scene) bracesLeftOut() bool {
	for _, g := range s.facts.guards {
		if c, ok := g.ChildByField("consequence"); ok && c.Kind() != "statement_block" {
			return true
		}
	}
	return false
}

// exitsAt lists what a guard before a statement may do, the likeliest first.
func (s *scene) exitsAt(n code.Node, most int) []choice {
	fn, ok := enclosing(n)
	if !ok {
		return nil
	}
	var out []choice
	loop, in := inLoop(n)
	if in && loop.Start() > fn.Start() {
		out = append(out, choice{"continue", 1})
	}
	for i, x := range s.exits(fn) {
		if i < most {
			out = append(out, choice{x.text, x.weight * 0.7})
		}
	}
	return out
}

// wordsOf takes a name apart: preSelf, pre_self → pre, self.
func wordsOf(name string) []string {
	var out []string
	from := 0
	flush := func(to int) {
		if to > from {
			out = append(out, strings.ToLower(name[from:to]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '$':
			flush(i)
			from = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z':
			flush(i)
			from = i
		}
	}
	flush(len(name))
	return out
}
