package mend

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

func TestR1AConditionWhoseBranchFailingTestsMissIsPutForward(t *testing.T) {
	t.Parallel()
	src := "def f(a):\n    b = a\n    if a > 3:\n        return 0\n    return b\n"
	run := func(passed bool, lines ...int) trace {
		tr := trace{passed: passed, lines: map[string]map[int]int{"a.py": {}}}
		for _, n := range lines {
			tr.lines["a.py"][n] = 1
		}
		return tr
	}
	base := fstest.MapFS{"a.py": {Data: []byte(src)}}
	l := &localiser{req: Request{Base: base, Files: []string{"a.py"}}, sources: newSources(base),
		traces: []trace{run(false, 2, 3, 5), run(true, 2, 3, 4), run(true, 2, 3, 5)}}
	got, err := l.rank(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := func(n int) int { return slices.IndexFunc(got, func(s Suspect) bool { return s.Line == n }) }
	if at(3) > at(2) || !slices.Contains(got[at(3)].Reasons, "its branch is taken by passing tests only") {
		t.Errorf("suspects %+v", got)
	}
}

func TestR1TheSecondFormulaTellsAllFailingTestsFromMost(t *testing.T) {
	t.Parallel()
	all, most, none := line{"a.py", 1}, line{"a.py", 2}, line{"a.py", 3}
	got := dstar(map[line]int{all: 4, most: 3, none: 1}, map[line]int{all: 2, most: 1}, 4)
	if got[all] != 1 || got[most] >= got[all] || got[none] >= got[most] {
		t.Errorf("scores %v", got)
	}
	if got := depths([]string{"def f():", "    if x:", "        y", "", "    z"}); !slices.Equal(got, []int{0, 1, 2, -1, 1}) {
		t.Errorf("levels %v", got)
	}
}

func TestR2AConstantThatOnlyATestHoldsIsADoubt(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{"test_a.py": {Data: []byte("def test():\n    assert f(\"zebra\") == 4711\n")}}
	s := &search{sources: newSources(base), target: target{red: []verify.TestResult{{File: "test_a.py"}}}}
	src := "def f(x):\n    return g(x)\n"
	for text, want := range map[string]string{"return 4711": "4711", `if x == "zebra": return 0`: `"zebra"`, "return h(x)": "", "return 4712": "", "return 1": ""} {
		if got := s.special(changed("a.py", src, "return g(x)", text)); got != want {
			t.Errorf("%s: special %q, want %q", text, got, want)
		}
	}
}

func TestR2AFigureThatNobodyNamedIsADoubt(t *testing.T) {
	t.Parallel()
	s := &search{req: Request{Task: task.Task{Title: "The teens", Body: "11 to 13 end in th, of every 100."}}}
	src := "# A gross is 144 pieces.\ndef f(n):\n    for n in range(30):\n        pass\n    return n % 10\n"
	for text, want := range map[string]string{"n % 20": "20", "n % 100": "", "n % 144": "", "n % 11": "", "n % 9": "", "n % 1": "", "n // 10": "", "n % 30": "30", "n % m": "", "n % 10 % 7": ""} {
		if got := s.unnamed(changed("a.py", src, "n % 10", text)); got != want {
			t.Errorf("%s: unnamed %q, want %q", text, got, want)
		}
	}
}

// A function's lines behind its first dozen are suspected too, behind the best
// lines of all functions.
func TestR1AllLinesOfASuspiciousFunctionAreSearched(t *testing.T) {
	t.Parallel()
	var all []Suspect
	for i := range 120 {
		all = append(all, Suspect{Path: "a.py", Line: i + 1, Region: "f", Score: 1 - float64(i)/1000, Reasons: []string{"run"}})
	}
	for i := range 30 {
		all = append(all, Suspect{Path: "b.py", Line: i + 1, Region: "g", Score: 0.5 - float64(i)/1000})
	}
	got := spread(all)
	if len(got) != len(all) {
		t.Fatalf("%d of %d lines", len(got), len(all))
	}
	seen := map[line]bool{}
	for i, s := range got {
		if seen[line{s.Path, s.Line}] {
			t.Errorf("line %d of %s stands twice", s.Line, s.Path)
		}
		if seen[line{s.Path, s.Line}] = true; i < 12 && s.Path != "a.py" || i >= 12 && i < 24 && s.Path != "b.py" {
			t.Errorf("place %d is %s:%d", i, s.Path, s.Line)
		}
	}
}

// The places whose candidates come last are searched too, however few candidates
// there are before them.
func TestR1NoPlaceIsLeftOut(t *testing.T) {
	t.Parallel()
	files, suspects := fstest.MapFS{}, []Suspect{}
	var names []string
	for i := range 80 {
		name, text := fmt.Sprintf("m%02d.py", i), "def f():\n"+strings.Repeat("    # nothing to change here\n", 15)+"    pass\n"
		if i == 0 { // more than what is made at first
			text = "def f(a, b, c, d):\n    x = a\n" + strings.Repeat("    x = a + b * c - d\n", 120) + "    return x\n"
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
		names, suspects = append(names, name), append(suspects, Suspect{Path: name, Line: 8, Score: 1 - float64(i)/200})
		for l := range strings.Count(text, "x = a + b") {
			suspects = append(suspects, Suspect{Path: name, Line: l + 3, Score: 1})
		}
	}
	files["z.py"] = &fstest.MapFile{Data: []byte("def g(a, b):\n    return a - b\n")}
	names, suspects = append(names, "z.py"), append(suspects, Suspect{Path: "z.py", Line: 2, Score: 0.1})
	bench := &counting{}
	s := &search{mender: New(Config{}), req: Request{Base: files, Files: names}, bench: bench, sources: newSources(files), most: 5000, until: time.Now().Add(time.Hour)}
	s.target.suite.Kind = "python"
	s.target.red = []verify.TestResult{{ID: "red", Status: verify.StatusFailed}}
	if _, err := s.run(t.Context(), suspects); err != nil {
		t.Fatal(err)
	}
	if len(s.places) > 0 || !bench.tried["z.py"] {
		t.Errorf("%d places were left out; tried in %v", len(s.places), bench.tried)
	}
}

// counting is a bench on which nothing passes.
type counting struct{ tried map[string]bool }

func (b *counting) trace(context.Context, []verify.TestResult) ([]trace, error) { return nil, nil }
func (b *counting) round() int                                                  { return 250 }
func (b *counting) close() error                                                { return nil }
func (b *counting) try(_ context.Context, cs []candidate, _ []verify.TestResult, each func(int, map[string]bool) bool) error {
	if b.tried == nil {
		b.tried = map[string]bool{}
	}
	for i, c := range cs {
		b.tried[c.path] = true
		each(i, nil)
	}
	return nil
}
