package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	maxReadable = 16 // values that a condition is made of
	maxAtoms    = 70 // conditions that are made for one place
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

// atoms lists simple conditions at a place, the likeliest first. stop is the
// end of what the condition decides on.
func (s *scene) atoms(at, stop int, fn code.Node) []choice {
	a := &atomiser{scene: s, at: at}
	values := s.readables(at, stop, fn)
	for _, v := range values {
		a.alone(v)
		a.constants(v)
		a.predicates(v)
	}
	for i, v := range values {
		for _, w := range values[i+1:] {
			a.pair(v, w)
		}
	}
	return best(a.out, maxAtoms)
}

type atomiser struct {
	*scene
	at  int
	out []choice
}

func (a *atomiser) put(text string, weight float64) {
	for i := range a.out {
		if a.out[i].text == text {
			a.out[i].weight = max(a.out[i].weight, weight)
			return
		}
	}
	a.out = append(a.out, choice{text, weight})
}

// alone asks whether a value is there, is empty, or holds.
func (a *atomiser) alone(v readable) {
	switch v.rough {
	case "bool":
		a.put(v.text, 1.2*v.weight)
		a.put(a.d.not+v.text, 1.2*v.weight)
		return
	case "list", "dict":
		a.put(a.emptyTest(v, true), v.weight)
		a.put(a.emptyTest(v, false), 0.7*v.weight)
	case "text":
		eq, ne := a.equals()
		a.put(v.text+eq+`""`, v.weight)
		a.put(v.text+ne+`""`, 0.5*v.weight)
	}
	if a.d.lang == golang {
		if v.rough == "pointer" {
			a.put(v.text+" == nil", v.weight)
			a.put(v.text+" != nil", v.weight)
		}
		if v.typ == "time.Time" {
			a.put(v.text+".IsZero()", v.weight)
			a.put("!"+v.text+".IsZero()", v.weight)
		}
		return
	}
	a.put(v.text+a.d.isNull, 0.8*v.weight)
	a.put(v.text+a.d.notNull, 0.8*v.weight)
	if v.rough == "" {
		a.put(v.text, 0.7*v.weight)
		a.put(a.d.not+v.text, 0.7*v.weight)
	}
}

func (a *atomiser) emptyTest(v readable, empty bool) string {
	switch {
	case a.d.lang == py && empty:
		return "not " + v.text
	case a.d.lang == py:
		return v.text
	case a.d.lang == js:
		return v.text + map[bool]string{true: ".length === 0", false: ".length > 0"}[empty]
	}
	return "len(" + v.text + ")" + map[bool]string{true: " == 0", false: " > 0"}[empty]
}

func (a *atomiser) equals() (eq, ne string) {
	if a.d.lang == js {
		return " === ", " !== "
	}
	return " == ", " != "
}

// constants compares a value with those of the file that are of its kind.
func (a *atomiser) constants(v readable) {
	eq, ne := a.equals()
	if v.rough == "number" || v.rough == "" && a.d.lang != golang && a.countable(v) {
		for i, c := range append([]string{"0", "1"}, a.facts.ints...) {
			if i >= 5 {
				break
			}
			w := v.weight * map[bool]float64{true: 0.8, false: 0.35}[c == "0"]
			for _, op := range []string{" > ", " < ", eq, " >= ", " <= ", ne} {
				a.put(v.text+op+c, w)
			}
		}
	}
	if v.rough == "text" || v.rough == "" && a.d.lang != golang {
		done := 0
		for _, c := range a.facts.strings {
			if c.role != "compared" || done >= 4 || v.rough == "" && !a.comparedWith(v, c.text) {
				continue
			}
			done++
			a.put(v.text+eq+c.text, 0.6*v.weight)
			a.put(v.text+ne+c.text, 0.6*v.weight)
		}
	}
}

// countable tells a name that the file counts or compares as a number.
func (a *atomiser) countable(v readable) bool {
	src := string(a.src)
	for _, op := range []string{" < ", " > ", " <= ", " >= ", " += ", " -= ", " - ", "++", "--"} {
		if strings.Contains(src, v.name+op) || len(op) == 4 && strings.Contains(src, op+v.name) {
			return true
		}
	}
	return false
}

