package heal

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// histories is how many random histories a property is asked about.
func histories(long int) int {
	if testing.Short() {
		return long / 20
	}
	return long
}

// check is rapid.Check for so many histories, whatever the flags say.
func check(t *testing.T, n int, prop func(*rapid.T)) {
	t.Helper()
	for ; n > 0; n -= 100 { // rapid's default
		rapid.Check(t, prop)
	}
}

// H2, H8 (transitions): what the picture does not show is refused, from every state.
func TestH2OnlyTheDrawnTransitionsHappen(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{
		"healthy>degraded": true, "healthy>quarantined": true, "healthy>paused": true, "degraded>quarantined": true, "degraded>healthy": true,
		"quarantined>recovering": true, "recovering>quarantined": true, "recovering>healthy": true, "paused>healthy": true,
	}
	seen := map[string]bool{}
	for _, s := range []State{Healthy, Degraded, Quarantined, Recovering, Paused} {
		for _, c := range []Cause{StepTrip, WorkflowTrip, GlobalTrip, Relapse, Proved, Released, RolledBack, ""} {
			if to, ok := Next(s, c); ok {
				seen[string(s+">"+to)] = true
				if !drawn[string(s+">"+to)] {
					t.Errorf("%s becomes %s by %s", s, to, c)
				}
			}
		}
	}
	if len(seen) != len(drawn) {
		t.Errorf("seen %v", seen)
	}
	p := settings.DefaultHeal()
	check(t, histories(2000), func(t *rapid.T) {
		s, global, now := fresh(), fresh(), start
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "seconds")) * time.Second)
			r, release := anyResult(t), rapid.IntRange(0, 9).Draw(t, "release") == 0
			for _, x := range []struct {
				scope *Scope
				apply func(settings.Heal, Result, time.Time) Cause
			}{{&s, s.Apply}, {&global, global.ApplyGlobal}} {
				from := x.scope.State
				if release {
					x.scope.Release(now)
				} else {
					x.apply(p, r, now)
				}
				if to := x.scope.State; from != to && !drawn[string(from+">"+to)] {
					t.Fatalf("%s became %s", from, to)
				}
			}
			if s.State == Paused || global.State != Healthy && global.State != Paused {
				t.Fatalf("the workflow is %s, everything %s", s.State, global.State)
			}
		}
	})
}

func anyResult(t *rapid.T) Result {
	r := Result{Installation: rapid.Int64Range(1, 4).Draw(t, "installation"), Step: rapid.SampledFrom([]string{"apply", "verify", "ci", "run"}).Draw(t, "step")}
	if rapid.IntRange(0, 2).Draw(t, "fails") > 0 {
		r.Trigger = rapid.SampledFrom(task.Triggers).Draw(t, "trigger")
	} else {
		r.Validated = rapid.Bool().Draw(t, "validated")
	}
	return r
}

// oracle says what the states have to be, from all that ever happened: it keeps no
// window and no counter.
type oracle struct {
	p      settings.Heal
	state  State
	fails  []time.Time // since the last release
	events []Result    // since the last change of the state
}

func (o *oracle) becomes(s State) { o.state, o.events = s, nil }

func (o *oracle) take(r Result, now time.Time) {
	if r.Trigger == task.ModelOutage || o.state == Quarantined {
		return
	}
	o.events = append(o.events, r)
	if r.Trigger == "" {
		proved := 0
		for _, e := range o.events {
			if e.Validated {
				proved++
			}
		}
		if o.state == Degraded && proved == o.p.Degraded.Successes || o.state == Recovering && proved == o.p.Recovering.Successes {
			o.becomes(Healthy)
		}
		return
	}
	o.fails = append(o.fails, now)
	recent, row := 0, 0
	for _, f := range o.fails {
		if now.Sub(f) < o.p.Workflow.Window {
			recent++
		}
	}
	for _, e := range slices.Backward(o.events) {
		if e.Step != r.Step {
			continue
		}
		if e.Trigger == "" {
			break
		}
		row++
	}
	switch {
	case o.state == Recovering, recent >= o.p.Workflow.Failures:
		o.becomes(Quarantined)
	case o.state == Healthy && row >= o.p.Step.InARow:
		o.becomes(Degraded)
	}
}

