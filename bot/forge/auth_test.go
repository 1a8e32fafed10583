package forge

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

func TestF12AppJWTIsBackDatedAMinute(t *testing.T) {
	t.Parallel()
	f, now := newFake(t), newClock()
	f.now = now.now
	c := testClient(t, f.URL, func(cfg *Config) { cfg.Now = now.now })
	for _, jump := range []time.Duration{0, 25 * time.Hour, -49 * time.Hour} {
		now.add(jump)
		_, err := c.token(context.Background(), 7, "shop", f.lastToken())
		ok(t, err)
		claims := &jwt.RegisteredClaims{}
		_, _, err = jwt.NewParser().ParseUnverified(f.lastJWT(), claims)
		ok(t, err)
		if got := now.now().Sub(claims.IssuedAt.Time); got != time.Minute {
			t.Errorf("issued %v ago, want a minute", got)
		}
		if life := claims.ExpiresAt.Sub(now.now()); life <= 0 || life > 10*time.Minute {
			t.Errorf("lives for %v, GitHub takes at most 10 minutes", life)
		}
		if claims.Issuer != "4711" {
			t.Errorf("issuer %q", claims.Issuer)
		}
	}
}

// lastToken is the newest installation token, so that it counts as refused.
func (f *fake) lastToken() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tokens == 0 {
		return ""
	}
	return fmt.Sprintf("ghs_%d", f.tokens)
}

func (f *fake) lastJWT() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.auths) - 1; i >= 0; i-- {
		if strings.Count(f.auths[i], ".") == 2 {
			return f.auths[i]
		}
	}
	return ""
}

func TestX1TokenIsForOneRepositoryAndFewPermissions(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	tok, err := c.Token(context.Background(), 7, "acme/shop")
	ok(t, err)
	var asked struct {
		Repositories []string          `json:"repositories"`
		Permissions  map[string]string `json:"permissions"`
	}
	ok(t, json.Unmarshal([]byte(f.writes()), &asked))
	want := map[string]string{"contents": "write", "issues": "write", "pull_requests": "write", "checks": "write", "metadata": "read"}
	if len(asked.Repositories) != 1 || asked.Repositories[0] != "shop" || len(asked.Permissions) != len(want) {
		t.Errorf("asked for %+v", asked)
	}
	for k, v := range want {
		if asked.Permissions[k] != v {
			t.Errorf("%s: %q, want %q", k, asked.Permissions[k], v)
		}
	}
	if !c.cfg.Funnel.(*recordingFunnel).knows(tok) {
		t.Error("the funnel does not know the token")
	}
}

func TestF07TokenIsCachedAndRenewedFiveMinutesBeforeItExpires(t *testing.T) {
	t.Parallel()
	f, now := newFake(t), newClock()
	f.now = now.now
	c := testClient(t, f.URL, func(cfg *Config) { cfg.Now = now.now })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Token(context.Background(), 7, "shop"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if f.tokens != 1 {
		t.Fatalf("%d tokens made for 20 callers, want 1", f.tokens)
	}
	now.add(55*time.Minute - time.Second)
	first, err := c.Token(context.Background(), 7, "shop")
	ok(t, err)
	now.add(time.Second)
	second, err := c.Token(context.Background(), 7, "shop")
	ok(t, err)
	if first == second || f.tokens != 2 {
		t.Errorf("token %q, then %q five minutes before its end; %d made", first, second, f.tokens)
	}
	if _, err = c.Token(context.Background(), 8, "shop"); err != nil || f.tokens != 3 {
		t.Errorf("another installation has to get its own token: %v, %d made", err, f.tokens)
	}
}

func TestF07ExpiredTokenInMidRunIsReplacedOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := testClient(t, f.URL, nil)
	_, err := c.Issue(context.Background(), testRepo(), 1)
	ok(t, err)
	f.mu.Lock()
	f.refused["ghs_1"] = true
	f.mu.Unlock()
	_, err = c.Comment(context.Background(), testRepo(), 1, "k", "hello")
	ok(t, err)
	if f.tokens != 2 || len(f.comments) != 1 {
		t.Errorf("%d tokens, %d comments; want 2 and 1", f.tokens, len(f.comments))
	}
	f.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/access_tokens") {
			return false
		}
		reply(w, 401, map[string]any{"message": "Bad credentials"})
		return true
	})
	before := len(f.calls())
	if _, err = c.Issue(context.Background(), testRepo(), 1); status(err) != 401 {
		t.Errorf("got %v, want the 401", err)
	}
	if n := len(f.calls()) - before; n != 3 {
		t.Errorf("%d requests, want try, new token, try: %v", n, f.calls()[before:])
	}
}

