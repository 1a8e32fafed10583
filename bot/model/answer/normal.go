package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// extras are fields that models add and that mean nothing for what is done.
// Any other unknown field is refused: it might.
var extras = map[string]bool{
	"thought": true, "thoughts": true, "thinking": true, "reasoning": true, "analysis": true, "comment": true, "comments": true,
	"note": true, "notes": true, "$schema": true, "schema_version": true, "version": true, "id": true, "tool_call_id": true,
	"model": true, "reviewer": true, "author": true, "agent": true, "timestamp": true, "date": true, "time": true, "created_at": true,
	"type": true, "name": true, "tool": true, "tool_name": true, "function": true, "role": true, "language": true, "reason": true,
}

// wrappers are fields that models put a whole decision into.
var wrappers = []string{"response", "answer", "result", "output", "decision", "data", "content", "arguments", "args", "parameters", "params", "input", "tool_input", "function",
	"final", "final_answer", "final_response", "reply", "message", "json", "object", "payload", "body", "value", "text", "assistant", "function_call", "tool_call", "tool_calls", "tool_use",
	"developer", "planner", "tester", "reviewer", "review", "plan", "verdict", "recommendation", "critique", "root", "structured_output", "json_response"}

// maxNesting bounds how deep a decision is looked for in wrappers.
const maxNesting = 3

// recognise gives the decision that a value is, or nil, and a note when it had
// to be unpacked.
func (s *Shape[T]) recognise(v any, depth int) (map[string]any, string) {
	if depth > maxNesting {
		return nil, ""
	}
	switch v := v.(type) {
	case []any:
		return s.fromList(v, depth)
	case string: // arguments as text, the way tools are called
		if !strings.HasPrefix(strings.TrimSpace(v), "{") {
			return nil, ""
		}
		p := &reader{text: v}
		inner, bad := p.value(0)
		if bad != nil || strings.TrimSpace(v[p.at:]) != "" || len(p.repairs) > 0 {
			return nil, ""
		}
		return s.recognise(inner, depth+1)
	case map[string]any:
		return s.fromObject(v, depth)
	}
	return nil, ""
}

func (s *Shape[T]) fromObject(v map[string]any, depth int) (map[string]any, string) {
	for key, inner := range v {
		name := snake(key)
		if to, ok := s.names[name]; ok {
			name = to
		}
		for _, k := range s.keys {
			_, nested := inner.(map[string]any)
			if name == k && (!nested || s.single != nil && k == s.many) {
				return v, ""
			}
		}
	}
	if s.single != nil && s.single(v) {
		return map[string]any{s.many: []any{v}}, ""
	}
	for key, inner := range v { // a decision under another name, such as "rejected", may not be meant
		if !slices.Contains(wrappers, snake(key)) || !onlyExtras(v, key) {
			continue
		}
		if object, _ := s.recognise(inner, depth+1); object != nil {
			return object, fmt.Sprintf("the decision was taken out of %q", oneLine(key))
		}
	}
	return nil, ""
}

// fromList takes a list with one decision, or of single actions.
func (s *Shape[T]) fromList(v []any, depth int) (map[string]any, string) {
	if len(v) == 1 {
		object, _ := s.recognise(v[0], depth+1)
		return object, "the decision was taken out of a list"
	}
	if s.single == nil || len(v) == 0 {
		return nil, ""
	}
	for _, x := range v {
		if object, ok := x.(map[string]any); !ok || !s.single(object) {
			return nil, ""
		}
	}
	return map[string]any{s.many: v}, "a bare list was taken for " + s.many
}

