package sandbox

import (
	"errors"
	"fmt"
)

// errClosed answers work asked of a closed Sandbox.
var errClosed = errors.New("sandbox: already closed")

// cacheDir is the writable /cache of one Sandbox or Session: build caches live
// as long as it does and are never shared with another repository's code.
type cacheDir struct {
	path string // what is mounted, as the backend's program sees it
	disk string // host folder in which what is written lands, for the quota
	drop func() error
}

// cacheFor gives the cache, which it makes at its first use.
func (s *Sandbox) cacheFor(newCache func(*Sandbox) (*cacheDir, error)) (*cacheDir, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.cache == nil {
		c, err := newCache(s)
		if err != nil {
			return nil, fmt.Errorf("sandbox: making the build cache: %w", err)
		}
		s.cache = c
	}
	return s.cache, nil
}
