package checkout

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fettle-dev/fettle/bot/task"
)

// Tree is one disposable checkout: a folder of plain files, and beside it a
// Git directory that holds what fettle commits and borrows all else from the
// mirror. One goroutine changes a tree at a time; BaseFS may be read by many.
type Tree struct {
	store  *Store
	home   string // holds git, tree and lock
	gitDir string
	dir    string
	root   *os.Root // of dir
	lock   *os.File
	repo   task.Repo
	remote *remote // nil for a folder

	base       string // commit
	entries    []entry
	byPath     map[string]entry
	submodules []entry
	skipped    []string
	installed  []string // folders of the user's that are not part of the base
	clean      bool

	attempts int
	reader   reader
	stamps   stamps
	fs       func() *baseFS
	closed   atomic.Bool
}

// newTree makes the folders of a tree whose Git directory borrows objects.
func (s *Store) newTree(alternates []string) (*Tree, error) {
	home, err := os.MkdirTemp(filepath.Join(s.cfg.Root, "trees"), "t-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the tree: %w", err)
	}
	t := &Tree{store: s, home: home, gitDir: filepath.Join(home, "git"), dir: filepath.Join(home, "tree")}
	t.fs = sync.OnceValue(t.makeFS)
	if err = os.Mkdir(t.dir, 0o700); err == nil {
		if err = makeGitDir(t.gitDir, alternates); err == nil {
			if t.lock, err = tryLock(filepath.Join(home, "lock")); err == nil {
				t.root, err = os.OpenRoot(t.dir)
			}
		}
	}
	if err != nil {
		_ = t.Close()
		return nil, fmt.Errorf("make a folder for the tree: %w", err)
	}
	return t, nil
}

// start reads the base and lays it out.
func (t *Tree) start(ctx context.Context, commit string) error {
	if err := t.setBase(ctx, commit); err != nil {
		return err
	}
	return t.materialise(ctx, t.entries)
}

func (t *Tree) setBase(ctx context.Context, commit string) error {
	files, submodules, err := t.store.list(ctx, t.gitDir, commit)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return ErrEmpty
	}
	t.base, t.entries, t.submodules = commit, files, submodules
	t.byPath = make(map[string]entry, len(files))
	for _, e := range files {
		t.byPath[e.path] = e
	}
	return nil
}

// ID names the tree under the store's root, for Sweep.
func (t *Tree) ID() string { return filepath.Base(t.home) }

// Dir is the folder of files. It never holds a .git. Host code reads and
// writes it only through os.Root; repository code gets a copy.
func (t *Tree) Dir() string { return t.dir }

// BaseCommit is the full hash of what the tree was laid from. For a folder it
// is a commit that only this tree knows, unless the folder is a clean working
// copy: then it is its HEAD.
func (t *Tree) BaseCommit() string { return t.base }

// Clean tells whether the tree was laid from a folder that held exactly its
// HEAD, or that no working copy holds.
func (t *Tree) Clean() bool { return t.clean }

// Files lists the regular files at base, slash-separated, in Git's order.
func (t *Tree) Files() []string {
	out := make([]string, 0, len(t.entries))
	for _, e := range t.entries {
		if e.regular() {
			out = append(out, e.path)
		}
	}
	return out
}

// Skipped lists what the base names but the tree does not hold: submodules,
// and of a user's folder also what could not be read and nested repositories.
func (t *Tree) Skipped() []string {
	out := make([]string, 0, len(t.submodules)+len(t.skipped))
	for _, e := range t.submodules {
		out = append(out, e.path)
	}
	return append(out, t.skipped...)
}

// Installed lists the folders of a user's folder that hold installed packages
// (node_modules, virtual environments, composer's vendor), below it. The tree does not
// hold them; where CopyInstalled put them there, no diff, commit or Reset looks at them.
func (t *Tree) Installed() []string { return slices.Clone(t.installed) }

// Repo is the repository that the tree is of.
func (t *Tree) Repo() task.Repo { return t.repo }

// Folder is the user's folder that the tree was taken from, "" where it was none.
func (t *Tree) Folder() string { return t.repo.Dir }

// BaseFS is the pristine base, read from Git's objects and not from the tree.
// Safe for concurrent use until Close.
func (t *Tree) BaseFS() fs.FS { return t.fs() }

// Close removes the tree. It may be called twice.
func (t *Tree) Close() error {
	if !t.closed.CompareAndSwap(false, true) {
		return nil
	}
	t.reader.mu.Lock()
	t.reader.close()
	t.reader.mu.Unlock()
	if t.root != nil {
		_ = t.root.Close()
	}
	err := removeAll(t.home)
	if t.lock != nil {
		unlock(t.lock)
	}
	if err != nil {
		return fmt.Errorf("remove the tree: %w", err)
	}
	return nil
}
