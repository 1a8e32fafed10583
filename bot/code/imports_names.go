package code

import (
	"bytes"
	"strings"
	"unicode"
)

// addNames gives the changes that put names into the list of an import
// statement, at the place that its order gives, in its layout: one name a
// line or all on a line. names are the list's nodes, at least one; end is
// where the statement or its bracket ends.
func addNames(t *Tree, names []Node, add []string) []change {
	var out []change
	less := nameOrder(names)
	lined := bracketed(names[0]) // else a line's end would end the statement
	for _, n := range names {
		lined = lined && startsLine(t, n)
	}
	eol := lineEnding(t.Src)
	var last []string
	for _, name := range add {
		at := len(names)
		if less != nil {
			for i, n := range names {
				if less(name, n.Text()) {
					at = i
					break
				}
			}
		}
		if at == len(names) {
			last = append(last, name)
			continue
		}
		n := names[at]
		text := name + ", "
		if lined {
			text = name + "," + eol + indentBefore(t.Src, n.Start())
		}
		out = append(out, change{n.Start(), n.Start(), text})
	}
	return append(out, appendNames(t, names[len(names)-1], last, lined)...)
}

// appendNames puts names behind the last one of a list.
func appendNames(t *Tree, last Node, add []string, lined bool) []change {
	if len(add) == 0 {
		return nil
	}
	_, end := t.trim(last)
	comma := commaAfter(t, last)
	if !lined {
		text := ", " + strings.Join(add, ", ")
		if comma > 0 { // a list on one line that ends with a comma
			return []change{{comma, comma, text[1:] + ","}}
		}
		return []change{{end, end, text}}
	}
	eol, indent := lineEnding(t.Src), indentBefore(t.Src, last.Start())
	var out []change
	text := ""
	for i, name := range add {
		text += eol + indent + name
		if comma > 0 || i < len(add)-1 {
			text += ","
		}
	}
	at := end
	if comma > 0 {
		at = comma
	} else {
		out = append(out, change{end, end, ","})
	}
	// A comment may follow on the same line; a bracket may, too.
	rest := t.Src[at:lineEndAt(t.Src, at)]
	if trimmed := bytes.TrimSpace(rest); len(trimmed) > 0 && (trimmed[0] == '#' || bytes.HasPrefix(trimmed, []byte("//"))) {
		at += len(rest)
	}
	if len(out) > 0 && at == end {
		return []change{{end, end, "," + text}}
	}
	return append(out, change{at, at, text})
}

// bracketed tells whether a list stands in brackets.
func bracketed(name Node) bool {
	list, ok := name.Parent()
	if !ok {
		return false
	}
	for _, c := range list.Children() {
		if k := c.Kind(); k == "(" || k == "{" {
			return true
		}
	}
	return false
}

// commaAfter is the offset behind the comma that follows a node, or 0.
func commaAfter(t *Tree, n Node) int {
	if c, ok := n.Next(); ok && c.Kind() == "," {
		return c.End()
	}
	return 0
}

// startsLine tells whether only white space stands before a node on its line.
func startsLine(t *Tree, n Node) bool {
	_, alone := IndentBefore(t.Src, n.Start())
	return alone
}

// nameOrder finds how a list of names is sorted: constants, classes, others
// (as isort does), by bytes, or without regard to case; nil when it is not.
func nameOrder(names []Node) func(a, b string) bool {
	bare := func(s string) string { return strings.TrimPrefix(s, "type ") }
	for _, key := range []func(string) string{
		func(s string) string { return nameClass(bare(s)) + strings.ToLower(bare(s)) },
		bare,
		func(s string) string { return strings.ToLower(bare(s)) },
	} {
		ok := true
		for i := 1; i < len(names); i++ {
			ok = ok && key(names[i-1].Text()) <= key(names[i].Text())
		}
		if ok {
			return func(a, b string) bool { return key(a) < key(b) }
		}
	}
	return nil
}

func nameClass(s string) string {
	name, _, _ := strings.Cut(s, " ")
	switch first := []rune(name + " ")[0]; {
	case len(name) > 1 && strings.ToUpper(name) == name && unicode.IsUpper(first):
		return "0"
	case unicode.IsUpper(first):
		return "1"
	}
	return "2"
}
