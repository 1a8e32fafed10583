package mend

import (
	"context"
	_ "embed" // the runner's source
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed driver/runner.go
var runnerSource []byte

// goRunner is one process of driver/runner.go, which starts test binaries. It
// starts when it is first asked, and again after it died.
type goRunner struct {
	worker
	kit    *goKit
	life   time.Duration
	deaths int
}

func newGoRunner(kit *goKit, life time.Duration) *goRunner {
	return &goRunner{worker: worker{called: "the runner of test binaries"}, kit: kit, life: life}
}

type goRequest struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"` // seen from the suite's folder
	Env  []string `json:"env"`
	CPU  int      `json:"cpu"`  // milliseconds of processor time
	Wall int      `json:"wall"` // milliseconds
	Text bool     `json:"text"` // give the output back
}

type goAnswer struct {
	Passed []string `json:"passed"`
	Failed []string `json:"failed"`
	Late   bool     `json:"late"`
	CPU    int      `json:"cpu"`
	Text   string   `json:"text"`
}

func (a goAnswer) passed(name string) bool {
	return slices.Contains(a.Passed, name) && !slices.Contains(a.Failed, name)
}

// run asks the runner. When it died, the candidate is no repair.
func (r *goRunner) run(ctx context.Context, req goRequest) (goAnswer, error) {
	if r.process == nil {
		if err := r.kit.build(ctx); err != nil {
			return goAnswer{}, err
		}
		// The process outlives the request that starts it: one that ended with its round
		// would give the first candidate of the next round no answer.
		if err := r.start(context.WithoutCancel(ctx), r.kit.kept.space, sandbox.Command{Argv: []string{"/out/" + runnerName}, Dir: r.kit.dir, Limits: sandbox.Limits{Wall: r.life, CPU: 2 * r.life}}, nil); err != nil {
			return goAnswer{}, err
		}
	}
	defer context.AfterFunc(ctx, r.process.Kill)()
	var a goAnswer
	err := r.ask(req, &a)
	if err == nil {
		return a, nil
	}
	r.stop()
	if ctx.Err() != nil {
		return goAnswer{}, context.Cause(ctx)
	}
	if r.deaths++; r.deaths > maxDeaths {
		return goAnswer{}, fmt.Errorf("the runner of test binaries %w %d times, the last time with: %w", errEnded, r.deaths, err)
	}
	return goAnswer{Late: true}, nil
}

// goKit is the runner's binary in one workspace, built when it is first needed.
type goKit struct {
	kept  *keeper // of the workspace
	dir   string  // the suite's
	mu    sync.Mutex
	built bool
}

const runnerName = "fettle-runner"

func (k *goKit) build(ctx context.Context) error {
	w := k.kept.space
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.built {
		return nil
	}
	const source = "zz_fettle_runner/main.go"
	for _, p := range []string{source, path.Dir(source)} {
		k.kept.hold(p, true)
		defer k.kept.hold(p, false)
	}
	if err := w.WriteFile(source, runnerSource); err != nil {
		return fmt.Errorf("laying out the runner of test binaries: %w", err)
	}
	res, err := w.Run(ctx, sandbox.Command{
		Argv: []string{"go", "build", "-ldflags=-s -w", "-o", "/out/" + runnerName, path.Join(upFrom(k.dir), source)}, Dir: k.dir, Limits: sandbox.Limits{Wall: buildLimit},
	})
	if e := w.Remove(source); err == nil {
		err = e
	}
	if err == nil && !res.OK() {
		err = fmt.Errorf("building the runner of test binaries ended with %d: %.500s", res.ExitCode, res.Stderr)
	}
	k.built = err == nil
	return err
}

// look asks once which packages the tests of each package need, so that a
// candidate is not run on tests that cannot notice it.
func (b *goBench) look(ctx context.Context) error {
	b.ready.Lock()
	defer b.ready.Unlock()
	return b.lookUp(ctx)
}

func (b *goBench) lookUp(ctx context.Context) error {
	if b.needs != nil {
		return nil
	}
	root, err := b.spaces[0].Run(ctx, sandbox.Command{Argv: []string{"go", "env", "GOROOT"}, Dir: b.suite.Dir, Limits: sandbox.Limits{Wall: buildLimit}})
	if err != nil {
		return err
	}
	b.types = newGoTypes(b.tree.FS(), b.suite.Dir, strings.TrimSpace(string(root.Stdout)))
	res, err := b.spaces[0].Run(ctx, sandbox.Command{
		Argv: []string{"go", "list", "-e", "-test", "-f", `{{.ImportPath}}{{"\t"}}{{join .Deps " "}}`, "./..."}, Dir: b.suite.Dir,
		Limits: sandbox.Limits{Wall: buildLimit, OutputBytes: 32 << 20},
	})
	if err != nil {
		return err
	}
	b.needs = map[string]map[string]bool{}
	if !res.OK() || res.Truncated {
		return nil // nothing is known: all tests are run
	}
	module, err := b.module()
	if err != nil {
		return nil //nolint:nilerr // the same
	}
	for line := range strings.Lines(string(res.Stdout)) {
		name, deps, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		pkg, isTest := strings.CutSuffix(name, ".test")
		rel, inside := strings.CutPrefix(pkg, module)
		if !ok || !isTest || !inside {
			continue
		}
		set := map[string]bool{}
		for _, d := range strings.Fields(deps) {
			if strings.HasPrefix(d, module) {
				set[d] = true
			}
		}
		folder := strings.TrimPrefix(rel, "/")
		if folder == "" {
			folder = "."
		}
		b.needs[folder] = set
	}
	return nil
}

// reaches tells whether the tests of a package may notice a change of a file.
func (b *goBench) reaches(pkg, file string) bool {
	set, known := b.needs[path.Clean(pkg)]
	if !known {
		return true
	}
	module, err := b.module()
	if err != nil {
		return true
	}
	rel := strings.TrimPrefix(path.Dir(file), path.Clean(b.suite.Dir))
	if path.Clean(b.suite.Dir) == "." {
		rel = path.Dir(file)
	}
	rel = strings.Trim(rel, "/")
	if rel == "" || rel == "." {
		return set[module]
	}
	return set[module+"/"+rel]
}

// asBefore are the tests that were green before.
func (b *goBench) asBefore(tests []verify.TestResult) map[string]bool {
	out := map[string]bool{}
	for _, t := range tests {
		if t.Status == verify.StatusPassed {
			out[t.ID] = true
		}
	}
	return out
}
