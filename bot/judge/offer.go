package judge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/fettle-dev/fettle/bot/checkout"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/redact"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/testgen/characterise"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// Offer is the tests that a change lacks, as new files beside those that are there.
type Offer struct {
	Files []Offered `json:"files"`
	Patch string    `json:"patch,omitempty"` // adds them; git apply takes it
	Left  []string  `json:"left"`            // what was not tested or not kept, and why
}

// Offered is a new test file. Its tests pass with the change, run its lines and notice
// a fault that is planted there.
type Offered struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Of      string `json:"of"`           // the file whose changed functions it tests
	By      string `json:"by,omitempty"` // the model that wrote it; "": none did
	Nominal int    `json:"nominal"`
	Edge    int    `json:"edge"`
	// Fails: some of its tests are red on the code before the change.
	Fails bool `json:"fails_on_base"`
	// Planted counts the faults that it was asked about, Noticed those that it noticed,
	// New names those of them that no other test noticed.
	Planted int      `json:"planted"`
	Noticed int      `json:"noticed"`
	New     []string `json:"new"`
	Command string   `json:"command"`
}

const (
	maxOffered = 3 // files of code that tests are made for
	maxAsked   = 6 // planted faults that a new test file is asked about
)

// offer makes tests of the changed functions that no test holds on to.
func (r *run) offer(ctx context.Context) error {
	o := &Offer{Files: []Offered{}, Left: []string{}}
	r.rep.Offer = o
	if why := r.unoffered(); why != "" {
		o.Left = append(o.Left, why)
		return nil
	}
	r.in.Progress("writing tests of what no test holds on to")
	files := 0
	for _, c := range r.product {
		lacking, err := r.lacking(ctx, c)
		switch {
		case err != nil:
			return err
		case len(lacking) == 0:
			continue
		case files == maxOffered:
			o.Left = append(o.Left, fmt.Sprintf("%s, and what comes after it: tests are made for %s at a time", c.Path, task.Count(maxOffered, "file")))
		}
		if files++; files > maxOffered {
			break
		}
		if err := r.offerOf(ctx, c, lacking, o); err != nil {
			return err
		}
	}
	if files == 0 {
		o.Left = append(o.Left, "the tests that are there hold on to each changed function: every fault planted in one was noticed")
	}
	var err error
	o.Patch, err = o.patch()
	return err
}

// unoffered says why no tests are made for the change, or "".
func (r *run) unoffered() string {
	switch {
	case r.cfg.Characteriser == nil:
		return "nothing here writes tests"
	case len(r.product) == 0:
		return "no code is changed that tests could be written for"
	case len(r.base.Report.Suites) == 0:
		return "no tests can be run here"
	case !r.testable():
		return "tests fail with the change: a test that pins what it does now would pin a fault"
	case lines(r.product) > large:
		return fmt.Sprintf("%d lines of code are changed, too many to write tests of", lines(r.product))
	}
	return ""
}

// testable: nothing is red with the change that was green before.
func (r *run) testable() bool {
	return len(r.rep.Tests.Broken) == 0 && (r.verdict.Green || r.verdict.OnlyUnfixed())
}

// lacking are the changed regions of a file that no test holds on to: no fault could be
// planted there, or one went unnoticed.
func (r *run) lacking(ctx context.Context, c verify.Change) ([]code.Region, error) {
	if c.After == nil || code.LanguageOf(c.Path) == code.Unknown {
		return nil, nil
	}
	touched, err := code.Touched(ctx, c.Path, c.Before, c.After)
	if err != nil {
		return nil, fmt.Errorf("reading what is changed in %s: %w", c.Path, err)
	}
	return slices.DeleteFunc(touched, func(g code.Region) bool {
		ran := false
		for _, f := range r.planted {
			if f.ran && f.Path == c.Path && g.StartLine <= f.Line && f.Line <= g.EndLine {
				if ran = true; !f.noticed {
					return false
				}
			}
		}
		return ran
	}), nil
}

