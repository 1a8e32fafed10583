package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/task"
)

var errKilled = errors.New("killed")

// Whatever models cost, say and break, and whenever the process is killed: the
// cost never passes the budget, what the journal says was spent is what the
// result says, no limit is passed, a stored reply is not bought again, the run
// ends, and its record replays to the same decisions.
func TestL5NoLimitIsEverPassed(t *testing.T) {
	t.Parallel()
	srv := newPlayer(t)
	rapid.Check(t, func(rt *rapid.T) {
		seen, budget, kills := 0, task.USD(rapid.Int64Range(1, int64(task.Dollar/40)).Draw(rt, "budget")), 0
		answers := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(rt, "answers")
		id := srv.play(func(c scripted.Call, _ int) scripted.Answer {
			kind := answers[seen%len(answers)]
			seen++
			a := wrong(seen)
			switch kind {
			case 0:
				a = says("right")
			case 1:
				a = says("omega")
			case 2:
				a = text("no JSON at all")
			case 3:
				a = scripted.Answer{Status: 400, Body: `{"error":{"message":"no"}}`}
			case 4:
				a = scripted.Answer{Text: "x", Cut: true}
			case 5:
				a = says("breaks things " + fmt.Sprint(seen))
			}
			a.TokensIn, a.TokensOut = 1+(seen*7919)%1000, 1+(seen*104729)%500 // a token is at least a byte, and an answer keeps to its limit
			return a
		})
		s := stageOn(t, srv.Server, task.Tier1, task.Tier2, task.Tier3).withRoles()
		s.named(id)
		s.in.RunID, s.in.Budget = id, task.Budget{USD: budget, Attempts: rapid.IntRange(1, 15).Draw(rt, "attempts"), AttemptsPerTier: rapid.IntRange(1, 4).Draw(rt, "per tier")}
		s.world.places = rapid.IntRange(1, 4).Draw(rt, "places")
		at := rapid.SliceOfN(rapid.IntRange(1, 60), 0, 4).Draw(rt, "kills")
		var res task.Result
		for {
			writes := 0
			s.journal.Before = func(string) error {
				if writes++; kills < len(at) && writes >= at[kills] {
					return errKilled
				}
				return nil
			}
			got, err := s.run(context.Background())
			if err == nil {
				res = got
				break
			}
			if !errors.Is(err, errKilled) {
				rt.Fatalf("%v", err)
			}
			kills++
		}
		spent, _ := s.journal.spent()
		switch {
		case spent > budget:
			rt.Fatalf("L5: %s of %s were spent", spent, budget)
		case spent != res.Cost:
			rt.Fatalf("I7: the journal says %s, the result %s", spent, res.Cost)
		case len(res.Attempts) > s.in.Budget.Attempts:
			rt.Fatalf("%d attempts of %d", len(res.Attempts), s.in.Budget.Attempts)
		case res.Outcome == "" || s.journal.State.Outcome != res.Outcome:
			rt.Fatalf("outcome %q, saved %q", res.Outcome, s.journal.State.Outcome)
		}
		per := map[string]int{}
		for _, a := range res.Attempts {
			key := fmt.Sprint(a.Plan, a.Step, a.Tier)
			if per[key]++; per[key] > s.in.Budget.AttemptsPerTier {
				rt.Fatalf("%d attempts at %s", per[key], key)
			}
		}
		for _, h := range s.journal.Held {
			if h.Bought > 2 || h.Bought > 1 && s.journal.Lost[h.ID] == 0 {
				rt.Fatalf("bought %d times: %+v", h.Bought, h)
			}
		}
		if s.journal.State.Revisions > task.DefaultReplans {
			rt.Fatalf("%d revisions", s.journal.State.Revisions)
		}
		if got, err := New(s.offline()).Replay(context.Background(), s.recorded()); err != nil || got.Processes != kills+1 && got.Processes < 1 {
			rt.Fatalf("replay after %d kills: %+v, %v", kills, got.Processes, err)
		}
	})
}

// The process is killed at each write and at each named point of the loop, twice,
// in the long run five times, or as often as FETTLE_FAULT_KILLS says (make fault:
// 20), and the run goes on.
func TestF01KilledAtEachPointOfTheLoop(t *testing.T) {
	t.Parallel()
	times := 5
	if testing.Short() {
		times = 2
	}
	if s := os.Getenv("FETTLE_FAULT_KILLS"); s != "" {
		var err error
		if times, err = strconv.Atoi(s); err != nil {
			t.Fatalf("FETTLE_FAULT_KILLS: %v", err)
		}
	}
	srv := newPlayer(t)
	points := []string{"prompt sent", "reply stored", "saved baseline", "saved localised", "saved attempt", "effect", "decide", "record", "reserve", "settle", "save", "progress"}
	for round := range times {
		for _, point := range points {
			calls := 0
			id := srv.play(func(scripted.Call, int) scripted.Answer {
				if calls++; calls < 4+round%3 {
					return wrong(calls)
				}
				return says("right")
			})
			s := stageOn(t, srv.Server, task.Tier1, task.Tier2)
			s.named(id)
			s.in.RunID = id
			died := killAt(s, point, 1+round)
			for n := 0; ; n++ {
				res, err := s.process()
				if err == nil {
					s.oracle(res, point, calls)
					break
				}
				if !errors.Is(err, errKilled) || n > 3 {
					t.Fatalf("%s: %v", point, err)
				}
			}
			if round == 0 && !*died {
				t.Errorf("never killed at %q", point)
			}
		}
	}
}

