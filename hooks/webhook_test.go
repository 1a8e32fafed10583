package hooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

const secret = "it is a secret"

// ledger stores deliveries as the store does: durably, each id once.
type ledger struct{ db *sql.DB }

func newLedger(t testing.TB) *ledger {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "d.db")+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(7000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err = db.Exec(`create table deliveries (id text primary key, event text, installation integer, payload blob)`); err != nil {
		t.Fatal(err)
	}
	return &ledger{db}
}

func (l *ledger) accept(ctx context.Context, id, event string, installation int64, payload []byte) (bool, error) {
	r, err := l.db.ExecContext(ctx, `insert into deliveries values (?,?,?,?) on conflict do nothing`, id, event, installation, payload)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n == 1, err
}

func (l *ledger) count(t testing.TB) int {
	t.Helper()
	n := 0
	if err := l.db.QueryRow(`select count(*) from deliveries`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func handler(accept func(context.Context, string, string, int64, []byte) (bool, error)) http.Handler {
	return Webhook(WebhookConfig{Secrets: [][]byte{[]byte("older secret"), []byte(secret)}, Accept: accept, MaxBytes: 2 << 20})
}

func signature(key string, body []byte) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

func request(id string, body []byte) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhook", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", "issues")
	r.Header.Set("X-GitHub-Delivery", id)
	r.Header.Set("X-Hub-Signature-256", signature(secret, body))
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var payload = []byte(`{"action":"labeled","installation":{"id":42}}`)

func TestF04BadSignaturesLeaveNoRow(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	h := handler(l.accept)
	one := hmac.New(sha1.New, []byte(secret))
	one.Write(payload)
	for name, change := range map[string]func(http.Header){
		"missing":        func(h http.Header) { h.Del("X-Hub-Signature-256") },
		"of another app": func(h http.Header) { h.Set("X-Hub-Signature-256", signature("another", payload)) },
		"of other bytes": func(h http.Header) { h.Set("X-Hub-Signature-256", signature(secret, []byte("{}"))) },
		"garbage":        func(h http.Header) { h.Set("X-Hub-Signature-256", "sha256=nonsense") },
		"SHA-1 only": func(h http.Header) {
			h.Del("X-Hub-Signature-256")
			h.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(one.Sum(nil)))
		},
		"bad, and no ids either": func(h http.Header) {
			h.Set("X-Hub-Signature-256", signature("another", payload))
			h.Del("X-GitHub-Delivery")
		},
	} {
		r := request("a", payload)
		change(r.Header)
		if w := serve(h, r); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if n := l.count(t); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestF04TooLargeIsRefused(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	h := handler(l.accept)
	body := append(bytes.Repeat([]byte(" "), 2<<20), '{', '}')
	if w := serve(h, request("a", body)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("declared length: %d", w.Code)
	}
	r := request("a", body)
	r.ContentLength, r.Body = -1, io.NopCloser(bytes.NewReader(body))
	if w := serve(h, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("unknown length: %d", w.Code)
	}
	exact := append(bytes.Repeat([]byte(" "), 2<<20-2), '{', '}')
	if w := serve(h, request("b", exact)); w.Code != http.StatusAccepted {
		t.Errorf("exactly the limit: %d %s", w.Code, w.Body)
	}
	if n := l.count(t); n != 1 {
		t.Errorf("%d rows", n)
	}
}

func TestF04DefaultLimitIs25MiB(t *testing.T) {
	t.Parallel()
	h := Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Accept: newLedger(t).accept})
	r := request("a", payload)
	r.ContentLength = 26 << 20
	if w := serve(h, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("26 MiB: %d", w.Code)
	}
}

func TestS1AnswersSayWhatBecameOfADelivery(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	h := handler(l.accept)
	form := []byte("payload=" + url.QueryEscape(string(payload)))
	for _, tc := range []struct {
		name   string
		body   []byte
		change func(*http.Request)
		status int
		says   string
	}{
		{"fresh", payload, nil, 202, "stored"},
		{"duplicate", payload, nil, 200, "duplicate"},
		{"older secret", payload, func(r *http.Request) {
			r.Header.Set("X-Hub-Signature-256", signature("older secret", payload))
			r.Header.Set("X-GitHub-Delivery", "b")
		}, 202, "stored"},
		{"ping", payload, func(r *http.Request) {
			r.Header.Set("X-GitHub-Event", "ping")
			r.Header.Set("X-GitHub-Delivery", "p")
		}, 200, "pong"},
		{"form", form, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
			r.Header.Set("X-GitHub-Delivery", "f")
		}, 202, "stored"},
		{"form without payload", []byte("x=1"), func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 400, "payload"},
		{"no delivery id", payload, func(r *http.Request) { r.Header.Del("X-GitHub-Delivery") }, 400, "X-GitHub-Delivery"},
		{"odd delivery id", payload, func(r *http.Request) { r.Header.Set("X-GitHub-Delivery", "a\x1b[0m b") }, 400, "X-GitHub-Delivery"},
		{"no event", payload, func(r *http.Request) { r.Header.Del("X-GitHub-Event") }, 400, "X-GitHub-Event"},
		{"odd content type", payload, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "content type"},
		{"not JSON", []byte("{"), nil, 400, "JSON"},
		{"not an object", []byte("[1]"), nil, 400, "JSON"},
		{"GET", nil, func(r *http.Request) { r.Method = http.MethodGet }, 405, "POST"},
	} {
		r := request("a", tc.body)
		if tc.change != nil {
			tc.change(r)
		}
		w := serve(h, r)
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
			t.Errorf("%s: %d %s; want %d %q", tc.name, w.Code, w.Body, tc.status, tc.says)
		}
	}
	var got []byte
	var installation int64
	if err := l.db.QueryRow(`select payload, installation from deliveries where id = 'f'`).Scan(&got, &installation); err != nil || !bytes.Equal(got, payload) || installation != 42 {
		t.Errorf("stored %q of installation %d, %v", got, installation, err)
	}
}

