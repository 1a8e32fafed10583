package code

import (
	"bytes"
	"strings"
)

// blocks groups the top-level statements that are no region of their own:
// imports in one block, the rest by paragraph, so that every line with code
// belongs to a region.
func (t *Tree) blocks(defined []draft) []draft {
	whole := map[int]int{} // where regions begin, and where the largest ends
	for _, d := range defined {
		whole[d.StartByte] = max(whole[d.StartByte], d.EndByte)
	}
	var out []draft
	var group []Node
	kind := ""
	flush := func() {
		if len(group) > 0 {
			out = append(out, t.block(group, kind))
		}
		group, kind = nil, ""
	}
	done := 0 // the end of the last region
	var look func(n Node, depth int)
	look = func(n Node, depth int) {
		for c, ok := n.First(); ok; c, ok = c.Next() {
			start, end := t.trim(c)
			if t.ignorable(c, start, end) || start < done {
				continue
			}
			inner, module, held := holder(c)
			if whole[start] >= end {
				flush()
				if module && depth < maxDepth {
					look(inner, depth+1)
					flush()
				}
				done = whole[start]
				continue
			}
			if held && depth < maxDepth {
				look(inner, depth+1)
				continue
			}
			k := blockKind(c)
			if len(group) > 0 && (k != kind || k == "own" || k == "" && t.gap(group[len(group)-1], c)) {
				flush()
			}
			group, kind = append(group, c), k
		}
	}
	look(t.Root(), 0)
	flush()
	return out
}

// holder tells a node of C, C++ or PHP whose statements stand for themselves as
// those at the top do: a namespace (module), or what surrounds much of a file and
// is no region itself, such as #ifndef or extern "C" (held).
func holder(n Node) (inner Node, module, held bool) {
	switch n.Kind() {
	case "namespace_definition":
		body, ok := n.ChildByField("body")
		_, has := n.ChildByField("name")
		return body, ok && has, ok && !has
	case "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef":
		return n, false, true
	case "linkage_specification", "declaration_list":
		return n, false, family(n.t.Lang) == C
	case "ERROR":
		return n, false, family(n.t.Lang) == C && n.Line() != n.EndLine()
	}
	return n, false, false
}

// trim is the span of a node without white space at its end.
func (t *Tree) trim(n Node) (start, end int) {
	text := bytes.TrimRight(t.Src[n.Start():n.End()], " \t\r\n\f")
	return n.Start(), n.Start() + len(text)
}

func (t *Tree) ignorable(n Node, start, end int) bool {
	if n.IsExtra() && !n.IsError() || start == end {
		return true
	}
	text := t.Src[start:end]
	return len(text) == 1 && (text[0] == ';' || strings.IndexByte("{}", text[0]) >= 0 && (n.Up() == "declaration_list" || n.Up() == "compound_statement")) ||
		n.Kind() == "hash_bang_line" || n.Kind() == "php_tag"
}

// gap tells whether a blank line lies between two statements.
func (t *Tree) gap(a, b Node) bool {
	_, end := t.trim(a)
	lines := bytes.Split(t.Src[end:max(end, b.Start())], []byte("\n"))
	for i := 1; i < len(lines)-1; i++ {
		if len(bytes.TrimSpace(lines[i])) == 0 {
			return true
		}
	}
	return false
}

func (t *Tree) block(group []Node, kind string) draft {
	_, end := t.trim(group[len(group)-1])
	d := draft{Region: Region{Kind: KindBlock, Name: "statements", StartByte: group[0].Start(), EndByte: end}}
	if kind == "imports" {
		d.Name = "imports"
	} else {
		for _, n := range group {
			if name, prefix := blockName(n); name != "" {
				d.Name = name
				d.prefix = prefix && len(group) == 1
				break
			}
		}
	}
	return d
}

// blockKind tells imports, statements that stand alone ("own") and the rest.
func blockKind(n Node) string {
	switch n.Kind() {
	case "import_statement", "import_from_statement", "future_import_statement",
		"import_declaration", "use_declaration", "extern_crate_declaration", "namespace_use_declaration", "preproc_include":
		return "imports"
	case "package_clause", "const_declaration", "var_declaration", "type_declaration",
		"if_statement", "for_statement", "while_statement", "try_statement", "with_statement",
		"internal_module", "module", "mod_item", "namespace_definition":
		return "own"
	case "declaration":
		if n.Line()+2 < n.EndLine() {
			return "own"
		}
	case "expression_statement":
		if n.t.Lang == PHP && isLineImport(PHP, n.Text()) {
			return "imports"
		}
	case "lexical_declaration", "variable_declaration", "call":
		text := n.Text()
		if len(text) < 400 && (strings.Contains(text, "require(") || strings.HasPrefix(text, "require")) {
			return "imports"
		}
		if strings.Count(text, "\n") > 2 {
			return "own"
		}
	}
	return ""
}

// blockName is the name that a top-level statement defines, and whether the
// names of what it holds begin with it.
func blockName(n Node) (name string, prefix bool) {
	switch n.Kind() {
	case "package_clause":
		return "package", false
	case "namespace_definition":
		return "namespace", false
	case "preproc_def":
		return n.TextOf("name"), false
	case "declaration":
		if c, ok := cName(n); ok {
			return clip(c.Text(), 60), false
		}
	case "export_statement", "ambient_declaration", "expression_statement":
		if d, ok := n.ChildByField("declaration"); ok {
			return blockName(d)
		}
		if held := n.NamedChildren(); len(held) > 0 {
			if held[0].Kind() == "string" && n.Kind() == "expression_statement" {
				return "docstring", false
			}
			return blockName(held[0])
		}
	case "if_statement":
		if c, ok := n.ChildByField("condition"); ok && strings.Contains(c.Text(), "__main__") {
			return "main", false
		}
		return "if", false
	case "assignment", "augmented_assignment", "assignment_expression":
		if l, ok := n.ChildByField("left"); ok && len(l.Text()) < 60 {
			return l.Text(), n.Kind() == "assignment_expression"
		}
	case "internal_module", "module", "mod_item":
		return n.TextOf("name"), true
	case "call_expression", "call", "function_call_expression":
		if c, ok := n.ChildByField("function"); ok && len(c.Text()) < 60 {
			return c.Text(), false
		}
	case "const_declaration", "var_declaration", "lexical_declaration", "variable_declaration",
		"const_item", "static_item", "type_declaration":
		return declaredName(n)
	}
	return "", false
}

// declaredName is the first name that a declaration introduces.
func declaredName(n Node) (string, bool) {
	name := ""
	n.Walk(func(c Node) bool {
		if name == "" && c.Field() == "name" && c.End()-c.Start() < 200 {
			name = c.Text()
		}
		return name == ""
	})
	return name, strings.HasSuffix(n.Kind(), "lexical_declaration") || n.Kind() == "variable_declaration"
}
