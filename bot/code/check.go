package code

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// SyntaxError is one place that does not parse.
type SyntaxError struct {
	Line    int    `json:"line"`   // 1-based
	Column  int    `json:"column"` // 1-based, in bytes
	Message string `json:"message"`
}

func (e SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// maxErrors is how many places Check reports at most.
const maxErrors = 10

// Check looks for syntax errors; nil means that the text parses, or that its
// language is not known. Go is read by go/parser, Python by the tree, by a
// pass over its indentation and by the rules that its grammar does not hold,
// the others by the tree. Of C and C++ that is
// weak: what a macro hides from the grammar may read as an error. The error says
// that the check itself could not be made.
func Check(ctx context.Context, path string, src []byte) ([]SyntaxError, error) {
	lang := LanguageIn(path, src)
	if lang == Unknown {
		return nil, nil
	}
	return CheckLanguage(ctx, lang, src)
}

// CheckLanguage is Check for a text whose language is known.
func CheckLanguage(ctx context.Context, lang Language, src []byte) ([]SyntaxError, error) {
	if lang == Go {
		return checkGo(src), nil
	}
	t, err := Parse(ctx, lang, src)
	if err != nil {
		return nil, fmt.Errorf("check syntax: %w", err)
	}
	return t.Errors(), nil
}

// Errors lists the syntax errors of a parsed text, as Check.
func (t *Tree) Errors() []SyntaxError {
	if t.Lang == Go {
		return checkGo(t.Src)
	}
	var out []SyntaxError
	if t.HasError() {
		out = t.treeErrors()
	}
	if t.Lang == Python && len(out) == 0 {
		out = checkIndentation(t)
	}
	if t.Lang == Python && len(out) == 0 {
		out = checkRules(t)
	}
	return out
}

func (t *Tree) treeErrors() []SyntaxError {
	var out []SyntaxError
	macros := 0
	t.Walk(func(n Node) bool {
		if len(out) >= maxErrors || !n.HasError() && !n.IsError() && !n.IsMissing() {
			return false
		}
		switch {
		case n.IsMissing() && macroBody(n):
			macros++
		case n.IsMissing():
			out = append(out, t.errorAt(n.Start(), "expected "+quote(n.Kind())+" in "+describe(n.Up())))
		case n.IsError():
			if e, ok := t.bracketError(); ok && n.Line() != n.EndLine() {
				out = append(out, e) // what does not parse is large: this is why
				return false
			}
			out = append(out, t.errorAt(n.Start(), "unexpected "+quote(snippet(n))+" in "+describe(n.Up())))
			return false
		}
		return true
	})
	if len(out) == 0 && macros == 0 {
		out = append(out, t.errorAt(0, "the text does not parse"))
	}
	return out
}

// macroBody tells a semicolon that is missing in C or C++ because what looks like
// a call is a macro with a body behind it: TEST_CASE("title") {…}.
func macroBody(missing Node) bool {
	s, ok := missing.Parent()
	if !ok || family(missing.t.Lang) != C || missing.Kind() != ";" || s.Kind() != "expression_statement" {
		return false
	}
	call, _ := s.FirstNamed()
	body, ok := s.Next()
	return ok && call.t != nil && call.Kind() == "call_expression" && body.Kind() == "compound_statement"
}

func (t *Tree) errorAt(offset int, message string) SyntaxError {
	line := t.Line(offset)
	return SyntaxError{Line: line, Column: offset - t.lines[line-1] + 1, Message: message}
}

func describe(kind string) string {
	if kind == "" {
		return "the file"
	}
	return "a " + strings.ReplaceAll(kind, "_", " ")
}

func quote(s string) string { return "“" + s + "”" }

func snippet(n Node) string {
	s, _, _ := strings.Cut(strings.ToValidUTF8(n.Text(), "\uFFFD"), "\n")
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strings.TrimSpace(s)
}

func checkGo(src []byte) []SyntaxError {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []SyntaxError{{Line: 1, Column: 1, Message: err.Error()}}
	}
	var out []SyntaxError
	for _, e := range list {
		if len(out) == maxErrors {
			break
		}
		out = append(out, SyntaxError{Line: max(1, e.Pos.Line), Column: max(1, e.Pos.Column), Message: e.Msg})
	}
	return out
}
