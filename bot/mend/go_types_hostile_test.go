package mend

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

func TestS06AnImportOfTheRepositoryReadsNothingOutsideOfTheLibrary(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"go.mod": {Data: []byte("module example.com/a\n\ngo 1.21\n")}, "a.go": {Data: []byte("package a\n")}}
	g := newGoTypes(tree, ".", runtime.GOROOT()) //nolint:staticcheck // the test's own toolchain
	if g == nil {
		t.Skip("this toolchain has no library's source")
	}
	for _, name := range []string{"../../etc", "/etc", "a.b/../../../etc", ".."} {
		if _, err := g.Import(name); err == nil || !strings.Contains(err.Error(), "leads out") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := g.Import("strings"); err != nil || p.Name() != "strings" {
		t.Errorf("strings: %v", err)
	}
}

func TestDeepGoIsNotCheckedInThisProcess(t *testing.T) {
	t.Parallel()
	text := "package a\n\nvar x = " + strings.Repeat("1+", 20_000) + "1\n"
	tree := fstest.MapFS{"go.mod": {Data: []byte("module example.com/a\n\ngo 1.21\n")}, "a.go": {Data: []byte(text)}}
	g := newGoTypes(tree, ".", runtime.GOROOT()) //nolint:staticcheck // the test's own toolchain
	if g == nil {
		t.Skip("this toolchain has no library's source")
	}
	if _, err := g.check(".", nil, nil); err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Errorf("a deep expression: %v", err)
	}
}
