package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/task"
)

func testMoney(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	call := task.Reservation{ID: "1/1", Tier: task.Tier1, Worst: 100}
	got, err := s.Reserve(ctx, l, call)
	h.must(err)
	if got.Bought != 1 || got.Settled || got.Reply != nil || got.Run != "r1" || got.Worst != 100 {
		t.Errorf("new: %+v", got)
	}
	h.spent(s, "r1", 100, map[task.Tier]task.USD{task.Tier1: 100})
	reply := json.RawMessage(`{"text":"the answer"}`)
	h.must(s.Settle(ctx, l, "1/1", 30, reply))
	h.must(s.Settle(ctx, l, "1/1", 30, reply))
	if err := s.Settle(ctx, l, "1/1", 31, reply); err == nil {
		t.Error("a stored reply was replaced")
	}
	h.is(s.Settle(ctx, l, "nope", 1, nil), store.ErrNotFound)
	if got, err = s.Reserve(ctx, l, call); err != nil || !got.Settled || got.Bought != 1 || string(got.Reply) != string(reply) || got.Actual != 30 {
		t.Errorf("stored reply: %+v %v", got, err)
	}
	h.spent(s, "r1", 30, map[task.Tier]task.USD{task.Tier1: 30})

	// In flight at a crash: charged at its worst case, bought once more.
	call = task.Reservation{ID: "2/1", Tier: task.Tier2, Worst: 1000}
	_, err = s.Reserve(ctx, l, call)
	h.must(err)
	l = h.crash(s)
	if got, err = s.Reserve(ctx, l, call); err != nil || got.Bought != 2 || got.Settled {
		t.Errorf("second time: %+v %v", got, err)
	}
	h.spent(s, "r1", 30+2000, map[task.Tier]task.USD{task.Tier1: 30, task.Tier2: 2000})
	h.must(s.Settle(ctx, l, "2/1", 400, nil))
	h.spent(s, "r1", 30+1400, map[task.Tier]task.USD{task.Tier1: 30, task.Tier2: 1400})
	if got, err = s.Reserve(ctx, l, call); err != nil || !got.Settled || got.Reply != nil || got.Bought != 2 {
		t.Errorf("a call that ended without a reply: %+v %v", got, err)
	}

	// Never a third time.
	call = task.Reservation{ID: "3/1", Tier: task.Tier2, Worst: 1}
	for range 2 {
		_, err = s.Reserve(ctx, l, call)
		h.must(err)
		l = h.crash(s)
	}
	_, err = s.Reserve(ctx, l, call)
	h.is(err, store.ErrBought)
	all, by, err := s.Spent(ctx, "r1")
	h.must(err)
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Success, Cost: 3}, "")) // I7: what the calls cost is recorded, whatever is said
	if run, err := s.Run(ctx, "r1"); err != nil || run.Cost != all || fmt.Sprint(run.Result.CostByTier) != fmt.Sprint(by) {
		t.Errorf("recorded %v %v %v, want %v %v", run.Cost, run.Result.CostByTier, err, all, by)
	}
	if _, err := s.Reserve(ctx, l, task.Reservation{}); err == nil {
		t.Error("a reservation without an id was made")
	}
}

func (h *harness) spent(s *store.Store, run string, want task.USD, by map[task.Tier]task.USD) {
	h.Helper()
	all, tiers, err := s.Spent(h.Context(), run)
	if err != nil || all != want || fmt.Sprint(tiers) != fmt.Sprint(by) {
		h.Errorf("spent %d %v %v, want %d %v", all, tiers, err, want, by)
	}
}

// crash takes the only running run from its holder and claims it again.
func (h *harness) crash(s *store.Store) *store.Lease {
	h.Helper()
	h.Advance(2 * time.Minute)
	_, err := s.Sweep(h.Context(), time.Minute)
	h.must(err)
	l, _ := h.claim(s)
	return l
}

func testBudget(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	nr := ask("r1", "shop", 1)
	nr.Budget = task.Budget{USD: 1_234_567_891, Attempts: 15, Duration: time.Minute} // more digits than JSON's decimals keep
	run := h.create(s, nr)
	if run.Budget != nr.Budget {
		t.Errorf("budget %+v", run.Budget)
	}
	l, _ := h.claim(s)
	_, err := s.Reserve(ctx, l, task.Reservation{ID: "a", Worst: 1_234_567_892})
	h.is(err, store.ErrBudget)
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "a", Worst: 1_234_567_891})
	h.must(err)
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "b", Worst: 1})
	h.is(err, store.ErrBudget)
	h.must(s.Settle(ctx, l, "a", 1_000_000_000, nil))
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "b", Worst: 234_567_891})
	h.must(err)
	l = h.crash(s)
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "b", Worst: 234_567_891}) // once more would be over
	h.is(err, store.ErrBudget)
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.BudgetExhausted, Cost: 1_234_567_891}, ""))
}

