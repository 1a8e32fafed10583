// Package cross makes the questions of a cross-examination (SPEC C9, TRUST
// principle 10). What a test process says of its tests is a claim: the code
// under test runs in the same process and could have made it. Two questions
// have an answer that only the asker knows:
//
//   - the changed lines are sabotaged: does the test that is said to be mended
//     fail then? One that only calls a changed function, and takes another path
//     through it, tests something else.
//   - the test is falsified: its expectation is made wrong under the same name.
//     Does it fail then?
//
// A third is asked by whoever judges a change of others: the changed lines are
// disguised, the same in other words. Does the test still pass? One that does not
// reads the source.
//
// A patch that forges its results cannot tell such a run from the judge's. In
// flow source texts; out flow texts to run instead. The package is pure: it
// never opens a file and never runs anything.
package cross

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// change replaces the bytes [start, end) of a text.
type change struct {
	start, end int
	text       string
}

// apply makes the changes, none inside of another: of two the outer one counts.
func apply(src []byte, all []change) []byte {
	slices.SortStableFunc(all, func(a, b change) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out strings.Builder
	at := 0
	for _, c := range all {
		if c.start < at {
			continue
		}
		out.Write(src[at:c.start])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(src[at:])
	return []byte(out.String())
}

// Sabotage gives a changed file in which every function that the change touched
// fails with token where it comes to a statement that is new or changed, or, where
// there is no such statement, as soon as it is called; nil where no function was
// touched. before is nil for a new file.
func Sabotage(ctx context.Context, path string, before, after []byte, token string) ([]byte, error) {
	lang := code.LanguageOf(path)
	if after == nil || len(bodies[lang]) == 0 {
		return nil, nil
	}
	touched, err := code.Touched(ctx, path, before, after)
	if err != nil {
		return nil, err
	}
	tree, err := code.Parse(ctx, lang, after)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var all []change
	lines := code.ChangedLines(before, after)
	for _, r := range touched {
		var called, reached []change // where the first function is called, where changed lines are reached
		tree.At(r.StartByte, r.EndByte).Walk(func(n code.Node) bool {
			if n.Start() < r.StartByte || n.End() > r.EndByte || !slices.Contains(bodies[lang], n.Kind()) {
				return true
			}
			if c, ok := fail(n, token); ok {
				body, _ := n.ChildByField("body")
				called, reached = append(called, c), append(reached, failLines(body, lines, token)...)
			}
			return false
		})
		switch {
		case before != nil && len(reached) > 0:
			all = append(all, reached...)
		case len(called) > 0:
			all = append(all, called[0])
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return apply(after, all), nil
}

// bodies are the kinds of nodes that have a body to fail in.
var bodies = map[code.Language][]string{
	code.Python:     {"function_definition"},
	code.JavaScript: scriptBodies, code.TypeScript: scriptBodies, code.TSX: scriptBodies,
	code.Go:   {"function_declaration", "method_declaration", "func_literal"},
	code.Rust: {"function_item"},
	code.Ruby: {"method", "singleton_method"},
	code.PHP:  {"function_definition", "method_declaration", "anonymous_function"},
	code.C:    {"function_definition"}, code.CPP: {"function_definition", "lambda_expression"},
	code.Java: {"method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression"},
}

var scriptBodies = []string{"function_declaration", "generator_function_declaration", "function_expression", "generator_function", "function", "arrow_function", "method_definition"}

// fail makes a function fail with token where it begins.
func fail(function code.Node, token string) (change, bool) {
	body, ok := function.ChildByField("body")
	if !ok {
		return change{}, false
	}
	switch {
	case function.Tree().Lang == code.Python:
		return change{body.Start(), body.Start(), fmt.Sprintf("raise RuntimeError(%q)%s", token, lineAfter(body))}, true
	case function.Tree().Lang == code.Rust:
		return change{body.Start() + 1, body.Start() + 1, fmt.Sprintf(" panic!(%q);", token)}, true
	case function.Tree().Lang == code.C, function.Tree().Lang == code.CPP:
		if body.Kind() != "compound_statement" {
			return change{}, false
		}
		return change{body.Start() + 1, body.Start() + 1, " " + compiledFails}, true
	case function.Tree().Lang == code.Go:
		return change{body.Start() + 1, body.Start() + 1, fmt.Sprintf(" panic(%q);", token)}, true
	case function.Tree().Lang == code.PHP:
		return change{body.Start() + 1, body.Start() + 1, " " + fmt.Sprintf(phpThrow, token)}, true
	case function.Tree().Lang == code.Ruby:
		if body.Kind() != "body_statement" { // def f = value
			return change{body.Start(), body.End(), fmt.Sprintf("("+rubyRaise+"; %s)", token, body.Text())}, true
		}
		return change{body.Start(), body.Start(), fmt.Sprintf(rubyRaise+"; ", token)}, true
	case function.Tree().Lang == code.Java && (body.Kind() == "block" || body.Kind() == "constructor_body"):
		begin := body.Start() + 1
		for _, s := range body.NamedChildren() {
			if s.Kind() == "explicit_constructor_invocation" {
				begin = s.End()
			}
		}
		return change{begin, begin, " " + javaFails(token)}, true
	case body.Kind() == "statement_block":
		return change{body.Start() + 1, body.Start() + 1, fmt.Sprintf(" throw new Error(%q);", token)}, true
	}
	return change{body.Start(), body.End(), fmt.Sprintf("{ throw new Error(%q); }", token)}, true
}

// blocks are the nodes whose children are statements.
var blocks = map[code.Language][]string{code.Python: {"block"}, code.JavaScript: {"statement_block"}, code.TypeScript: {"statement_block"}, code.TSX: {"statement_block"}, code.Go: {"statement_list"},
	code.C: {"compound_statement", "case_statement"}, code.CPP: {"compound_statement", "case_statement"},
	code.Rust: {"block"}, code.PHP: {"compound_statement"},
	code.Ruby: {"body_statement", "block_body", "then", "else", "do", "ensure"},
	code.Java: {"block", "constructor_body", "switch_block_statement_group"}}

// failLines makes the changed statements of a body fail with token: of nested ones
// the innermost that a changed line belongs to.
func failLines(body code.Node, lines map[int]bool, token string) (out []change) {
	for _, block := range outermost(body) {
		for _, s := range block.NamedChildren() {
			if strings.HasSuffix(s.Kind(), "comment") || s.Kind() == "switch_label" || s.Field() == "value" && block.Kind() == "case_statement" {
				continue
			}
			if s.Kind() == "case_statement" { // before its label nothing is reached
				out = append(out, failLines(s, lines, token)...)
				continue
			}
			var inner []code.Node
			for _, c := range s.NamedChildren() {
				inner = append(inner, outermost(c)...)
			}
			if changedItself(s, inner, lines) {
				out = append(out, failBefore(s, token))
				continue
			}
			for _, b := range inner {
				out = append(out, failLines(b, lines, token)...)
			}
		}
	}
	return out
}

// outermost are the blocks in a node, or the node itself, that lie in no other.
func outermost(n code.Node) (out []code.Node) {
	n.Walk(func(c code.Node) bool {
		if slices.Contains(blocks[c.Tree().Lang], c.Kind()) {
			out = append(out, c)
			return false
		}
		return true
	})
	return out
}

// changedItself tells whether a changed line of a statement belongs to none of the
// statements in it. A line of brackets or of a comment is no code.
func changedItself(s code.Node, inner []code.Node, lines map[int]bool) bool {
	src := strings.Split(string(s.Tree().Src), "\n")
	for line := s.Line(); line <= s.EndLine(); line++ {
		text := strings.TrimSpace(src[line-1])
		if !lines[line] || strings.Trim(text, "{}()[];,") == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
			continue
		}
		if line == s.Line() || !slices.ContainsFunc(inner, func(b code.Node) bool {
			kids := b.NamedChildren()
			return len(kids) > 0 && kids[0].Line() <= line && line <= kids[len(kids)-1].EndLine()
		}) {
			return true
		}
	}
	return false
}

func failBefore(s code.Node, token string) change {
	switch lang := s.Tree().Lang; lang {
	case code.Python:
		return change{s.Start(), s.Start(), fmt.Sprintf("raise RuntimeError(%q)%s", token, lineAfter(s))}
	case code.Go:
		return change{s.Start(), s.Start(), fmt.Sprintf("panic(%q); ", token)}
	case code.Rust:
		return change{s.Start(), s.Start(), fmt.Sprintf("panic!(%q); ", token)}
	case code.PHP:
		return change{s.Start(), s.Start(), fmt.Sprintf(phpThrow+" ", token)}
	case code.Ruby:
		return change{s.Start(), s.Start(), fmt.Sprintf(rubyRaise+"; ", token)}
	case code.C, code.CPP:
		return change{s.Start(), s.Start(), compiledFails}
	case code.Java:
		if s.Kind() == "explicit_constructor_invocation" { // nothing may stand before it
			return change{s.End(), s.End(), " " + javaFails(token)}
		}
		return change{s.Start(), s.Start(), javaFails(token) + " "}
	}
	return change{s.Start(), s.Start(), fmt.Sprintf("throw new Error(%q); ", token)}
}

// javaFails: javac refuses a statement that nothing leads to. No test expects an Error.
func javaFails(token string) string { return fmt.Sprintf("if (true) throw new Error(%q);", token) }

// lineAfter ends a statement before the first one of a Python block: by a new
// line of the same indentation, or, where the block stands in the line of its
// head, by a semicolon.
func lineAfter(block code.Node) string {
	src := block.Tree().Src
	if indent, alone := code.IndentBefore(src, block.Start()); alone {
		return code.LineEnding(src) + indent
	}
	return "; "
}
