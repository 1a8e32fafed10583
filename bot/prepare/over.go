package prepare

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// Over is a tree with what the setup added to it, for those who look how it is
// checked. Links of what was added are not followed out of it.
func (s *Session) Over(tree fs.FS) fs.FS {
	if s.held == nil {
		return tree
	}
	return over{tree, s.held.layer}
}

type over struct {
	fs.FS
	layer *sandbox.Layer
}

// part finds the part that a path lies in, where the tree has nothing.
func (o over) part(name string) (dir, rel string, ok bool) {
	for _, p := range o.layer.Parts {
		at, inTree := strings.CutPrefix(p.Inside, "/work/")
		if !inTree || name != at && !strings.HasPrefix(name, at+"/") {
			continue
		}
		if _, err := fs.Stat(o.FS, at); err == nil {
			return "", "", false
		}
		return filepath.Join(o.layer.Dir, p.From), strings.TrimPrefix(strings.TrimPrefix(name, at), "/"), true
	}
	return "", "", false
}

// Open implements fs.FS.
func (o over) Open(name string) (fs.File, error) {
	dir, rel, ok := o.part(name)
	if !ok || !fs.ValidPath(name) {
		return o.FS.Open(name)
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.Join(filepath.Base(dir), rel))
}

// ReadDir implements fs.ReadDirFS.
func (o over) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, _, ok := o.part(name); ok {
		f, err := o.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		d, ok := f.(fs.ReadDirFile)
		if !ok {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
		}
		list, err := d.ReadDir(-1)
		slices.SortFunc(list, byName)
		return list, err
	}
	list, err := fs.ReadDir(o.FS, name)
	if err != nil {
		return nil, err
	}
	for _, p := range o.layer.Parts {
		at, inTree := strings.CutPrefix(p.Inside, "/work/")
		if !inTree || path.Dir(at) != name || slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == path.Base(at) }) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(o.layer.Dir, p.From)); err == nil {
			list = append(list, entry{info, path.Base(at)})
		}
	}
	slices.SortFunc(list, byName)
	return list, nil
}

func byName(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }

// entry is a part as an entry of the tree.
type entry struct {
	info fs.FileInfo
	name string
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.info.IsDir() }
func (e entry) Type() fs.FileMode          { return e.info.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e.info, nil }
