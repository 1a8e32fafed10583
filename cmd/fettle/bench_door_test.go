package main

import (
	"bufio"
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
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	benchSecret  = "bench-webhook-secret"
	benchCallers = 64
)

// door measures the idle server's memory, then its webhook under load beside
// a handler that reads the body and answers 202.
func (b *bencher) door() {
	b.Helper()
	sim, said := b.start(regexp.MustCompile(`simulator is at (\S+) \(app_id (\d+), private_key_file (\S+)\)`),
		b.command(b.fettle, "simulate", "--addr", "127.0.0.1:0", "--webhook-url", "http://127.0.0.1:9/webhook", "--state", filepath.Join(b.dir, "sim")))
	defer b.stop(sim)
	conf, secret := filepath.Join(b.dir, "serve.yml"), filepath.Join(b.dir, "webhook-secret")
	text := fmt.Sprintf("state_dir: %s\ngithub:\n  base_url: %s\n  app_id: %s\n  private_key_file: %s\n  webhook_secret_file: %s\n",
		filepath.Join(b.dir, "served"), said[1], said[2], said[3], secret)
	for name, content := range map[string]string{conf: text, secret: benchSecret + "\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	serve, said := b.start(regexp.MustCompile(`listening on (\S+)`), b.command(b.fettle, "serve", "--config", conf, "--addr", "127.0.0.1:0"))
	defer b.stop(serve)
	bareCmd := b.command(os.Args[0], "-test.run", "^TestBenchBareHandler$", "-test.v")
	bareCmd.Env = append(bareCmd.Env, "FETTLE_BENCH_BARE=1")
	bare, bareSaid := b.start(regexp.MustCompile(`listening on (\S+)`), bareCmd)
	defer b.stop(bare)

	b.pause(10 * time.Second)
	own, below := rss(b.T, serve.Process.Pid)
	peer, _ := rss(b.T, bare.Process.Pid)
	b.row("memory of the idle server", fmt.Sprintf("%d MB", own>>20), fmt.Sprintf("bare server %d MB", peer>>20),
		fmt.Sprintf("+%d MB", (own-peer)>>20), "< 60 MB", own < 60<<20)
	b.note("idle server: the processes that it started hold %d MB more", below>>20)

	ours := &loader{b: b, url: said[1] + "/webhook"}
	theirs := &loader{b: b, url: bareSaid[1]}
	steady, calm := ours.steady("steady", 200, 30*time.Second), theirs.steady("steady", 200, 5*time.Second)
	b.row("webhooks at 200/s for 30 s, p99", ms(percentile(steady, 99)), "bare handler "+ms(percentile(calm, 99)),
		fmt.Sprintf("+%s", ms(percentile(steady, 99)-percentile(calm, 99))), "< 250 ms", percentile(steady, 99) < 250*time.Millisecond)
	flat, quick := ours.flat("flat", 10*time.Second), theirs.flat("flat", 5*time.Second)
	rate, bareRate := float64(len(flat))/10, float64(len(quick))/5
	b.row("webhooks stored, 64 callers for 10 s", fmt.Sprintf("%.0f/s", rate), fmt.Sprintf("bare handler %.0f/s", bareRate), fmt.Sprintf("1 : %.1f", bareRate/rate), ">= 1000/s", rate >= 1000)
	b.row("  their p99", ms(percentile(flat, 99)), "bare handler "+ms(percentile(quick, 99)), "", "< 250 ms", percentile(flat, 99) < 250*time.Millisecond)
	b.peers(rate, percentile(flat, 99))
	sent := len(steady) + len(flat)
	stored, done := b.stored()
	b.row("  answered 202 and in the database", strconv.Itoa(stored), fmt.Sprintf("of %d", sent), "", "all", stored == sent)
	b.note("webhooks: %d KB each, one client process on the same cores; %d of %d were also handled when the load ended", len(benchPayload())>>10, done, stored)
}

// peers measures the same load on two servers of Node.js: Probot, which keeps
// deliveries in memory, and the least that writes each to SQLite before it answers.
func (b *bencher) peers(rate float64, worst time.Duration) {
	b.Helper()
	dir := os.Getenv("FETTLE_BENCH_PEERS")
	if dir == "" {
		b.note("not beside Probot and a Node.js server with SQLite: npm could not install them here")
		return
	}
	for _, peer := range []struct {
		name, script string
		aim          float64
	}{{"Probot, in memory", "probot.mjs", 1}, {"Node.js, each in SQLite", "sqlite.mjs", 5}} {
		c := b.command(os.Getenv("FETTLE_BENCH_NODE"), "--no-warnings", filepath.Join(dir, peer.script))
		c.Env = append(os.Environ(), "BENCH_SECRET="+benchSecret, "BENCH_DB="+filepath.Join(b.dir, peer.script+".db"), "NODE_ENV=production")
		server, said := b.start(regexp.MustCompile(`listening on (\S+)`), c)
		taken := (&loader{b: b, url: said[1] + "/webhook"}).flat(peer.script, 10*time.Second)
		b.stop(server)
		theirs := float64(len(taken)) / 10
		b.row("  beside "+peer.name, fmt.Sprintf("%.0f/s, p99 %s", rate, ms(worst)), fmt.Sprintf("%.0f/s, p99 %s", theirs, ms(percentile(taken, 99))),
			fmt.Sprintf("%.1f×", rate/theirs), fmt.Sprintf(">= %.0f×", peer.aim), rate >= peer.aim*theirs)
	}
}

// start starts a server and waits for the line by which it says where it is.
func (b *bencher) start(ready *regexp.Regexp, c *exec.Cmd) (*exec.Cmd, []string) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	_ = w.Close()
	var seen strings.Builder
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			go func() {
				_, _ = io.Copy(io.Discard, r)
				_ = r.Close()
			}()
			return c, m
		}
		seen.WriteString(lines.Text() + "\n")
	}
	_ = c.Wait()
	b.Fatalf("%s ended before it was ready:\n%s", strings.Join(c.Args, " "), seen.String())
	return nil, nil
}