// offerOf makes tests of some regions of a file, and keeps those that are worth it.
func (r *run) offerOf(ctx context.Context, c verify.Change, lacking []code.Region, o *Offer) error {
	in := characterise.Input{
		Dir: r.in.Head.Dir(), Suites: r.base.Report.Suites, Changes: []gate.Change{c},
		Want: func(g code.Region) bool {
			return slices.ContainsFunc(lacking, func(l code.Region) bool { return l.ID == g.ID })
		},
		Allowed: func(p string) bool { return r.free(p) && (r.in.Allowed == nil || r.in.Allowed(p)) },
	}
	for _, ran := range []bool{true, false} { // what is known to go unnoticed first
		for _, f := range r.planted {
			if f.ran == ran && !f.noticed {
				in.Faults = append(in.Faults, f.Fault)
			}
		}
	}
	for _, t := range r.tests {
		if t.After != nil && code.IsTest(t.Path) {
			in.Tests = append(in.Tests, t.Path)
		}
	}
	found, err := r.cfg.Characteriser.Write(ctx, in)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil: // the judgement stands without them
		o.Left = append(o.Left, fmt.Sprintf("%s: no tests could be made: %s", c.Path, first(err.Error())))
		return nil
	}
	o.Left = append(o.Left, found.Left...)
	if len(found.Files)+len(found.Left) == 0 {
		o.Left = append(o.Left, c.Path+": no changed function is of a kind that can be called with what is seen of it")
	}
	kept := len(o.Files)
	for _, f := range found.Files {
		one := Offered{Path: f.Path, Content: f.Content, Of: c.Path, Nominal: found.Nominal, Edge: found.Edge, New: []string{}, Command: r.fileCommand(f.Path)}
		why, err := r.worth(ctx, c, lacking, &one)
		switch {
		case err != nil:
			return err
		case why != "":
			o.Left = append(o.Left, fmt.Sprintf("%s: the tests that were made were thrown away: %s", c.Path, why))
		default:
			o.Files = append(o.Files, one)
		}
	}
	if len(o.Files) > kept || r.cfg.Write == nil {
		return nil
	}
	return r.askWriter(ctx, c, lacking, in.Allowed, o)
}

// free: nothing is at a path, and no link or file is where it has folders.
func (r *run) free(p string) bool {
	tree := r.in.Head.BaseFS()
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if info, err := fs.Lstat(tree, dir); err == nil && !info.IsDir() {
			return false
		}
	}
	_, err := fs.Lstat(tree, p)
	return errors.Is(err, fs.ErrNotExist)
}

// worth asks a new test file on the code before the change and about planted faults,
// and says why it is not kept, or "".
func (r *run) worth(ctx context.Context, c verify.Change, lacking []code.Region, one *Offered) (string, error) {
	tests := map[string][]byte{one.Path: []byte(one.Content)}
	rep, err := r.cfg.Verifier.Try(ctx, verify.Trial{Dir: r.in.Base.Dir(), Files: maps.Clone(tests), Tests: []string{one.Path}, Baseline: &r.base})
	if err != nil {
		return "", fmt.Errorf("running new tests on the code before the change: %w", err)
	}
	one.Fails = slices.ContainsFunc(rep.Tests, func(t verify.TestResult) bool { return t.Red() && verify.Ran(t.Failure) })
	inside := func(f gate.Fault) bool {
		return f.Path == c.Path && slices.ContainsFunc(lacking, func(g code.Region) bool { return g.StartLine <= f.Line && f.Line <= g.EndLine })
	}
	var missed, unknown []fault
	for _, f := range r.planted {
		switch {
		case !inside(f.Fault) || f.noticed:
		case f.ran:
			missed = append(missed, f)
		default:
			unknown = append(unknown, f)
		}
	}
	if len(missed)+len(unknown) == 0 { // nothing was planted into this file
		planted, _, err := gate.LineFaults(ctx, []gate.Change{c}, r.until(r.cfg.FaultTime/2))
		if err != nil {
			return "", err
		}
		for _, f := range planted {
			if inside(f) {
				unknown = append(unknown, fault{Fault: f})
			}
		}
	}
	found, err := r.sees(ctx, one, gate.Spread(missed, maxAsked))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		if found, err = r.sees(ctx, one, gate.Spread(unknown, maxAsked)); err != nil {
			return "", err
		}
		for i := range found { // do the tests that are there notice it, too?
			if err := r.try(ctx, &found[i]); err != nil {
				return "", err
			}
		}
	}
	for _, f := range found {
		if !f.noticed {
			one.New = append(one.New, fmt.Sprintf("%s:%d: %s", f.Path, f.Line, inWords(c.After, f)))
		}
	}
	switch {
	case one.Planted == 0:
		return "no fault could be planted in the changed lines, so nothing says what they are worth", nil
	case one.Noticed == 0:
		return fmt.Sprintf("they noticed none of %s planted in the changed lines", task.Count(one.Planted, "fault")), nil
	case len(one.New) == 0 && !one.Fails:
		return "the tests that are there notice all that they noticed", nil
	}
	return "", nil
}

