package verify

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// read takes the results of one `go test`.
func (r *goRun) read(res sandbox.Result, dirs []string, left map[string][]string) (again []string, slower bool) {
	pkgs, builds, noise := goEvents(res.Stdout)
	seen := map[string]bool{}
	for _, p := range pkgs {
		dir := r.folder(p.Path)
		if !slices.Contains(dirs, dir) {
			continue
		}
		seen[dir] = true
		if p.Build != "" || strings.Contains(p.Output.String(), "[build failed]") || strings.Contains(p.Output.String(), "[setup failed]") {
			text := buildText(p, builds, noise+string(res.Stderr))
			f := parse.GoBuildFailure(text, r.suite.place())
			f.Missing = r.missing(text)
			r.broke(dir, f)
			continue
		}
		crashed, slow := r.crash(p)
		switch {
		case slow:
			again, slower = append(again, dir), true
			continue
		case len(crashed) > 0:
			for _, c := range crashed {
				left[dir] = append(left[dir], regexp.QuoteMeta(c))
			}
			again = append(again, dir)
		}
		r.take(p, dir)
	}
	for _, d := range dirs {
		if seen[d] {
			continue
		}
		f := died(r.suite, res, errEvidence)
		if text := strings.TrimSpace(noise + string(res.Stderr)); text != "" && !res.TimedOut && res.Unserved == "" {
			f.Kind, f.Exception, f.Message = task.FailBuild, "BuildFailed", text
		}
		r.broke(d, f)
	}
	return again, slower
}

// goEvents are the packages of a `go test -json`, sorted.
func goEvents(data []byte) (pkgs []*parse.GoPackage, builds map[string]string, noise string) {
	pkgs, builds, noise = parse.GoEvents(string(data))
	slices.SortFunc(pkgs, func(a, b *parse.GoPackage) int { return strings.Compare(a.Path, b.Path) })
	return pkgs, builds, noise
}

// folder is a package's folder seen from the module. The import path in events
// may carry the test variant's suffix.
func (r *goRun) folder(importPath string) string {
	importPath, _, _ = strings.Cut(importPath, " ")
	if importPath == r.module {
		return "."
	}
	return strings.TrimPrefix(strings.TrimPrefix(importPath, r.module+"/"), "./")
}

func buildText(p *parse.GoPackage, builds map[string]string, rest string) string {
	if text := builds[p.Build]; text != "" {
		return text
	}
	var all []string
	for _, k := range keys(builds) {
		all = append(all, builds[k])
	}
	return strings.Join(append(all, rest, p.Output.String()), "\n")
}

// goAbsent are the words of the go command and of the compiler for a package, and
// for a name, that is not there.
var (
	goAbsentPackage = lazyregexp.New(`no required module provides package ([^\s;]+)|package (\S+) is not in std|^(\S+): no non-test Go files in `)
	goAbsentName    = lazyregexp.New(`: undefined: (?:\w+\.)?(\w+)$|type \*?(?:[\w/]+\.)?(\w+(?:\[[^\]]*\])?) has no field or method (\w+)|has no field or method (\w+)|: unknown field (\w+) in struct literal|\(missing method (\w+)\)`)
)

// missing lists what a build did not find (task.Failure), nil where something
// else is wrong with it as well. Nothing of the repository has run by then, so the
// words are the toolchain's own.
func (r *goRun) missing(output string) []string {
	var out []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || line[0] == '\t' || strings.HasPrefix(line, "FAIL\t") || strings.HasSuffix(line, ": too many errors") {
			continue
		}
		if m := goAbsentPackage.FindStringSubmatch(line); m != nil {
			out = append(out, joinDir(r.suite.Dir, r.folder(m[1]+m[2]+m[3])))
		} else if m := goAbsentName.FindStringSubmatch(line); m != nil {
			name := m[1] + m[4] + m[5] + m[6]
			if m[3] != "" {
				of, _, _ := strings.Cut(m[2], "[") // of a generic type
				name = of + "." + m[3]
			}
			out = append(out, "#"+name)
		} else {
			return nil
		}
	}
	return out
}

func (r *goRun) broke(dir string, f task.Failure) {
	f.Suite, f.Test = r.suite.Name, r.suite.id(dir)
	if f.File == "" {
		f.File = joinDir(r.suite.Dir, dir)
	}
	r.out.broken = append(r.out.broken, parse.Finish(f))
}

