package answer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
)

// speaker answers in turn, and keeps what it was asked.
type speaker struct {
	says  []string
	asked []model.Request
}

func (s *speaker) ask(_ context.Context, r model.Request) (model.Reply, error) {
	s.asked = append(s.asked, r)
	if len(s.asked) > len(s.says) {
		return model.Reply{}, errors.New("asked once too often")
	}
	return model.Reply{Text: s.says[len(s.asked)-1], Finish: "stop"}, nil
}

func TestL5ThreeAnswersThatCannotBeUsedAreTheEnd(t *testing.T) {
	t.Parallel()
	s := &speaker{says: []string{"no JSON here", `{"actions": [{"action": "format_disk"}]}`, "{", "never reached"}}
	var counted []model.Kind
	_, _, err := Developer.Ask(t.Context(), s.ask, model.Request{User: "the task", PromptClass: "developer/1"}, func(k model.Kind) { counted = append(counted, k) })
	m, ok := IsMalformed(err)
	if !ok || m.Class != NoJSON || len(s.asked) != MaxMalformed {
		t.Fatalf("%v after %d", err, len(s.asked))
	}
	if len(counted) != 3 || counted[1] != (model.Kind{PromptClass: "developer/1", Action: "format_disk", Class: UnknownAction}) {
		t.Errorf("counted %+v", counted)
	}
	for i, want := range []string{"the task", "no JSON object", "format_disk"} {
		if got := s.asked[i].User; !strings.HasPrefix(got, "the task") || !strings.Contains(got, want) || len(s.asked[i].Schema) > 0 {
			t.Errorf("prompt %d lacks %q, or binds code to JSON:\n%s", i+1, want, got)
		}
	}
}

func TestA2TheSecondAnswerIsTakenAndTheLastTryAsksForAWord(t *testing.T) {
	t.Parallel()
	s := &speaker{says: []string{`{"verdict": "perhaps"}`, `{"verdict": "RETRY", "reason": "x"}`}}
	if v, _, err := Reviewer.Ask(t.Context(), s.ask, model.Request{User: "u"}, nil); err != nil || v.Verdict != Retry {
		t.Errorf("%+v %v", v, err)
	}
	if schema := string(s.asked[0].Schema); !strings.Contains(schema, "ESCALATE_TO_PLANNER") || strings.Contains(schema, "default") {
		t.Errorf("bound to %s", schema)
	}
	s = &speaker{says: []string{"hm", "hm hm", "Fail."}}
	v, r, err := Reviewer.Ask(t.Context(), s.ask, model.Request{User: "u"}, nil)
	if err != nil || v.Verdict != Fail || r.Rung != "word" || !strings.Contains(s.asked[2].User, "exactly one of these words") || len(s.asked[2].Schema) > 0 {
		t.Errorf("%+v %+v %v\n%s", v, r, err, s.asked[2].User)
	}
}

func TestA2ACorrectionOfTheFormIsShort(t *testing.T) {
	t.Parallel()
	task := "the task\n" + strings.Repeat("code that was shown\n", 100)
	refused := strings.Replace(edit, `"code": 1`, `"code": 2`, 1) + "\n" + python
	for name, correction := range map[string]string{"the object alone": edit, "all of it": edit + "\n" + python} {
		s := &speaker{says: []string{refused, correction}}
		v, _, err := Developer.Ask(t.Context(), s.ask, model.Request{User: task}, nil)
		if err != nil || len(v.Actions) != 1 || v.Actions[0].Code != body {
			t.Fatalf("%s: %+v %v", name, v, err)
		}
		for _, want := range []string{body, "refers to code block 2", "the JSON object alone"} {
			if !strings.Contains(s.asked[1].User, want) {
				t.Errorf("the repair lacks %q:\n%s", want, s.asked[1].User)
			}
		}
		if strings.Contains(s.asked[1].User, "code that was shown") {
			t.Errorf("the repair repeats what was shown:\n%s", s.asked[1].User)
		}
	}
}

func TestA2WhatTheAnswerLeavesOutIsAskedForWithWhatWasShown(t *testing.T) {
	t.Parallel()
	task := "the task\n" + strings.Repeat("code that was shown\n", 100)
	s := &speaker{says: []string{edit + "\n```python\ndef f():\n    # ... rest of the code unchanged\n```\n", "{", edit + "\n" + python}}
	if v, _, err := Developer.Ask(t.Context(), s.ask, model.Request{User: task}, nil); err != nil || len(v.Actions) != 1 {
		t.Fatalf("%+v %v", v, err)
	}
	for i, r := range s.asked[1:] {
		if !strings.HasPrefix(r.User, task) || strings.Contains(r.User, "rest of the code") != (i == 0) {
			t.Errorf("asked again:\n%s", r.User)
		}
	}
}
