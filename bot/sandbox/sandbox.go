package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
)

// Backends.
const (
	Bubblewrap = "bubblewrap"
	Engine     = "docker" // containers of an engine that speaks Docker's API
	None       = "none"   // no walls: plain execution with a clean environment
)

// Config says how commands are confined.
type Config struct {
	Backend  string // Bubblewrap when empty; Engine and None only by name
	Limits   Limits // zero fields: DefaultLimits
	StateDir string // absolute; for copies on disk and warm caches. Empty: a folder of ours in the system's temporary one
	Bwrap    string // path of bwrap; empty: looked up in PATH
	// EngineHost is the socket of the backend Engine, "unix:///path". Empty:
	// $DOCKER_HOST, else the first that answers where engines put theirs.
	EngineHost  string
	EngineImage string // name or id of a local image with the toolchains; nothing is pulled
	AskAnew     bool   // ask all toolchains where they live, whatever they said within the hour
	Now         func() time.Time
	Log         logrus.FieldLogger

	noCgroup bool     // tests: as on a machine without one
	noLock   bool     // tests: as on a kernel without Landlock
	hole     []string // tests: options of bwrap that tear a hole into the walls of mounts
	warm     string   // tests: what Warm compiles, instead of all that tests commonly import
}

// Sandbox confines commands. It is safe for concurrent use. Close it: its
// thread, mounts and cgroups live until then.
type Sandbox struct {
	back   backend
	limits Limits
	now    func() time.Time
	log    logrus.FieldLogger
	state  string
	tools  *toolchains
	walls  Walls
	parent *Sandbox // of a Session
	warm   string   // text of the test that Warm compiles

	mu     sync.Mutex
	open   map[*Workspace]bool
	shared *cacheDir // of all workspaces that have none of their own
	base   *cacheDir // what Keep kept
	closed bool

	needs Needs // of a Session's tests

	layer     *Layer // of a Session, from Use
	layerAt   string // its folder, as the backend sees it
	dropLayer func()
}

// backend is one way to run a command: bubblewrap, a container, or plainly.
type backend interface {
	launch(ctx context.Context, w *Workspace, c Command, lim Limits, io stdio) (running, error)
	// workspace makes the folder of a workspace, with work and out in it, and
	// lets fill copy the tree; quota is what may be added to that.
	workspace(box *Sandbox, quota int64, fill func(w *Workspace) error) (*Workspace, error)
	close()
}

// Walls says what stands between a payload and the host.
type Walls struct {
	Backend  string `json:"backend"`
	User     string `json:"user,omitempty"`     // "another uid" or "own uid, mapped"
	Memory   string `json:"memory,omitempty"`   // "cgroup v1", "cgroup v2" or "watchdog"
	Disk     string `json:"disk,omitempty"`     // "sized tmpfs" or "watchdog"
	Seccomp  bool   `json:"seccomp"`            // system call filter
	Landlock string `json:"landlock,omitempty"` // "version 7" of the kernel's interface; empty: none
	Network  bool   `json:"network_isolated"`   // a network namespace without a way out
	SelfTest bool   `json:"self_test"`          // the walls were tried at start
	Missing  string `json:"missing,omitempty"`  // what would make them stronger
}

// missing notes what would make the walls stronger.
func (w *Walls) missing(what string) {
	if w.Missing != "" {
		w.Missing += "; "
	}
	w.Missing += what
}

// String is one line for reports.
func (w Walls) String() string {
	if w.Backend == None {
		return "NONE: repository code ran with your rights, network and files (sandbox: none was asked for)"
	}
	parts := []string{w.User, "no network", "read-only system", "memory and processes by " + w.Memory, "disk by " + w.Disk}
	if w.Seccomp {
		parts = append(parts, "seccomp filter")
	}
	if w.Landlock != "" {
		parts = append(parts, "Landlock "+w.Landlock)
	}
	if w.SelfTest {
		parts = append(parts, "self-test passed")
	}
	return w.Backend + ": " + strings.Join(parts, ", ")
}

