package bugs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Bench runs the suites of trees in fettle's sandbox. It is safe for
// concurrent use. Close it.
type Bench struct {
	box *sandbox.Sandbox
	run *verify.Verifier
}

// NewBench opens a sandbox whose copies and caches lie in state, an absolute
// folder ("": a temporary one); limit bounds one run of a suite.
func NewBench(ctx context.Context, state string, limit time.Duration) (*Bench, error) {
	box, err := sandbox.New(ctx, sandbox.Config{StateDir: state})
	if err != nil {
		return nil, err
	}
	return &Bench{box, verify.New(verify.Config{Sandbox: box, SuiteTimeout: limit, Reruns: -1, Warm: true})}, nil
}

// Verifier is what runs the suites.
func (b *Bench) Verifier() *verify.Verifier { return b.run }

// Sandbox is where they are run.
func (b *Bench) Sandbox() *sandbox.Sandbox { return b.box }

// Close gives back what the sandbox holds.
func (b *Bench) Close() error { return b.box.Close() }

// Outcome is what a run of a tree's suites showed.
type Outcome struct {
	// Status of each test by its id: passed, failed, error or skipped. What could
	// not be run as a whole (a file, a class, a Go package) stands under its own
	// id as error.
	Status map[string]string
	Report verify.Report
}

// With gives the ids of one status, sorted.
func (o Outcome) With(status string) []string {
	var out []string
	for id, s := range o.Status {
		if s == status {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Red lists the ids of what failed, sorted.
func (o Outcome) Red() []string { return o.Report.Red() }

// Run runs all suites of a copy of the tree. The error is of the sandbox, the
// context, or that no test was found.
func (b *Bench) Run(ctx context.Context, dir string) (Outcome, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Outcome{}, fmt.Errorf("running the tests of a tree: %w", err)
	}
	defer root.Close()
	suites, err := b.run.Detect(root.FS())
	if err != nil {
		return Outcome{}, fmt.Errorf("running the tests of %s: %w", dir, err)
	}
	base, err := b.run.Measure(ctx, dir, suites)
	if err != nil {
		return Outcome{}, fmt.Errorf("running the tests of %s: %w", dir, err)
	}
	return outcomeOf(base.Report), nil
}

func outcomeOf(rep verify.Report) Outcome {
	out := Outcome{Status: map[string]string{}, Report: rep}
	for _, t := range rep.Tests {
		out.Status[t.ID] = t.Status
	}
	for _, f := range rep.Broken {
		if f.Test != "" {
			out.Status[f.Test] = verify.StatusError
		}
	}
	return out
}

// Broke lists the ids that passed in the correct tree and do not in this one,
// sorted. What was not run counts: a file that cannot be imported has failed
// with all of its tests.
func (o Outcome) Broke(correct Outcome) []string {
	var out []string
	for id, s := range correct.Status {
		if s == verify.StatusPassed && o.Status[id] != verify.StatusPassed {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// copyLimit bounds the copying of one tree.
const copyLimit = 2 * time.Minute

// Copy copies a tree without its Git directory, links as links.
func Copy(ctx context.Context, from, to string) error {
	ctx, cancel := context.WithTimeout(ctx, copyLimit)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	cp := exec.CommandContext(ctx, "cp", "-a", "--reflink=auto", "--", from, to) //nolint:gosec // folders that whoever started the bench named
	var stderr bytes.Buffer
	cp.Stderr = &stderr
	if err := cp.Run(); err != nil {
		return fmt.Errorf("copying %s: %w: %s", from, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return errors.Join(os.RemoveAll(filepath.Join(to, ".git")))
}
