package heal_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/heal"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/store"
	"github.com/fettle-dev/fettle/bot/store/storetest"
	"github.com/fettle-dev/fettle/bot/task"
)

var shop = heal.WorkflowOf(task.Task{Repo: task.Repo{Installation: 7, Owner: "Acme", Name: "shop"}})

func nobody() logrus.FieldLogger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return l
}

// server is heal of one process on a database.
type server struct {
	*heal.Heal
	db *store.Store
}

func serve(t testing.TB, url, policy string, now func() time.Time, learned heal.Learned) server {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p, err := heal.OpenPolicy(policy, nobody())
	if err != nil {
		t.Fatal(err)
	}
	return server{heal.New(heal.Config{Store: db, Policy: p, Learned: learned, Now: now, Log: nobody()}), db}
}

func (s server) tell(t testing.TB, key store.HealKey, r heal.Result) []heal.Move {
	t.Helper()
	moves, err := s.OnResult(context.Background(), key, r)
	if err != nil {
		t.Fatal(err)
	}
	return moves
}

func (s server) state(t testing.TB, key store.HealKey) heal.State {
	t.Helper()
	st, err := s.Status(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if key == (store.HealKey{}) {
		return st.Global.State
	}
	for _, w := range st.Workflows {
		if w.Installation == key.Installation && w.Repo == key.Repo && w.Class == key.Class {
			return w.State
		}
	}
	return heal.Healthy
}

func databases(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(t, storetest.StartPostgres(t).New(t)) })
}

// H2: two servers on one database open a breaker once, at exactly the threshold, and
// what they wrote is there after both died.
func TestO2TwoServersOpenABreakerOnceAtTheThreshold(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, url string) {
		servers := []server{serve(t, url, "", time.Now, nil), serve(t, url, "", time.Now, nil)}
		var mu sync.Mutex
		var moves []heal.Move
		var all sync.WaitGroup
		for i := range 9 {
			for _, s := range servers { // the same event reaches both
				all.Go(func() {
					got, err := s.OnResult(t.Context(), shop, heal.Result{ID: fmt.Sprint(i), Step: fmt.Sprint("step", i), Trigger: task.Postcondition})
					mu.Lock()
					defer mu.Unlock()
					if moves = append(moves, got...); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if len(moves) != 0 || servers[0].state(t, shop) != heal.Healthy {
			t.Fatalf("after nine failures: %+v", moves)
		}
		for _, s := range servers {
			moves = append(moves, s.tell(t, shop, heal.Result{ID: "tenth", Run: "r10", Step: "ci", Trigger: task.Postcondition})...)
		}
		if len(moves) != 1 || moves[0].To != heal.Quarantined || moves[0].Failures != 10 {
			t.Fatalf("%+v", moves)
		}
		next := serve(t, url, "", time.Now, nil)
		var held *heal.Held
		if _, err := next.ShouldRun(t.Context(), shop); !errors.As(err, &held) || held.Case != moves[0].ID {
			t.Fatalf("after a restart: %v", err)
		}
		if why, err := next.Failures(t.Context(), moves[0]); err != nil || len(why) != 10 || why[9].Run != "r10" {
			t.Errorf("the case holds %+v, %v", why, err)
		}
		other := shop
		other.Installation = 8
		if _, err := next.ShouldRun(t.Context(), other); err != nil {
			t.Errorf("another installation's repository of that name is stopped: %v", err)
		}
	})
}

// H8 (thresholds) in the database: histories with a restart between any two events.
func TestH1HistoriesAreExactInTheDatabase(t *testing.T) {
	t.Parallel()
	url := storetest.SQLite(t)
	p := settings.DefaultHeal()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; testing.Short() && n > 10 || n > 60 {
			return
		}
		clock := storetest.NewClock()
		key := shop
		key.Installation = int64(1000 + n)
		pure := heal.Scope{State: heal.Healthy}
		s := serve(t, url, "", clock.Now, nil)
		for i := range rapid.IntRange(1, 25).Draw(rt, "events") {
			clock.Advance(rapid.SampledFrom([]time.Duration{0, time.Second, 4 * time.Minute, -time.Hour}).Draw(rt, "later"))
			r := heal.Result{ID: fmt.Sprint(n, "/", i), Step: rapid.SampledFrom([]string{"apply", "ci"}).Draw(rt, "step"), Validated: true}
			if rapid.IntRange(0, 3).Draw(rt, "fails") > 0 {
				r.Trigger, r.Validated = task.TargetNotFound, false
			}
			s.tell(t, key, r)
			if rapid.Bool().Draw(rt, "twice") {
				s.tell(t, key, r)
			}
			pure.Apply(p, r, clock.Now())
			if rapid.IntRange(0, 4).Draw(rt, "release") == 0 {
				if _, err := s.Release(t.Context(), key.Installation, "ACME/Shop", "somebody"); err != nil {
					rt.Fatal(err)
				}
				pure.Release(clock.Now())
			}
			if _, err := s.ReleaseGlobal(t.Context(), "operator"); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(rt, "restart") == 0 {
				_ = s.db.Close()
				s = serve(t, url, "", clock.Now, nil)
			}
			if got := s.state(t, key); got != pure.State {
				rt.Fatalf("event %d: the database says %s, expected %s", i, got, pure.State)
			}
		}
		_ = s.db.Close()
	})
}