func TestF07UninstalledAppIsGone(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"uninstalled": func(w http.ResponseWriter) { reply(w, 404, map[string]any{"message": "Not Found"}) },
		"suspended": func(w http.ResponseWriter) {
			reply(w, 403, map[string]any{"message": "This installation has been suspended"})
		},
		"repository lost": func(w http.ResponseWriter) {
			reply(w, 422, map[string]any{"message": "There is at least one repository that does not exist or is not accessible to the parent installation."})
		},
	} {
		f := newFake(t)
		f.setFault(times(-1, "POST", "/access_tokens", answer))
		c := testClient(t, f.URL, nil)
		_, err := c.Issue(context.Background(), testRepo(), 1)
		if !IsGone(err) {
			t.Errorf("%s: %v is not gone", name, err)
		}
		if n := count(f.calls(), "POST"); n != 1 {
			t.Errorf("%s: asked %d times, want once", name, n)
		}
	}
}

func TestX1TokenGoesNowhereElse(t *testing.T) {
	t.Parallel()
	var stolen []string
	other := httptestServer(t, func(w http.ResponseWriter, r *http.Request) { stolen = append(stolen, r.Header.Get("Authorization")) })
	f := newFake(t)
	f.setFault(times(1, "GET", "/issues/1", func(w http.ResponseWriter) {
		w.Header().Set("Location", other+"/repos/x/y/issues/1")
		w.WriteHeader(http.StatusMovedPermanently)
	}))
	c := testClient(t, f.URL, nil)
	if _, err := c.Issue(context.Background(), testRepo(), 1); err == nil || len(stolen) != 0 {
		t.Errorf("err %v, the other host saw %q", err, stolen)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	good := Config{AppID: 1, PrivateKey: pemKey(), Funnel: &recordingFunnel{}}
	for name, change := range map[string]func(*Config){
		"no funnel":    func(c *Config) { c.Funnel = nil },
		"no id":        func(c *Config) { c.AppID = 0 },
		"no key":       func(c *Config) { c.PrivateKey = []byte("nonsense") },
		"clear text":   func(c *Config) { c.BaseURL = "http://ghe.example.org" },
		"not a URL":    func(c *Config) { c.BaseURL = "ghe" },
		"credentials":  func(c *Config) { c.BaseURL = "https://u:p@ghe.example.org" },
		"other scheme": func(c *Config) { c.BaseURL = "file:///etc" },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), "u:p") || strings.Contains(err.Error(), "BEGIN RSA") {
			t.Errorf("%s: the error shows a secret: %v", name, err)
		}
	}
	for in, want := range map[string]string{
		"": "https://api.github.com/", "https://github.com": "https://api.github.com/", "https://ghe.example.org": "https://ghe.example.org/api/v3/",
		"https://ghe.example.org/api/v3": "https://ghe.example.org/api/v3/", "http://127.0.0.1:99/": "http://127.0.0.1:99/api/v3/", "https://api.acme.ghe.com": "https://api.acme.ghe.com/",
	} {
		u, err := apiURL(in)
		if err != nil || u.String() != want {
			t.Errorf("apiURL(%q) = %v, %v; want %s", in, u, err, want)
		}
	}
}

func TestErrorsCanBeTold(t *testing.T) {
	t.Parallel()
	var limited *RateLimited
	if err := error(&RateLimited{}); !errors.As(err, &limited) || IsGone(err) || unsure(err) {
		t.Error("a rate limit is neither gone nor unsure")
	}
}

// TestX6TheAppsKeyIsReplacedWithoutARestart: each signature is with the key as it is in
// its file; a file that is half written leaves the old one serving.
func TestX6TheAppsKeyIsReplacedWithoutARestart(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	pemOf := func(k *rsa.PrivateKey) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})
	}
	next, err := rsa.GenerateKey(rand.Reader, 2048)
	ok(t, err)
	var file []byte
	var gone error
	var first *rsa.PrivateKey
	c := testClient(t, f.URL, func(cfg *Config) {
		file = cfg.PrivateKey
		first, err = jwt.ParseRSAPrivateKeyFromPEM(file)
		ok(t, err)
		cfg.ReadKey = func() ([]byte, error) { return file, gone }
	})
	for _, step := range []struct {
		file []byte
		gone error
		key  *rsa.PrivateKey
	}{{file, nil, first}, {pemOf(next), nil, next}, {[]byte("half"), nil, next}, {nil, errors.New("gone"), next}, {pemOf(first), nil, first}} {
		file, gone = step.file, step.gone
		_, err := c.token(context.Background(), 7, "shop", f.lastToken())
		ok(t, err)
		if _, err := jwt.Parse(f.lastJWT(), func(*jwt.Token) (any, error) { return &step.key.PublicKey, nil }, jwt.WithoutClaimsValidation()); err != nil {
			t.Errorf("with the file %.30q (%v): %v", step.file, step.gone, err)
		}
	}
}
