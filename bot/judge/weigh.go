package judge

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// weigh says what the tests show.
func (r *run) weigh(ctx context.Context) error {
	v := r.verdict
	r.rep.Checks, r.rep.Grade = append(r.rep.Checks, v.Checks...), v.Grade
	known := r.was.Red()
	var still []string // were red before, and not by the change's doing
	for _, id := range append(slices.Clone(v.Broken), v.Missing...) {
		r.broken(id, "it passed before the change")
	}
	for _, id := range v.StillRed {
		switch {
		case slices.Contains(r.base.Flaky, id):
		case slices.Contains(known, id):
			still = append(still, id)
		case r.touched(id):
			r.broken(id, "the change brings or changes it, and it fails with the change")
		case len(r.base.Report.Broken) > 0 && !r.redBefore(id):
			r.broken(id, "it could not be run with the code before the change, and fails with it")
		default:
			still = append(still, id)
		}
	}
	r.altered(r.was, r.now)
	if err := r.proofs(ctx, r.was); err != nil {
		return err
	}
	if n := len(still); n > 0 {
		r.say("%s already before the change and %s still: not held against it", task.Count(n, "test")+" failed", plural(n, "does", "do"))
	}
	switch {
	case len(r.rep.Tests.Broken) > 0:
		b := r.rep.Tests.Broken[0]
		r.lower(Refuted, "%s, first %s: %s", task.Count(len(r.rep.Tests.Broken), "test")+" "+plural(len(r.rep.Tests.Broken), "fails", "fail")+" with the change", b.ID, b.Why)
	case v.OnlyUnfixed() && r.c.moved():
		r.lower(Plausible, "files are only moved, and all tests that passed before pass")
	case v.OnlyUnfixed() && len(v.Fixed) == 0:
		r.lower(Unproven, "no test that fails with the code before the change passes with it%s", r.unfixed())
	case len(v.Reasons) > 0 && len(r.base.Report.Tests) == 0:
		r.lower(Unproven, "no test can be run with the code before the change, nor with it: %s", v.Reasons[0])
	case len(v.Reasons) > 0:
		for _, words := range v.Reasons {
			r.lower(Refuted, "%s", words)
		}
	}
	if !v.Green {
		return nil
	}
	r.say("%s from red to green, first %s", task.Count(len(v.Fixed), "test")+" "+plural(len(v.Fixed), "turns", "turn"), v.Fixed[0])
	if !slices.ContainsFunc(v.Fixed, func(id string) bool { return !r.pins(id) }) {
		r.lower(Unproven, "the tests that turn green only pin what the change does (%s): they would, whatever it did", v.Fixed[0])
	}
	switch v.Grade {
	case verify.Told, "":
		r.lower(Unproven, "nothing but the run's own word says that the tests pass (grade told)")
	default:
		r.say("grade %s", v.Grade)
	}
	for _, d := range v.Doubts {
		r.lower(Plausible, "%s", d)
	}
	for _, id := range v.Flaky {
		r.rep.Tests.Flaky = append(r.rep.Tests.Flaky, Test{ID: id, Why: "it turned red with the change, and fails now and then without it", Command: r.command(id)})
	}
	return nil
}

// unfixed says what came with the change in the place of a proof.
func (r *run) unfixed() string {
	switch {
	case len(r.rep.Tests.New) > 0:
		return ": the tests that it brings pass before it too"
	case len(r.tests) == 0:
		return ": it brings none, and none that was there fails"
	}
	return ""
}

func (r *run) broken(id, why string) {
	if slices.ContainsFunc(r.rep.Tests.Broken, func(t Test) bool { return t.ID == id }) {
		return
	}
	for _, f := range r.verdict.Failures {
		if f.Test == id && f.Message != "" {
			why += ": " + first(f.Message)
			if f.File != "" {
				r.found("broken_test", f.File, f.Line, "%s fails with the change: %s", id, first(f.Message))
			}
			break
		}
	}
	r.rep.Tests.Broken = append(r.rep.Tests.Broken, Test{ID: id, Why: why, Command: r.command(id)})
}

// redBefore tells whether a test itself, or a file that cannot be run, was red before,
// and not only what holds it.
func (r *run) redBefore(id string) bool {
	return slices.ContainsFunc(r.base.Report.Failures(), func(f task.Failure) bool { return f.Test == id })
}

