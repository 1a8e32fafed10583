package rule

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// template is a rewrite, read once.
type template struct {
	pieces []piece
	level  int // how tightly what it comes to holds together
	weight float64
	loose  bool // no parentheses are put in
	along  bool // it has the metavariables of the pattern in the same order: what lies between them is kept
}

// piece is text, or a metavariable with how tightly its value has to hold together.
type piece struct {
	text string
	was  string // what stands there in the pattern, where the two have the same metavariables
	hole string
	need int
	tabs int // how much deeper than the match its line is
}

// holds of operators, the same for all languages: what binds tighter is higher.
const (
	holdNone  = 0
	holdWord  = 20
	holdUnary = 15
)

var holdOf = map[string]int{
	"??": 1, "or": 2, "||": 2, "and": 3, "&&": 3, "not": 4,
	"==": 5, "!=": 5, "===": 5, "!==": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "in": 5, "not in": 5, "is": 5, "is not": 5, "instanceof": 5,
	"|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "@": 11, "**": 16,
}

// operator is the operator of an expression with two operands.
func operator(n code.Node) (string, bool) {
	switch n.Kind() {
	case "binary_expression", "binary_operator", "boolean_operator":
		if op, ok := n.ChildByField("operator"); ok {
			return op.Text(), true
		}
	case "comparison_operator":
		return "==", true
	}
	return "", false
}

// holds is how tightly an expression holds together.
func holds(n code.Node) int {
	if op, ok := operator(n); ok {
		if h := holdOf[op]; h > 0 {
			return h
		}
		return 1
	}
	switch n.Kind() {
	case "integer", "number", "float", "int_literal", "float_literal":
		return holdWord - 1 // 1.real is no member of 1
	case "not_operator":
		return holdOf["not"]
	case "unary_operator", "unary_expression", "update_expression", "await", "await_expression":
		return holdUnary
	case "conditional_expression", "ternary_expression", "lambda", "arrow_function", "assignment_expression", "augmented_assignment_expression",
		"named_expression", "yield", "yield_expression", "sequence_expression", "expression_list", "function_expression", "as_expression", "satisfies_expression":
		return holdNone
	}
	return holdWord
}

// needs is how tightly an expression has to hold together where a node stands.
func needs(n code.Node) int {
	up, ok := n.Parent()
	if !ok {
		return holdNone
	}
	if op, ok := operator(up); ok {
		h := max(holdOf[op], 1)
		switch {
		case op == "??":
			return holdOf["and"] + 1
		case op == "**":
			return holdUnary + 1
		case up.Kind() == "comparison_operator" || n.Start() != up.Start():
			return h + 1
		}
		return h
	}
	switch up.Kind() {
	case "not_operator":
		return holdOf["not"]
	case "unary_operator", "unary_expression":
		if sign, ok := up.First(); ok && !sign.Is("!") {
			return holdUnary + 1 // not --x
		}
		return holdUnary
	case "await", "await_expression":
		return holdUnary
	case "conditional_expression", "ternary_expression":
		if n.Start() == up.Start() || up.Kind() == "conditional_expression" {
			return 1
		}
	case "call", "call_expression", "new_expression":
		if n.Field() == "function" || n.Field() == "constructor" {
			return holdWord
		}
	case "attribute", "member_expression", "selector_expression", "subscript", "subscript_expression", "index_expression", "slice_expression":
		if n.Start() == up.Start() {
			return holdWord
		}
	case "as_expression", "satisfies_expression", "non_null_expression", "type_assertion_expression":
		return holdWord
	}
	return holdNone
}

// align notes where a rewrite has the metavariables of its pattern, each once and in
// the same order: white space and line breaks between them then stay as they are.
func (t *template) align(pattern string) {
	var names []string
	var texts []string
	from := 0
	for _, m := range hole.FindAllStringIndex(pattern, -1) {
		name := strings.TrimLeft(pattern[m[0]:m[1]], "$")
		if name == "_" || slices.Contains(names, name) {
			return
		}
		names, texts = append(names, name), append(texts, pattern[from:m[0]])
		from = m[1]
	}
	texts = append(texts, pattern[from:])
	if len(names) == 0 || len(t.pieces) != 2*len(names)+1 {
		return
	}
	for i, name := range names {
		if t.pieces[2*i+1].hole != name {
			return
		}
	}
	for i, text := range texts {
		t.pieces[2*i].was = text
	}
	t.along = true
}

