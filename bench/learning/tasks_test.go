package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Each errand is red with its fault, for the repository's test and for the one that was
// held back, and green with what is right.
func TestErrandsAreRedWithTheirFaultOnly(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("not run: no python3")
	}
	seen := map[string]bool{}
	for _, e := range errands(1, len(kinds)) {
		dir := t.TempDir()
		for name, text := range map[string]string{"house.py": house, "test_" + e.module + ".py": e.tests} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		green := func(text string, args ...string) bool {
			if err := os.WriteFile(filepath.Join(dir, e.module+".py"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-B"}, args...)...)
			cmd.Dir = dir
			return cmd.Run() == nil
		}
		for name, args := range map[string][]string{"the tests": {"-m", "unittest", "-q"}, "what is held back": {"-c", e.held}} {
			if !green(e.right, args...) || green(e.wrong, args...) {
				t.Errorf("%s: %s does not tell right from wrong:\n%s", e.kind.name, name, e.wrong)
			}
		}
		seen[e.kind.name] = true
	}
	if len(seen) != len(kinds) {
		t.Errorf("%d of %d kinds", len(seen), len(kinds))
	}
}