func testOnce(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	calls := []bool{}
	do := func(result string, err error) func(context.Context, bool) (json.RawMessage, error) {
		return func(_ context.Context, again bool) (json.RawMessage, error) {
			calls = append(calls, again)
			return json.RawMessage(result), err
		}
	}
	boom := errors.New("502")
	_, err := s.Once(ctx, l, "pr", do("", boom))
	h.is(err, boom)
	got, err := s.Once(ctx, l, "pr", do(`{"number":5}`, nil))
	h.must(err)
	repeat, err := s.Once(ctx, l, "pr", do(`{"number":6}`, nil))
	h.must(err)
	if string(got) != `{"number":5}` || string(repeat) != string(got) || fmt.Sprint(calls) != "[false true]" {
		t.Errorf("%s, %s, calls %v", got, repeat, calls)
	}
	// Crash while acting: fenced off in the middle, the next holder looks first.
	calls = nil
	var next *store.Lease
	_, err = s.Once(ctx, l, "push", func(ctx context.Context, again bool) (json.RawMessage, error) {
		next = h.crash(s)
		return json.RawMessage(`"landed"`), nil
	})
	h.is(err, store.ErrFenced)
	got, err = s.Once(ctx, next, "push", do(`"found"`, nil))
	h.must(err)
	if string(got) != `"found"` || fmt.Sprint(calls) != "[true]" {
		t.Errorf("%s, calls %v", got, calls)
	}
	if got, err = s.Once(ctx, next, "label", do("", nil)); err != nil || string(got) != "null" {
		t.Errorf("no result: %s %v", got, err)
	}
	// The action is done but its caller's time is up: the result is kept.
	short, cancel := context.WithCancel(ctx)
	_, err = s.Once(short, next, "comment", func(context.Context, bool) (json.RawMessage, error) {
		cancel()
		return json.RawMessage("1"), nil
	})
	h.must(err)
	if got, err = s.Once(ctx, next, "comment", do("2", nil)); err != nil || string(got) != "1" {
		t.Errorf("kept %s %v", got, err)
	}
}

func testOnceRace(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	var calls atomic.Int64
	together(20, func(i int) {
		key := name("key", i%2)
		got, err := s.Once(ctx, l, key, func(context.Context, bool) (json.RawMessage, error) {
			return json.Marshal(calls.Add(1))
		})
		if err != nil || (string(got) != "1" && string(got) != "2") {
			t.Errorf("%s %v", got, err)
		}
	})
	if calls.Load() != 2 {
		t.Errorf("acted %d times for 2 keys", calls.Load())
	}
	acting, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := s.Once(ctx, l, "slow", func(context.Context, bool) (json.RawMessage, error) {
			close(acting)
			<-goOn
			return nil, nil
		})
		ended <- err
	}()
	<-acting
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := s.Once(short, l, "slow", nil)
	h.is(err, context.DeadlineExceeded) // waits clearly, never double
	close(goOn)
	h.must(<-ended)
}

func testJournal(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	var mu sync.Mutex
	together(10, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		h.must(s.Record(ctx, l, task.Message{Attempt: i, Agent: "developer", Direction: "to", Data: json.RawMessage(`{"n":1}`), Cost: 7, Latency: time.Second}))
	})
	together(10, func(i int) {
		if err := s.Decide(ctx, l, task.Decision{Kind: "attempt.judged", Reason: "line one\nline two", Data: map[string]any{"i": i}}); err != nil {
			t.Error(err)
		}
	})
	ms, err := s.Messages(ctx, "r1")
	h.must(err)
	if len(ms) != 10 || ms[3].Run != "r1" || ms[3].Cost != 7 || !ms[3].At.Equal(h.Now().Truncate(time.Microsecond)) || string(ms[3].Data) != `{"n":1}` {
		t.Errorf("%d messages: %+v", len(ms), ms)
	}
	var out, again bytes.Buffer
	h.must(s.Decisions(ctx, "r1", &out))
	h.must(s.Decisions(ctx, "r1", &again))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	seen := map[string]bool{}
	for _, line := range lines {
		var d task.Decision
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.Run != "r1" || d.At.IsZero() {
			t.Errorf("%q: %v", line, err)
		}
		seen[fmt.Sprint(d.Data["i"])] = true
	}
	if len(lines) != 10 || len(seen) != 10 || out.String() != again.String() {
		t.Errorf("%d lines, %d different:\n%s", len(lines), len(seen), out.String())
	}
	if ms, err := s.Messages(ctx, "nobody"); err != nil || len(ms) != 0 {
		t.Errorf("messages of nobody: %v %v", ms, err)
	}
}

