package sandbox

import (
	"errors"
	"fmt"
)

// errClosed answers work asked of a closed Sandbox.
var errClosed = errors.New("sandbox: already closed")

// cacheDir is a writable /cache. Where the backend can lay one folder over another,
// each workspace has one of its own, which begins with what is kept (Keep) and is gone
// with the workspace: what judged code writes into a build cache would else be linked
// into the next judgement. Elsewhere, and where that fails, the workspaces of a Session
// share one.
type cacheDir struct {
	path  string // what is mounted, as the backend's program sees it
	disk  string // host folder in which what is written lands, for the quota
	drop  func() error
	leave func() error // ends its use and leaves what was written; nil where it is shared
}

// layeredCache is a backend with a cache for each workspace; nil without an error: it
// cannot do that here.
type layeredCache interface {
	layeredCache(w *Workspace) (*cacheDir, error)
}

// Keep has workspaces of the Session that are made after this one was closed begin with
// what it wrote to /cache. Only a run of the base may be kept, and only the first is.
func (w *Workspace) Keep() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keep = true
}

// cacheFor gives the workspace's cache, which it makes at its first use.
func (w *Workspace) cacheFor(back backend, newCache func(*Sandbox) (*cacheDir, error)) (*cacheDir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cache != nil {
		return w.cache, nil
	}
	if l, ok := back.(layeredCache); ok {
		c, err := l.layeredCache(w)
		if err != nil {
			return nil, fmt.Errorf("sandbox: making the build cache: %w", err)
		}
		if c != nil {
			w.cache = c
			return c, nil
		}
	}
	return w.box.sharedCache(newCache)
}

// sharedCache gives the Session's cache, which it makes at its first use.
func (s *Sandbox) sharedCache(newCache func(*Sandbox) (*cacheDir, error)) (*cacheDir, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.shared == nil {
		c, err := newCache(s)
		if err != nil {
			return nil, fmt.Errorf("sandbox: making the build cache: %w", err)
		}
		s.shared = c
	}
	return s.shared, nil
}

// dropCache gives the workspace's cache back, or to the Session where it is kept.
func (w *Workspace) dropCache() error {
	w.mu.Lock()
	c, keep := w.cache, w.keep
	w.cache = nil
	w.mu.Unlock()
	if c == nil {
		return nil
	}
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	if !keep || w.box.base != nil || w.box.closed {
		return c.drop()
	}
	w.box.base = c
	return c.leave()
}

// kept is the host folder of what is kept, "" for none.
func (s *Sandbox) kept() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == nil {
		return ""
	}
	return s.base.disk
}
