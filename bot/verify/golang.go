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

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
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
	goClause = lazyregexp.New(`(?m)^package[ \t]+(\w+)`)
	goFunc   = lazyregexp.New(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
)

func (v *Verifier) runGo(ctx context.Context, b box, s Suite, sel selection, lim limits) (outcome, error) {
	tree, err := scanBox(b)
	if err != nil {
		return outcome{}, err
	}
	r := &goRun{suite: s, sel: sel, lim: lim, packages: map[string]*goDir{}, module: tree.Module(s.Dir)}
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
func (r *goRun) look(t *detect.Tree) {
	for _, f := range t.Under(r.suite.Dir, nil) {
		if module, _ := t.Nearest(f, "go.mod"); module != r.suite.Dir || !strings.HasSuffix(f, "_test.go") || !detect.GoSees(f) {
			continue
		}
		dir := path.Dir(detect.From(r.suite.Dir, f))
		d := r.packages[dir]
		if d == nil {
			d = &goDir{files: map[string]string{}}
			r.packages[dir] = d
		}
		src := t.Read(f)
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
			Env:    v.goEnv(),
			Needs:  true,
			Sealed: true, // what it prints is the evidence
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

// goEnv: a sealed go command stands elsewhere, and has to be told of its root.
func (v *Verifier) goEnv() map[string]string {
	env := map[string]string{"GOTOOLCHAIN": "local", "GOPROXY": "off"}
	if exe := v.program("go"); exe != "" {
		env["GOROOT"] = path.Dir(path.Dir(exe))
	}
	return env
}
