package verify

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// tree is a list of the regular files of a tree, without what is installed,
// built or vendored, and a way to read them.
type tree struct {
	fsys  fs.FS
	files []string // slash-separated, sorted
	have  map[string]bool
}

// maxSource bounds what is read of one file to find out what it is.
const maxSource = 512 << 10

// maxFiles bounds a scan.
const maxFiles = 200_000

var skipDirs = map[string]bool{
	".git": true, "node_modules": true, "vendor": true, ".venv": true, "venv": true, ".tox": true, ".nox": true,
	"__pycache__": true, "site-packages": true, ".eggs": true, "dist": true, "target": true, ".fettle": true,
	"bower_components": true, ".next": true,
}

func scan(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys, have: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if p == "." {
				return err
			}
			return fs.SkipDir // a folder that cannot be read holds no tests
		}
		if d.IsDir() {
			if p != "." && skipDirs[d.Name()] {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && len(t.files) < maxFiles {
			t.files = append(t.files, p)
			t.have[p] = true
		}
		return nil
	})
	slices.Sort(t.files)
	return t, err
}

// scanBox scans the disposable copy; it never follows a link out of it.
func scanBox(b box) (*tree, error) {
	root, err := os.OpenRoot(b.Path())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	t, err := scan(root.FS())
	if err != nil {
		return nil, err
	}
	t.fsys = boxFS{b} // the root is closed at the end
	return t, nil
}

// read gives at most maxSource bytes of a file, nothing when it cannot be read.
func (t *tree) read(p string) string {
	f, err := t.fsys.Open(p)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

// under lists the files in dir and below, but not in the folders of except.
func (t *tree) under(dir string, except []string) []string {
	var out []string
	for _, f := range t.files {
		if within(f, dir) && !slices.ContainsFunc(except, func(e string) bool { return within(f, e) }) {
			out = append(out, f)
		}
	}
	return out
}

func within(p, dir string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// relTo is p seen from dir.
func relTo(dir, p string) string {
	if dir == "." {
		return p
	}
	return strings.TrimPrefix(p, dir+"/")
}

// inDir tells whether one of the folders above p, seen from the root, has one
// of the names.
func inDir(p string, names ...string) bool {
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		if slices.Contains(names, path.Base(d)) {
			return true
		}
	}
	return false
}
