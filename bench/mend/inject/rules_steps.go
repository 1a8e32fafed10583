package inject

import (
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// copyPaste leaves one name or value as it stood where the code was copied
// from: of two neighbours of the same shape, the second keeps a token of the
// first.
func copyPaste(s *source, n code.Node, add func(...Edit)) {
	var pairs [][2]code.Node
	if op, left, right := operator(n); op != "" && inFunction(n) {
		pairs = append(pairs, [2]code.Node{left, right})
	}
	switch n.Kind() {
	case "block", "statement_block", "compound_statement", "body_statement", "then", "statement_list", "dictionary", "object", "literal_value", "argument_list", "arguments", "switch_body", "expression_switch_statement":
		list := n.NamedChildren()
		for i := 1; i < len(list); i++ {
			pairs = append(pairs, [2]code.Node{list[i-1], list[i]})
		}
	case "if_statement":
		if p, ok := n.Parent(); ok && (n.Field() == "alternative" || p.Kind() == "else_clause") {
			if up, ok := n.Ancestor("if_statement"); ok {
				pairs = append(pairs, s.branches(up, n)...)
			}
		}
	}
	for _, p := range pairs {
		for _, e := range pasted(p[0], p[1]) {
			add(e)
		}
	}
}

// branches pairs the conditions and bodies of two branches of a chain.
func (s *source) branches(a, b code.Node) (out [][2]code.Node) {
	for _, f := range []string{"condition", "consequence"} {
		x, okx := a.ChildByField(f)
		y, oky := b.ChildByField(f)
		if okx && oky {
			out = append(out, [2]code.Node{x, y})
		}
	}
	return out
}

// pasted gives the ways in which b may keep one token of a.
func pasted(a, b code.Node) (out []Edit) {
	if a.Kind() != b.Kind() {
		return nil
	}
	x, y := leaves(a), leaves(b)
	if len(x) != len(y) || len(x) < 3 || len(x) > 60 {
		return nil
	}
	var differ []int
	for i := range x {
		if x[i].Kind() != y[i].Kind() {
			return nil
		}
		if x[i].Text() != y[i].Text() {
			differ = append(differ, i)
		}
	}
	if len(differ) < 2 || len(differ) > 8 {
		return nil
	}
	for _, i := range differ {
		out = append(out, replace(y[i], x[i].Text()))
	}
	return out
}

// staleVariable goes on with the value from before a step: after y = f(x), x
// is used where y was meant.
func staleVariable(s *source, n code.Node, add func(...Edit)) {
	list := siblings(n)
	target, value, ok := assignment(n)
	if !ok || list == nil || !variable(target) || value == (code.Node{}) {
		return
	}
	uses := slices.Sorted(maps.Keys(names(value)))
	uses = slices.DeleteFunc(uses, func(x string) bool {
		return x == target.Text() || x == "self" || x == "this" || x == "$this" || len(x) == 0
	})
	if len(uses) == 0 || len(uses) > 3 {
		return
	}
	at := slices.Index(list, n)
	for _, later := range list[at+1 : min(len(list), at+5)] {
		later.Walk(func(c code.Node) bool {
			if variable(c) && c.Text() == target.Text() && c.Field() != "left" && c.Field() != "name" && c.Field() != "key" {
				for _, x := range uses {
					add(replace(c, x))
				}
			}
			return true
		})
		if t, _, is := assignment(later); is && t.Text() == target.Text() {
			return
		}
	}
}

// swappedSteps takes two neighbouring steps in the wrong order.
func swappedSteps(s *source, n code.Node, add func(...Edit)) {
	m, ok := next(n)
	if !ok || !oneLine(n) || !oneLine(m) || !step(n) || !step(m) {
		return
	}
	mine, theirs := names(n), names(m)
	for name := range mine {
		if theirs[name] && name != "self" {
			add(replace(n, m.Text()), replace(m, n.Text()))
			return
		}
	}
	if strings.Contains(n.Text(), "self.") && strings.Contains(m.Text(), "self.") || strings.Contains(n.Text(), "this.") && strings.Contains(m.Text(), "this.") {
		add(replace(n, m.Text()), replace(m, n.Text()))
	}
}

// step tells a simple statement that does something and goes on.
func step(n code.Node) bool {
	switch n.Kind() {
	case "expression_statement", "assignment_statement", "inc_statement", "dec_statement", "short_var_declaration", "defer_statement",
		"assignment", "operator_assignment", "call": // Ruby has no statements of their own kind
		return true
	}
	return false
}

// wrongNesting puts a step one level too deep, at the end of the block before
// it, or one level too high, behind the block that it ends.
func wrongNesting(s *source, n code.Node, add func(...Edit)) {
	if siblings(n) == nil || n.Kind() != "if_statement" && !slices.Contains(loops, n.Kind()) || n.Kind() == "do_statement" {
		return
	}
	block, ok := body(n)
	if !ok || oneLine(n) {
		return
	}
	list := statements(block)
	if len(list) == 0 || kindOf(n, "alternative") != "" {
		return
	}
	last := list[len(list)-1]
	inner, okin := s.alone(last)
	outer, okout := s.alone(n)
	if !okin || !okout {
		return
	}
	if after, ok := next(n); ok && oneLine(after) && !jump(last) && (step(after) || after.Kind() == "return_statement") {
		if _, whole := s.alone(after); whole {
			_, end := s.lines(last)
			add(Edit{end, end, inner + s.statement(after)}, s.drop(after))
		}
	}
	if len(list) > 1 && oneLine(last) && step(last) && !jump(last) {
		_, end := s.lines(n)
		add(s.drop(last), Edit{end, end, outer + s.statement(last)})
	}
}

// statement is the text of a statement that has its line to itself, with what
// ends the line.
func (s *source) statement(n code.Node) string {
	_, end := s.lines(n)
	t := string(s.src[n.Start():end])
	if !strings.HasSuffix(t, "\n") {
		t += code.LineEnding(s.src)
	}
	return t
}

// loopExit leaves a loop too early: by a jump out of it where the next turn
// was meant, or by one after the first hit; or misses the way out.
func loopExit(s *source, n code.Node, add func(...Edit)) {
	if n.Kind() == "continue_statement" && oneLine(n) {
		add(replace(n, strings.Replace(n.Text(), "continue", "break", 1)))
		return
	}
	if n.Kind() == "break_statement" {
		if _, ok := n.Ancestor(loops...); ok && s.removable(n) && n.Up() != "switch_case" {
			add(s.drop(n))
		}
		return
	}
	if n.Kind() != "if_statement" {
		return
	}
	outer, ok := n.Parent()
	if ok && outer.Kind() == "statement_list" {
		outer, ok = outer.Parent()
	}
	if !ok || !slices.Contains(loops, outer.Up()) {
		return
	}
	block, ok := body(n)
	if !ok {
		return
	}
	list := statements(block)
	if len(list) == 0 || jump(list[len(list)-1]) {
		return
	}
	last := list[len(list)-1]
	if indent, whole := s.alone(last); whole {
		_, end := s.lines(last)
		add(Edit{end, end, indent + "break" + code.LineEnding(s.src)})
	}
}

// misplacedReset starts anew in each turn of a loop what should run through
// all of them.
func misplacedReset(s *source, n code.Node, add func(...Edit)) {
	list := siblings(n)
	target, value, ok := assignment(n)
	if !ok || list == nil || target.Kind() != "identifier" || value == (code.Node{}) || !oneLine(n) || !fresh(value) {
		return
	}
	at := slices.Index(list, n)
	for _, later := range list[at+1 : min(len(list), at+7)] {
		if !slices.Contains(loops, later.Kind()) || !names(later)[target.Text()] {
			continue
		}
		if block, ok := body(later); ok && len(statements(block)) > 0 {
			first := statements(block)[0]
			if indent, whole := s.alone(first); whole {
				start, _ := s.lines(first)
				add(Edit{start, start, indent + target.Text() + " = " + value.Text() + code.LineEnding(s.src)})
			}
		}
		return
	}
}

// fresh tells a value to begin with: a literal, or something empty.
func fresh(v code.Node) bool {
	switch v.Kind() {
	case "integer", "number", "int_literal", "string", "interpreted_string_literal", "list", "dictionary", "array", "object", "true", "false", "none", "null", "nil",
		"composite_literal":
		return len(v.Text()) <= 40
	case "call", "call_expression":
		_, args, ok := call(v)
		return ok && len(args) == 0
	}
	return false
}

// forgottenEnd takes in, or leaves out, the first or the last of a sequence.
func forgottenEnd(s *source, n code.Node, add func(...Edit)) {
	if !inFunction(n) {
		return
	}
	switch n.Kind() {
	case "subscript", "subscript_expression", "slice_expression", "index_expression":
		s.otherEnd(n, add)
	}
	fn, args, ok := call(n)
	if !ok {
		return
	}
	object, name, is := method(fn)
	switch {
	case fn.Text() == "range" && len(args) == 2:
		add(Edit{args[0].Start(), args[1].Start(), ""})
	case fn.Text() == "enumerate" && len(args) == 2:
		add(Edit{args[0].End(), args[1].End(), ""})
	case s.script() && is && (name == "slice" || name == "substring") && len(args) == 1:
		add(Edit{object.End(), n.End(), ""})
	case s.script() && is && (name == "slice" || name == "substring") && len(args) == 2:
		add(Edit{args[0].End(), args[1].End(), ""})
		add(replace(args[0], "0"))
	}
}

// otherEnd changes an index or slice by its ends.
func (s *source) otherEnd(n code.Node, add func(...Edit)) {
	list := n.NamedChildren()
	if len(list) < 2 {
		return
	}
	of := list[0]
	switch inner := strings.TrimSpace(string(s.src[of.End():n.End()])); {
	case inner == "[-1]":
		add(Edit{of.End(), n.End(), "[0]"})
	case inner == "[0]" && s.python():
		add(Edit{of.End(), n.End(), "[-1]"})
	case s.golang() && inner == "[len("+of.Text()+")-1]", s.script() && inner == "["+of.Text()+".length - 1]":
		add(Edit{of.End(), n.End(), "[0]"})
	}
	if n.Kind() == "slice_expression" || s.python() && list[1].Kind() == "slice" {
		inside := string(s.src[of.End():n.End()])
		open, colon := strings.IndexByte(inside, '['), strings.IndexByte(inside, ':')
		if open < 0 || colon < 0 || strings.Count(inside, ":") != 1 {
			return
		}
		if strings.TrimSpace(inside[open+1:colon]) != "" {
			add(Edit{of.End() + open + 1, of.End() + colon, ""})
		}
		if strings.TrimSpace(inside[colon+1:len(inside)-1]) != "" {
			add(Edit{of.End() + colon + 1, n.End() - 1, ""})
		}
	}
}

// wrongError raises, catches or passes on another error than the callers
// expect.
func wrongError(s *source, n code.Node, add func(...Edit)) {
	others := map[string]string{"ValueError": "TypeError", "TypeError": "ValueError", "KeyError": "IndexError", "IndexError": "KeyError", "AttributeError": "KeyError",
		"RuntimeError": "ValueError", "NotImplementedError": "RuntimeError", "StopIteration": "ValueError", "UnicodeDecodeError": "UnicodeEncodeError",
		"OSError": "ValueError", "ImportError": "AttributeError", "OverflowError": "ValueError", "LookupError": "ValueError", "RangeError": "TypeError", "SyntaxError": "TypeError"}
	switch n.Kind() {
	case "raise_statement", "except_clause", "throw_statement":
		for _, c := range leaves(n) {
			if other := others[c.Text()]; other != "" && c.Kind() == "identifier" && c.Line() == n.Line() {
				add(replace(c, other))
			}
		}
		if n.Kind() == "except_clause" {
			n.Walk(func(c code.Node) bool {
				if list := c.NamedChildren(); c.Kind() == "tuple" && len(list) > 1 && c.Line() == n.Line() {
					add(replace(c, list[0].Text()))
					add(replace(c, list[len(list)-1].Text()))
				}
				return c.Kind() != "block"
			})
		}
	case "return_statement":
		if !s.golang() {
			return
		}
		if list := n.NamedChildren(); len(list) == 1 {
			values := list[0].NamedChildren()
			if last := len(values) - 1; last >= 0 && (strings.HasPrefix(strings.ToLower(values[last].Text()), "err") || strings.HasPrefix(values[last].Text(), "fmt.Errorf")) {
				add(replace(values[last], "nil"))
			}
		}
	}
}
