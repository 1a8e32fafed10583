package mutate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Site is an expression whose value may be what is wrong. What it has to be is
// found out by trial, and expressions that come to that are made of what is in
// scope there (Nguyen et al., SemFix, ICSE 2013; Mechtaev et al., Angelix, ICSE
// 2016; Durieux and Monperrus, DynaMoth, AST 2016).
type Site struct {
	Start, End int // bytes
	Line       int // 1-based
	Kind       string
	Text       string
	Need       int     // how tightly an expression has to hold together to stand there: the level of an operator, 0 for any
	Weight     float64 // how often places of that kind are wrong; 1 is usual

	Near      []string // names that the statement or what it decides on reads
	Chains    []string // a.b that the function reads
	Parts     []string // expressions inside of the place's own
	Literals  []string // constants, those of the function first
	Functions []string // of the project, which take one value
	Names     []Named  // variables in scope
}

// Named is a variable with its rough type, "" where none is known.
type Named struct{ Name, Type string }

// Kinds of sites: only the truth of a condition counts.
const (
	SiteCondition = "condition"
	SiteValue     = "value"
)

const (
	maxSites      = 60 // in one region
	maxSiteParts  = 12
	maxSiteChains = 30
)

// Levels of operators, the same in all languages: what binds tighter is higher.
const (
	levelAtom     = 10
	levelSign     = 8
	levelTimes    = 7
	levelPlus     = 6
	levelCompared = 4
	levelNot      = 3
	levelAnd      = 2
	levelOr       = 1
)

// Sites lists the places of the nodes that begin in the bytes [start, end) of a
// file of the project.
func (p *Project) Sites(file string, start, end int) []Site {
	t := p.files[file]
	if t == nil || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.project, s.file, s.calls = p, file, p.callables(file)
	var out []Site
	s.table = []operator{{name: "site", share: 1, langs: all, visit: func(s *scene, n code.Node) {
		if x, ok := s.site(n); ok && len(out) < maxSites {
			out = append(out, x)
		}
	}}}
	s.visit()
	return out
}

func (s *scene) site(n code.Node) (Site, bool) {
	x := Site{Start: n.Start(), End: n.End(), Line: n.Line(), Text: n.Text(), Kind: SiteValue}
	if !isExpression(n) || n.HasError() || n.Kind() == "await_expression" || !quiet(n) {
		return x, false
	}
	fn, ok := enclosing(n)
	if !ok || !inBodyOf(fn, n) {
		return x, false
	}
	if x.Weight, x.Need, ok = s.place(n); !ok {
		return x, false
	}
	if s.decides(n) {
		x.Kind = SiteCondition
	}
	s.surround(&x, n, fn)
	return x, true
}

// quiet leaves out what cannot be worked out at another moment, or twice.
func quiet(n code.Node) bool {
	text := n.Text()
	if strings.Contains(text, "\n") || len(text) > 160 {
		return false
	}
	ok := true
	n.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "yield", "await", "yield_expression", "await_expression", "named_expression", "assignment_expression", "update_expression", "augmented_assignment_expression", "super", "spread_element", "list_splat", "dictionary_splat", "lambda", "arrow_function", "function_expression", "func_literal":
			ok = false
		case "identifier":
			ok = ok && c.Text() != "super" && c.Text() != "arguments"
		}
		return ok
	})
	return ok
}

func inBodyOf(fn, n code.Node) bool {
	b, ok := fn.ChildByField("body")
	return ok && n.Start() >= b.Start() && n.End() <= b.End()
}

// place tells how likely the place of an expression is wrong, and how tightly an
// expression has to hold together there.
func (s *scene) place(n code.Node) (weight float64, need int, ok bool) {
	up := parentOf(n)
	if c, is := condition(up); is && c == n {
		return 1.5, 0, true
	}
	switch up.Kind() {
	case "assignment", "augmented_assignment", "assignment_expression", "augmented_assignment_expression":
		return 1.3, 0, n.Field() == "right" && !isConstant(n)
	case "variable_declarator", "keyword_argument", "pair":
		return 0.9, 0, n.Field() == "value"
	case "expression_list": // Go's assignments and returns, Python's tuples
		return 1, 0, s.d.lang == golang && n.Field() != "left" && up.Field() != "left"
	case "return_statement", "arrow_function":
		return 1.4, 0, n.Field() != "parameter" && n.Field() != "parameters"
	case "argument_list", "arguments":
		return 1, 0, n.Kind() != "keyword_argument"
	case "for_statement", "for_in_statement", "for_in_clause", "range_clause":
		return 0.8, 0, n.Field() == "right"
	case "subscript", "subscript_expression", "index_expression":
		return 1, 0, n.Field() == "subscript" || n.Field() == "index"
	case "slice", "slice_expression":
		return 0.8, 0, n.Field() != "operand"
	case "attribute", "member_expression", "selector_expression":
		return 0.4, levelAtom, n.Field() != "attribute" && n.Field() != "property" && n.Field() != "field" && n.Kind() != "identifier" && !isCallee(up, parentOf(up))
	case "not_operator", "unary_expression":
		return 0.8, levelNot + 1, true
	case "ternary_expression", "conditional_expression":
		return 0.8, levelOr, true
	case "parenthesized_expression":
		return 1, 0, s.d.lang != golang
	case "array", "list", "tuple":
		return 0.5, 0, !isConstant(n)
	}
	_, op, _, is := binary(up)
	if !is {
		return 0, 0, false
	}
	return 0.8, operandLevel(op.Text(), n.Field() == "left" || n.Start() < op.Start()), !isString(n)
}

