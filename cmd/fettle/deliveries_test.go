package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// A fault that mechanical repair mends at once.
func quickFiles() map[string]string {
	return map[string]string{
		"ranges.py":      "def last(items, size):\n    \"\"\"The number of the last page.\"\"\"\n    return (items + size - 1) // size - 1\n\n\ndef first(items):\n    return 1\n",
		"test_ranges.py": "import unittest\n\nfrom ranges import first, last\n\n\nclass Ranges(unittest.TestCase):\n    def test_last(self):\n        self.assertEqual(last(10, 5), 2)\n        self.assertEqual(last(11, 5), 3)\n\n    def test_first(self):\n        self.assertEqual(first(3), 1)\n",
	}
}

// slowFiles has a suite that takes its time.
func slowFiles(seconds string) map[string]string {
	f := quickFiles()
	f["test_ranges.py"] = strings.Replace(f["test_ranges.py"], "class Ranges", "import time\ntime.sleep("+seconds+")\n\n\nclass Ranges", 1)
	return f
}

const quickTitle, quickBody = "last page is missing", "last(10, 5) gives 1 and should give 2."

func TestF02TheSameDeliveryAHundredTimesAndNewIDsForTheSameEvent(t *testing.T) {
	endToEnd(t)
	w := newWorld(t, slowFiles("0.5"), "")
	n := w.ask(quickTitle, quickBody)
	h := w.labelled()
	s := w.start()
	id := h.header.Get("X-GitHub-Delivery")
	codes := make([]int, 100)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i] = w.post(s.url, id, "issues", h.body, signedBy(canary)) })
	}
	all.Wait()
	fresh := 0
	for _, c := range codes {
		if c == http.StatusAccepted {
			fresh++
		}
		if c/100 != 2 {
			t.Errorf("answered %d", c)
		}
	}
	if fresh != 1 {
		t.Errorf("%d of 100 answers say that the delivery is new", fresh)
	}
	w.until(30*time.Second, "the run is there", func() bool { return len(w.runs()) > 0 })
	for i := range 10 {
		if c := w.post(s.url, fmt.Sprintf("%s-%d", id, i), "issues", h.body, signedBy(canary)); c != http.StatusAccepted {
			t.Errorf("a new id is answered %d", c)
		}
	}
	ids, err := w.db.Deliveries(t.Context(), time.Time{})
	w.must(err)
	stored := 0
	for _, i := range ids { // the rest is what fettle's own doing set off
		if strings.HasPrefix(i, id) {
			stored++
		}
	}
	if stored != 11 {
		t.Errorf("I1: %d deliveries are stored, 11 ids were answered 2xx", stored)
	}
	w.until(2*time.Minute, "the run ends", w.ended)

	// A replay after the run changes nothing (F04).
	if c := w.post(s.url, id, "issues", h.body, signedBy(canary)); c != http.StatusOK {
		t.Errorf("a replay is answered %d", c)
	}
	w.stop(s)
	if runs := w.runs(); len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
	w.oracle(n)
}

func TestF04WhatIsNotSignedLeavesNoRow(t *testing.T) {
	heavy(t)
	w := newWorld(t, quickFiles(), "")
	w.ask(quickTitle, quickBody)
	h := w.labelled()
	s := w.start()
	none := func([]byte, http.Header) {}
	sha1Only := func(body []byte, head http.Header) {
		mac := hmac.New(sha1.New, []byte(canary))
		mac.Write(body)
		head.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(mac.Sum(nil)))
	}
	garbled := func(body []byte, head http.Header) {
		head.Set("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64))
	}
	for name, c := range map[string]struct {
		body []byte
		sign func([]byte, http.Header)
		want int
	}{
		"missing":        {h.body, none, 401},
		"bad":            {h.body, garbled, 401},
		"SHA-1 only":     {h.body, sha1Only, 401},
		"of another app": {h.body, signedBy("another app's secret"), 401},
		"changed body":   {append(bytes.Clone(h.body), ' '), func(_ []byte, head http.Header) { signedBy(canary)(h.body, head) }, 401},
		"26 MB":          {bytes.Repeat([]byte(" "), 26<<20), signedBy(canary), 413},
		"not JSON":       {[]byte("{"), signedBy(canary), 400},
	} {
		if got := w.post(s.url, "f04", "issues", c.body, c.sign); got != c.want && (c.want != 413 || got != 0) {
			t.Errorf("%s: answered %d, want %d", name, got, c.want)
		}
	}
	w.stop(s)
	ids, err := w.db.Deliveries(context.Background(), time.Time{})
	w.must(err)
	if runs := w.runs(); len(ids) != 0 || len(runs) != 0 {
		t.Errorf("rows were written: %v %v", ids, runs)
	}
}

