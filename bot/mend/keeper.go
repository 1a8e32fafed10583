package mend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// keeper keeps the tree of a workspace as the repository's is. Candidates and
// tests write where they like; the next candidate must not meet what they left.
// It looks at nothing but what the system says was touched, so that a tree of
// thousands of files costs no more than a small one.
type keeper struct {
	space *sandbox.Workspace
	from  *os.Root

	mu    sync.Mutex
	watch *treeWatch      // nil where the system has none: then nothing is put back
	laid  map[string]bool // what holds a candidate now
	mode  fs.FileMode     // of the tree's own folder
}

// keep makes a workspace of the repository in dir, and begins to watch it.
func keep(ctx context.Context, box *sandbox.Sandbox, dir string) (*keeper, error) {
	space, err := box.Workspace(ctx, dir)
	if err != nil {
		return nil, err
	}
	from, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the repository: %w", err), space.Close())
	}
	info, err := os.Stat(space.Path())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("looking at a workspace: %w", err), from.Close(), space.Close())
	}
	return &keeper{space: space, from: from, watch: watchTree(space.Path()), laid: map[string]bool{}, mode: info.Mode().Perm()}, nil
}

func (k *keeper) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watch.close()
	k.watch = nil
	return errors.Join(k.from.Close(), k.space.Close())
}

// restore puts back what was touched since it was last asked, and others.
func (k *keeper) restore(others ...string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.watch == nil {
		return nil
	}
	touched := append(k.watch.take(), others...)
	if len(touched) == 0 {
		return nil
	}
	// Only where it has to be: the system tells of each change of the tree's own
	// folder, and after one nothing is certain and all is looked at.
	if info, err := os.Stat(k.space.Path()); err == nil && info.Mode().Perm() != k.mode {
		_ = os.Chmod(k.space.Path(), k.mode) // opening it tells whether that helped
	}
	to, err := os.OpenRoot(k.space.Path())
	if err != nil {
		return fmt.Errorf("opening a workspace: %w", err)
	}
	defer to.Close()
	for _, rel := range touched {
		err := k.mirror(to, rel)
		for again := 0; err != nil && again < 3; again++ { // what still runs may be in the way
			err = k.mirror(to, rel)
		}
		if err != nil {
			return fmt.Errorf("putting %s of a workspace back: %w", rel, err)
		}
	}
	return nil
}

// with lays a candidate out while do runs.
func (k *keeper) with(c candidate, do func() (map[string]bool, error)) (map[string]bool, error) {
	if err := k.restore(); err != nil {
		return nil, err
	}
	if k.watch == nil {
		return withFile(k.space, c, do)
	}
	k.hold(c.path, true)
	if err := k.space.WriteFile(c.path, c.text()); err != nil {
		return nil, fmt.Errorf("laying a candidate out: %w", err)
	}
	passed, err := do()
	k.hold(c.path, false)
	return passed, errors.Join(err, k.restore(c.path))
}

// hold says whether what stands at a path now is meant to be there.
func (k *keeper) hold(rel string, on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.laid[rel] = on
}

// mirror makes one place of the copy what it is in the repository.
func (k *keeper) mirror(to *os.Root, rel string) error {
	if k.laid[rel] || k.space.Shown(rel) {
		return nil
	}
	want, err := k.from.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) || path.Base(rel) == ".git" {
		return k.remove(to, rel)
	}
	if err != nil {
		return err
	}
	have, err := to.Lstat(rel)
	if err == nil && have.Mode().Type() != want.Mode().Type() {
		err = errors.Join(k.remove(to, rel), fs.ErrNotExist)
	}
	absent := err != nil
	switch {
	case want.IsDir():
		return k.folder(to, rel, have, absent)
	case want.Mode()&fs.ModeSymlink != 0:
		return k.link(to, rel, absent)
	case want.Mode().IsRegular():
		return k.file(to, rel, want, have, absent)
	}
	return nil
}

// folder gives a folder its mode and its entries, and watches it again.
func (k *keeper) folder(to *os.Root, rel string, have fs.FileInfo, absent bool) error {
	if absent {
		if err := to.Mkdir(rel, 0o755); err != nil {
			return err
		}
		if err := k.own(to, rel); err != nil {
			return err
		}
	} else if have.Mode().Perm() != 0o755 && rel != "." {
		if err := to.Chmod(rel, 0o755); err != nil {
			return err
		}
	}
	k.watch.add(rel)
	names := map[string]bool{}
	for _, root := range []*os.Root{k.from, to} {
		list, err := fs.ReadDir(root.FS(), rel)
		if err != nil {
			return err
		}
		for _, e := range list {
			names[e.Name()] = true
		}
	}
	for name := range names {
		if err := k.mirror(to, path.Join(rel, name)); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) link(to *os.Root, rel string, absent bool) error {
	want, err := k.from.Readlink(rel)
	if err != nil {
		return err
	}
	if have, err := to.Readlink(rel); !absent && err == nil && have == want {
		return nil
	}
	return errors.Join(k.remove(to, rel), to.Symlink(want, rel))
}

// file gives a file its bytes and its mode. One that differs is made anew:
// whoever holds the old one open does not reach it.
func (k *keeper) file(to *os.Root, rel string, want, have fs.FileInfo, absent bool) error {
	content, err := k.from.ReadFile(rel)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if want.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if !absent && have.Mode().Perm() == mode && have.Size() == int64(len(content)) {
		if now, err := k.space.ReadFile(rel, have.Size()); err == nil && bytes.Equal(now, content) {
			return nil
		}
	}
	if err := k.remove(to, rel); err != nil {
		return err
	}
	if err := k.space.WriteFile(rel, content); err != nil {
		return err
	}
	return to.Chmod(rel, mode)
}

// own gives what we made to whom the rest of the tree belongs.
func (k *keeper) own(to *os.Root, rel string) error {
	info, err := to.Lstat(".")
	if err != nil {
		return err
	}
	uid, gid, ok := owner(info)
	if !ok {
		return nil
	}
	return to.Lchown(rel, uid, gid)
}

// remove takes away what stands under a name, also in folders that were shut.
func (k *keeper) remove(to *os.Root, rel string) error {
	err := to.RemoveAll(rel)
	if err != nil {
		openUp(to, rel)
		err = to.RemoveAll(rel)
	}
	return err
}

// openUp lets us into the folders from rel down, as far as that goes.
func openUp(to *os.Root, rel string) {
	if info, err := to.Lstat(rel); err != nil || !info.IsDir() {
		return
	}
	_ = to.Chmod(rel, 0o755) // the removal tells whether it helped
	list, _ := fs.ReadDir(to.FS(), rel)
	for _, e := range list {
		if e.IsDir() {
			openUp(to, path.Join(rel, e.Name()))
		}
	}
}
