package verify

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"time"
)

// boxFS reads files of the disposable copy through the workspace, which is
// safe against links planted in it.
type boxFS struct{ b box }

// Open gives a regular file of at most 64 MiB.
func (f boxFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	data, err := f.b.ReadFile(name, 64<<20)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &memFile{Reader: bytes.NewReader(data), name: path.Base(name)}, nil
}

// ReadDir and Stat never follow a link out of the copy.
func (f boxFS) ReadDir(name string) (out []fs.DirEntry, err error) {
	return out, f.in(func(fsys fs.FS) error { out, err = fs.ReadDir(fsys, name); return err })
}

// Stat is what is known of a file or folder.
func (f boxFS) Stat(name string) (info fs.FileInfo, err error) {
	return info, f.in(func(fsys fs.FS) error { info, err = fs.Stat(fsys, name); return err })
}

func (f boxFS) in(do func(fs.FS) error) error {
	root, err := os.OpenRoot(f.b.Path())
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root.FS())
}

type memFile struct {
	*bytes.Reader
	name string
}

func (m *memFile) Stat() (fs.FileInfo, error) { return memInfo{m.name, m.Size()}, nil }
func (m *memFile) Close() error               { return nil }

type memInfo struct {
	name string
	size int64
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return 0o444 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }

// OneMore is a file system with one more file, which is in no folder's list.
func OneMore(base fs.FS, name string, data []byte) fs.FS { return oneMore{base, name, data} }

type oneMore struct {
	fs.FS
	name string
	data []byte
}

// Open implements fs.FS.
func (o oneMore) Open(name string) (fs.File, error) {
	if name != o.name {
		return o.FS.Open(name)
	}
	return &memFile{bytes.NewReader(o.data), path.Base(name)}, nil
}
