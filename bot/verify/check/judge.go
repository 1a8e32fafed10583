package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/parse"
	"github.com/fettle-dev/fettle/bot/verify/runner"
)

// maxFailures bounds what one check keeps; the counts are whole.
const maxFailures = 500

// judge says what a command's end and its report mean together. An exit status
// of 0 alone is no green for tests: one must have been seen to pass.
func (w *run) judge(out *Check, c detect.Command, res sandbox.Result, rep parse.Report) {
	fails := w.failures(c, rep)
	for _, t := range rep.Tests {
		switch t.Status {
		case parse.Passed:
			out.Passed++
		case parse.Skipped:
			out.Skipped++
		default:
			out.Failed++
		}
	}
	out.Passed, out.Skipped = max(out.Passed, rep.Totals.Passed), max(out.Skipped, rep.Totals.Skipped)
	if !res.OK() && out.Passed == 0 && out.Failed == 0 {
		if why, do := w.lacks(c, res); why != "" {
			out.Status, out.Detail, out.Do = NotRun, why, do
			return
		}
	}
	if stop := runner.Stopped(res); stop != "" {
		fails = append(fails, w.made(c, res, stop))
	} else if res.ExitCode != 0 && len(fails) == 0 {
		fails = append(fails, w.made(c, res, fmt.Sprintf("%s ended with status %d", c.Typed, res.ExitCode)))
	}
	if c.Kind != detect.Test {
		w.finding(out, c, res, fails)
		return
	}
	out.Failures = fails
	out.Detail = tally(out, len(rep.Broken))
	switch {
	case len(fails) > 0 || out.Failed > 0:
		out.Status = Failed
		out.Do = cmp.Or(runner.Remedy(res), w.advice(c, fails))
	case out.Passed == 0 && out.Skipped == 0:
		out.Status, out.Detail = Failed, "no test was run"
	default:
		out.Status = Passed
	}
	out.Failures = out.Failures[:min(len(out.Failures), maxFailures)]
}

// finding judges a linter, type checker or build: its exit status decides.
func (w *run) finding(out *Check, c detect.Command, res sandbox.Result, fails []task.Failure) {
	if res.OK() {
		out.Status, out.Detail = Passed, "clean"
		return
	}
	out.Status, out.Failed, out.Failures = Failed, len(fails), fails[:min(len(fails), maxFailures)]
	out.Do = w.advice(c, fails)
	word := map[detect.Kind]string{detect.Build: "error", detect.Lint: "finding", detect.Types: "error"}[c.Kind]
	out.Detail = task.Count(len(fails), word)
}

func tally(c *Check, broken int) string {
	text := fmt.Sprintf("%d passed", c.Passed)
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	if broken > 0 {
		text += fmt.Sprintf(", %d could not be run", broken)
	}
	if c.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	return text
}

// failures gives each failure its place in the tree and its whole id.
func (w *run) failures(c detect.Command, rep parse.Report) []task.Failure {
	all := rep.Failures()
	for i := range all {
		f := &all[i]
		if f.Test != "" {
			f.Test = runner.Suite(c.Tool) + ":" + c.Dir + ":" + f.Test
		}
		if f.Kind == task.FailLint && c.Kind == detect.Types {
			f.Kind = task.FailType
		}
		if f.Kind == task.FailLint && c.Kind == detect.Build {
			f.Kind = task.FailBuild
		}
		f.Suite = runner.Suite(c.Tool)
		f.Fingerprint = parse.Fingerprint(*f)
	}
	return all
}

// made is a failure for an end that the report does not explain, with the trace
// that was printed, if any.
func (w *run) made(c detect.Command, res sandbox.Result, message string) task.Failure {
	text := string(res.Stdout) + string(res.Stderr)
	f := task.Failure{Suite: runner.Suite(c.Tool), Kind: task.FailCrash, Message: message}
	if broken := parse.Read(parse.Traces, []byte(text), w.at.At(c)).Broken; len(broken) == 1 {
		f = broken[0]
		f.Message = message + ": " + f.Message
		f.Kind = task.FailCrash
	}
	if res.TimedOut {
		f.Kind = task.FailTimeout
	}
	if len(text) > 4<<10 {
		text = text[len(text)-4<<10:]
	}
	f.Excerpt = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	f.Fingerprint = parse.Fingerprint(f)
	return f
}
