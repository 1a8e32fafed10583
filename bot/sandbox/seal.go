package sandbox

import (
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// maxSealed bounds the copy: of a loader about 0.3 MB, of Go's command 15 MB.
const maxSealed = 48 * mib

// loaderOf is the dynamic loader that a program names; empty: it has none.
func loaderOf(f *elf.File) (string, error) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(p.Open(), 4*kib))
		if err != nil {
			return "", err
		}
		path := strings.TrimRight(string(name), "\x00")
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("it names the loader %q", path)
		}
		return path, nil
	}
	return "", nil
}
