package checkout

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fettle-dev/fettle/bot/regular"
	"github.com/fettle-dev/fettle/bot/task"
)

// litter are folders that tools leave behind; a new file in one of them is
// never a change, and of a folder without Git they are not part of the base.
var litter = map[string]bool{"__pycache__": true, ".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true,
	".tox": true, ".nox": true, ".venv": true, "venv": true, ".fettle": true, "node_modules": true, ".hypothesis": true}

// Changes lists what differs between the base and the tree among regular
// files, sorted by path, with whole contents. New symlinks, special files and
// anything named .git are never part of it; a file of the base that became
// one of them is ErrTampered.
func (t *Tree) Changes() ([]task.FileChange, error) {
	c := collector{t: t, seen: make(map[string]bool, len(t.entries)), now: time.Now()}
	if err := c.walk("."); err != nil {
		return nil, fmt.Errorf("compare the tree with its base: %w", err)
	}
	for _, e := range t.entries {
		if !c.seen[e.path] {
			c.out = append(c.out, task.FileChange{Path: e.path, Deleted: true, Mode: e.mode})
		}
	}
	slices.SortFunc(c.out, func(a, b task.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return c.out, nil
}

// collector walks the tree. Symlinks are looked at and never followed.
type collector struct {
	t    *Tree
	seen map[string]bool
	out  []task.FileChange
	now  time.Time
}

func (c *collector) walk(dir string) error {
	list, err := readDir(c.t.root, dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		name := path.Join(dir, d.Name())
		if isDotGit(d.Name()) {
			continue
		}
		info, err := c.t.root.Lstat(name)
		if err != nil {
			return err
		}
		if info.IsDir() {
			if slices.Contains(c.t.installed, name) {
				continue
			}
			if err := c.walk(name); err != nil {
				return err
			}
			continue
		}
		if err := c.file(name, info); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) file(name string, info fs.FileInfo) error {
	e, inBase := c.t.byPath[name]
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := c.t.root.Readlink(name)
		if err != nil {
			return err
		}
		if inBase && (e.mode != modeLink || BlobHash([]byte(target)) != e.hash) {
			return fmt.Errorf("%w: %q is a symlink now", ErrTampered, name)
		}
		c.seen[name] = inBase
		return nil
	}
	if !info.Mode().IsRegular() {
		if inBase {
			return fmt.Errorf("%w: %q is not a file any more", ErrTampered, name)
		}
		return nil
	}
	if !inBase && littered(name) {
		return nil
	}
	c.seen[name] = inBase
	mode := modeFile
	if info.Mode()&0o100 != 0 {
		mode = modeExec
	}
	if inBase && mode == e.mode && info.Size() == e.size && c.t.stamps.same(name, info, e.hash) {
		return nil
	}
	if inBase && mode == e.mode && info.Size() == e.size {
		hash, err := hashRegular(c.t.root, name, e.size)
		if err != nil {
			return err
		}
		c.t.stamps.note(name, info, hash, c.now)
		if hash == e.hash {
			return nil
		}
	}
	data, err := regular.ReadIn(c.t.root, name, c.t.store.cfg.MaxBytes)
	if err != nil {
		return err
	}
	c.out = append(c.out, task.FileChange{Path: name, Content: data, Mode: mode})
	return nil
}

// hashRegular names the blob of a file without holding it in memory.
func hashRegular(root *os.Root, name string, size int64) (string, error) {
	f, err := regular.OpenIn(root, name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return blobHashFrom(f, size)
}

func littered(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if litter[part] {
			return true
		}
	}
	return strings.HasSuffix(name, ".pyc")
}

// stamps remember which content a file had when it was last read, so that
// unchanged files are not read again. As in Git's index, an entry counts only
// if the file's change time lay clearly before it was read.
type stamps struct {
	mu    sync.Mutex
	known map[string]stamp
}

type stamp struct {
	size        int64
	inode       uint64
	change, mod int64 // ns since the epoch
	hash        string
}

func stampOf(info fs.FileInfo) (stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{size: info.Size(), inode: st.Ino, change: changed(st), mod: info.ModTime().UnixNano()}, true
}

func (s *stamps) same(name string, info fs.FileInfo, hash string) bool {
	now, ok := stampOf(info)
	s.mu.Lock()
	defer s.mu.Unlock()
	now.hash = hash
	return ok && s.known[name] == now
}

func (s *stamps) note(name string, info fs.FileInfo, hash string, readAt time.Time) {
	now, ok := stampOf(info)
	if !ok || readAt.UnixNano()-now.change < int64(100*time.Millisecond) {
		return
	}
	now.hash = hash
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]stamp{}
	}
	s.known[name] = now
}
