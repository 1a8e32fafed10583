package code

import (
	"context"
	"path"
	"slices"
	"strings"
)

// scriptImport is an import or require of JavaScript or TypeScript.
type scriptImport struct {
	require   bool
	types     bool // import type …
	module    string
	standard  string   // the default's local name; of a require, the whole module's
	namespace string   // import * as namespace
	names     []string // "a", "a as b", "type T"
	attrs     string   // with { type: "json" }
}

// scriptStatement reads an import statement or a declaration that is one
// require.
func scriptStatement(n Node) (scriptImport, bool) {
	switch n.Kind() {
	case "import_statement":
		return esImport(n)
	case "lexical_declaration", "variable_declaration":
		return requireOf(n)
	case "expression_statement":
		if held := n.NamedChildren(); len(held) == 1 {
			return required(held[0])
		}
	}
	return scriptImport{}, false
}

// required reads require('m').
func required(n Node) (scriptImport, bool) {
	f, args, ok := n.Both("function", "arguments")
	if n.Kind() != "call_expression" || !ok || f.Text() != "require" {
		return scriptImport{}, false
	}
	held := args.NamedChildren()
	if len(held) != 1 || held[0].Kind() != "string" {
		return scriptImport{}, false
	}
	return scriptImport{require: true, module: unquote(held[0].Text())}, true
}

func esImport(n Node) (scriptImport, bool) {
	var s scriptImport
	source, ok := n.ChildByField("source")
	if !ok {
		return s, false
	}
	s.module = unquote(source.Text())
	for _, c := range n.Children() {
		switch c.Kind() {
		case "type", "typeof":
			s.types = true
		case "import_attribute":
			s.attrs = c.Text()
		case "import_clause":
			for _, part := range c.NamedChildren() {
				switch part.Kind() {
				case "identifier":
					s.standard = part.Text()
				case "namespace_import":
					for _, id := range part.NamedChildren() {
						s.namespace = id.Text()
					}
				case "named_imports":
					for _, name := range part.NamedChildren() {
						s.names = append(s.names, strings.Join(strings.Fields(name.Text()), " "))
					}
				}
			}
		}
	}
	return s, true
}

// requireOf reads const x = require('m') and const { a, b: c } = require('m').
func requireOf(n Node) (scriptImport, bool) {
	parts := n.NamedChildren()
	if len(parts) != 1 {
		return scriptImport{}, false
	}
	name, value, ok := parts[0].Both("name", "value")
	if !ok {
		return scriptImport{}, false
	}
	s, ok := required(value)
	if !ok {
		return s, false
	}
	switch name.Kind() {
	case "identifier":
		s.standard = name.Text()
	case "object_pattern":
		for _, c := range name.NamedChildren() {
			switch c.Kind() {
			case "shorthand_property_identifier_pattern":
				s.names = append(s.names, c.Text())
			case "pair_pattern":
				key, _ := c.ChildByField("key")
				local, _ := c.ChildByField("value")
				if key.t == nil || local.t == nil || local.Kind() != "identifier" {
					return s, false
				}
				s.names = append(s.names, key.Text()+" as "+local.Text())
			default:
				return s, false
			}
		}
	default:
		return s, false
	}
	return s, true
}

func unquote(s string) string { return strings.Trim(s, "'\"`") }

func wantedScript(ctx context.Context, lang Language, text string) ([]wantedImport, error) {
	return wantedStatements(ctx, lang, text, func(n Node) []wantedImport {
		if s, ok := scriptStatement(n); ok {
			return splitScript(s)
		}
		return nil
	})
}

// splitScript takes a default and a namespace apart, which are merged apart.
func splitScript(s scriptImport) []wantedImport {
	if s.namespace == "" || s.standard == "" {
		return []wantedImport{s}
	}
	only := s
	only.standard, s.namespace = "", ""
	return []wantedImport{s, only}
}

// scriptStyle is how a file writes its imports.
type scriptStyle struct {
	quote   string
	end     string // ";" or ""
	space   string // inside braces
	require bool
	word    string // const, var or let, before a require
}

