package bot

import (
	"context"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// edits is a forge that notes when the status comment was edited.
type edits struct {
	Forge
	now func() time.Time
	at  []time.Time
}

func (e *edits) StatusComment(context.Context, task.Repo, int, string, string) (int64, string, error) {
	e.at = append(e.at, e.now())
	return 1, "", nil
}

func TestS2StatusEditsAreFifteenSecondsApartAndNoPhaseIsLeftOut(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "fettle.db"), store.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	repo := task.Repo{Installation: 1, Owner: "octo", Name: "demo"}
	if _, _, err := db.CreateRun(ctx, store.NewRun{ID: "r1", Budget: task.DefaultBudget(), Task: task.Task{Title: "x", Issue: 1, Repo: repo}}); err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.Claim(ctx)
	if err != nil || lease == nil {
		t.Fatal(err)
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	f := &edits{now: clock}
	g := New(Config{Store: db, Now: clock, Log: quiet}).NewGitHub(f, redact.New(), lease, r)
	phases := []string{"checkout", "setup", "baseline", "localise", "mechanical"}
	for second := range 240 {
		phase := phases[min(second/2, len(phases)-1)] // each begins two seconds after the last, and the last one stays
		if err := g.Progress(ctx, task.Progress{RunID: "r1", Phase: phase, Elapsed: time.Duration(second) * time.Second}); err != nil {
			t.Fatal(err)
		}
		if err := g.Late(ctx); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	for i := 1; i < len(f.at); i++ {
		if gap := f.at[i].Sub(f.at[i-1]); gap < 15*time.Second {
			t.Errorf("edit %d came %s after the one before", i, gap)
		}
	}
	if len(f.at) < 2 || f.at[1].Sub(f.at[0]) > 16*time.Second || g.phase != "mechanical" {
		t.Errorf("the phase that stays was told of late or never: %v, %s", f.at, g.phase)
	}
	before := len(f.at)
	for range 2 { // nothing is left out: nothing is said again
		now = now.Add(time.Hour)
		if err := g.Late(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.at) != before {
		t.Errorf("%d edits of what was told already", len(f.at)-before)
	}
	if err := g.Progress(ctx, task.Progress{RunID: "r1", Phase: "waiting"}); err != nil || len(f.at) != before+1 {
		t.Errorf("what waits for a person is told at once: %d edits, %v", len(f.at)-before, err)
	}
}
