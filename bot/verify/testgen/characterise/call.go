package characterise

import (
	"encoding/json"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/verify/testgen/probe"
)

// value is an argument or a result as a literal, by its parts.
type value = probe.Value

// record is a call that was seen while tests ran, as the drivers tell it.
type record struct {
	Spot      int       `json:"spot"` // index of the target
	Recv      *receiver `json:"recv"`
	Before    []method  `json:"before"` // calls of the receiver before this one
	Args      []value   `json:"args"`
	Module    string    `json:"module"`    // of Python
	Generator bool      `json:"generator"` // of Python: it yields
	Property  bool      `json:"property"`  // of Python: it is read, not called
}

// receiver is how an object is made; in Go it is the literal itself.
type receiver struct {
	Class  string  `json:"class"`
	Static bool    `json:"static"` // the class itself
	Args   []value `json:"args"`
	made   *value
}

type method struct {
	Name string  `json:"name"`
	Args []value `json:"args"`
}

// call is an input of a target: as it was seen, or one argument of it changed.
type call struct {
	id   int
	t    *target
	rec  record
	edge string // what was changed, in words; empty: as it was seen
}

// text renders a literal in a language.
func text(v value, lang code.Language) string {
	if v.Open == "" && v.Close == "" {
		return v.Prefix + v.Text
	}
	parts := make([]string, len(v.Parts))
	for i, p := range v.Parts {
		parts[i] = text(p, lang)
	}
	inner := strings.Join(parts, ", ")
	switch {
	case v.Kind == "tuple" && len(parts) == 1:
		inner += ","
	case v.Kind == "set" && len(parts) == 0 && lang == code.Python:
		return v.Prefix + map[bool]string{true: "set()", false: "frozenset()"}[v.Open == "{"]
	case len(parts) == 0:
		return v.Prefix + strings.TrimSpace(v.Open) + strings.TrimSpace(v.Close)
	}
	return v.Prefix + v.Open + inner + v.Close
}

func texts(vs []value, lang code.Language) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = text(v, lang)
	}
	return strings.Join(out, ", ")
}

// quote writes a text as a literal of a language.
func quote(s string, lang code.Language) string {
	if lang == code.Go {
		return strconv.Quote(s)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	out := strings.TrimSuffix(b.String(), "\n")
	if lang == code.JavaScript {
		out = "'" + strings.ReplaceAll(strings.ReplaceAll(out[1:len(out)-1], `\"`, `"`), "'", `\'`) + "'"
	}
	return out
}

// written is a call as source text.
type written struct {
	setup []string
	call  string
	vars  []string // names that hold arguments that the call could change
}

// write renders a call; held puts what it could change into variables.
func (c call) write(held bool) written {
	lang := c.t.lang
	var w written
	var args []string
	for i, a := range c.rec.Args {
		if !held || len(a.Open) == 0 || a.Kind == "tuple" {
			args = append(args, text(a, lang))
			continue
		}
		name := c.variable(i)
		w.vars = append(w.vars, name)
		prefix := a.Prefix
		a.Prefix = ""
		w.setup = append(w.setup, assign(name, text(a, lang), lang))
		args = append(args, prefix+name)
	}
	head := ""
	if r := c.rec.Recv; r != nil {
		head = r.Class + "."
		if !r.Static {
			it := instance(r.Class)
			made := r.Class + "(" + texts(r.Args, lang) + ")"
			switch {
			case r.made != nil:
				made = text(*r.made, lang)
			case lang == code.JavaScript:
				made = "new " + made
			}
			first := []string{assign(it, made, lang)}
			for _, m := range c.rec.Before {
				first = append(first, it+"."+m.Name+"("+texts(m.Args, lang)+")")
			}
			w.setup = append(first, w.setup...)
			head = it + "."
		}
	}
	w.call = head + c.t.Name + "(" + strings.Join(args, ", ") + ")"
	switch {
	case c.rec.Property:
		w.call = head + c.t.Name
	case c.rec.Generator:
		w.call = "list(" + w.call + ")"
	}
	return w
}

func assign(name, text string, lang code.Language) string {
	switch lang {
	case code.JavaScript:
		return "const " + name + " = " + text
	case code.Go:
		return name + " := " + text
	}
	return name + " = " + text
}

var reserved = []string{"t", "got", "want", "err", "it", "test", "assert", "fettled", "self", "pytest", "unittest", "reflect", "testing"}

// variable is the parameter's name, where that can be used in a test.
func (c call) variable(i int) string {
	at := i
	if c.t.class != "" && c.t.lang == code.Python && len(c.t.Params) > 0 && (c.t.Params[0].Name == "self" || c.t.Params[0].Name == "cls") {
		at++
	}
	if at < len(c.t.Params) {
		p := c.t.Params[at]
		if p.Mark == "" && token.IsIdentifier(p.Name) && !slices.Contains(reserved, p.Name) && p.Name != c.t.Name && p.Name != instance(c.t.class) {
			return p.Name
		}
	}
	return fmt.Sprintf("given%d", i+1)
}

// instance is the name of an object of a class in a test.
func instance(class string) string {
	name := strings.ToLower(class[:min(1, len(class))]) + class[min(1, len(class)):]
	if name = regexp.MustCompile(`\W.*`).ReplaceAllString(name, ""); name == class || token.Lookup(name).IsKeyword() || slices.Contains(reserved, name) {
		return "object"
	}
	return name
}

// goReceiver is a receiver of Go: its type comes from its literal.
func goReceiver(v *value) *receiver {
	if v == nil {
		return nil
	}
	class := strings.TrimSuffix(strings.TrimPrefix(v.Open, "&"), "{")
	if v.Open == "" {
		return &receiver{Class: "", made: v}
	}
	return &receiver{Class: class, made: v}
}

// key tells calls apart.
func (c call) key() string {
	w := c.write(false)
	return fmt.Sprint(c.t.ID, "\x00", strings.Join(w.setup, ";"), "\x00", w.call)
}

// names are those at the top of the file that the call uses.
func (c call) names() []string {
	if r := c.rec.Recv; r != nil {
		return []string{r.Class}
	}
	return []string{c.t.Name}
}
