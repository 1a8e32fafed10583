// Package answer reads what a model answered: out of text of any quality
// comes a decision of a known shape, or a Malformed that says what was wrong
// and what to answer instead. It climbs a ladder:
//
//	strict     the whole text is the JSON object
//	fenced     the object stands in a fenced block
//	prose      the object stands somewhere in the text
//	repaired   as one of these, after repairs that lose nothing: trailing
//	           commas, quotes, comments, line breaks in strings
//
// and then corrects names by tables and validates against the shape's JSON
// Schema. Where a text can be understood in two ways the model is asked again, and
// after MaxMalformed answers the role gives up: asking again costs cents, doing the
// wrong thing costs trust. The rules:
//
//   - Two different decisions in one answer are refused, and so are two actions
//     one after the other that stand in no list. Equal ones count once, and a
//     literal echo of the shape's example counts not at all.
//   - An object that cannot be read spoils the answer, also when a part of it
//     could be: half a decision is not a decision.
//   - An answer that was cut is refused, whatever could be read of it, and so
//     is an object or a fence that never ends.
//   - Code never stands inside the JSON. Every fenced block of code, commands too,
//     is referred to by its number, and exactly once but by actions that add the same
//     code in several places; blocks of text or output may stand behind them. A block
//     whose fence is never closed is not used, nor one that its own words give to
//     another action.
//   - Decisions between given words take other spellings of the same word and
//     no other words, and they need their reason: what a field that decides
//     lacks is not invented.
//   - Words beside a decision are not understood but bounded: right before it stands
//     an introduction of known words or a plain English statement, behind it an
//     introduction or a polite end, and beside a verdict that lets pass nothing else
//     (prose.go).
//   - What can be read and cannot be meant is refused: a path out of the
//     repository, a command for a check's name, characters broken or encoded on
//     their way, a diff or words in the place of code, actions behind the finish.
//
// The package executes nothing and reaches nothing.
package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Classes of answers that cannot be used (SPEC A2).
const (
	NoJSON        = "no_json"
	InvalidJSON   = "invalid_json"
	SchemaInvalid = "schema_invalid"
	UnknownAction = "unknown_action"
	Truncated     = "truncated"
)

// Bounds of an answer.
const (
	maxAnswer = 1 << 20 // bytes
	maxDepth  = 32      // of nested objects and lists
	maxBlocks = 100
)

// Malformed is an answer that cannot be used.
type Malformed struct {
	Class  string
	Action string // the action aimed at, where that could be seen
	Reason string // for the next prompt, the record and a reader

	form bool // only of the form: whoever wrote it can mend it without what was asked
}

func (m *Malformed) Error() string { return fmt.Sprintf("the answer is %s: %s", m.Class, m.Reason) }

func (m *Malformed) ofForm() *Malformed {
	m.form = true
	return m
}

func malformed(class, format string, args ...any) *Malformed {
	return &Malformed{Class: class, Reason: fmt.Sprintf(format, args...)}
}

// Report says how an answer was read.
type Report struct {
	Rung    string   // of the ladder: strict, fenced, prose, repaired, word
	Repairs []string // what was corrected, in words; empty for a clean answer
}

// Shape is a kind of answer with the type that it is read into.
type Shape[T any] struct {
	Name    string          // for messages: "plan", "verdict", …
	Schema  json.RawMessage // of the object; also sent to endpoints that bind an answer to a schema
	Example string          // a whole answer, shown in prompts
	Fenced  bool            // code comes beside the object in fenced blocks: the endpoint must not bind the answer to JSON

	keys   []string                                                    // a decision has one of these fields
	names  map[string]string                                           // other spellings of fields
	single func(obj map[string]any) bool                               // tells an object that is one action
	many   string                                                      // the list that single actions belong into
	adjust func(s *Shape[T], obj map[string]any, r *Report) *Malformed // corrections of the shape's own
	finish func(v *T, doc document, r *Report) *Malformed              // checks that a schema cannot make
	whole  func(v *T, prompt string) *Malformed                        // checks that need to know what was asked; nil: there are none

	word    string          // the field that is asked for as a single word, when nothing else helps
	rules   map[string]any  // Schema, decoded, for corrections
	bound   json.RawMessage // Schema without the words that endpoints do not know
	check   *jsonschema.Schema
	shown   any            // the object of Example
	attempt *regexp.Regexp // what a broken object holds that was meant to be one of this shape
}

