package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// nodeBench keeps workers that load the modules of each candidate anew in one
// process. A test file that does not go the same way there as in a process of
// its own (it changes folders, or keeps state in the process) is run in a
// process for each candidate.
type nodeBench struct {
	box     *sandbox.Sandbox
	dir     string
	suite   verify.Suite
	green   []verify.TestResult
	limit   time.Duration
	spaces  []*sandbox.Workspace
	kept    []*keeper // of each
	workers []*nodeWorker
	walls   map[string]time.Duration // file → how long a candidate's run in a process may take, learned from the unchanged tree
	warm    map[string]*nodeUse      // file → how it runs in a worker; nil when it does not
	mu      sync.Mutex
	whole   *nodeUse // of all files of mocha together; nil while not known
	cannot  string   // why candidates cannot be judged
	trust   int      // times that a process of its own agreed with a worker
	fresh   bool     // a thread for each candidate: one of them left something behind
	few     bool     // few candidates are tried: each has all the time it may need
	ran     int      // runs of the repository's own command
	patience
}

// nodeUse is what a file's green tests need on the unchanged tree.
type nodeUse struct {
	names     []string // green tests that go the same way as in a process of their own
	cpu, wall float64  // milliseconds
	test      float64  // milliseconds that one test of a candidate may take
}

func newNodeBench(ctx context.Context, cfg Config, dir string, t target, limit time.Duration) (bench, error) {
	b := &nodeBench{box: cfg.Sandbox, dir: dir, suite: t.suite, green: t.green, limit: limit, walls: map[string]time.Duration{}, warm: map[string]*nodeUse{}}
	for range cfg.Workers {
		kept, err := keep(ctx, cfg.Sandbox, dir)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		w := b.worker(kept.space)
		w.life = 2*cfg.MaxTime + time.Minute
		b.kept, b.spaces, b.workers = append(b.kept, kept), append(b.spaces, kept.space), append(b.workers, w)
	}
	return b, nil
}

func (b *nodeBench) worker(space *sandbox.Workspace) *nodeWorker {
	w := &nodeWorker{worker: worker{called: "the Node worker"}, space: space, dir: b.suite.Dir, flags: nodeFlags(b.suite.Argv), thread: nodeTools + nodeTestThread}
	w.env, _ = detect.Variables(b.suite.Argv)
	switch {
	case b.mocha():
		w.env, w.flags, w.args = verify.MochaCommand(b.suite.Argv)
		w.thread = nodeTools + verify.MochaTree + nodeMochaThread
	case b.suite.Reported():
		w.env, w.flags, w.args = ownCommand(*b.suite.Command)
		w.thread = nodeTools + reportedThreads[b.suite.Command.Tool]
	}
	return w
}

// mocha tells whether mocha runs the tests, and not node:test.
func (b *nodeBench) mocha() bool { return b.suite.Name == "mocha" }

func (b *nodeBench) round() int { return 60 }

func (b *nodeBench) close() error {
	var err error
	for _, w := range b.workers {
		w.stop()
	}
	for _, k := range b.kept {
		err = errors.Join(err, k.close())
	}
	return err
}

// byFile groups tests by their file, in order. A native id is
// "file > suite > test".
func byFile(tests []verify.TestResult, s verify.Suite) (files []string, groups map[string][]verify.TestResult) {
	return grouped(tests, s, " > ")
}

// grouped groups tests by what stands before a sign in their native ids, in order.
func grouped(tests []verify.TestResult, s verify.Suite, sign string) (keys []string, groups map[string][]verify.TestResult) {
	groups = map[string][]verify.TestResult{}
	for _, t := range tests {
		key, _, _ := strings.Cut(native(t, s), sign)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], t)
	}
	return keys, groups
}

// leaf is the test's own name.
func leaf(t verify.TestResult, s verify.Suite) string {
	parts := strings.Split(native(t, s), " > ")
	return parts[len(parts)-1]
}

// inFile is the native id without the file.
func inFile(t verify.TestResult, s verify.Suite) string {
	_, name, _ := strings.Cut(native(t, s), " > ")
	return name
}