// F12: a second release at the moment of the first, by a clock that was set back, is one.
func TestF12AReleaseAtAMomentThatWasBeforeIsOne(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := serve(t, storetest.SQLite(t), "", clock.Now, nil)
	for round := range 3 {
		for i := range 10 {
			s.tell(t, shop, heal.Result{ID: fmt.Sprint(round, i), Step: "apply", Trigger: task.Watchdog})
		}
		if moves, err := s.Release(t.Context(), 7, "acme/shop", "x"); err != nil || len(moves) != 1 {
			t.Fatalf("release %d: %+v %v", round, moves, err)
		}
	}
}

// H3, H8 (safety of degraded mode): whatever happened, a workflow that is not healthy
// is asked for more than a healthy one, learns nothing, and runs nothing at all where it
// is stopped.
func TestH3DegradedModeIsNeverLaxer(t *testing.T) {
	t.Parallel()
	url, clock := storetest.SQLite(t), storetest.NewClock()
	s := serve(t, url, "", clock.Now, nil)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > 40 {
			return
		}
		key := shop
		key.Installation = int64(n)
		for i := range rapid.IntRange(0, 14).Draw(rt, "failures") {
			s.tell(t, key, heal.Result{ID: fmt.Sprint("s", n, "/", i), Step: rapid.SampledFrom([]string{"apply", "ci", "verify"}).Draw(rt, "step"), Trigger: task.LowConfidence})
			clock.Advance(time.Minute)
		}
		if rapid.Bool().Draw(rt, "release") {
			if _, err := s.Release(t.Context(), key.Installation, "acme/shop", "x"); err != nil {
				rt.Fatal(err)
			}
		}
		if _, err := s.ReleaseGlobal(t.Context(), "x"); err != nil {
			rt.Fatal(err)
		}
		state := s.state(t, key)
		care, err := s.ShouldRun(t.Context(), key)
		learning, lerr := s.Learning(t.Context(), key)
		if lerr != nil || learning != (state == heal.Healthy) {
			rt.Fatalf("%s: learning %v, %v", state, learning, lerr)
		}
		switch state {
		case heal.Healthy:
			if err != nil || care.Degraded() || care.Confidence != 0.70 {
				rt.Fatalf("%+v, %v", care, err)
			}
		case heal.Degraded, heal.Recovering:
			if err != nil || !care.Degraded() || care.Confidence != 0.85 {
				rt.Fatalf("%s: %+v, %v", state, care, err)
			}
		default:
			var held *heal.Held
			if !errors.As(err, &held) {
				rt.Fatalf("%s runs: %+v", state, care)
			}
		}
	})
}

// H1: an hour without the provider stops no repository; only everything, after thirty.
func TestH1AnOutageOfTheProviderQuarantinesNoRepository(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := serve(t, storetest.SQLite(t), "", clock.Now, nil)
	for i := range 60 { // one a minute: never more than ten in the window
		s.tell(t, shop, heal.Result{ID: fmt.Sprint("slow", i), Step: "model", Trigger: task.ModelOutage})
		clock.Advance(time.Minute)
	}
	if got, all := s.state(t, shop), s.state(t, store.HealKey{}); got != heal.Healthy || all != heal.Healthy {
		t.Fatalf("after an hour: %s, everything %s", got, all)
	}
	clock.Advance(time.Hour)
	var moves []heal.Move
	for i := range 30 {
		if len(moves) > 0 {
			t.Fatalf("it trips after %d", i)
		}
		moves = append(moves, s.tell(t, shop, heal.Result{ID: fmt.Sprint("fast", i), Step: "model", Trigger: task.ModelOutage})...)
	}
	if len(moves) != 1 || moves[0].To != heal.Paused || s.state(t, shop) != heal.Healthy {
		t.Fatalf("%+v", moves)
	}
	if moves, err := s.Release(t.Context(), 7, "acme/shop", "a maintainer"); err != nil || len(moves) != 0 || s.state(t, store.HealKey{}) != heal.Paused {
		t.Errorf("a repository's release lifts the pause of everything: %+v, %v", moves, err)
	}
	if moves, err := s.ReleaseGlobal(t.Context(), "the operator"); err != nil || len(moves) != 1 {
		t.Errorf("%+v, %v", moves, err)
	}
	if _, err := s.ShouldRun(t.Context(), shop); err != nil {
		t.Error(err)
	}
}