// sees asks a new test file about planted faults, counts them, and gives those that it
// notices.
func (r *run) sees(ctx context.Context, one *Offered, all []fault) (found []fault, err error) {
	for _, f := range all {
		f.Fault = f.Plant()
		files := map[string][]byte{one.Path: []byte(one.Content), f.Path: f.Text}
		if !r.theirs {
			maps.Copy(files, version(r.config, false))
		}
		rep, err := r.cfg.Verifier.Try(ctx, verify.Trial{Dir: r.in.Head.Dir(), Files: files, Tests: []string{one.Path}, Baseline: &r.base})
		if err != nil {
			return nil, fmt.Errorf("asking new tests about planted faults: %w", err)
		}
		noticed, ran := gate.Sees(rep)
		if ran {
			one.Planted++
		}
		if ran && noticed {
			one.Noticed++
			found = append(found, f)
		}
	}
	return found, nil
}

// rows are the offer in lines.
func (o *Offer) rows(code func(string) string) (rows []string) {
	for _, f := range o.Files {
		rows = append(rows, fmt.Sprintf("%s: %s (%s)", f.Path, f.Words(), code(f.Command)))
	}
	for _, words := range o.Left {
		rows = append(rows, "not written: "+words)
	}
	return rows
}

// clean drops what could not be shown or committed as it is: a result that looks like
// a secret is no test of anything.
func (o *Offer) clean(f *redact.Funnel) {
	o.Files = slices.DeleteFunc(o.Files, func(one Offered) bool {
		if f.Secrets(one.Content) == one.Content && f.Log(one.Path) == one.Path {
			return false
		}
		o.Left = append(o.Left, one.Of+": a test would hold what looks like a secret")
		return true
	})
	o.Patch, _ = o.patch() // of text it cannot fail
}

// Words say what a new test file is worth.
func (f Offered) Words() string {
	words := fmt.Sprintf("written by %s for %s", f.By, f.Of)
	if f.By == "" {
		words = fmt.Sprintf("%s, %s of %s", task.Count(f.Nominal, "nominal case"), task.Count(f.Edge, "edge case"), f.Of)
	}
	if f.Fails {
		words += "; fails on the code before the change"
	}
	words += fmt.Sprintf("; notices %d of %s", f.Noticed, task.Count(f.Planted, "planted fault"))
	if len(f.New) > 0 {
		words += fmt.Sprintf("; %d of them no other test notices, first %s", len(f.New), f.New[0])
	}
	return words
}

// fileCommand runs one test file that is not known to the baseline yet.
func (r *run) fileCommand(path string) string {
	switch code.LanguageOf(path) {
	case code.Python:
		if slices.ContainsFunc(r.base.Report.Suites, func(s verify.Suite) bool { return s.Name == "pytest" }) {
			return "python3 -m pytest " + quoted(path)
		}
	case code.JavaScript:
		if slices.ContainsFunc(r.base.Report.Suites, func(s verify.Suite) bool { return s.Name == "node" }) {
			return "node --test " + quoted(path)
		}
	}
	return r.command("")
}

// patch adds the files of an offer.
func (o *Offer) patch() (string, error) {
	var files []task.FileChange
	for _, f := range o.Files {
		files = append(files, task.FileChange{Path: f.Path, Mode: "100644", Content: []byte(f.Content)})
	}
	return checkout.DiffOf(files, func(string) ([]byte, string, bool, error) { return nil, "", false, nil })
}
