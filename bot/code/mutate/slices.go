package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// part is a slice with the text of its bounds; "" is one that is left out.
type part struct {
	object     string
	start, end string
	from, to   int // the bytes of both bounds and what stands between them
	sep        string
}

// partOf takes a[x:y] and a.slice(x, y) apart.
func partOf(n code.Node) (part, bool) {
	switch n.Kind() {
	case "slice", "slice_expression":
		return colonPart(n)
	case "call_expression":
		fn, args, list, ok := call(n)
		if !ok || len(args) > 2 {
			return part{}, false
		}
		o, m, has := member(fn)
		if !has || m.Text() != "slice" && m.Text() != "substring" {
			return part{}, false
		}
		p := part{object: o.Text(), from: list.Start() + 1, to: list.End() - 1, sep: ", "}
		if len(args) > 0 {
			p.start = args[0].Text()
		}
		if len(args) > 1 {
			p.end = args[1].Text()
		}
		return p, true
	}
	return part{}, false
}

func colonPart(n code.Node) (part, bool) {
	p := part{sep: ":"}
	colons, colon := 0, 0
	var bounds []code.Node
	for _, c := range n.Children() {
		switch {
		case c.Field() == "operand":
			p.object = c.Text()
		case c.Text() == ":":
			colons++
			colon = c.Start()
		case c.Named() && !c.IsExtra():
			bounds = append(bounds, c)
		}
	}
	if n.Kind() == "slice" {
		p.object = parentOf(n).TextOf("value")
	}
	if colons != 1 || p.object == "" {
		return p, false
	}
	p.from, p.to = colon, colon+1
	for _, b := range bounds {
		if b.End() <= colon {
			p.start, p.from = b.Text(), b.Start()
		} else {
			p.end, p.to = b.Text(), b.End()
		}
	}
	return p, true
}

// indices lists what can bound a slice, with its likelihood.
func (s *scene) indices(n code.Node, p part) []choice {
	var out []choice
	add := func(text string, w float64) {
		if tightly(text) != tightly(p.start) && tightly(text) != tightly(p.end) {
			out = append(out, choice{text, w})
		}
	}
	if s.d.lang == golang {
		add("len("+p.object+")-1", 1.5)
	} else {
		add("-1", 1.5)
	}
	add("1", 1.2)
	st, _ := statementOf(n)
	for _, v := range s.facts.visible(n.Start()) {
		w := s.indexWeight(v, n.Start())
		if w == 0 || v.name == p.object {
			continue
		}
		if st.Tree() != nil && targetOf(st) == v.name {
			w *= 0.3
		}
		add(v.name, w)
		add(v.name+"+1", 0.7*w)
		if !strings.HasPrefix(p.end, v.name) {
			add(v.name+"-1", 0.3*w)
		}
	}
	return best(out, 14)
}

// tightly is a text without its blanks.
func tightly(text string) string { return strings.ReplaceAll(text, " ", "") }

// indexNames are usual names of places in a sequence.
var indexNames = map[string]bool{
	"i": true, "j": true, "k": true, "n": true, "pos": true, "idx": true, "index": true, "end": true, "start": true, "begin": true, "offset": true,
	"position": true, "first": true, "last": true, "left": true, "right": true, "lo": true, "hi": true, "at": true, "count": true, "length": true, "size": true,
}

// indexWeight tells how likely a variable is a place in a sequence: by its
// type, its name, where it comes from and what it is used for.
func (s *scene) indexWeight(v variable, at int) float64 {
	if v.kind == "module" || v.typ != "" && v.typ != "int" && v.typ != "number" {
		return 0
	}
	w := 0.0
	if v.typ != "" {
		w++
	}
	name := strings.ToLower(v.name)
	tail := name[strings.LastIndexByte(name, '_')+1:]
	if indexNames[name] || indexNames[tail] || strings.HasSuffix(name, "index") || strings.HasSuffix(name, "pos") {
		w++
	}
	if s.found(v) {
		w++
	}
	if w == 0 {
		return 0
	}
	if s.reads(v) == 0 {
		w += 2
	} else if near := string(s.src[max(0, at-200):at]); wordCount(near, v.name) > 0 {
		w++ // it was just made, or asked for
	}
	return w
}

// searches are functions that give a place in a sequence, or a length.
var searches = []string{
	".find(", ".rfind(", ".index(", ".rindex(", ".indexOf(", ".lastIndexOf(", ".search(", ".findIndex(", ".end()", ".start()", ".index", "len(", ".length", "enumerate(", "range(",
	".Index(", ".IndexByte(", ".IndexAny(", ".IndexRune(", ".IndexFunc(", ".LastIndex(", ".LastIndexByte(",
}

// found tells whether a variable is given a place in a sequence.
func (s *scene) found(v variable) bool {
	if v.owner < 0 {
		return false
	}
	for _, line := range strings.Split(string(s.src[v.owner:min(v.to, len(s.src))]), "\n") {
		left, right, ok := strings.Cut(line, "=")
		if !ok {
			left, right, ok = strings.Cut(line, " in ")
		}
		if !ok || wordCount(left, v.name) == 0 {
			continue
		}
		if slices.ContainsFunc(searches, func(f string) bool { return strings.Contains(right, f) }) {
			return true
		}
	}
	return false
}

// wholeSlice gives a slice a bound that has none. Where it is no copy, one is
// lost.
func wholeSlice(s *scene, n code.Node) {
	p, ok := partOf(n)
	if !ok || p.start != "" || p.end != "" || p.sep != ":" {
		return
	}
	for _, c := range s.indices(n, p) {
		s.put(p.from, p.from, c.text, c.weight, "Begin the part of %s at %s.", one(p.object), one(c.text))
		s.put(p.to, p.to, c.text, c.weight, "End the part of %s at %s.", one(p.object), one(c.text))
	}
}
