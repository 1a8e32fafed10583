package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
)

// goRun is one suite's run: what it knows of the module and what it found.
type goRun struct {
	suite    Suite
	module   string
	packages map[string]*goDir // by folder seen from the module
	sentinel string            // name of the test that every package must be seen to reach
	overlay  string            // path inside
	lim      limits
	sel      selection
	out      outcome
}

// goDir is a folder with test files.
type goDir struct {
	name  string            // package clause of its tests
	files map[string]string // test function -> file from the root
}

var (
	goClause  = regexp.MustCompile(`(?m)^package[ \t]+(\w+)`)
	goFunc    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	goModName = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)
)

func (v *Verifier) runGo(ctx context.Context, b box, s Suite, sel selection, lim limits) (outcome, error) {
	tree, err := scanBox(b)
	if err != nil {
		return outcome{}, err
	}
	r := &goRun{suite: s, sel: sel, lim: lim, packages: map[string]*goDir{}}
	if m := goModName.FindStringSubmatch(tree.read(joinDir(s.Dir, "go.mod"))); m != nil {
		r.module = m[1]
	}
	r.look(tree)
	_, _, nonce := v.credentials()
	r.sentinel = "TestZZ" + nonce
	if err := r.plant(v, b, nonce); err != nil {
		return outcome{}, fmt.Errorf("writing the go overlay: %w", err)
	}
	left := map[string][]string{} // package folder -> tests to leave out
	targets := r.targets()
	timeout := 2 * lim.test
	deadline := v.clock().Add(lim.wall)
	for round := 0; len(targets) > 0 && round < 6; round++ {
		wall := deadline.Sub(v.clock())
		if wall <= 0 {
			break
		}
		again, slower, err := r.once(ctx, v, b, targets, left, min(timeout, wall), wall)
		if err != nil {
			return outcome{}, err
		}
		targets = again
		if slower {
			timeout = wall
		}
	}
	for _, dir := range targets {
		r.broke(dir, task.Failure{Kind: task.FailTimeout, Exception: "SuiteTimeout",
			Message: "not all tests of the package were run: too many ended their process or their time"})
	}
	return r.out, nil
}

// look finds the module's test packages.
func (r *goRun) look(t *tree) {
	for _, f := range t.under(r.suite.Dir, nil) {
		if !goTestFile(f) || nearest(t, f, "go.mod") != r.suite.Dir {
			continue
		}
		dir := dirOf(relTo(r.suite.Dir, f))
		d := r.packages[dir]
		if d == nil {
			d = &goDir{files: map[string]string{}}
			r.packages[dir] = d
		}
		src := t.read(f)
		if m := goClause.FindStringSubmatch(src); m != nil && (d.name == "" || strings.HasSuffix(m[1], "_test")) {
			d.name = m[1]
		}
		for _, m := range goFunc.FindAllStringSubmatch(src, -1) {
			d.files[m[1]] = f
		}
	}
}

