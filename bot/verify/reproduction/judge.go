package reproduction

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

// Candidate is a new test and what came of it on the code as it is.
type Candidate struct {
	Path, Text string
	// Before is the text that passed there and was turned round; empty: none was.
	Before string
	Report verify.Report // of this file alone
	Red    []belong.Red  // its failing tests, with their source
	Docs   string        // what README and comments say
	Tests  string        // source of the tests that are there
	// Has tells whether a name stands anywhere in the code as it is; nil: none does.
	Has func(name string) bool
	// Beside are files whose functions the test can call.
	Beside []Beside

	helpers *helpers
}

// Verdict says whether a candidate is taken.
type Verdict struct {
	Not string `json:"not,omitempty"` // why it is not, behind its name; empty: it is taken
	// Later: what it needs is what the issue asks to add, so that it can come with
	// the change only.
	Later bool `json:"later,omitempty"`
	// Untied: nothing in the issue points at what the test runs, or at what comes out.
	Untied  bool          `json:"untied,omitempty"`
	Fails   string        `json:"fails,omitempty"`  // how it fails, in a line
	Doubts  []string      `json:"doubts,omitempty"` // what a person has to decide
	Expects []Expectation `json:"expects,omitempty"`
	// Ties are what in the issue points at it, with their weights.
	Ties []belong.Reason `json:"ties,omitempty"`
}

// Expectation is what a test holds a call to.
type Expectation struct {
	Call  string `json:"call,omitempty"` // as written, on one line
	Want  string `json:"want"`
	Given bool   `json:"given"` // the issue, the README or a comment states it
	// Part: what comes out has Want in it, or has it not, and is more than that.
	Part bool `json:"part,omitempty"`
	// SetUp: Call is of a variable of the test, or is given one.
	SetUp bool `json:"set_up,omitempty"`
}

func not(format string, args ...any) Verdict { return Verdict{Not: fmt.Sprintf(format, args...)} }

// Passes decides on a test that is to hold the fault as it is: all of it passes.
// Whether it is about the issue is seen when it is turned round.
func Passes(issue *belong.Issue, c Candidate) Verdict {
	if v := c.ran(issue); v.Not != "" {
		return v
	}
	for _, t := range c.Report.Tests {
		if t.Red() {
			return not("fails on the code as it is (%s), and has to pass there", words(t.Failure))
		}
	}
	return Verdict{}
}

// Judge decides on a test that is to fail.
func Judge(ctx context.Context, issue *belong.Issue, c Candidate) Verdict {
	if v := c.ran(issue); v.Not != "" {
		return v
	}
	c.helpers = readHelpers(ctx, c)
	var v Verdict
	red, own, other := 0, false, ""
	for _, t := range c.Report.Tests {
		if !t.Red() {
			continue
		}
		at := slices.IndexFunc(c.Red, func(r belong.Red) bool { return r.ID == t.ID })
		if t.Failure == nil || at < 0 {
			return not("fails without saying why")
		}
		if t.Failure.Exception == "SubtestFailed" {
			continue // its part says why
		}
		red++
		why, ties := c.wrong(issue, t, c.Red[at])
		switch {
		case why == untied, strings.HasPrefix(why, elsewhere): // it may be of another thing that the issue asks for
			other = cmp.Or(other, why)
		case why != "":
			return Verdict{Not: why}
		default:
			own = true
		}
		v.Ties = append(v.Ties, ties...)
		v.expect(issue, c, *t.Failure, c.Red[at])
		if v.Fails == "" {
			v.Fails = words(t.Failure)
		}
	}
	if c.helpers.called > mostCalled || c.helpers.own == nil {
		v.note(Expectation{Want: "more than was read"})
	}
	if other != "" && !own {
		return Verdict{Not: other, Untied: other == untied}
	}
	if red == 0 {
		return not("passes on the code as it is, so it does not show the fault")
	}
	v.doubt()
	return v
}

// ran says why the test did not run, as far as that is so.
func (c Candidate) ran(issue *belong.Issue) Verdict {
	if len(c.Report.Broken) > 0 {
		f := c.Report.Broken[0]
		v := not("cannot be run on the code as it is (%s)", f.Words())
		v.Later = c.asked(issue, missing(f))
		return v
	}
	skipped := 0
	for _, t := range c.Report.Tests {
		if t.Status == verify.StatusSkipped {
			skipped++
		}
	}
	switch len(c.Report.Tests) {
	case 0:
		return not("is not seen to run: name and write it as the repository's own tests are")
	case skipped:
		return not("is skipped")
	}
	return Verdict{}
}

