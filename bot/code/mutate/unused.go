package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// unusedName uses a parameter or a variable that the function never reads: as
// an argument, a summand, or instead of another name.
func unusedName(s *scene, n code.Node) {
	if !n.Named() || n.IsExtra() {
		return
	}
	idle := s.idle(n.Start())
	if len(idle) == 0 {
		return
	}
	crowd := min(1, 3/float64(len(idle))) // many unused names are a habit, not a loss
	for _, v := range idle {
		w := crowd
		if v.kind == "loop" {
			w *= 0.3
		}
		s.passUnused(n, v, w)
		s.addUnused(n, v, w)
		if n.Kind() == "identifier" && n.Text() != v.name && isValue(n) && !s.facts.imports[n.Text()] {
			if own, known := s.facts.lookup(n.Text(), n.Start()); known && fits(own.typ, v.typ) {
				s.put(n.Start(), n.End(), v.name, 0.7*w*s.nameWeight(own, v, "")/5, "Use %s, which nothing reads, instead of %s.", one(v.name), one(n.Text()))
			}
		}
	}
}

// passUnused hands an unused name to a call.
func (s *scene) passUnused(n code.Node, v variable, w float64) {
	fn, args, list, ok := call(n)
	if !ok || !strings.HasSuffix(list.Text(), ")") || len(args) > 6 || list.Kind() == "generator_expression" {
		return
	}
	known := s.callee(fn)
	params := []string(nil)
	if known != nil {
		params = known.params
		if !known.takes(len(args) + 1) {
			return
		}
	}
	at, before := s.argumentPlace(args, list)
	sep := ", "
	if len(args) == 0 {
		sep = ""
	}
	positional := before == len(args) && !hasKeyword(args)
	if positional {
		here := w
		if len(args) < len(params) && akin(params[len(args)], v.name) {
			here *= 4
		}
		s.put(at, at, sep+v.name, here, "Pass %s, which nothing reads, to %s.", one(v.name), one(fn.Text()))
		if len(args) > 0 && (known == nil || akin(params[0], v.name)) {
			s.put(args[0].Start(), args[0].Start(), v.name+", ", 0.4*w, "Pass %s, which nothing reads, to %s first.", one(v.name), one(fn.Text()))
		}
	}
	if s.d.lang != py || wordCount(list.Text(), v.name) > 0 {
		return
	}
	here := 0.7 * w
	switch {
	case slices.Contains(params, v.name):
		here = 5 * w
	case strings.Contains(string(s.src), v.name+"="+v.name):
		here = 2 * w
	}
	s.put(at, at, s.separated(args, before, v.name+"="+v.name), here, "Pass %s, which nothing reads, to %s.", one(v.name), one(fn.Text()))
}

// callee is the project's function or method behind a callee, if the name tells
// which it is; of a class it is what makes its objects.
func (s *scene) callee(fn code.Node) *function {
	if f := s.called(fn.Text()); f != nil {
		return f
	}
	name := lastName(fn)
	var found *function
	for _, key := range s.project.owners[name] {
		if m := s.project.classes[key].methodsByName[name]; m != nil {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	if found != nil {
		return found
	}
	if c := s.project.classes[classKey(s.file, name)]; c != nil && s.d.lang == py {
		return c.methodsByName["__init__"]
	}
	return nil
}

// argumentPlace is where another argument goes: behind the last one that is no
// unpacking of keywords, and its index.
func (s *scene) argumentPlace(args []code.Node, list code.Node) (at, index int) {
	index = len(args)
	for index > 0 && (args[index-1].Kind() == "dictionary_splat" || variadic(args[index-1])) {
		index--
	}
	switch {
	case index > 0:
		return args[index-1].End(), index
	case len(args) > 0:
		return args[0].Start(), index
	}
	return list.End() - 1, index
}

// separated writes an argument with the commas that it needs at an index.
func (s *scene) separated(args []code.Node, index int, text string) string {
	switch {
	case len(args) == 0:
		return text
	case index == 0:
		return text + ", "
	}
	return ", " + text
}

// addUnused makes an unused name an operand of a value.
func (s *scene) addUnused(n code.Node, v variable, w float64) {
	kind := s.operandKind(n)
	if kind == "none" {
		return
	}
	rough := roughly(v.typ)
	if rough != "" && rough != "number" && rough != "text" || kind != "" && rough != "" && kind != rough || s.d.lang == golang && rough == "" {
		return
	}
	if kind == "" {
		kind, w = rough, 0.4*w
	}
	if _, _, _, sum := binary(n); !sum {
		w *= 0.6
	}
	text := n.Text()
	ops := []choice{{" + ", 1}}
	if kind == "number" {
		ops = []choice{{" + ", 1}, {" - ", 0.6}, {" * ", 0.5}, {" / ", 0.3}}
	}
	for _, op := range ops {
		why := "Let %s, which nothing reads, count in %s."
		front, back := v.name+op.text+text, text+op.text+v.name
		if op.text != " + " {
			front, back = v.name+op.text+tight(n), tight(n)+op.text+v.name
		}
		s.put(n.Start(), n.End(), front, op.weight*w, why, one(v.name), one(text))
		s.put(n.Start(), n.End(), back, op.weight*w, why, one(v.name), one(text))
	}
	if left, op, right, sum := binary(n); sum && op.Text() == "+" {
		s.put(left.End(), right.Start(), " + "+v.name+" + ", 0.8*w, "Let %s, which nothing reads, count in %s.", one(v.name), one(text))
	}
}

// operandKind tells what can be added to a value: "number", "text", "" when it
// is not known, "none" for nothing.
func (s *scene) operandKind(n code.Node) string {
	switch n.Up() {
	case "assignment", "assignment_expression", "return_statement", "pair", "variable_declarator", "keyword_argument", "literal_element", "expression_list", "augmented_assignment":
		if n.Field() == "left" || n.Field() == "key" || n.Field() == "name" || assigned(n) {
			return "none"
		}
	case "argument_list", "arguments":
		if _, _, _, ok := binary(n); !ok {
			return "none"
		}
	default:
		return "none"
	}
	if len(n.Text()) > 160 {
		return "none"
	}
	return s.sumKind(n)
}

func (s *scene) sumKind(n code.Node) string {
	n = inner(n)
	if left, op, right, ok := binary(n); ok {
		if !isArithmetic(op.Text()) {
			return "none"
		}
		if op.Text() != "+" && op.Text() != "%" {
			return "number"
		}
		for _, x := range []code.Node{left, right} {
			if k := s.sumKind(x); k != "" {
				return k
			}
		}
		return ""
	}
	switch n.Kind() {
	case "string", "template_string", "interpreted_string_literal", "raw_string_literal", "concatenated_string":
		return "text"
	case "integer", "float", "number", "int_literal", "float_literal":
		return "number"
	case "identifier":
		if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
			switch k := roughly(v.typ); k {
			case "", "number", "text":
				return k
			}
			return "none"
		}
		return ""
	case "call", "call_expression", "attribute", "member_expression", "selector_expression", "subscript", "subscript_expression", "index_expression":
		return ""
	}
	return "none"
}
