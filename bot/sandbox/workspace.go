package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/fettle-dev/fettle/bot/regular"
)

// Workspace is a disposable copy of a tree. Inside it stands at /work, writable;
// beside it /out takes files of results. Several commands may run in it, also
// at once.
type Workspace struct {
	box   *Sandbox
	dir   string // host path of the folder that holds work, out and tmp
	drop  func() error
	owner int  // uid of the files, -1 for our own
	sized bool // on a tmpfs whose size is the quota

	mu     sync.Mutex
	active sync.WaitGroup
	procs  map[*Process]bool
	shut   bool

	below string    // what was kept when the copy was begun
	cache *cacheDir // its own, where the backend gives each workspace one
	keep  bool      // what it wrote there is kept at its end

	looked bool   // shown is found out
	shown  []Part // of the session's layer
	held   []Part // those that a running command is shown; nil: none runs
}

// Path is the host path of the copy. Foreign code writes there: use it through
// os.Root only, or through ReadFile, WriteFile and Remove.
func (w *Workspace) Path() string { return filepath.Join(w.dir, "work") }

// OutDir is the host path of what stands at /out inside. The same care applies.
func (w *Workspace) OutDir() string { return filepath.Join(w.dir, "out") }

// enter counts a command in; leave counts it out.
func (w *Workspace) enter(p *Process) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shut {
		return errors.New("sandbox: the workspace is closed")
	}
	if w.procs == nil {
		w.procs = map[*Process]bool{}
	}
	w.procs[p] = true
	w.active.Add(1)
	return nil
}

func (w *Workspace) leave(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.procs, p); len(w.procs) == 0 {
		w.held = nil
	}
	w.active.Done()
}

// Close kills what still runs in the workspace and removes the copy.
func (w *Workspace) Close() error {
	w.mu.Lock()
	if w.shut {
		w.mu.Unlock()
		return nil
	}
	w.shut = true
	for p := range w.procs {
		p.Kill()
	}
	w.mu.Unlock()
	w.active.Wait()
	err := w.dropCache()
	w.box.forget(w)
	return errors.Join(err, w.drop())
}

// Reset makes the copy equal to src again, without a new workspace: cheaper
// than Close and Workspace when many candidates are tried one after another.
func (w *Workspace) Reset(ctx context.Context, src string) error {
	for _, sub := range []string{"work", "out"} {
		if err := empty(filepath.Join(w.dir, sub)); err != nil {
			return fmt.Errorf("sandbox: emptying the workspace: %w", err)
		}
	}
	return w.fill(ctx, src)
}

func (w *Workspace) fill(ctx context.Context, src string) error {
	w.mu.Lock()
	w.looked = false
	w.mu.Unlock()
	c := copier{owner: w.owner}
	if err := c.tree(ctx, src, w.Path()); err != nil {
		return fmt.Errorf("sandbox: copying %s into the workspace: %w", src, err)
	}
	return nil
}

// ReadFile reads a regular file of the copy, at most max bytes; more is an error.
func (w *Workspace) ReadFile(rel string, max int64) ([]byte, error) {
	return readBelow(w.Path(), rel, max)
}

// ReadOut reads a regular file of /out, at most max bytes; more is an error.
func (w *Workspace) ReadOut(name string, max int64) ([]byte, error) {
	return readBelow(w.OutDir(), name, max)
}

func readBelow(dir, rel string, max int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regular.ReadIn(root, rel, max)
}

// WriteFile writes a file of the copy, with the folders above it. A regular
// file keeps its mode; anything else under the name is replaced.
func (w *Workspace) WriteFile(rel string, data []byte) error {
	root, err := os.OpenRoot(w.Path())
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(rel)
	// Root follows links whatever O_NOFOLLOW says, so the name is looked at first.
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Sys().(*syscall.Stat_t).Nlink == 1 {
		if f, err := root.OpenFile(name, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0); err == nil {
			return writeAll(f, data)
		}
	}
	if err = w.mkdirs(root, path.Dir(filepath.ToSlash(rel))); err != nil {
		return err
	}
	if err = root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return err
	}
	if w.owner >= 0 {
		if err := f.Chown(w.owner, w.owner); err != nil {
			_ = f.Close()
			return err
		}
	}
	return writeAll(f, data)
}

func writeAll(f *os.File, data []byte) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Close())
}

func (w *Workspace) mkdirs(root *os.Root, dir string) error {
	if dir == "." || dir == "/" {
		return nil
	}
	if info, err := root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := w.mkdirs(root, path.Dir(dir)); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if w.owner >= 0 {
		return root.Lchown(dir, w.owner, w.owner)
	}
	return nil
}

// Remove removes a file of the copy; one that is not there is no error.
func (w *Workspace) Remove(rel string) error {
	root, err := os.OpenRoot(w.Path())
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(filepath.FromSlash(rel)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