func testReopen(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	_, err := s.Accept(ctx, store.Delivery{ID: "d1", Event: "issues"})
	h.must(err)
	h.create(s, ask("r1", "shop", 1))
	l, _ := h.claim(s)
	st := task.RunState{Version: 1, Phase: "repair", BaseCommit: "abc", Baseline: json.RawMessage(`{"green":["a"]}`),
		Attempts: []task.Attempt{{Number: 1, Tier: task.Tier1, Diff: "--- a\n", Cost: 5}}, Accepted: 1, Outcome: task.Success}
	h.must(s.SaveState(ctx, l, st))
	h.must(s.SetProgress(ctx, l, task.Tier1, 1, 5))
	h.must(s.Decide(ctx, l, task.Decision{Kind: "x"}))
	_, err = s.Reserve(ctx, l, task.Reservation{ID: "c", Worst: 9})
	h.must(err)
	h.must(s.Close())
	if _, err := s.Accept(ctx, store.Delivery{ID: "d2"}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("accept after closing: %v", err)
	}
	s = h.open()
	run, err := s.Run(ctx, "r1")
	h.must(err)
	if fmt.Sprintf("%+v", run.Saved) != fmt.Sprintf("%+v", st) || run.Tier != task.Tier1 || run.Cost != 5 || run.Attempts != 1 {
		t.Errorf("after reopening: %+v", run)
	}
	h.must(s.Check(ctx, l)) // the lease outlives the connection
	h.spent(s, "r1", 9, map[task.Tier]task.USD{"": 9})
	if d, err := s.Delivery(ctx, "d1"); err != nil || d.State != "queued" {
		t.Errorf("%+v %v", d, err)
	}
}

func testLists(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	for i := range 5 {
		h.create(s, ask(name("r", i), []string{"shop", "till"}[i%2], i+1))
		h.Advance(time.Second)
	}
	nr := ask("local", "", 0)
	nr.Task.Repo = task.Repo{Dir: "Some/Folder"}
	h.create(s, nr)
	l, _ := h.claim(s)
	h.finish(s, l, task.Success)
	for _, c := range []struct {
		f    store.Filter
		want string
	}{
		{store.Filter{}, "local r004 r003 r002 r001 r000"},
		{store.Filter{Limit: 2}, "local r004"},
		{store.Filter{Repo: "Acme/Shop"}, "r004 r002 r000"},
		{store.Filter{Repo: "Some/Folder"}, "local"},
		{store.Filter{Issue: 4}, "r003"},
		{store.Filter{Prefix: "r00"}, "r004 r003 r002 r001 r000"},
		{store.Filter{Prefix: "r003"}, "r003"},
		{store.Filter{Prefix: "R00"}, ""},
		{store.Filter{Prefix: "r%"}, ""},
		{store.Filter{Prefix: "r003longer"}, ""},
		{store.Filter{State: task.StateDone}, "r000"},
		{store.Filter{Repo: "acme/shop", State: task.StateQueued, Issue: 3}, "r002"},
		{store.Filter{Installation: 9}, ""},
	} {
		runs, err := s.Runs(ctx, c.f)
		h.must(err)
		var ids []string
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
	_, err := s.Run(ctx, "nope")
	h.is(err, store.ErrNotFound)
}

func testForeignBytes(t *testing.T, h *harness) {
	s, ctx := h.open(), t.Context()
	bad := "nul \x00, not UTF-8 \xff\xfe, quote ' \\ $1 ? \u202e"
	nr := ask("r1", "shop", 1)
	nr.Task.Title, nr.Task.Body = bad, bad
	h.create(s, nr)
	l, _ := h.claim(s)
	h.must(s.Record(ctx, l, task.Message{Data: json.RawMessage(`{"x":"\u0000` + "\xff" + `"}`)}))
	h.must(s.Decide(ctx, l, task.Decision{Kind: bad, Reason: bad, Data: map[string]any{bad: bad}}))
	_, err := s.Reserve(ctx, l, task.Reservation{ID: "c"})
	h.must(err)
	h.must(s.Settle(ctx, l, "c", 0, json.RawMessage("\"\xff\"")))
	_, err = s.Once(ctx, l, "k", func(context.Context, bool) (json.RawMessage, error) { return json.RawMessage("\"\xfe\""), nil })
	h.must(err)
	h.must(s.Park(ctx, l, h.Now(), bad))
	h.must(s.AskCancel(ctx, "r1", bad))
	_, err = s.Accept(ctx, store.Delivery{ID: "d", Event: bad, Payload: []byte(bad)})
	h.must(err)
	h.must(s.FinishDelivery(ctx, "d", bad))
	l, run := h.claim(s)
	h.must(s.Finish(ctx, l, task.Result{Outcome: task.Cancelled, Diff: bad}, bad))
	if !strings.Contains(run.Task.Title, "quote ' \\ $1 ?") {
		t.Errorf("title %q", run.Task.Title)
	}
}

func testMigrateTwice(t *testing.T, h *harness) {
	together(4, func(int) {
		s, err := store.Open(t.Context(), h.url, store.Config{})
		if err != nil {
			t.Error(err)
			return
		}
		if err := s.Integrity(t.Context()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
}
