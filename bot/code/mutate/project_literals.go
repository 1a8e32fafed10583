package mutate

import (
	"regexp"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// heldAgainst is a constant that the project compares a name with.
type heldAgainst struct{ text, kind string }

const (
	maxCompared = 12 // constants of one name
	maxUnions   = 200
	maxRead     = 64 // members of the variables of one name
)

// unionOf finds the texts that a type or a comment lists: 'a' | 'b' | 'c'.
var unionOf = regexp.MustCompile(`['"][\w-]+['"](?:\s*\|\s*['"][\w-]+['"])+|Literal\[\s*['"][\w-]+['"](?:\s*,\s*['"][\w-]+['"])+`)

var quotedWord = regexp.MustCompile(`['"]([\w-]+)['"]`)

// gatherUnions notes the lists of texts of a file.
func (p *Project) gatherUnions(src []byte) {
	for _, m := range unionOf.FindAll(src, 40) {
		var group []string
		for _, q := range quotedWord.FindAllSubmatch(m, 12) {
			group = addOnce(group, string(q[1]))
		}
		if len(p.unions) < maxUnions && len(group) > 1 && !slices.ContainsFunc(p.unions, func(g []string) bool { return slices.Equal(g, group) }) {
			p.unions = append(p.unions, group)
		}
	}
}

// held notes the constants that names are compared with, and what is read of
// variables by their name.
func (p *Project) held(n code.Node) {
	if o, m, ok := member(n); ok {
		if o.Kind() == "identifier" && !isCallee(n, parentOf(n)) && len(p.read[o.Text()]) < maxRead {
			p.read[o.Text()] = addOnce(p.read[o.Text()], m.Text())
		}
		return
	}
	left, op, right, ok := binary(n)
	if ok && isComparison(op.Text()) && isConstant(right) {
		p.holds(lastName(calleeOf(left)), right)
	}
	if n.Kind() != "switch_statement" && n.Kind() != "expression_switch_statement" {
		return
	}
	tag, ok := n.ChildByField("value")
	if !ok {
		return
	}
	tag = inner(tag)
	n.Walk(func(c code.Node) bool {
		if up := c.Up(); isConstant(c) && (up == "switch_case" && c.Field() == "value" || up == "expression_list" && parentOf(c).Up() == "expression_case") {
			p.holds(lastName(calleeOf(tag)), c)
		}
		return true
	})
}

func (p *Project) holds(name string, c code.Node) {
	h := heldAgainst{c.Text(), c.Kind()}
	if name != "" && len(h.text) < 30 && len(p.compared[name]) < maxCompared && !slices.Contains(p.compared[name], h) {
		p.compared[name] = append(p.compared[name], h)
	}
}

// entriesOf lists the entries of a literal with keys: key and value.
func entriesOf(n code.Node) []entry {
	var out []entry
	switch n.Kind() {
	case "object", "dictionary", "literal_value":
	default:
		return nil
	}
	for _, c := range n.NamedChildren() {
		k, ok1 := c.ChildByField("key")
		v, ok2 := c.ChildByField("value")
		kids := c.NamedChildren()
		switch {
		case ok1 && ok2:
			out = append(out, entry{k.Text(), c, v})
		case c.Kind() == "keyed_element" && len(kids) == 2:
			out = append(out, entry{kids[0].Text(), c, kids[1]})
		case c.Kind() == "shorthand_property_identifier":
			out = append(out, entry{c.Text(), c, c})
		}
	}
	return out
}

type entry struct {
	key         string
	node, value code.Node
}

// literals notes the literals with keys of the project by each of their keys.
func (p *Project) literals(n code.Node) {
	list := entriesOf(n)
	if len(list) < 2 || len(list) > 16 {
		return
	}
	for _, e := range list {
		if len(p.keyed[e.key]) < 12 {
			p.keyed[e.key] = append(p.keyed[e.key], n)
		}
	}
}
