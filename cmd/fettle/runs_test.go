package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func TestF01AFixThatWasKilledIsNotRunningForEver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	conf := write(t, "config.yml", "state_dir: "+dir+"\n")
	before := store.Config{Now: func() time.Time { return time.Now().Add(-2 * store.DefaultStale) }}
	db, err := store.Open(t.Context(), filepath.Join(dir, "fettle.db"), before)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"aa11", "aa1177", "bb22"} {
		if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: id, Task: task.Task{Title: "x", Origin: task.OriginCLI, Repo: task.Repo{Dir: "/w/" + id}}}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := db.ClaimRun(t.Context(), id); err != nil { // and no word after it
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "runs", "list", "--config", conf); got.code != 0 || strings.Contains(got.out, "running") || strings.Count(got.out, "error") != 3 {
		t.Errorf("%+v", got)
	}
	if got := call(t, "runs", "show", "--config", conf, "bb"); got.code != 0 || !strings.Contains(got.out, "ended without a word") {
		t.Errorf("%+v", got)
	}
	for prefix, want := range map[string]string{"aa": "several runs", "cc": "no run", "aa11": ""} {
		if got := call(t, "runs", "show", "--config", conf, prefix); !strings.Contains(got.errors, want) || (got.code == 0) != (want == "") {
			t.Errorf("%s: %+v", prefix, got)
		}
	}
}