// document is an answer taken apart.
type document struct {
	object map[string]any
	code   []block // fenced blocks but the object's own
}

// compile checks and keeps the shape's schema. A mistake in it is a mistake in
// this program.
func (s Shape[T]) compile() *Shape[T] {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Schema))
	if err != nil {
		panic(fmt.Sprintf("answer: the schema of %s: %v", s.Name, err))
	}
	s.rules, _ = doc.(map[string]any)
	s.bound, _ = json.Marshal(strict(doc)) // it was JSON before
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:answer", doc); err != nil {
		panic(fmt.Sprintf("answer: the schema of %s: %v", s.Name, err))
	}
	s.check = c.MustCompile("mem:answer")
	fields := append(slices.Collect(maps.Keys(s.names)), s.keys...)
	if s.single != nil {
		fields = append(fields, "action")
	}
	s.attempt = regexp.MustCompile(`(?i)["'“` + "`" + `]?\b(?:` + strings.Join(fields, "|") + `)["'”` + "`" + `]?\s*:`)
	p := &reader{text: s.Example, at: strings.IndexByte(s.Example, '{')}
	s.shown, _ = p.value()
	return &s
}

// strict leaves the words out of a schema that endpoints which bind an answer
// to it refuse, and demands every field, as they do (OpenAI's guide to structured
// outputs); the answer is checked against the schema itself anyway.
func strict(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if !slices.Contains([]string{"default", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"}, k) {
				out[k] = strict(x)
			}
		}
		if fields, ok := v["properties"].(map[string]any); ok {
			out["required"] = slices.Sorted(maps.Keys(fields))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = strict(x)
		}
		return out
	}
	return v
}

// read reads an answer to a prompt. finish is why the model ended, as the provider
// told: "stop", "length", or "" when it did not.
func (s *Shape[T]) read(text, finish, prompt string) (T, Report, *Malformed) {
	v, r, bad := s.readAny(text, finish)
	if bad == nil && s.whole != nil {
		bad = s.whole(&v, prompt)
	}
	return v, r, bad
}

func (s *Shape[T]) readAny(text, finish string) (v T, r Report, bad *Malformed) {
	switch {
	case len(text) > maxAnswer:
		return v, r, malformed(SchemaInvalid, "it has %d bytes, at most %d are read", len(text), maxAnswer)
	case slices.Contains([]string{"length", "max_tokens", "MAX_TOKENS", "content_filter"}, finish):
		return v, r, malformed(Truncated, "it was cut at the token limit, and half an answer is never used; answer more briefly")
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	text, bad = withoutThoughts(text)
	if bad != nil {
		return v, r, bad
	}
	all, bad := fences(text)
	if bad != nil {
		return v, r, bad
	}
	doc, bad := s.find(text, all, &r)
	if bad != nil {
		return v, r, bad
	}
	return s.decide(doc, &r)
}

// decide corrects, validates and decodes the object.
func (s *Shape[T]) decide(doc document, r *Report) (v T, _ Report, bad *Malformed) {
	top, _ := s.rules["properties"].(map[string]any)
	s.renameFields(doc.object, top, r)
	if s.adjust != nil {
		if bad := s.adjust(s, doc.object, r); bad != nil {
			return v, *r, bad.ofForm()
		}
	}
	s.rename(doc.object, s.rules, r)
	doc.object, _ = s.fit(doc.object, s.rules).(map[string]any)
	if err := s.check.Validate(doc.object); err != nil {
		return v, *r, malformed(SchemaInvalid, "%s", complaint(err)).ofForm()
	}
	data, err := json.Marshal(doc.object)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		return v, *r, malformed(SchemaInvalid, "%s", oneLine(err.Error()))
	}
	if s.finish != nil {
		bad = s.finish(&v, doc, r)
	}
	return v, *r, bad
}

// complaint is the first concrete thing that a schema says against an object.
func complaint(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return oneLine(err.Error())
	}
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	text := v.Error()
	if i := strings.LastIndex(text, "\n- "); i >= 0 {
		text = text[i+3:]
	}
	return oneLine(text)
}

// oneLine makes foreign words fit for a message: one line, 300 characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