// comparedWith tells whether the file holds values of that name against a text.
func (a *atomiser) comparedWith(v readable, text string) bool {
	src := string(a.src)
	for _, op := range []string{" == ", " != ", " === ", " !== "} {
		if strings.Contains(src, v.name+op) && strings.Contains(src, op+text) {
			return true
		}
	}
	return false
}

// predicates asks the project's own questions of a value.
func (a *atomiser) predicates(v readable) {
	yes := func(text string, w float64) {
		a.put(text, w*v.weight)
		a.put(a.d.not+text, w*v.weight)
	}
	for _, c := range a.calls {
		if !c.takes(1) || len(c.params) == 0 || !question(c.function) {
			continue
		}
		if akin(c.params[0], v.name) || len(c.types) > 0 && c.types[0] == v.typ {
			yes(c.text+"("+v.text+")", 1.2)
		}
	}
	if v.typ == "" || a.d.lang != golang {
		return
	}
	for _, m := range a.project.methodsNamedAfter(strings.TrimPrefix(v.typ, "*")) {
		if m.required == 0 && question(m) {
			yes(v.text+"."+m.name+"()", 1.2)
		}
	}
}

// question tells a function that answers yes or no.
func question(f *function) bool {
	if f.result != "" {
		return f.result == "bool"
	}
	for _, lead := range []string{"is", "has", "can", "should", "was", "in_", "contains", "matches", "needs"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(f.name, "_"), lead); ok && rest != "" && (rest[0] == '_' || rest[0] < 'a' || lead == "in_") {
			return true
		}
	}
	return false
}

// methodsNamedAfter lists the methods of a type, whose package may stand before.
func (p *Project) methodsNamedAfter(typ string) []*function {
	typ = typ[strings.LastIndexByte(typ, '.')+1:]
	var out []*function
	for _, f := range p.functions {
		if f.class == typ && typ != "" {
			out = append(out, f)
		}
	}
	return out
}

// pair compares two values of the same kind, or looks for one in the other.
func (a *atomiser) pair(v, w readable) {
	weight := 0.5 * min(v.weight, 1.5) * min(w.weight, 1.5)
	if strings.HasPrefix(w.text, v.text+".") || strings.HasPrefix(v.text, w.text+".") {
		return
	}
	eq, ne := a.equals()
	alike := akin(v.name, w.name)
	switch {
	case v.rough == "list" || v.rough == "dict" || w.rough == "list" || w.rough == "dict":
		if v.rough == "list" || v.rough == "dict" {
			v, w = w, v
		}
		a.member(v, w, weight)
	case v.rough == "number" && w.rough == "number" && (a.d.lang != golang || v.typ == w.typ),
		v.rough == "" && w.rough == "" && a.d.lang != golang && (alike || a.countable(v) && a.countable(w)):
		for _, op := range []string{" < ", " > ", eq, ne, " <= ", " >= "} {
			a.put(v.text+op+w.text, weight)
		}
	case v.rough == "time" && w.rough == "time" && a.d.lang == golang:
		for _, m := range []string{"Before", "After", "Equal"} {
			a.put(v.text+"."+m+"("+w.text+")", weight)
			a.put("!"+v.text+"."+m+"("+w.text+")", weight)
		}
	case v.rough == w.rough && (alike || v.rough != "" || v.typ != "" && v.typ == w.typ):
		if v.rough != "bool" && v.rough != "pointer" {
			a.put(v.text+eq+w.text, weight)
			a.put(v.text+ne+w.text, weight)
		}
	}
}

// member looks for a value in a collection.
func (a *atomiser) member(v, in readable, weight float64) {
	switch a.d.lang {
	case py:
		a.put(v.text+" in "+in.text, weight)
		a.put(v.text+" not in "+in.text, weight)
	case js:
		look := in.text + map[bool]string{true: ".includes(", false: ".has("}[in.rough == "list"] + v.text + ")"
		a.put(look, weight)
		a.put("!"+look, weight)
	case golang:
		if _, value := rangeTypes(in.typ); in.rough == "dict" && value == "bool" {
			a.put(in.text+"["+v.text+"]", weight)
			a.put("!"+in.text+"["+v.text+"]", weight)
		} else if a.facts.imports["slices"] && in.typ == "[]"+v.typ {
			a.put("slices.Contains("+in.text+", "+v.text+")", weight)
			a.put("!slices.Contains("+in.text+", "+v.text+")", weight)
		}
	}
}
