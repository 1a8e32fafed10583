package mend

import (
	"context"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

const reuseTest = `package calc_test

import (
	"testing"

	"example.com/calc"
)

func TestTwice(t *testing.T) {
	if calc.Twice(2) != 4 {
		t.Fatal(calc.Twice(2))
	}
}

func TestZero(t *testing.T) {
	if calc.Twice(0) != 0 {
		t.Fatal(calc.Twice(0))
	}
}
`

// TestGoCandidatesAreJudgedInTheBinaryTheyWereBuiltIn tries candidates on the
// failing test, and those that pass on the green ones of two packages.
func TestGoCandidatesAreJudgedInTheBinaryTheyWereBuiltIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/calc\n\ngo 1.21\n")
	put(t, dir, "calc.go", goSource)
	put(t, dir, "calc_test.go", reuseTest)
	put(t, dir, "sub/sub_test.go", "package sub\n\nimport (\n\t\"testing\"\n\n\t\"example.com/calc\"\n)\n\nfunc TestSub(t *testing.T) {\n\tif calc.Twice(3) == 9 {\n\t\tt.Skip()\n\t}\n\tif calc.Twice(3) != 6 {\n\t\tt.Fatal(calc.Twice(3))\n\t}\n}\n")
	session := box(t).Session()
	defer session.Close()
	red := []verify.TestResult{{ID: "go:.:.:TestTwice", Suite: "go", Status: verify.StatusFailed}}
	green := []verify.TestResult{{ID: "go:.:.:TestZero", Suite: "go", Status: verify.StatusPassed}, {ID: "go:.:sub:TestSub", Suite: "go", Status: verify.StatusPassed}}
	suite := verify.Suite{Name: "go", Kind: "go", Dir: "."}
	made, err := newGoBench(t.Context(), Config{Sandbox: session, Workers: 2, MaxTime: time.Minute}, dir, target{suite: suite, red: red, green: green}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer made.close()
	b := made.(*goBench)
	b.prepare(context.WithoutCancel(t.Context()))
	try := func(cs []candidate, tests []verify.TestResult, want ...int) *goBuild {
		t.Helper()
		got := make([]int, len(cs))
		if err := b.try(t.Context(), cs, tests, func(i int, passed map[string]bool) bool { got[i] = passing(passed); return true }); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s passes %d of %d tests, want %d", cs[i].mutation.Replacement, got[i], len(tests), want[i])
			}
		}
		return b.last
	}
	change := func(to string) candidate { return changed("calc.go", goSource, "x * 3", to) }
	cs := []candidate{change("x + 1"), change("x + x"), change("nosuch"), change("x + 2"), change("len(x)")}
	first := try(cs, red, 0, 1, 0, 1, 0)
	if again := try([]candidate{cs[3], cs[1]}, green, 0, 2); again != first {
		t.Error("the candidates were built again for the green tests")
	}
	if !first.binaries["sub"] || len(first.binaries) != 2 {
		t.Errorf("there are binaries of %v, want both packages", first.binaries)
	}
	if b.named(batchStem, "sub") == b.named(batchStem, ".") || b.named(siteStem, ".") == b.named(batchStem, ".") {
		t.Error("two binaries have one name")
	}
	if third := try([]candidate{cs[1], change("2 * x")}, red, 1, 1); third == first {
		t.Error("a new candidate was not built")
	}
}

func TestFailingTestsAreBoundedByWhatTheyUse(t *testing.T) {
	t.Parallel()
	red := []verify.TestResult{{ID: "go:.:.:TestRed", Status: verify.StatusFailed}}
	green := []verify.TestResult{{ID: "go:.:.:TestGreen", Status: verify.StatusPassed, Seconds: 0.5}}
	tests := []struct {
		name          string
		usual, ailing map[string]int
		tests         []verify.TestResult
		want          int // milliseconds of the processor
	}{
		{"a failing one", map[string]int{".": 900}, map[string]int{".": 20}, red, 200},
		{"green ones", map[string]int{".": 900}, map[string]int{".": 20}, green, 4600},
		{"both", map[string]int{".": 900}, map[string]int{".": 20}, append(green, red...), 4600},
		{"a failing one that never ended", map[string]int{".": 900}, map[string]int{}, red, 4600},
		{"a failing one that takes more than the green", map[string]int{".": 10}, map[string]int{".": 500}, red, 150},
		{"nothing is known", map[string]int{}, map[string]int{".": 20}, red, 1000},
	}
	for _, test := range tests {
		b := &goBench{usual: test.usual, ailing: test.ailing, most: map[string]int{}, limit: time.Second, green: green}
		if got := b.bounds(".", test.tests).CPU; got != test.want {
			t.Errorf("%s: %d ms, want %d", test.name, got, test.want)
		}
		if got := b.slowest(); got != 2500 {
			t.Errorf("a late candidate gets %d ms, want 2500", got)
		}
	}
}