func onlyExtras(v map[string]any, but string) bool {
	for key := range v {
		if key != but && !extras[snake(key)] {
			return false
		}
	}
	return true
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

// rename gives fields their names: by spelling, then by the shape's table.
// Fields that mean nothing are left out.
func (s *Shape[T]) rename(v any, rules map[string]any, r *Report) {
	switch v := v.(type) {
	case []any:
		items, _ := rules["items"].(map[string]any)
		for _, x := range v {
			s.rename(x, items, r)
		}
	case map[string]any:
		known, _ := rules["properties"].(map[string]any)
		if known == nil {
			return
		}
		for key := range copyOf(v) {
			s.renameOne(v, key, known, r)
		}
		for key, inner := range v {
			if rule, ok := known[key].(map[string]any); ok {
				s.rename(inner, rule, r)
			}
		}
	}
}

func (s *Shape[T]) renameOne(v map[string]any, key string, known map[string]any, r *Report) {
	if known[key] != nil {
		return
	}
	name := snake(key)
	if known[name] == nil && s.names[name] != "" {
		name = s.names[name]
	}
	old, taken := v[name]
	switch {
	case taken && known[name] != nil && equal(old, v[key]): // said twice
		delete(v, key)
	case known[name] != nil && !taken:
		v[name] = v[key]
		delete(v, key)
		r.Repairs = append(r.Repairs, fmt.Sprintf("%q was taken for %q", oneLine(key), name))
	case extras[name] || extras[snake(key)] || s.measure(v, key, name):
		delete(v, key)
		r.Repairs = append(r.Repairs, fmt.Sprintf("%q was left out", oneLine(key)))
	}
}

// measure tells a number beside a word that was decided: how many tests ran,
// how long, what mark a change gets. It says nothing about what to do.
// Failures beside a word that lets pass say otherwise.
func (s *Shape[T]) measure(v map[string]any, key, name string) bool {
	n, isNumber := v[key].(json.Number)
	if !isNumber || s.word == "" || strings.Contains(name, s.word) {
		return false
	}
	bad := strings.Contains(name, "fail") || strings.Contains(name, "error")
	return n == "0" || !bad || !sameWord(s.options()[0], s.chosen(v))
}

func copyOf(v map[string]any) map[string]any {
	out := make(map[string]any, len(v))
	for k, x := range v {
		out[k] = x
	}
	return out
}

// fit brings values into the types that the schema wants where their meaning
// is not in doubt.
func (s *Shape[T]) fit(v any, rules map[string]any, r *Report) any {
	kind, _ := rules["type"].(string)
	switch kind {
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			return v
		}
		known, _ := rules["properties"].(map[string]any)
		for key, rule := range known {
			sub, _ := rule.(map[string]any)
			x, there := object[key]
			switch standard, has := sub["default"]; {
			case (!there || x == nil) && has:
				object[key] = standard
			case there && x == nil:
				delete(object, key)
			case there:
				object[key] = s.fit(x, sub, r)
			}
		}
		return object
	case "array":
		return s.fitList(v, rules, r)
	case "integer", "number":
		return fitNumber(v, rules)
	case "boolean":
		return fitBool(v)
	case "string":
		return fitText(v, rules)
	}
	return v
}

func (s *Shape[T]) fitList(v any, rules map[string]any, r *Report) any {
	items, _ := rules["items"].(map[string]any)
	list, ok := v.([]any)
	if !ok {
		kind, _ := items["type"].(string)
		_, isText := v.(string)
		_, isObject := v.(map[string]any)
		if kind == "string" && isText || kind == "object" && isObject {
			list = []any{v}
		} else {
			return v
		}
	}
	for i := range list {
		list[i] = s.fit(list[i], items, r)
	}
	return list
}

func fitNumber(v any, rules map[string]any) any {
	text, ok := v.(string)
	if n, isNumber := v.(json.Number); isNumber {
		text, ok = n.String(), true
	}
	if !ok {
		return v
	}
	bare, percent := strings.CutSuffix(strings.TrimSpace(text), "%") // 95 without it may be one of a hundred, or a slip
	f, err := strconv.ParseFloat(strings.TrimSpace(bare), 64)
	if err != nil || f != f || f > 1e9 || f < -1e9 {
		return v
	}
	if percent {
		f /= 100
	}
	if rules["type"] == "integer" && f != float64(int64(f)) {
		return v
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

func fitBool(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes":
		return true
	case "false", "no":
		return false
	}
	return v
}

// fitText finds the one word of an enumeration that is the same but for case
// and signs; it never takes a synonym.
func fitText(v any, rules map[string]any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
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
