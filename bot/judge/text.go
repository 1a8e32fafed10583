package judge

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/danger"
	"github.com/fettle-dev/fettle/bot/verify/reach"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/example"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// harmful is the weight from which a danger makes a change dangerous; a lighter one is
// a reason to look.
const harmful = 20

// text judges what can be read without running anything.
func (r *run) text(ctx context.Context) error {
	all := r.c.all()
	if n := lines(all); n > tooLarge {
		r.rep.Risk = patch.Risk(all, patch.Facts{})
		r.lower(Unproven, "%d lines are changed, more than anybody can judge at once: split it", n)
		return nil
	}
	for _, f := range r.c.files {
		switch f.kind {
		case KindCI:
			r.found("ci", f.Path, 1, "what CI runs is changed: it runs with the project's own rights")
			r.lower(Plausible, "%s changes what CI runs, which no test shows", f.Path)
		case KindConfig:
			r.found("test_config", f.Path, 1, "what decides how tests are run is changed: the tests were judged by the one before the change where that was possible")
		case KindBinary:
			r.found("binary", f.Path, 1, "a binary file, which nobody can read")
			r.lower(Plausible, "%s is binary: nothing says what it does", f.Path)
		case KindGenerated:
			r.found("generated", f.Path, 1, "generated code: judge what it is generated from")
		case KindLock:
			r.found("lock", f.Path, 1, "what it pins is not installed here")
			r.lower(Plausible, "%s pins other dependencies than those that the tests ran with", f.Path)
		case KindLink:
			r.link(f)
		case KindSubmodule:
			r.found(KindSubmodule, f.Path, 1, "another commit of a submodule, which is not here")
			r.lower(Plausible, "%s is a submodule: what its commit holds is not here", f.Path)
		}
		if f.mode {
			may := "may be started as a program with the change"
			if !r.c.exec[f.Path] {
				may = "may not be started as a program with the change"
			}
			r.found(KindMode, f.Path, 1, "it %s", may)
			r.lower(Plausible, "%s %s, which no test shows", f.Path, may)
		}
	}
	found, err := verify.Dangers(ctx, r.in.Base.BaseFS(), all, r.issue())
	if err != nil {
		return err
	}
	for _, d := range found {
		words := fmt.Sprintf("`%s`: %s", d.Text, d.Why)
		if d.Removed {
			words += " (removed by the change)"
		}
		r.found("danger/"+string(d.Kind), d.Path, d.Line, "%s", words)
		switch {
		case d.Risk >= harmful && !code.IsTest(d.Path):
			r.lower(Dangerous, "%s:%d %s", d.Path, d.Line, words)
		default:
			r.lower(Plausible, "%s:%d %s", d.Path, d.Line, words)
		}
	}
	risk, _, err := Risk(ctx, r.in.Head.BaseFS(), all, found)
	if err != nil {
		return err
	}
	r.rep.Risk = risk
	if asks := danger.AsksToWeakenTests(r.in.Title, r.in.Body); asks != "" && len(r.tests) > 0 {
		r.lower(Unproven, "the issue asks for tests to be weakened (%q), and tests are changed", asks)
	}
	for _, step := range []func(context.Context) error{r.reaches, r.static, r.dead} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// link tells where a changed link leads; out of the repository is for a person to look at.
func (r *run) link(f file) {
	to := string(f.After)
	switch _, err := fs.Stat(r.in.Head.BaseFS(), f.Path); {
	case f.After == nil:
		r.found(KindLink, f.Path, 1, "a link to %s is removed", f.Before)
	case path.IsAbs(to) || !fs.ValidPath(path.Join(path.Dir(f.Path), to)):
		r.found(KindLink, f.Path, 1, "a link out of the repository, to %s", to)
		r.lower(Dangerous, "%s leads out of the repository, to %s", f.Path, to)
		return
	case err != nil:
		r.found(KindLink, f.Path, 1, "a link to %s, which is not there", to)
	default:
		r.found(KindLink, f.Path, 1, "a link to %s", to)
	}
	r.lower(Plausible, "%s is or was a link, which no diff of a text shows", f.Path)
}

// reaches tells of what stands where evidence is made: in code it makes all evidence
// doubtful, in tests a person looks.
func (r *run) reaches(ctx context.Context) error {
	for _, f := range r.c.files {
		switch f.kind {
		case KindDocs, KindLock, KindCI, KindLink, KindMode, KindSubmodule:
			continue
		}
		all, err := reach.New(ctx, f.Path, f.Before, f.After)
		if err != nil {
			return err
		}
		if f.kind == KindTest { // what tests are written with
			all = slices.DeleteFunc(all, func(x reach.Finding) bool { return strings.Contains(x.Why, "test runner") })
		}
		for _, x := range all {
			r.found("forgery", x.Path, x.Line, "`%s` %s", x.Code, x.Why)
		}
		switch {
		case len(all) == 0:
		case f.kind == KindTest || f.kind == KindConfig:
			r.lower(Plausible, "%s: what a test reaches for beyond what it tests is for a person to look at", all[0])
		default:
			r.lower(Unproven, "%s: what evidence is made of is in its reach, so none is believed", all[0])
		}
	}
	return nil
}

// static reads the tests that the change brings or changes.
func (r *run) static(ctx context.Context) error {
	c := gate.Candidate{Base: r.in.Head.BaseFS(), Tests: map[string][]byte{}, Changes: r.product}
	mine := map[string]map[int]bool{}
	for _, t := range r.tests {
		lang := code.LanguageOf(t.Path)
		if t.After == nil || !code.IsTest(t.Path) || !gate.Judges(string(lang)) {
			continue
		}
		c.Tests[t.Path], mine[t.Path] = t.After, code.ChangedLines(t.Before, t.After)
	}
	if len(c.Tests) == 0 {
		return nil
	}
	bad, err := gate.Static(ctx, c)
	if err != nil {
		return err
	}
	for _, x := range bad {
		if x.Kind == gate.CannotRun || !mine[x.Path][x.Line] && !begins(mine[x.Path], c.Tests[x.Path], x.Test) {
			continue
		}
		r.found("test/"+string(x.Kind), x.Path, x.Line, "%s%s", named(x.Test), x.Reason)
		switch x.Kind {
		case gate.AssertsNothing, gate.AssertsMock, gate.Tautology, gate.NotTheProject:
			r.worthless[x.Test] = true
		}
	}
	return nil
}

func named(test string) string {
	if test == "" {
		return ""
	}
	return test + ": "
}

// begins: the test that is spoken of begins on a changed line.
func begins(changed map[int]bool, src []byte, test string) bool {
	if test == "" {
		return false
	}
	at := bytes.Index(src, []byte(test))
	return at >= 0 && changed[1+bytes.Count(src[:at], []byte("\n"))]
}

var word = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)

