package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func (w *world) statusOf(s *server, page string) int {
	w.Helper()
	res, err := http.Get(s.url + page)
	w.must(err)
	defer res.Body.Close()
	return res.StatusCode
}

// TestI1ADeliveryToALostDatabaseIsNotAnswered2xx: the file is unlinked under a
// running server.
func TestI1ADeliveryToALostDatabaseIsNotAnswered2xx(t *testing.T) {
	heavy(t)
	w := newWorld(t, quickFiles(), "")
	w.ask(quickTitle, quickBody)
	h := w.labelled()
	s := w.start()
	if live, ready := w.statusOf(s, "/healthz"), w.statusOf(s, "/readyz"); live != http.StatusOK || ready != http.StatusOK {
		t.Fatalf("healthz answers %d, readyz %d", live, ready)
	}
	w.must(os.Remove(w.database()))
	if code := w.post(s.url, "lost", "issues", h.body, signedBy(canary)); code != http.StatusServiceUnavailable {
		t.Errorf("answered %d", code)
	}
	if live, ready := w.statusOf(s, "/healthz"), w.statusOf(s, "/readyz"); live != http.StatusOK || ready != http.StatusServiceUnavailable { // the process lives
		t.Errorf("healthz answers %d, readyz %d", live, ready)
	}
	if log := w.tail(); !strings.Contains(log, "removed or replaced") || !strings.Contains(log, "put the file back") {
		t.Errorf("the log does not say it: %s", log)
	}
	g := &global{config: w.config}
	p, err := g.load(os.Stderr)
	w.must(err)
	if f := p.databaseFinding(context.Background()); f.Status != "error" || !strings.Contains(f.Detail, "removed or replaced") {
		t.Errorf("doctor says %+v", f)
	}
	if _, err := os.Stat(w.database()); err == nil {
		t.Error("somebody made a second database in its place")
	}
	w.stop(s)
}

// TestO2ASecondServerDoesNotSayThatItListens: it is refused before.
func TestO2ASecondServerDoesNotSayThatItListens(t *testing.T) {
	heavy(t)
	w := newWorld(t, quickFiles(), "")
	first := w.start()
	second := w.start()
	if second.url != "" {
		t.Errorf("it says that it listens on %s", second.url)
	}
	select {
	case <-second.done:
	case <-time.After(time.Minute): // only ends a hang
		t.Fatal("the second server goes on")
	}
	if code := second.ProcessState.ExitCode(); code != exitRed {
		t.Errorf("exit status %d", code)
	}
	if log := w.tail(); !strings.Contains(log, "another process already works") {
		t.Errorf("it does not say why: %s", log)
	}
	w.stop(first)
}
