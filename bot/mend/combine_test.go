package mend

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

// inRegion is a change of a file that is one region.
func inRegion(src, old, new string) candidate {
	c := changed("a.py", src, old, new)
	c.region = code.Region{ID: "r", EndByte: len(src)}
	c.score, c.rank = 1, 1
	return c
}

func TestR1AMistakeIsMendedAtEachOfItsPlaces(t *testing.T) {
	t.Parallel()
	src := "def f(a, b):\n    g(a)\n    h(a.x, a)\n    k(\"a\")\n    return ab\n"
	got := everywhere([]candidate{inRegion(src, "a)\n    h", "b)\n    h"), inRegion(src, "b", "c")})
	if len(got) != 0 {
		t.Errorf("made of what is no name: %q", got[0].text())
	}
	c := inRegion(src, "(a)\n", "(b)\n")
	c.start, c.end, c.mutation.Replacement = c.start+1, c.start+2, "b"
	got = everywhere([]candidate{c})
	if len(got) != 1 || !bytes.Contains(got[0].text(), []byte("g(b)\n    h(b.x, b)")) || !bytes.Contains(got[0].text(), []byte("return ab")) {
		t.Fatalf("%d candidates", len(got))
	}
	if !got[0].twice || len(got[0].byMaking()) == 0 {
		t.Error("a change of several places is no draft")
	}
	tail := len(src) - got[0].end
	if !bytes.Equal(got[0].text()[:got[0].start], []byte(src)[:got[0].start]) || !bytes.Equal(got[0].text()[len(got[0].text())-tail:], []byte(src)[got[0].end:]) {
		t.Error("it changes more than its span says")
	}
}

func TestR1TwoChangesThatMendTheTestsBetweenThemArePaired(t *testing.T) {
	t.Parallel()
	src := "def f(a, b):\n    x = a + 1\n    y = b + 2\n    return x, y\n"
	red := []verify.TestResult{{ID: "one"}, {ID: "two"}}
	s := &search{mender: New(Config{}), req: Request{Task: task.Task{Mending: task.Mending{Without: []string{Naturalness}}}}, target: target{red: red}, seen: map[string]bool{}}
	first := partial{candidate: inRegion(src, "+ 1", "+ 2"), mends: map[string]bool{"one": true}}
	if got := s.pair(first); len(got) != 0 {
		t.Fatalf("%d pairs of one", len(got))
	}
	if got := s.pair(partial{candidate: inRegion(src, "+ 1", "+ 3"), mends: map[string]bool{"two": true}}); len(got) != 0 {
		t.Errorf("%d pairs of changes of one place", len(got))
	}
	if got := s.pair(partial{candidate: inRegion(src, "b + 2", "b"), mends: map[string]bool{"one": true}}); len(got) != 1 {
		t.Errorf("%d pairs, want the one with the change that mends the other test", len(got))
	}
	got := s.pair(partial{candidate: inRegion(src, "+ 2", "- 2"), mends: map[string]bool{"two": true}})
	if len(got) != 1 || string(got[0].text()) != "def f(a, b):\n    x = a + 2\n    y = b - 2\n    return x, y\n" {
		t.Errorf("%d pairs", len(got))
	}
}

func TestR1WhatMendedSomethingPutsItsLineForward(t *testing.T) {
	t.Parallel()
	src := "def f(a, b):\n    x = a + 1\n    y = b + 2\n"
	s := &search{credited: map[line]bool{}, creditedRegion: map[string]bool{}}
	one, other, again := inRegion(src, "+ 1", "+ 2"), inRegion(src, "+ 2", "+ 3"), inRegion(src, "+ 1", "- 1")
	one.mutation.Line, again.mutation.Line, other.mutation.Line = 2, 2, 3
	rest := []candidate{other, again}
	s.credit(rest, []candidate{one, one})
	byRank(rest)
	if rest[0].mutation.Line != 2 || rest[0].rank != lineCredit*regionCredit || rest[1].rank != regionCredit {
		t.Errorf("ranks %v %v", rest[0].rank, rest[1].rank)
	}
	if rest[0].score != 1 {
		t.Error("the merit of a change depends on when it was tried")
	}
}

// A project may have a test that fails for another reason. What mends the others is
// found out while there is time, and is a draft.
func TestR1WhatMendsAllButOneIsKeptWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	now := start
	files := fstest.MapFS{"a.py": {Data: []byte("def f(a, b):\n    return a - b\n")}}
	bench := &mostly{now: &now}
	s := &search{mender: New(Config{Now: func() time.Time { return now }}), req: Request{Base: files, Files: []string{"a.py"}}, bench: bench, sources: newSources(files), most: 5000, until: now.Add(time.Hour)}
	s.target.suite.Kind = "python"
	for _, id := range []string{"one", "two", "other"} {
		s.target.red = append(s.target.red, verify.TestResult{ID: id, Status: verify.StatusFailed})
	}
	s.target.green = []verify.TestResult{{ID: "green", Status: verify.StatusPassed}}
	got, err := s.run(t.Context(), []Suspect{{Path: "a.py", Line: 2, Score: 1, Failing: 2, Passing: 1}})
	if err != nil || got.Found == nil || len(got.Found.Doubts) == 0 || !got.TimeUp {
		t.Fatalf("%+v, %v", got, err)
	}
	if text := got.Found.Patch.Edits[0].Code; !strings.Contains(text, "a + b") {
		t.Errorf("the change is %q", text)
	}
}

// mostly is a bench on which a + b mends two of the failing tests and breaks nothing,
// and on which the time is up once other changes are tried after it.
type mostly struct {
	counting
	now  *time.Time
	seen bool
}

func (b *mostly) round() int { return 10 }

func (b *mostly) try(_ context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	if b.seen && tests[0].ID != "green" {
		*b.now = b.now.Add(2 * time.Hour)
	}
	for i, c := range cs {
		passed := map[string]bool{}
		if strings.Contains(string(c.text()), "return a + b\n") {
			b.seen = true
			passed = map[string]bool{"one": true, "two": true}
			if tests[0].ID == "green" {
				passed = map[string]bool{"green": true}
			}
		}
		if tests[0].ID == "green" && b.now.After(start) {
			return nil // no time to run them
		}
		each(i, passed)
	}
	return nil
}

var start = time.Unix(1_800_000_000, 0)
