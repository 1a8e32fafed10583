package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/model/scripted"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
)

// A fault out of mechanical repair's reach, with a suite that is quick.
const (
	weave = `def interleave(first, second):
    """Takes one of each in turn, then what is left."""
    return first + second


def total(values):
    result = 0
    for value in values:
        result += value
    return result
`
	weaveMended = `def interleave(first, second):
    """Takes one of each in turn, then what is left."""
    out = []
    for i in range(max(len(first), len(second))):
        out += first[i:i + 1] + second[i:i + 1]
    return out
`
	weaveTest = `import unittest

from weave import interleave, total


class Weave(unittest.TestCase):
    def test_takes_turns(self):
        self.assertEqual(interleave([3, 1, 9], [8]), [3, 8, 1, 9])

    def test_one_empty(self):
        self.assertEqual(interleave([], [2, 1]), [2, 1])

    def test_total(self):
        self.assertEqual(total([1, 2, 3]), 6)
`
	weaveTitle = "interleave does not take turns"
	weaveBody  = "interleave([3, 1, 9], [8]) gives [3, 1, 9, 8]; it should give one of each in turn."
)

func weaveFiles() map[string]string {
	return map[string]string{"weave.py": weave, "test_weave.py": weaveTest}
}

// regionOf is the id of a function in a file.
func regionOf(t *testing.T, path, src, name string) string {
	t.Helper()
	regions, err := code.Regions(t.Context(), path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range regions {
		if r.Name == name {
			return r.ID
		}
	}
	t.Fatalf("%s has no region %s", path, name)
	return ""
}

// models starts the scripted double and configures tiers that point to it,
// each model named after its tier.
func models(t *testing.T, script scripted.Script, tiers ...task.Tier) (*scripted.Server, string) {
	t.Helper()
	return allModels(t, func(c scripted.Call, n int) scripted.Answer {
		if strings.Contains(c.System, "You review a change") {
			return scripted.Answer{Text: `{"verdict": "ACCEPT", "reason": "it does what is asked"}`, TokensIn: 100, TokensOut: 10}
		}
		return script(c, n)
	}, tiers...)
}

// allModels are models whose script answers as the reviewer, too.
func allModels(t *testing.T, script scripted.Script, tiers ...task.Tier) (*scripted.Server, string) {
	t.Helper()
	srv, err := scripted.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	var b strings.Builder
	b.WriteString("tiers:\n")
	for i, tier := range tiers {
		fmt.Fprintf(&b, "  %s: {base_url: %s, model: model-%s, price_in_per_mtok: %d, price_out_per_mtok: %d, max_tokens: 500}\n", tier, srv.URL(), tier, i+1, 2*(i+1))
	}
	return srv, b.String()
}

// wrongWeave is another wrong answer at each call, and none resembles the last.
func wrongWeave(t *testing.T) func(n int) string {
	id := regionOf(t, "weave.py", weave, "interleave")
	return func(n int) string {
		body := []string{
			fmt.Sprintf("    return first + list(second)[:%d]\n", n+5),
			fmt.Sprintf("    whole = [*first]\n    whole.extend(second)\n    while len(whole) > %d:\n        whole.pop()\n    return whole\n", n+90),
			fmt.Sprintf("    if not first:\n        return second\n    raise LookupError('turn %d')\n", n),
		}[n%3]
		return scripted.Edit("weave.py", id, "def interleave(first, second):\n    \"\"\"Takes one of each in turn, then what is left.\"\"\"\n"+body, "The second has to be a list.")
	}
}

func rightWeave(t *testing.T) string {
	return scripted.Edit("weave.py", regionOf(t, "weave.py", weave, "interleave"), weaveMended, "The lists were put one behind the other instead of taking turns.")
}

// whileItDies starts the server again whenever it has died, until the run has
// ended, and says how often it started.
func (w *world) whileItDies(begin func(url string)) (starts int) {
	w.Helper()
	return w.whileItDiesUntil(w.ended, begin)
}

// whileItDiesUntil is whileItDies with another end.
func (w *world) whileItDiesUntil(ended func() bool, begin func(url string)) (starts int) {
	w.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		s := w.start()
		if starts++; starts == 1 {
			begin(s.url)
		}
		for alive := true; alive; {
			select {
			case <-s.done:
				alive = false
			case <-time.After(50 * time.Millisecond):
				if ended() {
					w.stop(s)
					return starts
				}
			}
			if time.Now().After(end) {
				w.Fatalf("the run has not ended after %d starts\n%s", starts, w.tail())
			}
		}
	}
}

// deaths lists the points at which the server was killed.
func (w *world) deaths() []string {
	raw, err := os.ReadFile(w.killed)
	if err != nil && !os.IsNotExist(err) {
		w.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(raw), " ", "_"))
}

