package parse

import (
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

// goPkg is what was said of one package.
type goPkg struct {
	path, ended, build string
	output             strings.Builder // outside tests
	tests              map[string]*goTest
	order              []string
}

type goTest struct {
	ended   string
	elapsed float64
	output  strings.Builder
}

var (
	goSaid     = lazyregexp.New(`(?m)^\s+([^\s:]+\.go):(\d+): ?(.*)$`)
	goCompile  = lazyregexp.New(`(?m)^(?:vet: )?([^\s:]+\.go):(\d+)(?::\d+)?: (.*)$`)
	goTimedOut = lazyregexp.New(`panic: test timed out after (\S+)`)
	goRunning  = lazyregexp.New(`(?m)^\t+((?:Test|Fuzz|Example)\S*) \([^)]+\)$`)
	goState    = lazyregexp.New(`^(?:    )*=== (?:RUN|CONT|NAME|PAUSE)\s+(\S+)`)
	goResult   = lazyregexp.New(`^(?:    )*--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)`)
	goPkgEnd   = lazyregexp.New(`^(ok  |FAIL|---|\?   )\t(\S+)(?:\t| )?(.*)$`)
	goBuildOf  = lazyregexp.New(`^# (\S+)(?: \[.*\])?$`)
)

const maxKept = 64 << 10

func (p *goPkg) test(name string) *goTest {
	t := p.tests[name]
	if t == nil {
		t = &goTest{}
		p.tests[name] = t
		p.order = append(p.order, name)
	}
	return t
}

func keep(b *strings.Builder, text string) {
	if b.Len() < maxKept {
		b.WriteString(text)
	}
}

func readGoJSON(text string, at Place) Report {
	byPath, builds := map[string]*goPkg{}, map[string]string{}
	var order []*goPkg
	var noise strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		var e goEvent
		if line == "" || line[0] != '{' || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			keep(&noise, line+"\n")
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
			p = &goPkg{path: e.Package, tests: map[string]*goTest{}}
			byPath[e.Package] = p
			order = append(order, p)
		}
		p.take(e)
	}
	return goReport(order, builds, noise.String(), at)
}

func (p *goPkg) take(e goEvent) {
	terminal := e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
	if e.FailedBuild != "" {
		p.build = e.FailedBuild
	}
	if e.Test == "" {
		if terminal {
			p.ended = e.Action
		}
		keep(&p.output, e.Output)
		return
	}
	t := p.test(e.Test)
	if terminal {
		t.ended, t.elapsed = e.Action, e.Elapsed
	}
	keep(&t.output, e.Output)
}

// readGoText reads the output for people. What stands before a package's last
// line is that package's.
func readGoText(text string, at Place) Report {
	builds := map[string]string{}
	var order []*goPkg
	cur := &goPkg{tests: map[string]*goTest{}}
	test, build := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := goPkgEnd.FindStringSubmatch(line); m != nil {
			cur.path = m[2]
			cur.ended = map[string]string{"ok  ": "pass", "FAIL": "fail"}[m[1]]
			if cur.ended == "" {
				cur.ended = "skip"
			}
			keep(&cur.output, line+"\n")
			if strings.Contains(m[3], "[build failed]") || strings.Contains(m[3], "[setup failed]") {
				cur.build = m[2]
			}
			order = append(order, cur)
			cur, test, build = &goPkg{tests: map[string]*goTest{}}, "", ""
			continue
		}
		if m := goBuildOf.FindStringSubmatch(line); m != nil {
			build = m[1]
			continue
		}
		if m := goResult.FindStringSubmatch(line); m != nil {
			test, build = m[2], ""
			t := cur.test(test)
			t.ended = strings.ToLower(m[1])
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
			keep(&cur.test(test).output, line+"\n")
		default:
			keep(&cur.output, line+"\n")
		}
	}
	return goReport(order, builds, "", at)
}

func goReport(pkgs []*goPkg, builds map[string]string, noise string, at Place) Report {
	rep := Report{Ended: len(pkgs) > 0}
	for _, p := range pkgs {
		rep.Ended = rep.Ended && p.ended != ""
		p.report(&rep, builds, noise, at)
	}
	if len(pkgs) == 0 && strings.TrimSpace(noise) != "" {
		rep.Broken = append(rep.Broken, goBuildFailure(noise, at))
	}
	return rep
}

// folder is a package's folder seen from the module's.
func (p *goPkg) folder(at Place) string {
	name, _, _ := strings.Cut(p.path, " ")
	name = strings.TrimSuffix(name, "_test")
	if name == at.Module || at.Module == "" && name == "command-line-arguments" {
		return "."
	}
	return strings.TrimPrefix(name, at.Module+"/")
}

