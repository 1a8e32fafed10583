package forge

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

const testAppID = 4711

var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func pemKey() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())})
}

// recordingFunnel is a funnel whose work can be seen.
type recordingFunnel struct {
	mu      sync.Mutex
	secrets []string
}

func (f *recordingFunnel) AddToken(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secrets = append(f.secrets, s)
}

func (f *recordingFunnel) Comment(s string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.secrets {
		s = strings.ReplaceAll(s, x, "[redacted]")
	}
	return strings.ReplaceAll(s, "CANARY", "[redacted]")
}

func (f *recordingFunnel) Message(s string) string { return f.Comment(s) }

func (f *recordingFunnel) JSON(doc []byte) []byte { return []byte(f.Comment(string(doc))) }

func (f *recordingFunnel) knows(s string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.secrets {
		if x == s {
			return true
		}
	}
	return false
}

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func testClient(t testing.TB, url string, change func(*Config)) *Client {
	t.Helper()
	cfg := Config{AppID: testAppID, PrivateKey: pemKey(), BaseURL: url, Funnel: &recordingFunnel{}, RetryPause: time.Millisecond, MarkerKey: []byte("a key of sixteen")}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ledger is one in memory.
type ledger struct{ made map[string]bool }

func newLedger() *ledger { return &ledger{made: map[string]bool{}} }

func (l *ledger) Made(_ context.Context, sha string) error {
	l.made[sha] = true
	return nil
}

func (l *ledger) IsOurs(_ context.Context, sha string) (bool, error) { return l.made[sha], nil }

func testRepo() task.Repo { return task.Repo{Installation: 7, Owner: "acme", Name: "shop"} }

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func count(all []string, prefix string) int {
	n := 0
	for _, s := range all {
		if strings.HasPrefix(s, prefix) {
			n++
		}
	}
	return n
}

func httptestServer(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
