package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// typeOfPlace is the type of a variable or a field, "" when it is not known.
func (s *scene) typeOfPlace(n code.Node) string {
	if v, ok := s.facts.lookup(n.Text(), n.Start()); ok {
		return v.typ
	}
	if _, m, ok := member(n); ok {
		return s.facts.fieldType[m.Text()]
	}
	return ""
}

// fieldType is the type of a field in the first class that has it.
func (p *Project) fieldType(name string) string {
	if keys := p.owners[name]; len(keys) > 0 {
		return p.classes[keys[0]].fieldTypes[name]
	}
	return ""
}

// isPlace tells a variable or a field of one.
func isPlace(n code.Node) bool {
	switch n.Kind() {
	case "identifier", "attribute", "member_expression", "selector_expression":
		return true
	}
	return false
}

// siblings lists the fields that are seen together with a field.
func (s *scene) siblings(field string) []string {
	var out []string
	for _, key := range s.facts.members {
		list := s.facts.fields[key]
		has := slices.Contains(list, field)
		for _, f := range list {
			if has && f != field && len(out) < 6 {
				out = addOnce(out, f)
			}
		}
	}
	return out
}

// moduleNamed tells whether the file imports a module under its own name.
func (s *scene) moduleNamed(name string) bool {
	for line := range strings.Lines(string(s.src)) {
		if rest, ok := strings.CutPrefix(line, "import "); ok && wordCount(rest, name) > 0 && !strings.Contains(rest, name+" as ") {
			return true
		}
	}
	return false
}

func isAsync(fn code.Node) bool {
	return strings.HasPrefix(strings.TrimPrefix(fn.Text(), "static "), "async")
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

func plainChain(text string) bool {
	return !strings.ContainsAny(text, "([{ \n?") && strings.Count(text, ".") <= 2
}
