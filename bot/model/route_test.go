package model_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/model"
	"github.com/fettle-dev/fettle/bot/model/catalog"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// pair is a tier with an own endpoint and a substitute, and a clock.
func pair(t *testing.T, own, stand scripted.Script) (c *model.Client, a, b *scripted.Server, clock *atomic.Int64) {
	t.Helper()
	a, b, clock = start(t, own), start(t, stand), new(atomic.Int64)
	return model.New(model.Config{Log: quiet(), Backoff: noWait, Now: func() time.Time { return time.Unix(1_800_000_000+clock.Load(), 0) },
		Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {BaseURL: a.URL(), Model: "own", PriceIn: 1, PriceOut: 1, First: 200 * time.Millisecond,
			Substitute: &model.Endpoint{BaseURL: b.URL(), Model: "stand-in", PriceIn: 3, PriceOut: 3}}}}), a, b, clock
}

func fine(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "fine"} }

func TestA3TheSubstituteTakesOverWhileTheProviderIsDown(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	c, own, _, clock := pair(t, func(scripted.Call, int) scripted.Answer {
		if up.Load() {
			return scripted.Answer{Text: "back"}
		}
		return scripted.Answer{Status: 503, Body: "{}"}
	}, fine)
	reply, err := c.Ask(t.Context(), question)
	if err != nil || reply.Model != "stand-in" || !strings.Contains(reply.Substituted, "own") || !strings.Contains(reply.Substituted, "server") {
		t.Fatalf("%+v %v", reply, err)
	}
	if want := task.Dollars(float64(reply.TokensIn+reply.TokensOut) * 3e-6); reply.Cost != want {
		t.Errorf("the substitute's price is %s, %s was counted", want, reply.Cost)
	}
	asked := len(own.Calls())
	if _, err := c.Ask(t.Context(), question); err != nil || len(own.Calls()) != asked {
		t.Errorf("a provider that is down was asked again at once (%v)", err)
	}
	up.Store(true)
	clock.Add(61)
	if reply, err := c.Ask(t.Context(), question); err != nil || reply.Text != "back" || reply.Substituted != "" {
		t.Errorf("after the pause: %+v %v", reply, err)
	}
}

func TestL5ACallThatMayBeChargedIsNotBoughtTwice(t *testing.T) {
	t.Parallel()
	c, _, stand, _ := pair(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Delay: time.Hour} }, fine)
	_, err := c.Ask(t.Context(), question)
	var failed *model.Error
	if !errors.As(err, &failed) || !failed.Charged || len(stand.Calls()) != 0 {
		t.Fatalf("%v, and the substitute was asked %d times", err, len(stand.Calls()))
	}
	if reply, err := c.Ask(t.Context(), question); err != nil || reply.Text != "fine" {
		t.Errorf("the next call goes to the substitute: %+v %v", reply, err)
	}
}

func TestA3ABadRequestOrKeyIsNoReasonForASubstitute(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403} {
		c, _, stand, _ := pair(t, func(scripted.Call, int) scripted.Answer {
			return scripted.Answer{Status: status, Body: `{"error":{"message":"no"}}`}
		}, fine)
		if _, err := c.Ask(t.Context(), question); err == nil || len(stand.Calls()) != 0 {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestA3BothFailuresAreTold(t *testing.T) {
	t.Parallel()
	c, _, _, _ := pair(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Status: 503, Body: `{}`} },
		func(scripted.Call, int) scripted.Answer {
			return scripted.Answer{Status: 401, Body: `{"error":{"message":"bad key"}}`}
		})
	_, err := c.Ask(t.Context(), question)
	if err == nil || !strings.Contains(err.Error(), "bad key") || !strings.Contains(err.Error(), "503") {
		t.Errorf("got %v", err)
	}
	counts := c.Tally().Counts()
	if len(counts) != 1 || counts[0].Class != "refused" || counts[0].Times != 1 || counts[0].Asked != 1 {
		t.Errorf("counted %+v", counts)
	}
}

