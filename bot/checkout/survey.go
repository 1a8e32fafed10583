package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Blob is a regular file and the name of its content in Git.
type Blob struct {
	Path, Hash string
	Size       int64
}

// Blobs lists the regular files at base, in Git's order.
func (t *Tree) Blobs() []Blob {
	out := make([]Blob, 0, len(t.entries))
	for _, e := range t.entries {
		if e.regular() {
			out = append(out, Blob{e.path, e.hash, e.size})
		}
	}
	return out
}

// Entry is a file, a link or a submodule at base.
type Entry struct {
	Blob
	Exec, Link, Submodule bool // a regular file has at most Exec
}

// Entries lists everything at base: files and links in Git's order, then submodules.
func (t *Tree) Entries() []Entry {
	out := make([]Entry, 0, len(t.entries)+len(t.submodules))
	for _, e := range slices.Concat(t.entries, t.submodules) {
		out = append(out, Entry{Blob{e.path, e.hash, e.size}, e.mode == modeExec, e.mode == modeLink, e.mode == modeSub})
	}
	return out
}

// Survey is a user's folder as Git sees it, read where it lies: nothing of it is
// copied, and nothing is written into it.
type Survey struct {
	Dir     string   // the root of the working copy, or the folder
	Blobs   []Blob   // sorted by path
	Skipped []string // what could not be read, and nested repositories
	Head    string   // full hash of the commit it stands on; "" for none

	root *os.Root
	tree *Tree // an empty one, whose Git directory borrows the folder's objects
}

// Survey lists a folder, or the working copy that holds it: what Git tracks, with
// uncommitted changes, and what is new and not ignored; of a folder without Git
// all files but those that OpenDir leaves out. Contents over largest bytes have no
// hash but a name made of their size. The errors are those of OpenDir.
func (s *Store) Survey(ctx context.Context, dir string, largest int64) (*Survey, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("look at %q: %w", dir, cmp.Or(err, ErrNotDirectory))
	}
	if IsBare(abs) {
		return nil, fmt.Errorf("look at %q: %w; give a clone of it", dir, ErrBare)
	}
	above, git, err := findAbove(ctx, abs)
	switch {
	case errors.Is(err, ErrNoCopy):
		git = nil
	case err != nil:
		return nil, fmt.Errorf("look at %q: %w", dir, err)
	default:
		abs = above
	}
	v := &Survey{Dir: abs}
	var alternates []string
	if git != nil {
		alternates, v.Head = []string{filepath.Join(git.common, "objects")}, git.head
	}
	if v.tree, err = s.newTree(alternates); err == nil {
		if v.root, err = os.OpenRoot(abs); err == nil {
			err = v.list(ctx, abs, git, largest)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at %q: %w", dir, err), v.Close())
	}
	return v, nil
}

func (v *Survey) list(ctx context.Context, dir string, git *workingCopy, largest int64) error {
	sel := &selection{root: v.root, avoid: v.tree.store.cfg.Root, dir: dir}
	known := map[string]string{}
	var err error
	if git == nil {
		err = sel.walk(ctx, ".")
	} else if err = v.tree.selectTracked(ctx, dir, git, sel); err == nil {
		known, err = v.unchanged(ctx, dir)
	}
	if err != nil {
		return err
	}
	v.Skipped = sel.skipped
	for _, name := range sel.paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		info, err := v.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // tracked and deleted
		case err != nil:
			v.Skipped = append(v.Skipped, name)
		case info.Mode().IsRegular():
			b := Blob{Path: name, Hash: known[name], Size: info.Size()}
			if b.Hash == "" && !v.hash(&b, largest) {
				v.Skipped = append(v.Skipped, name)
				continue
			}
			v.Blobs = append(v.Blobs, b)
		}
	}
	if len(v.Blobs) == 0 {
		return ErrEmpty
	}
	slices.SortFunc(v.Blobs, func(a, b Blob) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// unchanged are the tracked files that stand as the index knows them.
func (v *Survey) unchanged(ctx context.Context, dir string) (map[string]string, error) {
	ls := func(args ...string) ([]string, error) {
		out, err := v.tree.store.run(ctx, call{dir: v.tree.gitDir, workTree: dir, args: append([]string{"-c", "core.bare=false", "ls-files", "-z"}, args...)})
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), err
	}
	staged, err := ls("--stage")
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(staged))
	for _, line := range staged {
		head, name, ok := strings.Cut(line, "\t")
		if f := strings.Fields(head); ok && len(f) == 3 && f[2] == "0" {
			out[name] = f[1]
		}
	}
	modified, err := ls("--modified")
	for _, name := range modified {
		delete(out, name)
	}
	return out, err
}

// hash names the content of a file that Git does not know.
func (v *Survey) hash(b *Blob, largest int64) bool {
	if b.Size > largest {
		b.Hash = "size:" + strconv.FormatInt(b.Size, 10)
		return true
	}
	f, err := v.open(b.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	b.Hash, err = blobHashFrom(io.LimitReader(f, b.Size), b.Size)
	return err == nil
}

// open opens a regular file, and never waits for a pipe that took its place.
func (v *Survey) open(name string) (*os.File, error) {
	f, err := v.root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return f, nil
}

// Read gives a file of the survey, at most as large as it was then. Safe for use
// by several goroutines.
func (v *Survey) Read(name string) ([]byte, error) {
	f, err := v.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, info.Size()))
}

// History lists at most n commits before the folder's state, as Tree.History.
func (v *Survey) History(ctx context.Context, n int, known func(hash string) bool) ([]Earlier, error) {
	return v.tree.history(ctx, v.Head, n, known)
}

// Close frees what the survey holds; the folder stays as it is.
func (v *Survey) Close() error {
	var err error
	if v.root != nil {
		err = v.root.Close()
	}
	if v.tree != nil {
		err = errors.Join(err, v.tree.Close())
	}
	return err
}
