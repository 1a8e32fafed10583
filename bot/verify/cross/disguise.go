package cross

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Disguise gives a changed file that does what it did, in other words: what stands on
// changed lines gets parentheses that change nothing, and each of these lines a comment
// where one can stand. nil where nothing can be put in. A test that fails then has read
// the source instead of running it.
func Disguise(ctx context.Context, path string, before, after []byte, token string) ([]byte, error) {
	lang := code.LanguageOf(path)
	d, ok := disguises[lang]
	if after == nil || !ok {
		return nil, nil
	}
	tree, err := code.Parse(ctx, lang, after)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	lines := code.ChangedLines(before, after)
	var all []change
	put := map[int]bool{}
	tree.Walk(func(n code.Node) bool {
		if n.IsError() {
			return false
		}
		if lines[n.Line()] && n.Line() == n.EndLine() && d.wraps(n) {
			for _, at := range []struct {
				where int
				text  string
			}{{n.Start(), "("}, {n.End(), ")"}} {
				all = append(all, change{at.where, at.where, at.text})
			}
			put[n.Line()] = true
		}
		return true
	})
	text := after
	if len(all) > 0 {
		// Of what begins or ends at one place the order does not matter: all are the same.
		slices.SortStableFunc(all, func(a, b change) int { return a.start - b.start })
		if made := apply(after, all); parses(ctx, path, made) {
			text = made
		}
	}
	rows := strings.SplitAfter(string(text), "\n")
	for i := range rows {
		if !lines[i+1] || strings.TrimSpace(rows[i]) == "" {
			continue
		}
		body := strings.TrimRight(rows[i], "\r\n")
		end := rows[i][len(body):]
		was := rows[i]
		rows[i] = body + " " + d.comment + " " + token + end
		if !code.SameCode(ctx, path, text, []byte(strings.Join(rows, ""))) {
			rows[i] = was // inside of a text, or where a line goes on
		}
	}
	if out := []byte(strings.Join(rows, "")); string(out) != string(after) {
		return out, nil
	}
	return nil, nil
}

func parses(ctx context.Context, path string, src []byte) bool {
	errs, err := code.Check(ctx, path, src)
	return err == nil && len(errs) == 0
}

// disguise says where parentheses change nothing, by the kinds of nodes.
type disguise struct {
	comment string
	around  map[string][]string // kind of the parent → fields, "" for each named child
	never   []string            // kinds that take none
}

func (d disguise) wraps(n code.Node) bool {
	p, ok := n.Parent()
	if !ok || !n.Named() || n.IsExtra() || slices.Contains(d.never, n.Kind()) || strings.HasSuffix(n.Kind(), "_type") {
		return false
	}
	if p.Kind() == "expression_list" && p.Field() == "left" {
		return false // names that are declared take none
	}
	fields, ok := d.around[p.Kind()]
	return ok && (slices.Contains(fields, "") || slices.Contains(fields, n.Field()))
}

var (
	binary  = []string{"left", "right"}
	scripts = disguise{"//", map[string][]string{
		"binary_expression": binary, "return_statement": {""}, "arguments": {""}, "assignment_expression": {"right"}, "augmented_assignment_expression": {"right"},
		"variable_declarator": {"value"},
	}, []string{"spread_element", "private_property_identifier", "arrow_function", "function_expression", "function", "generator_function", "class", "comment"}}
	disguises = map[code.Language]disguise{
		code.Python: {"#", map[string][]string{
			"binary_operator": binary, "boolean_operator": binary, "comparison_operator": {""}, "return_statement": {""}, "argument_list": {""},
			"assignment": {"right"}, "augmented_assignment": {"right"}, "not_operator": {"argument"},
		}, []string{"keyword_argument", "list_splat", "dictionary_splat", "expression_list", "yield", "assignment", "augmented_assignment", "type", "comment"}},
		code.JavaScript: scripts, code.TypeScript: scripts, code.TSX: scripts,
		code.Go: {"//", map[string][]string{"binary_expression": binary, "expression_list": {""}, "argument_list": {""}},
			[]string{"variadic_argument", "comment"}},
		code.Java: {"//", map[string][]string{"binary_expression": binary, "return_statement": {""}}, []string{"comment"}},
		code.C:    {"//", map[string][]string{"binary_expression": binary, "return_statement": {""}}, []string{"comment", "initializer_list"}},
		code.CPP:  {"//", map[string][]string{"binary_expression": binary}, []string{"comment"}},
		code.PHP:  {"//", map[string][]string{"binary_expression": binary}, []string{"comment"}},
		code.Ruby: {"#", map[string][]string{"binary": binary}, []string{"comment"}},
		code.Rust: {"//", nil, nil}, // redundant parentheses are a warning that some treat as an error
	}
)
