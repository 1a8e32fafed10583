package mend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"golang.org/x/tools/txtar"
)

// searched runs one whole search with some workers and gives all of what it
// found, as text.
func searched(t *testing.T, p patient, workers int, now func() time.Time) string {
	t.Helper()
	ctx := context.Background()
	session := box(t).Session()
	defer session.Close()
	v := verify.New(verify.Config{Sandbox: session, TestTimeout: 20 * time.Second, Reruns: -1})
	suites, err := v.Detect(os.DirFS(p.dir))
	if err != nil {
		t.Fatal(err)
	}
	base, err := v.Baseline(ctx, p.dir, suites)
	if err != nil {
		t.Fatal(err)
	}
	m := New(Config{Sandbox: session, Verifier: v, Workers: workers, Now: now, MaxTime: 5 * time.Minute})
	req := Request{Dir: p.dir, Base: os.DirFS(p.dir), Files: p.files(t), Task: p.task, Baseline: base}
	suspects, err := m.Localise(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := m.Repair(ctx, req, suspects)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Found == nil {
		return fmt.Sprintf("%+v", rep)
	}
	found := *rep.Found
	rep.Found = nil
	return fmt.Sprintf("%+v\n%+v", rep, found)
}

// busy keeps all processors busy with processes of its own until the test ends.
func busy(t *testing.T, n int) {
	t.Helper()
	for range n {
		c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() }) // it was killed
	}
}

// steadyCandidates go through several rounds in each language.
func steadyCandidates() int {
	if testing.Short() {
		return 60
	}
	return 100
}

func TestR1ASearchGoesTheSameWayOnAnyMachine(t *testing.T) {
	t.Parallel()
	begun := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	stopped := func() time.Time { return begun } // no search is so slow that its time is up
	for lang, text := range held {
		if testing.Short() && lang != "python" {
			continue
		}
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			p := project(t, text)
			p.task = task.Task{Title: "Lines on hold are picked", Body: "pick() should leave out what is held.", Mending: task.Mending{Seed: 7, MaxCandidates: steadyCandidates()}}
			quick := searched(t, p, 2, stopped)
			if !sandboxtest.Quick() { // whose tests take each other's processors
				busy(t, 1)
			}
			if slow := searched(t, p, 1, stopped); slow != quick {
				t.Errorf("on a starved machine with one worker it found\n%s\ninstead of\n%s", slow, quick)
			}
		})
	}
}

func TestR1TheTimeEndsASearchAndIsADoubt(t *testing.T) {
	t.Parallel()
	top, other, weak := inRegion("a = b + 1\n", "+ 1", "+ 2"), inRegion("a = b + 1\n", "+ 1", "- 1"), inRegion("a = b + 1\n", "+ 1", "* 1")
	top.score, other.score, weak.score = 1, 0.9, 0.01
	for name, want := range map[string]int{"a rival was not tried": 1, "only unlikely ones were not": 0} {
		s := &search{mender: New(Config{Now: func() time.Time { return time.Unix(10, 0) }}), until: time.Unix(5, 0), most: 10, plausible: []candidate{top}}
		rest := []candidate{top, weak}
		if want == 1 {
			rest = []candidate{top, other, weak}
		}
		s.next = 1
		f := &Found{}
		s.untold(f, rest)
		if len(f.Doubts) != want || want > 0 && !strings.Contains(f.Doubts[0], "the time was up") {
			t.Errorf("%s: doubts %q", name, f.Doubts)
		}
	}
	s := &search{mender: New(Config{}), until: time.Now().Add(time.Hour), most: 2, tried: 2, plausible: []candidate{top}, next: 1}
	f := &Found{}
	s.untold(f, []candidate{top, other})
	if len(f.Doubts) != 1 || !strings.Contains(f.Doubts[0], "2 candidates were tried") {
		t.Errorf("doubts %q of a search that may try no more", f.Doubts)
	}
}

func TestR1NoMoreCandidatesAreTriedThanAsked(t *testing.T) {
	t.Parallel()
	p := project(t, held["python"])
	p.task = task.Task{Title: "Lines on hold are picked", Mending: task.Mending{MaxCandidates: 3}}
	got := searched(t, p, 2, nil)
	if !strings.Contains(got, "Tried:3 ") || !strings.Contains(got, "no more may be tried") {
		t.Errorf("with at most three candidates: %s", got)
	}
}

