package cross

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// OneSided tells whether all that a test asks is that something is among what comes out:
// who gives everything passes it too. What is said of an error is never all there is, and
// is left out.
func OneSided(ctx context.Context, path string, src []byte, name string) (bool, error) {
	lang := code.LanguageOf(path)
	d, ok := dialects[lang]
	if !ok || name == "" {
		return false, nil
	}
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return false, fmt.Errorf("reading the test %s: %w", path, err)
	}
	asked, all := 0, true
	for _, f := range d.find(tree, name) {
		f.Walk(func(n code.Node) bool {
			if d.wrong(n, "x") == nil {
				return true
			}
			if n.Kind() == "if_statement" { // of Go
				n, _ = n.ChildByField("condition")
			}
			asked++
			all = all && among.MatchString(n.Text()) && !negated.MatchString(n.Text()) && !spoken.MatchString(n.Text())
			return false
		})
	}
	return asked > 0 && all, nil
}

// By the words of a test, in Python, JavaScript and Go: what asks for a member, what asks
// for more than that, and what an error or a program says. Where these are in doubt,
// nothing is said of the test.
var (
	among   = lazyregexp.New(`\s+in\s+|\bassertIn\(|\.(?:includes|has|toContain|toContainEqual|Contains|ContainsFunc)\(`)
	negated = lazyregexp.New(`\bnot\s+in\b|\.not\.|\bassertNotIn\b|[=<>]=|\bassert\.(?:strictE|e|deepE|deepStrictE)qual`)
	spoken  = lazyregexp.New(`(?i)err|exc|messag|warn|output|stdout|stderr|\bout\b|\blogs?\b|caplog|str\(|\bbody\b|html|text|\.Error\(`)
)

// Constant is what a name at the top of a file stands for.
type Constant struct {
	text  string
	plain bool // a number, a text, a span of time
	alias bool // another name
}

// Moved tells whether a constant became another one: what is made anew by a call, such as
// a pattern or an error of another text, may be what the tests are of.
func (c Constant) Moved(now Constant) bool {
	return c.text != now.text && (c.plain && now.plain || now.alias)
}

var alias = lazyregexp.New(`^[\pL_$][\pL\pN_$.]*$`)

// Constants are what a file gives a name at its top, by that name: what a test of a bound,
// for instance, holds a result against.
func Constants(ctx context.Context, path string, src []byte) (map[string]Constant, error) {
	lang := code.LanguageOf(path)
	kinds := constants[lang]
	if src == nil || len(kinds) == 0 {
		return nil, nil
	}
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	out := map[string]Constant{}
	tree.Walk(func(n code.Node) bool {
		if slices.Contains(bodies[lang], n.Kind()) {
			return false
		}
		if !slices.Contains(kinds, n.Kind()) {
			return true
		}
		name, ok := n.ChildByField("name")
		if !ok {
			name, ok = n.ChildByField("left")
		}
		value, has := n.ChildByField("value")
		if !has {
			value, has = n.ChildByField("right")
		}
		if ok && has && name.Kind() == "identifier" {
			out[name.Text()] = Constant{strings.Join(strings.Fields(value.Text()), " "), plainValue(value), alias.MatchString(value.Text())}
		}
		return false
	})
	return out, nil
}

var constants = map[code.Language][]string{
	code.Python: {"assignment"}, code.Go: {"const_spec", "var_spec"},
	code.JavaScript: {"variable_declarator"}, code.TypeScript: {"variable_declarator"}, code.TSX: {"variable_declarator"},
}

// plainValue: made of literals, names and operators alone.
func plainValue(n code.Node) bool {
	plain := true
	n.Walk(func(c code.Node) bool {
		k := c.Kind()
		plain = plain && !strings.Contains(k, "call") && !strings.Contains(k, "function") && !strings.Contains(k, "lambda") && !strings.Contains(k, "class") &&
			!slices.Contains([]string{"list", "dictionary", "set", "tuple", "object", "array", "composite_literal", "regex", "new_expression"}, k)
		return plain
	})
	return plain
}
