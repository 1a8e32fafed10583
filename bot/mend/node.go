package mend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// nodeBench runs a test file in one process of Node for each candidate.
type nodeBench struct {
	suite  verify.Suite
	limit  time.Duration
	spaces []*sandbox.Workspace
	walls  map[string]time.Duration // file → how long a candidate's run may take, learned from the unchanged tree
}

func newNodeBench(ctx context.Context, cfg Config, dir string, s verify.Suite, limit time.Duration) (bench, error) {
	b := &nodeBench{suite: s, limit: limit, walls: map[string]time.Duration{}}
	for range cfg.Workers {
		w, err := cfg.Sandbox.Workspace(ctx, dir)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.spaces = append(b.spaces, w)
	}
	return b, nil
}

func (b *nodeBench) round() int { return 40 }

func (b *nodeBench) close() error {
	var err error
	for _, w := range b.spaces {
		err = errors.Join(err, w.Close())
	}
	return err
}

// byFile groups tests by their file, in order. A native id is
// "file > suite > test".
func byFile(tests []verify.TestResult, s verify.Suite) (files []string, groups map[string][]verify.TestResult) {
	groups = map[string][]verify.TestResult{}
	for _, t := range tests {
		file, _, _ := strings.Cut(native(t, s), " > ")
		if groups[file] == nil {
			files = append(files, file)
		}
		groups[file] = append(groups[file], t)
	}
	return files, groups
}

// leaf is the test's own name.
func leaf(t verify.TestResult, s verify.Suite) string {
	parts := strings.Split(native(t, s), " > ")
	return parts[len(parts)-1]
}

// command runs one file with its tests in the same process: given a file
// without --test, Node runs it and node:test reports at the end.
func (b *nodeBench) command(file, pattern string, n int, out string) sandbox.Command {
	argv := []string{"node", "--import", "data:text/javascript," + escapeURL(hook(out, b.limit)), "--test-reporter=tap"}
	if pattern != "" {
		argv = append(argv, "--test-name-pattern="+pattern)
	}
	wall := time.Second + b.limit*time.Duration(min(n+1, 10))
	if usual, ok := b.walls[wallKey(file, pattern)]; ok {
		wall = min(wall, usual)
	}
	return sandbox.Command{Argv: append(argv, file), Dir: b.suite.Dir, Limits: sandbox.Limits{Wall: wall}}
}

func wallKey(file, pattern string) string { return file + "\x00" + pattern }

