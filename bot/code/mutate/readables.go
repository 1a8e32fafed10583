package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// readable is a value that can be read at a place.
type readable struct {
	text   string
	name   string // the last name, which says what it is
	typ    string // Go: its type; else a rough one
	rough  string // number, text, bool, list, dict, pointer, time; "" when not known
	weight float64
}

// roughly is the kind of a type of any of the languages.
func roughly(typ string) string {
	typ = strings.TrimSpace(strings.TrimPrefix(typ, ":"))
	switch {
	case typ == "":
		return ""
	case strings.HasPrefix(typ, "*") || typ == "error" || typ == "any":
		return "pointer"
	case strings.HasPrefix(typ, "[]") || strings.HasPrefix(strings.ToLower(typ), "list") || strings.HasSuffix(typ, "[]") || strings.HasPrefix(strings.ToLower(typ), "tuple"):
		return "list"
	case strings.HasPrefix(typ, "map") || strings.HasPrefix(strings.ToLower(typ), "dict") || strings.HasPrefix(strings.ToLower(typ), "set"):
		return "dict"
	}
	switch strings.TrimSuffix(typ, " | None") {
	case "number", "int", "float", "Decimal", "int64", "float64", "int32", "uint", "uint64", "byte", "rune", "time.Duration", "time.Month", "timedelta":
		return "number"
	case "text", "string", "str":
		return "text"
	case "bool", "boolean":
		return "bool"
	case "time.Time", "date", "datetime":
		return "time"
	}
	return ""
}

// readables lists what a condition at a place can speak of, the likeliest
// first: variables, and chains that the function reads anywhere.
func (s *scene) readables(at, stop int, fn code.Node) []readable {
	var out []readable
	seen := map[string]bool{}
	add := func(r readable) {
		if !seen[r.text] && len(r.text) < 40 {
			seen[r.text] = true
			if s.said[bare(r.name)] {
				r.weight *= 2
			}
			out = append(out, r)
		}
	}
	close := string(s.src[at:stop]) // what the condition decides on
	for _, v := range s.facts.visible(at) {
		if v.kind == "module" && (s.d.lang == golang || v.uses < 2) {
			continue
		}
		w := 1.0
		switch {
		case v.kind == "module":
			w = 0.3
		case v.uses <= 1:
			w = 2.5
		case wordCount(close, v.name) > 0:
			w = 1.5
		}
		add(readable{v.name, v.name, v.typ, roughly(v.typ), w})
	}
	fn.Walk(func(n code.Node) bool {
		if isFunction(n) && n != fn && (at < n.Start() || at >= n.End()) {
			return false
		}
		_, m, ok := member(n)
		if !ok || isCallee(n, parentOf(n)) || !plainChain(n.Text()) || s.facts.imports[rootName(n)] || !s.rootHere(n, at) {
			return true
		}
		w := 0.7
		if strings.Contains(close, n.Text()) {
			w = 1.2
		}
		typ := s.facts.fieldType[m.Text()]
		add(readable{n.Text(), m.Text(), typ, roughly(typ), w})
		return true
	})
	s.otherFields(at, fn, add)
	slices.SortStableFunc(out, func(a, b readable) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return out[:min(len(out), maxReadable)]
}

func plainChain(text string) bool {
	return !strings.ContainsAny(text, "([{ \n?") && strings.Count(text, ".") <= 2
}

// rootHere tells whether the variable that a chain begins with is known.
func (s *scene) rootHere(n code.Node, at int) bool {
	root, _, _ := strings.Cut(n.Text(), ".")
	if root == "self" || root == "this" {
		return true
	}
	_, ok := s.facts.lookup(root, at)
	return ok
}

// otherFields adds the fields that stand beside those read of a variable.
func (s *scene) otherFields(at int, fn code.Node, add func(readable)) {
	done := map[string]bool{}
	fn.Walk(func(n code.Node) bool {
		o, m, ok := member(n)
		if !ok || o.Kind() != "identifier" && o.Kind() != "this" || !s.rootHere(n, at) || done[o.Text()+m.Text()] {
			return true
		}
		done[o.Text()+m.Text()] = true
		keys := s.project.owners[m.Text()]
		if len(keys) > 2 {
			return true // the name says little
		}
		for _, key := range keys {
			c := s.project.classes[key]
			for _, f := range c.fields {
				add(readable{o.Text() + "." + f, f, c.fieldTypes[f], roughly(c.fieldTypes[f]), 0.4})
			}
		}
		return true
	})
}
