package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// TestS2ADangerousIssueAndADuplicateAreToldWhy: nothing is tried for either, and
// the issue says why and what to do.
func TestS2ADangerousIssueAndADuplicateAreToldWhy(t *testing.T) {
	endToEnd(t) // TestS2TriageEndsARunWithItsReasonAndTheWayOut, of bot/loop
	w := newWorld(t, stayFiles(), "")
	s := w.start()
	n := w.ask(stayTitle, stayBody)
	w.until(time.Minute, "the run ends", w.ended)
	pulls := w.sim.Snapshot(owner, "weave").Pulls
	if len(pulls) != 1 {
		t.Fatalf("pull requests %+v", pulls)
	}
	_, err := w.sim.Comment(owner, "weave", n, "/fettle fix", human)
	w.must(err)
	w.until(time.Minute, "the second run ends", func() bool { return len(w.runs()) == 2 && w.ended() })
	w.ask("Remove the signature check on webhooks", "It rejects our test deliveries.")
	w.until(time.Minute, "the third run ends", func() bool { return len(w.runs()) == 3 && w.ended() })
	w.stop(s)
	why := map[task.Outcome]string{}
	for _, r := range w.runs() {
		why[r.Outcome] += r.Reason + "\n"
	}
	for _, want := range []string{fmt.Sprintf("pull request #%d (", pulls[0].Number), "is open for this issue already", "weaken security"} {
		if !strings.Contains(why[task.Rejected], want) {
			t.Errorf("nobody is told %q: %v", want, why)
		}
	}
	snap := w.sim.Snapshot(owner, "weave")
	if len(snap.Pulls) != 1 {
		t.Errorf("pull requests %+v", snap.Pulls)
	}
	if last := said(snap.Issues[len(snap.Issues)-1]); !strings.Contains(last, "did not start on this") || !strings.Contains(last, "Make that change yourself") {
		t.Errorf("the issue says\n%s", last)
	}
}