// The server is killed twice at each named point that a second process comes
// to as well, else once, all in the life of one run; and the run goes on by
// itself. There is one such life, three in the long run, or as many as
// FETTLE_FAULT_KILLS says (make fault: 20), so that each point kills at least as
// often.
func TestF01KilledAtEachPoint(t *testing.T) {
	t.Parallel()
	lives := 3
	if testing.Short() {
		lives = 1
	}
	if s := os.Getenv("FETTLE_FAULT_KILLS"); s != "" {
		var err error
		if lives, err = strconv.Atoi(s); err != nil {
			t.Fatalf("FETTLE_FAULT_KILLS: %v", err)
		}
	}
	for _, c := range []struct {
		name    string
		right   bool
		outcome task.Outcome
		points  []string
	}{
		{"mended", true, task.Success, []string{
			"delivery_accepted", "job_claimed", "token_minted", "cloned", "saved_baseline", "saved_localised", "saved_attempt",
			"prompt_sent", "reply_stored", "edit_applied", "testing", "committed", "branch_moved", "pushed", "pull_request_created", "published",
		}},
		{"exhausted", false, task.FailedAllTiers, []string{
			"delivery_accepted", "job_claimed", "token_minted", "cloned", "prompt_sent", "reply_stored", "testing", "committed", "branch_moved", "pushed", "commented", "published",
		}},
	} {
		for life := range lives {
			t.Run(fmt.Sprintf("%s/%d", c.name, life+1), func(t *testing.T) {
				if !c.right {
					sandboxtest.Whole(t)
				}
				heavy(t)
				right, wrong := rightWeave(t), wrongWeave(t)
				double, tiers := models(t, func(_ scripted.Call, n int) scripted.Answer {
					if c.right {
						return scripted.Answer{Text: right}
					}
					return scripted.Answer{Text: wrong(n)}
				}, task.Tier1)
				w := newWorld(t, weaveFiles(), tiers+"budget: {attempts_per_tier: 3}\n")
				w.kills = 2
				points := c.points
				if testing.Short() && !c.right { // the way to the ending is the other life's; only the ending is its own
					at := slices.Index(points, "committed")
					points, w.spared = points[at:], strings.Join(points[:at], " ")+" saved_triaged saved_baseline saved_localised saved_attempt edit_applied"
				}
				n := w.ask(weaveTitle, weaveBody)
				label := w.labelled() // GitHub sends it once, so it has to come first
				starts := w.whileItDies(func(url string) {
					w.post(url, label.header.Get("X-GitHub-Delivery"), "issues", label.body, signedBy(canary))
				})
				deaths := w.deaths()
				t.Logf("%d starts, deaths at %v", starts, deaths)
				if starts != len(deaths)+1 {
					t.Errorf("%d starts after %d deaths: a process ended by itself\n%s", starts, len(deaths), w.tail())
				}
				for _, p := range points {
					if !slices.Contains(deaths, p) {
						t.Errorf("the server was never killed at %q", p)
					}
				}
				runs := w.runs()
				if len(runs) != 1 || runs[0].Outcome != c.outcome {
					t.Fatalf("runs: %+v, want one that ends with %s\n%s", runs, c.outcome, w.tail())
				}
				snap := w.oracle(n)
				if len(snap.Branches) != 2 {
					t.Errorf("branches: %v, want main and one of ours", snap.Branches)
				}
				if got := len(snap.Pulls); c.right && got != 1 || !c.right && got != 0 {
					t.Errorf("%d pull requests", got)
				}
				w.bookkeeping(runs[0].ID, double)
			})
		}
	}
}

// bookkeeping: a stored reply is not bought again, and the cost is at least
// that of the calls made (I7).
func (w *world) bookkeeping(run string, double *scripted.Server) {
	w.Helper()
	ctx := context.Background()
	spent, _, err := w.db.Spent(ctx, run)
	w.must(err)
	messages, err := w.db.Messages(ctx, run)
	w.must(err)
	var answered task.USD
	answers := 0
	for _, m := range messages {
		if m.Direction == "from" {
			answers++
			answered += m.Cost
		}
	}
	// A process that dies between the stored reply and its record loses only
	// the record.
	calls := len(double.Calls())
	if answers > calls {
		w.Errorf("%d answers are recorded, %d calls were made", answers, calls)
	}
	if spent < answered || calls > 0 && spent == 0 {
		w.Errorf("I7: the run is charged %s, its recorded answers cost %s (%d calls)", spent, answered, calls)
	}
}

// The server is killed at moments that nobody chose, and while tests run.
func TestF01KilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("not run: it is in the long form; TestF01KilledAtEachPoint stands for it in the quick one")
	}
	heavy(t)
	right := rightWeave(t)
	double, tiers := models(t, func(scripted.Call, int) scripted.Answer { return scripted.Answer{Text: right} }, task.Tier1)
	files := weaveFiles()
	files["test_weave.py"] = strings.Replace(weaveTest, "class Weave", "import subprocess, time\nsubprocess.Popen(['sleep', '86398.5'], start_new_session=True)\ntime.sleep(0.3)\n\n\nclass Weave", 1)
	w := newWorld(t, files, tiers)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	n := 0
	for i := range 4 {
		s := w.start()
		if i == 0 {
			n = w.ask(weaveTitle, weaveBody)
			w.must(w.sim.Settle(t.Context())) // an accepted delivery, from here on
		}
		select {
		case <-s.done:
			t.Fatalf("the server died by itself\n%s", w.tail())
		case <-time.After(time.Duration(200+random.IntN(2500)) * time.Millisecond):
		}
		_ = s.Process.Kill()
		<-s.done
	}
	s := w.start()
	w.until(2*time.Minute, "the run ends", w.ended)
	w.stop(s)
	if runs := w.runs(); len(runs) != 1 || runs[0].Outcome != task.Success {
		t.Fatalf("runs: %+v\n%s", runs, w.tail())
	}
	w.oracle(n)
	if left := processes("86398.5"); len(left) > 0 {
		t.Errorf("I4: what the suite started still runs: %v", left)
	}
	if calls := len(double.Calls()); calls > 5 {
		t.Errorf("the answer was bought %d times in 5 processes", calls)
	}
}
