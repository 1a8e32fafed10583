package reproduction

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/assertion"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// keepsGiven is said of what has to come out as it was put in.
var keepsGiven = lazyregexp.New(`\b(?:stays?|kept|keeps?|preserv\w*|untouched|survives?|intact|unchanged|verbatim|forgets?|forgotten|forgot|loses?|lost|remembers?|(?:gives?|given|gets?|comes?|returns?|returned|handed) back|as (?:it was )?(?:given|passed|typed|written))\b`)

// returns tells whether an assertion holds to its one value what a member gives that the
// issue names and says to stay, and the test itself passes that value on before, as an
// argument of its own: an element of a list that is passed may be any of it.
func (c Candidate) returns(issue *belong.Issue, source string, at int, call string, values []string) bool {
	t := c.ownTree()
	if t == nil || at == 0 || len(values) != 1 || !distinctive(values[0]) || !issue.Speaks(keepsGiven) {
		return false
	}
	from := strings.Index(c.Text, source)
	if from < 0 {
		return false
	}
	first := at
	if c.goes() {
		first-- // Go compares before
	}
	given, whole, named := false, false, false
	t.Walk(func(n code.Node) bool {
		if n.End() <= from || n.Start() >= from+len(source) {
			return false
		}
		if n.Text() == values[0] {
			switch alone := argument(n); {
			case n.Line() < first && alone, n.Line() >= first && n.Line() <= at && alone && strings.Contains(call, values[0]) && !asserted(n):
				given = true
			case n.Line() >= first && n.Line() <= at:
				whole = whole || !listed(n)
			}
			return false
		}
		if k := n.Kind(); n.Line() >= first && n.Line() <= at && (n.Field() == "attribute" || n.Field() == "property" || n.Field() == "field") && (k == "identifier" || k == "property_identifier" || k == "field_identifier") {
			named = named || issue.Names(n.Text())
		}
		return true
	})
	others := slices.DeleteFunc(literals(call), func(v string) bool { return v == values[0] })
	return given && whole && named && len(others) == 0
}

func (c Candidate) ownTree() *code.Tree {
	if c.helpers == nil {
		return nil
	}
	return c.helpers.own
}

// argument tells whether a value is passed by itself.
func argument(n code.Node) bool {
	switch n.Up() {
	case "argument_list", "arguments", "keyword_argument", "keyed_element":
		return true
	}
	return false
}

// asserted tells whether a value is an argument of the assertion itself.
func asserted(n code.Node) bool {
	call, ok := n.Ancestor("call", "call_expression", "new_expression")
	if !ok {
		return false
	}
	_, is := assertion.Of(call, n.Tree().Root())
	return is
}

// listed tells whether a value is one of several that are compared together.
func listed(n code.Node) bool {
	switch n.Up() {
	case "list", "tuple", "set", "dictionary", "pair", "array", "object", "literal_value":
		return true
	}
	return false
}
