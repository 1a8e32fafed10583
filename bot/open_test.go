package bot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot"
	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// A Git that does not come back is ended at the run's limit, and the run says
// that it was time.
func TestX4TheLimitOfARunHoldsForItsCheckout(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Repo: shop}, Budget: task.Budget{Duration: 50 * time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.ClaimRun(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	slow := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nsleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	trees, err := checkout.New(checkout.Config{Root: t.TempDir(), Git: slow})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute) // only ends a hang
	defer stop()
	pub := &told{}
	_, _, err = bot.New(bot.Config{Store: db, Log: nobody()}).Run(ctx, lease, r, bot.Job{Publisher: pub,
		Open: func(ctx context.Context) (*checkout.Tree, error) { return trees.OpenDir(ctx, dir) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(pub.all) != 1 || pub.all[0].Outcome != task.Timeout || !strings.Contains(pub.all[0].Reason, "50ms") {
		t.Errorf("told: %+v", pub.all)
	}
}

// A pipe that stands where the record is written is no file to write to.
func TestX4TheRecordOfARunIsNotWrittenIntoAPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".fettle"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"last_run.json", "last_run.md.fettle-tmp"} {
		if err := syscall.Mkfifo(filepath.Join(dir, ".fettle", name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := (&bot.Local{Dir: dir}).Publish(t.Context(), task.Result{RunID: "r1", Outcome: task.Success})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(2 * time.Minute): // only ends a hang
		t.Fatal("the record waits for a reader")
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".fettle", "last_run.md")); err != nil || !strings.Contains(string(text), "fixed and proved") {
		t.Errorf("%s %v", text, err)
	}
}

// lasting is an error that trying again does not mend.
type lasting struct{ error }

func (lasting) Lasts() bool { return true }

func TestI3AMistakeInTheSettingsIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	db := openDB(t, store.Config{})
	if _, _, err := db.CreateRun(t.Context(), store.NewRun{ID: "r1", Task: task.Task{Title: "x", Issue: 1, Repo: shop}}); err != nil {
		t.Fatal(err)
	}
	lease, r, err := db.Claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pub := &told{}
	_, _, err = bot.New(bot.Config{Store: db, Log: nobody()}).Run(t.Context(), lease, r, bot.Job{Publisher: pub,
		Open: func(context.Context) (*checkout.Tree, error) {
			return nil, lasting{errors.New("setup.allow: no host")}
		}})
	if err == nil || len(pub.all) != 1 || pub.all[0].Outcome != task.Error || !strings.Contains(pub.all[0].Reason, "no host") {
		t.Errorf("%v, told: %+v", err, pub.all)
	}
	if r, err := db.Run(t.Context(), "r1"); err != nil || r.State != task.StateDone {
		t.Errorf("the run is %s, %v", r.State, err)
	}
}
