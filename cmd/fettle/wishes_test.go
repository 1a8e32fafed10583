package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

// TestS4X6FromTheRepositorysWishesToUninstalling: through the server's process the
// pull request is in the repository's template, signed off and labelled; and when the
// App is uninstalled, nothing of the repository is left in the state folder, searched
// file by file.
func TestS4X6FromTheRepositorysWishesToUninstalling(t *testing.T) {
	endToEnd(t)
	const mark = "sightglass7731"
	files := slowFiles("0")
	for name, text := range files {
		if strings.HasSuffix(name, ".py") {
			files[name] = "# " + mark + "\n" + text
		}
	}
	files[".github/pull_request_template.md"] = "## Description\n\nPlease describe.\n\n## Release note\n\nNone\n"
	files[".fettle.yml"] = "sign_off: true\nlabels: [bot, needs review]\n"
	w := newWorld(t, files, "")
	s := w.start()
	w.ask(quickTitle, quickBody+"\n\nSeen with "+mark+".")
	w.until(2*time.Minute, "the run ends", w.ended)
	snap := w.sim.Snapshot(owner, "weave")
	if len(snap.Pulls) != 1 || w.runs()[0].Outcome != task.Success {
		t.Fatalf("%+v\n%s", w.runs(), w.tail())
	}
	p := snap.Pulls[0]
	if !strings.HasPrefix(p.Body, "## Description") || strings.Contains(p.Body, "Please describe") || !strings.Contains(p.Body, "## Release note\n\nNone") || !slices.Contains(p.Labels, "bot") || !slices.Contains(p.Labels, "needs review") {
		t.Errorf("labels %v\n%s", p.Labels, p.Body)
	}
	message, err := exec.Command("git", "--git-dir", w.gitDir(), "log", "-1", "--format=%an <%ae>%n%B", p.HeadSHA).Output()
	who, _, _ := strings.Cut(string(message), "\n")
	if err != nil || !strings.Contains(string(message), "\nSigned-off-by: "+who+"\n") {
		t.Errorf("%v\n%s", err, message)
	}
	state := filepath.Join(w.dir, "state")
	// Another process looks: one that closes a file of the database loses SQLite's locks on it.
	holding := func() []string {
		out, _ := exec.Command("grep", "-rlaF", mark, state).Output() // status 1 when nothing is found
		return strings.Fields(strings.ReplaceAll(string(out), state, ""))
	}
	if before := holding(); !slices.ContainsFunc(before, func(n string) bool { return strings.HasPrefix(n, "/fettle.db") }) {
		t.Errorf("the search finds nothing where something is: %v", before)
	}
	w.must(w.sim.Uninstall(owner))
	w.must(w.sim.Settle(t.Context()))
	w.until(time.Minute, "the removal is known", func() bool {
		all, err := w.db.Removals(t.Context())
		w.must(err)
		return len(all) == 1
	})
	w.stop(s)
	w.swept = true
	s = w.start() // it deletes at its start, and every minute after that
	w.until(time.Minute, "the removal is done", func() bool {
		all, err := w.db.Removals(t.Context())
		w.must(err)
		left, _ := filepath.Glob(filepath.Join(state, "checkouts", "mirrors", "*"))
		more, _ := filepath.Glob(filepath.Join(state, "memory", "*"))
		return len(all)+len(left)+len(more) == 0
	})
	w.stop(s)
	w.must(w.db.Close())
	for column, values := range storetest.Dump(t, w.database()) {
		for _, v := range values {
			if strings.Contains(v, mark) || strings.Contains(strings.ToLower(v), owner+"/weave") {
				t.Errorf("%s still holds %q", column, v)
			}
		}
	}
	if left := holding(); len(left) > 0 {
		t.Errorf("left in the state folder: %v", left)
	}
}
