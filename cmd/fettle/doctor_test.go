package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

// ill is a GitHub with something amiss, and the operator's file beside it.
type ill struct {
	*testing.T
	sim  *simulator.Server
	dir  string
	more string // of the operator's file
	repo string
	addr string
}

func (i *ill) lines() map[string]finding {
	i.Helper()
	file := filepath.Join(i.dir, "f.yml")
	text := fmt.Sprintf("state_dir: state\ngithub:\n  app_id: %d\n  base_url: %s\n  private_key_file: app.pem\n  webhook_secret_file: secret\n%s", i.sim.AppID(), i.sim.URL(), i.more)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		i.Fatal(err)
	}
	p, err := (&global{config: file}).load(io.Discard)
	if err != nil {
		i.Fatal(err)
	}
	out := map[string]finding{}
	for _, f := range p.appFindings(i.Context(), i.repo, i.addr) {
		if f.Status != "ok" && f.Fix == "" {
			i.Errorf("no cure for %+v", f)
		}
		if _, twice := out[f.Name]; !twice || f.Status != "ok" {
			out[f.Name] = f
		}
	}
	return out
}

func TestO3EachAilmentOfTheAppHasItsLineAndItsCure(t *testing.T) {
	t.Parallel()
	least := map[string]string{"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "checks": "write"}
	without := func(name, level string) map[string]string {
		out := map[string]string{}
		for k, v := range least {
			out[k] = v
		}
		if out[name] = level; level == "" {
			delete(out, name)
		}
		return out
	}
	answering := func(status int) func(*ill) {
		return func(i *ill) {
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			i.Cleanup(hook.Close)
			i.sim.SetWebhook(hook.URL, "s")
			if err := i.sim.Ping(); err != nil {
				i.Fatal(err)
			}
			if err := i.sim.Settle(i.Context()); err != nil {
				i.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		cfg                      simulator.Config
		do                       func(*ill)
		line, status, says, cure string
	}{
		"a permission is missing":  {simulator.Config{Permissions: without("checks", "")}, nil, "app permission", "error", "Checks: write is missing", "/settings/apps/fettle/permissions"},
		"a permission is too low":  {simulator.Config{Permissions: without("issues", "read")}, nil, "app permission", "error", "Issues: write is missing", "/settings/apps/fettle/permissions"},
		"a permission is too much": {simulator.Config{Permissions: without("actions", "write")}, nil, "app permission", "warning", "actions=write", "take it away"},
		"all is granted":           {simulator.Config{Permissions: least}, nil, "app permission", "ok", "all 5 permissions", ""},
		"no webhook":               {simulator.Config{}, func(i *ill) { i.sim.SetWebhook("", "") }, "webhook", "error", "no webhook", "/webhook"},
		"no secret":                {simulator.Config{}, func(i *ill) { i.sim.SetWebhook("https://hooks.example/webhook", "") }, "webhook", "error", "no secret", "secret"},
		"nothing was delivered":    {simulator.Config{}, func(i *ill) { i.sim.SetWebhook("https://hooks.example/webhook", "s") }, "deliveries", "warning", "nothing within three days", "/advanced"},
		"another secret":           {simulator.Config{}, answering(http.StatusUnauthorized), "deliveries", "error", "401", "set it anew"},
		"another path":             {simulator.Config{}, answering(http.StatusNotFound), "deliveries", "error", "404", "check the path"},
		"cannot store":             {simulator.Config{}, answering(http.StatusServiceUnavailable), "deliveries", "error", "503", "its log"},
		"delivered":                {simulator.Config{}, answering(http.StatusAccepted), "deliveries", "ok", "arrived", ""},
		"nobody is there": {simulator.Config{}, func(i *ill) {
			answering(200)(i)
			i.sim.SetWebhook("http://127.0.0.1:1/webhook", "s")
			_ = i.sim.Ping()
			_ = i.sim.Settle(context.Background())
		}, "deliveries", "error", "502", "start 'fettle serve'"},
		"no server here": {simulator.Config{}, nil, "listener", "warning", "nothing answers", "fettle serve --addr"},
		"something else listens": {simulator.Config{}, func(i *ill) {
			s := httptest.NewServer(http.NotFoundHandler())
			i.Cleanup(s.Close)
			i.addr = strings.TrimPrefix(s.URL, "http://")
		}, "listener", "warning", "something else", "--addr"},
		"the clock is fast":             {simulator.Config{Now: func() time.Time { return time.Now().Add(-10 * time.Minute) }}, nil, "clock", "error", "ahead", "set-ntp"},
		"the clock is slow":             {simulator.Config{Now: func() time.Time { return time.Now().Add(10 * time.Minute) }}, nil, "clock", "error", "behind", "set-ntp"},
		"the clock is off":              {simulator.Config{Now: func() time.Time { return time.Now().Add(-20 * time.Second) }}, nil, "clock", "warning", "away", "set-ntp"},
		"the clock is right":            {simulator.Config{}, nil, "clock", "ok", "within 1s", ""},
		"the key is another's":          {simulator.Config{}, func(i *ill) { i.key("other") }, "github app", "error", "does not accept this App's key", "private_key_file"},
		"others may read the key":       {simulator.Config{}, func(i *ill) { _ = os.Chmod(filepath.Join(i.dir, "app.pem"), 0o644) }, "github secrets", "warning", "0644", "chmod 600"},
		"suspended":                     {simulator.Config{}, func(i *ill) { _ = i.sim.Suspend("octo", true) }, "app installation", "warning", "suspended on octo", "/settings/installations/"},
		"installed nowhere":             {simulator.Config{}, func(i *ill) { _ = i.sim.Uninstall("octo") }, "app installation", "warning", "nowhere", "/installations/new"},
		"not installed there":           {simulator.Config{}, func(i *ill) { i.repo = "octo/other" }, "repository", "error", "cannot see octo/other", "/installations/new"},
		"no such form of a name":        {simulator.Config{}, func(i *ill) { i.repo = "demo" }, "repository", "error", "OWNER/NAME", "OWNER/NAME"},
		"not worked for":                {simulator.Config{}, func(i *ill) { i.more = "installations: {allow: [acme]}\n" }, "repository", "error", "not among those", "add octo"},
		"the default branch is free":    {simulator.Config{}, func(i *ill) { _ = i.sim.SetProtected("octo", "demo", "main", false) }, "default branch", "warning", "not protected", "/settings/rules"},
		"the default branch has a rule": {simulator.Config{}, nil, "default branch", "ok", "protected", ""},
		"the default branch's ruleset": {simulator.Config{}, func(i *ill) {
			_ = i.sim.SetProtected("octo", "demo", "main", false)
			_ = i.sim.SetRuleset("octo", "demo", "main", true)
		}, "default branch", "ok", "protected", ""},
		"the label is not there":         {simulator.Config{}, nil, "label", "warning", "no label agent:fix", "/labels"},
		"the label of the file is there": {simulator.Config{}, func(i *ill) { i.more = "label: bug\n" }, "label", "ok", "bug is there", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := &ill{T: t, dir: t.TempDir(), repo: "octo/demo", addr: "127.0.0.1:1"}
			cfg := c.cfg
			cfg.Root = filepath.Join(i.dir, "github")
			var err error
			if i.sim, err = simulator.New(cfg); err != nil {
				t.Fatal(err)
			}
			go func() { _ = i.sim.Serve(context.Background()) }()
			t.Cleanup(func() { _ = i.sim.Close() })
			if err := i.sim.AddRepo("octo", "demo", lay(t, map[string]string{"a.py": "a = 1\n"})); err != nil {
				t.Fatal(err)
			}
			i.key(string(i.sim.PrivateKeyPEM()))
			if err := os.WriteFile(filepath.Join(i.dir, "secret"), []byte("s\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.do != nil {
				c.do(i)
			}
			got, there := i.lines()[c.line]
			if !there || got.Status != c.status || !strings.Contains(got.Detail, c.says) || !strings.Contains(got.Fix, c.cure) {
				t.Errorf("%+v, want %s with %q and %q", got, c.status, c.says, c.cure)
			}
		})
	}
}

// key writes the App's key; "other" is one that GitHub does not know.
func (i *ill) key(text string) {
	if text == "other" {
		made, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			i.Fatal(err)
		}
		text = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(made)}))
	}
	if err := os.WriteFile(filepath.Join(i.dir, "app.pem"), []byte(text), 0o600); err != nil {
		i.Fatal(err)
	}
}

