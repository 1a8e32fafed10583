package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/store"
)

// TestX1NobodyElseReadsTheDatabase: neither the file nor its log and index, in
// a folder that others may enter, new or made before by a careless hand.
func TestX1NobodyElseReadsTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "fettle.db")
	private := func(when string) {
		t.Helper()
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s: %v %v", when, name, info, err)
			}
		}
	}
	s := open(t, path)
	if _, err := s.Accept(t.Context(), store.Delivery{ID: "d"}); err != nil {
		t.Fatal(err)
	}
	private("new")
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(s.Exposed(), " "); strings.Count(got, "0644") != 3 || !strings.Contains(got, dir+" (mode 0755)") {
		t.Errorf("exposed: %s", got)
	}
	next := open(t, path)
	private("after the next start")
	if got := next.Exposed(); len(got) != 1 {
		t.Errorf("exposed: %s", got)
	}
}
