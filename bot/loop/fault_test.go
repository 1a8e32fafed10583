package loop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// said is a whole completion with this content, as JSON text.
func said(content string) http.HandlerFunc {
	return status(http.StatusOK, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":`+content+`}}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`)
}

// endless writes a piece again and again until the client goes away.
func endless(piece string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range 1 << 30 / len(piece) {
			if _, err := w.Write([]byte(piece)); err != nil {
				return
			}
			if pause == 0 {
				continue
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
		}
	}
}

// modelFaults is TRUST's table F09; nil is a refused connection.
var modelFaults = map[string]http.HandlerFunc{
	"429":     status(http.StatusTooManyRequests, `{"error":{"message":"slow"}}`),
	"500":     status(http.StatusInternalServerError, `{}`),
	"refused": nil,
	"stall": func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"choices":[{"mess`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	},
	"one byte at a time": endless(" ", 50*time.Millisecond),
	"1 GiB":              endless(strings.Repeat("a", 1<<20), 0),
	"truncated JSON":     said(`"{\"actions\": [{\"action\": \"replace_reg"`),
	"cut completion":     status(http.StatusOK, `{"choices":[{"message":{"content":"abc`),
	"bad UTF-8":          said("\"\xff\xfe\""),
	"wrong schema":       said(`"{\"actions\": \"all of them\"}"`),
	"empty":              said(`" "`),
}

// faulty gives some tiers a provider with a fault, the others a scripted one.
func faulty(t *testing.T, fault http.HandlerFunc, healthy scripted.Script, broken ...task.Tier) *stage {
	t.Helper()
	s := newStage(t, healthy, task.Tier1)
	url := "http://127.0.0.1:1/v1"
	if fault != nil {
		srv := httptest.NewServer(fault)
		t.Cleanup(srv.Close)
		url = srv.URL + "/v1"
	}
	ends := map[task.Tier]model.Endpoint{}
	for _, tier := range []task.Tier{task.Tier1, task.Tier2, task.Tier3} {
		ends[tier] = model.Endpoint{Tier: tier, BaseURL: s.server.URL(), Model: "model-" + string(tier), PriceIn: 1, PriceOut: 2, MaxTokens: 500}
	}
	for _, tier := range broken {
		e := ends[tier]
		e.BaseURL, e.First, e.Between, e.Timeout = url, 400*time.Millisecond, 400*time.Millisecond, time.Second
		ends[tier] = e
	}
	s.cfg.Models = model.New(model.Config{Endpoints: ends, Log: s.cfg.Log, Backoff: func() backoff.BackOff { return &backoff.ZeroBackOff{} }})
	return s
}

// Each fault of a provider, as a whole run meets it: where a stronger tier is
// well, the run escalates and succeeds there; where all that is left is faulty,
// it ends as WIP with the best attempt and exit status 3. The cost is bounded
// and is what the journal says.
func TestF09ARunOutlivesEachFaultOfAModel(t *testing.T) {
	t.Parallel()
	for name, fault := range modelFaults {
		t.Run(name+": escalates", func(t *testing.T) {
			t.Parallel()
			s := faulty(t, fault, func(scripted.Call, int) scripted.Answer { return says("right") }, task.Tier1)
			res, err := s.run(t.Context())
			if err != nil || res.Outcome != task.Success || res.Tier != task.Tier2 {
				t.Fatalf("%s at %q (%s), %v", res.Outcome, res.Tier, res.Reason, err)
			}
			s.bounded(res)
		})
		t.Run(name+": ends as WIP", func(t *testing.T) {
			t.Parallel()
			s := faulty(t, fault, func(_ scripted.Call, n int) scripted.Answer { return wrong(n) }, task.Tier2, task.Tier3)
			res, err := s.run(t.Context())
			if err != nil || res.Outcome.ExitCode() != 3 || res.Best == nil || res.Best.Tier != task.Tier1 || len(res.Changes) == 0 || res.NextAction == "" {
				t.Fatalf("%s (%s), exit status %d, best %+v, %v", res.Outcome, res.Reason, res.Outcome.ExitCode(), res.Best, err)
			}
			s.bounded(res)
		})
	}
}

// bounded holds what was spent against the budget, the journal and the record.
func (s *stage) bounded(res task.Result) {
	s.Helper()
	if spent, _ := s.journal.spent(); spent != res.Cost || res.Cost > withDefaults(s.in.Budget).USD || res.Cost > task.Dollars(0.1) {
		s.Errorf("the journal says %s, the result %s", spent, res.Cost)
	}
	seen := map[string]int{}
	for _, a := range res.Attempts {
		seen[fmt.Sprint(a.Plan, a.Step, a.Tier)]++
		if a.Refused == "" && a.Diff == "" && a.Tier != task.TierMechanical {
			s.Errorf("attempt %d says nothing of its fault", a.Number)
		}
	}
	for at, n := range seen {
		if n > task.DefaultBudget().AttemptsPerTier {
			s.Errorf("%d attempts at %s", n, at)
		}
	}
	s.replays()
}
