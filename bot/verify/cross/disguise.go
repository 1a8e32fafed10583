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
	if out := remarked(ctx, path, text, lines, d.comment+" "+token); string(out) != string(after) {
		return out, nil
	}
	return nil, nil
}

// Bounds of what telling where comments can stand may cost: the file is read anew each time.
const (
	mostReadings  = 200
	leastReadings = 16
	mostRead      = 64 << 20 // bytes in all
)

// remarked puts a comment behind each of some lines where one can stand: all at once, and
// where that is other code, in halves. What is not tried within the bounds gets none.
func remarked(ctx context.Context, path string, text []byte, lines map[int]bool, comment string) []byte {
	rows := strings.SplitAfter(string(text), "\n")
	var at []int
	for i, row := range rows {
		if lines[i+1] && strings.TrimSpace(row) != "" {
			at = append(at, i)
		}
	}
	left := min(max(mostRead/max(len(text), 1), leastReadings), mostReadings)
	var try func(at []int)
	try = func(at []int) {
		if len(at) == 0 || left == 0 {
			return
		}
		left--
		was := make([]string, len(at))
		for n, i := range at {
			was[n] = rows[i]
			body := strings.TrimRight(rows[i], "\r\n")
			rows[i] = body + " " + comment + rows[i][len(body):]
		}
		if code.SameCode(ctx, path, text, []byte(strings.Join(rows, ""))) {
			return
		}
		for n, i := range at {
			rows[i] = was[n]
		}
		if len(at) > 1 { // one alone stands inside of a text, or where a line goes on
			try(at[:len(at)/2])
			try(at[len(at)/2:])
		}
	}
	try(at)
	return []byte(strings.Join(rows, ""))
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
