package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cacheDir is the writable /cache of one Sandbox or Session: build caches live
// as long as it does and are never shared with another repository's code.
type cacheDir struct {
	path string // as bwrap sees it
	drop func() error
}

// cacheFor makes the cache at its first use and gives bwrap's options for it.
func (s *Sandbox) cacheFor(b *bubblewrap) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		w, err := b.diskCache(s)
		if err != nil {
			return nil, err
		}
		s.cache = w
	}
	return []string{"--bind", s.cache.path, "/cache"}, nil
}

// diskCache is a folder on disk: caches are large and read again and again.
func (b *bubblewrap) diskCache(s *Sandbox) (*cacheDir, error) {
	w, err := b.diskWorkspace(s, func(w *Workspace) error { return s.seedCache(w) })
	if err != nil {
		return nil, fmt.Errorf("sandbox: making the build cache: %w", err)
	}
	return &cacheDir{path: filepath.Join(strings.TrimPrefix(w.dir, b.stage.via), "work"), drop: w.drop}, nil
}

func (s *Sandbox) seedCache(w *Workspace) error {
	dir := filepath.Join(w.Path(), "go-build")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if w.owner >= 0 {
		return os.Lchown(dir, w.owner, w.owner)
	}
	return nil
}
