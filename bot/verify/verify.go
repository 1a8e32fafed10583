package verify

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// Errors of Detect.
var (
	// ErrNoTests: the tree holds no tests of a kind that is known.
	ErrNoTests = errors.New("no tests found")
	// ErrUnsupported: tests were found, but their runner is not supported.
	ErrUnsupported = errors.New("test runner not supported")
)

// Config is what a Verifier needs. Only Sandbox is required.
type Config struct {
	Sandbox      *sandbox.Sandbox
	Now          func() time.Time
	Log          logrus.FieldLogger
	Nonce        func() string // at least 32 hex digits, unguessable; tests may fix it
	SuiteTimeout time.Duration // wall clock of one suite's run, default 4 minutes
	Glance       time.Duration // a base whose tests took longer than this has the nearest tests run first, default 10 s
	Reruns       int           // how often the baseline's red tests are run again, default 2; negative: never
	Warm         bool          // have a language's own library compiled once for all runs on this machine, before the first that needs it
	TestTimeout  time.Duration // of one test at the baseline, default 10 s; learned from the baseline afterwards
}

// Verifier detects, runs and judges. It is safe for concurrent use.
type Verifier struct {
	cfg   Config
	clock func() time.Time
	log   logrus.FieldLogger
	open  func(ctx context.Context, src string) (box, error)
	plain bool // the backend "none": paths inside are the host's

	probe     sync.Once
	hasPytest bool
	found     sync.Map // programs that runs have found in the sandbox
}

// New makes a Verifier; it starts nothing.
func New(cfg Config) *Verifier {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		cfg.Log = quiet
	}
	if cfg.Nonce == nil {
		cfg.Nonce = randomNonce
	}
	if cfg.SuiteTimeout <= 0 {
		cfg.SuiteTimeout = 4 * time.Minute
	}
	if cfg.Glance == 0 {
		cfg.Glance = 10 * time.Second
	}
	if cfg.Reruns == 0 {
		cfg.Reruns = 2
	}
	if cfg.TestTimeout <= 0 {
		cfg.TestTimeout = 10 * time.Second
	}
	v := &Verifier{cfg: cfg, clock: cfg.Now, log: cfg.Log}
	if cfg.Sandbox != nil {
		v.open = func(ctx context.Context, src string) (box, error) { return cfg.Sandbox.Workspace(ctx, src) }
		v.plain = cfg.Sandbox.Walls().Backend == sandbox.None
	}
	return v
}

// TestTimeout ends one test of a baseline, SuiteTimeout a suite.
func (v *Verifier) TestTimeout() time.Duration  { return v.cfg.TestTimeout }
func (v *Verifier) SuiteTimeout() time.Duration { return v.cfg.SuiteTimeout }

// box is the part of a sandbox's workspace that is used here.
type box interface {
	Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error)
	Path() string
	OutDir() string
	ReadFile(rel string, max int64) ([]byte, error)
	WriteFile(rel string, data []byte) error
	Remove(rel string) error
	Keep()
	ReadOut(name string, max int64) ([]byte, error)
	Close() error
}

// inside is where the tree stands in the sandbox.
const inside = "/work"

// place is where the copy and the folder for results stand for the code that
// runs, which is not there in the backend "none".
func (v *Verifier) place(b box) (work, out string) {
	if v.plain {
		return b.Path(), b.OutDir()
	}
	return inside, "/out"
}

// program is the path of a program inside, "" in the backend "none".
func (v *Verifier) program(name string) string {
	if v.plain || v.cfg.Sandbox == nil {
		return ""
	}
	exe, _ := v.cfg.Sandbox.Tool(name)
	return exe
}

// moved makes the paths in what came out of a run those of the sandbox.
func (v *Verifier) moved(b box, data []byte) []byte {
	if !v.plain {
		return data
	}
	return bytes.ReplaceAll(data, []byte(b.Path()), []byte(inside))
}

func randomNonce() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