func styleOf(t *Tree, all []Node) scriptStyle {
	st := scriptStyle{quote: "'", end: ";", space: " ", word: "const"}
	var double, bare, tight, requires, es int
	sample := all
	if len(all) == 0 {
		for c, ok := t.Root().First(); ok; c, ok = c.Next() {
			if k := c.Kind(); strings.HasSuffix(k, "_declaration") && !strings.HasPrefix(k, "function") && !strings.HasPrefix(k, "class") || k == "expression_statement" {
				sample = append(sample, c)
			}
			if k := c.Kind(); k == "export_statement" {
				es++
			}
		}
		if strings.Count(string(t.Src), "\"") > strings.Count(string(t.Src), "'") {
			double++
		} else {
			double--
		}
	}
	for _, n := range sample {
		text := strings.TrimSpace(n.Text())
		if s, ok := scriptStatement(n); ok {
			if s.require {
				requires++
				st.word, _, _ = strings.Cut(text, " ")
			} else {
				es++
			}
			if strings.Contains(text, `"`) {
				double++
			} else {
				double--
			}
			if i := strings.IndexByte(text, '{'); i >= 0 && i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '\n' && text[i+1] != '\r' {
				tight++
			} else if i >= 0 {
				tight--
			}
		}
		if strings.HasSuffix(text, ";") {
			bare--
		} else {
			bare++
		}
	}
	if double > 0 {
		st.quote = `"`
	}
	if bare > 0 {
		st.end = ""
	}
	if tight > 0 {
		st.space = ""
	}
	if len(all) == 0 && es == 0 && t.Lang == JavaScript {
		src := string(t.Src)
		st.require = strings.Contains(src, "module.exports") || strings.Contains(src, "require(") || strings.Contains(src, "exports.")
	} else {
		st.require = requires > 0 && es == 0
	}
	return st
}

// text writes the import in a style.
func (s scriptImport) text(st scriptStyle) string {
	module := st.quote + s.module + st.quote
	braces := func(names []string) string {
		return "{" + st.space + strings.Join(names, ", ") + st.space + "}"
	}
	if s.require {
		local := s.standard
		if len(s.names) > 0 {
			local = braces(patternNames(s.names))
		}
		if local == "" {
			return "require(" + module + ")" + st.end
		}
		return st.word + " " + local + " = require(" + module + ")" + st.end
	}
	var parts []string
	if s.standard != "" {
		parts = append(parts, s.standard)
	}
	if s.namespace != "" {
		parts = append(parts, "* as "+s.namespace)
	}
	if len(s.names) > 0 {
		parts = append(parts, braces(s.names))
	}
	word := "import "
	if s.types {
		word += "type "
	}
	if len(parts) > 0 {
		module = strings.Join(parts, ", ") + " from " + module
	}
	if s.attrs != "" {
		module += " " + s.attrs
	}
	return word + module + st.end
}

// patternNames writes names as an object pattern does: "a as b" is "a: b".
func patternNames(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, strings.Replace(strings.TrimPrefix(n, "type "), " as ", ": ", 1))
	}
	return out
}

// merge implements wantedImport.
func (s scriptImport) merge(t *Tree) ([]change, bool) {
	var nodes []Node
	var have []scriptImport
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		if h, ok := scriptStatement(c); ok {
			nodes, have = append(nodes, c), append(have, h)
		}
	}
	st := styleOf(t, nodes)
	s = s.as(st.require)
	if s = s.without(have); s.empty() {
		return nil, true
	}
	for i, h := range have {
		if changes := s.join(t, nodes[i], h); changes != nil {
			return changes, true
		}
	}
	var all []statement
	for i, h := range have {
		all = append(all, scriptEntry(nodes[i], h))
	}
	if s.require && s.standard != "" && len(s.names) > 0 { // two statements
		first := s
		first.names = nil
		c, _ := first.merge(t)
		out := applyChanges(t.Src, slices.Clone(c))
		rest, err := Parse(context.Background(), t.Lang, out)
		if err != nil {
			return c, false
		}
		s.standard = ""
		more, _ := s.merge(rest)
		return []change{whole(t.Src, applyChanges(out, more))}, false
	}
	place := func(text string) change {
		if groups := importGroups(t, all); len(groups) > 0 && startsLine(t, groups[0][0].node) {
			return placeImport(t, groups, scriptEntry(Node{}, s), text, false)
		}
		return firstImport(t, headEnd(t, isDirective), text)
	}
	c := place(s.text(st))
	if st.end == "" && continues(t, c.end) {
		c = place(s.text(st) + ";")
	}
	return []change{c}, false
}

// continues tells whether the code behind an offset would go on with a
// statement that ends there without a semicolon.
func continues(t *Tree, offset int) bool {
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		if c.Start() >= offset && !c.IsExtra() && c.Start() < c.End() {
			return strings.IndexByte("([`+-*/%<>=,.?:&|^!", t.Src[c.Start()]) >= 0
		}
	}
	return false
}