// names are what a worker is asked for to run some tests.
func (b *nodeBench) names(tests []verify.TestResult) []string {
	var out []string
	for _, t := range tests {
		out = append(out, inFile(t, b.suite))
	}
	return withOwn(out)
}

// withOwn adds the names that tests have in their file: the second test of a name
// is known as "name #2".
func withOwn(names []string) []string {
	out := slices.Clone(names)
	for _, n := range names {
		if own := verify.OwnName(n); own != n && !slices.Contains(out, own) {
			out = append(out, own)
		}
	}
	return out
}

// learn finds out how the files of tests run on the unchanged tree, and which
// of them can be run in a worker.
func (b *nodeBench) learn(ctx context.Context, tests []verify.TestResult) error {
	files, groups := byFile(tests, b.suite)
	_, greens := byFile(b.green, b.suite)
	files = slices.DeleteFunc(files, func(f string) bool { _, known := b.warm[f]; return known })
	uses := make([]*nodeUse, len(files))
	err := all(ctx, len(b.workers), len(files), func(worker, i int) (err error) {
		uses[i], err = b.rehearse(ctx, worker, files[i], greens[files[i]])
		return err
	})
	if err != nil {
		return err
	}
	for i, f := range files {
		b.warm[f] = uses[i]
		if uses[i] == nil || b.mocha() { // its limit is needed for what is late in a worker, too
			if err := b.learnProcess(ctx, groups[f]); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRehearsed is how many green tests of a file tell whether it can be run in
// a worker.
const maxRehearsed = 60

// rehearse runs a file's green tests in a worker, twice, as a candidate would
// be; nil when they do not pass there.
func (b *nodeBench) rehearse(ctx context.Context, worker int, file string, greens []verify.TestResult) (*nodeUse, error) {
	use := &nodeUse{}
	greens = greens[:min(len(greens), maxRehearsed)]
	for _, t := range greens {
		use.names = append(use.names, inFile(t, b.suite))
	}
	limit := float64(b.limit.Milliseconds()) * float64(min(len(use.names)+1, 20))
	for range 2 {
		ran, err := b.workers[worker].run(ctx, nodeRequest{Files: []nodeFile{{file, b.names(greens)}}, CPU: 2000 + limit, Wall: 4000 + limit})
		if err != nil {
			return nil, err
		}
		if len(ran) != 1 || ran[0].Ended != "done" {
			return nil, nil //nolint:nilnil // a process of its own, then
		}
		passed := ran[0].passed()
		for _, n := range use.names {
			if !passed[n] {
				return nil, nil //nolint:nilnil // the same
			}
		}
		use.test = b.usual(greens)
		use.cpu, use.wall = ran[0].CPU, ran[0].Wall // of the second time, when all is compiled
	}
	return use, nil
}

func (b *nodeBench) try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	if err := b.learn(ctx, tests); err != nil {
		return err
	}
	b.few = len(cs) <= fewCandidates
	return parallel(ctx, len(b.spaces), len(cs), func(worker, i int) (map[string]bool, error) {
		if err := b.kept[worker].restore(); err != nil {
			return nil, err
		}
		if err := b.sane(ctx, worker); err != nil {
			return nil, err
		}
		return b.kept[worker].with(cs[i], func() (map[string]bool, error) { return b.run(ctx, worker, cs[i], tests) })
	}, each)
}

// run runs the tests on what the worker's tree holds. What passes all of them
// in a worker is run in a process of its own, which decides while the worker is
// not trusted.
func (b *nodeBench) run(ctx context.Context, worker int, c candidate, tests []verify.TestResult) (map[string]bool, error) {
	out := map[string]bool{}
	files, groups := byFile(tests, b.suite)
	stop := len(tests) > 8 || len(files) > 1
	warm := 0
	for _, f := range files {
		use := b.warm[f]
		if use == nil || b.workers[worker].dead() {
			continue
		}
		warm++
		passed, err := b.runWarm(ctx, worker, c, f, use, groups[f], stop)
		if err != nil {
			return nil, err
		}
		if passed == nil && b.few { // it was late; it may be the one, and the machine may be busy
			return b.runProcess(ctx, b.spaces[worker], tests)
		}
		maps.Copy(out, passed)
		if passing(passed) < len(groups[f]) && stop {
			return out, nil
		}
	}
	if warm == len(files) && (passing(out) < len(tests) || len(files) > mostTried || b.trusted()) {
		return out, nil
	}
	own, err := b.runProcess(ctx, b.spaces[worker], tests)
	if err == nil && warm == len(files) {
		b.compare(passing(own) == len(tests))
	}
	return own, err
}

// A worker is trusted when what passed in it so often passed in a process of its
// own too, and never did not. What is found is judged by the real runner anyway.
const enoughTrust = 3

// mostTried is of how many files at most the tests are run in a process of their
// own for that: a file takes a quarter of a second, and the failing tests tell
// as much.
const mostTried = 3

func (b *nodeBench) trusted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trust >= enoughTrust
}

func (b *nodeBench) compare(agreed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trust++; !agreed {
		b.trust = -1 << 20
	}
}

func (b *nodeBench) runWarm(ctx context.Context, worker int, c candidate, file string, use *nodeUse, tests []verify.TestResult, stop bool) (map[string]bool, error) {
	b.mu.Lock()
	fresh := b.fresh
	b.mu.Unlock()
	req := nodeRequest{Files: []nodeFile{{file, b.names(tests)}}, CPU: 120 + 4*use.cpu, Wall: 1000 + 10*use.wall, Usual: use.test, Stop: stop, Fresh: fresh}
	ran, err := b.workers[worker].run(ctx, req)
	if err == nil && cutOff(ran) && !b.few && b.worth(c) {
		req.CPU, req.Wall = wider*req.CPU, 3*req.Wall // it may be the one, and the machine may be busy
		if ran, err = b.workers[worker].run(ctx, req); cutOff(ran) {
			b.hangs(c)
		}
	}
	if err != nil || len(ran) != 1 || cutOff(ran) && b.few {
		return nil, err
	}
	out := map[string]bool{}
	passed := ran[0].passed()
	for _, t := range tests {
		if ok, known := passed[inFile(t, b.suite)]; ok || known && ran[0].Ended == "done" {
			out[t.ID] = ok
		}
	}
	return out, nil
}

// cutOff tells whether the time of a worker's file was up.
func cutOff(ran []nodeRan) bool { return len(ran) == 1 && ran[0].Ended == "late" }

// saneEvery is after how many candidates a worker has to show that the
// unchanged tree's green tests still pass in it.
const saneEvery = 60

// sane finds out whether a candidate left something behind in the thread, such
// as a prototype that it changed. Then each candidate gets a thread of its own.
func (b *nodeBench) sane(ctx context.Context, worker int) error {
	w := b.workers[worker]
	if w.since++; w.since < saneEvery {
		return nil
	}
	w.since = 0
	for f, use := range b.warm {
		if use == nil || len(use.names) == 0 {
			continue
		}
		ran, err := w.run(ctx, nodeRequest{Files: []nodeFile{{f, withOwn(use.names)}}, CPU: 1000 + 10*use.cpu, Wall: 2000 + 20*use.wall, Fresh: true})
		if err != nil {
			return err
		}
		ok := len(ran) == 1
		for _, n := range use.names {
			ok = ok && ran[0].passed()[n]
		}
		if !ok {
			b.mu.Lock()
			b.fresh = true
			b.mu.Unlock()
		}
		break
	}
	return nil
}

// withFile changes one file of a workspace while do runs.
func withFile(w *sandbox.Workspace, c candidate, do func() (map[string]bool, error)) (map[string]bool, error) {
	if err := w.WriteFile(c.path, c.text()); err != nil {
		return nil, fmt.Errorf("laying a candidate out: %w", err)
	}
	passed, err := do()
	if e := w.WriteFile(c.path, c.original); e != nil {
		return nil, errors.Join(err, fmt.Errorf("taking a candidate back: %w", e))
	}
	return passed, err
}

// trace has each file traced in one go; the tests that this tells nothing of
// are traced in a process each.
func (b *nodeBench) trace(ctx context.Context, tests []verify.TestResult) ([]trace, error) {
	out := make([]trace, len(tests))
	files, groups := byFile(tests, b.suite)
	found := make([]map[string]trace, len(files))
	err := all(ctx, len(b.spaces), len(files), func(worker, i int) (err error) {
		found[i], err = b.traceFile(ctx, worker, files[i], groups[files[i]])
		return err
	})
	if err != nil {
		return nil, err
	}
	var left []int
	for i, t := range tests {
		file, _, _ := strings.Cut(native(t, b.suite), " > ")
		got, ok := found[slices.Index(files, file)][t.ID]
		if out[i] = got; !ok {
			left = append(left, i)
		}
	}
	switch {
	case b.mocha():
		return out, b.traceRest(ctx, tests, left, out)
	case b.suite.Reported(): // nothing else traces these
		for _, i := range left {
			out[i].id = tests[i].ID
		}
		return out, nil
	}
	err = all(ctx, len(b.spaces), len(left), func(worker, i int) (err error) {
		out[left[i]], err = b.traceOne(ctx, b.spaces[worker], tests[left[i]], left[i])
		return err
	})
	return out, err
}

// traceRest traces together what could not be by its file.
func (b *nodeBench) traceRest(ctx context.Context, tests []verify.TestResult, left []int, out []trace) error {
	if len(left) == 0 {
		return nil
	}
	var rest []verify.TestResult
	for _, i := range left {
		rest = append(rest, tests[i])
	}
	got, err := b.traceTogether(ctx, rest)
	for _, i := range left {
		out[i] = got[tests[i].ID]
		out[i].id = tests[i].ID
	}
	return err
}

// traceFile traces tests of one file, by id.
func (b *nodeBench) traceFile(ctx context.Context, worker int, file string, tests []verify.TestResult) (map[string]trace, error) {
	limit := float64(b.limit.Milliseconds())
	all := 2000 + limit*float64(min(len(tests), 20))
	req := nodeRequest{Files: []nodeFile{{file, b.names(tests)}}, CPU: all, Wall: 2 * all, Cover: true, Late: int(limit)}
	ran, err := b.workers[worker].run(ctx, req)
	if err != nil || len(ran) != 1 {
		return nil, err
	}
	return b.traces(b.spaces[worker], ran[0], tests, func(t verify.TestResult) string { return inFile(t, b.suite) }), nil
}

// traces reads what was covered, by id; called names a test as the request did.
func (b *nodeBench) traces(space *sandbox.Workspace, ran nodeRan, tests []verify.TestResult, called func(verify.TestResult) string) map[string]trace {
	passed := ran.passed()
	lines := map[string]map[string]map[int]int{}
	for _, t := range ran.Traces {
		lines[t.Path] = b.covered(space, t.Scripts)
	}
	out := map[string]trace{}
	for _, t := range tests {
		name := called(t)
		of, ok := lines[name]
		for up := name; !ok && up != ""; of, ok = lines[up] { // a test inside a test
			up = up[:max(strings.LastIndex(up, " > "), 0)]
		}
		if ok && (len(of) > 0 || passed[name]) {
			out[t.ID] = trace{id: t.ID, passed: passed[name], lines: of}
		}
	}
	return out
}

// covered are the lines of the tree's own files that scripts ran.
func (b *nodeBench) covered(w *sandbox.Workspace, scripts []script) map[string]map[int]int {
	out := map[string]map[int]int{}
	for _, s := range scripts {
		rel, ok := sourceOf(w, s.URL)
		if !ok {
			continue
		}
		lines := s.ran()
		if out[rel] == nil {
			out[rel] = lines
			continue
		}
		for l, n := range lines { // the file under two URLs
			out[rel][l] = max(out[rel][l], n)
		}
	}
	return out
}

// nodeFlags are the flags of a suite's command that the thread with the tests
// needs, each as one argument.
func nodeFlags(argv []string) []string {
	long := map[string]string{"--import": "--import", "--require": "--require", "-r": "--require", "--conditions": "--conditions", "-C": "--conditions"}
	var out []string
	for i := 1; i < len(argv); i++ {
		name, value, whole := strings.Cut(argv[i], "=")
		if long[name] == "" {
			continue
		}
		if !whole && i+1 < len(argv) {
			i++
			value = argv[i]
		}
		out = append(out, long[name]+"="+value)
	}
	return out
}
