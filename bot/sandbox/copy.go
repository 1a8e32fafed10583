package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// copier copies a tree through os.Root: neither side can lead it elsewhere.
// Symbolic links stay links, .git is left out at every depth, and so is what is
// neither file, folder nor link.
type copier struct {
	owner int // uid and gid of what is written, -1 for our own
	buf   []byte
}

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
	if info.Size() < int64(len(c.buf)) {
		_, err = io.CopyBuffer(onlyWriter{out}, onlyReader{in}, c.buf)
	} else {
		_, err = out.ReadFrom(in) // copy_file_range where the file systems can
	}
	if err == nil && c.owner >= 0 {
		err = out.Chown(c.owner, c.owner)
	}
	return errors.Join(err, out.Close())
}

// empty removes everything below a folder, which stays. Folders that foreign
// code made unreadable are opened up first.
func empty(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return emptyRoot(root)
}

func emptyRoot(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	_ = d.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if root.RemoveAll(name) == nil {
			continue
		}
		if err := pryOpen(root, name); err != nil {
			return err
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// pryOpen gives us back the right to empty a folder and those below it.
func pryOpen(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() {
		return err
	}
	if err := root.Chmod(name, 0o700); err != nil {
		return err
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	return emptyRoot(sub)
}