// What keeps a test from running, whatever the code does.
var (
	network = lazyregexp.New(`(?i)ECONNREFUSED|\bENOTFOUND|EAI_AGAIN|ENETUNREACH|gaierror|URLError|ConnectionRefused|connection refused|name resolution|network is unreachable|no such host|dial tcp|fetch failed`)
	noFile  = lazyregexp.New(`(?i)FileNotFoundError|ENOENT|no such file or directory`)
	unnamed = lazyregexp.New(`^(?:NameError|ReferenceError)$`) // no change of the code gives the test a name
	noName  = lazyregexp.New(`(?i)has no attribute|is not a (?:function|constructor)|undefined: |unexpected keyword argument|positional argument|takes no arguments|cannot import name|does not provide an export`)
	crashes = lazyregexp.New(`\b(?:crash\w*|exceptions?|traceback|raises?|raised|throws?|thrown|panics?|blows? up|dies|errors?|uncaught|unhandled)\b|\b(?:http|status|answer\w*|respon\w+|return\w*|code)\b[^.\n]{0,40}\b5\d\d\b|\b5\d\d (?:internal|response|answer|status)\b`)
	refuses = lazyregexp.New(`\b(?:rais\w*|throw\w*|reject\w*|refus\w*|errors?|invalid|exceptions?|fail\w*|panic\w*|forbid\w*|not allowed|must not|may not|deny|denied|stop\w*|exits?)\b`)
	nothing = lazyregexp.New(`\b(?:empty|nothing|none|null|nil|no|zero|without|gone|removed?|deleted?|leaves?|left|ignored?|missing|never|not|undefined|keeps?|stays?)\b`)

	identifier = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
)

// wrong says why a test does not fail for the issue's reason, or "" and what ties it to
// the issue.
func (c Candidate) wrong(issue *belong.Issue, t verify.TestResult, r belong.Red) (string, []belong.Reason) {
	f := *t.Failure
	said := f.Exception + ": " + f.Message
	own := c.own(f) && (c.through(f) < 0 || !issue.Speaks(crashes))
	lacks := missing(f)
	asked := c.asked(issue, lacks)
	switch {
	case f.Kind == task.FailTimeout:
		return "runs out of time", nil
	case asked:
	case len(lacks) > 0:
		return fmt.Sprintf("needs %s, which the code does not have and the issue does not ask to add", strings.Join(lacks, ", ")), nil
	case !verify.Ran(&f) && !c.reached(f), t.Status == verify.StatusError && f.Kind != task.FailAssertion && own:
		return fmt.Sprintf("cannot be run on the code as it is (%s)", f.Words()), nil
	case network.MatchString(said) && !issue.Speaks(network):
		return fmt.Sprintf("needs a network (%s)", f.Words()), nil
	case noFile.MatchString(said) && f.Kind != task.FailAssertion && !issue.Speaks(noFile):
		return fmt.Sprintf("needs a file that is not there (%s)", f.Words()), nil
	case f.Kind == task.FailException && own && (unnamed.MatchString(f.Exception) || !issue.TellsOf(f.Exception)):
		return fmt.Sprintf("fails by itself and not in the code (%s)", f.Words()), nil
	case f.Kind == task.FailException && !issue.TellsOf(f.Exception) && !issue.Speaks(crashes):
		return fmt.Sprintf("ends with an exception of which the issue says nothing (%s)", f.Words()), nil
	case c.Before != "" && !c.turned(f, r):
		return fmt.Sprintf("does not fail in the assertion that was turned round (%s)", f.Words()), nil
	}
	r.Source = c.helpers.with(r.Source)
	d := issue.Decide(c.nameless(r, f))
	for _, x := range d.Reasons {
		switch {
		case asked || x.Weight >= 0:
		case x.Words == belong.NotCalled && c.Has != nil && !slices.ContainsFunc(issue.Called(), c.Has): // its examples are of what is to be added
		case x.Weight <= opposite:
			return "shows the opposite of what the issue tells: " + x.Words, nil
		default:
			return elsewhere + x.Words, nil
		}
	}
	ties := slices.DeleteFunc(d.Reasons, func(x belong.Reason) bool { return x.Weight <= 0 })
	if len(ties) == 0 {
		ties = issue.Prose(c.written(r))
	}
	if len(ties) == 0 && !asked && !issue.Writes(remark.ReplaceAllString(r.Source, "")) {
		return untied, nil
	}
	return "", ties
}

// written is the failing test as one of an issue that may be told in prose alone.
func (c Candidate) written(r belong.Red) belong.Written {
	return belong.Written{Source: imports.ReplaceAllString(remark.ReplaceAllString(r.Source, ""), ""), Imports: strings.Join(imports.FindAllString(c.Text, -1), "\n"), Message: r.Message, Exception: r.Exception, Has: c.Has}
}

// imports are the lines of a test that import something.
var imports = lazyregexp.New(`(?m)^\s*(?:import|from|use|require|#include)\b.*$|^.*\brequire\(.*$`)

// reached tells whether the test ran up to where the code itself ended it, if only
// with an exception that otherwise says of a file that it cannot be read.
func (c Candidate) reached(f task.Failure) bool {
	return !c.own(f) && slices.ContainsFunc(f.Trace, func(fr task.Frame) bool { return fr.File == c.Path && fr.Function != "" && fr.Function != "<module>" })
}

