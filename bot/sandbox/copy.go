package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// copier copies a tree through os.Root: neither side can lead it elsewhere.
// Symbolic links stay links, .git is left out at every depth, and so is what is
// neither file, folder nor link.
type copier struct {
	owner int // uid and gid of what is written, -1 for our own
	buf   []byte
	depth int
}

// deepest is how far folders may be nested in a tree that is copied: each level
// holds two descriptors open while it is copied.
const deepest = 256

// tree copies the content of src into the existing folder dst.
func (c *copier) tree(ctx context.Context, src, dst string) error {
	from, err := os.OpenRoot(src)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(dst)
	if err != nil {
		return err
	}
	defer to.Close()
	c.buf = make([]byte, 64*kib)
	return c.folder(ctx, from, to)
}

func (c *copier) folder(ctx context.Context, from, to *os.Root) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	dir, err := from.Open(".")
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := c.entry(ctx, from, to, e); err != nil {
			if errors.Is(err, fs.ErrNotExist) && !exists(from, e.Name()) {
				continue // went away while we copied
			}
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return nil
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

func (c *copier) entry(ctx context.Context, from, to *os.Root, e fs.DirEntry) error {
	name := e.Name()
	switch {
	case e.Type().IsRegular():
		return c.file(from, to, name)
	case e.IsDir():
		if err := to.Mkdir(name, 0o755); err != nil {
			return err
		}
		if err := c.own(to, name); err != nil {
			return err
		}
		if c.depth++; c.depth > deepest {
			return fmt.Errorf("folders are nested more than %d deep", deepest)
		}
		defer func() { c.depth-- }()
		a, err := from.OpenRoot(name)
		if err != nil {
			return err
		}
		defer a.Close()
		b, err := to.OpenRoot(name)
		if err != nil {
			return err
		}
		defer b.Close()
		return c.folder(ctx, a, b)
	case e.Type()&fs.ModeSymlink != 0:
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, name)
	}
	return nil
}

func (c *copier) own(root *os.Root, name string) error {
	if c.owner < 0 {
		return nil
	}
	return root.Lchown(name, c.owner, c.owner)
}

func (c *copier) file(from, to *os.Root, name string) error {
	in, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, mode)
	if err != nil {
		return err
	}
	_, err = pour(out, in, info.Size(), c.buf)
	if err == nil && c.owner >= 0 {
		err = out.Chown(c.owner, c.owner)
	}
	return errors.Join(err, out.Close())
}

// pour copies what in holds, about size bytes, through buf where that is enough.
func pour(out *os.File, in io.Reader, size int64, buf []byte) (int64, error) {
	if size < int64(len(buf)) {
		return io.CopyBuffer(onlyWriter{out}, onlyReader{in}, buf)
	}
	return out.ReadFrom(in) // copy_file_range where the file systems can
}

// empty removes everything below a folder, which stays. Folders that foreign
// code made unreadable are opened up first, and however deep it nested them, no
// more than two are open at a time: what a folder holds is moved up and its turn
// comes later.
func empty(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	names, err := namesIn(root)
	if err != nil {
		return err
	}
	up := upstairs{root: root, prefix: ".up-" + nonce() + "-"}
	for _, name := range names {
		if err := up.remove(name); err != nil {
			return err
		}
	}
	for len(up.waiting) > 0 {
		name := up.waiting[len(up.waiting)-1]
		up.waiting = up.waiting[:len(up.waiting)-1]
		if err := up.remove(name); err != nil {
			return err
		}
	}
	return nil
}

func namesIn(root *os.Root) ([]string, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// upstairs empties a folder whose subfolders are moved up to it.
type upstairs struct {
	root    *os.Root
	prefix  string
	moved   int
	waiting []string
}

// remove removes an entry of the root. Folders below it are moved up to the root
// and wait.
func (u *upstairs) remove(name string) error {
	info, err := u.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return errors.Join(err, u.root.Remove(name))
	}
	if err := u.root.Chmod(name, 0o700); err != nil {
		return err
	}
	sub, err := u.root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	names, err := namesIn(sub)
	if err != nil {
		return err
	}
	for _, n := range names {
		if sub.Remove(n) == nil {
			continue // a file, a link, an empty folder
		}
		if err := sub.Chmod(n, 0o700); err != nil { // a folder changes its parent only where it may be written
			return err
		}
		u.moved++
		to := u.prefix + strconv.Itoa(u.moved)
		if err := u.root.Rename(name+"/"+n, to); err != nil {
			return err
		}
		u.waiting = append(u.waiting, to)
	}
	return u.root.Remove(name)
}
