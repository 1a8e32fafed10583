package agent

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sirupsen/logrus"
	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// client asks a scripted provider, for patience without a sign of life; url
// replaces its address.
func client(t *testing.T, url string, patience time.Duration, script scripted.Script) (*model.Client, *scripted.Server) {
	t.Helper()
	srv, err := scripted.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	if url == "" {
		url = srv.URL()
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	end := model.Endpoint{BaseURL: url, Model: "m", PriceIn: 1, PriceOut: 1, Timeout: time.Minute, First: patience, Between: patience}
	return model.New(model.Config{Log: log, Backoff: func() backoff.BackOff { return backoff.NewConstantBackOff(time.Millisecond) },
		Endpoints: map[task.Tier]model.Endpoint{task.Tier1: end, task.TierNano: end}}), srv
}

// Every fault of a provider or an answer, as each role meets it: the developer
// ends without an edit and in bounded calls, the planner has a plan, the
// tester and the reviewer leave the decision to the checks.
func TestF09NoFaultOfAModelReachesBeyondItsRole(t *testing.T) {
	t.Parallel()
	code := func(text string) scripted.Answer { return scripted.Answer{Text: text} }
	decision := strings.TrimSuffix(actions(`{"action":"replace_region","path":"a.py","region":"r","code":1}`), "\n")
	python := "\n```python\nx = 1\n```\n"
	for name, tc := range map[string]struct {
		answer scripted.Answer
		class  string // of the developer's error
		calls  int    // that the developer makes at most
	}{
		"429":                      {scripted.Answer{Status: 429, Body: `{"error":{"message":"slow"}}`}, "rate_limited", 3},
		"500":                      {scripted.Answer{Status: 500, Body: `{}`}, "server", 3},
		"stall":                    {scripted.Answer{Text: decision + python, Hang: true}, "stalled", 1},
		"never begins":             {scripted.Answer{Delay: time.Hour}, "stalled", 1},
		"cut connection":           {scripted.Answer{Text: decision + python, Cut: true}, "malformed", 1},
		"truncated completion":     {scripted.Answer{Body: `{"choices":[{"message":{"content":"abc`}, "malformed", 1},
		"bad UTF-8":                {scripted.Answer{Body: "{\"choices\":[{\"message\":{\"content\":\"\xff\xfe\"}}]}"}, "malformed", 1},
		"wrong schema of provider": {scripted.Answer{Body: `{"choices":7}`}, "malformed", 1},
		"empty":                    {code(" "), "empty", 1},
		"cut at the limit":         {scripted.Answer{Text: decision + python, Finish: "length"}, answer.Truncated, 3},
		"truncated JSON":           {code(decision[:len(decision)-20]), answer.Truncated, 3},
		"wrong schema":             {code(`{"actions": "all of them"}`), answer.SchemaInvalid, 3},
		"prose":                    {code("I would change the loop."), answer.NoJSON, 3},
		"two JSON objects":         {code(decision + "\n" + strings.Replace(decision, "a.py", "b.py", 1) + python), answer.SchemaInvalid, 3},
		"an unknown action":        {code(`{"actions": [{"action": "push_to_main"}]}`), answer.UnknownAction, 3},
		"quotes break the code":    {code(strings.Replace(decision, `"code":1`, `"code":"print("x")"`, 1)), answer.InvalidJSON, 3},
		"100,000 brackets":         {code(strings.Repeat("[", 100_000)), answer.InvalidJSON, 3},
		"a plan in its place":      {code(good), answer.SchemaInvalid, 3},
		"five megabytes":           {code(strings.Repeat("a", 5<<20)), "too_large", 1},
		"an edit out of scope":     {code(strings.Replace(decision, "a.py", "ci.yml", 1) + python), "", 3},
		"a finish with nothing":    {code(actions(finish)), "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if tc.class == "stalled" {
				patience = 300 * time.Millisecond
			}
			c, srv := client(t, "", patience, func(scripted.Call, int) scripted.Answer { return tc.answer })
			meets(t, c, srv, tc.class, tc.calls)
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		c, srv := client(t, "http://127.0.0.1:1/v1", time.Minute, nil)
		meets(t, c, srv, "refused", 0)
	})
}