// New builds a sandbox and tries its walls. An error says what to install or
// to set; there is no weaker way out (TRUST principle 4).
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	s := &Sandbox{limits: cfg.Limits.over(DefaultLimits()), now: cfg.Now, log: cfg.Log, warm: cfg.warm, open: map[*Workspace]bool{}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		l := logrus.New()
		l.SetOutput(io.Discard)
		s.log = l
	}
	var err error
	if s.state, err = stateDir(cfg.StateDir); err != nil {
		return nil, err
	}
	if cfg.Backend != Engine { // there, what the image has counts
		if s.tools, err = discover(ctx, cfg.AskAnew); err != nil {
			return nil, err
		}
	}
	switch cfg.Backend {
	case Bubblewrap, "":
		err = s.openBubblewrap(ctx, cfg)
	case Engine:
		err = s.openEngine(ctx, cfg)
	case None:
		s.back, s.walls = &plain{}, Walls{Backend: None}
		s.log.Warn("sandbox: none was asked for: repository code runs with all your rights")
	default:
		err = fmt.Errorf("sandbox: unknown backend %q; allowed are %q, %q and %q", cfg.Backend, Bubblewrap, Engine, None)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Session is the same sandbox with build caches of its own. What one
// repository's code leaves in a cache must not reach another's: take a Session
// for each run. Close it before the Sandbox it came from.
func (s *Sandbox) Session() *Sandbox {
	top := s
	if s.parent != nil {
		top = s.parent
	}
	return &Sandbox{back: s.back, limits: s.limits, now: s.now, log: s.log, state: s.state,
		tools: s.tools, walls: s.walls, parent: top, warm: s.warm, open: map[*Workspace]bool{}}
}

// Walls says what stands.
func (s *Sandbox) Walls() Walls { return s.walls }

// Limits are those that commands have when they ask for no others.
func (s *Sandbox) Limits() Limits { return s.limits }

// Workspace copies the tree at src (a host folder; .git is left out). An empty
// src gives an empty workspace.
func (s *Sandbox) Workspace(ctx context.Context, src string) (*Workspace, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	below := s.kept() // files are copied from here on: what looks at their times finds them newer
	return s.opened(s.back.workspace(s, s.limits.DiskBytes, func(w *Workspace) error {
		w.box, w.below = s, below
		if src == "" {
			return nil
		}
		return w.fill(ctx, src)
	}))
}

// opened notes a workspace that was just made, so that Close finds it.
func (s *Sandbox) opened(w *Workspace, err error) (*Workspace, error) {
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[w] = true
	return w, nil
}

func (s *Sandbox) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("sandbox: already closed")
	}
	return nil
}

func (s *Sandbox) forget(w *Workspace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, w)
}

// Close ends what is left over and gives everything back.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	var left []*Workspace
	for w := range s.open {
		left = append(left, w)
	}
	caches, drop := []*cacheDir{s.shared, s.base}, s.dropLayer
	s.mu.Unlock()
	var errs []error
	for _, w := range left {
		errs = append(errs, w.Close())
	}
	for _, c := range caches {
		if c != nil {
			errs = append(errs, c.drop())
		}
	}
	if drop != nil {
		drop()
	}
	if s.parent == nil {
		s.back.close()
	}
	return errors.Join(errs...)
}

// environment is what a command sees, in a fixed order.
func (s *Sandbox) environment(own map[string]string) [][2]string {
	env := map[string]string{
		"PATH": strings.Join(s.tools.path(), ":"), "HOME": "/tmp/home", "TMPDIR": "/tmp",
		"USER": "fettle", "LOGNAME": "fettle", "SHELL": "/bin/sh", "LANG": "C.UTF-8", "TZ": "UTC",
		"CI": "true", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1",
		"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off",
		"GOPATH": "/tmp/home/go", "GOCACHE": "/cache/go-build", "CARGO_TARGET_DIR": "/cache/cargo-target", "CCACHE_DIR": "/cache/ccache",
		"npm_config_offline": "true", "npm_config_cache": "/tmp/home/.npm", "npm_config_update_notifier": "false",
	}
	for k, v := range s.tools.env {
		env[k] = v
	}
	for k, v := range own {
		env[k] = v
	}
	out := make([][2]string, 0, len(env))
	for k, v := range env {
		out = append(out, [2]string{k, v})
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	return out
}

// stateDir makes the folder for copies and warm caches, for our eyes only.
func stateDir(dir string) (string, error) {
	if dir == "" {
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("fettle-sandbox-%d", os.Getuid()))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("sandbox: state folder: %w", err)
	}
	if dir == "/usr" || strings.HasPrefix(dir, "/usr/") {
		return "", fmt.Errorf("sandbox: the state folder %s lies below /usr, which payloads can read; choose another state_dir", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("sandbox: making the state folder: %w", err)
	}
	if err := ours(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// nonce is a short random name.
func nonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