func TestA1DoctorAsksEachEndpointForItsModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status              int
		list, tier          string
		line, verdict, says string
		cure                string
	}{
		"offered":                      {200, `{"data":[{"id":"m1"}]}`, "model: m1", "tier1", "ok", "offered", ""},
		"not offered, a successor is":  {200, `{"data":[{"id":"gpt-6-luna"},{"id":"gpt-6.1-sol"}]}`, "model: gpt-5", "tier1", "error", "does not offer this model", "model: gpt-6.1-sol"},
		"not offered, a near name is":  {200, `{"data":[{"id":"qwen2.5-coder:14b"}]}`, "model: \"qwen2.5-coder:7b\"", "tier1", "error", "does not offer", "model: qwen2.5-coder:14b"},
		"not offered, nothing is near": {200, `{"data":[{"id":"a"},{"id":"b"}]}`, "model: qwen", "tier1", "error", "does not offer", "a, b"},
		"offered until a day":          {200, `{"data":[{"id":"gpt-5"},{"id":"gpt-6.1-sol"}]}`, "model: gpt-5", "tier1", "warning", "2026-12-11", "model: gpt-6.1-sol"},
		"the list says until when":     {200, `{"data":[{"id":"m1","shutdown_date":"2020-01-01"}]}`, "model: m1", "tier1", "warning", "ended it on 2020-01-01", "another model"},
		"not told":                     {404, ``, "model: m1", "tier1", "ok", "was not seen", ""},
		"the key is refused":           {401, ``, "model: m1", "tier1", "error", "refuses the key", "renew"},
		"ill":                          {500, ``, "model: m1", "tier1", "warning", "500", "base_url"},
		"whatever is loaded":           {200, `{"data":[{"id":"x.gguf"}]}`, "preset: llama.cpp, model: m1", "tier1", "ok", "x.gguf", ""},
		"a substitute":                 {200, `{"data":[{"id":"model-1"}]}`, "model: model-1, substitute: {base_url: \"URL\", model: model-2, price_in_per_mtok: 1, price_out_per_mtok: 1}", "tier1 substitute", "error", "model-2", "model: model-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/models" {
					t.Errorf("asked for %s", r.URL)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.list)
			}))
			t.Cleanup(srv.Close)
			file := filepath.Join(t.TempDir(), "f.yml")
			text := "tiers:\n  tier1: {base_url: \"URL\", price_in_per_mtok: 1, price_out_per_mtok: 1, " + c.tier + "}\n"
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "URL", srv.URL+"/v1")), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := (&global{config: file}).load(io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.modelFindings(t.Context()) {
				if f.Name == c.line && (f.Status != c.verdict || !strings.Contains(f.Detail, c.says) || !strings.Contains(f.Fix, c.cure)) {
					t.Errorf("%+v, want %s with %q and %q", f, c.verdict, c.says, c.cure)
				}
			}
		})
	}
}
