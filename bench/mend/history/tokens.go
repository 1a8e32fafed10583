package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// source is a text with its tree, its tokens without comments, and its regions.
type source struct {
	text    []byte
	tree    *code.Tree
	tokens  []token
	regions []code.Region
}

type token struct {
	node code.Node
	text string
}

// whole are the nodes that count as one token although they have parts.
var whole = []string{"string", "interpreted_string_literal", "raw_string_literal", "regex", "template_string", "string_fragment", "rune_literal"}

func parse(ctx context.Context, path string, text []byte) (*source, error) {
	tree, err := code.Parse(ctx, code.LanguageOf(path), text)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", path, err)
	}
	if tree.HasError() {
		return nil, fmt.Errorf("parsing %s: the syntax is not known", path)
	}
	s := &source{text: text, tree: tree, regions: tree.Regions()}
	tree.Walk(func(n code.Node) bool {
		if strings.Contains(n.Kind(), "comment") || docString(n) {
			return false
		}
		leaf := len(n.Children()) == 0 || slices.Contains(whole, n.Kind())
		if leaf && strings.TrimSpace(n.Text()) != "" {
			s.tokens = append(s.tokens, token{n, n.Text()})
		}
		return !leaf
	})
	return s, nil
}

// docString tells a statement of Python that is nothing but a string.
func docString(n code.Node) bool {
	kids := n.NamedChildren()
	return n.Kind() == "expression_statement" && len(kids) == 1 && kids[0].Kind() == "string"
}

// within are the tokens that start on the lines [from, from+n), lines from 1.
func (s *source) within(from, n int) []token {
	var out []token
	for _, t := range s.tokens {
		if l := t.node.Line(); l < from+n && t.node.EndLine() >= from && n > 0 {
			out = append(out, t)
		}
	}
	return out
}

// lines counts the lines on which tokens stand.
func lines(tokens []token) int {
	seen := map[int]bool{}
	for _, t := range tokens {
		seen[t.node.Line()] = true
	}
	return len(seen)
}

// functions are the named functions with their signatures.
func (s *source) functions() map[string]string {
	out := map[string]string{}
	for _, r := range s.regions {
		if r.Kind == code.KindFunction || r.Kind == code.KindMethod {
			out[r.QualifiedName] = strings.Join(strings.Fields(r.Signature), "")
		}
	}
	return out
}

// function is the name of the innermost function at a line.
func (s *source) function(line int) string {
	best := ""
	for _, r := range s.regions {
		if (r.Kind == code.KindFunction || r.Kind == code.KindMethod) && r.StartLine <= line && line <= r.EndLine {
			best = r.QualifiedName
		}
	}
	return best
}

func texts(tokens []token) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.text
	}
	return out
}

// core is what is left of two runs of tokens without what they begin and end
// with alike.
func core(a, b []token) (restA, restB []token) {
	for len(a) > 0 && len(b) > 0 && a[0].text == b[0].text {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].text == b[len(b)-1].text {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}
