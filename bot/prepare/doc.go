// Package prepare runs the commands that install a repository's dependencies,
// apart from its checks (SPEC C1), and keeps what they leave.
//
// In go a tree, the setup commands and a Session of the sandbox; out comes a
// Result, and the Session shows what was installed to all later commands,
// read-only, where it was made: node_modules, .venv, module and crate caches in
// the home folder. The commands run in a disposable copy of the tree, in a
// Session of their own, and reach nothing but the hosts that the operator named,
// through package egress. Checks have no network, before and after.
//
// What was installed is kept as a layer under a key: installation, repository,
// setup commands, the content of every manifest and lock file, the toolchains,
// the operator's settings; where the installation runs scripts of the tree, also
// of every file of it. So nothing that an install script leaves reaches
// another repository, another installation, or the same repository with other
// lock files. Only commits of the default branch write to the cache, of a local folder only
// one without changes of its own; what others
// install serves their own run and is removed with it.
//
// The cache is one folder: layers appear in it whole, by a rename; a lock per key
// makes one of several runs install while the others wait; a layer that is no
// longer as it was written is thrown away and made again; when there are too many
// bytes, those least recently used go, but for those in use. What a dead process
// left is removed by the next that installs.
//
// It must never run a setup that neither the repository names nor the operator
// allows, and it never fails a run by itself: that a setup was not done, or
// failed, is a Result that says why and what to do.
package prepare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox/egress"
)

// Config is the operator's part.
type Config struct {
	Dir      string            // absolute; the cache, for our eyes only
	Allow    egress.List       // hosts that setup commands may reach
	Private  egress.List       // of them, those that may have private addresses
	Offline  bool              // named setup commands may run although no host is allowed
	Env      map[string]string // for setup commands, such as the address of a package index
	Timeout  time.Duration     // of all commands of one setup together, default 15 minutes
	MaxBytes int64             // of the cache, default 10 GiB
	Egress   egress.Config     // resolver, upstream, limits; Allow and Private come from above
	Clean    func(string) string
	Now      func() time.Time
	Log      logrus.FieldLogger
}

// Preparer prepares sessions. It is safe for concurrent use, also by several
// processes on one folder.
type Preparer struct{ cfg Config }

const (
	defaultTimeout = 15 * time.Minute
	defaultBytes   = 10 << 30
)

// New makes the folder and a Preparer.
func New(cfg Config) (*Preparer, error) {
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = defaultBytes
	}
	if cfg.Clean == nil {
		cfg.Clean = func(s string) string { return s }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if !filepath.IsAbs(cfg.Dir) {
		return nil, errors.New("prepare: the folder for what setups leave has no absolute path")
	}
	for _, sub := range []string{layersDir, tmpDir, locksDir} {
		if err := os.MkdirAll(filepath.Join(cfg.Dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("prepare: making the folder for what setups leave: %w", err)
		}
	}
	return &Preparer{cfg: cfg}, nil
}

// Allowed tells whether the operator lets a setup run: one that the repository
// names, or one that was only detected, which needs hosts that are allowed.
func (p *Preparer) Allowed(named bool) bool {
	return len(p.cfg.Allow) > 0 || named && p.cfg.Offline
}
