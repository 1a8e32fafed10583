package mend

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

const gradeSource = `def grade(points, extra=None):
    if points > 50:
        return "passed"
    return "failed"
`

const gradeTests = `from grades import grade

def test_far():
    assert grade(80) == "passed"
    assert grade(3) == "failed"

def test_exactly():
    assert grade(50) == "passed"
`

// pythonAt makes the bench of a folder whose tests are all in one file.
func pythonAt(t *testing.T, dir, file string, red, green []string) (*pythonBench, target) {
	t.Helper()
	session := box(t).Session()
	t.Cleanup(func() { _ = session.Close() })
	tgt := target{suite: verify.Suite{Name: "pytest", Kind: "python", Dir: "."}}
	result := func(name string) verify.TestResult {
		return verify.TestResult{ID: prefix(tgt.suite) + file + "::" + name, Suite: "pytest", File: file, Name: name}
	}
	for _, n := range red {
		tgt.red = append(tgt.red, result(n))
	}
	for _, n := range green {
		tgt.green = append(tgt.green, result(n))
	}
	b, err := newPythonBench(t.Context(), New(Config{Sandbox: session, Workers: 1}).cfg, dir, tgt, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.close() })
	return b.(*pythonBench), tgt
}

func grades(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "grades.py", gradeSource)
	put(t, dir, "test_grades.py", gradeTests)
	return dir
}

// gradeChange is a candidate for grades.py.
func gradeChange(old, new string) candidate {
	c := changed("grades.py", gradeSource, old, new)
	c.region = code.Region{ID: "function:grade", Name: "grade", EndByte: len(gradeSource)}
	c.score = 1
	return c
}

func TestR2BehaviourTellsRivalsApart(t *testing.T) {
	t.Parallel()
	b, tgt := pythonAt(t, grades(t), "test_grades.py", []string{"test_exactly"}, []string{"test_far"})
	cs := []candidate{{path: "grades.py"}, gradeChange("> 50", ">= 50"), gradeChange("points > 50", "not points < 50"), gradeChange("> 50", "> 50 or points == 50 or points > 50"), gradeChange("points > 50", "points != 3")}
	seen, err := b.probe(t.Context(), cs, append(tgt.green, tgt.red...))
	if err != nil {
		t.Fatal(err)
	}
	anywhere := func(outcome) bool { return true }
	for _, tc := range []struct {
		a, b int
		same bool
	}{{1, 2, true}, {1, 3, true}, {1, 4, false}, {0, 1, false}} {
		c := compare(seen[tc.a], seen[tc.b], anywhere)
		if (c.differ == 0) != tc.same || c.same == 0 {
			t.Errorf("candidates %d and %d: %+v", tc.a, tc.b, c)
		}
		if !tc.same && !strings.Contains(c.example, "grade(") {
			t.Errorf("candidates %d and %d: the example is %q", tc.a, tc.b, c.example)
		}
	}
	if !seen[1].calls[tgt.green[0].ID]["grades.py:grade"] {
		t.Errorf("the green test's call was not seen: %v", seen[1].calls)
	}
}

