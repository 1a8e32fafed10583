package storetest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

// testNoSecret: whatever repeats a live token, by whichever method it comes in,
// the token stands in no column of any table.
func testNoSecret(t *testing.T, h *harness) {
	const live = "installation.token/of-no-known-shape-4711"
	signed := "ey" + "JhbGciOiJI." + "ey" + "JzdWIiOiIx." + "c2lnbmF0dXJlMTIz" // known by its shape alone
	bearer, basic := "Authorization: Bearer "+live, base64.StdEncoding.EncodeToString([]byte("x-access-token:"+live))
	echo := fmt.Sprintf("the forge answered 500: you sent %s, %s and %s", bearer, basic, signed)
	said, err := json.Marshal(map[string]string{"error": bearer + " " + basic})
	h.must(err)

	s, ctx := h.open(wall, func(c *store.Config) { c.Funnel = redact.New(live) }), t.Context()
	stop := h.work(s, store.Handlers{Delivery: func(_ context.Context, id string) error {
		switch id {
		case "ends":
			return s.FinishDelivery(ctx, id, echo)
		case "put off":
			return store.Later(time.Now().Add(time.Hour), errors.New(echo))
		case "panics":
			panic(echo)
		}
		return errors.New(echo)
	}}, 1)
	for _, id := range []string{"fails", "panics", "ends", "put off"} {
		_, err := s.Accept(ctx, store.Delivery{ID: id, Event: "issues", Payload: said})
		h.must(err)
	}
	h.eventually("the deliveries are given up", func() bool {
		return h.delivery(s, "fails").State == "failed" && h.delivery(s, "panics").State == "failed" && h.delivery(s, "ends").State == "done" && h.delivery(s, "put off").Note != ""
	})
	stop()

	nr := ask("r1", "shop", 1)
	nr.Task.Body, nr.Saved = bearer, &task.RunState{Reason: bearer}
	h.create(s, nr)
	l, _ := h.claim(s)
	h.must(s.Record(ctx, l, task.Message{Agent: "developer", Data: said}))
	h.must(s.Decide(ctx, l, task.Decision{Kind: "x", Reason: bearer, Data: map[string]any{"why": basic}}))
	_, err = s.Effect(ctx, l, task.Effect{Kind: "reply", Data: said, Fail: said})
	h.must(err)
	h.must(s.Observe(ctx, l, []json.RawMessage{said}))
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "c", Worst: 1})
	h.must(err)
	h.must(s.Settle(ctx, l, "c", 1, said))
	_, err = s.Once(ctx, l, "k", func(context.Context, bool) (json.RawMessage, error) { return said, nil })
	h.must(err)
	h.must(s.SaveState(ctx, l, task.RunState{Reason: echo, Feedback: bearer, Attempts: []task.Attempt{{Why: basic}}}))
	h.must(s.Wait(ctx, l, task.Gate{Kind: task.GatePlan, Words: echo}))
	_, err = s.Answer(ctx, "r1", task.Answer{Approved: true, Feedback: bearer})
	h.must(err)
	l, _ = h.claim(s)
	h.must(s.Park(ctx, l, h.Now(), echo))
	if got := none(t, Dump(t, h.url), live, basic, signed); got != "" {
		t.Errorf("while it was parked: %s", got)
	}
	l, _, err = s.ClaimRun(ctx, "r1")
	h.must(err)
	h.must(s.AskCancel(ctx, "r1", echo))
	again := ask("r2", "shop", 1)
	again.Task.Body = bearer
	_, _, err = s.CreateRun(ctx, again) // kept until the cancelled one has ended
	h.must(err)
	if got := none(t, Dump(t, h.url), live, basic, signed); got != "" {
		t.Errorf("while it was being cancelled: %s", got)
	}
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Cancelled, Reason: echo, NextAction: bearer, Diff: basic}, echo))
	h.must(s.AskCancel(ctx, "r2", "")) // ends a run that never began
	all := Dump(t, h.url)
	if got := none(t, all, live, basic, signed); got != "" {
		t.Errorf("at the end: %s", got)
	}
	for _, column := range []string{"deliveries.note", "deliveries.payload", "runs.reason", "runs.result", "runs.cancel_reason", "messages.body",
		"decisions.body", "effects.body", "answers.body", "actions.result", "reservations.reply", "observations.body"} {
		if !strings.Contains(strings.Join(all[column], "\n"), redact.Mark) {
			t.Errorf("nothing was taken out of %s: %q", column, all[column])
		}
	}
}

// none says where one of the secrets stands.
func none(t *testing.T, all map[string][]string, secrets ...string) string {
	t.Helper()
	var found []string
	for column, values := range all {
		for _, v := range values {
			for _, s := range secrets {
				if strings.Contains(v, s) {
					found = append(found, fmt.Sprintf("%q stands in %s", s, column))
				}
			}
		}
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), "\n")
}

// testSourceStays: what code reads again is not changed because it looks like
// a secret, nor because a weak one of the operator's is a word in it.
func testSourceStays(t *testing.T, h *harness) {
	s, ctx := h.open(func(c *store.Config) { c.Funnel = redact.New("ollama") }), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	const source = "API_KEY = \"9f8e7d6c5b4a39281706ffee\"\nMODEL = 'ollama' # \\u003c\n"
	st := task.RunState{Attempts: []task.Attempt{{Diff: source}}}
	h.must(s.SaveState(ctx, l, st))
	reply, err := json.Marshal(source)
	h.must(err)
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "c", Worst: 1})
	h.must(err)
	h.must(s.Settle(ctx, l, "c", 1, reply))
	got, err := s.Reserve(ctx, l, task.Reservation{ID: "c", Worst: 1})
	h.must(err)
	run, err := s.Run(ctx, "r1")
	h.must(err)
	if run.Saved.Attempts[0].Diff != source || string(got.Reply) != string(reply) {
		t.Errorf("came back as %q and %s", run.Saved.Attempts[0].Diff, got.Reply)
	}
}
