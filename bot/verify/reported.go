package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/settings"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// A reported suite is one whose runner has no driver of ours: what is known of its
// tests is what the runner itself reports. Two sentinel tests of a random name are
// laid beside its own, one that passes and one that fails. A report without both,
// or an end that does not agree with the one that fails, is no report (SPEC C9).

// Reported tells that the suite's runner has no driver of ours.
func (s Suite) Reported() bool { return s.Command != nil }

// declared are the commands that the repository's own file names for its tests.
func declared(t *detect.Tree, plan detect.Plan) (out []detect.Command) {
	if !t.Has(settings.RepoFile) {
		return nil
	}
	own, err := settings.LoadRepo([]byte(t.Read(settings.RepoFile)))
	if err != nil || own == nil {
		return nil // whoever reads the settings says so
	}
	for _, c := range plan.Declared(own.Checks).Commands {
		if c.Declared && c.Kind == detect.Test {
			c.Tool = runner.Declared
			out = append(out, c)
		}
	}
	return out
}

// runReported runs a suite by its own command.
func (v *Verifier) runReported(ctx context.Context, b box, all []Suite, s Suite, sel selection, lim limits) (outcome, error) {
	tree, err := scanBox(b)
	if err != nil {
		return outcome{}, err
	}
	p := &runner.Place{Box: b, Find: tree.Find, Found: &v.found}
	p.Root, p.Out = v.place(b)
	if lack, err := p.Missing(ctx, *s.Command); err != nil {
		return outcome{}, fmt.Errorf("looking for the tools of %s: %w", s.label(), err)
	} else if lack != nil {
		return outcome{unable: true, broken: []task.Failure{parse.Finish(task.Failure{Suite: s.Name, Kind: task.FailCollection, Exception: toolMissing,
			Message: lack.What() + " is not there: " + lack.Install})}}, nil
	}
	a, word := runner.Adapters[s.Command.Tool], "fettle"+v.cfg.Nonce()[:12]
	c := *s.Command
	for _, now := range tree.Plan().Commands {
		if now.Tool == c.Tool && now.Dir == c.Dir {
			c.Files = now.Files // a saved suite has none
		}
	}
	var sentinel runner.Sentinel
	if a.Lay != nil {
		sentinel = a.Lay(tree, c, word)
	}
	if sentinel.File != "" {
		if err := b.WriteFile(sentinel.File, []byte(sentinel.Text)); err != nil {
			return outcome{}, fmt.Errorf("laying out the sentinel of %s: %w", s.label(), err)
		}
		defer func() { _ = b.Remove(sentinel.File) }() // the copy is thrown away in any case
	}
	if a.Narrow != nil && !sel.all {
		c = a.Narrow(c, reportedFiles(sel), sel.tests, sentinel)
	} else if a.Narrow != nil {
		c = a.Narrow(c, nil, nil, sentinel)
	}
	n := slices.IndexFunc(all, func(o Suite) bool { return o.prefix() == s.prefix() }) // no other suite's results have it
	res, err := b.Run(ctx, p.Command(n, c, sandbox.Limits{Wall: lim.wall}))
	if err != nil {
		return outcome{}, err
	}
	if res.Unserved != "" {
		return outcome{unable: true, broken: []task.Failure{died(s, res, errEvidence)}}, nil
	}
	return reportedOutcome(s, p.Read(n, c, res), res, word, sentinel.File != ""), nil
}

// reportedFiles are the files of a selection, seen from the suite's folder. Names
// come out of reports: none may be read as an option.
func reportedFiles(sel selection) []string {
	out := slices.Clone(sel.units)
	for _, id := range sel.tests {
		if file, _, ok := strings.Cut(id, " > "); ok {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), runner.Option)
}

// reportedOutcome reads what a runner reported.
func reportedOutcome(s Suite, rep parse.Report, res sandbox.Result, word string, laid bool) outcome {
	var out outcome
	passed, failed := false, false
	for _, t := range rep.Tests {
		if strings.Contains(t.ID, word) {
			passed = passed || t.Status == parse.Passed && strings.Contains(t.ID, "passes")
			failed = failed || t.Status == parse.Failed && strings.Contains(t.ID, "fails")
			continue
		}
		got := s.result(t.ID, t.File, nameIn(t.ID), t.Status, t.Seconds)
		if got.Red() {
			f := task.Failure{Kind: task.FailAssertion, Message: "the test failed"}
			if t.Failure != nil {
				f = *t.Failure
			}
			got.fail(f, 0)
		}
		out.tests = append(out.tests, got)
	}
	broke := func(kind task.FailureKind, class, message string) {
		out.broken = append(out.broken, parse.Finish(task.Failure{Suite: s.Name, Kind: kind, Exception: class, Message: message, Excerpt: string(res.Stdout)}))
	}
	for _, f := range rep.Broken {
		if strings.Contains(f.Test+f.File, word) {
			continue
		}
		if f.Test != "" {
			f.Test = s.id(f.Test)
		}
		f.Suite = s.Name
		out.broken = append(out.broken, parse.Finish(f))
	}
	switch stop := runner.Stopped(res); {
	case res.TimedOut:
		out.unable = len(out.tests) == 0
		broke(task.FailTimeout, suiteTimeout, s.label()+": "+stop)
	case stop != "":
		broke(task.FailCrash, outOfMemory, s.label()+": "+stop)
	case len(out.broken) > 0 && !runner.Adapters[s.Command.Tool].Bare:
	case !laid || !passed || !failed:
		out.told = true // there is nothing but what the run says of itself
		if runner.Adapters[s.Command.Tool].Bare && len(out.tests) == 0 {
			out.tests, out.broken = []TestResult{byEnd(s, rep, res)}, nil
		} else if len(out.tests) == 0 {
			broke(task.FailCollection, "NoTests", fmt.Sprintf("%s ended with status %d and reported no test", s.label(), res.ExitCode))
		}
	case res.ExitCode == 0 && (!runner.Adapters[s.Command.Tool].Counts || rep.Totals.Failed+rep.Totals.Errors == 0):
		out.tests = nil
		broke(task.FailCrash, "ForgedRecord", s.label()+" ended as if nothing had failed, though a test of ours failed in it: its report is forged")
	}
	return out
}

// The exceptions of a suite whose tools are not there, and of one that did not end.
const toolMissing, suiteTimeout = "ToolMissing", "SuiteTimeout"

// byEnd is a command as one test, where nothing but its end is known.
func byEnd(s Suite, rep parse.Report, res sandbox.Result) TestResult {
	t := s.result(s.Command.Typed, "", s.Command.Typed, StatusPassed, 0)
	if res.ExitCode == 0 && res.Signal == "" {
		return t
	}
	f := task.Failure{Kind: task.FailAssertion, Message: fmt.Sprintf("it ended with status %d", res.ExitCode), Excerpt: string(res.Stdout)}
	if all := rep.Failures(); len(all) > 0 {
		f = all[0]
	}
	t.Status = StatusFailed
	t.fail(f, 0)
	return t
}