func (p *goPkg) report(rep *Report, builds map[string]string, noise string, at Place) {
	dir := p.folder(at)
	if p.build != "" || strings.Contains(p.output.String(), "[build failed]") || strings.Contains(p.output.String(), "[setup failed]") {
		text := builds[p.build]
		if text == "" {
			text = noise + p.output.String()
		}
		f := goBuildFailure(text, at)
		f.Test = dir
		rep.Broken = append(rep.Broken, f)
		return
	}
	p.timedOut()
	red := false
	for _, name := range p.order {
		t := p.tests[name]
		if t.ended == "" && (p.died() != name || p.ended == "") && p.ended != "" {
			continue // not reached, or cut short by another's crash
		}
		res := Test{ID: dir + ":" + name, File: path.Join(at.dir(), dir), Seconds: t.elapsed, Status: Passed}
		switch t.ended {
		case "skip":
			res.Status = Skipped
		case "fail", "":
			res.Status = Failed
			if t.ended == "" {
				res.Status = Error
			}
			f := p.failure(name, dir, at)
			red = true
			if f == nil {
				f = &task.Failure{Kind: task.FailAssertion, Exception: "SubtestFailed", Message: "a subtest of it failed"}
			}
			if goTimedOut.MatchString(t.output.String()) {
				res.Status = Error
			}
			res.Failure = f
		}
		rep.Tests = append(rep.Tests, res)
	}
	if p.ended == "fail" && !red {
		f := task.Failure{Test: dir, File: path.Join(at.dir(), dir), Kind: task.FailCrash, Exception: "PackageFailed",
			Message: "the package failed outside its tests", Excerpt: p.output.String()}
		if g, frames, ok := goTrace(p.output.String(), at); ok {
			f.Message = g.Message
			put(&f, frames)
		}
		rep.Broken = append(rep.Broken, f)
	}
}

// timedOut gives the report of a timeout to the tests that were running, when
// the text did not say whose it is.
func (p *goPkg) timedOut() {
	text := p.output.String()
	if !goTimedOut.MatchString(text) {
		return
	}
	for _, m := range goRunning.FindAllStringSubmatch(text, -1) {
		t := p.test(m[1])
		t.ended = "fail"
		if t.output.Len() == 0 {
			keep(&t.output, text)
		}
	}
}

// died names the test that ended the process.
func (p *goPkg) died() string {
	for _, name := range p.order {
		if text := p.tests[name].output.String(); goPanicked.MatchString(text) {
			return name
		}
	}
	for i := len(p.order) - 1; i >= 0; i-- {
		if p.tests[p.order[i]].ended == "" {
			return p.order[i]
		}
	}
	return ""
}

// failure reads a test's output; nil when only its subtests failed.
func (p *goPkg) failure(name, dir string, at Place) *task.Failure {
	t := p.tests[name]
	text := t.output.String()
	f := &task.Failure{Kind: task.FailAssertion, Excerpt: text}
	panicked := goPanicked.MatchString(text)
	if !panicked && t.ended == "" && goPanicked.MatchString(p.output.String()) {
		text, panicked = p.output.String(), true
	}
	if panicked {
		g, frames, _ := goTrace(text, at)
		g.Excerpt = text
		put(&g, frames)
		if m := goTimedOut.FindStringSubmatch(text); m != nil {
			g.Kind, g.Exception, g.Message = task.FailTimeout, "TestTimeout", "the test was still running after "+m[1]
		}
		return &g
	}
	said := goSaid.FindAllStringSubmatchIndex(text, -1)
	if len(said) == 0 {
		for _, other := range p.order {
			if strings.HasPrefix(other, name+"/") && p.tests[other].ended != "pass" && p.tests[other].ended != "skip" {
				return nil
			}
		}
	}
	var words []string
	for i, m := range said {
		end := len(text)
		if i+1 < len(said) {
			end = said[i+1][0]
		}
		if i == 0 {
			f.File, f.Line = path.Join(at.dir(), dir, text[m[2]:m[3]]), number(text[m[4]:m[5]])
			f.Trace = []task.Frame{{File: f.File, Line: f.Line}}
		}
		words = append(words, strings.TrimSpace(goOwnWords(text[m[6]:end])))
	}
	if f.Message = strings.Join(words, "\n"); f.Message == "" {
		f.Message = strings.TrimSpace(goOwnWords(text))
	}
	if f.Message == "" {
		f.Message = "the test failed without a message"
	}
	return f
}

// goOwnWords leaves out the framework's lines.
func goOwnWords(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool {
		return goState.MatchString(l) || goResult.MatchString(l) || l == "FAIL" || l == "PASS" || strings.HasPrefix(l, "FAIL\t")
	}), "\n")
}

// goBuildFailure reads the compiler's or vet's words.
func goBuildFailure(text string, at Place) task.Failure {
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
	if f.Message = strings.Join(said, "\n"); f.Message == "" {
		f.Message = strings.TrimSpace(text)
	}
	return f
}