// altered tells of the tests that were green as they were before and would fail with
// the change, which changed or deleted them. Those that fail as they are now are broken.
func (r *run) altered(was, now verify.Report) {
	red, green := now.Red(), now.Green()
	var gone []string
	for _, id := range was.Green() {
		if slices.Contains(green, id) || slices.Contains(r.base.Flaky, id) || slices.ContainsFunc(r.rep.Tests.Broken, func(t Test) bool { return t.ID == id }) {
			continue
		}
		why := "as it was before, it fails with the change"
		for _, f := range now.Failures() {
			if f.Test == id {
				why += ": " + first(f.Message)
			}
		}
		if !slices.Contains(red, id) {
			why = "as it was before, it cannot be run with the change"
		}
		if !r.passes(id) {
			why += "; the change deletes or skips it"
			gone = append(gone, id)
		}
		r.rep.Tests.Altered = append(r.rep.Tests.Altered, Test{ID: id, Why: why, Command: r.command(id)})
	}
	n := len(r.rep.Tests.Altered)
	switch {
	case len(gone) > 0:
		r.lower(Unproven, "the change deletes or skips %s that would fail with it, first %s", task.Count(len(gone), "test"), gone[0])
	case n > 0:
		r.lower(Plausible, "the change alters %s that would fail with it, first %s: whether the new expectation is right is for a person to say", task.Count(n, "test"), r.rep.Tests.Altered[0].ID)
	}
}

// passes tells whether a test passes among the change's own.
func (r *run) passes(id string) bool {
	if slices.Contains(r.verdict.Fixed, id) {
		return true
	}
	if slices.Contains(r.base.Report.Green(), id) {
		return !slices.Contains(r.verdict.Broken, id) && !slices.Contains(r.verdict.Missing, id)
	}
	return slices.ContainsFunc(r.verdict.Fixed, func(unit string) bool { return verify.InUnit(unit, id) })
}

// proofs says what each test is worth that the change adds, or makes other.
func (r *run) proofs(ctx context.Context, was verify.Report) error {
	r.newTests(was)
	added, err := verify.AddedBy(ctx, r.product)
	if err != nil {
		return err
	}
	tests, units := added.Red(r.base.Report)
	right := append(tests, units...)
	worthy := 0
	for _, id := range r.verdict.Fixed {
		t := Test{ID: id, Worth: FailsOnBase, Command: r.command(id)}
		var f *task.Failure
		for _, x := range r.base.Report.Failures() {
			if x.Test == id {
				f = &x
				break
			}
		}
		if f != nil {
			t.Why = fmt.Sprintf("before the change: %s: %s", f.Kind, first(f.Message))
		}
		switch {
		case f != nil && f.Kind == task.FailAssertion: // whatever its text looks like, it was seen to assert
			worthy++
			r.asserts(id)
		case r.empty(id):
			t.Worth, t.Why = WrongReason, "it asserts nothing of the project"
		case !slices.Contains(right, id):
			t.Worth = WrongReason
		case slices.Contains(units, id) || f != nil && !verify.Ran(f):
			t.Worth = NeedsNew
			worthy++
		default:
			worthy++
		}
		r.rep.Tests.Fixed = append(r.rep.Tests.Fixed, t)
		if r.touched(id) {
			i := slices.IndexFunc(r.rep.Tests.New, func(n Test) bool { return n.ID == id })
			if i >= 0 {
				r.rep.Tests.New[i] = t
			} else if !slices.Contains(was.Green(), id) && !slices.Contains(was.Red(), id) || t.Worth != NeedsNew {
				r.rep.Tests.New = append(r.rep.Tests.New, t)
			}
		}
	}
	if r.verdict.Green && worthy == 0 {
		r.lower(Unproven, "what turned green was red before for another reason than the code's behaviour, or asserts nothing: %s (%s)", r.rep.Tests.Fixed[0].ID, r.rep.Tests.Fixed[0].Why)
	}
	return nil
}

// newTests lists the tests of the change's own that were not there before and pass on
// the code before it, as far as they can be run there.
func (r *run) newTests(was verify.Report) {
	old := map[string]bool{}
	for _, t := range was.Tests {
		old[t.ID] = true
	}
	for _, t := range r.base.Report.Tests {
		if t.Status != verify.StatusPassed || old[t.ID] || !r.touched(t.ID) {
			continue
		}
		x := Test{ID: t.ID, Worth: PassesOnBase, Why: "it passes with the code before the change too, so it shows nothing of the change", Command: r.command(t.ID)}
		if r.empty(t.ID) {
			x.Why = "it asserts nothing of the project"
		}
		r.rep.Tests.New = append(r.rep.Tests.New, x)
	}
}

