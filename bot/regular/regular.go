// Package regular reads files of folders that somebody else has filled. A named
// pipe or a device under an expected name would hold its reader for ever, or
// give it bytes without end. In go names, out comes the content of regular
// files, never waited for and never more than was asked for. It must open
// nothing else.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrSpecial tells that a name stands for something else than a regular file.
var ErrSpecial = errors.New("not a regular file")

// Open opens a regular file; symbolic links are followed.
func Open(name string) (*os.File, error) {
	return open(name, os.Stat, os.OpenFile, 0)
}

// OpenIn opens a regular file below root; a symbolic link is none.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	return open(filepath.FromSlash(name), root.Lstat, root.OpenFile, syscall.O_NOFOLLOW)
}

// open looks before it opens, since opening alone can set a device to work, and
// again after, since the name may stand for another file by then.
func open(name string, stat func(string) (fs.FileInfo, error), openFile func(string, int, fs.FileMode) (*os.File, error), flags int) (*os.File, error) {
	info, err := stat(name)
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := openFile(name, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func check(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is a %s: %w", name, kind(info.Mode()), ErrSpecial)
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// Read reads a regular file of at most max bytes; symbolic links are followed.
func Read(name string, max int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	return all(f, name, max)
}

// ReadIn reads a regular file of at most max bytes below root; a symbolic link
// is none.
func ReadIn(root *os.Root, name string, max int64) ([]byte, error) {
	f, err := OpenIn(root, name)
	if err != nil {
		return nil, err
	}
	return all(f, name, max)
}

// ReadFS reads a file of at most max bytes from a file system that opens
// nothing else, such as that of FS.
func ReadFS(fsys fs.FS, name string, max int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	return all(f, name, max)
}

// all reads and closes f.
func all(f fs.File, name string, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s has more than %d bytes and is not read", name, max)
	}
	return data, nil
}

// FS is the file system below root in which nothing but folders and regular
// files can be opened. Symbolic links within root are followed.
func FS(root *os.Root) fs.FS { return tree{root, root.FS()} }

type tree struct {
	root *os.Root
	all  fs.FS
}

func (t tree) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(t.all, name); err != nil || info.IsDir() {
		if err != nil {
			return nil, err
		}
		return t.all.Open(name)
	}
	f, err := open(filepath.FromSlash(name), t.root.Stat, t.root.OpenFile, 0)
	if err != nil {
		return nil, err // and not a nil file that is no nil interface
	}
	return f, nil
}

func (t tree) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(t.all, name) }
func (t tree) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(t.all, name) }
func (t tree) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(t.all, name) }
func (t tree) ReadLink(name string) (string, error)       { return fs.ReadLink(t.all, name) }
