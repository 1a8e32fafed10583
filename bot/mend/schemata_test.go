package mend

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

const linesSource = `package lines

import (
	"regexp"
	"strings"
)

const (
	Kind  = iota
	limit = 3
)

// Size is the length of an array, so it has to stay a constant.
const Size = 4

var row [Size]int

var key = regexp.MustCompile("^[a-z]+$")

var marks = map[string]int{"a": 1}

// Count counts the lines before the end.
func Count(text string) int {
	n := row[0]
outer:
	for _, l := range strings.Split(text, "\n") {
		switch {
		case n >= limit, l == "end":
			break outer
		case key.MatchString(l):
			n += marks["a"]
		}
	}
	return n
}
`

func TestR1CandidatesShareABuildWhereverTheyChangeAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/lines\n\ngo 1.21\n")
	put(t, dir, "lines.go", linesSource)
	change := func(old, new string) candidate { return changed("lines.go", linesSource, old, new) }
	cs := []candidate{
		change(`"^[a-z]+$"`, `"^[a-z]*$"`),
		change("limit = 3", "limit = 2"),
		change(`{"a": 1}`, `{"a": 2}`),
		change("break outer", "continue outer"),
		change("n >= limit", "n > limit"),
		change("Size = 4", "Size = 5"),
		change("iota", "1"),
		change("n += marks", "n += row"),
		change(`"^[a-z]+$"`, `nothing`),
		change("text string) int", "text string) int64"),
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	types := newGoTypes(root.FS(), ".", runtime.GOROOT()) //nolint:staticcheck // the toolchain that runs the test
	if types == nil {
		t.Fatal("no types")
	}
	sch := together(cs)
	types.sift(sch, cs)
	sch.MarkBuilt()
	for i, want := range []string{"built", "built", "built", "built", "built", "alone", "alone", "", "", ""} {
		got := map[bool]string{true: "built"}[sch.Built[i]]
		if sch.Alone[i] {
			got += "alone"
		}
		if got != want {
			t.Errorf("%d (%s): %q, want %q", i, cs[i].mutation.Replacement, got, want)
		}
	}
	if bad, err := types.check(".", sch.Texts(), nil); err != nil || len(bad) > 0 {
		t.Errorf("the batch does not fit: %v %v\n%s", bad, err, sch.Texts()["lines.go"])
	}
}

func TestR1ValuesOfAPackageAreChosenWhenItStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/lines\n\ngo 1.21\n")
	put(t, dir, "lines.go", linesSource)
	put(t, dir, filepath.Join("sub", "x.go"), "package sub\n")
	put(t, dir, "lines_test.go", "package lines\n\nimport \"testing\"\n\nfunc TestCount(t *testing.T) {\n\tif n := Count(\"a\\nb\\nc\\nd\\ne\"); n != 2 {\n\t\tt.Fatal(n)\n\t}\n}\n")
	session := box(t).Session()
	defer session.Close()
	suite := verify.Suite{Name: "go", Kind: "go", Dir: "."}
	b, err := newGoBench(t.Context(), Config{Sandbox: session, Workers: 2, MaxTime: time.Minute}, dir, target{suite: suite}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	var cs []candidate
	for _, c := range [][2]string{{"limit = 3", "limit = 2"}, {"limit = 3", "limit = 1"}, {`{"a": 1}`, `{"a": 2}`}, {"[a-z]", "[ab]"}, {"n >= limit", "n > limit-2"}, {"Size = 4", "Size = 5"}} {
		cs = append(cs, changed("lines.go", linesSource, c[0], c[1]))
	}
	red := []verify.TestResult{{ID: "go:.:.:TestCount", Suite: "go"}}
	got := make([]int, len(cs))
	err = b.try(t.Context(), cs, red, func(i int, passed map[string]bool) bool { got[i] = passing(passed); return true })
	if want := [...]int{1, 0, 0, 1, 1, 0}; err != nil || [6]int(got) != want {
		t.Errorf("passed %v, %v; want %v", got, err, want)
	}
}
