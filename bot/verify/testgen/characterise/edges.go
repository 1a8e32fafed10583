package characterise

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/code"
)

const (
	maxSeen  = 6  // calls as they were seen that are changed
	maxCalls = 40 // of a target, in all
	further  = 3  // times as many, where some faults are to be noticed
)

// change is a value near another, with words for what was done.
type change struct {
	words string
	value value
}

// inputs are the calls of a target that are looked at: those seen, the shorter
// ones first, then in turns what comes of changing them; times as many as usual.
func inputs(t *target, seen []record, times int) []call {
	slices.SortStableFunc(seen, func(a, b record) int { return cmp.Compare(size(t, a), size(t, b)) })
	var out []call
	known := map[string]bool{}
	add := func(c call) {
		if key := c.key(); !known[key] && len(out) < maxCalls*times {
			known[key] = true
			out = append(out, c)
		}
	}
	for _, r := range seen[:min(len(seen), maxSeen*times)] {
		add(call{t: t, rec: r})
	}
	nils := nilsOf(seen)
	var lists [][]call // one for each argument of each call
	for _, r := range seen[:min(len(seen), maxSeen*times)] {
		for i := range r.Args {
			var list []call
			for _, ch := range changes(r.Args[i], t, 2) {
				list = append(list, t.with(r, i, ch))
			}
			if nils[i] != "" {
				list = append(list, t.with(r, i, change{"nil", value{Kind: "nil", Text: nils[i]}}))
			}
			lists = append(lists, list)
		}
		lists = append(lists, t.left(r))
	}
	for n := 0; ; n++ {
		more := false
		for _, list := range lists {
			if n < len(list) {
				more = true
				add(list[n])
			}
		}
		if !more || len(out) >= maxCalls*times {
			return out
		}
	}
}

func size(t *target, r record) int {
	w := call{t: t, rec: r}.write(false)
	return len(w.call) + len(strings.Join(w.setup, ""))
}

// nilsOf are the arguments for which some test gives none.
func nilsOf(seen []record) map[int]string {
	out := map[int]string{}
	for _, r := range seen {
		for i, a := range r.Args {
			if a.Kind == "nil" && a.Prefix == "" {
				out[i] = a.Text
			}
		}
	}
	return out
}

// defaults finds in a signature of Python what a parameter is where nothing is given.
var defaults = regexp.MustCompile(`(\w+)\s*(?::[^=,()]+)?=\s*(True|False|-?\d+(?:\.\d+)?|"[^"\\]*"|'[^'\\]*')\s*[,)]`)

// left are calls with a value for a parameter that a call of Python's leaves at its
// default.
func (t *target) left(r record) (out []call) {
	if t.lang != code.Python || r.Property || r.Generator {
		return nil
	}
	given := 0
	for _, a := range r.Args {
		if a.Prefix == "" {
			given++
		}
	}
	if t.class != "" && len(t.Params) > 0 && (t.Params[0].Name == "self" || t.Params[0].Name == "cls") {
		given++
	}
	for _, m := range defaults.FindAllStringSubmatch(t.Signature, -1) {
		at := slices.IndexFunc(t.Params, func(p code.Param) bool { return p.Name == m[1] })
		named := slices.ContainsFunc(r.Args, func(a value) bool { return a.Prefix == m[1]+"=" })
		if at < 0 || at < given && t.Params[at].Mark == "" || named {
			continue
		}
		v := value{Kind: "int", Text: m[2]}
		switch c := m[2][0]; {
		case c == 'T' || c == 'F':
			v.Kind = "bool"
		case c == '"' || c == '\'':
			v = value{Kind: "str", Raw: m[2][1 : len(m[2])-1]}
			v.Text = quote(v.Raw, t.lang)
		case strings.Contains(m[2], "."):
			v.Kind = "float"
		}
		near := changes(v, t, 0)
		for _, ch := range near[:min(len(near), 3)] {
			ch.value.Prefix = m[1] + "="
			one := r
			one.Args = append(slices.Clone(r.Args), ch.value)
			out = append(out, call{t: t, rec: one, edge: m[1] + " " + ch.words})
		}
	}
	return out
}

// with is a call with another argument.
func (t *target) with(r record, i int, ch change) call {
	ch.value.Prefix = r.Args[i].Prefix
	r.Args = slices.Clone(r.Args)
	r.Args[i] = ch.value
	name := call{t: t, rec: r}.variable(i)
	return call{t: t, rec: r, edge: strings.TrimSpace(name + " " + ch.words)}
}

// changes lists values near a value, the edges first: empty, zero, one element,
// at the function's own constants.
func changes(v value, t *target, depth int) []change {
	switch v.Kind {
	case "bool":
		return t.flipped(v)
	case "int", "uint", "float":
		return t.numbersNear(v)
	case "str":
		return t.textsNear(v)
	case "list", "tuple", "set", "map":
		return partsNear(v, t, depth)
	case "struct":
		return fieldsNear(v, t, depth)
	}
	return nil
}

