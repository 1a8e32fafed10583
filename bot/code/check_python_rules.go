package code

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// checkRules finds what Python's compiler refuses although its grammar, as
// tree-sitter has it, lets it pass: print statements, arguments and
// parameters in an order that is not allowed or twice, statements outside of
// what they belong to.
func checkRules(t *Tree) []SyntaxError {
	var out []SyntaxError
	t.Walk(func(n Node) bool {
		if len(out) >= maxErrors {
			return false
		}
		if message := pythonRule(n); message != "" {
			out = append(out, t.errorAt(n.Start(), message))
		}
		return true
	})
	return out
}

var leadingZero = lazyregexp.New(`^0[0_]*[1-9][0-9_]*$`)

// pythonRule is what is wrong with a node itself, or "".
func pythonRule(n Node) string {
	if !n.Named() {
		return ""
	}
	switch n.Kind() {
	case "print_statement":
		if c, ok := n.FirstNamed(); !ok || c.Kind() != "chevron" {
			return "print is a function: its arguments stand in parentheses"
		}
	case "exec_statement":
		return "exec is a function: its arguments stand in parentheses"
	case "parameters", "lambda_parameters":
		return parameterRule(n)
	case "argument_list":
		return argumentRule(n)
	case "concatenated_string":
		return mixedRule(n)
	case "integer":
		if leadingZero.MatchString(n.Text()) {
			return "a decimal number does not begin with 0"
		}
	case "try_statement":
		last, ok := n.LastNamed()
		if k := last.Kind(); ok && k != "finally_clause" && k != "else_clause" && !strings.HasPrefix(k, "except") {
			return "expected 'except' or 'finally' after 'try'"
		}
	case "return_statement", "break_statement", "continue_statement", "nonlocal_statement":
		return placeRule(n)
	}
	return ""
}

// placeRule is about statements that belong into a function or a loop.
func placeRule(n Node) string {
	loop := n.Kind() == "break_statement" || n.Kind() == "continue_statement"
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		switch p.Kind() {
		case "function_definition":
			if !loop {
				return ""
			}
			return strings.TrimSuffix(n.Kind(), "_statement") + " outside a loop"
		case "class_definition":
			if n.Kind() == "nonlocal_statement" {
				continue
			}
			return strings.TrimSuffix(n.Kind(), "_statement") + " does not belong to the body of a class"
		case "for_statement", "while_statement":
			if body, has := p.ChildByField("body"); loop && has && body.Start() <= n.Start() && n.End() <= body.End() {
				return ""
			}
		}
	}
	if loop {
		return strings.TrimSuffix(n.Kind(), "_statement") + " outside a loop"
	}
	return strings.TrimSuffix(n.Kind(), "_statement") + " outside a function"
}

// parameterRule is about names given twice and defaults before none.
func parameterRule(n Node) string {
	seen := map[string]bool{}
	defaults, star := false, false
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if !c.Named() || c.IsExtra() {
			continue
		}
		name := c
		switch c.Kind() {
		case "default_parameter", "typed_default_parameter":
			name, _ = c.ChildByField("name")
			defaults = true
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			inner, has := c.FirstNamed()
			if c.Kind() == "typed_parameter" && has && inner.Kind() != "identifier" {
				star = true
				inner, has = inner.FirstNamed()
			}
			star = star || c.Kind() != "typed_parameter"
			if !has {
				continue
			}
			name = inner
		case "keyword_separator":
			star = true
			continue
		case "identifier":
		default:
			continue
		}
		plain := c.Kind() == "identifier" || c.Kind() == "typed_parameter"
		if plain && defaults && !star {
			return "a parameter without a default follows one with a default"
		}
		if name.t == nil || name.Kind() != "identifier" {
			continue
		}
		if seen[name.Text()] {
			return "duplicate parameter " + quote(name.Text())
		}
		seen[name.Text()] = true
	}
	return ""
}

// argumentRule is about the order of arguments and keywords given twice.
func argumentRule(n Node) string {
	if n.Up() != "call" && n.Up() != "class_definition" {
		return ""
	}
	seen := map[string]bool{}
	keyword, double := false, false
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if !c.Named() || c.IsExtra() {
			continue
		}
		switch c.Kind() {
		case "keyword_argument":
			keyword = true
			if name, ok := c.ChildByField("name"); ok {
				if seen[name.Text()] {
					return "the keyword argument " + quote(name.Text()) + " is given twice"
				}
				seen[name.Text()] = true
			}
		case "dictionary_splat":
			double = true
		case "list_splat", "parenthesized_list_splat":
			if double {
				return "an argument with * follows one with **"
			}
		default:
			if keyword || double {
				return "a positional argument follows a keyword argument"
			}
		}
	}
	return ""
}

// mixedRule is about strings and bytes side by side.
func mixedRule(n Node) string {
	texts, raws := 0, 0
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Kind() != "string" {
			continue
		}
		prefix, _, _ := strings.Cut(strings.ReplaceAll(c.head(4), "'", `"`), `"`)
		if strings.ContainsAny(prefix, "bB") {
			raws++
		} else {
			texts++
		}
	}
	if texts > 0 && raws > 0 {
		return "bytes and text stand side by side in one string"
	}
	return ""
}
