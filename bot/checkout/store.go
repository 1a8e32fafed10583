// Package checkout is fettle's Git: cached bare mirrors, ephemeral trees to
// work on, diffs, one commit per attempt, pushes. A repository and a ref (or
// a user's folder) flow in; a plain folder of files without any .git flows
// out, together with the hash it stands for; commits flow back to a branch.
//
// It must never run repository code. Host Git therefore never looks at a tree
// that such code could have touched: the Git directory lies beside the tree,
// not in it; files are laid from the blobs, byte for byte, so that no filter,
// end-of-line rule or smudge program applies; commits are made from the base's
// objects plus the changed files; every command runs without the machine's or
// the repository's configuration, hooks, fsmonitor, submodules, external
// programs or foreign transports (see git.go).
//
// An installation token reaches Git only through a pipe: an anonymous
// credential helper bound to the remote's origin reads it from an inherited
// descriptor, once. It stands in no argument, environment, URL or file, and a
// redirect to another host is not followed.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
)

// Errors that callers tell apart.
var (
	ErrEmpty        = errors.New("the repository holds no files")
	ErrNotDirectory = errors.New("not a directory")
	ErrBare         = errors.New("a bare repository has no files to work on")
	ErrNoCopy       = errors.New("it is not in a Git repository")
	ErrNoRef        = errors.New("the branch or commit does not exist")
	ErrTooLarge     = errors.New("the repository is larger than the limit")
	ErrUnsafePath   = errors.New("the commit holds a path that cannot be laid out safely")
	ErrTampered     = errors.New("the tree was changed by something else than a patch")
	ErrNoRemote     = errors.New("this tree was opened from a folder and has no remote")
	ErrDefault      = errors.New("fettle never pushes to the default branch")
	ErrMoved        = errors.New("the branch is not where it was expected")
)

// DefaultMaxBytes limits a mirror on disk and, separately, a tree.
const DefaultMaxBytes = 2 << 30

// Config is what a Store needs.
type Config struct {
	Root     string           // state folder for mirrors and trees; made when missing
	Git      string           // path of git; "" looks in PATH
	CAFile   string           // PEM certificates that remotes are trusted by instead of this machine's; "" for none
	Now      func() time.Time // nil: time.Now
	Log      logrus.FieldLogger
	MaxBytes int64          // zero: DefaultMaxBytes
	Funnel   *redact.Funnel // what git says about a failure passes it; nil knows the shapes of tokens only
}

// Auth gives a token for the remote when Git asks; nil for none.
type Auth func(ctx context.Context) (token string, err error)

// Store holds mirrors and hands out trees. Safe for concurrent use, also by
// several processes on one Root.
type Store struct {
	cfg Config
}

// New checks the configuration and makes the folders.
func New(cfg Config) (*Store, error) {
	if cfg.Git == "" {
		cfg.Git = "git"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetLevel(logrus.PanicLevel)
		cfg.Log = quiet
	}
	if cfg.Root == "" {
		return nil, errors.New("checkout: no state folder is named")
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("checkout: the state folder %q is not a path: %w", cfg.Root, err)
	}
	if cfg.Root, err = makeReal(root); err != nil {
		return nil, fmt.Errorf("checkout: make the state folder: %w", err)
	}
	for _, sub := range []string{"mirrors", "trees"} {
		if err := os.MkdirAll(filepath.Join(cfg.Root, sub), 0o700); err != nil {
			return nil, fmt.Errorf("checkout: make the state folder: %w", err)
		}
	}
	return &Store{cfg: cfg}, nil
}

// makeReal makes a folder and resolves its symlinks, so that Git compares
// equal paths.
func makeReal(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// Open brings the mirror of the repository up to date and lays out the tree
// of ref, which is a branch name, a full commit hash, or "" for the default
// branch. The caller closes the tree.
func (s *Store) Open(ctx context.Context, repo task.Repo, ref string, auth Auth) (*Tree, error) {
	if ref == "" {
		ref = repo.DefaultBranch
	}
	remote, err := newRemote(repo.CloneURL)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", repo.Slug(), err)
	}
	mirror, commit, err := s.fetch(ctx, repo, remote, ref, auth)
	if err != nil {
		return nil, fmt.Errorf("open %s at %q: %w", repo.Slug(), ref, err)
	}
	t, err := s.newTree([]string{filepath.Join(mirror, "objects")})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", repo.Slug(), err)
	}
	t.repo, t.remote = repo, remote
	if err := t.start(ctx, commit); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s at %q: %w", repo.Slug(), ref, err), t.Close())
	}
	return t, nil
}

// Sweep removes trees whose process is gone and that are older than the given
// age, unless live says that the tree with that id is still wanted (nil:
// none is). Half-made mirrors go as well.
func (s *Store) Sweep(ctx context.Context, olderThan time.Duration, live func(id string) bool) error {
	var problems []error
	trees := filepath.Join(s.cfg.Root, "trees")
	list, err := os.ReadDir(trees)
	if err != nil {
		return fmt.Errorf("sweep checkouts: %w", err)
	}
	for _, e := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		info, err := e.Info()
		if err != nil || s.cfg.Now().Sub(info.ModTime()) < olderThan || (live != nil && live(e.Name())) {
			continue
		}
		dir := filepath.Join(trees, e.Name())
		lock, err := tryLock(filepath.Join(dir, "lock"))
		if err != nil {
			continue // its process lives
		}
		problems = append(problems, removeAll(dir))
		unlock(lock)
	}
	half, _ := filepath.Glob(filepath.Join(s.cfg.Root, "mirrors", "*", "*.new"))
	for _, dir := range half {
		if info, err := os.Stat(dir); err == nil && s.cfg.Now().Sub(info.ModTime()) >= olderThan {
			problems = append(problems, removeAll(dir))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("sweep checkouts: %w", err)
	}
	return nil
}

// tryLock takes an advisory lock that the kernel drops with the process.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// unlock gives a lock back and closes its file. Closing alone would leave the
// lock with a process that is being started, which has the file until it calls
// exec.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}

// removeAll removes a folder of ours, also when folders in it lost their
// permissions.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) //nolint:gosec // a folder of ours that nobody else writes any more
		}
		return nil
	})
	return os.RemoveAll(dir)
}
