package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Layer is what setup commands left, as Collect gathered it: folders and files
// that every later command of a Session sees read-only where they were made.
type Layer struct {
	Dir     string            `json:"-"`                 // host folder that holds the parts, named by From
	Parts   []Part            `json:"parts"`             // in the order in which they are shown
	Env     map[string]string `json:"env,omitempty"`     // for commands that see the layer
	Path    []string          `json:"path,omitempty"`    // after the PATH that commands have
	Files   int               `json:"files"`             // and folders and links
	Bytes   int64             `json:"bytes"`             // of files
	Shape   string            `json:"shape"`             // digest of names, kinds, sizes, times
	Dropped []string          `json:"dropped,omitempty"` // what was not taken over and why; the first of each kind
}

// Part is one place of a layer.
type Part struct {
	From    string   `json:"from"`              // name in the layer's folder
	Inside  string   `json:"inside"`            // below /work, the home folder or /run/fettle
	Scratch []string `json:"scratch,omitempty"` // folders in it that each command may write to, empty at its start
}

// layered is a backend that shows layers and runs setup commands.
type layered interface {
	lay(dir string) (from string, drop func(), err error)
	setupWorkspace(box *Sandbox, fill func(*Workspace) error) (*Workspace, error)
}

// ErrNoSetup is what a backend answers that cannot run setup commands apart.
var ErrNoSetup = errors.New("sandbox: this backend does not run setup commands; bubblewrap does")

// CanSetup tells whether setup commands can be run.
func (s *Sandbox) CanSetup() bool {
	_, ok := s.back.(layered)
	return ok
}

// Check looks whether the layer is still what Collect made: names, kinds,
// sizes and times of everything. It reads no content.
func (l *Layer) Check() error {
	shape, files, err := shapeOf(l.Dir)
	if err != nil {
		return fmt.Errorf("sandbox: looking at what a setup left: %w", err)
	}
	if shape != l.Shape || files != l.Files {
		return errors.New("sandbox: what a setup left is no longer as it was written")
	}
	for _, p := range l.Parts {
		if !p.sound() {
			return fmt.Errorf("sandbox: a layer's part cannot stand at %q", p.Inside)
		}
	}
	return nil
}

// Flush makes what Collect wrote survive a power failure: Check does not read
// what stands in the files.
func (l *Layer) Flush() error { return flush(l.Dir) }

// sound tells whether a part stands where parts may stand.
func (p Part) sound() bool {
	if p.From == "" || strings.ContainsAny(p.From, "/\x00") || p.From == "." || p.From == ".." || path.Clean(p.Inside) != p.Inside || strings.ContainsRune(p.Inside, 0) {
		return false
	}
	for _, s := range p.Scratch {
		if !filepath.IsLocal(s) {
			return false
		}
	}
	for _, top := range []string{"/work", insideHome, insideParts} {
		if p.Inside != top && below(p.Inside, top) {
			return true
		}
	}
	return false
}

// Shape is a digest of all that stands in a folder, but for contents: names, kinds,
// modes, sizes, times.
func Shape(dir string) (string, error) {
	digest, _, err := shapeOf(dir)
	return digest, err
}

// shapeOf is a digest of all that stands in a folder of ours, but for contents.
func shapeOf(dir string) (digest string, entries int, err error) {
	sum := sha256.New()
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		entries++
		size, stamp, target := info.Size(), info.ModTime().UnixNano(), ""
		switch {
		case info.IsDir():
			size, stamp = 0, 0
		case info.Mode()&fs.ModeSymlink != 0:
			stamp = 0
			if target, err = os.Readlink(name); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(sum, "%q %v %d %d %q\n", name[len(dir):], info.Mode(), size, stamp, target)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), entries, err
}

// Use shows a layer to all commands that this Session starts from now on, but
// for setup commands. A Session has at most one. The layer's folder has to stay
// until the Session is closed.
func (s *Sandbox) Use(l *Layer) error {
	if s.parent == nil {
		return errors.New("sandbox: a layer is for one Session, not for the whole sandbox")
	}
	for _, p := range l.Parts {
		if !p.sound() {
			return fmt.Errorf("sandbox: a layer's part cannot stand at %q", p.Inside)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("sandbox: already closed")
	case s.layer != nil:
		return errors.New("sandbox: the session has a layer already")
	}
	back, ok := s.back.(layered)
	if !ok {
		return ErrNoSetup
	}
	from, drop, err := back.lay(l.Dir)
	if err != nil {
		return err
	}
	s.layer, s.layerAt, s.dropLayer = l, from, drop
	return nil
}

// Layer is what Use was given, or nil.
func (s *Sandbox) Layer() *Layer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.layer
}

