package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
)

// ShareWarm lets the state folder of a test use what Sandbox.Warm keeps, or will
// keep, in the default one: Go's own packages are compiled once per machine, not
// once per state folder.
func ShareWarm(state string) error {
	shared := filepath.Join(os.TempDir(), fmt.Sprintf("fettle-sandbox-%d", os.Getuid()), "warm")
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return fmt.Errorf("sharing the warm build cache: %w", err)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return fmt.Errorf("sharing the warm build cache: %w", err)
	}
	return os.Symlink(shared, filepath.Join(state, "warm"))
}