func TestR2ARivalThatBehavesTheSameIsNone(t *testing.T) {
	t.Parallel()
	b, tgt := pythonAt(t, grades(t), "test_grades.py", []string{"test_exactly"}, []string{"test_far"})
	search := func(rival candidate) *Found {
		s := &search{mender: New(Config{}), bench: b, target: tgt, plausible: []candidate{gradeChange("> 50", ">= 50"), rival}}
		f, err := s.choose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := search(gradeChange("points > 50", "50 <= points")); f.Ambiguous || len(f.Alternatives) > 0 {
		t.Errorf("a rival that behaves the same: ambiguous %v, %v", f.Ambiguous, f.Alternatives)
	}
	if f := search(gradeChange("points > 50", "points != 3")); !f.Ambiguous || len(f.Alternatives) != 1 || !strings.Contains(f.Alternatives[0], "differs on") {
		t.Errorf("a rival that behaves differently: ambiguous %v, %v", f.Ambiguous, f.Alternatives)
	}
}

// Of rivals that do the same one is told, with the call and the results that tell it
// from what was chosen.
func TestR2EachBehaviourOfRivalsIsToldOnce(t *testing.T) {
	t.Parallel()
	b, tgt := pythonAt(t, grades(t), "test_grades.py", []string{"test_exactly"}, []string{"test_far"})
	all := []candidate{gradeChange("> 50", ">= 50"), gradeChange("points > 50", "points != 3"), gradeChange("points > 50", "not points == 3"), gradeChange("points > 50", "3 != points"),
		gradeChange("points > 50", "points != 0"), gradeChange("points > 50", "points  !=  3")}
	for i := range all {
		all[i].mutation.Line, all[i].mutation.Description = 2, fmt.Sprintf("Change %d.", i)
	}
	s := &search{mender: New(Config{}), bench: b, target: tgt, plausible: all}
	f, err := s.choose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Alternatives) != 2 || !f.Ambiguous {
		t.Fatalf("%q", f.Alternatives)
	}
	for _, words := range f.Alternatives {
		if !strings.Contains(words, "differs on grade(") || !strings.Contains(words, "'failed', not 'passed'") && !strings.Contains(words, "'passed', not 'failed'") {
			t.Errorf("what tells it apart is not said: %s", words)
		}
	}
	s.bench = struct{ bench }{b} // which shows no behaviour
	if f, err = s.choose(t.Context()); err != nil || len(f.Alternatives) != 4 {
		t.Errorf("the same text is told twice: %q (%v)", f.Alternatives, err)
	}
}

// The test can be silenced by turning round what it looks with; the fault, that
// Shelf keeps the list it was given, is out of reach in this form.
func TestR2WhatOnlyTheFailingTestRunsIsNotTurnedRoundUnseen(t *testing.T) {
	t.Parallel()
	sandboxtest.Whole(t)
	dir := t.TempDir()
	put(t, dir, "shelf.py", `class Shelf:
    def __init__(self, titles):
        self._titles = titles

    def has(self, title):
        return title.strip() in self._titles

    def count(self):
        return len(self._titles)
`)
	put(t, dir, "test_shelf.py", `from shelf import Shelf

def test_count():
    assert Shelf(["a", "b"]).count() == 2

def test_count_of_none():
    assert Shelf([]).count() == 0

def test_given_list_is_not_kept():
    titles = ["Emma", "Persuasion", "Lady Susan"]
    shelf = Shelf(titles)
    titles.append("Evelina")
    assert not shelf.has("Evelina")
`)
	p := patient{name: "shelf", dir: dir, task: task.Task{Title: "A book shows up", Body: "I only changed my own list."}}
	r := treat(t, p)
	if f := r.repair.Found; f != nil && strings.Contains(f.Explanation, "not in") && r.ready() {
		t.Errorf("ready: %s", f.Explanation)
	}
}

func TestR2SharedPartsAreADifference(t *testing.T) {
	t.Parallel()
	a := &behaviour{outcomes: map[string]outcome{"f([1])": {result: "list[1]", shared: "result in xs"}, "f([])": {result: "list[]"}}}
	b := &behaviour{outcomes: map[string]outcome{"f([1])": {result: "list[1]"}, "f([])": {result: late}}}
	if c := compare(a, b, func(outcome) bool { return true }); c.sharing != 1 || c.same != 0 || c.differ != 0 {
		t.Errorf("%+v", c)
	}
}

