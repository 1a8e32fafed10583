package mutate

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	maxUnits = 1500 // pieces of one file that are kept
	maxUnit  = 240  // bytes of a piece
	maxFiles = 12   // of the same directory that one is held against
)

// unit is a piece of code that is written again and again with small
// differences: a statement without a block, a condition, an element of a list.
type unit struct {
	node  code.Node
	kind  string
	words []uint32 // its leaves, sorted
}

// noteUnit keeps a piece of code for later comparisons.
func (p *Project) noteUnit(file string, n code.Node) {
	if len(p.units[file]) < maxUnits && isUnit(n) {
		p.units[file] = append(p.units[file], unit{n, n.Kind(), leafWords(n)})
	}
}

// isUnit tells the pieces of code that are compared as wholes.
func isUnit(n code.Node) bool {
	switch n.Kind() {
	case "expression_statement", "return_statement", "assignment_statement", "short_var_declaration", "lexical_declaration", "variable_declaration",
		"raise_statement", "throw_statement", "send_statement":
		if !isStatement(n) || docstring(n) {
			return false
		}
	case "pair", "keyed_element":
	case "tuple", "call", "call_expression", "binary_expression", "comparison_operator", "boolean_operator":
		if !isUnitPlace(n) {
			return false
		}
	default:
		return false
	}
	return n.End()-n.Start() <= maxUnit && n.End()-n.Start() >= 6 && !holdsBlock(n)
}

// isUnitPlace tells an element of a list, or a condition.
func isUnitPlace(n code.Node) bool {
	switch n.Up() {
	case "list", "array", "literal_element", "if_statement", "elif_clause", "while_statement":
		return true
	case "parenthesized_expression":
		up := parentOf(n).Up()
		return up == "if_statement" || up == "while_statement"
	}
	return false
}

func holdsBlock(n code.Node) bool {
	found := false
	n.Walk(func(c code.Node) bool {
		found = found || c != n && (c.Kind() == "block" || c.Kind() == "statement_block")
		return !found
	})
	return found
}

// isLeaf tells what is compared as one text: a token, or a string.
func isLeaf(n code.Node) bool {
	switch n.Kind() {
	case "string", "template_string", "interpreted_string_literal", "raw_string_literal", "regex", "rune_literal":
		return true
	}
	return len(n.Children()) == 0
}

// leafWords are the hashed leaves of a piece, without punctuation, sorted.
func leafWords(n code.Node) []uint32 {
	var out []uint32
	n.Walk(func(c code.Node) bool {
		if !isLeaf(c) {
			return true
		}
		if c.Named() && !c.IsExtra() {
			h := fnv.New32a()
			_, _ = h.Write([]byte(c.Text()))
			out = append(out, h.Sum32())
		}
		return false
	})
	slices.Sort(out)
	return out
}

// common counts what two sorted lists have in common.
func common(a, b []uint32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}

// alikeFiles lists the files of a directory that a file is held against, with
// how much each counts: itself first, then those with a name that is like its.
func (s *scene) alikeFiles() []choice {
	list := []choice{{s.file, 1}}
	own := stemOf(s.file)
	var others []choice
	for _, name := range s.project.paths {
		if name == s.file || path.Dir(name) != path.Dir(s.file) || len(s.project.units[name]) == 0 {
			continue
		}
		w := 0.4
		if d := code.Distance(stemOf(name), own); d <= 2 || strings.HasSuffix(own, tailOf(name)) || strings.HasPrefix(stemOf(name), own) {
			w = 0.9
		}
		others = append(others, choice{name, w})
	}
	return append(list, best(others, maxFiles)...)
}

func stemOf(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// tailOf is the last word of a file's name with the sign before it.
func tailOf(name string) string {
	stem := stemOf(name)
	if i := strings.LastIndexAny(stem, "_-."); i > 0 {
		return stem[i:]
	}
	return "\x00"
}
