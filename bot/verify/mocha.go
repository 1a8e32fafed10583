package verify

import (
	"context"
	_ "embed" // the drivers
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
)

// MochaTree is JavaScript that names and selects the tests of a loaded mocha
// suite: mochaIds, mochaId and mochaSelect. Ids are native ones.
//
//go:embed driver/mochatree.cjs
var MochaTree string

var (
	//go:embed driver/mochachild.cjs
	mochaChild string
	//go:embed driver/mocha.mjs
	mochaMjs string
)

// mochaRequest is what driver/mocha.mjs reads from its standard input.
type mochaRequest struct {
	request
	Flags []string          `json:"flags"` // for node
	Args  []string          `json:"args"`  // for mocha
	Env   map[string]string `json:"env"`
	Child string            `json:"child"`           // the program that runs mocha
	Tests []string          `json:"tests,omitempty"` // native ids; none for all
	Units []string          `json:"units"`           // files, where Tests is not empty
}

// noTest is an id that no test has: it stands for none where all would be run.
const noTest = "\x00"

func (v *Verifier) runMocha(ctx context.Context, b box, s Suite, sel selection, lim limits) (outcome, error) {
	env, flags, args := MochaCommand(s.Argv)
	r := mochaRequest{Flags: append([]string{}, flags...), Args: append([]string{}, args...), Env: env, Child: MochaTree + mochaChild, Units: []string{}}
	if !sel.all {
		r.Tests, r.Units = append(slices.Clone(sel.tests), noTest), append(r.Units, sel.units...)
	}
	recs, broken, err := v.drive(ctx, b, s, sandbox.Command{Argv: []string{"node", "--input-type=module", "-e", mochaMjs}}, lim, func(all request) any {
		r.request, r.Exe = all, v.program("node")
		return r
	})
	if err != nil || broken != nil {
		return outcome{broken: broken}, err
	}
	return mochaOutcome(s, recs, sel), nil
}

// mochaOutcome reads the records of a mocha run.
func mochaOutcome(s Suite, recs []record, sel selection) outcome {
	var out outcome
	for _, r := range recs {
		switch r.Kind {
		case "result":
			out.tests = append(out.tests, mochaTest(s, r))
		case "run":
			if f, bad := mochaFailure(s, r, sel); bad {
				out.broken = append(out.broken, f)
			}
			if r.Lost != nil && r.Timeout && *r.Lost != "" {
				out.tests = append(out.tests, mochaHung(s, *r.Lost))
			}
		}
	}
	return out
}

func mochaTest(s Suite, r record) TestResult {
	_, name, _ := strings.Cut(r.ID, " > ")
	t := s.result(r.ID, joinDir(s.Dir, r.File), name, r.Status, r.Seconds)
	if t.Red() {
		t.fail(nodeFailure(s, r.Exc), 0)
	}
	return t
}

// mochaHung is a test that was killed with its process.
func mochaHung(s Suite, native string) TestResult {
	file, name, _ := strings.Cut(native, " > ")
	t := s.result(native, joinDir(s.Dir, file), name, StatusFailed, 0)
	t.fail(task.Failure{Kind: task.FailTimeout, Exception: "TestTimeout", Message: "the test was still running after its time limit"}, 0)
	return t
}

// mochaFailure judges how mocha's process ended. What a hung test brought down
// is that test's.
func mochaFailure(s Suite, r record, sel selection) (task.Failure, bool) {
	f := task.Failure{Suite: s.Name, Excerpt: r.Text}
	if r.File != "" && r.Status == "none" {
		f.Test, f.File = s.id(r.File), joinDir(s.Dir, r.File)
	}
	switch {
	case r.Status == StatusPassed && (r.Tests > 0 || r.Again > 0 || !sel.all), r.Timeout && r.Lost != nil && strings.Contains(*r.Lost, " > "):
		return f, false
	case r.Status == StatusPassed:
		f.Kind, f.Exception, f.Message = task.FailCollection, "NoTests", "mocha ended without running a test"
	case r.Timeout && r.Lost != nil:
		f.Kind, f.Exception, f.Message = task.FailTimeout, "TestTimeout", fmt.Sprintf("the hook %q was still running after its time limit", *r.Lost)
	case r.Timeout:
		f.Kind, f.Exception, f.Message = task.FailTimeout, "SuiteTimeout", "mocha did not load the tests within its time limit"
	case r.Lost != nil:
		f.Kind, f.Exception = task.FailCrash, "ProcessDied"
		f.Message = fmt.Sprintf("the process ended in the middle of %q (exit status %d%s)", *r.Lost, exitOf(r), r.Signal)
	default:
		r.Text = mochaSays.ReplaceAllString(r.Text, "")
		uncaught(s, r, &f)
		if strings.Contains(r.Text, "'mocha/package.json'") {
			f.Test, f.Message = "", "mocha is not installed in the repository: run `npm ci` there, or name it as a setup command"
		}
	}
	return parse.Finish(f), true
}

// mochaSays stands before the error that ends a run.
var mochaSays = lazyregexp.New(`(?m)^\s*(?:Exception during run|\S* ?ERROR):\s*`)

// MochaCommand splits a suite's command into variables to set, flags of node,
// and arguments of mocha without those that choose how it reports or watches.
func MochaCommand(argv []string) (env map[string]string, flags, args []string) {
	env, argv = detect.Variables(argv)
	at := slices.Index(argv, "mocha")
	for _, w := range argv[:max(at, 0)] {
		if w != "node" {
			flags = append(flags, w)
		}
	}
	valued := []string{"--reporter", "-R", "--reporter-option", "--reporter-options", "-O"}
	plain := []string{"--watch", "-w", "--bail", "-b", "--parallel", "-p", "--exit", "--no-exit", "--color", "--colors", "-c", "--no-color", "--no-colors"}
	for i := at + 1; i < len(argv); i++ {
		name, _, joined := strings.Cut(argv[i], "=")
		switch {
		case slices.Contains(valued, name):
			if !joined {
				i++
			}
		case slices.Contains(plain, name):
		default:
			args = append(args, argv[i])
		}
	}
	return env, flags, args
}
