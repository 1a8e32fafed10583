package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

// A run waits for its plan, goes on in another process when it is approved,
// tells its story, and replays to the same decisions.
func TestL6AWaitingRunGoesOnWhereItStoodAndReplays(t *testing.T) {
	endToEnd(t)
	right := rightWeave(t)
	_, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	dir := lay(t, weaveFiles())
	conf := write(t, "config.yml", "state_dir: "+t.TempDir()+"\n"+tiers)
	issue := write(t, "issue.md", weaveTitle+"\n"+weaveBody+"\n")
	got := call(t, "fix", "--config", conf, "--repo", dir, "--issue", issue, "--ask", "plan")
	id := regexp.MustCompile(`run ([0-9a-f]{16}) waits for you`).FindStringSubmatch(got.errors)
	if got.code != exitWaits || id == nil {
		t.Fatalf("%+v", got)
	}
	if got := call(t, "runs", "show", "--config", conf, id[1]); got.code != 0 || !strings.Contains(got.out, "waits for a human") || !strings.Contains(got.out, "runs approve") {
		t.Errorf("%+v", got)
	}
	if got := call(t, "runs", "reject", "--config", conf, id[1]); got.code != exitUsage {
		t.Errorf("a rejection without a word: %+v", got)
	}
	if got := call(t, "runs", "approve", "--config", conf, "--step", "3", id[1]); got.code != exitUsage {
		t.Errorf("another step than it waits for: %+v", got)
	}
	got = call(t, "runs", "approve", "--config", conf, id[1])
	if got.code != 0 || !strings.Contains(got.out, "out = []") {
		t.Fatalf("%+v", got)
	}
	show := call(t, "runs", "show", "--config", conf, id[1])
	for _, part := range []string{"What was tried", "mechanical", "↑ to tier1", "green: accepted", "Last decision", "Next"} {
		if !strings.Contains(show.out, part) {
			t.Errorf("the story does not say %q:\n%s", part, show.out)
		}
	}
	if why := call(t, "runs", "why", "--config", conf, id[1]); why.code != 0 || !strings.Contains(why.out, "tier.chosen") || !strings.Contains(why.out, "gate.approved") {
		t.Errorf("%+v", why)
	}
	if err := os.RemoveAll(filepath.Join(dir, "weave.py")); err != nil { // a replay needs nothing but the record
		t.Fatal(err)
	}
	if got := call(t, "runs", "replay", "--config", conf, id[1]); got.code != 0 || !strings.Contains(got.out, "2 processes") || !strings.Contains(got.out, "all as recorded; success") {
		t.Errorf("%+v", got)
	}
}