func meets(t *testing.T, c *model.Client, srv *scripted.Server, class string, calls int) {
	t.Helper()
	r, err := New(Config{Count: c.Tally().Add})
	if err != nil {
		t.Fatal(err)
	}
	b := brief()
	b.Permit = func(_ context.Context, e task.Edit) error {
		if e.Path != "a.py" {
			return errors.New("it is out of scope")
		}
		return nil
	}
	a, err := r.Developer.Develop(t.Context(), c.Ask, b)
	var bad *Malformed
	var failed *model.Error
	got := ""
	switch {
	case errors.As(err, &bad):
		got = bad.Class
	case errors.As(err, &failed):
		got = string(failed.Class)
	}
	if got != class || len(a.Patch.Edits) > 0 || len(srv.Calls()) > calls {
		t.Errorf("developer: %v after %d calls, want %s after %d; %+v", err, len(srv.Calls()), class, calls, a.Patch)
	}
	if class != "" {
		if counts := c.Tally().Counts(); len(counts) == 0 || counts[0].Class != class || !strings.HasPrefix(counts[0].PromptClass, "developer-tier1/") {
			t.Errorf("counted %+v, want %s", counts, class)
		}
	}
	if got := srv.Calls(); len(got) > 0 && (got[0].System == "" || got[0].Format != "") {
		t.Errorf("code is asked for bound to JSON: %+v", got[0].Format)
	}
}

func TestF09TheOtherRolesGoOnWithoutTheirModel(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]scripted.Answer{"500": {Status: 500, Body: "{}"}, "prose": {Text: "I think so."}, "cut": {Text: "half", Cut: true}, "brackets": {Text: strings.Repeat("[", 50_000)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := client(t, "", time.Minute, func(scripted.Call, int) scripted.Answer { return a })
			r := roles(t)
			if p, err := r.Planner.Plan(t.Context(), c.Ask, planBrief()); err != nil || !reflect.DeepEqual(p.Steps, FallbackPlan(planBrief()).Steps) {
				t.Errorf("plan %+v %v", p, err)
			}
			if adv, err := r.Tester.Recommend(t.Context(), c.Ask, standing); err != nil || adv.Recommendation != answer.FixRequired {
				t.Errorf("advice %+v %v", adv, err)
			}
			if rev, err := r.Reviewer.Review(t.Context(), c.Ask, ReviewBrief{Tier: task.Tier1}); err != nil || rev.Verdict != "" {
				t.Errorf("review %+v %v", rev, err)
			}
		})
	}
}

// noises are what small models do to an answer. The second kind makes it
// unreadable or says something that was not asked for.
var noises = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "Certainly! Here is the fix:\n\n" + s + "\nLet me know if it helps." },
	func(s string) string { return strings.Replace(s, `"}`, `",}`, 1) },
	func(s string) string {
		return strings.NewReplacer(`"action"`, `"kind"`, `"actions"`, `"edits"`).Replace(s)
	},
	func(s string) string { return strings.Replace(s, "{", "```json\n{", 1) },
	func(s string) string { return "<think>I should edit {a.py}</think>" + s },
	func(s string) string { return s[:len(s)/2] },
	func(s string) string { return s[:len(s)/3] + s[len(s)/2:] },
	func(string) string { return "The bug is in the loop." },
	func(s string) string { return strings.Replace(s, "replace_region", "rewrite_everything", 1) },
	func(s string) string { return s + "\n```python\nextra = 1\n```\n" },
	func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	func(s string) string { return strings.ReplaceAll(s, `"`, "“") },
	func(s string) string { return s + s },
}

// A small model that makes format errors most of the time gets its edit
// through in three tries or ends without one, and never with another.
func TestA2ANoisySmallModelMakesItsEditOrNone(t *testing.T) {
	t.Parallel()
	r := roles(t)
	through, tries := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var says []string
		for range 3 {
			says = append(says, rapid.SampledFrom(noises).Draw(t, "noise")(edit1))
		}
		b := brief()
		b.MaxBytes = 4 << 10
		s := &speaker{says: says}
		a, err := r.Developer.Develop(t.Context(), s.ask, b)
		tries++
		var bad *Malformed
		switch {
		case err == nil && slices.Equal(a.Patch.Edits, kept):
			through++
		case errors.As(err, &bad) && len(a.Patch.Edits) == 0 && len(s.asked) == 3:
		default:
			t.Fatalf("%+v %v\n%q", a, err, says)
		}
	})
	if through*2 < tries {
		t.Errorf("only %d of %d got through", through, tries)
	}
}
