package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/task"
)

// mirrorPath is where the mirror of a repository lies: its name first, then its
// address. Installations never share one (SPEC X5).
func (s *Store) mirrorPath(repo task.Repo) string {
	return filepath.Join(s.cfg.Root, "mirrors", strconv.FormatInt(repo.Installation, 10), named(repo.Slug())+"-"+digest(repo.CloneURL)+".git")
}

func named(slug string) string { return digest(strings.ToLower(slug)) }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// Prune removes the mirrors of repositories (owner/name) that known does not list
// under their installation, but for those that a tree stands on, and those of folders.
// What is on disk is looked at before known is asked: a repository is known before it
// has a mirror.
func (s *Store) Prune(ctx context.Context, known func() (map[int64][]string, error)) error {
	mirrors, _ := filepath.Glob(filepath.Join(s.cfg.Root, "mirrors", "*", "*.git")) // the pattern is well formed
	if len(mirrors) == 0 {
		return nil
	}
	repos, err := known()
	if err != nil {
		return err
	}
	var problems []error
	for _, mirror := range mirrors {
		dir, name := filepath.Split(mirror)
		installation, err := strconv.ParseInt(filepath.Base(dir), 10, 64)
		whose, _, _ := strings.Cut(name, "-")
		if err != nil || installation == 0 || slices.ContainsFunc(repos[installation], func(slug string) bool { return named(slug) == whose }) {
			continue
		}
		if _, err := s.forget(ctx, mirror, time.Time{}); err != nil {
			problems = append(problems, fmt.Errorf("remove a mirror of installation %d: %w", installation, err))
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.git")); len(left) == 0 && len(repos[installation]) == 0 {
			problems = append(problems, removeAll(dir)) // with the locks
		}
	}
	return errors.Join(problems...)
}

// Keep removes mirrors that no fetch has used for a time (0: any), and of the others the
// longest unused until they hold no more than so many bytes; not those that a tree stands
// on. It says how many went, and how many bytes they held.
func (s *Store) Keep(ctx context.Context, unused time.Duration, most int64) (gone int, freed int64, err error) {
	type mirror struct {
		dir   string
		used  time.Time
		bytes int64
	}
	list, _ := filepath.Glob(filepath.Join(s.cfg.Root, "mirrors", "*", "*.git")) // the pattern is well formed
	var all []mirror
	var sum int64
	for _, dir := range list {
		m := mirror{dir, lastUse(dir), dirBytes(dir)}
		all = append(all, m)
		sum += m.bytes
	}
	slices.SortFunc(all, func(a, b mirror) int { return a.used.Compare(b.used) })
	var problems []error
	for _, m := range all {
		if old := unused > 0 && s.cfg.Now().Sub(m.used) > unused; !old && sum <= most {
			break
		}
		went, err := s.forget(ctx, m.dir, s.cfg.Now().Add(-justFetched))
		if err != nil {
			problems = append(problems, fmt.Errorf("remove a mirror that is not used: %w", err))
		}
		if went {
			gone, freed, sum = gone+1, freed+m.bytes, sum-m.bytes
		}
	}
	return gone, freed, errors.Join(problems...)
}

// used tells whether a tree takes objects from a mirror.
func (s *Store) used(mirror string) (bool, error) {
	list, err := filepath.Glob(filepath.Join(s.cfg.Root, "trees", "*", "git", "objects", "info", "alternates"))
	for _, file := range list {
		raw, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if strings.HasPrefix(string(raw), mirror+string(filepath.Separator)) {
			return true, nil
		}
	}
	return false, err
}

// justFetched is how long a mirror is kept after a fetch: the tree that is made of it
// may not stand yet.
const justFetched = time.Hour