// environment is what a command of the workspace sees.
func (w *Workspace) environment(c Command) [][2]string {
	env, layer := map[string]string{}, w.box.Layer()
	switch {
	case c.Setup != nil:
		env = c.Setup.environment()
	case layer != nil:
		maps.Copy(env, layer.Env)
		env["PATH"] = strings.Join(append(w.box.tools.path(), layer.Path...), ":")
	}
	for k, v := range c.Env {
		if own := env[k]; k == "PYTHONPATH" && own != "" {
			v += ":" + own // a command's own folders, then the layer's
		}
		env[k] = v
	}
	if c.Setup != nil {
		return w.box.environment(env)
	}
	return w.box.needed().under(w.box.environment(env))
}

// standing lists the layer's parts that the next command of this workspace is
// shown. A part of the tree is shown only where the tree itself has nothing and
// has the folder above: nothing of the tree is hidden. That is found out before
// the first command, which could change the tree; before each further one it is
// looked whether a mount would still go where it is said to. While another command
// runs, that holds only of what it is shown itself at the top of the tree: it can
// neither move a mount nor the folder above.
func (w *Workspace) standing(l *Layer) ([]Part, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root, err := os.OpenRoot(w.Path())
	if err != nil {
		return nil, fmt.Errorf("sandbox: looking where a layer stands: %w", err)
	}
	defer root.Close()
	if !w.looked {
		w.looked, w.shown = true, nil
		for _, p := range l.Parts {
			if rel, inTree := strings.CutPrefix(p.Inside, "/work/"); !inTree || !exists(root, rel) && isFolder(root, path.Dir(rel)) {
				w.shown = append(w.shown, p)
			}
		}
	}
	var out []Part
	for _, p := range w.shown {
		if rel, inTree := strings.CutPrefix(p.Inside, "/work/"); !inTree || free(root, rel) {
			out = append(out, p)
		}
	}
	if w.held == nil {
		w.held = make([]Part, 0, len(out))
		w.held = append(w.held, out...)
		return out, nil
	}
	same := slices.EqualFunc(w.held, out, func(a, b Part) bool { return a.Inside == b.Inside })
	if !same || slices.ContainsFunc(out, func(p Part) bool { return strings.Count(p.Inside, "/") > 2 && below(p.Inside, "/work") }) {
		return nil, errors.New("sandbox: what is installed below the top of the tree can only be shown to one command of a workspace at a time")
	}
	return out, nil
}

// Shown tells whether a path of the copy belongs to what commands are shown there
// and is no part of the tree: a repository (Needs), or what was installed apart.
func (w *Workspace) Shown(rel string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	top, _, _ := strings.Cut(rel, "/")
	return w.box.needed().Git && (top == ".git" || strings.HasPrefix(top, makingGit)) ||
		slices.ContainsFunc(w.shown, func(p Part) bool { return below(path.Join("/work", rel), p.Inside) })
}

// free tells whether a mount at rel goes there and nowhere else. bubblewrap
// follows links, while it builds the inside also to the host, and makes what it
// mounts on.
func free(root *os.Root, rel string) bool {
	info, err := root.Lstat(rel)
	return isFolder(root, path.Dir(rel)) && (errors.Is(err, fs.ErrNotExist) || err == nil && (info.IsDir() || info.Mode().IsRegular()))
}

// isFolder tells whether a path and all above it are folders, not links.
func isFolder(root *os.Root, rel string) bool {
	for d := rel; d != "." && d != "/"; d = path.Dir(d) {
		if info, err := root.Lstat(d); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// SetupWorkspace is Workspace for commands that install: on disk, with a home
// folder that all its setup commands share.
func (s *Sandbox) SetupWorkspace(ctx context.Context, src string) (*Workspace, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	back, ok := s.back.(layered)
	if !ok {
		return nil, ErrNoSetup
	}
	return s.opened(back.setupWorkspace(s, func(w *Workspace) error {
		w.box = s
		home := filepath.Join(w.dir, "home")
		if err := os.Mkdir(home, 0o755); err != nil {
			return fmt.Errorf("sandbox: making the home of a setup: %w", err)
		}
		if w.owner >= 0 {
			if err := os.Lchown(home, w.owner, w.owner); err != nil {
				return fmt.Errorf("sandbox: giving the home of a setup to the payload's uid: %w", err)
			}
		}
		return w.fill(ctx, src)
	}))
}

// RemoveAll removes a folder of ours that holds what foreign code made, however
// deep and whatever its modes.
func RemoveAll(dir string) error {
	if err := empty(dir); err != nil {
		return fmt.Errorf("sandbox: removing %s: %w", dir, err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
