package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
)

// lifecycle are the scripts of a package.json that an installation runs.
var lifecycle = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// runsTree tells whether an installation runs code of the tree, which may read
// any file of it: then manifests alone do not say what it leaves.
func runsTree(tree fs.FS) bool {
	found := false
	walk(tree, func(name string) bool {
		switch path.Base(name) {
		case "setup.py", "build.rs", "binding.gyp":
			found = true
		case "package.json":
			found = hasLifecycle(tree, name)
		}
		return !found
	})
	return found
}

// hasLifecycle holds of a package.json that cannot be read, too.
func hasLifecycle(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, name)
	if err != nil || info.Size() > maxManifest {
		return true
	}
	raw, err := fs.ReadFile(tree, name)
	if err != nil {
		return true
	}
	var pack struct {
		Scripts map[string]any `json:"scripts"`
	}
	if json.Unmarshal(raw, &pack) != nil {
		return true
	}
	return slices.ContainsFunc(lifecycle, func(s string) bool { _, ok := pack.Scripts[s]; return ok })
}

// digestAll names the files and links of a tree with their contents, but for
// what is installed; what is vendored or built counts, scripts may run it.
func digestAll(tree fs.FS) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && name != "." && code.Foreign(d.Name()) && !slices.Contains([]string{"vendor", "dist", "bower_components", ".next"}, d.Name()) {
			return fs.SkipDir
		}
		what := "unreadable"
		switch {
		case errors.Is(err, fs.ErrPermission):
		case err != nil:
			return err
		case d.IsDir():
			return nil
		default:
			if what, err = describe(tree, name, d); err != nil {
				return err
			}
		}
		line, err := json.Marshal([]string{fmt.Sprintf("%q", name), what}) // quoted: a name need not be UTF-8
		_, _ = sum.Write(append(line, '\n'))                               // a hash takes everything
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// describe tells what a file holds and whether it can be run, or where a link
// points to.
func describe(tree fs.FS, name string, d fs.DirEntry) (string, error) {
	if d.Type() == fs.ModeSymlink {
		to, err := fs.ReadLink(tree, name)
		return fmt.Sprintf("link %q", to), err
	}
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() {
		return "special", err
	}
	f, err := tree.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return "unreadable", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v %x", info.Mode()&0o111 != 0, sum.Sum(nil)), nil
}