// only selects the wanted tests by name where they are few and stand at the
// top of the file; "" runs the whole file.
func (b *nodeBench) only(tests []verify.TestResult) string {
	if len(tests) > 5 {
		return ""
	}
	var names []string
	for _, t := range tests {
		if strings.Count(native(t, b.suite), " > ") != 1 {
			return ""
		}
		names = append(names, regexp.QuoteMeta(leaf(t, b.suite)))
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// learn runs the wanted tests once on the unchanged tree and allows a
// candidate a few times as long: what breaks a promise often waits for ever,
// and most of a search would be spent on waiting.
func (b *nodeBench) learn(ctx context.Context, tests []verify.TestResult) error {
	files, groups := byFile(tests, b.suite)
	for _, f := range files {
		pattern := b.only(groups[f])
		if _, known := b.walls[wallKey(f, pattern)]; known {
			continue
		}
		res, err := b.spaces[0].Run(ctx, b.command(f, pattern, len(groups[f]), ""))
		if err != nil {
			return err
		}
		b.walls[wallKey(f, pattern)] = 600*time.Millisecond + 4*res.Elapsed
	}
	return nil
}

var tapLine = regexp.MustCompile(`^( *)(not ok|ok) \d+ - (.*?)( # (?:SKIP|TODO).*)?$`)

// tapPassed reads which tests passed from TAP. A name that failed anywhere is
// not among them.
func tapPassed(out []byte) (passed, failed map[string]bool) {
	passed, failed = map[string]bool{}, map[string]bool{}
	for _, line := range strings.Split(string(out), "\n") {
		m := tapLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		name := tapName.Replace(m[3])
		switch {
		case m[2] == "not ok":
			failed[name] = true
		case m[4] == "":
			passed[name] = true
		}
	}
	return passed, failed
}

// tapName undoes the escapes of Node's TAP reporter.
var tapName = strings.NewReplacer(`\\`, `\`, `\#`, "#")

func (b *nodeBench) run(ctx context.Context, w *sandbox.Workspace, tests []verify.TestResult) (map[string]bool, error) {
	out, missed := map[string]bool{}, false
	files, groups := byFile(tests, b.suite)
	for _, f := range files {
		res, err := w.Run(ctx, b.command(f, b.only(groups[f]), len(groups[f]), ""))
		if err != nil {
			return nil, err
		}
		passed, failed := tapPassed(res.Stdout)
		for _, t := range groups[f] {
			if name := leaf(t, b.suite); passed[name] && !failed[name] {
				out[t.ID] = true
			} else {
				missed = true
			}
		}
		if missed {
			break // it is not the change that is looked for; the other files need not run
		}
	}
	return out, nil
}

func (b *nodeBench) try(ctx context.Context, cs []candidate, tests []verify.TestResult, each func(int, map[string]bool) bool) error {
	if err := b.learn(ctx, tests); err != nil {
		return err
	}
	return parallel(ctx, len(b.spaces), len(cs), func(worker, i int) (map[string]bool, error) {
		return withFile(b.spaces[worker], cs[i], func() (map[string]bool, error) { return b.run(ctx, b.spaces[worker], tests) })
	}, each)
}

// withFile changes one file of a workspace while do runs.
func withFile(w *sandbox.Workspace, c candidate, do func() (map[string]bool, error)) (map[string]bool, error) {
	if err := w.WriteFile(c.path, c.content); err != nil {
		return nil, fmt.Errorf("laying a candidate out: %w", err)
	}
	passed, err := do()
	if e := w.WriteFile(c.path, c.original); e != nil {
		return nil, errors.Join(err, fmt.Errorf("taking a candidate back: %w", e))
	}
	return passed, err
}

func (b *nodeBench) trace(ctx context.Context, tests []verify.TestResult) ([]trace, error) {
	out := make([]trace, len(tests))
	err := parallel(ctx, len(b.spaces), len(tests), func(worker, i int) (map[string]bool, error) {
		t, err := b.traceOne(ctx, b.spaces[worker], tests[i], i)
		out[i] = t
		return nil, err
	}, func(int, map[string]bool) bool { return true })
	return out, err
}

func (b *nodeBench) traceOne(ctx context.Context, w *sandbox.Workspace, t verify.TestResult, i int) (trace, error) {
	file, _, _ := strings.Cut(native(t, b.suite), " > ")
	name := leaf(t, b.suite)
	tr := trace{id: t.ID, lines: map[string]map[int]int{}}
	out := fmt.Sprintf("cover-%d.json", i)
	cmd := b.command(file, "^"+regexp.QuoteMeta(name)+"$", 1, "/out/"+out)
	res, err := w.Run(ctx, cmd)
	if err != nil {
		return tr, err
	}
	passed, failed := tapPassed(res.Stdout)
	tr.passed = passed[name] && !failed[name]
	raw, err := w.ReadOut(out, maxAnswer)
	if err != nil {
		return tr, nil //nolint:nilerr // it wrote none; the other tests still say something
	}
	var report v8Report
	if err := json.Unmarshal(raw, &report); err != nil {
		return tr, nil //nolint:nilerr // cut short: the same
	}
	for _, script := range report.Result {
		rel, ok := strings.CutPrefix(script.URL, "file:///work/")
		if !ok || strings.Contains(rel, "node_modules/") {
			continue
		}
		src, err := w.ReadFile(path.Clean(rel), 4<<20)
		if err != nil {
			continue
		}
		tr.lines[path.Clean(rel)] = script.lines(src)
	}
	return tr, nil
}

// v8Report is what the inspector's Profiler.takePreciseCoverage answers.
type v8Report struct {
	Result []v8Script `json:"result"`
}

type v8Script struct {
	URL       string `json:"url"`
	Functions []struct {
		Ranges []struct {
			Start int `json:"startOffset"` // UTF-16 units
			End   int `json:"endOffset"`
			Count int `json:"count"`
		} `json:"ranges"`
	} `json:"functions"`
}

// lines tells which lines ran: the innermost range around a line's first
// character that is not blank was counted at least once.
func (s v8Script) lines(src []byte) map[int]int {
	units := len(string(src))
	count := make([]int, units+1)
	width := make([]int, units+1)
	for i := range count {
		count[i], width[i] = -1, 1<<30
	}
	for _, f := range s.Functions {
		for _, r := range f.Ranges {
			for i := max(r.Start, 0); i < min(r.End, units); i++ {
				if w := r.End - r.Start; w <= width[i] {
					count[i], width[i] = r.Count, w
				}
			}
		}
	}
	out := map[int]int{}
	offset := 0
	for n, line := range bytes.SplitAfter(src, []byte("\n")) {
		text := string(line)
		if lead := len(text) - len(strings.TrimLeft(text, " \t")); strings.TrimSpace(text) != "" && count[min(offset+lead, units)] > 0 {
			out[n+1] = count[min(offset+lead, units)]
		}
		offset += utf16Len(text)
	}
	return out
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// hook is loaded before the test file. It ends the process when a test keeps
// the thread longer than the limit; with out given, it writes the coverage at
// the end, whichever way that comes. (Node itself writes none when a test never
// gives way, and asks from another thread are not answered then.)
func hook(out string, limit time.Duration) string {
	return fmt.Sprintf(`
import { AsyncResource } from 'node:async_hooks';
import { Session } from 'node:inspector';
import { writeFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
const out = %q;
const session = new Session();
const take = () => {
  if (out) session.post('Profiler.takePreciseCoverage', (e, r) => { if (!e) writeFileSync(out, JSON.stringify(r)); });
};
if (out) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  process.on('exit', take);
}
const kill = process.kill.bind(process, process.pid, 'SIGKILL');
const run = AsyncResource.prototype.runInAsyncScope;
let guarded = false;
AsyncResource.prototype.runInAsyncScope = function (fn, self, ...args) {
  if (guarded || !['Test', 'TestHook', 'Suite'].includes(this.constructor.name)) return run.call(this, fn, self, ...args);
  guarded = true;
  globalThis[Symbol.for('fettle')] = () => run.call(this, fn, self, ...args);
  try {
    return runInThisContext("globalThis[Symbol.for('fettle')]()", { timeout: %d });
  } catch (e) {
    if (e?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') { take(); kill(); }
    throw e;
  } finally {
    guarded = false;
  }
};
`, out, limit.Milliseconds())
}

func escapeURL(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