// H1, H8 (thresholds): over random histories with restarts at any point the breakers
// open at exactly their thresholds, and the states are those of somebody who remembers
// everything.
func TestH1ThresholdsAreExactOverRandomHistoriesWithRestarts(t *testing.T) {
	t.Parallel()
	check(t, histories(10_000), func(t *rapid.T) {
		p := settings.DefaultHeal()
		if rapid.Bool().Draw(t, "own policy") {
			p.Step.InARow, p.Workflow.Failures = rapid.IntRange(1, 5).Draw(t, "in a row"), rapid.IntRange(1, 12).Draw(t, "failures")
			p.Global.Failures, p.Global.Installation = rapid.IntRange(1, 15).Draw(t, "global"), rapid.IntRange(0, 8).Draw(t, "share")
			p.Degraded.Successes, p.Recovering.Successes = rapid.IntRange(1, 4).Draw(t, "degraded"), rapid.IntRange(1, 4).Draw(t, "recovering")
		}
		s, global, now := fresh(), fresh(), start
		o := oracle{p: p, state: Healthy}
		var all []Failure // of any kind that counted since everything was released
		paused := false
		for i := range rapid.IntRange(1, 80).Draw(t, "events") {
			// within a burst, a minute apart, at the edge of the window and a hair beyond it
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, 10*time.Minute - time.Microsecond, 10 * time.Minute, time.Hour}).Draw(t, "later"))
			if rapid.IntRange(0, 19).Draw(t, "release") == 0 {
				if s.Release(now) != (o.state == Quarantined) || global.Release(now) != paused {
					t.Fatalf("event %d: released what was not stopped, or not what was", i)
				}
				if o.state == Quarantined {
					o.fails = nil
					o.becomes(Recovering)
				}
				if paused {
					paused, all = false, nil
				}
			} else {
				r := anyResult(t)
				s.Apply(p, r, now)
				o.take(r, now)
				global.ApplyGlobal(p, r, now)
				if r.Trigger != "" && !paused {
					recent, mine := 0, 0
					for _, f := range all {
						if now.UnixMicro()-f.At < p.Global.Window.Microseconds() {
							recent++
							if f.Installation == r.Installation {
								mine++
							}
						}
					}
					if p.Global.Installation == 0 || mine < p.Global.Installation {
						all = append(all, Failure{now.UnixMicro(), r.Installation})
						paused = recent+1 >= p.Global.Failures
					}
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "restart") == 0 {
				s, global = restarted(t, s), restarted(t, global)
			}
			if s.State != o.state || (global.State == Paused) != paused {
				t.Fatalf("event %d: %s and %s, expected %s and paused %v", i, s.State, global.State, o.state, paused)
			}
		}
	})
}

func restarted(t *rapid.T, s Scope) (out Scope) {
	raw, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fail takes n failures at different steps, so that none is in a row.
func fail(s *Scope, p settings.Heal, n int, now time.Time, apart time.Duration) time.Time {
	for i := range n {
		s.Apply(p, Result{Step: string(rune('a' + i)), Trigger: task.Postcondition}, now)
		now = now.Add(apart)
	}
	return now
}

// F12 for heal: a clock that jumps, in either direction, lifts nothing, forgets nothing
// that is recent, and keeps nothing for longer than the window.
func TestF12AClockThatJumpsMovesNoState(t *testing.T) {
	t.Parallel()
	p := settings.DefaultHeal()
	s := fresh()
	now := fail(&s, p, 9, start, time.Second)
	for _, jump := range []time.Duration{-24 * time.Hour, -time.Hour, -2 * time.Minute} { // back: the nine still count
		back := s
		back.Failures, back.InARow = slices.Clone(s.Failures), nil
		if c := back.Apply(p, Result{Step: "z", Trigger: task.Postcondition}, now.Add(jump)); c != WorkflowTrip {
			t.Errorf("back by %v: %q", jump, c)
		}
	}
	back := s
	back.Failures, back.InARow = slices.Clone(s.Failures), nil
	back.Apply(p, Result{Step: "z"}, now)
	if n := back.Recent(now.Add(-time.Hour), p.Workflow.Window); n != 9 {
		t.Errorf("after a jump back %d failures are in the window", n)
	}
	back.slide(now.Add(-time.Hour).UnixMicro(), p.Workflow.Window)
	if n := back.Recent(now.Add(-time.Hour).Add(p.Workflow.Window), p.Workflow.Window); n != 0 {
		t.Errorf("a window after the jump back %d failures are still in it", n)
	}
	forward := s
	forward.Failures, forward.InARow = slices.Clone(s.Failures), nil
	if c := forward.Apply(p, Result{Step: "z", Trigger: task.Postcondition}, now.Add(24*time.Hour)); c != "" || forward.State != Healthy {
		t.Errorf("a day later it is %s by %q", forward.State, c)
	}
	fail(&s, p, 1, now, 0)
	if s.State != Quarantined {
		t.Fatalf("it is %s", s.State)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := s
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			at := start.Add(time.Duration(rapid.Int64Range(-1e6, 1e6).Draw(t, "seconds")) * time.Second)
			x.Apply(p, anyResult(t), at)
		}
		if x.State != Quarantined {
			t.Fatalf("a clock and results made it %s", x.State)
		}
	})
}

