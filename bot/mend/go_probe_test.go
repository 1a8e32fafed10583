package mend

import (
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/schemata"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/probe"
)

const marksSource = `package marks

import "sort"

// Book holds points by name.
type Book struct{ points map[string]int }

// Passed tells whether somebody has enough points.
func (b *Book) Passed(name string, least int) bool {
	return b.points[name] > least
}

// Names are in order.
func Names[T any](m map[string]T, _ int) []string {
	var out []string
	for n := range m {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// Top are the first n.
func Top(names []string, n int) []string {
	return names[:n]
}
`

const marksTests = `package marks

import "testing"

func TestFar(t *testing.T) {
	b := &Book{points: map[string]int{"a": 80, "b": 3}}
	if !b.Passed("a", 50) || b.Passed("b", 50) {
		t.Fatal("far")
	}
}

func TestExactly(t *testing.T) {
	b := &Book{points: map[string]int{"a": 50}}
	if !b.Passed("a", 50) {
		t.Fatal("exactly")
	}
}

func TestTop(t *testing.T) {
	if got := Top(Names(map[string]int{"b": 1, "a": 2, "c": 3}, 0), 2); len(got) != 2 || got[0] != "a" {
		t.Fatal(got)
	}
}
`

func TestR2BehaviourOfGoTellsRivalsApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/marks\n\ngo 1.22\n")
	put(t, dir, "marks.go", marksSource)
	put(t, dir, "marks_test.go", marksTests)
	session := box(t).Session()
	defer session.Close()
	suite := verify.Suite{Name: "go", Kind: "go", Dir: "."}
	result := func(name string) verify.TestResult {
		return verify.TestResult{ID: "go:.:.:" + name, Suite: "go", File: "marks_test.go", Name: name}
	}
	tests := []verify.TestResult{result("TestFar"), result("TestTop"), result("TestExactly")}
	b, err := newGoBench(t.Context(), Config{Sandbox: session, Workers: 2, MaxTime: time.Minute}, dir, target{suite: suite}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	change := func(old, new string) candidate {
		c := changed("marks.go", marksSource, old, new)
		c.region = code.Region{Name: "Passed"}
		return c
	}
	top := changed("marks.go", marksSource, "names[:n]", "append([]string(nil), names[:n]...)")
	top.region = code.Region{Name: "Top"}
	cs := []candidate{{path: "marks.go"}, change("> least", ">= least"), change("b.points[name] > least", "!(b.points[name] < least)"), change("b.points[name] > least", "b.points[name] != 3"), top}
	seen, err := b.(*goBench).probe(t.Context(), cs, tests)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range seen {
		if s == nil || len(s.outcomes) == 0 {
			t.Fatalf("nothing was seen of candidate %d", i)
		}
	}
	anywhere := func(outcome) bool { return true }
	for _, tc := range []struct {
		a, b int
		same bool
	}{{1, 2, true}, {1, 3, false}, {0, 1, false}} {
		c := compare(seen[tc.a], seen[tc.b], anywhere)
		if (c.differ == 0) != tc.same || c.same == 0 {
			t.Errorf("candidates %d and %d: %+v", tc.a, tc.b, c)
		}
		if !tc.same && !strings.Contains(c.example, "Passed(") {
			t.Errorf("candidates %d and %d: the example is %q", tc.a, tc.b, c.example)
		}
	}
	if c := compare(seen[0], seen[4], anywhere); c.sharing == 0 || c.differ > 0 {
		t.Errorf("a copy shares no parts: %+v", c)
	}
	if calls := seen[1].calls; !calls[tests[0].ID]["marks.go:Passed"] || calls[tests[1].ID]["marks.go:Passed"] {
		t.Errorf("calls of the tests: %v", calls)
	}
	for _, name := range []string{probe.HelperFile, schemata.File, probe.Dir + "/probe.go"} {
		if _, err := b.(*goBench).spaces[0].ReadFile(name, 1<<20); err == nil {
			t.Errorf("%s was left behind", name)
		}
	}
}
