package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// workspace implements backend: a folder on disk, which a watchdog keeps within
// its quota and which is mounted into the containers of its commands.
func (e *engine) workspace(box *Sandbox, _ int64, fill func(*Workspace) error) (*Workspace, error) {
	dir, lock, err := newBox(box.state)
	if err != nil {
		return nil, err
	}
	w := &Workspace{dir: dir, owner: e.owner, drop: func() error { return dropBox(dir, lock) }}
	err = makeSubs(dir, e.owner)
	if err == nil {
		err = fill(w)
	}
	if err != nil {
		return nil, errors.Join(err, w.drop())
	}
	return w, nil
}

// newCache makes the folder at /cache of a Sandbox or Session.
func (e *engine) newCache(s *Sandbox) (*cacheDir, error) {
	w, err := e.workspace(s, 0, func(*Workspace) error { return nil })
	if err != nil {
		return nil, err
	}
	return &cacheDir{path: w.Path(), disk: w.Path(), drop: w.drop}, nil
}

// folderIn makes sure that a working directory is there: an engine would make
// it, as root.
func folderIn(w *Workspace, dir string) error {
	root, err := os.OpenRoot(w.Path())
	if err != nil {
		return fmt.Errorf("sandbox: working directory: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(dir))
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return fmt.Errorf("sandbox: working directory %q: %w", dir, err)
	}
	return nil
}
