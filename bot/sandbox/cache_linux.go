package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// layeredCache implements layeredCache where overlayfs can be mounted, as root.
func (b *bubblewrap) layeredCache(w *Workspace) (*cacheDir, error) {
	if !b.stage.private {
		return nil, nil
	}
	c, err := b.overlayCache(w)
	if err != nil {
		b.overlay.Do(func() {
			w.box.log.WithError(err).Warn("sandbox: overlayfs cannot be mounted; the attempts of a run share one build cache")
		})
		return nil, nil //nolint:nilerr // the shared one serves
	}
	return c, nil
}

// newCache makes a cache on disk (caches are large and read again and again),
// seeded with a copy of the machine's warm one.
func (b *bubblewrap) newCache(s *Sandbox) (*cacheDir, error) {
	warm := s.warmDir(b)
	if _, err := os.Stat(warm); err != nil {
		warm = ""
	}
	w, err := b.diskWorkspace(s, func(w *Workspace) error {
		w.box = s
		if warm == "" {
			return nil
		}
		return w.fill(context.Background(), warm)
	})
	if err != nil {
		return nil, err
	}
	return &cacheDir{path: b.seen(w, "work"), disk: w.Path(), drop: w.drop}, nil
}

// overlayCache mounts an empty folder over what is kept and the machine's warm cache,
// on the stage.
func (b *bubblewrap) overlayCache(w *Workspace) (*cacheDir, error) {
	var below []string
	for _, lower := range []string{w.below, w.box.warmDir(b)} {
		if _, err := os.Stat(lower); err == nil {
			below = append(below, lower)
		}
	}
	dir, lock, err := newBox(w.box.state)
	if err != nil {
		return nil, err
	}
	at := b.place("cache")
	err = makeSubs(dir, b.uid) // work is overlayfs's own, out takes what is written
	if len(below) == 0 {
		below = []string{filepath.Join(dir, "below")}
		err = errors.Join(err, os.Mkdir(below[0], 0o755))
	}
	if err == nil && strings.ContainsAny(strings.Join(below, "")+dir, ":,\\") {
		err = errors.New("a path that overlayfs cannot take")
	}
	if err == nil {
		err = b.stage.do(func() error {
			if err := os.MkdirAll(at, 0o755); err != nil {
				return err
			}
			opts := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", strings.Join(below, ":"), filepath.Join(dir, "out"), filepath.Join(dir, "work"))
			return unix.Mount("fettle", at, "overlay", unix.MS_NOSUID|unix.MS_NODEV, opts)
		})
	}
	if err != nil {
		return nil, errors.Join(err, dropBox(dir, lock))
	}
	mounted := true
	leave := func() error {
		if !mounted {
			return nil
		}
		mounted = false
		return b.stage.unmount(at)
	}
	return &cacheDir{path: at, disk: filepath.Join(dir, "out"), leave: leave, drop: func() error { return errors.Join(leave(), dropBox(dir, lock)) }}, nil
}

// warmDir is where the machine keeps the compiled standard library, by version
// of the compiler and uid of the payload. Only our own text was compiled there.
func (s *Sandbox) warmDir(b *bubblewrap) string {
	for _, t := range s.tools.tools {
		if t.Name == "go" {
			return filepath.Join(s.state, "warm", fmt.Sprintf("go-%s-%d-v3", filepath.Base(t.Version), b.uid))
		}
	}
	return filepath.Join(s.state, "warm", "none")
}

// warmTest imports what tests of most programs import. What a repository needs
// beyond that, such as net/http, is compiled once in its own run.
const warmTest = `package warm

import (
	_ "bufio"
	_ "encoding/csv"
	_ "encoding/json"
	_ "log/slog"
	_ "math/rand"
	_ "os/exec"
	_ "os/signal"
	"testing"
	_ "testing/fstest"
	_ "testing/quick"
	_ "text/tabwriter"
	_ "text/template"
)

func TestWarm(t *testing.T) {}
`

// Warm compiles and vets Go's standard library once per machine, state folder and
// compiler (about 17 s on two cores), so that the first go test of every later
// run does not have to. It takes no text of any repository, does nothing when
// it was done before or there is no Go, and may be called by several processes.
func (s *Sandbox) Warm(ctx context.Context) error {
	b, confined := s.back.(*bubblewrap)
	if _, ok := s.Tool("go"); !ok || !confined {
		return nil
	}
	dir := s.warmDir(b)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("sandbox: warming the build cache: %w", err)
	}
	unlock, err := lockFile(ctx, filepath.Join(parent, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return nil // another process did it while we waited
	}
	if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 { // of a process that died here
		for _, l := range left {
			_ = os.RemoveAll(l)
		}
	}
	return s.compileWarm(ctx, b, dir)
}

func (s *Sandbox) compileWarm(ctx context.Context, b *bubblewrap, dir string) error {
	one := s.Session()
	defer one.Close()
	w, err := one.Workspace(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	text := s.warm
	if text == "" {
		text = warmTest
	}
	err = errors.Join(w.WriteFile("go.mod", []byte("module warm\n\ngo 1.20\n")), w.WriteFile("warm_test.go", []byte(text)))
	if err != nil {
		return fmt.Errorf("sandbox: warming the build cache: %w", err)
	}
	exe, _ := s.Tool("go")
	for _, args := range [][]string{{"test", "./..."}, {"vet", "./..."}} { // each vets, with flags of its own: what it finds out of each package is kept by the flags, too
		r, err := w.Run(ctx, Command{Argv: append([]string{exe}, args...)})
		if err != nil {
			return err
		}
		if !r.OK() {
			return fmt.Errorf("sandbox: warming the build cache: go %s of an empty test ended with %d: %.2000s%.2000s", args[0], r.ExitCode, r.Stdout, r.Stderr)
		}
	}
	cache, err := w.cacheFor(b, b.newCache)
	if err != nil {
		return err
	}
	fresh := dir + "." + nonce()
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	c := copier{owner: b.uid}
	if err := c.tree(ctx, cache.disk, fresh); err != nil {
		_ = os.RemoveAll(fresh)
		return fmt.Errorf("sandbox: keeping the warm build cache: %w", err)
	}
	if b.uid >= 0 {
		_ = os.Lchown(fresh, b.uid, b.uid)
	}
	return os.Rename(fresh, dir)
}
