package parse

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// goEvent is one line of `go test -json` (go doc test2json; the build events
// came with Go 1.24).
type goEvent struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64
}

// GoPackage is what was said of one package.
type GoPackage struct {
	Path   string
	Ended  string          // pass, fail, skip or "" when cut off
	Build  string          // import path of the build that failed
	Output strings.Builder // outside tests
	Tests  map[string]*GoTest
	Order  []string
}

// GoTest is what was said of one test.
type GoTest struct {
	Ended   string   // the last that was said: pass, fail, skip or ""
	Ends    []string // all ends that were told, without passes that test2json made up
	Elapsed float64
	Output  strings.Builder
	said    bool // the framework's own line of a pass was seen
}

// Status is that of the signs of an end: a test that was reported twice with different
// ends, or has no end, did not pass.
func (t *GoTest) Status() string {
	switch {
	case len(t.Ends) == 0:
		return Error
	case slices.Contains(t.Ends, "fail"):
		return Failed
	case len(t.Ends) == 1 && t.Ends[0] == "pass":
		return Passed
	case len(t.Ends) == 1:
		return Skipped
	}
	return Error // reported more than once: somebody prints reports
}

var (
	goSaid     = lazyregexp.New(`(?m)^\s+([^\s:]+\.go):(\d+): ?(.*)$`)
	goCompile  = lazyregexp.New(`(?m)^(?:vet: )?([^\s:]+\.go):(\d+)(?::\d+)?: (.*)$`)
	goTimedOut = lazyregexp.New(`panic: test timed out after (\S+)`)
	goRunning  = lazyregexp.New(`(?m)^\t+((?:Test|Fuzz|Example)\S*) \(([^)]+)\)$`)
	goState    = lazyregexp.New(`^(?:    )*=== (?:RUN|CONT|NAME|PAUSE)\s+(\S+)`)
	goResult   = lazyregexp.New(`^(?:    )*--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)`)
	goPkgEnd   = lazyregexp.New(`^(ok  |FAIL|---|\?   )\t(\S+)(?:\t| )?(.*)$`)
	goBuildOf  = lazyregexp.New(`^# (\S+)(?: \[.*\])?$`)
)

const maxKept = 64 << 10

func (p *GoPackage) test(name string) *GoTest {
	t := p.Tests[name]
	if t == nil {
		t = &GoTest{}
		p.Tests[name] = t
		p.Order = append(p.Order, name)
	}
	return t
}

func keep(b *strings.Builder, text string) {
	if b.Len() < maxKept {
		b.WriteString(text)
	}
}

func readGoJSON(text string, at Place) Report {
	pkgs, builds, noise := GoEvents(text)
	return goReport(pkgs, builds, noise, at)
}

// GoEvents reads the stream of `go test -json`: the packages in the order in which they
// began, what the compiler said by import path, and as noise the lines that are not JSON
// (the go command's own words, on old versions).
func GoEvents(text string) (pkgs []*GoPackage, builds map[string]string, noise string) {
	byPath := map[string]*GoPackage{}
	builds = map[string]string{}
	var junk strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		var e goEvent
		if strings.TrimSpace(line) == "" {
			continue
		}
		if line[0] != '{' || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			keep(&junk, line+"\n")
			continue
		}
		if e.Action == "build-output" {
			builds[e.ImportPath] = Clip(builds[e.ImportPath]+e.Output, maxKept)
			continue
		}
		if e.Package == "" {
			continue
		}
		p := byPath[e.Package]
		if p == nil {
			p = &GoPackage{Path: e.Package, Tests: map[string]*GoTest{}}
			byPath[e.Package] = p
			pkgs = append(pkgs, p)
		}
		p.take(e)
	}
	return pkgs, builds, junk.String()
}

func (p *GoPackage) take(e goEvent) {
	terminal := e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
	if e.Test == "" {
		if terminal && (p.Ended == "" || e.Action == "fail") {
			p.Ended = e.Action
		}
		if e.FailedBuild != "" {
			p.Build = e.FailedBuild
		}
		keep(&p.Output, e.Output)
		return
	}
	t := p.test(e.Test)
	t.said = t.said || strings.HasPrefix(strings.TrimSpace(e.Output), "--- PASS: "+e.Test+" (")
	if terminal {
		t.Ended, t.Elapsed = e.Action, e.Elapsed
		// When a process ends with status 0 in mid-test, test2json makes up a pass.
		if e.Action != "pass" || t.said {
			t.Ends = append(t.Ends, e.Action)
		}
	}
	keep(&t.Output, e.Output)
}