const (
	opposite  = -10 // weight of what contradicts the issue, whatever else a test does
	elsewhere = "shows something else than the issue tells: "
)

const untied = "runs nothing that the issue names, and nothing comes out that it tells of"

// remark is a comment, as far as it stands apart.
var remark = lazyregexp.New(`(?m)(?:^|\s)(?:#|//).*$`)

// nameless is the failing test without what its author chose: the names, comments
// and the words of a failed assertion.
func (c Candidate) nameless(r belong.Red, f task.Failure) belong.Red {
	r.ID, r.Name, r.File = "", "", ""
	r.Source = remark.ReplaceAllString(r.Source, "")
	if got, want := belong.Compared(r.Message); r.Exception == "" || strings.Contains(r.Exception, "Assert") || c.goes() {
		wrote := strings.Contains(r.Source, strings.TrimSpace(r.Message)) // as a text of its own
		if r.Message = ""; got+want != "" && !wrote {
			r.Message = "got " + got + ", want " + want
		}
	}
	if c.own(f) && c.through(f) >= 0 { // its author chose what it throws, too
		r.Message = ""
	}
	r.Trace = slices.DeleteFunc(slices.Clone(r.Trace), func(f task.Frame) bool { return f.File == c.Path })
	return r
}

// own tells whether a failure comes out of the test file itself.
func (c Candidate) own(f task.Failure) bool {
	for n := len(f.Trace) - 1; n >= 0; n-- {
		if fr := f.Trace[n]; !fr.Foreign() {
			return fr.File == c.Path
		}
	}
	return f.File == c.Path || f.File == ""
}

// through is the place in a failure's trace where the test calls the code that then runs
// a function of the test, such as a handler, out of which the exception comes: the code
// let it pass. It is -1 where the failure is none like that.
func (c Candidate) through(f task.Failure) int {
	last, passed := -1, false
	for n, fr := range f.Trace {
		switch {
		case fr.Foreign():
		case fr.File != c.Path:
			passed = passed || last >= 0
		case passed:
			return last
		default:
			last = n
		}
	}
	return -1
}

// missing are the names and modules for want of which a test fails.
func missing(f task.Failure) []string {
	if len(f.Missing) > 0 {
		return f.Missing
	}
	if f.Kind == task.FailAssertion || !noName.MatchString(f.Exception+": "+f.Message) {
		return nil
	}
	line, _, _ := strings.Cut(f.Message, "\n")
	if q := quoted.FindAllStringSubmatch(line, -1); len(q) > 0 {
		return []string{q[len(q)-1][1]} // Python names the owner first
	}
	if m := unquoted.FindStringSubmatch(line); m != nil {
		return []string{m[1] + m[2]}
	}
	return nil
}

var (
	quoted   = lazyregexp.New(`['"\x60]([^'"\x60]+)['"\x60]`)
	unquoted = lazyregexp.New(`([\w$.]+) is not (?:a function|a constructor)|undefined: ([\w.]+)`)
)

// asked tells whether the issue names all that is missing, and the code nothing
// of it.
func (c Candidate) asked(issue *belong.Issue, lacks []string) bool {
	for _, m := range lacks {
		all := identifier.FindAllString(m, -1)
		if len(all) == 0 || !issue.Names(all[len(all)-1]) {
			return false
		}
		// a word such as refers may stand in a comment of the code
		if name := all[len(all)-1]; c.Has != nil && c.Has(name) && !issue.Speaks(lazyregexp.New(`\bnew (?:function|method|class|field|option|argument|parameter|keyword|command|flag)\b[^.\n]{0,20}[\w.]*\b`+strings.ToLower(regexp.QuoteMeta(name))+`\b`)) {
			return false
		}
	}
	return len(lacks) > 0
}

// turned tells whether a failure lies in a line that the text before has not; of
// Go, which compares apart from where it fails, in such a test.
func (c Candidate) turned(f task.Failure, r belong.Red) bool {
	at, _ := c.site(f, r)
	lines := []string{c.line(at)}
	if path.Ext(c.Path) == ".go" {
		lines = strings.Split(r.Source, "\n")[1:] // its name may change besides
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return !slices.ContainsFunc(strings.Split(c.Before, "\n"), func(was string) bool { return strings.TrimSpace(was) == line })
	})
}

// at is the line of the test file in which a failure lies, 0 where it does not say.
func (c Candidate) at(f task.Failure) int {
	if n := c.through(f); n >= 0 && c.own(f) {
		return f.Trace[n].Line
	}
	for n := len(f.Trace) - 1; n >= 0; n-- {
		if f.Trace[n].File == c.Path {
			return f.Trace[n].Line
		}
	}
	if f.File == c.Path {
		return f.Line
	}
	return 0
}

func (c Candidate) line(n int) string {
	lines := strings.Split(c.Text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// words is a failure in a line.
func words(f *task.Failure) string {
	if f == nil {
		return "no reason given"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	if f.Exception == "" || strings.HasPrefix(line, f.Exception) {
		return line
	}
	return f.Exception + ": " + line
}