// dead tells of functions that the change adds and nothing calls: those alone that
// nobody outside can.
func (r *run) dead(ctx context.Context) error {
	type place struct {
		path string
		line int
	}
	added := map[string]place{}
	for _, c := range r.product {
		was, err := code.Callables(ctx, c.Path, c.Before)
		if err != nil {
			continue
		}
		now, err := code.Callables(ctx, c.Path, c.After)
		if err != nil {
			continue
		}
		for _, f := range now {
			private := strings.HasPrefix(f.Name, "_") && !strings.HasPrefix(f.Name, "__") || code.LanguageOf(c.Path) == code.Go && f.Parent == "" && f.Name != "main" && f.Name != "init" && f.Name != "_" && strings.ToLower(f.Name[:1]) == f.Name[:1]
			if private && !slices.ContainsFunc(was, func(o code.Callable) bool { return o.QualifiedName == f.QualifiedName }) {
				added[f.Name] = place{c.Path, 1 + bytes.Count(c.After[:f.StartByte], []byte("\n"))}
			}
		}
	}
	if len(added) == 0 {
		return nil
	}
	uses := map[string]int{}
	tree := r.in.Head.BaseFS()
	for _, b := range r.in.Head.Blobs() {
		if code.LanguageOf(b.Path) == code.Unknown || b.Size > maxFile {
			continue
		}
		src, err := fs.ReadFile(tree, b.Path)
		if err != nil {
			return err
		}
		for _, w := range word.FindAll(src, -1) {
			if _, asked := added[string(w)]; asked {
				uses[string(w)]++
			}
		}
	}
	for _, name := range sorted(added) {
		if uses[name] <= 1 {
			r.found("dead_code", added[name].path, added[name].line, "%s is added, and nothing calls it", name)
		}
	}
	return nil
}