// plant writes the overlay that adds the sentinel, a test that runs last, to
// every package: a process that ends early, whatever it prints and with
// whatever status, has not passed it.
func (r *goRun) plant(v *Verifier, b box, nonce string) error {
	root, err := os.OpenRoot(b.OutDir())
	if err != nil {
		return err
	}
	defer root.Close()
	replace := map[string]string{}
	work, out := v.place(b)
	for dir, d := range r.packages {
		if d.name == "" {
			continue
		}
		file := nonce + "-" + d.name + ".go"
		src := fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc %s(t *testing.T) {}\n", d.name, r.sentinel)
		if err := root.WriteFile(file, []byte(src), 0o644); err != nil {
			return err
		}
		replace[path.Join(work, r.suite.Dir, dir, "zz_"+nonce+"_test.go")] = out + "/" + file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	r.overlay = out + "/" + nonce + ".json"
	return root.WriteFile(nonce+".json", data, 0o644)
}

// targets are the package folders to run, sorted.
func (r *goRun) targets() []string {
	set := map[string]bool{}
	for dir := range r.packages {
		if r.sel.all {
			set[dir] = true
		}
	}
	for _, id := range append(slices.Clone(r.sel.tests), r.sel.units...) {
		dir, _, _ := strings.Cut(id, ":")
		if r.packages[dir] != nil {
			set[dir] = true
		}
	}
	return keys(set)
}

// argv of one `go test`. The tests are narrowed only when a part was asked for.
func (r *goRun) argv(dirs []string, left map[string][]string, timeout time.Duration) []string {
	argv := []string{"go", "test", "-json", "-count=1", "-vet=off", "-overlay=" + r.overlay, "-timeout=" + timeout.String()}
	names := map[string]bool{}
	for _, id := range r.sel.tests {
		dir, test, _ := strings.Cut(id, ":")
		if slices.Contains(dirs, dir) {
			names[regexp.QuoteMeta(topLevel(test))] = true
		}
	}
	whole := r.sel.all || slices.ContainsFunc(r.sel.units, func(u string) bool { return slices.Contains(dirs, u) })
	if !whole {
		names[r.sentinel] = true
		argv = append(argv, "-run=^("+strings.Join(keys(names), "|")+")$")
	}
	if len(dirs) == 1 && len(left[dirs[0]]) > 0 {
		argv = append(argv, "-skip=^("+strings.Join(left[dirs[0]], "|")+")$")
	}
	for _, d := range dirs {
		argv = append(argv, "./"+d)
	}
	return argv
}

// once runs packages and gives back those to run again: where a test ended the
// process, the package's other tests have not been seen yet.
func (r *goRun) once(ctx context.Context, v *Verifier, b box, dirs []string, left map[string][]string, timeout, wall time.Duration) (again []string, slower bool, err error) {
	groups := [][]string{dirs}
	if len(left) > 0 { // -skip is of one package
		groups = nil
		for _, d := range dirs {
			groups = append(groups, []string{d})
		}
	}
	for _, group := range groups {
		res, err := b.Run(ctx, sandbox.Command{
			Argv: r.argv(group, left, timeout), Dir: r.suite.Dir,
			Env:    map[string]string{"GOTOOLCHAIN": "local", "GOPROXY": "off"},
			Limits: sandbox.Limits{Wall: wall + 20*time.Second, OutputBytes: 64 << 20},
		})
		if err != nil {
			return nil, false, err
		}
		res.Stdout, res.Stderr = v.moved(b, res.Stdout), v.moved(b, res.Stderr)
		more, slow := r.read(res, group, left)
		again, slower = append(again, more...), slower || slow
	}
	return again, slower, nil
}

// read takes the results of one `go test`.
func (r *goRun) read(res sandbox.Result, dirs []string, left map[string][]string) (again []string, slower bool) {
	pkgs, builds, noise := parseGoTest(res.Stdout)
	seen := map[string]bool{}
	for _, p := range pkgs {
		dir := r.folder(p.path)
		if !slices.Contains(dirs, dir) {
			continue
		}
		seen[dir] = true
		if p.build != "" || strings.Contains(p.output.String(), "[build failed]") || strings.Contains(p.output.String(), "[setup failed]") {
			r.broke(dir, goBuildFailure(buildText(p, builds, noise+string(res.Stderr)), r.suite.Dir))
			continue
		}
		crashed, slow := r.crash(p, dir)
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
		if text := strings.TrimSpace(noise + string(res.Stderr)); text != "" && !res.TimedOut {
			f.Kind, f.Exception, f.Message = task.FailBuild, "BuildFailed", text
		}
		r.broke(d, f)
	}
	return again, slower
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

func buildText(p *goPackage, builds map[string]string, rest string) string {
	if text := builds[p.build]; text != "" {
		return text
	}
	var all []string
	for _, k := range sortedKeys(builds) {
		all = append(all, builds[k])
	}
	return strings.Join(append(all, rest, p.output.String()), "\n")
}

func sortedKeys(m map[string]string) []string {
	set := map[string]bool{}
	for k := range m {
		set[k] = true
	}
	return keys(set)
}

func (r *goRun) broke(dir string, f task.Failure) {
	f.Suite, f.Test = r.suite.Name, r.suite.id(dir)
	if f.File == "" {
		f.File = joinDir(r.suite.Dir, dir)
	}
	r.out.broken = append(r.out.broken, finish(f))
}

// crash names the top-level tests that ended the process of p. slow says that
// the package ran out of time without any test being too slow by itself.
func (r *goRun) crash(p *goPackage, dir string) (names []string, slow bool) {
	if t := p.tests[r.sentinel]; t != nil && t.status() == StatusPassed {
		return nil, false
	}
	set := map[string]bool{}
	all := p.output.String()
	for _, name := range p.order {
		all += p.tests[name].output.String()
	}
	if goTimedOut.MatchString(all) {
		slow = true
		for _, m := range goRunning.FindAllStringSubmatch(all, -1) {
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
	for _, name := range p.order {
		t, top := p.tests[name], topLevel(name)
		text := t.output.String()
		if len(t.actions) == 0 || goPanic.MatchString(text) || goFatal.MatchString(text) {
			set[top] = true
		}
	}
	if len(set) > 1 { // parallel tests: the one that panicked, when it can be told
		for _, name := range p.order {
			if goPanic.MatchString(p.tests[name].output.String()) {
				return []string{topLevel(name)}, false
			}
		}
	}
	return keys(set), false
}

// take turns a package's events into results.
func (r *goRun) take(p *goPackage, dir string) {
	reached := p.tests[r.sentinel] != nil && p.tests[r.sentinel].status() == StatusPassed
	pkgDir := joinDir(r.suite.Dir, dir)
	found, culprit := false, false
	ended, _ := r.crash(p, dir)
	culprits := setFrom(ended)
	for _, name := range p.order {
		if name == r.sentinel {
			continue
		}
		t := p.tests[name]
		st := t.status()
		if !reached && len(t.actions) == 0 && !culprits[topLevel(name)] {
			continue // a bystander of a crash: it is seen when the package runs again
		}
		found = true
		res := TestResult{ID: r.suite.id(dir + ":" + name), Suite: suiteGo, File: r.file(dir, name), Name: name, Status: st, Seconds: t.elapsed}
		if res.Red() {
			culprit = culprit || culprits[topLevel(name)]
			f := r.failure(p, name, pkgDir)
			f.Test = res.ID
			if f.File == "" {
				f.File = res.File
			}
			f = finish(f)
			res.Failure = &f
		}
		if r.sel.has(dir+":"+name) || r.sel.has(dir) {
			r.out.tests = append(r.out.tests, res)
		}
	}
	switch {
	case reached && p.ended == "pass", culprit:
	case !reached:
		f := task.Failure{Kind: task.FailCrash, Exception: "NoEvidence", Excerpt: p.output.String(),
			Message: "the test process of " + pkgDir + " ended before its last test"}
		if e := goFailure(p.output.String(), pkgDir); e.Exception != "" {
			e.Message, f = f.Message+": "+e.Message, e
			f.Kind = task.FailCrash
		}
		r.broke(dir, f)
	case !found || !anyRed(p):
		r.broke(dir, task.Failure{Kind: task.FailCrash, Exception: "PackageFailed", Excerpt: p.output.String(),
			Message: "the package failed outside its tests"})
	}
}

// topLevel is the function of a test or subtest.
func topLevel(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}

func anyRed(p *goPackage) bool {
	for _, t := range p.tests {
		if s := t.status(); s == StatusFailed || s == StatusError {
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
func (r *goRun) failure(p *goPackage, name, pkgDir string) task.Failure {
	t := p.tests[name]
	text := t.output.String()
	for _, other := range p.order {
		if strings.HasPrefix(other, name+"/") && p.tests[other].status() != StatusPassed && !goLine.MatchString(text) && !goPanic.MatchString(text) {
			return task.Failure{Suite: suiteGo, Kind: task.FailAssertion, Exception: wrapper, Message: "a subtest failed"}
		}
	}
	if len(t.actions) == 0 || goTimedOut.MatchString(text) {
		all := text + p.output.String()
		f := goFailure(all, pkgDir)
		if f.Exception == "" {
			f.Kind, f.Exception = task.FailCrash, "ProcessDied"
			f.Message = "the test's process ended in the middle of the test"
		}
		return f
	}
	if len(t.actions) > 1 && !slices.Contains(t.actions, "fail") {
		return task.Failure{Suite: suiteGo, Kind: task.FailCrash, Exception: "ForgedRecord", Excerpt: text,
			Message: "the test was reported more than once: something prints reports of its own"}
	}
	return goFailure(text, pkgDir)
}