// S17: an installation whose runs all fail, in many repositories and on and on in those
// that are quarantined, stops nobody else; where nobody else is served, and where others
// fail too, everything pauses.
func TestS17OneInstallationPausesNobodyElse(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, url string) {
		clock := storetest.NewClock()
		s := serve(t, url, "", clock.Now, nil)
		served := func(installation int64) {
			_, _, err := s.db.CreateRun(t.Context(), store.NewRun{ID: fmt.Sprint("run", installation), Task: task.Task{Title: "x", Issue: 1, Repo: task.Repo{Installation: installation, Owner: "acme", Name: "shop"}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		fails := func(installation int64, repo string, times int) {
			key := heal.WorkflowOf(task.Task{Repo: task.Repo{Installation: installation, Owner: "acme", Name: repo}})
			for range times {
				n++
				s.tell(t, key, heal.Result{ID: fmt.Sprint(n), Step: fmt.Sprint("s", n), Trigger: task.Watchdog})
			}
		}
		paused := func() bool { return s.state(t, store.HealKey{}) == heal.Paused }
		served(7)
		served(8)
		for i := range 6 {
			fails(7, fmt.Sprint("shop", i), 12)
		}
		if st, err := s.Status(t.Context()); err != nil || paused() || st.Global.Failures != 10 {
			t.Fatalf("72 failures of one installation: %+v %v", st.Global, err)
		}
		served(9)
		for i := range 10 {
			fails(8, fmt.Sprint("cart", i), 1)
			fails(9, fmt.Sprint("till", i), 1)
			if paused() != (i == 9) {
				t.Fatalf("after %d failures of two others: paused %v", i+1, paused())
			}
		}
		if _, err := s.ReleaseGlobal(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		for _, gone := range []int64{8, 9} {
			lease, _, err := s.db.ClaimRun(t.Context(), fmt.Sprint("run", gone))
			if err == nil {
				err = s.db.Finish(t.Context(), lease, task.Result{Outcome: task.FailedAllTiers}, "")
			}
			if err == nil {
				_, err = s.db.Forget(t.Context(), store.Removal{Installation: gone})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		fails(7, "quarantined", 40) // ten before it stops; what runs down there counts no more
		if st, err := s.Status(t.Context()); err != nil || paused() || st.Global.Failures != 10 {
			t.Fatalf("after one repository's forty: %+v %v", st.Global, err)
		}
		fails(7, "b", 10)
		if fails(7, "c", 9); paused() {
			t.Fatal("29 failures pause")
		}
		if fails(7, "c", 1); !paused() {
			t.Error("H1: thirty failures do not pause where nobody else is served")
		}
	})
}

// versions is learned data that remembers what it was told.
type versions struct {
	now   string
	back  []string
	dying bool // the process dies while it goes back
}

func (v *versions) Rollback(_ context.Context, _ int64, _, to, _ string) (string, error) {
	if v.dying {
		v.dying = false
		return "", errors.New("the process dies here")
	}
	v.back = append(v.back, to)
	v.now = to
	return to, nil
}

// H4, H8 (rollback): a version after which runs end worse is taken back once, also
// across a crash, and the one before it is what is measured against from then on.
func TestH4WhatMakesRunsWorseIsTakenBackAcrossACrash(t *testing.T) {
	t.Parallel()
	v := &versions{now: "v01"}
	url, clock := storetest.SQLite(t), storetest.NewClock()
	s := serve(t, url, "", clock.Now, v)
	run := 0
	ended := func(success bool) error {
		run++
		return s.Ended(t.Context(), shop, fmt.Sprint("run", run), v.now, success)
	}
	for range 20 { // it proves itself against nothing
		if err := ended(true); err != nil {
			t.Fatal(err)
		}
	}
	v.now = "v02"
	if err := ended(false); err != nil || len(v.back) != 0 {
		t.Fatalf("one failure takes back: %v %v", v.back, err)
	}
	v.dying = true
	var err error
	for range 3 {
		if err = ended(false); err != nil {
			break
		}
	}
	if err == nil || len(v.back) != 0 {
		t.Fatalf("it was not asked to go back: %v", v.back)
	}
	s = serve(t, url, "", clock.Now, v) // after the crash
	if err := ended(false); err != nil || len(v.back) != 1 || v.back[0] != "v01" || v.now != "v01" {
		t.Fatalf("it went back to %v, %v", v.back, err)
	}
	for range 10 {
		if err := ended(true); err != nil || len(v.back) != 1 {
			t.Fatalf("%v %v", v.back, err)
		}
	}
	st, err := s.Status(t.Context())
	if err != nil || len(st.Learned) != 1 || st.Learned[0].Good != "v01" || st.Learned[0].Worse != "v02" || st.Moves[0].Cause != heal.RolledBack {
		t.Errorf("%+v %v", st.Learned, err)
	}
}

// H8 (learning): however runs end, a version is only left for an older one, and never
// without a fall that is significant.
func TestH8LearnedDataGoesBackOnlyAfterASignificantFall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l heal.Lessons
		version := ""
		for i := range rapid.IntRange(1, 120).Draw(t, "runs") {
			if rapid.IntRange(0, 30).Draw(t, "learns") == 0 {
				version = fmt.Sprintf("v%03d", i)
			}
			before, after := l.Before, l.After
			good := rapid.IntRange(0, 3).Draw(t, "good") > 0
			fell := l.Ended(version, good, 10, 0.05)
			if after.Runs++; good {
				after.Successes++
			}
			if fell != (version != l.Good && heal.Fell(before, after, 10, 0.05)) {
				t.Fatalf("run %d: fell %v, %+v %+v", i, fell, before, after)
			}
			if fell {
				if l.Return != l.Good || l.Return >= version {
					t.Fatalf("it goes from %q to %q", version, l.Return)
				}
				version = l.Return
				l.RolledBack(version)
			}
		}
	})
}

// H5, H8 (storage rules): a step that went well in a healthy workflow writes nothing, each
// failure is written once, with its words, and each move with its report.
func TestH5FailuresAndMovesAreWrittenAndNothingElse(t *testing.T) {
	t.Parallel()
	url, clock := storetest.SQLite(t), storetest.NewClock()
	s := serve(t, url, "", clock.Now, nil)
	for i := range 20 {
		s.tell(t, shop, heal.Result{ID: fmt.Sprint("ok", i), Step: "verify", Validated: i%2 == 0})
	}
	if d := storetest.Dump(t, url); len(d["heal_results.id"]) != 0 || len(d["heal_scopes.body"]) != 0 || len(d["heal_moves.id"]) != 0 {
		t.Errorf("written: %v %v", d["heal_results.id"], d["heal_scopes.body"])
	}
	for range 2 {
		for i := range 3 {
			s.tell(t, shop, heal.Result{ID: fmt.Sprint("bad", i), Run: "r1", Step: "apply", Trigger: task.TargetNotFound, Words: "no such region; ghp_" + strings.Repeat("a1B2", 9)})
		}
	}
	d := storetest.Dump(t, url)
	if len(d["heal_results.id"]) != 3 || len(d["heal_moves.id"]) != 1 || !strings.Contains(d["heal_results.words"][0], "no such region") {
		t.Errorf("written: %v %v", d["heal_results.id"], d["heal_moves.id"])
	}
	for column, values := range d {
		if strings.Contains(strings.Join(values, " "), "ghp_") {
			t.Errorf("%s holds a secret", column)
		}
	}
}

// H6, H8 (configuration): a bad file is refused with its line while running, and what held
// goes on holding; a good one holds at once.
func TestH6ABadPolicyIsRefusedWithItsLineAndTheOldOneHolds(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "heal.yml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("step:\n  in_a_row: 2\n")
	p, err := heal.OpenPolicy(file, nobody())
	if err != nil || p.Get().Step.InARow != 2 {
		t.Fatal(err)
	}
	for bad, line := range map[string]string{
		"step:\n  in_a_row: 0\n": ":2:", "# x\nworkflow: {failures: 3, windw: 5m}\n": ":2:", "a: [": ":1", "degraded:\n  confidence: 0.5\n": ":2:",
		"global:\n  failures: 1001\n": ":2:",
	} {
		write(bad)
		if got := p.Get(); got.Step.InARow != 2 {
			t.Errorf("%q holds: %+v", bad, got)
		}
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), file+line) {
			t.Errorf("%q is refused with %v, without %s", bad, err, line)
		}
	}
	if _, err := heal.OpenPolicy(file, nobody()); err == nil {
		t.Error("a server begins with a policy that is refused")
	}
	write("step:\n  in_a_row: 4\n")
	if got := p.Get(); got.Step.InARow != 4 || p.Err() != nil {
		t.Errorf("the mended file does not hold: %+v, %v", got, p.Err())
	}
	if err := os.Remove(file); err != nil || p.Get().Step.InARow != 3 {
		t.Errorf("without a file %+v holds, %v", p.Get(), err)
	}
}

