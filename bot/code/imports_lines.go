package code

import (
	"context"
	"fmt"
	"strings"
)

// lineImport is an import of a language whose imports are merged by lines:
// one statement on one line.
type lineImport struct {
	lang Language
	text string
}

// lineWords are what the imports of a language begin with.
var lineWords = map[Language][]string{
	Java: {"import "}, Rust: {"use ", "pub use ", "extern crate "}, Ruby: {"require ", "require_relative ", "autoload "},
	PHP: {"use ", "require ", "require_once ", "include ", "include_once "}, C: {"#include"}, CPP: {"#include"},
}

func isLineImport(lang Language, line string) bool {
	line = strings.TrimSpace(line)
	for _, w := range lineWords[lang] {
		if strings.HasPrefix(line, w) {
			return lang == Ruby || family(lang) == C || strings.HasSuffix(line, ";")
		}
	}
	return false
}

func wantedLines(ctx context.Context, lang Language, text string) ([]wantedImport, error) {
	var out []wantedImport
	for line := range strings.SplitSeq(text, "\n") {
		t, err := Parse(ctx, lang, []byte(fragmentHead(lang)+line+"\n"))
		if err != nil {
			return nil, err
		}
		switch statement, alone := onlyImport(t); {
		case strings.TrimSpace(line) == "":
		case alone && !t.HasError() && isLineImport(lang, statement):
			out = append(out, lineImport{lang, statement})
		default:
			return nil, fmt.Errorf("%w: %q; give one import a line", ErrNotImport, strings.TrimSpace(line))
		}
	}
	return out, nil
}

// onlyImport is the text of the one statement of a line, without a comment
// behind it; false where there is another number of them, or where it is of a
// kind that imports nothing, such as Ruby's "require # x".
func onlyImport(t *Tree) (string, bool) {
	n, ok := t.Root().OnlyNamed()
	if all := t.Root().NamedChildren(); t.Lang == PHP && len(all) == 2 { // behind its tag
		n, ok = all[1], true
	}
	if !ok {
		return "", false
	}
	switch n.Kind() {
	case "namespace_use_declaration", "expression_statement", "preproc_include", "import_declaration", "use_declaration", "extern_crate_declaration", "call":
		return strings.TrimSpace(n.Text()), true
	}
	return "", false
}

// merge implements wantedImport.
func (l lineImport) merge(t *Tree) ([]change, bool) {
	var all []statement
	head := 0
	has := false
	var look func(n Node)
	look = func(n Node) {
		for c, ok := n.First(); ok; c, ok = c.Next() {
			if leads(c) {
				_, head = t.trim(c)
			}
			inner, module, held := holder(c)
			if l.lang == PHP && module && head == 0 { // its imports stand inside
				head = inner.Start() + 1
			}
			if held && family(l.lang) == C {
				look(inner)
			}
			if text := strings.TrimSpace(c.Text()); isLineImport(l.lang, text) {
				has = has || text == l.text
				all = append(all, l.statement(c, text))
			}
		}
	}
	look(t.Root())
	if has {
		return nil, true
	}
	if groups := importGroups(t, all); len(groups) > 0 {
		return []change{placeImport(t, groups, l.statement(Node{}, l.text), l.text, false)}, false
	}
	if head == 0 {
		head = headEnd(t, func(Node) bool { return false })
	}
	return []change{firstImport(t, head, l.text)}, false
}

// leads tells what imports stand behind: a package or namespace, PHP's tag and
// declare, the #define of a header's guard, #pragma once.
func leads(n Node) bool {
	switch n.Kind() {
	case "package_declaration", "php_tag", "declare_statement":
		return true
	case "namespace_definition":
		_, ok := n.ChildByField("body")
		return n.t.Lang == PHP && !ok
	case "preproc_def":
		up, ok := n.Parent()
		return ok && up.Kind() == "preproc_ifdef" && up.Up() == "translation_unit" && len(up.NamedChildren()) > 1 && up.NamedChildren()[1] == n
	case "preproc_call":
		return strings.HasPrefix(n.Text(), "#pragma once")
	}
	return false
}

func (l lineImport) statement(n Node, text string) statement {
	for i, w := range lineWords[l.lang] {
		if rest, ok := strings.CutPrefix(text, w); ok {
			s := statement{node: n, module: strings.TrimRight(rest, ";")}
			if l.lang == Ruby {
				s.section = i
			}
			if l.lang == Java && strings.HasPrefix(rest, "static ") {
				s.section = 1
			}
			switch {
			case l.lang == PHP && strings.HasPrefix(rest, "function "):
				s.section = 1
			case l.lang == PHP && strings.HasPrefix(rest, "const "):
				s.section = 2
			case l.lang == PHP && i > 0: // a file, read where it stands
				s.section = 3
			case family(l.lang) == C && strings.Contains(rest, `"`): // own headers, mostly after those of others
				s.rank, s.section = 1, 1
			}
			return s
		}
	}
	return statement{node: n, module: text}
}

// binds implements wantedImport: what a line binds is not known.
func (l lineImport) binds() []string { return []string{"*"} }
