package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	maxReadable = 16 // values that a condition is made of
	maxAtoms    = 70 // conditions that are made for one place
)

// atoms lists simple conditions at a place, the likeliest first. stop is the
// end of what the condition decides on.
func (s *scene) atoms(at, stop int, fn code.Node) []choice {
	a := &atomiser{scene: s, at: at, counted: map[string]bool{}}
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
	at      int
	out     []choice
	counted map[string]bool // names that were asked for
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
	yes, known := a.counted[v.name]
	if !known {
		yes = counts(string(a.src), v.name)
		a.counted[v.name] = yes
	}
	return yes
}

func counts(src, name string) bool {
	for _, op := range []string{" < ", " > ", " <= ", " >= ", " += ", " -= ", " - ", "++", "--"} {
		if strings.Contains(src, name+op) || len(op) == 4 && strings.Contains(src, op+name) {
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
