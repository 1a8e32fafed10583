package rule

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// part is a node of a pattern.
type part struct {
	kind      string
	text      string // of a named leaf, or of a string literal without its quotes
	literal   bool   // a string literal
	hole      string // name of a metavariable; "_" binds nothing
	row       bool   // the metavariable stands for any number of nodes
	statement bool   // the metavariable stands for a whole statement
	below     []part
}

var hole = regexp.MustCompile(`\$\$\$[A-Z][A-Z0-9_]*|\$(?:[A-Z][A-Z0-9_]*|_)`)

const (
	holeWord = "fettleHole_" // what a grammar reads in the place of a metavariable
	rowWord  = "fettleRow_"
)

// plainWords writes a pattern so that a grammar reads it.
func plainWords(text string) string {
	return hole.ReplaceAllStringFunc(text, func(m string) string {
		if name, ok := strings.CutPrefix(m, "$$$"); ok {
			return rowWord + name
		}
		return holeWord + m[1:]
	})
}

// contexts are what a pattern may stand in, tried in this order.
var contexts = map[code.Language][]string{
	code.Python:     {"%s\n", "try:\n    pass\n%s\n", "if a:\n    pass\n%s\n"},
	code.JavaScript: {"%s", "(%s)", "async function* f() { %s }", "class A { %s }", "switch (a) { %s }", "f(%s)", "({ %s })"},
	code.Go:         {"package p\nfunc _() {\n%s\n}\n", "package p\nfunc _() {\n_ = %s\n}\n", "package p\n%s\n", "package p\nvar _ %s\n", "package p\nfunc _() {\nswitch {\n%s\n}\n}\n"},
	code.Java:       {"class A { void f() { %s } }", "class A { void f() { x = %s; } }", "class A { %s }", "%s"},
	code.Rust:       {"fn f() { %s }", "fn f() { let x = %s; }", "%s"},
}

// read parses a pattern or a rewrite, and gives the nodes that it comes to: one, or
// several statements.
func read(lang code.Language, text string) ([]code.Node, error) {
	body := plainWords(strings.TrimSpace(text))
	if lang == code.Python {
		body = strings.ReplaceAll(body, "\t", "    ")
	}
	for _, c := range contexts[lang] {
		src := fmt.Sprintf(strings.ReplaceAll(c, "%s", "%[1]s"), body)
		tree, err := code.Parse(context.Background(), lang, []byte(src))
		if err != nil {
			return nil, err
		}
		if tree.HasError() {
			continue
		}
		start := strings.Index(c, "%s")
		end := start + len(body)
		n := tree.At(start, end)
		for up, ok := n.Parent(); ok && !n.Named() && up.Start() == start && up.End() == end; up, ok = n.Parent() {
			n = up // break is a word of a statement
		}
		if n.Start() == start && n.End() == end && n.Kind() != "statement_list" && n.Kind() != "program" && n.Kind() != "module" {
			return []code.Node{n}, nil
		}
		var out []code.Node
		for k, ok := n.First(); ok; k, ok = k.Next() {
			if k.Named() && !k.IsExtra() && k.Start() >= start && k.End() <= end {
				out = append(out, k)
			}
		}
		if len(out) > 0 && out[0].Start() == start && strings.TrimLeft(src[out[len(out)-1].End():end], "; \n") == "" {
			return out, nil
		}
	}
	return nil, fmt.Errorf("“%s” does not parse as %s", short(text), lang)
}

func isWord(n code.Node) bool { _, ok := n.First(); return !ok }

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return text
}

// skipped are the tokens that matching does not see: rows of different lengths have
// different numbers of them, and a language may let them be left out.
func skipped(n code.Node) bool {
	if n.IsExtra() {
		return true
	}
	return !n.Named() && (n.Is(",") || n.Is(";") || strings.TrimSpace(n.Kind()) == "")
}

// firstKid is the first node below that matching sees.
func firstKid(n code.Node) (code.Node, bool) {
	k, ok := n.First()
	for ok && skipped(k) {
		k, ok = k.Next()
	}
	return k, ok
}

func nextKid(n code.Node) (code.Node, bool) {
	k, ok := n.Next()
	for ok && skipped(k) {
		k, ok = k.Next()
	}
	return k, ok
}

// build makes a pattern of a node.
func build(n code.Node) (part, error) {
	text := n.Text()
	if name, row, ok := holeOf(text); ok && (isWord(n) || n.Kind() == "expression_statement") {
		return part{hole: name, row: row, statement: !isWord(n)}, nil
	}
	p := part{kind: n.Kind()}
	if _, ok := n.First(); !ok {
		if n.Named() {
			p.text = text
		}
		if strings.Contains(text, holeWord) || strings.Contains(text, rowWord) {
			return p, fmt.Errorf("a metavariable stands inside the word or text “%s”: let it stand for the whole", short(marked(text)))
		}
		return p, nil
	}
	if isText(n) && !strings.Contains(text, holeWord) {
		p.text, p.literal = unquoted(text), true
		return p, nil
	}
	rows := 0
	for k, ok := firstKid(n); ok; k, ok = nextKid(k) {
		b, err := build(k)
		if err != nil {
			return p, err
		}
		if b.row {
			rows++
		}
		p.below = append(p.below, b)
	}
	if rows > 1 {
		return p, fmt.Errorf("“%s” has two $$$ in one row: where the first ends would be a guess", short(marked(text)))
	}
	return p, nil
}

// marked is a text with its metavariables again.
func marked(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, rowWord, "$$$"), holeWord, "$")
}

