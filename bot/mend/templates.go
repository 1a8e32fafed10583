package mend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// templates are the changes of a region that a repair tries and that are no
// single mutations: whole chains for variables, values held to bounds, lists cut
// to a length, alternatives of a pattern in another order. The priors are
// comparable with those of package mutate.
func templates(t *code.Tree, start, end int) []mutate.Mutation {
	g := &grower{t: t, start: start, end: end, names: namesIn(t, start, end)}
	g.each(g.chain)
	g.weigh("chain_to_variable", 0.040)
	g.each(g.clamp)
	g.weigh("clamp", 0.034)
	g.each(g.truncate)
	g.weigh("truncate", 0.013)
	g.each(g.move)
	g.weigh("statement_order", 0.010)
	g.each(g.alternation)
	g.weigh("pattern_alternatives", 0.02)
	return g.out
}

type grower struct {
	t          *code.Tree
	start, end int
	names      []string // identifiers that the region reads or binds
	out        []mutate.Mutation
	weighed    int
}

func (g *grower) each(visit func(code.Node)) {
	g.t.Walk(func(n code.Node) bool {
		if n.Start() >= g.end || n.End() <= g.start {
			return false
		}
		if n.Start() >= g.start && n.Named() && !n.HasError() {
			visit(n)
		}
		return true
	})
}

func (g *grower) put(class string, start, end int, text, format string, args ...any) {
	if string(g.t.Src[start:end]) != text {
		g.out = append(g.out, mutate.Mutation{Class: class, Start: start, End: end, Replacement: text,
			Description: fmt.Sprintf(format, args...), Line: g.t.Line(start)})
	}
}

// weigh names what was put since the last time and shares the prior out.
func (g *grower) weigh(operator string, share float64) {
	fresh := g.out[g.weighed:]
	for i := range fresh {
		fresh[i].Operator, fresh[i].Prior = operator, share/float64(len(fresh))
	}
	g.weighed = len(g.out)
}

