// Package cross makes the questions of a cross-examination (SPEC C9, TRUST
// principle 10). What a test process says of its tests is a claim: the code
// under test runs in the same process and could have made it. Two questions
// have an answer that only the asker knows:
//
//   - the changed functions are sabotaged: does the test that is said to be
//     mended fail then?
//   - the test is falsified: its expectation is made wrong under the same name.
//     Does it fail then?
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

// Sabotage gives a changed file in which every function that the change
// touched fails with token as soon as it is called; nil where there is none.
// before is nil for a new file.
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
	for _, r := range touched {
		found := false
		tree.At(r.StartByte, r.EndByte).Walk(func(n code.Node) bool {
			if found || n.Start() < r.StartByte || n.End() > r.EndByte || !slices.Contains(bodies[lang], n.Kind()) {
				return !found
			}
			if c, ok := fail(n, token); ok {
				all, found = append(all, c), true
			}
			return !found
		})
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
	code.Go: {"function_declaration", "method_declaration", "func_literal"},
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
	case function.Tree().Lang == code.Go:
		return change{body.Start() + 1, body.Start() + 1, fmt.Sprintf(" panic(%q);", token)}, true
	case body.Kind() == "statement_block":
		return change{body.Start() + 1, body.Start() + 1, fmt.Sprintf(" throw new Error(%q);", token)}, true
	}
	return change{body.Start(), body.End(), fmt.Sprintf("{ throw new Error(%q); }", token)}, true
}

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
