package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

func client(t *testing.T, url string, timeout time.Duration) *model.Client {
	t.Helper()
	return model.New(model.Config{
		Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {
			Tier: task.Tier1, BaseURL: url, Model: "m", PriceIn: 2, PriceOut: 8, Timeout: timeout, MaxTokens: 100,
			APIKey: func() (string, error) { return "sk-canary", nil },
		}},
		Backoff: noWait, Log: quiet(),
	})
}

func noWait() backoff.BackOff { return backoff.NewConstantBackOff(time.Millisecond) }

func start(t *testing.T, s scripted.Script) *scripted.Server {
	t.Helper()
	srv, err := scripted.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

var question = model.Request{Tier: task.Tier1, System: "be brief", User: "what is wrong?"}

func TestA3UsageOfTheAnswerBeatsTheEstimate(t *testing.T) {
	t.Parallel()
	srv := start(t, func(scripted.Call, int) scripted.Answer {
		return scripted.Answer{Text: "nothing", TokensIn: 1000, TokensOut: 10}
	})
	c := client(t, srv.URL(), 0)
	r, err := c.Ask(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if want := task.Dollars(1000*2e-6 + 10*8e-6); r.Cost != want || r.Text != "nothing" {
		t.Fatalf("cost %v text %q, want %v", r.Cost, r.Text, want)
	}
	if got := srv.Calls()[0].Max; got != 100 {
		t.Fatalf("the limit of the answer was sent as %d, want 100", got)
	}
}

func TestL5TheWorstCaseBoundsTheCost(t *testing.T) {
	t.Parallel()
	c := client(t, "http://127.0.0.1:1/v1", 0)
	r := model.Request{Tier: task.Tier1, System: strings.Repeat("é!", 50), User: "x"}
	bytes := len(r.System) + len(r.User) + 64
	if got, want := c.Worst(r), task.Dollars(float64(bytes)*2e-6+100*8e-6); got != want {
		t.Fatalf("worst case %v, want %v", got, want)
	}
}

func TestF09FaultsOfProvidersAreClassified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		answer  scripted.Answer
		class   model.Class
		calls   int
		charged bool
	}{
		{"429 without a header", scripted.Answer{Status: 429, Body: `{"error":{"message":"slow"}}`}, model.RateLimited, 3, false},
		{"429 that asks for an hour", scripted.Answer{Status: 429, Header: map[string]string{"Retry-After": "3600"}, Body: `{}`}, model.RateLimited, 1, false},
		{"500", scripted.Answer{Status: 500, Body: "<html>bad gateway</html>"}, model.Server, 3, false},
		{"401", scripted.Answer{Status: 401, Body: `{"error":{"message":"bad key"}}`}, model.Refused, 1, false},
		{"stall", scripted.Answer{Delay: 5 * time.Second, Text: "late"}, model.Stalled, 1, true},
		{"truncated JSON", scripted.Answer{Body: `{"choices":[{"message":{"content":"abc`}, model.Malformed, 1, true},
		{"cut connection", scripted.Answer{Text: "half an answer", Cut: true}, model.Malformed, 1, true},
		{"wrong schema", scripted.Answer{Body: `{"choices":"none"}`}, model.Malformed, 1, true},
		{"empty", scripted.Answer{Text: " \n"}, model.Empty, 1, true},
		{"no choices", scripted.Answer{Body: `{"choices":[]}`}, model.Empty, 1, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv := start(t, func(scripted.Call, int) scripted.Answer { return tc.answer })
			_, err := client(t, srv.URL(), 300*time.Millisecond).Ask(t.Context(), question)
			var e *model.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is not a *model.Error", err)
			}
			if e.Class != tc.class || e.Charged != tc.charged {
				t.Errorf("class %s charged %v, want %s %v (%v)", e.Class, e.Charged, tc.class, tc.charged, err)
			}
			if got := len(srv.Calls()); got != tc.calls {
				t.Errorf("%d calls, want %d", got, tc.calls)
			}
			if strings.Contains(err.Error(), "sk-canary") {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestF09RefusedConnection(t *testing.T) {
	t.Parallel()
	srv := start(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{} })
	url := srv.URL()
	_ = srv.Close()
	_, err := client(t, url, time.Second).Ask(t.Context(), question)
	var e *model.Error
	if !errors.As(err, &e) || e.Charged {
		t.Fatalf("got %v, want an error that cost nothing", err)
	}
}

func TestF09OneByteASecondEndsAtTheTimeLimit(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
			}
		}
	}))
	defer srv.Close()
	_, err := client(t, srv.URL, 200*time.Millisecond).Ask(t.Context(), question)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.Stalled {
		t.Fatalf("got %v, want stalled", err)
	}
}

func TestL7CancelIsHonouredInsideACall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	srv := start(t, func(scripted.Call, int) scripted.Answer {
		cancel()
		return scripted.Answer{Delay: 10 * time.Second}
	})
	_, err := client(t, srv.URL(), 30*time.Second).Ask(ctx, question)
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.Cancelled {
		t.Fatalf("got %v, want cancelled", err)
	}
}

func TestA1AMissingTierSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := model.New(model.Config{}).Ask(t.Context(), model.Request{Tier: task.Tier2})
	if err == nil || !strings.Contains(fmt.Sprint(err), "tiers") {
		t.Fatalf("got %v", err)
	}
}