func holeOf(text string) (name string, row, ok bool) {
	text = strings.TrimSuffix(text, ";")
	if name, ok := strings.CutPrefix(text, holeWord); ok && goodHole.MatchString(name) {
		return name, false, true
	}
	if name, ok := strings.CutPrefix(text, rowWord); ok && goodHole.MatchString(name) {
		return name, true, true
	}
	return "", false, false
}

var goodHole = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]*|_)$`)

func isText(n code.Node) bool {
	switch n.Kind() {
	case "string", "interpreted_string_literal", "string_literal":
		return true
	}
	return false
}

// unquoted is a string literal without its quotes, which may be of either kind.
func unquoted(text string) string {
	for _, q := range []string{`"`, "'"} {
		if len(text) >= 2 && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			return text[1 : len(text)-1]
		}
	}
	return text
}

// holes are the names of the metavariables of a pattern.
func (p *part) holes(add func(name string, row bool)) {
	if p.hole != "" && p.hole != "_" {
		add(p.hole, p.row)
	}
	for i := range p.below {
		p.below[i].holes(add)
	}
}

// bound is what a metavariable stands for: nodes from first to last. Of none of
// them, first is the node behind which they would stand.
type bound struct {
	name        string
	first, last code.Node
	none        bool
}

func (b bound) text() string {
	if b.none {
		return ""
	}
	return string(b.first.Tree().Src[b.first.Start():b.last.End()])
}

// state is one try to match.
type state struct {
	facts Facts
	root  code.Node
	bound []bound
}

func (s *state) get(name string) (bound, bool) {
	for _, b := range s.bound {
		if b.name == name {
			return b, true
		}
	}
	return bound{}, false
}

func (s *state) bind(b bound) bool {
	if b.name == "_" {
		return true
	}
	if old, ok := s.get(b.name); ok {
		return sameRow(old, b)
	}
	s.bound = append(s.bound, b)
	return true
}

func sameRow(a, b bound) bool {
	if a.none || b.none {
		return a.none && b.none
	}
	x, y := a.first, b.first
	for {
		if !Same(x, y) {
			return false
		}
		if x == a.last || y == b.last {
			return x == a.last && y == b.last
		}
		x, _ = nextKid(x)
		y, _ = nextKid(y)
	}
}

// Same tells whether two nodes are the same code: the same words in the same
// structure, whatever stands between them.
func Same(a, b code.Node) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	x, ok1 := firstKid(a)
	y, ok2 := firstKid(b)
	if !ok1 || !ok2 {
		return ok1 == ok2 && a.Text() == b.Text()
	}
	if isText(a) {
		return unquoted(a.Text()) == unquoted(b.Text())
	}
	for ok1 && ok2 {
		if !Same(x, y) {
			return false
		}
		x, ok1 = nextKid(x)
		y, ok2 = nextKid(y)
	}
	return ok1 == ok2
}

// match tells whether a pattern fits a node, and binds its metavariables.
func (s *state) match(p *part, n code.Node) bool {
	if p.hole != "" {
		return n.Named() && (!p.statement || isStatement(n) || strings.HasSuffix(n.Kind(), "_statement")) && s.bind(bound{name: p.hole, first: n, last: n})
	}
	if n.Kind() != p.kind {
		return false
	}
	if p.literal {
		return unquoted(n.Text()) == p.text
	}
	if len(p.below) == 0 {
		return p.text == "" && !n.Named() || n.Is(p.text)
	}
	k, ok := firstKid(n)
	for i := range p.below {
		q := &p.below[i]
		if q.row {
			left := 0
			for c, more := k, ok; more; c, more = nextKid(c) {
				left++
			}
			take := left - (len(p.below) - i - 1)
			if take < 0 {
				return false
			}
			b := bound{name: q.hole, first: k, none: true}
			for ; take > 0; take-- {
				if !k.Named() {
					return false
				}
				b.last, b.none = k, false
				k, ok = nextKid(k)
			}
			if !s.bind(b) {
				return false
			}
			continue
		}
		if !ok || !s.match(q, k) {
			return false
		}
		k, ok = nextKid(k)
	}
	return !ok
}

// looksLike tells without binding anything whether a pattern may fit a node: most
// patterns of one kind differ by an operator or a name right below.
func (p *part) looksLike(n code.Node) bool {
	k, ok := firstKid(n)
	for i := range p.below {
		q := &p.below[i]
		switch {
		case q.row:
			return true
		case !ok || q.hole == "" && q.kind != k.Kind() || q.text != "" && !q.literal && !k.Is(q.text):
			return false
		}
		k, ok = nextKid(k)
	}
	return len(p.below) == 0 || !ok
}

// isStatement tells a node that stands in a list of statements.
func isStatement(n code.Node) bool {
	switch n.Up() {
	case "block", "module", "statement_block", "program", "statement_list", "switch_case", "switch_default", "block_mapping":
		return n.Named() && !n.IsExtra() && n.Field() != "value" && n.Kind() != "statement_list"
	}
	return false
}

// spread tells which kinds of node a pattern can begin at.
func (f *form) spread() []string {
	if f.roots[0].hole == "" {
		return []string{f.roots[0].kind}
	}
	var out []string
	for _, c := range f.conds {
		if c.kinds != nil && !c.not && (c.subject == f.roots[0].hole || c.subject == "match") {
			if out == nil {
				out = slices.Clone(c.kinds)
			} else {
				out = slices.DeleteFunc(out, func(k string) bool { return !slices.Contains(c.kinds, k) })
			}
		}
	}
	return out
}