func TestA2WhatAnEndpointDoesNotUnderstandIsLearnedOnce(t *testing.T) {
	t.Parallel()
	refuse := func(what string) scripted.Answer {
		return scripted.Answer{Status: 400, Body: `{"error":{"message":"` + what + `","type":"invalid_request_error"}}`}
	}
	srv := start(t, func(c scripted.Call, _ int) scripted.Answer {
		switch {
		case c.Usage:
			return refuse("Unrecognized request argument supplied: stream_options")
		case c.Format == "json_schema":
			return refuse("'response_format.type' must be 'json_object' or 'text'")
		case c.Format != "":
			return refuse("response_format is not supported by this model")
		}
		return scripted.Answer{Text: `{"a":1}`}
	})
	ep := model.Endpoint{Preset: "vllm", BaseURL: srv.URL(), Model: "m"}
	c := model.New(model.Config{Log: quiet(), Backoff: noWait, Endpoints: map[task.Tier]model.Endpoint{task.Tier1: ep}})
	ask := question
	ask.Schema = []byte(`{"type":"object"}`)
	reply, err := c.Ask(t.Context(), ask)
	if err != nil || reply.Format != "" || len(srv.Calls()) != 4 {
		t.Fatalf("%+v %v after %d calls", reply, err, len(srv.Calls()))
	}
	if _, err := c.Ask(t.Context(), ask); err != nil || len(srv.Calls()) != 5 {
		t.Errorf("%v after %d calls: the endpoint's abilities were forgotten", err, len(srv.Calls()))
	}
	if can := c.Can(task.Tier1); can.Schema || can.JSON || can.StreamUsage {
		t.Errorf("is said to be able to %+v", can)
	}
}

func TestA1EachPresetIsAskedAsItUnderstands(t *testing.T) {
	t.Parallel()
	for _, name := range catalog.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := catalog.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			srv := start(t, fine)
			ask := question
			ask.Schema = []byte(`{"type":"object"}`)
			reply, failed := at(t, model.Endpoint{Preset: p.Name, BaseURL: srv.URL(), Model: "m", Effort: "low", APIKey: func() (string, error) { return "secret", nil }})
			if failed != nil || reply.Estimated == p.Can.StreamUsage {
				t.Fatalf("%+v %v", reply, failed)
			}
			got := srv.Calls()[0]
			wantKey := "Bearer secret"
			if p.KeyHeader != "" {
				wantKey = "secret"
			}
			if !got.Stream || got.Usage != p.Can.StreamUsage || got.Key != wantKey || (got.Effort != "") != p.Can.Effort || got.Format != "" {
				t.Errorf("asked as %+v", got)
			}
		})
	}
}

func TestA2ASchemaIsSentAsStronglyAsThePresetAllows(t *testing.T) {
	t.Parallel()
	for preset, want := range map[string]string{"openai": "json_schema", "lmstudio": "json_schema", "deepseek": "json_object", "anthropic": ""} {
		srv := start(t, fine)
		c := model.New(model.Config{Log: quiet(), Endpoints: map[task.Tier]model.Endpoint{task.Tier1: {Preset: preset, BaseURL: srv.URL(), Model: "m"}}})
		ask := question
		ask.Schema = []byte(`{"type":"object"}`)
		if reply, err := c.Ask(t.Context(), ask); err != nil || reply.Format != want || srv.Calls()[0].Format != want {
			t.Errorf("%s: %+v %v", preset, reply, err)
		}
	}
}

