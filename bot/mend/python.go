package mend

import (
	"context"
	_ "embed" // the driver
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed driver/python.py
var pythonRunner string

//go:embed driver/probe.py
var pythonProber string

var pythonDriver = verify.PythonPath + pythonRunner + "\n" + pythonProber + "\nmain()\n"

// preloaded modules are imported once per worker, before the forks. They are
// the standard library's that tests and services use most.
var preloaded = []string{"pytest", "unittest", "unittest.mock", "json", "re", "datetime", "decimal", "fractions", "dataclasses", "typing",
	"collections", "itertools", "functools", "enum", "math", "random", "statistics", "string", "textwrap", "csv", "io", "pathlib", "tempfile",
	"logging", "abc", "copy", "heapq", "bisect", "contextlib", "threading", "asyncio", "uuid", "hashlib", "operator", "time", "calendar"}

// preloads are the preloaded modules of a suite: unittest has no use for pytest, which
// takes longer to load than all others together.
func preloads(program string) []string {
	if program == "unittest" {
		return preloaded[1:]
	}
	return preloaded
}

// pythonBench keeps workers that fork a child for each candidate.
type pythonBench struct {
	cfg     Config
	dir     string
	suite   verify.Suite
	limit   time.Duration      // of a test
	usual   map[string]float64 // test file → seconds that most of its green tests need
	collect pythonRequest
	workers []*pythonWorker
	patience
	died []int // how often each worker had to be started again
}

// maxDied is how often a worker is started again before the search gives up:
// a candidate may bring one down, but not each of them.
const maxDied = 8

type pythonWorker struct {
	worker
	kept *keeper
}

type pythonRequest struct {
	Program string             `json:"program"`
	Dir     string             `json:"dir"`
	Tests   []string           `json:"tests"`
	Files   map[string]string  `json:"files"`             // path → content, each byte a character
	Collect bool               `json:"collect,omitempty"` // only import what these tests need, for the requests that follow
	Whole   bool               `json:"whole,omitempty"`   // run from the start, without what was collected
	Trace   bool               `json:"trace,omitempty"`
	Texts   bool               `json:"texts,omitempty"` // say how tests failed
	Limits  map[string]float64 `json:"limits"`          // seconds of processor time of each test
	Wall    float64            `json:"wall"`            // seconds, all
	// Spots are functions whose calls are done again with changed arguments, as
	// "path:name"; so are the functions that TestFiles call.
	Spots     []string `json:"spots,omitempty"`
	TestFiles []string `json:"test_files,omitempty"`
}

type pythonAnswer struct {
	Ended bool `json:"ended"`
	Slow  bool `json:"slow"`  // it was run from the start
	Stale bool `json:"stale"` // what a changed function did when it was imported was left as it was
	Tests []struct {
		ID      string              `json:"id"`
		Passed  bool                `json:"passed"`
		Late    bool                `json:"late"` // its time was up
		Seconds float64             `json:"seconds"`
		Text    string              `json:"text"`
		Lines   map[string][][2]int `json:"lines"` // line and how often it ran
	} `json:"tests"`
	Probes []struct {
		Probe   string `json:"probe"`
		Input   string `json:"input"`
		Entry   bool   `json:"entry"` // a test made the call
		Outcome string `json:"outcome"`
		After   string `json:"after"`
		Shared  string `json:"shared"`
	} `json:"probes"`
	Calls []struct {
		Called string `json:"called"` // path:name
		Test   string `json:"test"`
	} `json:"calls"`
}

func newPythonBench(ctx context.Context, cfg Config, dir string, t target, limit time.Duration) (bench, error) {
	b := &pythonBench{cfg: cfg, dir: dir, suite: t.suite, limit: limit, usual: usually(t.green), workers: make([]*pythonWorker, cfg.Workers), died: make([]int, cfg.Workers)}
	b.collect = b.request(slices.Concat(t.red, t.green))
	b.collect.Collect, b.collect.Wall = true, 60
	errs := make([]error, cfg.Workers)
	var wg sync.WaitGroup
	for i := range cfg.Workers {
		wg.Go(func() { b.workers[i], errs[i] = newPythonWorker(ctx, cfg, dir, b.collect) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *pythonBench) round() int { return 40 }

func newPythonWorker(ctx context.Context, cfg Config, dir string, collect pythonRequest) (*pythonWorker, error) {
	kept, err := keep(ctx, cfg.Sandbox, dir)
	if err != nil {
		return nil, err
	}
	w := &pythonWorker{worker{called: "the Python worker"}, kept}
	err = w.start(ctx, kept.space, sandbox.Command{
		Argv:   []string{"python3", "-B", "-c", pythonDriver},
		Env:    map[string]string{"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
		Limits: sandbox.Limits{Wall: cfg.MaxTime + time.Minute, CPU: cfg.MaxTime + time.Minute},
	}, map[string]any{"modules": preloads(collect.Program)})
	if err == nil {
		_, err = w.ask(collect)
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *pythonWorker) ask(req pythonRequest) (a pythonAnswer, err error) {
	if err = w.kept.restore(); err == nil {
		err = w.worker.ask(req, &a)
	}
	return a, err
}

func (w *pythonWorker) close() error {
	w.stop()
	return w.kept.close()
}

func (b *pythonBench) close() error {
	var err error
	for _, w := range b.workers {
		if w != nil {
			err = errors.Join(err, w.close())
		}
	}
	return err
}

// usually is what three of four tests of each file need at most, in seconds.
func usually(tests []verify.TestResult) map[string]float64 {
	all := map[string][]float64{}
	for _, t := range tests {
		all[t.File] = append(all[t.File], t.Seconds)
	}
	out := map[string]float64{}
	for file, l := range all {
		slices.Sort(l)
		out[file] = l[len(l)*3/4]
	}
	return out
}

// leastLimit is the processor time that a test of a candidate gets at least, and
// timesUsual how many times as much as it took on the unchanged tree. A failing
// test may have ended early there: it gets what the others of its file need.
const leastLimit, timesUsual = 0.06, 4

func (b *pythonBench) request(tests []verify.TestResult) pythonRequest {
	r := pythonRequest{Program: b.suite.Name, Dir: b.suite.Dir, Tests: natives(tests, b.suite), Files: map[string]string{}, Limits: map[string]float64{}}
	sum := 0.0
	for i, t := range tests {
		need := t.Seconds
		if t.Red() {
			need = max(need, b.usual[t.File])
		}
		limit := min(leastLimit+timesUsual*need, b.limit.Seconds())
		r.Limits[r.Tests[i]] = limit
		sum += limit
	}
	r.Wall = 5 + 10*min(max(sum, 2*leastLimit), 20*b.limit.Seconds())
	return r
}

// widen gives each test more time: many times as much where that is little.
func (r *pythonRequest) widen() {
	for id, l := range r.Limits {
		r.Limits[id] = min(wider*l, max(1, 2*l))
	}
	r.Wall *= 2
}

// fit lets the request take no longer than the context.
func (r *pythonRequest) fit(ctx context.Context) {
	if until, ok := ctx.Deadline(); ok {
		r.Wall = max(min(r.Wall, time.Until(until).Seconds()), leastLimit)
	}
}

func (b *pythonBench) trace(ctx context.Context, tests []verify.TestResult) ([]trace, error) {
	req := b.request(tests)
	req.Trace, req.Wall = true, 30+req.Wall
	for id := range req.Limits {
		req.Limits[id] *= 4 // tracing is slow
	}
	req.fit(ctx)
	answer, err := b.workers[0].ask(req)
	if err != nil {
		return nil, err
	}
	var out []trace
	for _, t := range answer.Tests {
		tr := trace{id: prefix(b.suite) + t.ID, passed: t.Passed, lines: map[string]map[int]int{}}
		for file, lines := range t.Lines {
			set := map[int]int{}
			for _, l := range lines {
				set[l[0]] = l[1]
			}
			tr.lines[filepath.ToSlash(file)] = set
		}
		out = append(out, tr)
	}
	return out, nil
}

func (b *pythonBench) try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	return parallel(ctx, len(b.workers), len(cs), func(worker, i int) (map[string]bool, error) {
		req := b.request(tests)
		req.Files[cs[i].path] = latin1(cs[i].text())
		answer, err := b.ask(ctx, worker, req)
		if err == nil && answer.late(req) && b.worth(cs[i]) {
			req.widen()
			if answer, err = b.ask(ctx, worker, req); answer.late(req) {
				b.hangs(cs[i])
			}
		}
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, t := range answer.Tests {
			if t.Passed || !t.Late && (answer.Slow || !answer.Stale) {
				seen[prefix(b.suite)+t.ID] = t.Passed
			}
		}
		return seen, nil
	}, each)
}

// late tells whether a test used up its processor time, or all of them the wall's.
func (a pythonAnswer) late(req pythonRequest) bool {
	for _, t := range a.Tests {
		if !t.Passed && t.Seconds > 0.9*req.Limits[t.ID] {
			return true
		}
	}
	return !a.Ended
}

// ask hands a request to a worker. One that died over it is started again, and
// the request counts as answered by nothing.
func (b *pythonBench) ask(ctx context.Context, worker int, req pythonRequest) (pythonAnswer, error) {
	req.fit(ctx)
	answer, err := b.workers[worker].ask(req)
	if err == nil || ctx.Err() != nil || b.died[worker] >= maxDied {
		return answer, err
	}
	b.died[worker]++
	b.cfg.Log.WithError(err).Debug("a Python worker died and is started again")
	err = b.workers[worker].close()
	b.workers[worker] = nil
	if err != nil {
		return answer, err
	}
	b.workers[worker], err = newPythonWorker(ctx, b.cfg, b.dir, b.collect)
	return pythonAnswer{}, err
}

// latin1 makes each byte one character, so that any bytes survive JSON.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// parallel does n jobs on some workers in order, and hands each result to each,
// one at a time, until each says stop, a job fails or the context ends.
func parallel(ctx context.Context, workers, n int, job func(worker, i int) (map[string]bool, error), each func(int, map[string]bool) bool) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, stopped := 0, false
	var failed error
	for w := range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				done := stopped || failed != nil || i >= n || ctx.Err() != nil
				next++
				mu.Unlock()
				if done {
					return
				}
				passed, err := job(w, i)
				mu.Lock()
				switch {
				case stopped:
				case err != nil:
					failed = errors.Join(failed, err)
				case !each(i, passed):
					stopped = true
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failed
}

// all does n jobs on some workers, as parallel, without results.
func all(ctx context.Context, workers, n int, job func(worker, i int) error) error {
	return parallel(ctx, workers, n, func(worker, i int) (map[string]bool, error) { return nil, job(worker, i) }, func(int, map[string]bool) bool { return true })
}