// namesIn lists the plain names of a region, those that are called left out.
func namesIn(t *code.Tree, start, end int) []string {
	seen := map[string]bool{}
	t.Walk(func(n code.Node) bool {
		if n.Start() >= end || n.End() <= start {
			return false
		}
		if n.Kind() == "identifier" && n.Start() >= start {
			switch up := n.Up(); {
			case n.Field() == "function", n.Field() == "name" && up != "variable_declarator", up == "keyword_argument" && n.Field() == "name":
			case slices.Contains([]string{"self", "this", "cls", "_", "nil", "true", "false", "err"}, n.Text()):
			default:
				seen[n.Text()] = true
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(seen))
}

func isChain(n code.Node) bool {
	switch n.Kind() {
	case "attribute", "member_expression", "selector_expression":
		return true
	}
	return false
}

// chain uses a variable in the place of a.b.c.
func (g *grower) chain(n code.Node) {
	if !isChain(n) || n.Field() == "function" || n.Field() == "left" {
		return
	}
	if up, ok := n.Parent(); !ok || isChain(up) || up.Kind() == "expression_list" && up.Field() == "left" {
		return
	}
	root, _, _ := strings.Cut(n.Text(), ".")
	for _, v := range g.names {
		if v != root {
			g.put("wrong variable", n.Start(), n.End(), v, "Use the variable `%s` instead of `%s`.", v, n.Text())
		}
	}
}

// clamp holds an assigned value to a bound.
func (g *grower) clamp(n code.Node) {
	target, value := "left", "right"
	switch n.Kind() {
	case "assignment", "assignment_expression", "short_var_declaration", "assignment_statement":
	case "variable_declarator":
		target, value = "name", "value"
	default:
		return
	}
	l, r, ok := n.Both(target, value)
	if !ok || !plainName.MatchString(l.Text()) || !arithmetic(r) {
		return
	}
	for _, v := range append([]string{"0"}, g.names...) {
		if v == l.Text() {
			continue
		}
		for _, f := range [2][3]string{{"min", ">", "more"}, {"max", "<", "less"}} {
			why := fmt.Sprintf("Let `%s` be no %s than `%s`.", l.Text(), f[2], v)
			switch g.t.Lang {
			case code.Python:
				g.put("missing bound", r.Start(), r.End(), fmt.Sprintf("%s(%s, %s)", f[0], r.Text(), v), "%s", why)
			case code.Go:
				if in, alone := code.IndentBefore(g.t.Src, n.Start()); alone {
					nl := code.LineEnding(g.t.Src) + in
					g.put("missing bound", n.End(), n.End(), fmt.Sprintf("%sif %s %s %s {%s\t%s = %s%s}", nl, l.Text(), f[1], v, nl, l.Text(), v, nl), "%s", why)
				}
			default:
				g.put("missing bound", r.Start(), r.End(), fmt.Sprintf("Math.%s(%s, %s)", f[0], r.Text(), v), "%s", why)
			}
		}
	}
}

var plainName = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)

// arithmetic tells whether a value is worked out with + - * /.
func arithmetic(n code.Node) bool {
	for n.Kind() == "expression_list" || n.Kind() == "parenthesized_expression" {
		only, ok := n.OnlyNamed()
		if !ok {
			return false
		}
		n = only
	}
	return n.Kind() == "binary_operator" || n.Kind() == "binary_expression"
}

// truncate cuts a list to a length before a statement that uses it.
func (g *grower) truncate(n code.Node) {
	switch n.Kind() {
	case "subscript", "subscript_expression", "index_expression":
	default:
		return
	}
	list := ""
	for _, field := range []string{"value", "object", "operand"} {
		if o, ok := n.ChildByField(field); ok {
			list = o.Text()
			break
		}
	}
	if list == "" || !chainText.MatchString(list) {
		return
	}
	st, ok := statementAround(n)
	if !ok || st.Start() < g.start {
		return
	}
	in, alone := code.IndentBefore(g.t.Src, st.Start())
	if !alone {
		return
	}
	for _, v := range append([]string{"0"}, g.names...) {
		if v == list {
			continue
		}
		var text string
		switch g.t.Lang {
		case code.Python:
			text = fmt.Sprintf("del %s[%s:]", list, v)
		case code.Go:
			text = fmt.Sprintf("%s = %s[:min(%s, len(%s))]", list, list, v, list)
		default:
			text = fmt.Sprintf("%s.splice(%s);", list, v)
		}
		g.put("state not reset", st.Start(), st.Start(), text+code.LineEnding(g.t.Src)+in, "Forget what `%s` holds from `%s` on.", list, v)
	}
}

var chainText = lazyregexp.New(`^[A-Za-z_$][\w$.]*$`)

// statementAround is the statement that stands in a block and holds n.
func statementAround(n code.Node) (code.Node, bool) {
	for {
		switch n.Up() {
		case "block", "statement_block", "module", "program", "statement_list":
			return n, true
		}
		up, ok := n.Parent()
		if !ok {
			return n, false
		}
		n = up
	}
}

// move puts a simple statement before others of its block that stand more than
// one place above; one place is a single mutation.
func (g *grower) move(n code.Node) {
	switch n.Kind() {
	case "expression_statement", "assignment_statement", "inc_statement", "dec_statement", "augmented_assignment":
	default:
		return
	}
	block, ok := n.Parent()
	if !ok || n.Up() == "expression_statement" {
		return
	}
	kids := block.NamedChildren()
	at := slices.IndexFunc(kids, func(k code.Node) bool { return k.Start() == n.Start() })
	in, alone := code.IndentBefore(g.t.Src, n.Start())
	for to := at - 2; to >= 0 && alone && kids[to].Start() >= g.start; to-- {
		lead, own := code.IndentBefore(g.t.Src, kids[to].Start())
		if !own || lead != in {
			return
		}
		from := kids[to].Start()
		text := n.Text() + code.LineEnding(g.t.Src) + in + strings.TrimRight(string(g.t.Src[from:n.Start()]), " \t\r\n")
		g.put("wrong order", from, n.End(), text, "Do `%s` before `%s`.", n.Text(), firstLine(kids[to].Text()))
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimRight(s, "\r")
}

var group = lazyregexp.New(`\((?:\?:|\?P<\w+>|\?<\w+>)?([^()]*\|[^()]*)\)`)

// alternation puts the alternatives of a pattern into another order: the first
// that fits wins, so a short one must not stand before a longer one.
func (g *grower) alternation(n code.Node) {
	switch n.Kind() {
	case "regex_pattern", "string", "interpreted_string_literal", "raw_string_literal":
	default:
		return
	}
	text := n.Text()
	for _, m := range group.FindAllStringSubmatchIndex(text, -1) {
		parts := strings.Split(text[m[2]:m[3]], "|")
		longest := slices.Clone(parts)
		slices.SortStableFunc(longest, func(a, b string) int { return width(b) - width(a) })
		back := slices.Clone(parts)
		slices.Reverse(back)
		for _, order := range [][]string{longest, back} {
			g.put("wrong pattern", n.Start()+m[2], n.Start()+m[3], strings.Join(order, "|"), "Try the alternatives of the pattern in the order `%s`.", strings.Join(order, "|"))
		}
	}
}

// width is about how many characters an alternative takes.
func width(alt string) int {
	return len(class.ReplaceAllString(alt, "x"))
}

var class = lazyregexp.New(`\[(?:\\.|[^\]])*\]|\\.`)
