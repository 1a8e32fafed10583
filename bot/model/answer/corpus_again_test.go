package answer

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
)

// clean is what each role answers when it is asked again.
var clean = map[string]string{
	"developer": "```json\n" + edit + "\n```\n" + python,
	"planner":   `{"summary": "s", "steps": [{"goal": "g", "targets": ["a.py"], "acceptance": "a", "critical": false}]}`,
	"tester":    `{"recommendation": "fix_required", "reason": "r", "confidence": 0.5}`,
	"reviewer":  `{"verdict": "RETRY", "reason": "r"}`,
}

// A model that answers as the corpus does, and cleanly when it is asked again,
// needs one more call for each refusal and none for what could be read.
func TestA2ARefusedAnswerCostsOneMoreCall(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("there is no corpus", err)
	}
	type count struct{ answers, again int }
	classes := map[string]*count{}
	total := count{}
	for _, file := range files {
		for _, e := range entries(t, file) {
			_, refused := readAs(t, e)
			calls, err := askedFor(e)
			switch want := 1; {
			case err != nil:
				t.Errorf("%s: %v", e.ID, err)
			case refused != nil:
				want = 2
				fallthrough
			default:
				if calls != want {
					t.Errorf("%s: %d calls, want %d", e.ID, calls, want)
				}
			}
			c := classes[e.Class]
			if c == nil {
				c = &count{}
				classes[e.Class] = c
			}
			c.answers, total.answers = c.answers+1, total.answers+1
			c.again, total.again = c.again+calls-1, total.again+calls-1
		}
	}
	var b strings.Builder
	names := make([]string, 0, len(classes))
	for name := range classes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\n%-44s %8d %8d", name, classes[name].answers, classes[name].again)
	}
	t.Logf("\n%-44s %8s %8s%s\n%-44s %8d %8d", "class", "answers", "re-asked", b.String(), "all", total.answers, total.again)
}

// askedFor asks as the entry's role does, and counts the calls.
func askedFor(e entry) (calls int, err error) {
	ask := func(_ context.Context, r model.Request) (model.Reply, error) {
		if calls++; calls == 1 {
			return model.Reply{Text: e.Answer, Finish: e.Finish}, nil
		}
		if !strings.Contains(r.User, "could not be used") {
			return model.Reply{}, fmt.Errorf("the model was not told what was wrong: %s", r.User)
		}
		return model.Reply{Text: clean[e.Role], Finish: "stop"}, nil
	}
	req := model.Request{User: "the task"}
	switch e.Role {
	case "developer":
		_, _, err = Developer.Ask(context.Background(), ask, req, nil)
	case "planner":
		_, _, err = Planner.Ask(context.Background(), ask, req, nil)
	case "tester":
		_, _, err = Tester.Ask(context.Background(), ask, req, nil)
	case "reviewer":
		_, _, err = Reviewer.Ask(context.Background(), ask, req, nil)
	}
	return calls, err
}
