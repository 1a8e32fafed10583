package verify

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// goEvent is one line of `go test -json` (cmd/test2json, and since Go 1.24 the
// build-output events of cmd/go).
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// goPackage is what the events said of one package.
type goPackage struct {
	path    string
	ended   string // pass, fail, skip or "" when cut off
	build   string // import path of the build that failed
	tests   map[string]*goTest
	order   []string
	output  strings.Builder // outside tests
	elapsed float64
}

type goTest struct {
	actions []string // terminal ones: pass, fail, skip
	said    bool     // the framework's own line of a pass was seen
	output  strings.Builder
	elapsed float64
}

// maxGoOutput bounds what is kept of one test's output.
const maxGoOutput = 64 << 10

// parseGoTest reads the stream of `go test -json`. Lines that are not JSON are
// given back as noise (the go command's own words, on old versions).
func parseGoTest(data []byte) (pkgs []*goPackage, builds map[string]string, noise string) {
	byPath := map[string]*goPackage{}
	builds = map[string]string{}
	var junk strings.Builder
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		var e goEvent
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if line[0] != '{' || json.Unmarshal(line, &e) != nil || e.Action == "" {
			keep(&junk, string(line)+"\n")
			continue
		}
		if e.Action == "build-output" {
			builds[e.ImportPath] = parse.Clip(builds[e.ImportPath]+e.Output, maxGoOutput)
			continue
		}
		if e.Package == "" {
			continue
		}
		p := byPath[e.Package]
		if p == nil {
			p = &goPackage{path: e.Package, tests: map[string]*goTest{}}
			byPath[e.Package] = p
			pkgs = append(pkgs, p)
		}
		p.take(e)
	}
	slices.SortFunc(pkgs, func(a, b *goPackage) int { return strings.Compare(a.path, b.path) })
	return pkgs, builds, junk.String()
}

func keep(b *strings.Builder, text string) {
	if b.Len() < maxGoOutput {
		b.WriteString(text)
	}
}

func (p *goPackage) take(e goEvent) {
	terminal := e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
	if e.Test == "" {
		if terminal && (p.ended == "" || e.Action == "fail") {
			p.ended, p.elapsed = e.Action, e.Elapsed
		}
		if e.FailedBuild != "" {
			p.build = e.FailedBuild
		}
		keep(&p.output, e.Output)
		return
	}
	t := p.tests[e.Test]
	if t == nil {
		t = &goTest{}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
	}
	t.said = t.said || strings.HasPrefix(strings.TrimSpace(e.Output), "--- PASS: "+e.Test+" (")
	// When a process ends with status 0 in mid-test, test2json makes up a pass.
	if terminal && (e.Action != "pass" || t.said) {
		t.actions = append(t.actions, e.Action)
		t.elapsed = e.Elapsed
	}
	keep(&t.output, e.Output)
}

// status of a test: one that was reported twice with different ends, or has no
// end, did not pass.
func (t *goTest) status() string {
	switch {
	case len(t.actions) == 0:
		return StatusError
	case slices.Contains(t.actions, "fail"):
		return StatusFailed
	case len(t.actions) == 1 && t.actions[0] == "pass":
		return StatusPassed
	case len(t.actions) == 1:
		return StatusSkipped
	}
	return StatusError // reported more than once: somebody prints reports
}

var (
	goLine      = lazyregexp.New(`(?m)^\s+(\S+?\.go):(\d+): ?(.*)$`)
	goPanic     = lazyregexp.New(`(?m)^panic: (.*)$`)
	goFatal     = lazyregexp.New(`(?m)^fatal error: (.*)$`)
	goStack     = lazyregexp.New(`(?m)^(\S[^\n]*)\n\t(/[^\n:]+\.go):(\d+)`)
	goBuildLine = lazyregexp.New(`(?m)^(?:vet: )?(\S+?\.go):(\d+)(?::\d+)?: (.*)$`)
	goTimedOut  = lazyregexp.New(`panic: test timed out after (\S+)`)
	goRunning   = lazyregexp.New(`(?m)^\t+(Test\S*|Fuzz\S*|Example\S*) \(([^)]+)\)$`)
)

// goFailure reads a test's output. dir is the package's folder from the root.
func goFailure(output, dir string) task.Failure {
	f := task.Failure{Suite: suiteGo, Kind: task.FailAssertion, Excerpt: output}
	if m := goPanic.FindStringSubmatch(output); m != nil {
		return goPanicked(f, "panic", strings.TrimSuffix(m[1], " [recovered]"), output)
	}
	if m := goFatal.FindStringSubmatch(output); m != nil {
		return goPanicked(f, "fatal error", m[1], output)
	}
	lines := goLine.FindAllStringSubmatchIndex(output, -1)
	var said []string
	for i, m := range lines {
		end := len(output)
		if i+1 < len(lines) {
			end = lines[i+1][0]
		}
		n, _ := strconv.Atoi(output[m[4]:m[5]])
		fr := task.Frame{File: joinDir(dir, output[m[2]:m[3]]), Line: n}
		if len(f.Trace) == 0 {
			f.Trace = append(f.Trace, fr)
			f.File, f.Line = fr.File, fr.Line
		}
		said = append(said, strings.TrimSpace(dropReport(output[m[6]:end])))
	}
	f.Message = strings.TrimSpace(strings.Join(said, "\n"))
	if f.Message == "" {
		f.Message = strings.TrimSpace(dropReport(output))
	}
	if f.Message == "" {
		f.Message = "the test failed without a message"
	}
	return f
}

// dropReport leaves out the framework's own lines.
func dropReport(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		l := strings.TrimSpace(line)
		if strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "--- ") || l == "FAIL" || strings.HasPrefix(l, "FAIL\t") {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func goPanicked(f task.Failure, class, message, output string) task.Failure {
	f.Kind, f.Exception, f.Message = task.FailException, class, strings.TrimSuffix(message, " [recovered, repanicked]")
	if m := goTimedOut.FindStringSubmatch(output); m != nil {
		f.Kind, f.Exception, f.Message = task.FailTimeout, "TestTimeout", "the test was still running after "+m[1]
	}
	if at := strings.Index(output, "\ngoroutine "); at >= 0 {
		output = output[at:]
	}
	for _, m := range goStack.FindAllStringSubmatch(output, -1) {
		p, in := relative(m[2], "")
		if !in && (strings.Contains(p, "/src/testing/") || strings.Contains(p, "/src/runtime/")) {
			continue
		}
		n, _ := strconv.Atoi(m[3])
		fn, _, _ := strings.Cut(strings.TrimPrefix(m[1], "created by "), "(0x")
		f.Trace = append(f.Trace, task.Frame{File: p, Line: n, Function: strings.TrimSuffix(fn, "(...)")})
	}
	slices.Reverse(f.Trace)
	locate(&f)
	return f
}

// goBuildFailure reads compiler or vet output.
func goBuildFailure(output, moduleDir string) task.Failure {
	f := task.Failure{Suite: suiteGo, Kind: task.FailBuild, Exception: "BuildFailed", Message: "the package does not build", Excerpt: output}
	var said []string
	for _, m := range goBuildLine.FindAllStringSubmatch(output, 10) {
		n, _ := strconv.Atoi(m[2])
		p, _ := relative(m[1], moduleDir)
		f.Trace = append(f.Trace, task.Frame{File: p, Line: n})
		if f.File == "" {
			f.File, f.Line = p, n
		}
		said = append(said, m[3])
	}
	if len(said) > 0 {
		f.Message = strings.Join(said, "\n")
	} else if text := strings.TrimSpace(output); text != "" {
		f.Message = text
	}
	return f
}