// isDirective tells 'use strict' and the like.
func isDirective(n Node) bool {
	held := n.NamedChildren()
	return n.Kind() == "expression_statement" && len(held) == 1 && held[0].Kind() == "string"
}

// whole is the one change that makes src into out.
func whole(src, out []byte) change {
	n := min(len(src), len(out))
	prefix, suffix := 0, 0
	for prefix < n && src[prefix] == out[prefix] {
		prefix++
	}
	for suffix < n-prefix && src[len(src)-1-suffix] == out[len(out)-1-suffix] {
		suffix++
	}
	return change{prefix, len(src) - suffix, string(out[prefix : len(out)-suffix])}
}

// as turns an import into a require or the other way round.
func (s scriptImport) as(require bool) scriptImport {
	if s.require == require || s.types {
		return s
	}
	if require && s.namespace != "" {
		s.standard, s.namespace = s.namespace, ""
	}
	s.require = require
	return s
}

// without takes out what the file has.
func (s scriptImport) without(have []scriptImport) scriptImport {
	side := s.standard == "" && s.namespace == "" && len(s.names) == 0
	for _, h := range have {
		if h.module != s.module || h.types && !s.types {
			continue
		}
		if side {
			s.module = ""
		}
		if s.standard == h.standard {
			s.standard = ""
		}
		if s.namespace == h.namespace {
			s.namespace = ""
		}
		s.names = slices.DeleteFunc(slices.Clone(s.names), func(n string) bool {
			return slices.Contains(h.names, n) || slices.Contains(h.names, strings.TrimPrefix(n, "type "))
		})
	}
	if !side && s.standard == "" && s.namespace == "" && len(s.names) == 0 {
		s.module = ""
	}
	return s
}

func (s scriptImport) empty() bool { return s.module == "" }

// join extends a statement that imports from the same module; nil where the
// two do not go together.
func (s scriptImport) join(t *Tree, n Node, h scriptImport) []change {
	if h.module != s.module || h.types != s.types || h.require != s.require || h.attrs != s.attrs || n.HasError() ||
		s.namespace != "" || h.namespace != "" {
		return nil
	}
	var list, clause Node
	n.Walk(func(c Node) bool {
		switch c.Kind() {
		case "named_imports", "object_pattern":
			list = c
		case "import_clause":
			clause = c
		}
		return list.t == nil
	})
	names := s.names
	if s.require {
		if s.standard != "" || h.standard != "" || list.t == nil || len(list.NamedChildren()) == 0 {
			return nil
		}
		return addNames(t, list.NamedChildren(), patternNames(names))
	}
	if clause.t == nil || s.standard != "" && h.standard != "" || s.types && (s.standard != "" || h.standard != "") {
		return nil
	}
	var out []change
	if s.standard != "" {
		out = append(out, change{clause.Start(), clause.Start(), s.standard + ", "})
	}
	switch {
	case len(names) == 0:
	case list.t != nil && len(list.NamedChildren()) > 0:
		out = append(out, addNames(t, list.NamedChildren(), names)...)
	case list.t != nil: // import {} from
		at := list.Start() + 1
		out = append(out, change{at, at, " " + strings.Join(names, ", ") + " "})
	default:
		st := styleOf(t, []Node{n})
		out = append(out, change{clause.End(), clause.End(), ", {" + st.space + strings.Join(names, ", ") + st.space + "}"})
	}
	return out
}

func scriptEntry(n Node, s scriptImport) statement {
	return statement{node: n, module: s.module, rank: scriptRank(s.module)}
}

// scriptRank is the category of a module: Node's own, packages, aliases of
// the project's folders, folders above, this folder.
func scriptRank(module string) int {
	first, _, _ := strings.Cut(module, "/")
	switch {
	case strings.HasPrefix(module, "node:") || nodeStandard[first]:
		return 0
	case strings.HasPrefix(module, ".."):
		return 3
	case strings.HasPrefix(module, "."):
		return 4
	case first == "@" || first == "~" || first == "#" || path.IsAbs(module):
		return 2
	}
	return 1
}

var nodeStandard = wordSet(`assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns
domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream
string_decoder timers tls trace_events tty url util v8 vm wasi worker_threads zlib`)

// binds implements wantedImport.
func (s scriptImport) binds() []string {
	out := localNames(s.names)
	for _, n := range []string{s.standard, s.namespace} {
		if n != "" {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return []string{"*"} // imported for its effect
	}
	return out
}
