package web

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite" // rows are copied by SQL

	"github.com/fettle-dev/fettle/hooks"
)

const (
	storedRuns     = 10_000
	storedMessages = 100_000
	streams        = 500
)

// stored is a site with 10,000 runs of 90 days in 40 repositories, 100,000 messages, 60 runs
// that wait, and 20,000 deliveries: rows that the store wrote, copied by SQL.
func stored(b *testing.B) *site {
	b.Helper()
	s := newSite(b)
	s.fill(strings.Repeat("it is broken in many ways ", 8))
	db, err := sql.Open("sqlite", s.file)
	s.must(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("PRAGMA busy_timeout = 60000")
	s.must(err)
	copies := func(table, where string, n int, change map[string]string) {
		b.Helper()
		names := columns(s, db, table)
		values := slices.Clone(names)
		for i, name := range names {
			if c, ok := change[name]; ok {
				values[i] = c
			}
		}
		_, err := db.Exec(fmt.Sprintf("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d) INSERT INTO %s (%s) SELECT %s FROM n, %s WHERE %s",
			n, table, strings.Join(names, ", "), strings.Join(values, ", "), table, where))
		s.must(err)
	}
	ago := func(column string) string { return fmt.Sprintf("%s - n * %d", column, 90*dayMicros/storedRuns) }
	id, repo := "printf('%s-%05d', id, n)", "'acme/repo' || (n % 40)"
	run := map[string]string{"id": id, "repo": repo, "issue": "100 + n", "created_at": ago("created_at"), "started_at": ago("started_at"), "ended_at": ago("ended_at")}
	copies("runs", "id = 'well'", storedRuns*7/10, run)
	copies("runs", "id = 'badly'", storedRuns*3/10-60, map[string]string{"id": id, "repo": repo, "issue": "20000 + n", "created_at": ago("created_at"), "started_at": ago("started_at"), "ended_at": ago("ended_at")})
	copies("runs", "id = 'waits'", 60, map[string]string{"id": id, "repo": repo, "issue": "40000 + n"})
	for what, share := range map[string]int{"well": storedRuns * 7 / 10, "badly": storedRuns*3/10 - 60} {
		of := map[string]string{"run": "printf('%s-%05d', run, n)"}
		copies("decisions", "run = '"+what+"'", share, of)
		copies("observations", "run = '"+what+"'", share, of)
		for i := range storedMessages / storedRuns / 2 {
			copies("messages", "run = '"+what+"'", share, map[string]string{"run": of["run"], "seq": "seq + " + strconv.Itoa(2*i)})
		}
	}
	copies("messages", "run = 'waits'", 60*storedMessages/storedRuns, map[string]string{"seq": "seq + 2 * n"})
	copies("pulls", "run = 'well'", storedRuns/2, map[string]string{"repo": repo, "number": "100 + n", "issue": "100 + n", "run": "printf('%s-%05d', run, n)", "fate": "CASE n % 3 WHEN 0 THEN 'merged' WHEN 1 THEN 'changed' ELSE 'closed' END"})
	copies("deliveries", "id = 'd-acme'", 2*storedRuns, map[string]string{"id": id, "received_at": ago("received_at")})
	var runs, messages int
	s.must(db.QueryRow("SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM messages)").Scan(&runs, &messages))
	if runs < storedRuns || messages < storedMessages*99/100 {
		b.Fatalf("%d runs and %d messages are stored", runs, messages)
	}
	return s
}

func columns(s *site, db *sql.DB, table string) (names []string) {
	rows, err := db.Query("SELECT name FROM pragma_table_info($1)", table)
	s.must(err)
	defer rows.Close()
	for rows.Next() {
		var name string
		s.must(rows.Scan(&name))
		names = append(names, name)
	}
	s.must(rows.Err())
	return names
}

const dayMicros = int64(24 * time.Hour / time.Microsecond)

// BenchmarkPages measures how long the server takes for a page, from request to the last
// byte, and its bytes on the wire, beside a plain handler that sends the same bytes.
func BenchmarkPages(b *testing.B) {
	s := stored(b)
	c := s.browser(s.token(true))
	c.Transport = &http.Transport{DisableCompression: true}
	get := func(url string) (time.Duration, []byte) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		s.must(err)
		req.Header.Set("Accept-Encoding", "gzip")
		begun := time.Now()
		res, err := c.Do(req)
		s.must(err)
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		s.must(err)
		if res.StatusCode != http.StatusOK || len(body) == 0 {
			b.Fatalf("%s answers %s", url, res.Status)
		}
		return time.Since(begun), body
	}
	for _, page := range []string{"/runs", "/runs?state=done&outcome=failed_all_tiers", "/runs?q=nothing+like+it", "/runs?repo=acme%2Frepo3&tier=tier1", "/runs/well-00042", "/runs/well-00042?view=split", "/runs/waits/conversation", "/runs/well-00042/conversation",
		"/approvals", "/repositories", "/tiers", "/deliveries", "/health", "/api/v1/runs?limit=200", "/api/v1/repositories", "/api/v1/runs/well-00042"} {
		b.Run(strings.TrimPrefix(page, "/"), func(b *testing.B) {
			_, body := get(s.url + page)
			plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
			defer plain.Close()
			var ours, theirs []time.Duration
			for b.Loop() {
				took, _ := get(s.url + page)
				ours = append(ours, took)
				took, _ = get(plain.URL)
				theirs = append(theirs, took)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(body)), "wire-B")
			b.ReportMetric(quantile(ours, 0.5), "p50-ms")
			b.ReportMetric(quantile(ours, 0.95), "p95-ms")
			b.ReportMetric(quantile(theirs, 0.95), "plain-p95-ms")
		})
	}
}

