package code

import (
	"bytes"
	"strings"
)

// span makes a region of outer, which holds the definition n.
func span(kind, name string, outer, n Node) draft {
	d := draft{Region: Region{Kind: kind, Name: name, StartByte: outer.Start(), EndByte: outer.End()}}
	_, d.EndByte = outer.t.trim(outer)
	d.head = d.EndByte
	if b, ok := n.ChildByField("body"); ok {
		d.head = b.Start()
	} else if all := n.Children(); len(all) > 0 && all[len(all)-1].Kind() == "end" {
		d.head = all[len(all)-1].Start() // an empty body of Ruby is no node
	}
	if _, alone := IndentBefore(outer.t.Src[max(0, outer.Start()-400):], min(400, outer.Start())); alone {
		d.Doc = commentAbove(outer)
	}
	return d
}

func nameOf(n Node) (string, bool) {
	c, ok := n.ChildByField("name")
	if !ok {
		return "", false
	}
	return c.Text(), true
}

func pythonRegion(n Node) (draft, bool) {
	var kind string
	switch n.Kind() {
	case "function_definition":
		kind = KindFunction
	case "class_definition":
		kind = KindClass
	default:
		return draft{}, false
	}
	name, ok := nameOf(n)
	if !ok {
		return draft{}, false
	}
	outer := n
	if p, ok := n.Parent(); ok && p.Kind() == "decorated_definition" {
		outer = p
	}
	d := span(kind, name, outer, n)
	if doc := docstring(n); doc != "" {
		d.Doc = doc
	}
	return d, true
}

// docstring is the text of a Python definition's first statement, when that
// is a string.
func docstring(n Node) string {
	body, ok := n.ChildByField("body")
	if !ok {
		return ""
	}
	s, ok := body.FirstNamed()
	if !ok || s.Kind() != "expression_statement" {
		return ""
	}
	if c, ok := s.FirstNamed(); ok && c.Kind() == "string" {
		return dedentDoc(strings.Trim(strings.TrimLeft(clip(c.Text(), maxDoc), "rRuUbBfF"), "\"'"))
	}
	return ""
}

// maxDoc is how much of a comment or docstring is kept, in bytes.
const maxDoc = 4000

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

func dedentDoc(s string) string {
	lines := strings.Split(strings.ToValidUTF8(s, "\uFFFD"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// commentAbove is the text of the comment lines directly above n, at most 100.
func commentAbove(n Node) string {
	first := n.Line() - 1 // index of the line of n, counted from 0
	i := first
	size := 0
	for i > 0 && first-i < 100 {
		line := lineBytes(n.t.Src, n.t.lines, i-1)
		if size += len(line); size > maxDoc || !isComment(n.t.Lang, bytes.TrimSpace(line)) {
			break
		}
		i--
	}
	var out []string
	for ; i < first; i++ {
		line := strings.TrimSpace(string(lineBytes(n.t.Src, n.t.lines, i)))
		line = strings.TrimSuffix(strings.TrimPrefix(line, "/**"), "*/")
		out = append(out, strings.TrimSpace(strings.TrimLeft(line, "/#*")))
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.Join(out, "\n"), "\uFFFD"))
}

// isComment tells whether a trimmed line looks like (a part of) a comment. What
// begins with "#" is an order to the preprocessor in C and C++.
func isComment(lang Language, line []byte) bool {
	for _, mark := range []string{"//", "#", "/*", "* ", "*/"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			if mark == "#" && family(lang) == C {
				return false
			}
			return !bytes.HasPrefix(line, []byte("#!")) && !bytes.HasPrefix(line, []byte("#["))
		}
	}
	return string(line) == "*"
}