// between is the text of a piece that stands between two metavariables of the pattern:
// the source as it is where the rewrite says the same, else with its white space.
func (p *piece) between(source, text string) (string, bool) {
	bare := strings.TrimSpace(source)
	if bare != strings.TrimSpace(p.was) && spaceless(bare) != spaceless(p.was) {
		return "", false // a comment stands there
	}
	if p.text == p.was {
		return source, true
	}
	core := strings.TrimSpace(text)
	head, tail := spaces(text)
	if core == "" {
		return text, true
	}
	if h, _ := spaces(p.was); h != "" && head != "" {
		head, _ = spaces(source)
	}
	if _, e := spaces(p.was); e != "" && tail != "" {
		_, tail = spaces(source)
	}
	return head + core + tail, true
}

func spaceless(text string) string { return strings.Join(strings.Fields(text), "") }

// spaces are the white space at the beginning and at the end of a text.
func spaces(text string) (head, tail string) {
	bare := strings.TrimLeft(text, " \t\r\n")
	head = text[:len(text)-len(bare)]
	return head, bare[len(strings.TrimRight(bare, " \t\r\n")):]
}

// readTemplate reads a rewrite.
func readTemplate(lang code.Language, c Choice) (template, error) {
	t := template{weight: c.Weight, level: holdWord}
	text := strings.TrimRight(c.Text, "\n")
	if strings.TrimSpace(text) == "" {
		return t, nil // what is matched is removed
	}
	nodes, err := read(lang, text)
	if err != nil {
		return t, err
	}
	if len(nodes) == 1 {
		t.level = holds(nodes[0])
	}
	var where []int // needs of the metavariables, in their order
	for _, n := range nodes {
		n.Walk(func(k code.Node) bool {
			if isWord(k) {
				for range hole.FindAllString(marked(k.Text()), -1) {
					if _, _, whole := holeOf(k.Text()); whole {
						where = append(where, needs(k))
					} else {
						where = append(where, holdNone)
					}
				}
			}
			return true
		})
	}
	from, tabs := 0, 0
	for i, m := range hole.FindAllStringIndex(text, -1) {
		before := text[from:m[0]]
		if j := strings.LastIndexByte(before, '\n'); j >= 0 {
			tabs = len(before[j+1:]) - len(strings.TrimLeft(before[j+1:], "\t"))
		}
		need := holdNone
		if i < len(where) {
			need = where[i]
		}
		t.pieces = append(t.pieces, piece{text: before}, piece{hole: strings.TrimLeft(text[m[0]:m[1]], "$"), need: need, tabs: tabs})
		from = m[1]
	}
	t.pieces = append(t.pieces, piece{text: text[from:]})
	return t, nil
}

// single tells a rewrite that is one metavariable.
func (t *template) single() bool {
	return len(t.pieces) == 3 && t.pieces[0].text == "" && t.pieces[2].text == ""
}

// layout is how a file is written where a match stands.
type layout struct {
	indent, unit, eol string
	single            bool // texts stand in single quotes
}

func layoutAt(n code.Node) layout {
	src := n.Tree().Src
	from := n.Start()
	for from > 0 && src[from-1] != '\n' {
		from--
	}
	to := from
	for to < len(src) && (src[to] == ' ' || src[to] == '\t') {
		to++
	}
	s, lang := n.Tree().Style(), n.Tree().Lang
	single := isScripted(lang) && (s.Singles > s.Doubles || s.Singles == s.Doubles && family(lang) == "javascript") // most of JavaScript's texts do
	return layout{string(src[from:to]), s.Unit, s.EOL, single}
}

func isScripted(lang code.Language) bool {
	return lang == code.Python || family(lang) == "javascript"
}