// empty tells whether the text of a test says that it asserts nothing of the project.
func (r *run) empty(id string) bool {
	name, ok := verify.NativeName(r.base.Report.Suites, id)
	return ok && slices.ContainsFunc(sorted(r.worthless), func(w string) bool {
		return name == w || strings.HasSuffix(name, "::"+w) || strings.HasSuffix(name, " "+w) || strings.HasPrefix(name, w+"[") || strings.HasPrefix(name, w+"/")
	})
}

// asserts takes back that the text of a test looks as if it asserted nothing.
func (r *run) asserts(id string) {
	r.rep.Findings = slices.DeleteFunc(r.rep.Findings, func(f Finding) bool {
		test, _, named := strings.Cut(f.Message, ": ")
		return f.Rule == "test/"+string(gate.AssertsNothing) && named && strings.HasSuffix(id, test)
	})
}

// parts are the suite, the folder and the runner's own name of a test's id.
func parts(id string) (suite, dir, native string) {
	suite, rest, _ := strings.Cut(id, ":")
	dir, native, _ = strings.Cut(rest, ":")
	return suite, dir, native
}

var goTop = lazyregexp.New(`^([^:]*):(Test\w*|Example\w*|Fuzz\w*)`)

// touched tells whether a test, or the unit that holds it, stands in a test file that
// the change adds or changes.
func (r *run) touched(id string) bool {
	return slices.ContainsFunc(r.tests, func(c verify.Change) bool { return r.standsIn(id, c) })
}

// pins tells whether a test stands in a new file of tests that were made of what the
// change does: they pass with it whatever it does.
func (r *run) pins(id string) bool {
	return slices.ContainsFunc(r.tests, func(c verify.Change) bool {
		return c.Before == nil && bytes.Contains(c.After[:min(len(c.After), 500)], []byte(characterise.Note)) && r.standsIn(id, c)
	})
}

// standsIn tells whether a test stands in a test file that the change adds or changes.
func (r *run) standsIn(id string, c verify.Change) bool {
	suite, dir, native := parts(id)
	p := c.Path
	if suite == "go" {
		m := goTop.FindStringSubmatch(native)
		if m == nil { // a package
			return path.Join(dir, native) == path.Dir(p) && code.IsTest(p)
		}
		return path.Join(dir, m[1]) == path.Dir(p) && strings.Contains(string(c.After)+string(c.Before), "func "+m[2]+"(")
	}
	rel := strings.TrimPrefix(p, dir+"/")
	if native == rel || strings.HasPrefix(native, rel+"::") || strings.HasPrefix(native, rel+" > ") || strings.HasPrefix(native, rel+":") {
		return true
	}
	return slices.ContainsFunc(r.base.Report.Tests, func(t verify.TestResult) bool { return t.ID == id && (t.File == p || t.Source == p) })
}

// command is what a person would type to run a test, or with "" all of them.
func (r *run) command(id string) string {
	suite, dir, native := parts(id)
	own := ""
	for _, s := range r.base.Report.Suites {
		if id == "" || s.Name == suite && s.Dir == dir {
			own, dir = strings.Join(s.Argv, " "), s.Dir
			break
		}
	}
	in := ""
	if dir != "." && dir != "" {
		in = "cd " + quoted(dir) + " && "
	}
	switch {
	case id == "":
	case suite == "pytest":
		return in + "python3 -m pytest " + quoted(native)
	case suite == "node":
		file, _, _ := strings.Cut(native, " > ")
		return in + "node --test " + quoted(file)
	case suite == "go":
		pkg, name, one := strings.Cut(native, ":")
		if pkg = "./" + pkg; pkg == "./." {
			pkg = "."
		}
		if !one {
			return in + "go test " + quoted(pkg)
		}
		return in + "go test " + quoted(pkg) + " -run " + quoted("^"+strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^")+"$")
	}
	return in + own
}

var plain = lazyregexp.New(`^[\w./:@%+=,-]+$`)

func quoted(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
