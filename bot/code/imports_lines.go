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
}

func isLineImport(lang Language, line string) bool {
	line = strings.TrimSpace(line)
	for _, w := range lineWords[lang] {
		if strings.HasPrefix(line, w) {
			return lang == Ruby || strings.HasSuffix(line, ";")
		}
	}
	return false
}

func wantedLines(ctx context.Context, lang Language, text string) ([]wantedImport, error) {
	var out []wantedImport
	for line := range strings.SplitSeq(text, "\n") {
		t, err := Parse(ctx, lang, []byte(line+"\n"))
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
	n, ok := t.Root().onlyNamed()
	if !ok {
		return "", false
	}
	switch n.Kind() {
	case "import_declaration", "use_declaration", "extern_crate_declaration", "call":
		return strings.TrimSpace(n.Text()), true
	}
	return "", false
}

// merge implements wantedImport.
func (l lineImport) merge(t *Tree) ([]change, bool) {
	var all []statement
	head := 0
	for c, ok := t.Root().first(); ok; c, ok = c.next() {
		text := strings.TrimSpace(c.Text())
		if c.Kind() == "package_declaration" {
			_, head = t.trim(c)
		}
		if !isLineImport(l.lang, text) {
			continue
		}
		if text == l.text {
			return nil, true
		}
		all = append(all, l.statement(c, text))
	}
	if groups := importGroups(t, all); len(groups) > 0 {
		return []change{placeImport(t, groups, l.statement(Node{}, l.text), l.text, false)}, false
	}
	if head == 0 {
		head = headEnd(t, func(Node) bool { return false })
	}
	return []change{firstImport(t, head, l.text)}, false
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
			return s
		}
	}
	return statement{node: n, module: text}
}

// binds implements wantedImport: what a line binds is not known.
func (l lineImport) binds() []string { return []string{"*"} }
