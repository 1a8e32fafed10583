package verify

import (
	"cmp"
	"context"
	_ "embed" // the drivers
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

//go:embed driver/parent.py
var parentPy string

//go:embed driver/child.py
var childPy string

// PythonPath is Python that makes the code of a suite importable for whoever runs
// its tests. It needs os and sys.
//
//go:embed driver/path.py
var PythonPath string

// pythonRequest is what the supervisor reads from its standard input.
type pythonRequest struct {
	request
	Code  string      `json:"code"`  // source of the child
	Grace float64     `json:"grace"` // seconds
	Child pythonChild `json:"child"`
}

type pythonChild struct {
	Program   string   `json:"program"` // pytest or unittest
	Files     []string `json:"files"`
	Only      []string `json:"only"` // nil: all
	OnlyUnits []string `json:"only_units"`
}

func (v *Verifier) runPython(ctx context.Context, b box, all []Suite, s Suite, sel selection, lim limits) (outcome, error) {
	child := pythonChild{Program: s.Name, Files: []string{}, OnlyUnits: []string{}}
	if !sel.all {
		child.Only = append([]string{}, sel.tests...)
		child.OnlyUnits = append(child.OnlyUnits, sel.units...)
		child.Files = pythonFiles(append(slices.Clone(sel.tests), sel.units...))
	} else if s.Name == suiteUnittest {
		tree, err := scanBox(b)
		if err != nil {
			return outcome{}, err
		}
		child.Files = testsIn(tree, s, below(all, s))
	}
	recs, broken, err := v.drive(ctx, b, s, sandbox.Command{
		Argv: []string{"python3", "-I", "-S", "-B", "-c", parentPy}, // the supervisor needs no site-packages
		Env:  map[string]string{"PYTHONHASHSEED": cmp.Or(lim.seed, "0"), "PYTHONDONTWRITEBYTECODE": "1"},
	}, lim, func(r request) any {
		r.Restarts = 6
		return pythonRequest{request: r, Code: PythonPath + childPy, Grace: lim.grace.Seconds(), Child: child}
	})
	if err != nil || broken != nil {
		return outcome{broken: broken}, err
	}
	return pythonOutcome(s, recs), nil
}

// pythonFiles takes the files out of node ids, each once, in order.
func pythonFiles(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		file, _, _ := strings.Cut(id, "::")
		if !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// pythonOutcome reads the records of a pytest or unittest run.
func pythonOutcome(s Suite, recs []record) outcome {
	var out outcome
	unseen, ended := map[string]bool{}, false
	for _, r := range recs {
		switch r.Kind {
		case "collected":
			for _, id := range r.IDs {
				unseen[id] = true
			}
		case "result":
			delete(unseen, r.ID)
			out.tests = append(out.tests, pythonTest(s, r))
		case "collect_error":
			f := pythonFailure(s, r.Exc, true)
			f.Test = s.id(r.Unit)
			if f.File == "" {
				f.File = joinDir(s.Dir, r.Unit)
			}
			out.broken = append(out.broken, parse.Finish(f))
		case "died":
			delete(unseen, r.ID)
			out = pythonDied(s, r, out)
		case "tampered":
			out.broken = append(out.broken, parse.Finish(task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "TamperedHarness",
				Message: "the code under test replaced functions of the test runner: " + strings.Join(r.What, ", ")}))
		case "forged":
			out.broken = append(out.broken, parse.Finish(task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "ForgedRecord",
				Message: "a result was written that the test driver did not make", Excerpt: r.Text}))
		case "output":
			ended = true
			out.broken = append(out.broken, pythonEnd(s, r, len(unseen))...)
		}
	}
	if n := len(unseen); n > 0 && !ended {
		out.broken = append(out.broken, parse.Finish(task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "RunnerFailed",
			Message: fmt.Sprintf("%s not run: too many ended their process or their time", task.Count(n, "collected test"))}))
	}
	return out
}

func pythonTest(s Suite, r record) TestResult {
	t := s.result(r.ID, joinDir(s.Dir, r.File), r.Name, r.Status, r.Seconds)
	if t.Red() {
		f := pythonFailure(s, r.Exc, false)
		if r.Timeout {
			f.Kind = task.FailTimeout
		}
		t.fail(f, r.Line)
	}
	return t
}

