package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cenkalti/backoff/v5"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// window7B is the context of the small model, in tokens.
const window7B = 4096

// noise are answers that cannot be used, by role: those of the corpus of
// malformed answers that have to be refused, without those of which it is
// disputed.
func noise(t *testing.T) map[string][]scripted.Answer {
	t.Helper()
	disputed, err := os.ReadFile(filepath.Join("..", "model", "answer", "testdata", "corpus", "disputed.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]scripted.Answer{}
	for _, role := range []string{"developer", "planner", "reviewer", "tester"} {
		data, err := os.ReadFile(filepath.Join("..", "model", "answer", "testdata", "corpus", role+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var all []struct {
			ID, Finish, Answer string
			Expect             struct{ Refuse bool }
		}
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		for _, e := range all {
			if e.Expect.Refuse && strings.TrimSpace(e.Answer) != "" && !strings.Contains(string(disputed), "\n"+e.ID+" ") {
				out[role] = append(out[role], scripted.Answer{Text: e.Answer, Finish: e.Finish})
			}
		}
		if len(out[role]) == 0 {
			t.Fatalf("the corpus has no answers of a %s that have to be refused", role)
		}
	}
	return out
}

// sloppy are the ways in which a small model writes an answer that can still
// be read.
var sloppy = []func(text string) string{
	func(s string) string { return s },
	func(s string) string { return "Sure! Here is the fix:\n\n" + s + "\nI hope this helps!" },
	func(s string) string {
		return "<think>\nMaybe {\"actions\": [{\"action\": \"finish\"}]}? No.\n</think>\n" + s
	},
	func(s string) string { return strings.Replace(s, "}]", "},]", 1) },
	func(s string) string { return strings.ReplaceAll(s, `"`, `'`) },
	func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	func(s string) string { return strings.Replace(s, `"action"`, `"Action"`, 1) },
	func(s string) string { return strings.Replace(s, `"code":1`, `"code":"block 1"`, 1) },
	func(s string) string { return strings.Replace(s, "```json\n{", "```json\n// the change\n{", 1) },
}

// small is a noisy model of 7B's kind: most of its answers have no usable
// form, many of the others are sloppy or wrong.
type small struct {
	rnd   *rand.Rand
	noise map[string][]scripted.Answer
	says  []string // what the developer's usable answers say, "" for one that cannot be used
	lost  map[string]int
}

func (m *small) answer(c scripted.Call) scripted.Answer {
	who := role(c)
	if c.Format == "json_schema" {
		return scripted.Answer{Status: 400, Body: `{"error": {"message": "response_format json_schema is not supported"}}`}
	}
	bad := m.noise[who]
	if who == "developer" {
		if m.rnd.Float64() < 0.65 {
			m.says = append(m.says, "")
			return bad[m.rnd.IntN(len(bad))]
		}
		words := "right"
		if m.rnd.Float64() < 0.3 {
			words = different[len(m.says)%len(different)]
		}
		m.says = append(m.says, words)
		a := says(words)
		a.Text = sloppy[m.rnd.IntN(len(sloppy))](a.Text)
		return a
	}
	// The other roles manage every third answer at the latest.
	if m.lost[who]++; len(bad) > 0 && m.lost[who]%3 != 0 && m.rnd.Float64() < 0.65 {
		return bad[m.rnd.IntN(len(bad))]
	}
	m.lost[who] = 0
	switch {
	case strings.Contains(c.User, "exactly one of these words") && who == "reviewer":
		return text("Accept.")
	case strings.Contains(c.User, "exactly one of these words"):
		return text("fix_required")
	case who == "planner":
		return text("The plan:\n" + strings.ReplaceAll(onePlan, "%s", "A"))
	case who == "critic":
		return text(approved)
	case who == "reviewer":
		return text(`{'verdict': 'accept', 'reason': 'it takes turns',}`)
	}
	return text(`{"recommendation": "fix_required", "reason": "red", "confidence": "80%"}`)
}

// allows tells whether the developer's answers hold a right one among those
// that count: an attempt ends with a usable answer or the third that is not,
// and a tier has three attempts.
func (m *small) allows() bool {
	attempts, row := 0, 0
	for _, words := range m.says {
		switch {
		case attempts >= 3:
			return false
		case words == "right":
			return true
		case words != "":
			attempts, row = attempts+1, 0
		default:
			if row++; row == answer.MaxMalformed {
				attempts, row = attempts+1, 0
			}
		}
	}
	return false
}

func TestA2ASmallNoisyModelFinishesWhatItsAnswersAllow(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	for i, f := range sloppy {
		if v, _, err := answer.Developer.AskWith(t.Context(), func(context.Context, model.Request) (model.Reply, error) {
			return model.Reply{Text: f(says("right").Text), Finish: "stop"}, nil
		}, model.Request{}, answer.Options[answer.Actions]{Max: 1}); err != nil || len(v.Actions) != 1 || v.Actions[0].Code != "right\n" {
			t.Fatalf("sloppy form %d cannot be read: %+v %v", i, v, err)
		}
	}
	bad := noise(t)
	var finished, failed, answers, unusable atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for seed := range uint64(40) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				m := &small{rnd: rand.New(rand.NewPCG(seed, 7)), noise: bad, lost: map[string]int{}}
				s := newStage(t, func(c scripted.Call, _ int) scripted.Answer { return m.answer(c) }, task.Tier1)
				s.withRoles()
				s.world.places = 4 // so that a plan is asked for
				s.cfg.Models = model.New(model.Config{Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {
					Tier: task.Tier1, BaseURL: s.server.URL(), Model: "small-7b", PriceIn: 1, PriceOut: 2, MaxTokens: 500, ContextTokens: window7B,
				}}, Log: s.cfg.Log, Backoff: func() backoff.BackOff { return &backoff.ZeroBackOff{} }})
				res, err := s.run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want := task.FailedAllTiers
				if m.allows() {
					want = task.Success
				}
				if res.Outcome != want {
					t.Errorf("%s: %s, want %s; the developer said %q\n%s", res.Outcome, res.Reason, want, m.says, s.kinds())
				}
				if spent, _ := s.journal.spent(); spent != res.Cost {
					t.Errorf("the journal says %s, the result %s", spent, res.Cost)
				}
				for _, c := range s.server.Calls() {
					if size := (len(c.System)+len(c.User))/4 + c.Max; size > window7B {
						t.Errorf("a call of about %d tokens does not fit into %d", size, window7B)
					}
				}
				s.replays()
				if want == task.Success {
					finished.Add(1)
				} else {
					failed.Add(1)
				}
				for _, words := range m.says {
					answers.Add(1)
					if words == "" {
						unusable.Add(1)
					}
				}
			})
		}
	})
	t.Logf("%d runs finished, %d could not; %d of %d answers of the developer had no usable form", finished.Load(), failed.Load(), unusable.Load(), answers.Load())
	if finished.Load() == 0 || failed.Load() == 0 {
		t.Error("the seeds show only one ending")
	}
}
