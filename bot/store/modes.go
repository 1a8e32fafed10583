package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// tighten makes the database's files readable by their owner alone, and makes
// the file itself where there is none: SQLite gives its log and index the mode
// that the file has when it is opened, whatever the umask is.
func (s *Store) tighten() error {
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close() // nobody has it open yet, so no lock of SQLite's goes with it
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	for _, name := range sqliteFiles(s.path) {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil {
			return fmt.Errorf("others may read %s, and that could not be changed: %w; chmod 600 it", name, err)
		}
		s.cfg.Log.Warnf("others could read %s (mode %04o); it is 0600 now", name, info.Mode().Perm())
	}
	return nil
}

// Exposed lists what of a SQLite database others may read or reach: its folder
// and its files, with their modes. It is empty for Postgres.
func (s *Store) Exposed() []string {
	if s.postgres {
		return nil
	}
	var out []string
	for _, name := range append(sqliteFiles(s.path), filepath.Dir(s.path)) {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
			out = append(out, fmt.Sprintf("%s (mode %04o)", name, info.Mode().Perm()))
		}
	}
	return out
}
