package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testWaits: a waiting run is nobody's, whatever the clock says, until it is
// answered; then it goes on with the answer.
func testWaits(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	gate := task.Gate{Kind: task.GateStep, Step: 2, Attempt: 3, Asked: h.Now(), Words: "it touches money"}
	h.must(s.Wait(ctx, l, gate))
	h.is(s.Check(ctx, l), store.ErrFenced)
	h.Advance(30 * 24 * time.Hour)
	if n, err := s.Sweep(ctx, time.Minute); err != nil || n != 0 {
		t.Errorf("swept %d while it waits: %v", n, err)
	}
	run, err := s.Run(ctx, "r1")
	h.must(err)
	if run.State != task.StateParked || run.Waiting == nil || run.Waiting.Step != 2 || !run.NotBefore.IsZero() {
		t.Errorf("%+v", run)
	}
	_, err = s.Answer(ctx, "r1", task.Answer{Gate: task.GatePlan, Approved: true})
	h.is(err, store.ErrNotWaiting)
	_, err = s.Answer(ctx, "r1", task.Answer{Step: 1, Approved: true})
	h.is(err, store.ErrNotWaiting)
	said, err := s.Answer(ctx, "r1", task.Answer{Feedback: "not like this", By: "ada"})
	if err != nil || said.Gate != task.GateStep || said.Step != 2 || said.Approved || said.At.IsZero() {
		t.Errorf("%+v %v", said, err)
	}
	_, err = s.Answer(ctx, "r1", task.Answer{Approved: true}) // the second of two humans
	h.is(err, store.ErrNotWaiting)
	l, run = h.claim(s)
	if run.Waiting != nil {
		t.Errorf("an answered run waits: %+v", run.Waiting)
	}
	if all, err := s.Answers(ctx, "r1"); err != nil || len(all) != 1 || all[0].Feedback != "not like this" {
		t.Errorf("%+v %v", all, err)
	}
	h.must(s.SaveState(ctx, l, task.RunState{Gate: &gate}))
	h.must(s.Wait(ctx, l, gate))
	h.must(s.Rewind(ctx, "r1", func(st *task.RunState) error { st.Step = 7; return nil }))
	h.is(s.Rewind(ctx, "r1", func(*task.RunState) error { return errMine }), errMine)
	l, run = h.claim(s)
	if run.Saved.Step != 7 || run.Saved.Answered != 0 {
		t.Errorf("rewound to %+v", run.Saved)
	}
	h.must(s.Wait(ctx, l, gate))
	h.must(s.Rewind(ctx, "r1", func(st *task.RunState) error { st.Gate = nil; return nil }))
	if l, run = h.claim(s); run.Saved.Answered != 1 { // the yes or no to a gate that is gone is used up
		t.Errorf("rewound to %+v", run.Saved)
	}
	h.is(s.Rewind(ctx, "r1", func(*task.RunState) error { return nil }), store.ErrHeld)
	h.must(s.AskCancel(ctx, "r1", "stop"))
	h.must(s.Wait(ctx, l, gate)) // a cancelled run does not wait: it ends itself
	l, _ = h.claim(s)
	h.finish(s, l, task.Cancelled)
	_, err = s.Answer(ctx, "r1", task.Answer{Approved: true})
	h.is(err, store.ErrDone)
}

var errMine = errors.New("mine")

// testEffects: what came from outside is numbered without gaps over crashes,
// comes back byte for byte, and the history is the installation's own.
func testEffects(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	data := json.RawMessage(`{"a":"\u003cb\u003e","n":0.10}`)
	for i := 1; i <= 3; i++ {
		if seq, err := s.Effect(ctx, l, task.Effect{Kind: "judge", Key: fmt.Sprint(i), At: h.Now(), Data: data}); err != nil || seq != i {
			t.Errorf("%d: %d %v", i, seq, err)
		}
		if i == 2 {
			l = h.crash(s)
		}
	}
	all, err := s.Effects(ctx, "r1")
	h.must(err)
	if len(all) != 3 || string(all[1].Data) != string(data) || all[1].Run != "r1" || !all[1].At.Equal(h.Now().Add(-2*time.Minute)) {
		t.Errorf("%+v", all)
	}
	h.must(s.Observe(ctx, l, []json.RawMessage{json.RawMessage(`1`), json.RawMessage(`2`)}))
	h.must(s.Observe(ctx, l, []json.RawMessage{json.RawMessage(`3`)})) // again changes nothing
	if got, err := s.Observations(ctx, 1); err != nil || fmt.Sprintf("%s", got) != "[1 2]" {
		t.Errorf("%s %v", got, err)
	}
	if got, err := s.Observations(ctx, 2); err != nil || len(got) != 0 {
		t.Errorf("another installation learned %s %v", got, err)
	}
}

// testCaps: what several runs spend together never passes a cap, whoever asks
// at the same time, and a new day gives new money.
func testCaps(t *testing.T, h *harness) {
	caps := func(c *store.Config) {
		c.Caps = task.Caps{Issue: 100, InstallationDay: 250, ServerMonth: 1000}
	}
	s, ctx := h.open(caps), t.Context()
	leases := map[string]*store.Lease{}
	for i, repo := range []string{"shop", "shop", "till"} {
		nr := ask(name("r", i), repo, i+1)
		h.create(s, nr)
		l, run := h.claim(s)
		leases[run.ID] = l
	}
	reserve := func(run, id string, worst task.USD) error {
		_, err := s.Reserve(ctx, leases[run], task.Reservation{ID: id, Worst: worst})
		return err
	}
	var poor *store.CapError
	h.must(reserve(name("r", 0), "a", 100))
	if err := reserve(name("r", 0), "b", 1); !errors.As(err, &poor) || !poor.Until.IsZero() || poor.Spent != 100 {
		t.Errorf("the issue's cap: %v", err)
	}
	h.must(reserve(name("r", 1), "a", 100))
	if err := reserve(name("r", 2), "a", 51); !errors.As(err, &poor) || !poor.Until.After(h.Now()) || poor.Until.Sub(h.Now()) > 24*time.Hour {
		t.Errorf("the installation's day: %v", err)
	}
	h.must(s.Settle(ctx, leases[name("r", 1)], "a", 20, nil)) // less than feared: there is room again
	h.must(reserve(name("r", 2), "a", 51))
	h.Advance(24 * time.Hour)
	l, _, err := s.ClaimRun(ctx, name("r", 2))
	h.must(err)
	leases[name("r", 2)] = l
	h.must(reserve(name("r", 2), "b", 49))
	if err := reserve(name("r", 2), "c", 1); !errors.As(err, &poor) || !poor.Until.IsZero() {
		t.Errorf("the issue's cap knows no day: %v", err)
	}
	racing := ask("race", "mall", 9)
	h.create(s, racing)
	l, _, err = s.ClaimRun(ctx, "race")
	h.must(err)
	won := make(chan error, 20)
	together(20, func(i int) {
		_, err := s.Reserve(context.WithoutCancel(ctx), l, task.Reservation{ID: name("c", i), Worst: 10})
		won <- err
	})
	n := 0
	for range 20 {
		if err := <-won; err == nil {
			n++
		} else if !errors.As(err, &poor) {
			t.Error(err)
		}
	}
	if n != 10 {
		t.Errorf("%d of 20 calls of 10 went into 100", n)
	}
}
