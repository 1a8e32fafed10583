package model_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model"
)

func TestA1AnEndpointIsAskedForItsModels(t *testing.T) {
	t.Parallel()
	const key = "canary-of-a-key"
	for name, c := range map[string]struct {
		preset string
		answer func(w http.ResponseWriter, r *http.Request)
		want   []string
		err    error
		says   string
	}{
		"OpenAI's form, with days of ending": {"openai", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+key {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"gpt-5","shutdown_date":"2026-12-11"},{"id":"gpt-6.1-sol","shutdown_date":null}]}`))
		}, []string{"gpt-5", "gpt-6.1-sol"}, nil, ""},
		"Anthropic's own": {"anthropic", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("x-api-key") != key || r.Header.Get("anthropic-version") == "" || r.URL.Query().Get("limit") != "1000" {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = w.Write([]byte(`{"data":[{"type":"model","id":"claude-sonnet-5-5"}],"has_more":false}`))
		}, []string{"claude-sonnet-5-5"}, nil, ""},
		"a refused key": {"openai", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, nil, model.ErrKey, ""},
		"no such list":  {"", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, nil, model.ErrUnlisted, ""},
		"an empty list": {"", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":null}`)) }, nil, model.ErrUnlisted, ""},
		"no JSON":       {"", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>` + key)) }, nil, nil, "is not one"},
		"an ill server": {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, nil, nil, "502"},
		"without an end": {"", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data":[` + strings.Repeat(`{"id":"m"},`, 1<<20)))
		}, nil, nil, "is not one"},
		"a redirect": {"", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		}, nil, nil, "answers"},
		"deployments": {"azure", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[{"id":"gpt-5"}]}`)) }, nil, model.ErrUnlisted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(c.answer))
			defer srv.Close()
			got, err := model.New(model.Config{Log: quiet()}).Offered(t.Context(), model.Endpoint{Preset: c.preset, BaseURL: srv.URL + "/v1", Model: "m", APIKey: func() (string, error) { return key, nil }})
			switch {
			case c.want != nil && (err != nil || strings.Join(got.Models, " ") != strings.Join(c.want, " ")):
				t.Errorf("%+v %v", got, err)
			case c.err != nil && !errors.Is(err, c.err):
				t.Errorf("%v", err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v", err)
			case err != nil && strings.Contains(err.Error(), key):
				t.Errorf("the key is told: %v", err)
			}
			if name == "OpenAI's form, with days of ending" && got.Ends["gpt-5"] != "2026-12-11" {
				t.Errorf("%+v", got)
			}
		})
	}
}