// killAt kills at the n-th passing of a point, once.
func killAt(s *stage, point string, n int) *bool {
	seen, died := 0, new(bool)
	die := func(name string) bool {
		if name == point {
			seen++
		}
		if name != point || seen != n || *died {
			return false
		}
		*died = true
		return true
	}
	s.cfg.Point = func(name string) {
		if die(name) {
			panic(errKilled)
		}
	}
	s.journal.Before = func(what string) error {
		if die(what) {
			panic(errKilled)
		}
		return nil
	}
	return died
}

// process is run with a kill as its error.
func (s *stage) process() (res task.Result, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = errKilled
		}
	}()
	return s.run(context.Background())
}

// oracle: the run ended well, nothing was bought that was stored, what is
// charged is at least what was answered, and the record replays.
func (s *stage) oracle(res task.Result, point string, calls int) {
	s.Helper()
	if res.Outcome != task.Success {
		s.Errorf("%s: %s (%s)", point, res.Outcome, res.Reason)
	}
	bought := 0
	for _, h := range s.journal.Held {
		bought += h.Bought
		if h.Bought > 2 {
			s.Errorf("%s: %s was bought %d times", point, h.ID, h.Bought)
		}
	}
	if calls > bought {
		s.Errorf("%s: %d calls were made, %d are accounted for", point, calls, bought)
	}
	if spent, _ := s.journal.spent(); spent != res.Cost {
		s.Errorf("%s: I7: the journal says %s, the result %s", point, spent, res.Cost)
	}
	if got := s.replays(); !got.Ended || got.Result.Outcome != res.Outcome {
		s.Errorf("%s: replayed %+v", point, got)
	}
}

// player is one server for many scripts: the model's name says which.
type player struct {
	*scripted.Server
	scripts chan map[string]scripted.Script
	n       int
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	p := &player{scripts: make(chan map[string]scripted.Script, 1)}
	p.scripts <- map[string]scripted.Script{}
	srv, err := scripted.Start(func(c scripted.Call, n int) scripted.Answer {
		all := <-p.scripts
		script := all[c.Model[strings.LastIndex(c.Model, "-")+1:]]
		p.scripts <- all
		return script(c, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	p.Server = srv
	return p
}

func (p *player) play(s scripted.Script) (id string) {
	all := <-p.scripts
	p.n++
	id = fmt.Sprint("run", p.n)
	all[id] = s
	p.scripts <- all
	return id
}

func TestL8AnAlteredRecordDecidesOtherwiseOrStops(t *testing.T) {
	t.Parallel()
	s := newStage(t, each{"developer": func(n int) scripted.Answer {
		if n < 2 {
			return wrong(n)
		}
		return says("right")
	}}.script(), task.Tier1)
	if res, err := s.run(t.Context()); err != nil || res.Outcome != task.Success {
		t.Fatalf("%s, %v", res.Outcome, err)
	}
	if got := s.replays(); !got.Ended || got.Processes != 1 || got.Decisions != len(s.journal.Decisions) {
		t.Fatalf("%+v of %d decisions", got, len(s.journal.Decisions))
	}
	altered := 0
	for i, e := range s.journal.Effects {
		for was, now := range map[string]string{`"green":false`: `"green":true`, `"green":true`: `"green":false`, `right`: `left`, `"cost_usd":0.00`: `"cost_usd":0.01`, `"still_red":["pytest:.:t.py::test_one",`: `"still_red":["pytest:.:t.py::test_new",`, `2026-03`: `2026-04`} {
			if !strings.Contains(string(e.Data), was) || e.Kind == beginning || e.Kind == "product" {
				continue
			}
			rec := s.recorded()
			rec.Effects = append([]task.Effect(nil), rec.Effects...)
			rec.Effects[i].Data = json.RawMessage(strings.Replace(string(e.Data), was, now, 1))
			_, err := New(s.offline()).Replay(context.Background(), rec)
			if err == nil {
				t.Errorf("effect %d (%s): %s → %s changed nothing", i+1, e.Kind, was, now)
			}
			if err != nil {
				altered++
			}
		}
		rec := s.recorded()
		rec.Effects = append(append([]task.Effect(nil), rec.Effects[:i]...), rec.Effects[i+1:]...)
		if got, err := New(s.offline()).Replay(context.Background(), rec); err == nil && got.Ended {
			t.Errorf("effect %d (%s) was taken out, and nothing changed", i+1, e.Kind)
		}
	}
	if altered < 4 {
		t.Errorf("only %d alterations were seen", altered)
	}
	rec := s.recorded()
	at := slices.IndexFunc(rec.Effects, func(e task.Effect) bool { return e.Kind == "repair" })
	rec.Effects[at].At = rec.Effects[at].At.Add(time.Second)
	var differs *Differs
	if _, err := New(s.offline()).Replay(context.Background(), rec); !errors.As(err, &differs) {
		t.Errorf("another time on the record: %v", err)
	}
}