func quantile(all []time.Duration, q float64) float64 {
	slices.Sort(all)
	return float64(all[min(len(all)-1, int(q*float64(len(all))))].Microseconds()) / 1000
}

// listen opens event streams, and reads the first byte of each.
func (s *site) listen(n int) (leave func()) {
	s.Helper()
	token := s.token(false)
	var all []net.Conn
	for range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		s.must(err)
		_, err = fmt.Fprintf(c, "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", token)
		s.must(err)
		line := make([]byte, 15)
		_, err = io.ReadFull(c, line)
		if s.must(err); string(line) != "HTTP/1.1 200 OK" {
			s.Fatalf("a stream is answered with %s", line)
		}
		go func() { // it reads along
			for buf := make([]byte, 256); ; {
				if _, err := c.Read(buf); err != nil {
					return
				}
			}
		}()
		all = append(all, c)
	}
	s.readers(n)
	return func() {
		for _, c := range all {
			c.Close()
		}
		s.readers(0)
	}
}

// resident is how much memory the process has, in bytes.
func resident(b *testing.B) int {
	b.Helper()
	debug.FreeOSMemory()
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("SKIPPED: there is no /proc here")
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// BenchmarkStreams measures what 500 event streams hold, their readers in the same process
// counted with them.
func BenchmarkStreams(b *testing.B) {
	s := filled(b)
	for b.Loop() {
		before := resident(b)
		leave := s.listen(streams)
		for range 20 { // each hears of changes
			s.must(s.srv.hub.look(b.Context()))
			s.srv.hub.mu.Lock()
			s.srv.hub.known = nil
			s.srv.hub.mu.Unlock()
		}
		b.ReportMetric(float64(resident(b)-before)/1e6, "MB")
		leave()
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWebhookBesideReaders measures how long deliveries take to be stored, alone and
// while 500 streams are open and pages are read, in turns.
func BenchmarkWebhookBesideReaders(b *testing.B) {
	s := stored(b)
	watching, stop := context.WithCancel(b.Context())
	var done sync.WaitGroup
	done.Go(func() { s.srv.Watch(watching) })
	defer done.Wait()
	defer stop()
	reader := s.browser(s.token(false))
	const secret = "a webhook's secret"
	door := httptest.NewServer(hooks.Webhook(hooks.WebhookConfig{Secrets: [][]byte{[]byte(secret)}, Accept: s.app.Accept, Log: s.log}))
	b.Cleanup(door.Close)
	n := 0
	deliver := func() (all []time.Duration) {
		body := []byte(`{"action":"opened","installation":{"id":7},"repository":{"name":"shop","owner":{"login":"acme"}}}`)
		for range 500 {
			n++
			req, err := http.NewRequest(http.MethodPost, door.URL, bytes.NewReader(body))
			s.must(err)
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write(body)
			req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
			req.Header.Set("X-GitHub-Event", "issues")
			req.Header.Set("X-GitHub-Delivery", fmt.Sprint("bench-", n))
			req.Header.Set("Content-Type", "application/json")
			begun := time.Now()
			res, err := http.DefaultClient.Do(req)
			s.must(err)
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			if all = append(all, time.Since(begun)); res.StatusCode >= 300 {
				b.Fatalf("the webhook answers %s", res.Status)
			}
		}
		return all
	}
	var alone, beside, ratios []float64
	for b.Loop() {
		before := quantile(deliver(), 0.99)
		leave := s.listen(streams)
		reading, enough := context.WithCancel(b.Context())
		var read sync.WaitGroup
		read.Go(func() {
			for i := 0; reading.Err() == nil; i++ {
				s.get(reader, []string{"/runs", "/tiers", "/runs/well-00042"}[i%3])
				time.Sleep(100 * time.Millisecond) // somebody reads pages
			}
		})
		after := quantile(deliver(), 0.99)
		enough()
		read.Wait()
		leave()
		alone, beside, ratios = append(alone, before), append(beside, after), append(ratios, after/before)
	}
	for name, all := range map[string][]float64{"alone-p99-ms": alone, "beside-p99-ms": beside, "ratio": ratios} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], name)
	}
	b.ReportMetric(0, "ns/op")
}
