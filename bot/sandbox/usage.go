package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// usedBytes sums what regular files below dir take on disk, and finds the
// longest. Links are not followed. Folders nested so deep that their paths are
// too long to be looked at count as too much.
func usedBytes(dir string) (sum, largest int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			sum = 1 << 62
			return filepath.SkipAll
		}
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // it went away while we looked
		}
		if info, err := e.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				sum += st.Blocks * 512
			} else {
				sum += info.Size()
			}
			largest = max(largest, info.Size())
		}
		return nil
	})
	return sum, largest
}

// smallTree tells whether a file or folder is cheap to copy.
func smallTree(path string) bool {
	left, files := 4*mib, 200
	err := filepath.WalkDir(path, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files--; files < 0 {
			return filepath.SkipAll
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			left -= info.Size()
		}
		return nil
	})
	return err == nil && files >= 0 && left >= 0
}
