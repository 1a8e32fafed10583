package simulator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/forge/simulator"
)

func TestAppTokensAreVerifiedAsOnGitHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(200, "GET", "/app", w.jwt(nil), nil)
	w.call(200, "GET", "/app", w.jwt(map[string]any{"iss": "77"}), nil)
	now := w.clock.Now()
	for name, claims := range map[string]map[string]any{
		"expired":                {"exp": now.Add(-time.Second).Unix()},
		"eleven minutes ahead":   {"exp": now.Add(11 * time.Minute).Unix()},
		"issued in the future":   {"iat": now.Add(time.Minute).Unix()},
		"without an expiry":      {"exp": nil},
		"expiry is not a number": {"exp": "soon"},
	} {
		if r := w.call(401, "GET", "/app", w.jwt(claims), nil); r.message() == "" {
			t.Errorf("%s: no message", name)
		}
	}
	w.call(404, "GET", "/app", w.jwt(map[string]any{"iss": 78}), nil)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	w.call(401, "GET", "/app", signed(t, other, w.claims(nil)), nil)
	w.call(401, "GET", "/app", "a.b.c", nil)
	w.call(401, "GET", "/app", "", nil)
	none := strings.Join([]string{"eyJhbGciOiJub25lIn0", strings.Split(w.jwt(nil), ".")[1], ""}, ".")
	w.call(401, "GET", "/app", none, nil)
}

func TestInstallationTokensExpireAndAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.s.AddRepo("octo", "other", ""); err != nil {
		t.Fatal(err)
	}
	if err := w.s.AddRepo("stranger", "demo", ""); err != nil {
		t.Fatal(err)
	}
	whole := w.token(nil)
	narrow := w.token(map[string]any{"repositories": []string{"demo"}, "permissions": map[string]string{"issues": "read"}})
	if !strings.HasPrefix(whole, "ghs_") || len(whole) != 40 {
		t.Errorf("a token has GitHub's shape, got %q", whole)
	}
	w.call(200, "GET", "/repos/octo/other", whole, nil)
	w.call(404, "GET", "/repos/octo/other", narrow, nil)
	w.call(404, "GET", "/repos/stranger/demo", whole, nil)
	w.call(404, "GET", repo, "", nil)
	w.call(200, "GET", repo+"/issues", narrow, nil)
	r := w.call(403, "POST", repo+"/issues", narrow, map[string]any{"title": "x"})
	if r.message() != "Resource not accessible by integration" || r.header.Get("X-Accepted-GitHub-Permissions") != "issues=write" {
		t.Errorf("got %q, %v", r.message(), r.header)
	}
	w.call(403, "GET", repo, w.jwt(nil), nil)
	if n := len(w.call(200, "GET", "/installation/repositories", narrow, nil).body["repositories"].([]any)); n != 1 {
		t.Errorf("the narrow token sees %d repositories", n)
	}

	w.clock.Turn(61 * time.Minute)
	if r := w.call(401, "GET", repo, whole, nil); r.message() != "Bad credentials" {
		t.Errorf("got %q", r.message())
	}
	w.call(200, "GET", repo, w.token(nil), nil)
}

func TestTokenRequestsBeyondTheInstallationAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.call(200, "GET", "/app/installations", w.jwt(nil), nil)
	if len(in.list) != 1 {
		t.Fatalf("%d installations", len(in.list))
	}
	for _, ask := range []map[string]any{
		{"repositories": []string{"nowhere"}},
		{"repository_ids": []int{1}},
		{"permissions": map[string]string{"administration": "write"}},
		{"permissions": map[string]string{"statuses": "write"}},
	} {
		w.call(422, "POST", "/app/installations/1001/access_tokens", w.jwt(nil), ask)
	}
	w.call(404, "POST", "/app/installations/9/access_tokens", w.jwt(nil), nil)
}

func TestSuspendedInstallationsLoseTheirTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tok := w.token(nil)
	if err := w.s.Suspend("octo", true); err != nil {
		t.Fatal(err)
	}
	w.call(401, "GET", repo, tok, nil)
	w.call(403, "POST", "/app/installations/1001/access_tokens", w.jwt(nil), nil)
	w.call(200, "GET", "/app/installations/1001", w.jwt(nil), nil)
	if err := w.s.Suspend("octo", false); err != nil {
		t.Fatal(err)
	}
	w.call(200, "GET", repo, tok, nil)
	if err := w.s.Uninstall("octo"); err != nil {
		t.Fatal(err)
	}
	w.call(401, "GET", repo, tok, nil)
	w.call(404, "GET", repo+"/installation", w.jwt(nil), nil)
	w.call(404, "POST", "/app/installations/1001/access_tokens", w.jwt(nil), nil)
	if err := w.s.Uninstall("octo"); err == nil {
		t.Error("it was not installed")
	}
}

func TestRateLimitHeadersCountDownAndTheLimitHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *simulator.Config) { c.RateLimit = 3 })
	tok := w.token(nil)
	for _, left := range []string{"2", "1", "0"} {
		if r := w.call(200, "GET", repo, tok, nil); r.header.Get("X-RateLimit-Remaining") != left || r.header.Get("X-GitHub-Request-Id") == "" {
			t.Errorf("want %s left, got %v", left, r.header)
		}
	}
	r := w.call(403, "GET", repo, tok, nil)
	if !strings.HasPrefix(r.message(), "API rate limit exceeded") {
		t.Errorf("got %q", r.message())
	}
	w.call(200, "GET", "/rate_limit", tok, nil)
	w.clock.Turn(59 * time.Minute)
	w.call(403, "GET", repo, tok, nil)
	w.clock.Turn(time.Minute)
	w.call(200, "GET", "/rate_limit", w.token(nil), nil)
}
