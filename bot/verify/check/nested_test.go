package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"testing"
)

const nested = `package shop

import "testing"

func TestCart(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		t.Run("sum", func(t *testing.T) { t.Error("sum of nothing") })
		t.Run("count of items", func(t *testing.T) {})
	})
	t.Run("full", func(t *testing.T) {
		t.Run("a/b", func(t *testing.T) { t.Fatal("no slash") })
		t.Run("a/b", func(t *testing.T) { t.Skip("later") })
	})
	t.Run("green", func(t *testing.T) {})
}

func TestDeep(t *testing.T) {
	t.Parallel()
	t.Run("x", func(t *testing.T) {
		t.Parallel()
		t.Run("y", func(t *testing.T) {
			t.Run("z", func(t *testing.T) {
				t.Parallel()
				t.Log("before")
				t.Fail()
			})
		})
	})
}

func TestParentOnly(t *testing.T) {
	t.Run("green", func(t *testing.T) {})
	t.Error("after its subtests")
}
`

const crash = `package crash

import "testing"

func TestPanics(t *testing.T) {
	t.Run("inside", func(t *testing.T) { var m map[string]int; m["a"] = 1 })
}
`

// TestC3NestedGoSubtestsAndTheirParentsAreListedAsByGo: the failing ids are
// those that go test -json itself calls failed, parents included.
func TestC3NestedGoSubtestsAndTheirParentsAreListedAsByGo(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module example.com/shop\n\ngo 1.22\n", "shop_test.go": nested, "crash/crash_test.go": crash, "sub/sub_test.go": "package sub\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tt.Run(\"one\", func(t *testing.T) { t.Error(1) })\n}\n"}
	dir := t.TempDir()
	write(t, dir, files)
	want := failedByGo(t, dir)
	if len(want) < 14 {
		t.Fatalf("go itself names too few: %q", want)
	}
	c := one(t, checkedIn(t, dir, Options{}), "go test")
	var got []string
	for _, f := range c.Failures {
		if f.Test != "" && !slices.Contains(got, f.Test) {
			got = append(got, f.Test)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) || c.Status != Failed {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// failedByGo are the ids of the tests that go test -json calls failed.
func failedByGo(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("go test: %v", err)
	}
	var ids []string
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var e struct{ Action, Package, Test string }
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Action == "fail" && e.Test != "" {
			pkg := path.Clean("./" + e.Package[len("example.com/shop"):])
			ids = append(ids, "go:.:"+pkg+":"+e.Test)
		}
	}
	slices.Sort(ids)
	return ids
}
