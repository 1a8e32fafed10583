package mend

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// command runs one file with its tests in the same process: given a file
// without --test, Node runs it and node:test reports at the end.
func (b *nodeBench) command(file, pattern string, n int, out string) sandbox.Command {
	argv := append([]string{"node", "--import", "data:text/javascript," + escapeURL(hook(upFrom(b.suite.Dir), out, b.limit)), "--test-reporter=tap"}, nodeFlags(b.suite.Argv)...)
	if pattern != "" {
		argv = append(argv, "--test-name-pattern="+pattern)
	}
	wall := time.Second + b.limit*time.Duration(min(n+1, 10))
	if usual, ok := b.walls[wallKey(file, pattern)]; ok {
		wall = min(wall, usual)
	}
	env, _ := detect.Variables(b.suite.Argv)
	return sandbox.Command{Argv: append(argv, file), Dir: b.suite.Dir, Env: env, Needs: true, Limits: sandbox.Limits{Wall: wall}}
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
		names = append(names, leaf(t, b.suite), verify.OwnName(leaf(t, b.suite)))
	}
	return named(names...)
}

// named is a pattern for some names.
func named(names ...string) string {
	var out []string
	for _, n := range names {
		if q := regexp.QuoteMeta(n); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return "^(" + strings.Join(out, "|") + ")$"
}

// learnProcess runs the wanted tests once on the unchanged tree and allows a
// candidate a few times as long: what breaks a promise often waits for ever,
// and most of a search would be spent on waiting.
func (b *nodeBench) learnProcess(ctx context.Context, tests []verify.TestResult) error {
	if b.mocha() {
		return b.learnTogether(ctx, tests)
	}
	if b.suite.Reported() {
		return b.learnReported(ctx, tests)
	}
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

var tapLine = lazyregexp.New(`^( *)(not ok|ok) \d+ - (.*?)( # (?:SKIP|TODO).*)?$`)

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

// inTAP tells whether a test passed; of a name that several have, all of them did.
func (b *nodeBench) inTAP(t verify.TestResult, passed, failed map[string]bool) bool {
	name := leaf(t, b.suite)
	if !passed[name] && !failed[name] {
		name = verify.OwnName(name)
	}
	return passed[name] && !failed[name]
}

// tapName undoes the escapes of Node's TAP reporter.
var tapName = strings.NewReplacer(`\\`, `\`, `\#`, "#")

func (b *nodeBench) runProcess(ctx context.Context, w *sandbox.Workspace, tests []verify.TestResult) (map[string]bool, error) {
	if b.mocha() {
		return b.runTogether(ctx, w, tests)
	}
	if b.suite.Reported() {
		return b.runReported(ctx, w, tests)
	}
	out, missed := map[string]bool{}, false
	files, groups := byFile(tests, b.suite)
	for _, f := range files {
		res, err := w.Run(ctx, b.command(f, b.only(groups[f]), len(groups[f]), ""))
		if err != nil {
			return nil, err
		}
		passed, failed := tapPassed(res.Stdout)
		for _, t := range groups[f] {
			switch name := leaf(t, b.suite); {
			case b.inTAP(t, passed, failed):
				out[t.ID] = true
			case !res.TimedOut && failed[name] && !passed[name]: // it alone has the name
				out[t.ID], missed = false, true
			default:
				missed = true
			}
		}
		if missed {
			break // it is not the change that is looked for; the other files need not run
		}
	}
	return out, nil
}

func (b *nodeBench) traceOne(ctx context.Context, w *sandbox.Workspace, t verify.TestResult, i int) (trace, error) {
	file, _, _ := strings.Cut(native(t, b.suite), " > ")
	name := leaf(t, b.suite)
	tr := trace{id: t.ID, lines: map[string]map[int]int{}}
	out := fmt.Sprintf("cover-%d.json", i)
	cmd := b.command(file, named(name, verify.OwnName(name)), 1, "/out/"+out)
	res, err := w.Run(ctx, cmd)
	if err != nil {
		return tr, err
	}
	passed, failed := tapPassed(res.Stdout)
	tr.passed = b.inTAP(t, passed, failed)
	raw, err := w.ReadOut(out, maxAnswer)
	if err != nil {
		return tr, nil //nolint:nilerr // it wrote none; the other tests still say something
	}
	var scripts []script
	if err := json.Unmarshal(raw, &scripts); err != nil {
		return tr, nil //nolint:nilerr // cut short: the same
	}
	tr.lines = b.covered(w, scripts)
	return tr, nil
}

// hook is loaded before the test file. It ends the process when a test keeps
// the thread longer than the limit; with out given, it writes the coverage at
// the end, whichever way that comes. (Node itself writes none when a test never
// gives way, and asks from another thread are not answered then.)
func hook(up, out string, limit time.Duration) string {
	return fmt.Sprintf(`
import { AsyncResource } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
const out = %q, base = resolve(%q) + '/', root = pathToFileURL(base).href, require = createRequire(root);
%s
const tell = () => { if (out) writeFileSync(out, JSON.stringify(take())); };
if (out) {
  watch();
  process.on('exit', tell);
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
    if (e?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') { tell(); kill(); }
    throw e;
  } finally {
    guarded = false;
  }
};
`, out, up, nodeCover, limit.Milliseconds())
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