// H7, H8 (metrics and records): the counts of a status are those of the record.
func TestH7CountsAgreeWithTheRecord(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := serve(t, storetest.SQLite(t), "", clock.Now, nil)
	empty, err := s.Status(t.Context())
	if err != nil || empty.Global.State != heal.Healthy || empty.Workflows == nil || empty.Moves == nil {
		t.Fatalf("empty: %+v %v", empty, err)
	}
	var moves []heal.Move
	for i := range 10 {
		clock.Advance(time.Second)
		moves = append(moves, s.tell(t, shop, heal.Result{ID: fmt.Sprint(i), Run: "r", Step: "apply", Trigger: task.TargetNotFound})...)
	}
	got, err := s.Release(t.Context(), 7, "acme/shop", "m")
	if err != nil {
		t.Fatal(err)
	}
	moves = append(moves, got...)
	st, err := s.Status(t.Context())
	if err != nil || len(st.Moves) != len(moves) || st.Transitions["healthy>degraded"] != 1 || st.Transitions["degraded>quarantined"] != 1 || st.Transitions["quarantined>recovering"] != 1 {
		t.Fatalf("%+v %v", st, err)
	}
	for i, m := range moves {
		if rec := st.Moves[len(moves)-1-i]; rec.ID != m.ID || rec.Report() != m.Report() {
			t.Errorf("recorded %+v, happened %+v", rec, m)
		}
	}
	if m := st.Moves[1]; m.Lasted != 7 || m.Failures != 10 { // seconds degraded
		t.Errorf("%+v", m)
	}
	if st.Global.Failures != 10 || st.Latency["on_result"].Times != 10 {
		t.Errorf("%+v %+v", st.Global, st.Latency)
	}
	clock.Advance(10 * time.Minute)
	if st, err = s.Status(t.Context()); err != nil || st.Global.Failures != 0 {
		t.Errorf("after the window: %+v %v", st.Global, err)
	}
}

