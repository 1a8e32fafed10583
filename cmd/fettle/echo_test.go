package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

// echo is a proxy before GitHub whose errors repeat what the request was
// authorised with.
type echo struct {
	mu    sync.Mutex
	fails func(r *http.Request) bool
	seen  map[string]bool // what it repeated
}

func (e *echo) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.fails == nil || !e.fails(r) {
			next.ServeHTTP(w, r)
			return
		}
		given := r.Header.Get("Authorization")
		_, token, _ := strings.Cut(given, " ")
		e.seen[token] = true
		if raw, err := base64.StdEncoding.DecodeString(token); err == nil {
			_, password, _ := strings.Cut(string(raw), ":")
			e.seen[password] = true
		}
		words := "upstream refused; Authorization: " + given + "; retried with " + token
		if strings.HasPrefix(r.URL.Path, "/api/") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": words, "errors": []map[string]string{{"message": words}}})
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(words + "\n"))
	})
}

func (e *echo) set(fails func(r *http.Request) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fails = fails
}

// TestI5AnErrorThatRepeatsTheTokenIsStoredWithoutIt: at the App's own calls, at
// the API's and at Git's, in deliveries, jobs, runs and the log.
func TestI5AnErrorThatRepeatsTheTokenIsStoredWithoutIt(t *testing.T) {
	heavy(t)
	proxy := &echo{seen: map[string]bool{"": false}}
	w := newWorld(t, quickFiles(), "log: {level: debug}\n", proxy.wrap)
	on := func(method, part string) func(*http.Request) bool {
		return func(r *http.Request) bool { // Git asks without a token first
			return r.Method == method && strings.Contains(r.URL.Path, part) && r.Header.Get("Authorization") != ""
		}
	}
	var dumps []map[string][]string // notes and reasons are written over when things go on
	noted := func(part string) func() bool {
		return func() bool {
			dumps = append(dumps, storetest.Dump(t, w.database()))
			return strings.Contains(strings.Join(dumps[len(dumps)-1]["deliveries.note"], "\n"), part)
		}
	}
	parked := func(n int) func() bool {
		return func() bool {
			all, err := w.db.Runs(context.Background(), store.Filter{Issue: n})
			w.must(err)
			return len(all) == 1 && all[0].State == task.StateParked && strings.Contains(all[0].Reason, "upstream refused")
		}
	}
	s := w.start()
	proxy.set(on(http.MethodPost, "/access_tokens"))
	n := w.ask(quickTitle, quickBody)
	w.until(time.Minute, "a delivery failed for want of a token", noted("getting a token"))
	proxy.set(on(http.MethodGet, "/issues/"))
	w.until(time.Minute, "a delivery failed at the API", noted("reading issue"))
	proxy.set(on(http.MethodPost, "/labels"))
	w.until(time.Minute, "the run is put aside by the API's error", parked(n))
	proxy.set(on(http.MethodGet, "/info/refs"))
	n = w.ask(quickTitle, quickBody)
	w.until(time.Minute, "the next is put aside by Git's error", parked(n))
	w.stop(s)

	dumps = append(dumps, storetest.Dump(t, w.database()))
	for _, column := range []string{"runs.reason"} {
		if all := strings.Join(dumps[len(dumps)-1][column], "\n"); !strings.Contains(all, "upstream refused") {
			t.Errorf("the error does not stand in %s, so nothing is shown by its being clean: %s", column, all)
		}
	}
	if len(proxy.seen) < 4 { // nothing, the App's, the installation's, and Git's form of it
		t.Errorf("the proxy repeated %d different secrets", len(proxy.seen))
	}
	look := func(where string, data []byte) {
		for secret := range proxy.seen {
			if len(secret) > 5 && bytes.Contains(data, []byte(secret)) {
				t.Errorf("%.12s… stands in %s", secret, where)
			}
		}
	}
	for _, dump := range dumps {
		for column, values := range dump {
			look(column, []byte(strings.Join(values, "\n")))
		}
	}
	log, err := os.ReadFile(w.log)
	w.must(err)
	look("the log", log)
	w.must(filepath.WalkDir(filepath.Join(w.dir, "state"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		look(p, data)
		return err
	}))
	w.noSecret("")
}

// database is the file of this world's server.
func (w *world) database() string { return filepath.Join(w.dir, "state", "fettle.db") }