// lastUse is when a fetch used a mirror.
func lastUse(mirror string) time.Time {
	info, err := os.Stat(mirror + ".lock")
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// forget removes a mirror that no tree stands on and that no fetch has used since a time
// (zero: ever). A fetch under way is waited for.
func (s *Store) forget(ctx context.Context, mirror string, since time.Time) (went bool, err error) {
	if _, err := os.Stat(mirror); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock, err := waitLock(ctx, mirror+".lock")
	if err != nil {
		return false, fmt.Errorf("wait for the mirror: %w", err)
	}
	defer unlock(lock)
	if !since.IsZero() && lastUse(mirror).After(since) {
		return false, nil
	}
	if used, err := s.used(mirror); used || err != nil {
		return false, err
	}
	err = errors.Join(removeAll(mirror+".new"), removeAll(mirror))
	return err == nil, err
}

// fetch brings ref into the mirror and says which commit it is. One process
// at a time works on a mirror.
func (s *Store) fetch(ctx context.Context, repo task.Repo, rem *remote, ref string, auth Auth) (mirror, commit string, err error) {
	if ref != "" && !isHash(ref) && !ValidBranch(ref) {
		return "", "", fmt.Errorf("%w: %q is neither a branch name nor a full hash", ErrNoRef, ref)
	}
	mirror = s.mirrorPath(repo)
	if err := os.MkdirAll(filepath.Dir(mirror), 0o700); err != nil {
		return "", "", fmt.Errorf("make the mirror's folder: %w", err)
	}
	lock, err := waitLock(ctx, mirror+".lock")
	if err != nil {
		return "", "", fmt.Errorf("wait for the mirror: %w", err)
	}
	defer unlock(lock)
	if now := s.cfg.Now(); os.Chtimes(mirror+".lock", now, now) != nil {
		s.cfg.Log.Warnf("the use of the mirror %s was not written down; it may be removed early", mirror)
	}
	if err := s.makeMirror(mirror); err != nil {
		return "", "", fmt.Errorf("make the mirror: %w", err)
	}
	local := "refs/heads/" + ref
	spec := "+" + local + ":" + local
	switch {
	case ref == "":
		local = "refs/fettle/HEAD"
		spec = "+HEAD:" + local
	case isHash(ref):
		if commit, err := s.resolve(ctx, mirror, ref); err == nil {
			return mirror, commit, nil
		}
		local = "refs/fettle/pin/" + ref
		spec = ref + ":" + local
	}
	token, err := auth.token(ctx)
	if err != nil {
		return "", "", err
	}
	if err := s.fetchSpec(ctx, mirror, rem, spec, token); err != nil {
		return "", "", s.explain(ctx, mirror, rem, token, err)
	}
	commit, err = s.resolve(ctx, mirror, local)
	return mirror, commit, err
}

// token asks for the token; a nil Auth has none.
func (a Auth) token(ctx context.Context) (string, error) {
	if a == nil {
		return "", nil
	}
	token, err := a(ctx)
	if err != nil {
		return "", fmt.Errorf("get a token for git: %w", err)
	}
	return token, nil
}

func (s *Store) makeMirror(mirror string) error {
	if _, err := os.Stat(filepath.Join(mirror, "HEAD")); err == nil {
		return nil
	}
	fresh := mirror + ".new"
	if err := removeAll(fresh); err != nil {
		return err
	}
	if err := makeGitDir(fresh, nil); err != nil {
		return err
	}
	if err := removeAll(mirror); err != nil {
		return err
	}
	return os.Rename(fresh, mirror)
}

// fetchSpec runs git fetch and stops it when the mirror grows over the limit.
func (s *Store) fetchSpec(ctx context.Context, mirror string, rem *remote, spec, token string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if size := dirBytes(filepath.Join(mirror, "objects")); size > s.cfg.MaxBytes {
					cancel(s.tooLarge(size))
				}
			}
		}
	}()
	_, err := s.run(ctx, call{dir: mirror, remote: rem, token: token, args: []string{
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules",
		"--end-of-options", rem.address, spec}})
	cancel(nil)
	<-watched
	if err == nil {
		if size := dirBytes(filepath.Join(mirror, "objects")); size > s.cfg.MaxBytes {
			err = s.tooLarge(size)
		}
	}
	if errors.Is(err, ErrTooLarge) {
		err = errors.Join(err, removeAll(mirror)) // a mirror over the limit is of no use
	}
	return err
}

func (s *Store) tooLarge(size int64) error {
	return fmt.Errorf("%w: %d MB against %d MB; raise the limit to work on it", ErrTooLarge, size>>20, s.cfg.MaxBytes>>20)
}

// explain tells an empty repository and a missing branch from other failures.
func (s *Store) explain(ctx context.Context, mirror string, rem *remote, token string, err error) error {
	var git *gitError
	if !errors.As(err, &git) || errors.Is(err, ErrTooLarge) || ctx.Err() != nil {
		return err
	}
	if !strings.Contains(git.Stderr, "find remote ref") && !strings.Contains(git.Stderr, "not our ref") &&
		!strings.Contains(git.Stderr, "unadvertised object") {
		return err
	}
	out, lerr := s.run(ctx, call{dir: mirror, remote: rem, token: token, args: []string{"ls-remote", "--heads", "--end-of-options", rem.address}})
	if lerr == nil && len(out) == 0 {
		return ErrEmpty
	}
	return fmt.Errorf("%w: %s", ErrNoRef, git.Stderr)
}

// resolve gives the commit that a ref or hash of a Git directory of ours names.
func (s *Store) resolve(ctx context.Context, dir, rev string) (string, error) {
	out, err := s.run(ctx, call{dir: dir, args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}"}})
	hash := strings.TrimSpace(string(out))
	if err != nil || !isHash(hash) {
		return "", fmt.Errorf("%w: %s", ErrNoRef, rev)
	}
	return hash, nil
}

// waitLock waits for an advisory lock, until ctx ends.
func waitLock(ctx context.Context, path string) (*os.File, error) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		f, err := tryLock(path)
		if err == nil {
			return f, nil
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// dirBytes adds up the sizes of the files below a folder.
func dirBytes(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}