// write fills a rewrite in. values are those of generators.
func (t *template) write(s *state, at code.Node, values map[string]string) string {
	lay := layoutAt(at)
	end := strings.TrimSpace(at.Text())
	closed := strings.HasSuffix(end, "}") && bytes.Contains(at.Tree().Src, []byte(";\n"))
	bare := !closed && !strings.HasSuffix(end, ";")
	var out strings.Builder
	comma := false // of a row of nothing: the comma beside it goes too
	for i, p := range t.pieces {
		if p.hole == "" {
			text := p.text
			if t.along {
				if kept, ok := s.gap(t, i, indented(p.text, lay)); ok {
					out.WriteString(kept)
					continue
				}
			}
			if comma {
				text = strings.TrimPrefix(strings.TrimPrefix(text, ","), " ")
				comma = false
			}
			if bare && i+1 == len(t.pieces) {
				text = strings.TrimSuffix(text, ";") // a file without semicolons stays one
			}
			if i+1 < len(t.pieces) {
				if b, ok := s.get(t.pieces[i+1].hole); ok && b.none {
					cut := strings.TrimSuffix(strings.TrimRight(text, " "), ",")
					comma = cut == strings.TrimRight(text, " ")
					if !comma {
						text = cut
					}
					if bare := strings.TrimRight(text, "\t"); strings.HasSuffix(bare, "\n") {
						text, comma = strings.TrimSuffix(bare, "\n"), false // its line goes too
					}
				}
			}
			out.WriteString(indented(text, lay))
			continue
		}
		value, ok := values[p.hole]
		if !ok {
			b, _ := s.get(p.hole)
			value = b.text()
			if !b.none && b.first == b.last && holds(b.first) < p.need && !t.loose {
				value = "(" + value + ")"
			}
			if strings.Contains(value, "\n") && !b.none {
				was := layoutAt(b.first).indent
				value = strings.ReplaceAll(value, "\n"+was, "\n"+lay.indent+strings.Repeat(lay.unit, p.tabs))
			}
		}
		out.WriteString(value)
	}
	text, level := out.String(), t.level
	if t.single() {
		if b, ok := s.get(t.pieces[1].hole); ok && !b.none && b.first == b.last {
			level = holds(b.first)
		}
	}
	if level < needs(at) && !t.loose {
		text = "(" + text + ")"
	}
	return text
}

// gap is what the source has in the place of a piece of a rewrite that goes along
// with its pattern.
func (s *state) gap(t *template, i int, text string) (string, bool) {
	all, ok := s.get(whole)
	from, to := all.first.Start(), all.last.End()
	if i > 0 {
		b, is := s.get(t.pieces[i-1].hole)
		from, ok = 0, ok && is && !b.none
		if ok {
			from = b.last.End()
		}
	}
	if ok && i+1 < len(t.pieces) {
		b, is := s.get(t.pieces[i+1].hole)
		if ok = is && !b.none; ok {
			to = b.first.Start()
		}
	}
	if !ok || from > to {
		return "", false
	}
	return t.pieces[i].between(string(all.first.Tree().Src[from:to]), text)
}

var doubled = regexp.MustCompile(`"([^"'\n]*)"`)

// indented writes the lines of a rewrite in the file's indentation.
func indented(text string, lay layout) string {
	if lay.single {
		text = doubled.ReplaceAllString(text, "'$1'")
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, "\t")
		deeper := strings.Repeat(lay.unit, len(line)-len(rest))
		if i > 0 {
			lines[i] = lay.indent + deeper + rest
		}
	}
	return strings.Join(lines, lay.eol)
}

// trimmed leaves out what a change leaves as it is at both ends, of a change of several
// lines also at one, up to the border of a word.
func trimmed(src []byte, start, end int, text string) (from, to int, put string) {
	old := string(src[start:end])
	one := !strings.Contains(old, "\n") && !strings.Contains(text, "\n")
	head := 0
	for head < len(old) && head < len(text) && old[head] == text[head] {
		head++
	}
	for head > 0 && (!border(old, head) || !border(text, head)) {
		head--
	}
	tail := 0
	for tail < len(old)-head && tail < len(text)-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	for tail > 0 && (!border(old, len(old)-tail) || !border(text, len(text)-tail)) {
		tail--
	}
	if one && (head == 0 || tail == 0) {
		return start, end, text
	}
	return start + head, end - tail, text[head : len(text)-tail]
}

// border tells a place between two words or signs.
func border(text string, i int) bool {
	if i <= 0 || i >= len(text) {
		return true
	}
	class := func(c byte) int {
		switch {
		case c != '$' && code.NameByte(c):
			return 1
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			return 2
		case strings.IndexByte("()[]{},;", c) >= 0:
			return 3
		}
		return 4
	}
	a, b := class(text[i-1]), class(text[i])
	return a != b || a == 3 || a == 2
}
