package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// extras are fields that models add and that mean nothing for what is done.
// Any other unknown field is refused: it might.
var extras = set("thought thoughts thinking reasoning analysis comment comments note notes $schema schema_version version id tool_call_id model reviewer author agent timestamp date time created_at type name tool tool_name function role language reason")

// recognise gives the decision that a value is, or nil.
func (s *Shape[T]) recognise(v any, p *reader) map[string]any {
	switch v := v.(type) {
	case []any:
		if s.single == nil || len(v) == 0 || slices.ContainsFunc(v, func(x any) bool { object, ok := x.(map[string]any); return !ok || !s.single(object) }) {
			return nil
		}
		p.fix("a bare list was taken for " + s.many)
		return map[string]any{s.many: v}
	case map[string]any:
		for key, inner := range v {
			_, nested := inner.(map[string]any)
			if name := s.called(key); slices.Contains(s.keys, name) && (!nested || name == s.many) {
				return v
			}
		}
		if s.single != nil && s.single(v) {
			return map[string]any{s.many: []any{v}}
		}
		for key, inner := range v { // a decision under another name, such as "rejected", may not be meant
			if object, ok := inner.(map[string]any); ok && wrappers[snake(key)] && onlyExtras(v, key) {
				p.fix("the decision was taken out of " + oneLine(key))
				return s.recognise(object, p)
			}
		}
	}
	return nil
}

// wrappers are fields that models put a whole decision into.
var wrappers = set("response answer result output data content final final_answer final_response reply message json object payload body value arguments parameters developer planner tester reviewer review plan verdict recommendation critique")

// onlyExtras tells whether nothing beside a field says anything, such as another action.
func onlyExtras(v map[string]any, but string) bool {
	for key, x := range v {
		text, _ := x.(string)
		if _, known := kindOf(text); key != but && (known || !extras[snake(key)]) {
			return false
		}
	}
	return true
}

// called is a field's name as the shape writes it.
func (s *Shape[T]) called(key string) string {
	key = snake(key)
	if to := s.names[key]; to != "" {
		return to
	}
	return key
}

// snake writes a name the way the shapes do: replaceRegion and replace-region
// become replace_region.
func snake(s string) string {
	var b strings.Builder
	low := false
	for _, r := range strings.TrimSpace(s) {
		switch {
		case r == '-' || r == ' ' || r == '.':
			r, low = '_', false
		case unicode.IsUpper(r):
			if low {
				b.WriteByte('_')
			}
			r, low = unicode.ToLower(r), false
		default:
			low = unicode.IsLower(r) || unicode.IsDigit(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// rename gives fields their names, by spelling, then by the shape's table, and leaves
// out those that mean nothing.
func (s *Shape[T]) rename(v any, rules map[string]any, r *Report) {
	switch v := v.(type) {
	case []any:
		items, _ := rules["items"].(map[string]any)
		for _, x := range v {
			s.rename(x, items, r)
		}
	case map[string]any:
		known, _ := rules["properties"].(map[string]any)
		s.renameFields(v, known, r)
		for key, inner := range v {
			if rule, ok := known[key].(map[string]any); ok {
				s.rename(inner, rule, r)
			}
		}
	}
}

func (s *Shape[T]) renameFields(v, known map[string]any, r *Report) {
	for key, x := range maps.Clone(v) {
		if known == nil || known[key] != nil {
			continue
		}
		name := snake(key)
		if known[name] == nil {
			name = s.called(key)
		}
		old, taken := v[name]
		switch {
		case taken && known[name] != nil && equal(old, x): // said twice
			delete(v, key)
		case known[name] != nil && !taken:
			v[name] = x
			delete(v, key)
			r.Repairs = append(r.Repairs, fmt.Sprintf("%q was taken for %q", oneLine(key), name))
		case extras[name] || extras[snake(key)] || s.measures(name, x):
			delete(v, key)
			r.Repairs = append(r.Repairs, fmt.Sprintf("%q was left out", oneLine(key)))
		}
	}
}

// measures tells a number beside a word that was decided, such as how many tests ran.
// Failures beside it say something.
func (s *Shape[T]) measures(name string, v any) bool {
	n, isNumber := v.(json.Number)
	return isNumber && s.word != "" && (n == "0" || !strings.Contains(name, "fail") && !strings.Contains(name, "error") && !strings.Contains(name, s.word))
}

// fit brings values into the types that the schema wants where their meaning
// is not in doubt.
func (s *Shape[T]) fit(v any, rules map[string]any) any {
	items, _ := rules["items"].(map[string]any)
	switch x := v.(type) {
	case map[string]any:
		if rules["type"] == "array" && items["type"] == "object" {
			return s.fit([]any{v}, rules)
		}
		known, _ := rules["properties"].(map[string]any)
		for key, rule := range known {
			sub, _ := rule.(map[string]any)
			inner, there := x[key]
			switch standard, has := sub["default"]; {
			case inner == nil && has:
				x[key] = standard
			case inner == nil:
				delete(x, key)
			case there:
				x[key] = s.fit(inner, sub)
			}
		}
	case []any:
		for i := range x {
			x[i] = s.fit(x[i], items)
		}
	case json.Number:
		if rules["type"] == "integer" || rules["type"] == "number" {
			return fitNumber(x.String(), v, rules)
		}
	case string:
		switch rules["type"] {
		case "array":
			if items["type"] == "string" {
				return []any{x}
			}
		case "integer", "number":
			return fitNumber(x, v, rules)
		case "boolean":
			if b, known := map[string]bool{"true": true, "yes": true, "false": false, "no": false}[strings.ToLower(x)]; known {
				return b
			}
		case "string":
			return fitText(x, rules)
		}
	}
	return v
}

func fitNumber(text string, v any, rules map[string]any) any {
	bare, percent := strings.CutSuffix(strings.TrimSpace(text), "%") // 95 without it may be one of a hundred, or a slip
	f, err := strconv.ParseFloat(strings.TrimSpace(bare), 64)
	if percent {
		f /= 100
	}
	if err != nil || f != f || f > 1e9 || f < -1e9 || rules["type"] == "integer" && f != float64(int64(f)) {
		return v
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// fitText finds the one word of an enumeration that is the same but for case
// and signs; it never takes a synonym.
func fitText(text string, rules map[string]any) any {
	options, _ := rules["enum"].([]any)
	for _, o := range options {
		if w, ok := o.(string); ok && sameWord(w, text) {
			return w
		}
	}
	return text
}

// sameWord tells whether a text is the word, whatever its case, its marks and
// the way its parts are joined. A question or a cross beside it is no mark.
func sameWord(word, text string) bool {
	return fold(word) == fold(text) && !strings.ContainsAny(text, "?¿~¬≠/|❌✗✘🚫⛔👎") && !strings.HasPrefix(strings.TrimLeft(text, " *_`\"'"), "!")
}

// fold keeps letters and digits only, in one case.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
