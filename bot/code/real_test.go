package code

import (
	"os"
	"path/filepath"
	"testing"
)

// realSources reads up to n source files of this machine, small ones, of all
// the languages that it has; the test is skipped where there are none.
func realSources(t testing.TB, n int) map[string][]byte {
	t.Helper()
	all := corpus(t)
	out := map[string][]byte{}
	for i := 0; i < len(all) && len(out) < n; i++ {
		file := all[(i*37)%len(all)] // some of each
		if src, err := os.ReadFile(file); err == nil && len(src) < 60_000 {
			out[filepath.ToSlash(file)] = src
		}
	}
	if len(out) == 0 {
		t.Skip("this machine has no Python library, no GOROOT and no npm to read")
	}
	return out
}