// readGoText reads the output for people. What stands before a package's last
// line is that package's.
func readGoText(text string, at Place) Report {
	builds := map[string]string{}
	var order []*GoPackage
	cur := &GoPackage{Tests: map[string]*GoTest{}}
	test, build := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := goPkgEnd.FindStringSubmatch(line); m != nil {
			cur.Path = m[2]
			cur.Ended = map[string]string{"ok  ": "pass", "FAIL": "fail"}[m[1]]
			if cur.Ended == "" {
				cur.Ended = "skip"
			}
			keep(&cur.Output, line+"\n")
			if strings.Contains(m[3], "[build failed]") || strings.Contains(m[3], "[setup failed]") {
				cur.Build = m[2]
			}
			order = append(order, cur)
			cur, test, build = &GoPackage{Tests: map[string]*GoTest{}}, "", ""
			continue
		}
		if m := goBuildOf.FindStringSubmatch(line); m != nil {
			build = m[1]
			continue
		}
		if m := goResult.FindStringSubmatch(line); m != nil {
			test, build = m[2], ""
			t := cur.test(test)
			t.Ended = strings.ToLower(m[1])
			continue
		}
		if m := goState.FindStringSubmatch(line); m != nil {
			test, build = m[1], ""
			cur.test(test)
			continue
		}
		switch {
		case build != "":
			builds[build] = Clip(builds[build]+line+"\n", maxKept)
		case line == "FAIL" || line == "PASS":
			test = ""
		case test != "":
			keep(&cur.test(test).Output, line+"\n")
		default:
			keep(&cur.Output, line+"\n")
		}
	}
	return goReport(order, builds, "", at)
}

func goReport(pkgs []*GoPackage, builds map[string]string, noise string, at Place) Report {
	rep := Report{Ended: len(pkgs) > 0}
	for _, p := range pkgs {
		rep.Ended = rep.Ended && p.Ended != ""
		p.report(&rep, builds, noise, at)
	}
	if len(pkgs) == 0 && strings.TrimSpace(noise) != "" {
		rep.Broken = append(rep.Broken, GoBuildFailure(noise, at))
	}
	return rep
}

// folder is a package's folder seen from the module's.
func (p *GoPackage) folder(at Place) string {
	name, _, _ := strings.Cut(p.Path, " ")
	name = strings.TrimSuffix(name, "_test")
	if name == at.Module || at.Module == "" && name == "command-line-arguments" {
		return "."
	}
	return strings.TrimPrefix(name, at.Module+"/")
}

func (p *GoPackage) report(rep *Report, builds map[string]string, noise string, at Place) {
	dir := p.folder(at)
	if p.Build != "" || strings.Contains(p.Output.String(), "[build failed]") || strings.Contains(p.Output.String(), "[setup failed]") {
		text := builds[p.Build]
		if text == "" {
			text = noise + p.Output.String()
		}
		f := GoBuildFailure(text, at)
		f.Test = dir
		rep.Broken = append(rep.Broken, f)
		return
	}
	p.timedOut()
	red := false
	for _, name := range p.Order {
		t := p.Tests[name]
		if t.Ended == "" && (p.died() != name || p.Ended == "") && p.Ended != "" {
			continue // not reached, or cut short by another's crash
		}
		res := Test{ID: dir + ":" + name, File: path.Join(at.dir(), dir), Seconds: t.Elapsed, Status: Passed}
		switch t.Ended {
		case "skip":
			res.Status = Skipped
		case "fail", "":
			res.Status = Failed
			if t.Ended == "" {
				res.Status = Error
			}
			f := p.failure(name, dir, at)
			red = true
			if f == nil {
				f = &task.Failure{Kind: task.FailAssertion, Exception: "SubtestFailed", Message: "a subtest of it failed"}
			}
			if goTimedOut.MatchString(t.Output.String()) {
				res.Status = Error
			}
			res.Failure = f
		}
		rep.Tests = append(rep.Tests, res)
	}
	if p.Ended == "fail" && !red {
		f := task.Failure{Test: dir, File: path.Join(at.dir(), dir), Kind: task.FailCrash, Exception: "PackageFailed",
			Message: "the package failed outside its tests", Excerpt: p.Output.String()}
		if g, frames, ok := goTrace(p.Output.String(), at); ok {
			f.Message = g.Message
			put(&f, frames)
		}
		rep.Broken = append(rep.Broken, f)
	}
}