// operandLevel is how tightly an operand has to hold together.
func operandLevel(op string, left bool) int {
	level := levelAtom
	switch {
	case op == "+" || op == "-":
		level = levelPlus
	case op == "*" || op == "/" || op == "//" || op == "%":
		level = levelTimes
	case isComparison(op):
		return levelCompared + 1
	case op == "and" || op == "&&":
		return levelAnd + 1
	case op == "or" || op == "||":
		return levelOr + 1
	}
	if !left {
		level++
	}
	return min(level, levelAtom)
}

// decides tells whether only the truth of an expression counts.
func (s *scene) decides(n code.Node) bool {
	for {
		up, ok := n.Parent()
		if !ok {
			return false
		}
		if c, is := condition(up); is && (c == n || up.Kind() != "parenthesized_expression" && c.Start() >= n.Start() && c.End() <= n.End()) {
			return true
		}
		switch up.Kind() {
		case "not_operator", "parenthesized_expression":
		case "unary_expression":
			if !strings.HasPrefix(up.Text(), "!") {
				return false
			}
		default:
			if _, op, _, is := binary(up); !is || !isLogic(op.Text()) {
				return false
			}
		}
		n = up
	}
}

// surround tells what can be read at a place, and what stands close.
func (s *scene) surround(x *Site, n, fn code.Node) {
	st, ok := statementOf(n)
	if !ok {
		st = n
	}
	names := map[string]bool{}
	for _, v := range s.facts.visible(n.Start()) {
		names[v.name] = true
		if v.kind != "module" || !s.facts.imports[v.name] {
			x.Names = append(x.Names, Named{v.name, v.typ})
		}
	}
	st.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" && names[c.Text()] {
			x.Near = addOnce(x.Near, c.Text())
		}
		return true
	})
	fn.Walk(func(c code.Node) bool {
		if _, _, ok := member(c); ok && !isCallee(c, parentOf(c)) && plainChain(c.Text()) && s.rootHere(c, x.Start) && len(x.Chains) < maxSiteChains {
			x.Chains = addOnce(x.Chains, c.Text())
		}
		return true
	})
	n.Walk(func(c code.Node) bool {
		if c != n && isExpression(c) && !isConstant(c) && c.Kind() != "identifier" && c.Field() != "function" && len(x.Parts) < maxSiteParts && !inLambda(c, n) {
			x.Parts = addOnce(x.Parts, c.Text())
		}
		return !isFunction(c)
	})
	x.Literals = s.literalsAt(fn, st)
	for _, c := range s.calls {
		if c.class == "" && c.takes(1) && len(c.params) > 0 && len(x.Functions) < 24 {
			x.Functions = addOnce(x.Functions, c.text)
		}
	}
	slices.SortStableFunc(x.Functions, func(a, b string) int { return cmp.Compare(a, b) })
}

// inLambda tells whether a part of an expression stands in a comprehension, whose
// names mean nothing outside.
func inLambda(c, whole code.Node) bool {
	for up, ok := c.Parent(); ok && up.Start() >= whole.Start() && up.End() <= whole.End(); up, ok = up.Parent() {
		if strings.HasSuffix(up.Kind(), "_comprehension") || up.Kind() == "generator_expression" || isFunction(up) {
			return true
		}
		if up == whole {
			break
		}
	}
	return false
}

const maxSiteLiterals = 14

// literalsAt are the constants of a function, and of the file, which a place may
// need, those of its statement first.
func (s *scene) literalsAt(fn, st code.Node) []string {
	var out []string
	take := func(n code.Node, most int) {
		n.Walk(func(c code.Node) bool {
			if len(out) >= most || docstring(c) {
				return false
			}
			if isInteger(c) || plainString(c) && len(c.Text()) < 30 && !strings.ContainsAny(c.Text()[:1], "fbrFBR") || c.Kind() == "float" || c.Kind() == "float_literal" {
				out = addOnce(out, c.Text())
			}
			return true
		})
	}
	take(st, 5)
	take(fn, 10)
	take(s.t.Root(), maxSiteLiterals)
	return out
}