func TestR1AWorkerThatACandidateKillsIsStartedAgain(t *testing.T) {
	t.Parallel()
	b, tgt := pythonAt(t, grades(t), "test_grades.py", []string{"test_exactly"}, nil)
	killer := gradeChange("    if points > 50", `    import os
    pid = os.getppid()
    for _ in range(3):
        up = int(open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[1])
        os.kill(pid, 9)
        pid = up
    if points > 50`)
	passed := map[int]bool{}
	err := b.try(t.Context(), []candidate{killer, gradeChange("> 50", ">= 50")}, tgt.red, func(i int, ok map[string]bool) bool {
		passed[i] = passing(ok) == 1
		return true
	})
	if err != nil || passed[0] || !passed[1] {
		t.Errorf("passed %v, %v; %d deaths", passed, err, b.died[0])
	}
}

// What ran while the tests were imported may have left something behind: it is run
// again from the start where it matters.
func TestR1ACandidateOfWhatRanAtImportIsTriedAsAWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "grades.py", gradeSource)
	put(t, dir, "test_grades.py", "from grades import grade\n\nTABLE = [grade(50)]\n\ndef test_now():\n    assert grade(50) == \"passed\"\n\ndef test_then():\n    assert TABLE == [\"passed\"]\n\ndef test_far():\n    assert TABLE and grade(80) == \"passed\" and grade(3) == \"failed\"\n")
	b, tgt := pythonAt(t, dir, "test_grades.py", []string{"test_now", "test_then"}, []string{"test_far"})
	passed := map[int]int{}
	cs := []candidate{gradeChange("> 50", ">= 50"), gradeChange("> 50", "> 51"), gradeChange("> 50", ">= 0")}
	for k, tests := range [][]verify.TestResult{tgt.red, tgt.green} {
		err := b.try(t.Context(), cs, tests, func(i int, ok map[string]bool) bool {
			passed[10*k+i] = passing(ok)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if passed[0] != 2 || passed[1] != 0 || passed[2] != 2 || passed[10] != 1 || passed[12] != 0 {
		t.Errorf("passed %v", passed)
	}
}

// A package under src is the tree's, for a search as for the run of its tests.
func TestR1ASourceFolderIsOnThePath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "src/grades/__init__.py", gradeSource)
	put(t, dir, "tests/test_grades.py", gradeTests)
	b, tgt := pythonAt(t, dir, "tests/test_grades.py", []string{"test_exactly"}, []string{"test_far"})
	traces, err := b.trace(t.Context(), tgt.red)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 || traces[0].passed || len(traces[0].lines["src/grades/__init__.py"]) == 0 {
		t.Errorf("traces %v", traces)
	}
	fixed := gradeChange("> 50", ">= 50")
	fixed.path = "src/grades/__init__.py"
	err = b.try(t.Context(), []candidate{fixed}, tgt.red, func(_ int, passed map[string]bool) bool {
		if passing(passed) != 1 {
			t.Errorf("passed %v", passed)
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
}

func TestR1TheSearchGetsTheTimeOfTheRun(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	m := New(Config{Now: func() time.Time { return now }})
	for _, tc := range []struct{ left, took, hung, want time.Duration }{
		{3 * time.Minute, time.Second, 0, 170 * time.Second},
		{30 * time.Minute, time.Minute, 0, 28*time.Minute - probeTime},
		{3 * time.Minute, 50 * time.Second, 50 * time.Second, 3*time.Minute - probeTime},
		{time.Minute, time.Minute, 0, 15 * time.Second},
		{-time.Minute, time.Second, 0, 0},
	} {
		id := "go:.:pkg:TestF"
		rep := verify.Report{Elapsed: tc.took}
		if tc.hung > 0 {
			rep.Tests = []verify.TestResult{{ID: id, Status: verify.StatusFailed, Seconds: tc.hung.Seconds(), Failure: &task.Failure{Test: id, Kind: task.FailTimeout}}}
		}
		if got := m.searchTime(Request{Baseline: verify.Baseline{Report: rep}, Deadline: now.Add(tc.left)}); got != tc.want {
			t.Errorf("%s left after a baseline of %s, of which %s hung: %s, want %s", tc.left, tc.took, tc.hung, got, tc.want)
		}
	}
}