// timedOut gives the report of a timeout to the tests that were running, when
// the text did not say whose it is.
func (p *GoPackage) timedOut() {
	text := p.Output.String()
	if !goTimedOut.MatchString(text) {
		return
	}
	for _, m := range goRunning.FindAllStringSubmatch(text, -1) {
		t := p.test(m[1])
		t.Ended = "fail"
		if t.Output.Len() == 0 {
			keep(&t.Output, text)
		}
	}
}

// died names the test that ended the process.
func (p *GoPackage) died() string {
	for _, name := range p.Order {
		if text := p.Tests[name].Output.String(); goPanicked.MatchString(text) {
			return name
		}
	}
	for i := len(p.Order) - 1; i >= 0; i-- {
		if p.Tests[p.Order[i]].Ended == "" {
			return p.Order[i]
		}
	}
	return ""
}

// failure reads a test's output; nil when only its subtests failed.
func (p *GoPackage) failure(name, dir string, at Place) *task.Failure {
	t := p.Tests[name]
	text := t.Output.String()
	if t.Ended == "" && !goPanicked.MatchString(text) && goPanicked.MatchString(p.Output.String()) {
		text = p.Output.String()
	}
	if !GoSays(text) {
		for _, other := range p.Order {
			if strings.HasPrefix(other, name+"/") && p.Tests[other].Ended != "pass" && p.Tests[other].Ended != "skip" {
				return nil
			}
		}
	}
	at.Dir = path.Join(at.Dir, dir)
	f := GoFailure(text, at)
	return &f
}

// GoSays tells whether a test's output says of itself why it failed.
func GoSays(text string) bool { return goPanicked.MatchString(text) || goSaid.MatchString(text) }

// GoPanics tells whether a process ended in this output.
func GoPanics(text string) bool { return goPanicked.MatchString(text) }

// GoTimedOut tells whether the package ran out of time, and which tests were running, for
// how long.
func GoTimedOut(text string) (running [][]string, ok bool) {
	if !goTimedOut.MatchString(text) {
		return nil, false
	}
	return goRunning.FindAllStringSubmatch(text, -1), true
}

// GoFailure reads the output of a test that failed. The place is that of its package.
func GoFailure(text string, at Place) task.Failure {
	if f, frames, ok := goTrace(text, at); ok {
		f.Excerpt = text
		put(&f, frames)
		if m := goTimedOut.FindStringSubmatch(text); m != nil {
			f.Kind, f.Exception, f.Message = task.FailTimeout, "TestTimeout", "the test was still running after "+m[1]
		}
		return f
	}
	f := task.Failure{Kind: task.FailAssertion, Excerpt: text}
	said := goSaid.FindAllStringSubmatchIndex(text, -1)
	var words []string
	for i, m := range said {
		end := len(text)
		if i+1 < len(said) {
			end = said[i+1][0]
		}
		if i == 0 {
			f.Trace = []task.Frame{at.frame(text[m[2]:m[3]], text[m[4]:m[5]], "").Frame}
			f.File, f.Line = f.Trace[0].File, f.Trace[0].Line
		}
		words = append(words, strings.TrimSpace(goOwnWords(text[m[6]:end])))
	}
	f.Message = cmp.Or(strings.TrimSpace(strings.Join(words, "\n")), strings.TrimSpace(goOwnWords(text)), "the test failed without a message")
	return f
}

// goOwnWords leaves out the framework's lines.
func goOwnWords(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool {
		return goState.MatchString(l) || goResult.MatchString(l) || l == "FAIL" || l == "PASS" || strings.HasPrefix(l, "FAIL\t")
	}), "\n")
}

// GoBuildFailure reads the compiler's or vet's words.
func GoBuildFailure(text string, at Place) task.Failure {
	f := task.Failure{Kind: task.FailBuild, Exception: "BuildFailed", Excerpt: text}
	var said []string
	var frames []frame
	for _, m := range goCompile.FindAllStringSubmatch(text, 10) {
		fr := at.frame(m[1], m[2], "")
		said = append(said, m[3])
		frames = append(frames, fr)
		if f.File == "" && fr.own {
			f.File, f.Line = fr.File, fr.Line
		}
	}
	for _, fr := range frames {
		f.Trace = append(f.Trace, fr.Frame)
	}
	f.Message = cmp.Or(strings.Join(said, "\n"), strings.TrimSpace(text), "the package does not build")
	return f
}