func TestA3CachedTokensAndMissingUsage(t *testing.T) {
	t.Parallel()
	ep := model.Endpoint{Model: "m", PriceIn: 2, PriceCached: 0.5, PriceOut: 8, MaxTokens: 100}
	for name, plain := range map[string]bool{"streamed": false, "one document": true} {
		srv := start(t, func(scripted.Call, int) scripted.Answer {
			return scripted.Answer{Text: "yes", TokensIn: 1000, CachedIn: 600, TokensOut: 10, Plain: plain}
		})
		ep.BaseURL = srv.URL()
		reply, err := at(t, ep)
		if want := task.Dollars(400*2e-6 + 600*0.5e-6 + 10*8e-6); err != nil || reply.Cost != want || reply.CachedIn != 600 || reply.Estimated {
			t.Errorf("%s: %+v %v, want %s", name, reply, err, want)
		}
	}
	srv := start(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: "yes", NoUsage: true} })
	ep.BaseURL = srv.URL()
	reply, err := at(t, ep)
	if err != nil || !reply.Estimated || reply.TokensIn < len(question.System)+len(question.User) || reply.TokensOut < len("yes") {
		t.Errorf("an estimate below what was used: %+v %v", reply, err)
	}
}

// A provider that keeps to the limit of an answer never costs more than the
// worst case that was reserved, whatever it tells and whoever answers.
func TestL5TheWorstCaseBoundsEveryReply(t *testing.T) {
	t.Parallel()
	var next atomic.Pointer[scripted.Answer]
	srv := start(t, func(scripted.Call, int) scripted.Answer { return *next.Load() })
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 200).Draw(rt, "limit")
		ep := model.Endpoint{BaseURL: srv.URL(), Model: rapid.SampledFrom([]string{"m", "gpt-5"}).Draw(rt, "model"), MaxTokens: limit,
			PriceIn: rapid.Float64Range(0, 20).Draw(rt, "in"), PriceCached: rapid.Float64Range(0, 30).Draw(rt, "cached"), PriceOut: rapid.Float64Range(0, 80).Draw(rt, "out")}
		ask := model.Request{Tier: task.Tier1, System: rapid.String().Draw(rt, "system"), User: rapid.String().Draw(rt, "user")}
		next.Store(&scripted.Answer{Text: "answer", NoUsage: rapid.Bool().Draw(rt, "no usage"), Plain: rapid.Bool().Draw(rt, "plain"),
			TokensIn: rapid.IntRange(1, len(ask.System)+len(ask.User)+64).Draw(rt, "tokens in"), TokensOut: rapid.IntRange(1, limit).Draw(rt, "tokens out"),
			CachedIn: rapid.IntRange(0, 300).Draw(rt, "cached in")})
		c := model.New(model.Config{Log: quiet(), Endpoints: map[task.Tier]model.Endpoint{task.Tier1: ep}})
		reply, err := c.Ask(t.Context(), ask)
		if err != nil || reply.Cost > c.Worst(ask) || reply.Cost < 0 {
			rt.Fatalf("%+v %v, worst %s", reply, err, c.Worst(ask))
		}
	})
}

func TestA1AShortAnswerLeavesRoomForThoughts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ep   model.Endpoint
		want int
	}{
		{model.Endpoint{Model: "gpt-4.1-nano"}, 50},
		{model.Endpoint{Model: "openai/gpt-5-nano"}, 50 + 2048},
		{model.Endpoint{Model: "qwen3:8b"}, 50 + 2048},
		{model.Endpoint{Model: "m", Effort: "low"}, 50 + 2048},
		{model.Endpoint{Model: "gpt-5-nano", MaxTokens: 100}, 100},
	} {
		srv := start(t, fine)
		tc.ep.BaseURL, tc.ep.PriceOut = srv.URL(), 1
		c := model.New(model.Config{Log: quiet(), Endpoints: map[task.Tier]model.Endpoint{task.Tier1: tc.ep}})
		ask := question
		ask.MaxTokens = 50
		if _, err := c.Ask(t.Context(), ask); err != nil || srv.Calls()[0].Max != tc.want || c.Worst(ask) != task.Dollars(float64(tc.want)*1e-6) {
			t.Errorf("%s: %d tokens, worst %s, %v", tc.ep.Model, srv.Calls()[0].Max, c.Worst(ask), err)
		}
	}
}