// Risk scores changes with the uses of what changed its name or parameters, and with
// the dangers that were found in them.
func Risk(ctx context.Context, after fs.FS, changes []patch.Change, found []danger.Finding) (task.Risk, []task.CallSite, error) {
	facts := patch.Facts{}
	for _, c := range changes {
		facts.TestsAdded = facts.TestsAdded || c.After != nil && code.IsTest(c.Path)
	}
	sites, err := patch.Callers(ctx, after, changes)
	if err != nil {
		return task.Risk{}, nil, fmt.Errorf("looking for callers: %w", err)
	}
	for _, s := range sites {
		if !s.Adapted {
			facts.CallersLeft++
		}
	}
	for _, f := range found {
		facts.Dangers = append(facts.Dangers, patch.Danger{Points: f.Risk, Words: f.String()})
	}
	return patch.Risk(changes, facts), sites, nil
}

// Stated holds a changed tree against the examples of its documentation, where there
// are any: broken ones held before and do not now, mended ones hold now.
func Stated(ctx context.Context, runner example.Runner, base fs.FS, dir string, changes []verify.Change) (broken, mended []string, asked bool, err error) {
	stated, err := example.StatedOf(ctx, base, changes)
	if err != nil || stated.Len() == 0 {
		return nil, nil, false, err
	}
	before, err := stated.Ask(ctx, runner, dir, version(changes, false))
	if err != nil {
		return nil, nil, false, err
	}
	after, err := stated.Ask(ctx, runner, dir, nil)
	if err != nil {
		return nil, nil, false, err
	}
	return stated.Broken(before, after), stated.Mended(before, after), true, nil
}

const (
	compareTime = 20 * time.Second
	maxCompared = 3 // files
)

// behaviour begins to do the calls that the tests make, and calls near them, before and
// after. What it gives waits for them and writes down what differs.
func (r *run) behaviour(ctx context.Context) (wait func() error) {
	if r.cfg.Characteriser == nil {
		return func() error { return nil }
	}
	r.in.Progress("comparing what calls come to before and after")
	var all []task.Behaviour
	var said []string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		all, said, err = r.differences(ctx)
	}()
	return func() error {
		<-done
		r.rep.Behaviour, r.good = append(r.rep.Behaviour, all...), append(r.good, said...)
		return err
	}
}

// differences are the calls that come to something else; said is what was not compared.
func (r *run) differences(ctx context.Context) (out []task.Behaviour, said []string, err error) {
	within, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	in := characterise.Input{Dir: r.in.Head.Dir(), Suites: r.base.Report.Suites, Changes: r.product}
	files := 0
	for _, c := range r.product {
		if c.Before == nil || c.After == nil || code.SameCode(ctx, c.Path, c.Before, c.After) {
			continue
		}
		if files++; files > maxCompared {
			said = append(said, fmt.Sprintf("calls of %s are compared before and after, and none of the rest, from %s on", task.Count(maxCompared, "file"), c.Path))
			break
		}
		all, err := r.cfg.Characteriser.Differences(within, in, c.Path, c.Before, c.After)
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case err != nil:
			said = append(said, fmt.Sprintf("what calls of %s come to before and after could not be compared: %s", c.Path, first(err.Error())))
		}
		out = append(out, all...)
	}
	return out, said, nil
}
