package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// fewestTokens of a body say something: two functions may well both give None.
const fewestTokens = 8

// Twin is a function that does what another one does.
type Twin struct{ Name, Of string }

// String says it in words.
func (t Twin) String() string {
	return fmt.Sprintf("%s now does the same as %s, which it did not before", t.Name, t.Of)
}

// Twins lists the functions that a change makes do what another one of the same
// module or class does: the bodies are the same but for the names of parameters and
// variables, or all that is left is a call of the other.
func Twins(ctx context.Context, path string, before, after []byte) ([]Twin, error) {
	was, err := bodies(ctx, path, before)
	if err != nil {
		return nil, err
	}
	now, err := bodies(ctx, path, after)
	if err != nil {
		return nil, err
	}
	alike := func(a, b body) bool {
		return a.Parent == b.Parent && len(a.Params) == len(b.Params) && (len(a.tokens) >= fewestTokens && slices.Equal(a.tokens, b.tokens) || a.hands(b))
	}
	var out []Twin
	for name, a := range now {
		if old, ok := was[name]; !ok || slices.Equal(old.tokens, a.tokens) || strings.HasPrefix(a.Name, "__") { // __radd__ may do what __add__ does
			continue
		}
		for other, b := range now {
			if other != name && alike(a, b) && !alike(was[name], was[other]) {
				out = append(out, Twin{a.Name, b.Name})
			}
		}
	}
	slices.SortFunc(out, func(a, b Twin) int { return strings.Compare(a.String(), b.String()) })
	return out, nil
}

// body is a function with the tokens of what it does: comments and docstrings are
// left out, parameters and variables have the number of their first use for a name.
type body struct {
	Callable
	tokens []string
}

// hands tells whether all that a does is to hand its parameters to b.
func (a body) hands(b body) bool {
	var given []string
	for i := range a.Params {
		given = append(given, fmt.Sprintf("$%d", i))
	}
	text := strings.Trim(strings.Join(a.tokens, " "), "{}; ")
	call := b.Name + " ( " + strings.Join(given, " , ") + " )"
	return len(given) > 0 && (text == "return "+call || text == call)
}

func bodies(ctx context.Context, path string, src []byte) (map[string]body, error) {
	all, err := Callables(ctx, path, src)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	t, err := Parse(ctx, LanguageIn(path, src), src)
	if err != nil {
		return nil, fmt.Errorf("read the functions of %s: %w", path, err)
	}
	out := map[string]body{}
	t.Walk(func(n Node) bool {
		d, ok := t.define(n)
		if !ok || d.Kind != KindFunction && d.Kind != KindMethod {
			return true
		}
		for _, c := range all {
			inner, found := functionNode(n).ChildByField("body")
			if found && c.StartByte == d.StartByte && c.EndByte == d.EndByte {
				out[c.QualifiedName] = body{c, tokens(inner, c.Params)}
			}
		}
		return true
	})
	return out, nil
}

func tokens(n Node, params []Param) []string {
	local := map[string]string{}
	for i, p := range params {
		local[p.Name] = fmt.Sprintf("$%d", i)
	}
	var out []string
	n.Walk(func(c Node) bool {
		if c.IsExtra() || c.Kind() == "expression_statement" && len(c.NamedChildren()) == 1 && c.NamedChildren()[0].Kind() == "string" {
			return false
		}
		if _, more := c.First(); more && c.Kind() != "string" {
			return true
		}
		text := strings.TrimSpace(c.Text())
		if c.Kind() == "identifier" && local[text] == "" && declared(c) {
			local[text] = fmt.Sprintf("$%d", len(local))
		}
		if name := local[text]; name != "" && c.Kind() == "identifier" && c.Field() != "attribute" {
			text = name
		}
		if text != "" && text != ";" {
			out = append(out, text)
		}
		return false
	})
	return out
}

// declared tells whether an identifier stands where a variable gets its value.
func declared(n Node) bool {
	up, ok := n.Parent()
	if ok && slices.Contains([]string{"expression_list", "pattern_list"}, up.Kind()) {
		n = up
	}
	return n.Field() == "left" || n.Field() == "name" && n.Up() == "variable_declarator"
}