// What passes after so many that it can only be a draft is not looked for where a model is
// asked next; rivals of what passed before still are.
func TestR1ASearchThatAModelFollowsEndsWhereAFindWouldBeADraft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req       Request
		plausible int
		tried     int
		goesOn    bool
	}{
		"so many, without a find": {Request{Followed: true}, 0, lateTurn, false},
		"fewer":                   {Request{Followed: true}, 0, lateTurn - 1, true},
		"after a find":            {Request{Followed: true}, 1, lateTurn, true},
		"no model follows":        {Request{}, 0, lateTurn, true},
		"a bound of one's own":    {Request{Followed: true, Task: task.Task{Mending: task.Mending{MaxCandidates: 5000}}}, 0, lateTurn, true},
	} {
		s := &search{mender: New(Config{}), req: c.req, until: time.Now().Add(time.Hour), most: 5000, tried: c.tried, plausible: make([]candidate, c.plausible)}
		if got := s.goesOn(); got != c.goesOn {
			t.Errorf("%s: goes on %v after %d", name, got, c.tried)
		}
	}
}

func TestR1TheSeedDecidesBetweenEquals(t *testing.T) {
	t.Parallel()
	order := func(seed int64) []string {
		s := &search{mender: New(Config{}), req: Request{Task: task.Task{Mending: task.Mending{Seed: seed, Without: []string{Naturalness}}}}, seen: map[string]bool{}}
		var cs []candidate
		for _, text := range []string{"1", "2", "3", "4", "5", "6"} {
			cs = append(cs, inRegion("a = b + 0\n", "+ 0", "+ "+text))
		}
		cs = s.fresh(cs)
		byRank(cs)
		var out []string
		for _, c := range cs {
			out = append(out, c.mutation.Replacement)
		}
		return out
	}
	if !slices.Equal(order(5), order(5)) || slices.Equal(order(5), order(6)) {
		t.Errorf("seed 5: %v, %v; seed 6: %v", order(5), order(5), order(6))
	}
	if !slices.IsSorted(order(0)) {
		t.Errorf("without a seed what is made first is tried first: %v", order(0))
	}
}

// held are projects that lack a condition which no other place of the file holds.
var held = map[string]string{
	"python": `
-- model.py --
class Line:
    def __init__(self, sku, count, held=False):
        self.sku = sku
        self.count = count
        self.held = held
-- stock.py --
def pick(lines):
    out = []
    for line in lines:
        if line.count > 0:
            out.append(line.sku)
    return out
-- test_stock.py --
from model import Line
from stock import pick

def test_held():
    assert pick([Line("a", 1), Line("b", 2, held=True), Line("c", 3)]) == ["a", "c"]

def test_plain():
    assert pick([Line("a", 1), Line("b", 0)]) == ["a"]
`,
	"javascript": `
-- package.json --
{"name": "stock"}
-- model.js --
exports.line = (sku, count, held = false) => ({ sku, count, held });
-- stock.js --
exports.pick = (lines) => {
  const out = [];
  for (const line of lines) {
    if (line.count > 0) {
      out.push(line.sku);
    }
  }
  return out;
};
-- test/stock.test.js --
const test = require('node:test');
const assert = require('node:assert');
const { line } = require('../model.js');
const { pick } = require('../stock.js');
test('held', () => { assert.deepStrictEqual(pick([line('a', 1), line('b', 2, true), line('c', 3)]), ['a', 'c']); });
test('plain', () => { assert.deepStrictEqual(pick([line('a', 1), line('b', 0)]), ['a']); });
`,
	"go": `
-- go.mod --
module example.com/stock

go 1.21
-- line.go --
package stock

type Line struct {
	SKU   string
	Count int
	Held  bool
}
-- pick.go --
package stock

func Pick(lines []Line) []string {
	var out []string
	for _, line := range lines {
		if line.Count > 0 {
			out = append(out, line.SKU)
		}
	}
	return out
}
-- pick_test.go --
package stock

import (
	"strings"
	"testing"
)

func TestHeld(t *testing.T) {
	got := Pick([]Line{{"a", 1, false}, {"b", 2, true}, {"c", 3, false}})
	if s := strings.Join(got, " "); s != "a c" {
		t.Errorf("got %q, want %q", s, "a c")
	}
}

func TestPlain(t *testing.T) {
	if got := Pick([]Line{{"a", 1, false}, {"b", 0, false}}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
`,
}

func project(t *testing.T, text string) patient {
	t.Helper()
	p := patient{name: t.Name(), dir: t.TempDir()}
	for _, f := range txtar.Parse([]byte(text)).Files {
		put(t, p.dir, f.Name, string(f.Data))
	}
	return p
}