// stop ends a server softly, then hard.
func (b *bencher) stop(c *exec.Cmd) {
	_ = c.Process.Signal(syscall.SIGTERM)
	hard := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	defer hard.Stop()
	_ = c.Wait() // a signal is its end
}

func (b *bencher) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.ctx.Done():
		b.Fatal(context.Cause(b.ctx))
	}
}

// stored counts the benchmark's rows in the server's database.
func (b *bencher) stored() (all, done int) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.dir, "served", "fettle.db")+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(b.ctx, "SELECT count(*), count(CASE state WHEN 'done' THEN 1 END) FROM deliveries").Scan(&all, &done); err != nil {
		b.Fatal(err)
	}
	return all, done
}

// rss is the resident memory of a process, and of those that it started, in
// bytes.
func rss(t *testing.T, pid int) (own, below int64) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parent, pages := map[int]int{}, map[int]int64{}
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it ended
		}
		// pid (name) state ppid …; the 24th field is the resident pages.
		f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent[id], _ = strconv.Atoi(f[1])
		pages[id], _ = strconv.ParseInt(f[21], 10, 64)
	}
	for id := range parent {
		for up := parent[id]; up > 1; up = parent[up] {
			if up == pid {
				below += pages[id]
				break
			}
		}
	}
	size := int64(os.Getpagesize())
	return pages[pid] * size, below * size
}

// loader sends deliveries that are stored, handled and found to ask for
// nothing, as most of GitHub's are.
type loader struct {
	b   *bencher
	url string
}

// benchPayload is of the size of GitHub's.
func benchPayload() []byte {
	return fmt.Appendf(nil, `{"action":"opened","installation":{"id":1},"issue":{"number":1,"title":"t","body":%q,"state":"open","labels":[]},`+
		`"repository":{"id":1,"name":"r","full_name":"o/r","owner":{"login":"o"},"default_branch":"main"},"sender":{"login":"u","type":"User"}}`,
		strings.Repeat("All work and no play. ", 350))
}

func (l *loader) client() *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 4 * benchCallers}}
}

// send sends one delivery; anything but 2xx ends the benchmark.
func (l *loader) send(client *http.Client, id string, payload []byte, signature string) error {
	req, err := http.NewRequestWithContext(l.b.ctx, http.MethodPost, l.url, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "X-GitHub-Event": "issues", "X-GitHub-Delivery": id, "X-Hub-Signature-256": signature} {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s was answered %s", id, resp.Status)
	}
	return nil
}

func signatureOf(payload []byte) string {
	mac := hmac.New(sha256.New, []byte(benchSecret))
	mac.Write(payload)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// steady sends at a fixed rate whatever the answers take, and gives how long
// each took from when it was due.
func (l *loader) steady(name string, rate int, d time.Duration) []time.Duration {
	l.b.Helper()
	payload, client := benchPayload(), l.client()
	defer client.CloseIdleConnections()
	signature, n := signatureOf(payload), rate*int(d/time.Second)
	waits, errs := make([]time.Duration, n), make([]error, n)
	var wg sync.WaitGroup
	begun := time.Now()
	for i := range n {
		due := begun.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		wg.Go(func() {
			errs[i] = l.send(client, fmt.Sprintf("%s-%d", name, i), payload, signature)
			waits[i] = time.Since(due)
		})
	}
	wg.Wait()
	l.check(errs)
	return waits
}

// flat sends from benchCallers callers as fast as the answers come.
func (l *loader) flat(name string, d time.Duration) []time.Duration {
	l.b.Helper()
	payload, client := benchPayload(), l.client()
	defer client.CloseIdleConnections()
	signature := signatureOf(payload)
	var next atomic.Int64
	waits, errs := make([][]time.Duration, benchCallers), make([]error, benchCallers)
	var wg sync.WaitGroup
	until := time.Now().Add(d)
	for c := range benchCallers {
		wg.Go(func() {
			for errs[c] == nil && time.Now().Before(until) {
				begun := time.Now()
				errs[c] = l.send(client, fmt.Sprintf("%s-%d", name, next.Add(1)), payload, signature)
				waits[c] = append(waits[c], time.Since(begun))
			}
		})
	}
	wg.Wait()
	l.check(errs)
	var out []time.Duration
	for _, w := range waits {
		out = append(out, w...)
	}
	return out
}

func (l *loader) check(errs []error) {
	l.b.Helper()
	for _, err := range errs {
		if err != nil {
			l.b.Fatalf("sending to %s: %v", l.url, err)
		}
	}
}

// TestBenchBareHandler is no test: it is the process beside which the door is
// measured. It reads each body, verifies and stores nothing, and answers 202.
func TestBenchBareHandler(t *testing.T) {
	if os.Getenv("FETTLE_BENCH_BARE") == "" {
		t.Skip("TestBench starts this")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", l.Addr())
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			w.WriteHeader(http.StatusAccepted)
		}
	})}
	t.Fatal(srv.Serve(l))
}
