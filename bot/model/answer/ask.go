package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/model"
)

// MaxMalformed is how many answers in a row may be unusable before a role
// gives up (SPEC A2, L5). Each of them is paid for.
const MaxMalformed = 3

// Ask sends a request; the loop's function reserves and settles the cost.
type Ask func(ctx context.Context, r model.Request) (model.Reply, error)

// Count is told of each answer that could not be used.
type Count func(k model.Kind)

// Options refine Shape.Ask.
type Options[T any] struct {
	Count Count              // told of each answer that could not be used; may be nil
	Max   int                // unusable answers in all, at most MaxMalformed; 0: MaxMalformed
	Check func(T) *Malformed // what a schema cannot say; nil: nothing
}

// Ask asks until an answer can be used, at most MaxMalformed times. Where only the
// form of the first was wrong, the second prompt is that answer and what is wrong with
// it, without what was asked; else it is the same prompt, which ends with both. The last
// time, where a decision between words is wanted, it asks for the word alone. The error
// is a *Malformed after the last try, else what ask said. count may be nil.
func (s *Shape[T]) Ask(ctx context.Context, ask Ask, req model.Request, count Count) (T, Report, error) {
	return s.AskWith(ctx, ask, req, Options[T]{Count: count})
}

// AskWith is Ask with a check of the role's own, whose words are quoted like
// those of the schema.
func (s *Shape[T]) AskWith(ctx context.Context, ask Ask, req model.Request, o Options[T]) (T, Report, error) {
	var none T
	if o.Max <= 0 || o.Max > MaxMalformed {
		o.Max = MaxMalformed
	}
	user, refused := req.User, ""
	for try := 1; ; try++ {
		last := try == o.Max
		word := last && try > 1 && s.word != "" // the prompt asked for the word alone
		if req.Schema = nil; !s.Fenced && !word {
			req.Schema = s.bound
		}
		reply, err := ask(ctx, req)
		if err != nil {
			return none, Report{}, err
		}
		v, report, bad := s.tried(reply, user, word, o.Check)
		if again := s.withBlocks(reply.Text, refused); bad != nil && again != "" {
			if v, report, ok := s.tried(model.Reply{Text: again, Finish: reply.Finish}, user, false, o.Check); ok == nil {
				report.Repairs = append(report.Repairs, "its code is that of the answer before")
				return v, report, nil
			}
		}
		if bad == nil {
			return v, report, nil
		}
		if o.Count != nil {
			o.Count(model.Kind{PromptClass: req.PromptClass, Action: bad.Action, Class: bad.Class})
		}
		if last {
			return none, report, fmt.Errorf("%d answers could not be used: %w", try, bad)
		}
		refused, _ = withoutThoughts(reply.Text)
		req.User = s.repair(user, refused, bad, try == 1)
		if try+1 == o.Max && s.word != "" {
			req.User = user + "\n\n" + WordPrompt(s.options()...)
		}
	}
}

// repair is the prompt after an answer that could not be used.
func (s *Shape[T]) repair(user, refused string, bad *Malformed, first bool) string {
	refused = strings.TrimSpace(refused)
	again := s.Again(bad)
	switch {
	case refused == "" || bad.Class == Truncated || bad.Class == NoJSON || s.word != "":
		return user + "\n\n" + again
	case s.Fenced:
		again += "\nWhere code blocks of that answer are right as they are, give the JSON object alone: its numbers then mean them."
	}
	mark := fenceFor(refused)
	again = "You were asked for a " + s.Name + " and gave this answer:\n" + mark + "\n" + refused + "\n" + mark + "\n\n" + again
	switch {
	case first && bad.form && len(refused) < len(user):
		return again + "\nMend only what is wrong with it."
	case len(refused) < len(user)/4: // what the window still holds
		return user + "\n\n" + again
	}
	return user + "\n\n" + s.Again(bad)
}

// fenceFor is a fence that nothing in a text closes.
func fenceFor(text string) string {
	mark := "````"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark
}

// withBlocks is a correction without code, with the code of the answer that it
// corrects; "" where it has code of its own, or the other none.
func (s *Shape[T]) withBlocks(correction, refused string) string {
	if !s.Fenced || refused == "" {
		return ""
	}
	correction, _ = withoutThoughts(correction)
	own, bad := fences(correction)
	before, worse := fences(strings.ReplaceAll(refused, "\r\n", "\n"))
	if bad != nil || worse != nil {
		return ""
	}
	for _, b := range own {
		if !mayBeDecision(b) {
			return ""
		}
	}
	text, n := correction, 0
	for _, b := range before {
		switch {
		case b.end == 0:
			return ""
		case !mayBeDecision(b):
			mark := fenceFor(b.body)
			text += "\n\n" + mark + b.info + "\n" + b.body + mark
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return text + "\n"
}

// tried reads one reply, as the single word where that was asked for.
func (s *Shape[T]) tried(reply model.Reply, prompt string, word bool, check func(T) *Malformed) (T, Report, *Malformed) {
	v, report, bad := s.read(reply.Text, reply.Finish, prompt)
	if bad != nil && word {
		if v, report, alone := s.alone(reply.Text); alone == nil {
			return v, report, nil
		}
	}
	if bad == nil && check != nil {
		bad = check(v)
	}
	return v, report, bad
}

// alone reads the word that the last try asked for.
func (s *Shape[T]) alone(text string) (v T, r Report, bad *Malformed) {
	word, err := Word(text, s.options()...)
	if err != nil {
		return v, r, malformed(SchemaInvalid, "%v", err)
	}
	r = Report{Rung: "word", Repairs: []string{"a single word was taken for the decision"}}
	object := map[string]any{s.word: word}
	known, _ := s.rules["properties"].(map[string]any)
	for name, rule := range known { // the other fields were not asked for
		if field, _ := rule.(map[string]any); name != s.word {
			object[name] = map[string]any{"string": "", "number": json.Number("0")}[fmt.Sprint(field["type"])]
		}
	}
	return s.decide(document{object: object}, &r)
}

// options are the words that the shape decides between.
func (s *Shape[T]) options() []string {
	known, _ := s.rules["properties"].(map[string]any)
	field, _ := known[s.word].(map[string]any)
	list, _ := field["enum"].([]any)
	var out []string
	for _, x := range list {
		if w, ok := x.(string); ok {
			out = append(out, w)
		}
	}
	return out
}

// Form is the text for a prompt that shows the form of the answer.
func (s *Shape[T]) Form() string {
	form := "Answer in exactly this form:\n" + s.Example
	if s.Fenced {
		return form + "\nBehind the JSON object stand code blocks and no words."
	}
	return form + "\nNothing may stand before or after the JSON object."
}

// Again is the text that asks again after an answer that could not be used:
// what was wrong, and the form that is wanted, with its schema where it has one. It
// quotes the answer only in one short line.
func (s *Shape[T]) Again(bad *Malformed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your last answer could not be used, and nothing of it was done. It is %s: %s.\n", strings.ReplaceAll(bad.Class, "_", " "), strings.TrimSuffix(oneLine(bad.Reason), "."))
	if bad.Class == Truncated {
		b.WriteString("Keep the answer short: only what has to change.\n")
	}
	b.WriteString(s.Form())
	if !s.Fenced {
		b.WriteString(" It has to fit this JSON Schema:\n" + compact(s.Schema))
	}
	return b.String()
}

func compact(schema json.RawMessage) string {
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return string(schema)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// IsMalformed tells an answer that could not be used from a failed call.
func IsMalformed(err error) (*Malformed, bool) {
	var m *Malformed
	ok := errors.As(err, &m)
	return m, ok
}