// pythonFailure translates an exception.
func pythonFailure(s Suite, e *exception, collecting bool) task.Failure {
	f := task.Failure{Suite: s.Name, Kind: task.FailException, Message: "failed without an exception"}
	if e == nil {
		return f
	}
	f.Exception, f.Message, f.Excerpt = e.Class, e.Message, e.Text
	for _, fr := range e.Frames {
		name, _ := fr[0].(string)
		line, _ := fr[1].(float64)
		fn, _ := fr[2].(string)
		p, _ := s.place().Rel(name)
		f.Trace = append(f.Trace, task.Frame{File: p, Line: int(line), Function: fn})
	}
	locate(&f)
	f.Kind = pythonKind(e, collecting)
	if e.Missing != "" {
		f.Missing = []string{strings.ReplaceAll(e.Missing, ".", "/")}
	}
	if f.Message == "" {
		f.Message = e.Class
	}
	return f
}

func pythonKind(e *exception, collecting bool) task.FailureKind {
	is := func(name string) bool { return e.Class == name || slices.Contains(e.Bases, name) }
	switch {
	case e.Class == "TestTimeout":
		return task.FailTimeout
	case is("SyntaxError"):
		return task.FailSyntax
	case is("ImportError"):
		return task.FailImport
	case collecting:
		return task.FailCollection
	case is("AssertionError"), e.Class == "Failed", e.Class == "UnexpectedSuccess":
		return task.FailAssertion
	}
	return task.FailException
}

// pythonDied reads the record of a child that ended in mid-run.
func pythonDied(s Suite, r record, out outcome) outcome {
	f := task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "ProcessDied", Excerpt: r.Text}
	how := fmt.Sprintf("exit status %d", r.Code)
	if r.Code < 0 {
		how = fmt.Sprintf("signal %d", -r.Code)
	}
	if r.Why != "" {
		f.Kind, f.Exception, how = task.FailTimeout, "TestTimeout", "killed after its time limit"
	}
	if r.Error != nil {
		e := pythonFailure(s, r.Error, false)
		f.Exception, f.Trace, f.File, f.Line = e.Exception, e.Trace, e.File, e.Line
		how = e.Exception + " " + e.Message
	}
	switch {
	case r.ID != "":
		f.Message = "the test's process ended in the middle of the test: " + how
		file, name, _ := strings.Cut(r.ID, "::")
		t := s.result(r.ID, joinDir(s.Dir, file), name, StatusError, 0)
		t.fail(f, 0)
		out.tests = append(out.tests, t)
		if r.Why != "wall" {
			return out
		}
		f = task.Failure{Suite: s.Name, Kind: task.FailTimeout, Exception: "SuiteTimeout"}
		how = "killed after the suite's time limit"
	case r.Unit != "":
		f.Test, f.File = s.id(r.Unit), joinDir(s.Dir, r.Unit)
		f.Message = "the process ended while importing " + r.Unit + ": " + how
		out.broken = append(out.broken, parse.Finish(f))
		return out
	}
	f.Message = s.label() + " ended before all tests were run: " + how
	out.broken = append(out.broken, parse.Finish(f))
	return out
}

// pythonEnd judges how a run ended that reported its own end.
func pythonEnd(s Suite, r record, unseen int) []task.Failure {
	f := task.Failure{Suite: s.Name, Kind: task.FailCrash, Exception: "RunnerFailed", Excerpt: r.Text}
	switch {
	case r.Error != nil:
		f = pythonFailure(s, r.Error, true)
		f.Excerpt = r.Text
		if r.Usage == -2 {
			f.Message = "the sandbox's python3 cannot import the runner: " + f.Message + " (install it for that interpreter)"
		}
	case r.Usage == 3 || r.Usage == 4:
		f.Kind = task.FailCollection
		f.Message = fmt.Sprintf("pytest ended with status %d before running the tests: %s", r.Usage, lastLine(r.Text))
	case unseen > 0:
		f.Message = fmt.Sprintf("%s never run", task.Count(unseen, "collected test"))
	default:
		return nil
	}
	return []task.Failure{parse.Finish(f)}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "ERROR: ") {
			return strings.TrimPrefix(l, "ERROR: ")
		}
	}
	return lines[len(lines)-1]
}