// crash names the top-level tests that ended the process of p. slow says that
// the package ran out of time without any test being too slow by itself.
func (r *goRun) crash(p *parse.GoPackage) (names []string, slow bool) {
	if t := p.Tests[r.sentinel]; t != nil && t.Status() == StatusPassed {
		return nil, false
	}
	set := map[string]bool{}
	all := p.Output.String()
	for _, name := range p.Order {
		all += p.Tests[name].Output.String()
	}
	if running, ok := parse.GoTimedOut(all); ok {
		slow = true
		for _, m := range running {
			d, err := time.ParseDuration(m[2])
			if err == nil && d < r.lim.test {
				continue
			}
			slow = false
			set[topLevel(m[1])] = true
		}
		if slow {
			return nil, true
		}
		return keys(set), false
	}
	for _, name := range p.Order {
		t, top := p.Tests[name], topLevel(name)
		text := t.Output.String()
		if len(t.Ends) == 0 || parse.GoPanics(text) {
			set[top] = true
		}
	}
	if len(set) > 1 { // parallel tests: the one that panicked, when it can be told
		for _, name := range p.Order {
			if parse.GoPanics(p.Tests[name].Output.String()) {
				return []string{topLevel(name)}, false
			}
		}
	}
	return keys(set), false
}

// take turns a package's events into results.
func (r *goRun) take(p *parse.GoPackage, dir string) {
	reached := p.Tests[r.sentinel] != nil && p.Tests[r.sentinel].Status() == StatusPassed
	pkgDir := joinDir(r.suite.Dir, dir)
	found, culprit := false, false
	ended, _ := r.crash(p)
	culprits := setFrom(ended)
	for _, name := range p.Order {
		if name == r.sentinel {
			continue
		}
		t := p.Tests[name]
		st := t.Status()
		if !reached && len(t.Ends) == 0 && !culprits[topLevel(name)] {
			continue // a bystander of a crash: it is seen when the package runs again
		}
		found = true
		res := r.suite.result(dir+":"+name, r.file(dir, name), name, st, t.Elapsed)
		if res.Red() {
			culprit = culprit || culprits[topLevel(name)]
			res.fail(r.failure(p, name, pkgDir), 0)
		}
		if r.sel.has(dir+":"+name) || r.sel.has(dir) {
			r.out.tests = append(r.out.tests, res)
		}
	}
	switch {
	case reached && p.Ended == "pass", culprit:
	case !reached:
		f := task.Failure{Kind: task.FailCrash, Exception: "NoEvidence", Excerpt: p.Output.String(),
			Message: "the test process of " + pkgDir + " ended before its last test"}
		if e := parse.GoFailure(p.Output.String(), parse.Place{Dir: pkgDir}); e.Exception != "" {
			e.Message, f = f.Message+": "+e.Message, e
			f.Kind = task.FailCrash
		}
		r.broke(dir, f)
	case !found || !anyRed(p):
		r.broke(dir, task.Failure{Kind: task.FailCrash, Exception: "PackageFailed", Excerpt: p.Output.String(),
			Message: "the package failed outside its tests"})
	}
}

// topLevel is the function of a test or subtest.
func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

func anyRed(p *parse.GoPackage) bool {
	for _, t := range p.Tests {
		if s := t.Status(); s == StatusFailed || s == StatusError {
			return true
		}
	}
	return false
}

func (r *goRun) file(dir, test string) string {
	if f := r.packages[dir].files[topLevel(test)]; f != "" {
		return f
	}
	return joinDir(r.suite.Dir, dir)
}

// failure of a test; one that only repeats its subtests' failure says so.
func (r *goRun) failure(p *parse.GoPackage, name, pkgDir string) task.Failure {
	t := p.Tests[name]
	text := t.Output.String()
	for _, other := range p.Order {
		if strings.HasPrefix(other, name+"/") && p.Tests[other].Status() != StatusPassed && !parse.GoSays(text) {
			return task.Failure{Kind: task.FailAssertion, Exception: wrapper, Message: "a subtest failed"}
		}
	}
	at := parse.Place{Dir: pkgDir}
	if _, slow := parse.GoTimedOut(text); slow || len(t.Ends) == 0 {
		f := parse.GoFailure(text+p.Output.String(), at)
		if f.Exception == "" {
			f.Kind, f.Exception = task.FailCrash, "ProcessDied"
			f.Message = "the test's process ended in the middle of the test"
		}
		return f
	}
	if len(t.Ends) > 1 && !slices.Contains(t.Ends, "fail") {
		return task.Failure{Kind: task.FailCrash, Exception: "ForgedRecord", Excerpt: text,
			Message: "the test was reported more than once: something prints reports of its own"}
	}
	return parse.GoFailure(text, at)
}