func (t *target) flipped(v value) []change {
	to := map[string]string{"true": "false", "false": "true", "True": "False", "False": "True"}[v.Text]
	v.Text = to
	return []change{{strings.ToLower(to), v}}
}

func (t *target) numbersNear(v value) []change {
	var out []change
	known := map[string]bool{v.Text: true}
	add := func(words string, f float64) {
		if v.Kind == "uint" && f < 0 || f > 1e6 || f < -1e6 {
			return
		}
		w := v
		w.Text = strconv.FormatFloat(f, 'f', -1, 64)
		if w.Kind == "float" && t.lang == code.Python && !strings.ContainsAny(w.Text, ".e") {
			w.Text += ".0"
		}
		if !known[w.Text] && (v.Kind == "float" || f == float64(int64(f))) {
			known[w.Text] = true
			out = append(out, change{words, w})
		}
	}
	x, err := strconv.ParseFloat(v.Text, 64)
	if err != nil {
		return nil
	}
	add("zero", 0)
	add("one", 1)
	for _, s := range t.numbers {
		n, _ := strconv.ParseFloat(s, 64)
		add("at a boundary", n)
		add("above a boundary", n+1)
		add("below a boundary", n-1)
	}
	add("negative", -x)
	add("one more", x+1)
	add("one less", x-1)
	if v.Kind == "float" {
		add("half", x/2)
	}
	return out
}

func (t *target) textsNear(v value) []change {
	var out []change
	known := map[string]bool{v.Raw: true}
	add := func(words, s string) {
		if len(s) <= 200 && !known[s] {
			known[s] = true
			out = append(out, change{words, value{Kind: "str", Raw: s, Text: quote(s, t.lang)}})
		}
	}
	add("empty", "")
	for _, s := range t.texts {
		add("as in the code", s)
		add("with a text of the code", v.Raw+s)
	}
	add("blank", " ")
	add("between blanks", " "+v.Raw+" ")
	add("upper case", strings.ToUpper(v.Raw))
	add("lower case", strings.ToLower(v.Raw))
	runes := []rune(v.Raw)
	if len(runes) > 1 {
		add("one character", string(runes[:1]))
		add("but its end", string(runes[:len(runes)-1]))
	}
	add("twice", v.Raw+v.Raw)
	if s := accented(v.Raw); s != v.Raw {
		add("with an accent", s)
	}
	return out
}

// accented is a text that begins with a letter that is none of ASCII's.
func accented(s string) string {
	for i, r := range s {
		if unicode.IsLetter(r) {
			return s[:i] + "é" + s[i+utf8.RuneLen(r):]
		}
	}
	return s
}

// partsNear changes how many elements there are, their order, and the first.
func partsNear(v value, t *target, depth int) []change {
	var out []change
	of := func(words string, parts ...value) {
		w := v
		w.Parts = parts
		out = append(out, change{words, w})
	}
	n := len(v.Parts)
	if n == 0 {
		return nil
	}
	if v.Kind != "tuple" {
		of("empty")
		if n > 1 {
			of("with one element", v.Parts[0])
			of("without the last", slices.Clone(v.Parts[:n-1])...)
		}
	}
	if v.Kind == "list" {
		if n > 1 {
			back := slices.Clone(v.Parts)
			slices.Reverse(back)
			of("reversed", back...)
		}
		of("with a repeated element", append(slices.Clone(v.Parts), v.Parts[0])...)
	}
	if depth == 0 {
		return out
	}
	for _, i := range slices.Compact([]int{0, n - 1}) {
		near := changes(v.Parts[i], t, depth-1)
		for _, ch := range near[:min(len(near), 4)] {
			ch.value.Prefix = v.Parts[i].Prefix
			parts := slices.Clone(v.Parts)
			parts[i] = ch.value
			if v.Kind != "set" || !slices.ContainsFunc(v.Parts, func(p value) bool { return p.Text == ch.value.Text }) {
				of(fmt.Sprintf("%s with %s", ordinal(i), ch.words), parts...)
			}
		}
	}
	return out
}

func ordinal(i int) string {
	if i == 0 {
		return "first"
	}
	return "last"
}

// fieldsNear changes one field of a struct.
func fieldsNear(v value, t *target, depth int) []change {
	var out []change
	if depth == 0 {
		return nil
	}
	for i, f := range v.Parts {
		near := changes(f, t, depth-1)
		for _, ch := range near[:min(len(near), 3)] {
			w := v
			w.Parts = slices.Clone(v.Parts)
			ch.value.Prefix = f.Prefix
			w.Parts[i] = ch.value
			out = append(out, change{strings.TrimSuffix(f.Prefix, ": ") + " " + ch.words, w})
		}
	}
	return out
}
