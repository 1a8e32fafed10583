package mend

import (
	"os"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/verify"
)

const panics = `package list

func Last(xs []int) int {
	n := size(xs)
	return xs[n]
}

func size(xs []int) int {
	if len(xs) == 0 {
		return 0
	}
	return len(xs)
}
`

const panicking = `package list

import "testing"

func TestLast(t *testing.T) {
	t.Run("two", func(t *testing.T) {
		if Last([]int{1, 2}) != 2 {
			t.Error("wrong")
		}
	})
}

func TestSize(t *testing.T) {
	if size(nil) != 0 {
		t.Error("wrong")
	}
}
`

// size is left when the panic comes, so it stands in no dump of the goroutine.
func TestR1ATestThatPanicsTellsWhatItRan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/list\n\ngo 1.21\n")
	put(t, dir, "list.go", panics)
	put(t, dir, "list_test.go", panicking)
	session := box(t).Session()
	defer session.Close()
	v := verify.New(verify.Config{Sandbox: session, TestTimeout: 3 * time.Second})
	suites, err := v.Detect(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	base, err := v.Baseline(t.Context(), dir, suites)
	if err != nil {
		t.Fatal(err)
	}
	m := New(Config{Sandbox: session, Verifier: v})
	suspects, err := m.Localise(t.Context(), Request{Dir: dir, Base: os.DirFS(dir), Baseline: base})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]Suspect{}
	for _, s := range suspects {
		seen[s.Line] = s
	}
	if got := seen[12]; got.Failing == 0 || got.Passing != 0 {
		t.Errorf("line 12 is run by the failing tests only, and is told as %+v of %+v", got, suspects)
	}
	if got := seen[10]; got.Failing != 0 {
		t.Errorf("line 10 is run by no failing test, and is told as %+v", got)
	}
}

func TestR1OnlyTestsCatchTheirPanics(t *testing.T) {
	t.Parallel()
	src := "package a\n\nimport \"testing\"\n\nfunc helper(t *testing.T) {}\n\nfunc TestX(t *testing.T) {\n\tt.Run(\"y\", func(tt *testing.T) {})\n\tf := func(t *testing.T, n int) {}\n\t_ = f\n}\n"
	want := "package a\n\nimport \"testing\"\n\nfunc helper(t *testing.T) {}\n\nfunc TestX(t *testing.T) { defer fettleCaught(t); \n\tt.Run(\"y\", func(tt *testing.T) { defer fettleCaught(tt); })\n\tf := func(t *testing.T, n int) {}\n\t_ = f\n}\n"
	got, pkg, ok := catching([]byte(src))
	if string(got) != want || pkg != "a" || !ok {
		t.Errorf("%v %q:\n%s", ok, pkg, got)
	}
	if _, _, ok := catching([]byte("package a\n\nfunc f() {}\n")); ok {
		t.Error("a file without tests was changed")
	}
	if _, _, ok := catching([]byte("pack")); ok {
		t.Error("what is no Go was changed")
	}
}
