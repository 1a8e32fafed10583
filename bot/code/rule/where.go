package rule

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Facts is what a rule may ask about a file beyond its syntax. Package mutate
// answers; without facts such conditions do not hold and generators give nothing.
type Facts interface {
	Role(role string, n code.Node) bool                               // one of Roles
	Type(n code.Node) string                                          // rough type of a name or field, "" when it is not known
	Imports(name string) bool                                         // the file imports a module of that name
	Values(generator string, args []string, at, of code.Node) []Value // one of Generators
}

// Value is one value of a generator, with its weight against the others.
type Value struct {
	Text   string
	Weight float64
}

// Roles are what a node may be asked to be, beside kinds of nodes: roles that need
// more than its kind.
var Roles = map[string]string{
	"value":     "its value is read there; never true of a text or a number, whose kinds say it",
	"place":     "a variable, or a field of one",
	"condition": "a statement or expression branches on it",
	"returned":  "a function gives it back",
	"constant":  "a literal",
	"known":     "a name that is declared in the file and visible there",
	"parameter": "a parameter that is visible there",
	"statement": "it stands in a list of statements",
	"last":      "the last statement of its block",
	"looped":    "it stands in a loop of its function",
	"plain":     "a name or a chain of names",
	"leaving":   "it leaves: return, raise, throw, break, continue",
	"assigned":  "it is written to there",
	"callee":    "it is what is called",
	"foreign":   "a name that is no variable of the place: a module, a class, a built-in function",
	"joined":    "a side of and, or: && and ||",
	"truth":     "its value is true or false",
	"generator": "it stands in a function that yields",
	"keyed":     "it stands in a function that gives keys to compare by: its name has key in it, or is __lt__",
	"async":     "it stands in a function that is async",
}

// Generators give the values of metavariables of a rewrite.
var Generators = map[string]string{
	"variables": "names that can be read at the match; with words, only those of these types or kinds (param, local, loop, module)",
	"siblings":  "fields that are seen together with the field that a metavariable stands for",
	"integers":  "whole numbers of the file",
	"texts":     "texts of the file",
	"wrappers":  "functions that the file hands the same expression to",
	"unread":    "parameters and variables that nothing reads",
}

// kinds are words for kinds of nodes of all languages.
var kinds = map[string][]string{
	"name":      {"identifier", "property_identifier", "field_identifier"},
	"variable":  {"identifier"},
	"integer":   {"integer", "int_literal", "number"},
	"text":      {"string", "interpreted_string_literal"},
	"field":     {"attribute", "member_expression", "selector_expression"},
	"element":   {"subscript", "subscript_expression", "index_expression"},
	"call":      {"call", "call_expression"},
	"operation": {"binary_operator", "binary_expression", "boolean_operator", "comparison_operator"},
	"return":    {"return_statement"},
	"argument":  {"argument_list", "arguments"},
	"loop":      {"for_statement", "while_statement", "do_statement", "for_in_statement"},
	"function":  {"function_definition", "lambda", "function_declaration", "function_expression", "arrow_function", "method_definition", "generator_function", "generator_function_declaration", "method_declaration", "func_literal"},
	"list":      {"list", "array", "tuple"},
	"dict":      {"dictionary", "object"},
	"true":      {"true"},
	"false":     {"false"},
	"null":      {"none", "null", "nil", "undefined"},
}

// cond is one condition: SUBJECT [not] VERB WORDS.
type cond struct {
	subject string // name of a metavariable, "match", "file"
	not     bool
	kinds   []string // of "is"
	holds   func(*state, bound) bool
}

// verbs are the verbs of conditions, with what they ask.
var verbs = map[string]string{
	"is":      "kinds or roles: it is one of them",
	"in":      "kinds, or kind.field: its parent is one of them",
	"under":   "kinds, or kind.field: its parent is the first, the parent's parent the second, and so on; parentheses are passed over",
	"inside":  "kinds: it stands somewhere inside one of them",
	"type":    "types: its type is one of them; unknown where nothing tells it",
	"types":   "a beginning of types: its type begins so",
	"text":    "words: it is written as one of them",
	"matches": "a regular expression that its text matches",
	"holds":   "words: its text has one of them as a whole word; $X is what it stands for",
	"before":  "a text that stands in the file behind it; $X in it is what it stands for",
	"short":   "one line of at most 60 bytes",
	"line":    "it stands on one line",
	"same":    "a metavariable: it is the same code",
	"empty":   "a row of nothing",
	"imports": "of file: it imports one of the modules",
	"has":     "of file: a text that stands in it; $X in it is what it stands for",
}

