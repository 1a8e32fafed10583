package code

import (
	"cmp"
	"strings"
)

// Binding is a name that an import gives a file.
type Binding struct {
	Module string // as the import writes it, without quotes
	Name   string // what of the module; "" for all of it, ".x" for what a require is read further by
	Local  string // what it is called in the file; "" where that is the name of Go's package
	At     Node   // the statement, or the declarator of a require
}

// Bindings visits the names that the imports of a file of Python, JavaScript,
// TypeScript or Go bind, in the order of the text.
func (t *Tree) Bindings(visit func(Binding)) {
	t.Walk(func(n Node) bool {
		b := Binding{At: n}
		bind := func(name, local string) {
			b.Name, b.Local = name, local
			visit(b)
		}
		switch n.Kind() {
		case "import_from_statement":
			b.Module = n.TextOf("module_name")
			n.eachName(bind)
		case "import_statement":
			if b.Module = unquote(n.TextOf("source")); b.Module != "" {
				n.scriptNames(bind)
			} else if t.Lang == Python {
				n.eachName(func(name, local string) {
					b.Module = name
					bind("", local)
				})
			}
		case "variable_declarator":
			b.required(bind)
		case "import_spec":
			b.Module = unquote(n.TextOf("path"))
			bind("", n.TextOf("name"))
		default:
			return true
		}
		return false
	})
}

// required reads const m = require("./m"), const {a, b: c} = require("./m").
func (b *Binding) required(bind func(name, local string)) {
	value, left, ok := b.At.Both("value", "name")
	if !ok || value.head(8) != "require(" {
		return
	}
	b.Module = strings.TrimLeft(value.Text()[len("require("):], " '\"`")
	if i := strings.IndexAny(b.Module, "'\"`)"); i >= 0 {
		b.Module = b.Module[:i]
	}
	switch {
	case value.Kind() != "call_expression":
		left.scriptNames(func(_, local string) { bind(".", local) })
	case left.Kind() == "identifier":
		bind("", left.Text())
	default:
		left.scriptNames(bind)
	}
}

// eachName visits the names of an import of Python, with what they are called here.
func (n Node) eachName(visit func(name, local string)) {
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Field() == "name" {
			visit(namedAs(c))
		}
	}
}

// scriptNames visits the names that an import or a pattern of JavaScript takes out of
// a module, with what they are called here.
func (n Node) scriptNames(visit func(name, local string)) {
	n.Walk(func(c Node) bool {
		switch c.Kind() {
		case "import_specifier":
			visit(namedAs(c))
			return false
		case "namespace_import":
			if id, ok := c.FirstNamed(); ok {
				visit("", id.Text())
			}
			return false
		case "pair_pattern":
			if key, value, ok := c.Both("key", "value"); ok && value.Kind() == "identifier" {
				visit(key.Text(), value.Text())
			} else if ok {
				value.scriptNames(visit)
			}
			return false
		case "identifier":
			if c.Up() == "import_clause" {
				visit("default", c.Text())
			} else {
				visit(c.Text(), c.Text())
			}
		case "shorthand_property_identifier_pattern":
			visit(c.Text(), c.Text())
		}
		return true
	})
}

// namedAs is a name and what it is called here.
func namedAs(n Node) (name, local string) {
	name = cmp.Or(n.TextOf("name"), n.Text())
	return name, cmp.Or(n.TextOf("alias"), name)
}
