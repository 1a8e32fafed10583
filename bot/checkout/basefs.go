package checkout

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// baseFS is the base as an fs.FS: fs.ReadFileFS, fs.ReadDirFS, fs.StatFS and
// fs.ReadLinkFS. Names that are not UTF-8 are allowed, as in Git. A symlink
// is followed when it is the last part of a name and points to a file of the
// base. Times are zero.
type baseFS struct {
	tree   *Tree
	byPath map[string]entry
	dirs   map[string][]fs.DirEntry
}

func (t *Tree) makeFS() *baseFS {
	b := &baseFS{tree: t, byPath: t.byPath, dirs: map[string][]fs.DirEntry{".": nil}}
	for _, e := range t.entries {
		b.add(path.Dir(e.path), node{name: path.Base(e.path), entry: e})
	}
	for _, list := range b.dirs {
		slices.SortFunc(list, func(a, c fs.DirEntry) int { return strings.Compare(a.Name(), c.Name()) })
	}
	return b
}

func (b *baseFS) add(dir string, n node) {
	if _, known := b.dirs[dir]; !known {
		b.dirs[dir] = nil
		b.add(path.Dir(dir), node{name: path.Base(dir), dir: true})
	}
	b.dirs[dir] = append(b.dirs[dir], n)
}

// node is a file or folder; it is its own DirEntry and FileInfo.
type node struct {
	name  string
	dir   bool
	entry entry
}

func (n node) Name() string               { return n.name }
func (n node) IsDir() bool                { return n.dir }
func (n node) Type() fs.FileMode          { return n.Mode().Type() }
func (n node) Info() (fs.FileInfo, error) { return n, nil }
func (n node) Size() int64                { return n.entry.size }
func (n node) ModTime() time.Time         { return time.Time{} }
func (n node) Sys() any                   { return nil }
func (n node) Mode() fs.FileMode {
	switch {
	case n.dir:
		return fs.ModeDir | 0o755
	case n.entry.mode == modeLink:
		return fs.ModeSymlink | 0o777
	}
	return perm(n.entry.mode)
}

// look finds a name without following a symlink.
func (b *baseFS) look(op, name string) (node, error) {
	if !fs.ValidPath(name) && (utf8.ValidString(name) || !safePath(name)) {
		return node{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if _, ok := b.dirs[name]; ok {
		return node{name: path.Base(name), dir: true}, nil
	}
	if e, ok := b.byPath[name]; ok {
		return node{name: path.Base(name), entry: e}, nil
	}
	return node{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// follow finds a name and follows symlinks at its end.
func (b *baseFS) follow(op, name string) (node, error) {
	at := name
	for range 8 {
		n, err := b.look(op, at)
		if err != nil || n.dir || n.entry.regular() {
			n.name = path.Base(name)
			return n, err
		}
		target, err := b.tree.blob(n.entry.hash)
		if err != nil {
			return node{}, &fs.PathError{Op: op, Path: name, Err: err}
		}
		if path.IsAbs(string(target)) {
			break
		}
		if at = path.Join(path.Dir(at), string(target)); strings.HasPrefix(at, "../") || at == ".." {
			break
		}
	}
	return node{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open implements fs.FS.
func (b *baseFS) Open(name string) (fs.File, error) {
	n, err := b.follow("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return &openDir{node: n, list: b.dirs[name]}, nil
	}
	data, err := b.tree.blob(n.entry.hash)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{node: n, Reader: bytes.NewReader(data)}, nil
}

// ReadFile implements fs.ReadFileFS.
func (b *baseFS) ReadFile(name string) ([]byte, error) {
	n, err := b.follow("read", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	return b.tree.blob(n.entry.hash)
}

// ReadDir implements fs.ReadDirFS.
func (b *baseFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := b.look("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	return slices.Clone(b.dirs[name]), nil
}

// Stat implements fs.StatFS.
func (b *baseFS) Stat(name string) (fs.FileInfo, error) { return b.follow("stat", name) }

// Lstat implements fs.ReadLinkFS.
func (b *baseFS) Lstat(name string) (fs.FileInfo, error) { return b.look("lstat", name) }

// ReadLink implements fs.ReadLinkFS.
func (b *baseFS) ReadLink(name string) (string, error) {
	n, err := b.look("readlink", name)
	if err != nil {
		return "", err
	}
	if n.entry.mode != modeLink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, err := b.tree.blob(n.entry.hash)
	return string(target), err
}

type openFile struct {
	node
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Size() int64                { return f.node.Size() }

type openDir struct {
	node
	list []fs.DirEntry
	at   int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errors.New("is a directory")}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.list[d.at:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && len(rest) > n {
		rest = rest[:n]
	}
	d.at += len(rest)
	return slices.Clone(rest), nil
}