func parseCond(text string, known map[string]bool) (cond, error) {
	var c cond
	words := strings.Fields(text)
	if len(words) < 2 {
		return c, fmt.Errorf("if: “%s” is no condition: write a metavariable, match or file, then a verb (%s)", short(text), strings.Join(sorted(verbs), ", "))
	}
	c.subject = strings.TrimLeft(words[0], "$")
	if strings.HasPrefix(words[0], "$") && !known[c.subject] {
		return c, fmt.Errorf("if: %s is not in the pattern", words[0])
	}
	if !strings.HasPrefix(words[0], "$") && c.subject != "match" && c.subject != "file" {
		return c, fmt.Errorf("if: “%s” is neither a metavariable nor match or file", words[0])
	}
	words = words[1:]
	for i := range min(2, len(words)) {
		if words[i] == "not" {
			c.not = true
			words = slices.Delete(slices.Clone(words), i, i+1)
			break
		}
	}
	if len(words) == 0 || verbs[words[0]] == "" {
		return c, fmt.Errorf("if: “%s” has no verb of %s", short(text), strings.Join(sorted(verbs), ", "))
	}
	verb, words := words[0], words[1:]
	if len(words) == 0 && verb != "short" && verb != "line" && verb != "empty" {
		return c, fmt.Errorf("if: “%s”: %s wants %s", short(text), verb, verbs[verb])
	}
	if (verb == "imports" || verb == "has") != (c.subject == "file") {
		return c, fmt.Errorf("if: “%s”: only file imports and has", short(text))
	}
	switch verb {
	case "is":
		return c.is(words)
	case "in", "inside", "under":
		c.around(verb, words)
	case "type":
		c.on(func(s *state, n code.Node) bool {
			return s.facts != nil && slices.Contains(words, cmp.Or(s.facts.Type(n), "unknown"))
		})
	case "types":
		c.on(func(s *state, n code.Node) bool {
			return s.facts != nil && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s.facts.Type(n), w) })
		})
	case "text":
		c.on(func(_ *state, n code.Node) bool { return slices.ContainsFunc(words, n.Is) })
	case "matches":
		_, expr, _ := strings.Cut(text, "matches")
		re, err := regexp.Compile(strings.TrimSpace(expr))
		if err != nil {
			return c, fmt.Errorf("if: “%s”: %w", short(text), err)
		}
		c.holds = func(_ *state, b bound) bool { return re.MatchString(b.text()) }
	case "holds":
		c.holds = func(s *state, b bound) bool {
			return slices.ContainsFunc(words, func(w string) bool { return code.HasWord(b.text(), s.fill(w)) })
		}
	case "before":
		_, want, _ := strings.Cut(text, "before ")
		c.on(func(s *state, n code.Node) bool {
			return strings.Contains(string(n.Tree().Src[n.End():]), s.fill(want))
		})
	case "short":
		c.holds = func(_ *state, b bound) bool { t := b.text(); return len(t) <= 60 && !strings.Contains(t, "\n") }
	case "line":
		c.holds = func(_ *state, b bound) bool { return !strings.Contains(b.text(), "\n") }
	case "empty":
		c.holds = func(_ *state, b bound) bool { return b.none }
	case "same":
		other := strings.TrimLeft(words[0], "$")
		if !known[other] {
			return c, fmt.Errorf("if: %s is not in the pattern", words[0])
		}
		c.holds = func(s *state, b bound) bool { o, ok := s.get(other); return ok && sameRow(b, o) }
	case "imports":
		c.holds = func(s *state, _ bound) bool { return s.facts != nil && slices.ContainsFunc(words, s.facts.Imports) }
	case "has":
		_, want, _ := strings.Cut(text, "has ")
		c.holds = func(s *state, _ bound) bool {
			return strings.Contains(string(s.root.Tree().Src), s.fill(strings.TrimSpace(want)))
		}
	}
	return c, nil
}

// on is a condition on a single node.
func (c *cond) on(f func(*state, code.Node) bool) {
	c.holds = func(s *state, b bound) bool { return !b.none && f(s, b.first) }
}

func (c cond) is(words []string) (cond, error) {
	var all, roles []string
	for _, w := range words {
		switch {
		case kinds[w] != nil:
			all = append(all, kinds[w]...)
		case Roles[w] != "":
			roles = append(roles, w)
		default:
			all = append(all, w) // a kind of the grammar
		}
	}
	if len(roles) == 0 {
		c.kinds = all
	}
	whole := slices.Contains(words, "integer")
	c.on(func(s *state, n code.Node) bool {
		if slices.Contains(all, n.Kind()) && (!whole || n.Kind() != "number" || !strings.ContainsAny(n.Text(), ".eExXnob_")) {
			return true
		}
		return s.facts != nil && slices.ContainsFunc(roles, func(r string) bool { return s.facts.Role(r, n) })
	})
	return c, nil
}

// around is a condition on what a node stands in.
func (c *cond) around(verb string, words []string) {
	fits := func(word string, n code.Node, field string) bool {
		kind, want, _ := strings.Cut(word, ".")
		list := kinds[kind]
		return (want == "" || want == field) && (n.Kind() == kind || slices.Contains(list, n.Kind()))
	}
	c.on(func(_ *state, n code.Node) bool {
		for i := 0; ; i++ {
			up, ok := n.Parent()
			for verb == "under" && ok && up.Kind() == "parenthesized_expression" && !fits(words[i], up, n.Field()) {
				n = up
				up, ok = n.Parent()
			}
			if !ok {
				return false
			}
			switch verb {
			case "under":
				if !fits(words[i], up, n.Field()) {
					return false
				}
				if i+1 == len(words) {
					return true
				}
			default:
				if slices.ContainsFunc(words, func(w string) bool { return fits(w, up, n.Field()) }) {
					return true
				}
				if verb == "in" {
					return false
				}
			}
			n = up
		}
	})
}

// test tells whether a condition holds.
func (c *cond) test(s *state) bool {
	b := bound{first: s.root, last: s.root}
	if c.subject != "match" && c.subject != "file" {
		var ok bool
		if b, ok = s.get(c.subject); !ok {
			return false
		}
	}
	return c.holds(s, b) != c.not
}

// fill puts what metavariables stand for into a text.
func (s *state) fill(text string) string {
	return hole.ReplaceAllStringFunc(strings.TrimSpace(text), func(h string) string {
		b, _ := s.get(strings.TrimLeft(h, "$"))
		return b.text()
	})
}

func sorted(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