func TestF10StoreThatFailsIs503(t *testing.T) {
	t.Parallel()
	for name, accept := range map[string]func(context.Context, string, string, int64, []byte) (bool, error){
		"error": func(context.Context, string, string, int64, []byte) (bool, error) {
			return false, errors.New("disk full")
		},
		"panic": func(context.Context, string, string, int64, []byte) (bool, error) { panic("broken") },
	} {
		w := serve(handler(accept), request("a", payload))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
}

func TestF11StoreThatHangsIs503InTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	h := Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Timeout: 50 * time.Millisecond, Accept: func(context.Context, string, string, int64, []byte) (bool, error) {
		<-release // deaf to its context
		return true, nil
	}})
	start := time.Now()
	if w := serve(h, request("a", payload)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d", w.Code)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("answered after %v", d)
	}
}

func TestSlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(Webhook(WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Timeout: 100 * time.Millisecond, Accept: newLedger(t).accept}))
	t.Cleanup(s.Close)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: 1000\r\n\r\n{")
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	answer, err := io.ReadAll(conn)
	if err != nil || !bytes.Contains(answer, []byte("408")) {
		t.Errorf("%q %v", answer, err)
	}
}

func TestF02TheSameDeliveryAHundredTimesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	s := httptest.NewServer(handler(l.accept))
	t.Cleanup(s.Close)
	codes := send(t, s.URL, 100, func(int) string { return "same" })
	if codes[202] != 1 || codes[200] != 99 || l.count(t) != 1 {
		t.Errorf("answers %v, %d rows", codes, l.count(t))
	}
}

func TestL01EveryAcceptedDeliveryIsStored(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	s := httptest.NewServer(handler(l.accept))
	t.Cleanup(s.Close)
	const n = 1000
	codes := send(t, s.URL, n, func(i int) string { return fmt.Sprint("d-", i) })
	if codes[202] != n || l.count(t) != n {
		t.Errorf("answers %v, %d rows", codes, l.count(t))
	}
}

// send posts n deliveries by 50 senders and counts the answers.
func send(t *testing.T, url string, n int, id func(int) string) map[int]int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
	defer client.CloseIdleConnections()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		codes = map[int]int{}
		work  = make(chan int)
	)
	for range 50 {
		wg.Go(func() {
			for i := range work {
				r := request(id(i), payload)
				out, _ := http.NewRequest(http.MethodPost, url, bytes.NewReader(payload))
				out.Header = r.Header
				resp, err := client.Do(out)
				if err != nil {
					t.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				mu.Lock()
				codes[resp.StatusCode]++
				mu.Unlock()
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	return codes
}

func FuzzWebhook(f *testing.F) {
	f.Add("application/json", "a", "issues", payload)
	f.Add("application/x-www-form-urlencoded", "a", "ping", []byte("payload=%7B%7D"))
	f.Add("application/json", "", "", []byte(`  `))
	f.Fuzz(func(t *testing.T, kind, id, event string, body []byte) {
		stored := 0
		h := handler(func(_ context.Context, id, event string, _ int64, p []byte) (bool, error) {
			stored++
			if id == "" || event == "" || len(p) == 0 {
				t.Fatalf("stored %q %q %q", id, event, p)
			}
			return true, nil
		})
		r := request(id, body)
		r.Header["Content-Type"], r.Header["X-Github-Event"] = []string{kind}, []string{event}
		if w := serve(h, r); w.Code/100 == 2 && stored != 1 {
			t.Fatalf("answered %d, stored %d", w.Code, stored)
		}
		r = request(id, body)
		r.Header.Set("X-Hub-Signature-256", signature("wrong", body))
		if w := serve(h, r); w.Code != http.StatusUnauthorized && w.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("wrong signature: %d", w.Code)
		}
	})
}

func BenchmarkWebhook(b *testing.B) {
	h := handler(newLedger(b).accept)
	body := append([]byte(`{"installation":{"id":42},"pad":"`), append(bytes.Repeat([]byte("x"), 20<<10), '"', '}')...)
	b.SetBytes(int64(len(body)))
	for i := 0; b.Loop(); i++ {
		if w := serve(h, request(fmt.Sprint(i), body)); w.Code != http.StatusAccepted {
			b.Fatal(w.Code)
		}
	}
}
