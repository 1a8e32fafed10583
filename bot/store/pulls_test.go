package store

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestS4APullRequestIsRememberedWithItsFate(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), t.TempDir()+"/fettle.db", Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.CreateRun(t.Context(), NewRun{ID: "r1", Task: task.Task{Title: "x", Issue: 3, Repo: task.Repo{Installation: 1, Owner: "Acme", Name: "Shop"}}}); err != nil {
		t.Fatal(err)
	}
	l, _, err := s.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range []string{"a", "b"} { // the second is a follow-up's
		if err := s.KeepPull(t.Context(), l, Pull{Number: 7, URL: "u", Branch: "fettle/issue-3", Base: "main", Head: head}); err != nil {
			t.Fatal(err)
		}
	}
	find := func(f PullFilter) []Pull {
		t.Helper()
		all, err := s.Pulls(t.Context(), 1, "acme/shop", f)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := find(PullFilter{Open: true})
	if len(all) != 1 || all[0].Head != "b" || all[0].Issue != 3 || all[0].Run != "r1" || all[0].Generation != 1 {
		t.Fatalf("%+v", all)
	}
	if err := s.SetFate(t.Context(), all[0], task.FateMerged, "c"); err != nil {
		t.Fatal(err)
	}
	if got := find(PullFilter{Open: true}); len(got) != 0 {
		t.Errorf("open: %+v", got)
	}
	if got := find(PullFilter{Number: 7, Branch: "fettle/issue-3", Base: "main", Issue: 3}); len(got) != 1 || got[0].Fate != task.FateMerged || got[0].MergeCommit != "c" || got[0].FateAt.IsZero() {
		t.Errorf("%+v", got)
	}
	if other, err := s.Pulls(t.Context(), 2, "acme/shop", PullFilter{}); err != nil || len(other) != 0 { // X5
		t.Errorf("another installation sees %+v, %v", other, err)
	}
}
