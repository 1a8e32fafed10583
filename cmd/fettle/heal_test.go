package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/task"
)

// H8: the demo walks through the states with real runs, names each as it is entered,
// and ends by itself with 0.
func TestH8TheDemoWalksThroughTheStates(t *testing.T) {
	endToEnd(t)
	got := call(t, "--config", operator(t, ""), "heal", "demo")
	if got.code != 0 {
		t.Fatalf("exit status %d: %s%s", got.code, got.out, got.errors)
	}
	at := 0
	for _, want := range []string{
		"== healthy", "issue #1: success\n", "draft=false", "== degraded", "success, a draft", "draft=true", "in degraded mode", "== quarantined", "does not start here",
		"Only people who may write", "The quarantine is lifted", "== recovering", "success, a draft", "== healthy", "v01: #2 was merged", "failed_all_tiers", "== rolled back", "v01 → v02", "The demo is over",
	} {
		i := strings.Index(got.out[at:], want)
		if i < 0 {
			t.Fatalf("%q does not come after %q:\n%s", want, got.out[:at], got.out)
		}
		at += i + len(want)
	}
}

// H3: the case of a quarantine that a run of a server tripped is decided again from its
// file alone, in a folder without a database.
func TestH3ACaseIsDecidedAgainOffline(t *testing.T) {
	endToEnd(t)
	w := newWorld(t, quickFiles(), "")
	w.ask(quickTitle, quickBody)
	s := w.start()
	w.sim.SetWebhook(s.url+"/webhook", canary)
	h0 := w.labelled()
	if code := w.post(s.url, "one", "issues", h0.body, signedBy(canary)); code/100 != 2 {
		t.Fatalf("answered %d", code)
	}
	w.until(5*time.Minute, "the run ends", w.ended)
	w.stop(s)
	r := w.runs()[0]
	p, err := (&global{config: w.config}).load(os.Stderr)
	w.must(err)
	h, err := p.heal(w.db)
	w.must(err)
	key := heal.WorkflowOf(r.Task)
	var moves []heal.Move
	for _, step := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		got, err := h.OnResult(t.Context(), key, heal.Result{ID: step, Run: r.ID, Step: step, Trigger: task.Postcondition, Words: "CI is red"})
		w.must(err)
		moves = append(moves, got...)
	}
	if len(moves) != 1 {
		t.Fatalf("%+v", moves)
	}
	file := filepath.Join(t.TempDir(), "case.json")
	here := call(t, "--config", w.config, "heal", "case", moves[0].ID, "--out", file)
	there := call(t, "--config", operator(t, ""), "heal", "case", file)
	for _, got := range []called{here, there} {
		if got.code != 0 || strings.Count(got.out, "CI is red") < 10 || !strings.Contains(got.out, r.ID) || !regexp.MustCompile(`Decided again: \d+ effects, 1 process, \d+ decisions, all as recorded; success`).MatchString(got.out) {
			t.Errorf("exit status %d: %s%s", got.code, got.out, got.errors)
		}
	}
	if raw, err := os.ReadFile(file); err != nil || strings.Contains(string(raw), canary) {
		t.Errorf("the file holds a secret, or nothing: %v", err)
	}
}