// Of every move whoever waits is told once.
func TestH3MovesAreToldOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, storetest.SQLite(t), "", time.Now, nil)
	for i := range 10 {
		s.tell(t, shop, heal.Result{ID: fmt.Sprint(i), Step: "apply", Trigger: task.TargetNotFound})
	}
	untold, err := s.Untold(t.Context())
	if err != nil || len(untold) != 2 || untold[0].To != heal.Degraded || untold[1].To != heal.Quarantined {
		t.Fatalf("%+v %v", untold, err)
	}
	for _, m := range untold {
		if err := s.Told(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if untold, err = s.Untold(t.Context()); err != nil || len(untold) != 0 {
		t.Errorf("%+v %v", untold, err)
	}
}

// BenchmarkStep is what heal costs a step that goes well: asked before, told after.
func BenchmarkStep(b *testing.B) {
	s := serve(b, storetest.SQLite(b), filepath.Join(b.TempDir(), "heal.yml"), time.Now, nil)
	n := 0
	for b.Loop() {
		n++
		if _, err := s.ShouldRun(b.Context(), shop); err != nil {
			b.Fatal(err)
		}
		s.tell(b, shop, heal.Result{ID: fmt.Sprint(n), Step: "verify"})
	}
}

// BenchmarkFailure is what a failure costs: it is on disk when OnResult returns.
func BenchmarkFailure(b *testing.B) {
	s := serve(b, storetest.SQLite(b), "", time.Now, nil)
	n := 0
	for b.Loop() {
		n++
		key := shop
		key.Installation = int64(n)
		s.tell(b, key, heal.Result{ID: fmt.Sprint(n), Step: "verify", Trigger: task.ModelOutage})
	}
}
