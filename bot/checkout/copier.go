package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// copier copies files of a user's folder into the tree, never following a
// symlink and never reading more than it may.
type copier struct {
	t       *Tree
	from    *os.Root
	left    int64 // bytes
	made    map[string]bool
	skipped []string
	out     *writers
}

// file copies one file or symlink; with a stream it is also written as a
// fast-import command. Not ok: there is nothing to copy (gone, special, not
// readable, a folder).
func (c *copier) file(name string, stream io.Writer) (ok bool, err error) {
	info, err := c.from.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil // deleted in the working copy
	case err != nil:
		return false, c.skip(name, err)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(name)
		if err != nil {
			return false, c.skip(name, err)
		}
		if err := c.parent(name); err != nil {
			return false, err
		}
		if err := c.t.root.Symlink(target, name); err != nil || stream == nil {
			return true, err
		}
		return true, emit(stream, task.FileChange{Path: name, Mode: modeLink, Content: []byte(target)})
	case !info.Mode().IsRegular():
		return false, c.skip(name, nil)
	}
	f, err := regular.OpenIn(c.from, name)
	if err != nil {
		return false, c.skip(name, err)
	}
	defer func() { _ = f.Close() }()
	e := entry{path: name, mode: modeFile}
	if info.Mode()&0o100 != 0 {
		e.mode = modeExec
	}
	return true, c.content(e, f, stream)
}

// content copies through the tree, so that what Git records is what the tree
// holds even if the user's file changes meanwhile.
func (c *copier) content(e entry, f io.Reader, stream io.Writer) error {
	if err := c.parent(e.path); err != nil {
		return err
	}
	var first bytes.Buffer
	n, err := io.CopyN(&first, f, small)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < small {
		if c.left -= n; c.left < 0 {
			return c.tooLarge()
		}
		data := first.Bytes()
		if stream != nil {
			if err := emit(stream, task.FileChange{Path: e.path, Mode: e.mode, Content: data}); err != nil {
				return err
			}
		}
		c.out.add(e, data)
		return c.out.failed()
	}
	limited := &io.LimitedReader{R: io.MultiReader(&first, f), N: c.left + 1}
	if err := writeFile(c.t.root, e, limited); err != nil {
		return err
	}
	if c.left = limited.N - 1; c.left < 0 {
		return c.tooLarge()
	}
	if stream == nil {
		return nil
	}
	back, err := c.t.root.Open(e.path)
	if err != nil {
		return err
	}
	defer func() { _ = back.Close() }()
	info, err := back.Stat()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stream, "M %s inline %s\ndata %d\n", e.mode, quoteStream(e.path), info.Size()); err != nil {
		return err
	}
	if _, err := io.CopyN(stream, back, info.Size()); err != nil {
		return err
	}
	_, err = io.WriteString(stream, "\n")
	return err
}

func (c *copier) tooLarge() error {
	return fmt.Errorf("%w of %d MB; raise the limit to work on it", ErrTooLarge, c.t.store.cfg.MaxBytes>>20)
}

func (c *copier) skip(name string, err error) error {
	c.skipped = append(c.skipped, name)
	if err != nil {
		c.t.store.cfg.Log.WithField("path", name).WithError(err).Warn("left out a file that cannot be read")
	}
	return nil
}

func (c *copier) parent(name string) error {
	dir := path.Dir(name)
	if c.made[dir] {
		return nil
	}
	c.made[dir] = true
	return c.t.root.MkdirAll(dir, 0o755)
}

// emit writes one file as a fast-import command.
func emit(stream io.Writer, change task.FileChange) error {
	var in bytes.Buffer
	inline(&in, change)
	_, err := in.WriteTo(stream)
	return err
}

// deepest is how far folders may be nested that are copied along.
const deepest = 256

// tree copies a folder that is not part of the base.
func (c *copier) tree(ctx context.Context, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if strings.Count(dir, "/") > deepest {
		return c.skip(dir, fmt.Errorf("folders are nested more than %d deep", deepest))
	}
	f, err := c.from.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return c.skip(dir, err)
	}
	list, err := f.ReadDir(-1)
	_ = f.Close()
	if err != nil {
		return err
	}
	if err := c.t.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		switch {
		case isDotGit(d.Name()) || regular.HoldsKeys(d.Name()):
		case d.IsDir():
			if err := c.tree(ctx, name); err != nil {
				return err
			}
		default:
			if _, err := c.file(name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