// Two servers whose clocks are a little apart forget nothing.
func TestO2ClocksALittleApartLoseNoFailure(t *testing.T) {
	t.Parallel()
	p := settings.DefaultHeal()
	s := fresh()
	for i := range 10 {
		skewed := start.Add(time.Duration(i) * time.Second)
		if i%2 == 1 {
			skewed = skewed.Add(-50 * time.Second)
		}
		s.Apply(p, Result{Step: string(rune('a' + i)), Trigger: task.Postcondition}, skewed)
		if want := i == 9; (s.State == Quarantined) != want {
			t.Fatalf("after %d failures it is %s", i+1, s.State)
		}
	}
}

// H4: a fall that chance explains takes nothing back, and one of ten points or less
// neither, however many runs there were.
func TestH4AFallHasToBeLargeAndUnlikely(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after Rate
		fell          bool
	}{
		{Rate{5, 5}, Rate{1, 0}, false}, // one run says nothing: p = 1/6
		{Rate{5, 5}, Rate{2, 0}, true},  // p = 1/21
		{Rate{50, 50}, Rate{1, 0}, false},
		{Rate{10, 5}, Rate{4, 0}, false},
		{Rate{10, 9}, Rate{10, 8}, false},
		{Rate{10_000, 9000}, Rate{10_000, 8000}, false}, // ten points are not more than ten
		{Rate{10_000, 9000}, Rate{10_000, 7999}, true},
		{Rate{}, Rate{10, 0}, false}, // nothing to compare with
		{Rate{10, 1}, Rate{10, 9}, false},
	} {
		if got := Fell(c.before, c.after, 10, 0.05); got != c.fell {
			t.Errorf("%+v then %+v: %v, p = %.4f", c.before, c.after, got, chance(c.before, c.after))
		}
	}
	rapid.Check(t, func(t *rapid.T) { // against counting every way to deal the successes out
		b, a := Rate{Runs: rapid.IntRange(1, 8).Draw(t, "before")}, Rate{Runs: rapid.IntRange(1, 7).Draw(t, "after")}
		b.Successes, a.Successes = rapid.IntRange(0, b.Runs).Draw(t, "good before"), rapid.IntRange(0, a.Runs).Draw(t, "good after")
		all, few := 0, 0
		for deal := range 1 << (b.Runs + a.Runs) {
			good, late := 0, 0
			for i := range b.Runs + a.Runs {
				if deal>>i&1 == 1 {
					good++
					if i >= b.Runs {
						late++
					}
				}
			}
			if good != b.Successes+a.Successes {
				continue
			}
			all++
			if late <= a.Successes {
				few++
			}
		}
		if got, want := chance(b, a), float64(few)/float64(all); got-want > 1e-9 || want-got > 1e-9 {
			t.Fatalf("%+v %+v: %v, counted %v", b, a, got, want)
		}
	})
}
