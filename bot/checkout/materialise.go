package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/fettle-dev/fettle/bot/regular"
)

// small is the size in bytes up to which files are written by several
// goroutines; larger ones are streamed.
const small = 256 << 10

// materialise writes entries that are not there yet. Regular files come first and
// symlinks last, so that no symlink of the commit stands in the way of a
// file. Bytes are those of the blobs.
func (t *Tree) materialise(ctx context.Context, want []entry) error {
	made := map[string]bool{".": true}
	order := slices.Clone(want)
	slices.SortStableFunc(order, func(a, b entry) int { return boolRank(!a.regular()) - boolRank(!b.regular()) })
	for _, e := range order {
		if dir := path.Dir(e.path); !made[dir] {
			if err := t.root.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("writing %q: %w", e.path, err)
			}
			made[dir] = true
		}
	}
	w := newWriters(t.root)
	err := t.store.blobs(ctx, t.gitDir, order, func(e entry, r io.Reader) error {
		if err := w.failed(); err != nil {
			return err
		}
		if e.size > small && e.regular() {
			return writeFile(t.root, e, r)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if !e.regular() {
			w.wait()
			return t.root.Symlink(string(data), e.path)
		}
		w.add(e, data)
		return nil
	})
	w.wait()
	if err := errors.Join(err, w.failed()); err != nil {
		return fmt.Errorf("writing the tree: %w", err)
	}
	return nil
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// perm is the canonical permission of a mode.
func perm(mode string) fs.FileMode {
	if mode == modeExec {
		return 0o755
	}
	return 0o644
}

// writeFile makes a new file; it never writes into one that is there.
func writeFile(root *os.Root, e entry, r io.Reader) error {
	f, err := root.OpenFile(e.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm(e.mode))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if info, serr := f.Stat(); serr == nil && info.Mode().Perm() != perm(e.mode) {
		err = errors.Join(err, f.Chmod(perm(e.mode))) // whatever the umask is
	}
	return errors.Join(err, f.Close())
}

// writers writes small files with a few goroutines.
type writers struct {
	root *os.Root
	jobs chan writeJob
	busy sync.WaitGroup
	mu   sync.Mutex
	err  error
}

type writeJob struct {
	e    entry
	data []byte
}

func newWriters(root *os.Root) *writers { return &writers{root: root} }

func (w *writers) add(e entry, data []byte) {
	if w.jobs == nil {
		w.jobs = make(chan writeJob, 64)
		for range 3 {
			w.busy.Add(1)
			go w.work(w.jobs)
		}
	}
	w.jobs <- writeJob{e, data}
}

func (w *writers) work(jobs <-chan writeJob) {
	defer w.busy.Done()
	for j := range jobs {
		if err := writeFile(w.root, j.e, strings.NewReader(string(j.data))); err != nil {
			w.mu.Lock()
			w.err = errors.Join(w.err, err)
			w.mu.Unlock()
		}
	}
}

// wait waits until all that was added is written.
func (w *writers) wait() {
	if w.jobs != nil {
		close(w.jobs)
		w.busy.Wait()
		w.jobs = nil
	}
}

func (w *writers) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Reset makes the tree exactly the base again: bytes, modes and symlinks, and
// no file more. Every file is read; nothing outside is touched whatever was
// planted.
func (t *Tree) Reset(ctx context.Context) error {
	if err := t.sync(ctx, t.entries); err != nil {
		return fmt.Errorf("reset the tree to %s: %w", t.base, err)
	}
	return nil
}

// Restore makes the tree exactly what a commit of Commit holds.
func (t *Tree) Restore(ctx context.Context, hash string) error {
	if !isHash(hash) {
		return fmt.Errorf("restore the tree: %w: %q is not a full hash", ErrNoRef, hash)
	}
	files, _, err := t.store.list(ctx, t.gitDir, hash)
	if err == nil {
		err = t.sync(ctx, files)
	}
	if err != nil {
		return fmt.Errorf("restore the tree to %s: %w", hash, err)
	}
	return nil
}

// sync removes what differs from the wanted entries and lays it anew.
func (t *Tree) sync(ctx context.Context, want []entry) error {
	s := syncer{t: t, want: make(map[string]entry, len(want)), dirs: map[string]bool{}}
	for _, e := range want {
		s.want[e.path] = e
		for dir := path.Dir(e.path); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	for _, k := range t.installed {
		for dir := path.Dir(k); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	if err := s.clean(ctx, "."); err != nil {
		return err
	}
	var missing []entry
	for _, e := range want {
		if _, there := s.want[e.path]; there {
			missing = append(missing, e)
		}
	}
	return t.materialise(ctx, missing)
}

// syncer walks the tree; what is right is struck off want.
type syncer struct {
	t    *Tree
	want map[string]entry
	dirs map[string]bool
}

func (s *syncer) clean(ctx context.Context, dir string) error {
	list, err := readDir(s.t.root, dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := path.Join(dir, d.Name())
		info, err := s.t.root.Lstat(name)
		if err != nil {
			return err
		}
		switch {
		case info.IsDir() && slices.Contains(s.t.installed, name):
			continue
		case info.IsDir() && s.dirs[name]:
			if err := s.t.root.Chmod(name, 0o755); err != nil {
				return err
			}
			if err := s.clean(ctx, name); err != nil {
				return err
			}
		case s.right(name, info):
			delete(s.want, name)
		default:
			if err := removeUnder(s.t.root, name); err != nil {
				return fmt.Errorf("remove %q: %w", name, err)
			}
		}
	}
	return nil
}

// right tells whether what stands at name is what is wanted; a wrong mode is
// mended in place.
func (s *syncer) right(name string, info fs.FileInfo) bool {
	e, ok := s.want[name]
	if !ok {
		return false
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := s.t.root.Readlink(name)
		return err == nil && e.mode == modeLink && BlobHash([]byte(target)) == e.hash
	}
	if !info.Mode().IsRegular() || !e.regular() || info.Size() != e.size || links(info) != 1 {
		return false
	}
	f, err := regular.OpenIn(s.t.root, name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	hash, err := blobHashFrom(f, e.size)
	if err != nil || hash != e.hash {
		return false
	}
	return info.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == perm(e.mode) || f.Chmod(perm(e.mode)) == nil
}

// links is the number of names of a file; a second one could lie outside.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // its width differs by platform
	}
	return 1
}

// readDir lists one folder without following a symlink at its end.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrPermission) {
		if err = root.Chmod(dir, 0o755); err == nil {
			f, err = root.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// removeUnder removes a file or a folder, also when folders in it lost their
// permissions.
func removeUnder(root *os.Root, name string) error {
	if root.RemoveAll(name) == nil {
		return nil
	}
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return root.Remove(name)
	}
	list, err := readDir(root, name)
	if err != nil {
		return err
	}
	if err := root.Chmod(name, 0o700); err != nil {
		return err
	}
	for _, d := range list {
		if err := removeUnder(root, path.Join(name, d.Name())); err != nil {
			return err
		}
	}
	return root.Remove(name)
}