// Whatever the order in which the events come, what GitHub says at the end is
// what holds.
func TestF03EveryOrderOfLabelledUnlabelledClosedReopened(t *testing.T) {
	endToEnd(t)
	for _, c := range []struct {
		name   string
		act    func(w *world, n int)
		wanted bool
	}{
		{"ends wanted", func(w *world, n int) {
			w.must(w.sim.Unlabel(owner, "weave", n, "agent:fix", human))
			w.must(w.sim.CloseIssue(owner, "weave", n, human))
			w.must(w.sim.ReopenIssue(owner, "weave", n, human))
			w.must(w.sim.Label(owner, "weave", n, "agent:fix", human))
		}, true},
		{"ends closed", func(w *world, n int) {
			w.must(w.sim.CloseIssue(owner, "weave", n, human))
			w.must(w.sim.ReopenIssue(owner, "weave", n, human))
			w.must(w.sim.CloseIssue(owner, "weave", n, human))
		}, false},
		{"ends without the label", func(w *world, n int) {
			w.must(w.sim.CloseIssue(owner, "weave", n, human))
			w.must(w.sim.ReopenIssue(owner, "weave", n, human))
			w.must(w.sim.Unlabel(owner, "weave", n, "agent:fix", human))
		}, false},
	} {
		w := newWorld(t, quickFiles(), "")
		n := w.ask(quickTitle, quickBody)
		c.act(w, n)
		w.must(w.sim.Settle(t.Context()))
		s := w.start()
		backwards := append([]held(nil), w.held...)
		for i := range backwards { // the newest first: every late event meets a state that is newer
			h := backwards[len(backwards)-1-i]
			if got := w.post(s.url, h.header.Get("X-GitHub-Delivery"), h.header.Get("X-GitHub-Event"), h.body, signedBy(canary)); got != http.StatusAccepted {
				t.Errorf("%s: answered %d", c.name, got)
			}
		}
		w.until(time.Minute, "the deliveries are handled", func() bool {
			for _, h := range backwards {
				d, err := w.db.Delivery(context.Background(), h.header.Get("X-GitHub-Delivery"))
				w.must(err)
				if !w.handled(d.ID) {
					return false
				}
			}
			return true
		})
		if c.wanted {
			w.until(time.Minute, "the run ends", w.ended)
		}
		w.stop(s)
		wanted := 0
		for _, r := range w.runs() {
			if r.Outcome != task.Cancelled {
				wanted++
			}
		}
		if c.wanted && wanted != 1 || !c.wanted && wanted != 0 {
			t.Errorf("%s: %d runs that were not cancelled", c.name, wanted)
		}
		if c.wanted {
			w.oracle(n)
		}
	}
}

// handled tells whether the server has said what it did with a delivery.
func (w *world) handled(id string) bool {
	raw, err := os.ReadFile(w.log)
	w.must(err)
	return strings.Contains(string(raw), "delivery="+id) || strings.Contains(string(raw), `delivery="`+id)
}

// A reopened issue that still has the label is wanted again, and a closed one
// stops.
func TestF03ClosingStopsAndReopeningStarts(t *testing.T) {
	endToEnd(t)
	w := newWorld(t, slowFiles("1"), "")
	s := w.start()
	n := w.ask(quickTitle, quickBody)
	w.until(time.Minute, "the run is at work", func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].State == task.StateRunning
	})
	began := time.Now()
	w.must(w.sim.CloseIssue(owner, "weave", n, human))
	w.until(30*time.Second, "the run is cancelled", w.ended)
	if r := w.runs()[0]; r.Outcome != task.Cancelled || !strings.Contains(r.Reason, "closed") {
		t.Errorf("the run ended with %s: %s", r.Outcome, r.Reason)
	}
	t.Logf("cancelled after %s", time.Since(began))
	w.must(w.sim.ReopenIssue(owner, "weave", n, human))
	w.until(time.Minute, "the second run is there", func() bool { return len(w.runs()) == 2 })
	w.until(2*time.Minute, "the second run ends", w.ended)
	w.stop(s)
	if r := w.runs()[0]; r.Outcome != task.Success {
		t.Errorf("the second run ended with %s: %s", r.Outcome, r.Reason)
	}
	w.noneLeft()
}

func TestF14TheFirstSIGTERMDrainsAndTheRunGoesOnAfterARestart(t *testing.T) {
	endToEnd(t)
	w := newWorld(t, slowFiles("1"), "")
	s := w.start()
	n := w.ask(quickTitle, quickBody)
	w.until(time.Minute, "the run has its baseline", func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].Tier == task.TierMechanical
	})
	began := time.Now()
	if code := w.stop(s); code != 0 {
		t.Errorf("exit status %d after draining\n%s", code, w.tail())
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("draining took %s", took)
	}
	if r := w.runs()[0]; r.State != task.StateQueued {
		t.Errorf("after draining the run is %s, want it back in the queue", r.State)
	}
	w.noneLeft()
	s = w.start()
	w.until(2*time.Minute, "the run ends", w.ended)
	w.stop(s)
	if runs := w.runs(); len(runs) != 1 || runs[0].Outcome != task.Success {
		t.Errorf("runs: %+v", runs)
	}
	w.oracle(n)
}

func TestF14TheSecondSIGTERMIsImmediate(t *testing.T) {
	heavy(t)
	w := newWorld(t, slowFiles("20"), "")
	s := w.start()
	w.ask(quickTitle, quickBody)
	w.until(time.Minute, "the run is at work", func() bool {
		all := w.runs()
		return len(all) == 1 && all[0].State == task.StateRunning
	})
	began := time.Now()
	_ = s.Process.Signal(syscall.SIGTERM)
	_ = s.Process.Signal(syscall.SIGINT)
	select {
	case <-s.done:
	case <-time.After(20 * time.Second):
		t.Fatal("still there 20 s after the second signal")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	w.until(10*time.Second, "what it started is gone", func() bool { return len(processes(w.dir)) == 0 })
}
