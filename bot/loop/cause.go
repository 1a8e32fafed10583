package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
	"github.com/fettle-dev/fettle/bot/verify/belong"
)

const (
	maxCauses = 3
	maxQuoted = 160 // characters of a line of code
	// maxExplained bounds the tests of a report whose failures are explained.
	maxExplained = 5000
)

// cause says in a sentence that a reader can check what was seen when a test
// failed: where the code ended, with what, and which call led there; or what came
// out and what was expected. It is "" where the failure tells neither.
func (s *sources) cause(f task.Failure) string {
	var at, from *task.Frame // the innermost places in the code and in the test
	for i := range f.Trace {
		fr := &f.Trace[i]
		switch _, err := s.read(fr.File); {
		case err != nil: // not of the repository
		case code.IsTest(fr.File):
			from = fr
		default:
			at = fr
		}
	}
	call := s.quote(from)
	if got, want := belong.Compared(f.Message); got != "" && want != "" && call != "" {
		return fmt.Sprintf("%s gave `%s` instead of `%s`.", call, short(got), short(want))
	}
	end := strings.TrimSpace(f.Exception + " " + short(firstLineOf(f.Message)))
	switch {
	case at != nil && s.quote(at) != "":
		where := "the code"
		if at.Function != "" {
			where = "`" + at.Function + "`"
		}
		said := fmt.Sprintf("%s ended with %s at %s", where, end, s.quote(at))
		if call != "" {
			said += "; it was reached from " + call
		}
		return said + "."
	case call != "" && end != "":
		return fmt.Sprintf("%s failed: %s.", call, strings.TrimSuffix(end, "."))
	}
	return ""
}

// raises tells whether the innermost line of the project's code raises what a test ended
// with: the statement names its class, passes on what was caught, or panics.
func (s *sources) raises(ctx context.Context, f task.Failure) bool {
	for n := len(f.Trace) - 1; n >= 0 && f.Kind != task.FailAssertion; n-- {
		at := f.Trace[n]
		src, err := s.read(at.File)
		if err != nil {
			continue // not of the repository
		}
		said := code.Raising(ctx, at.File, src, at.Line)
		class := f.Exception[strings.LastIndexAny(f.Exception, ".:")+1:]
		named := class != "" && class != "panic" && strings.Contains(said, class)
		again := len(strings.Fields(said)) <= 2 && !strings.Contains(said, "(")
		panics := strings.HasPrefix(said, "panic") && !strings.HasPrefix(f.Message, "runtime error")
		return said != "" && !code.IsTest(at.File) && (named || again || panics)
	}
	return false
}

// quote shows the line of a frame, with its place; "" where it is not known.
func (s *sources) quote(f *task.Frame) string {
	if f == nil || f.Line < 1 || s.hidden != nil && s.hidden(f.File) {
		return ""
	}
	src, err := s.read(f.File)
	lines := strings.Split(string(src), "\n")
	if err != nil || f.Line > len(lines) || strings.TrimSpace(lines[f.Line-1]) == "" {
		return ""
	}
	return fmt.Sprintf("`%s` (%s:%d)", short(strings.ReplaceAll(lines[f.Line-1], "`", "'")), f.File, f.Line)
}

func firstLineOf(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxQuoted {
		return string(r[:maxQuoted-1]) + "…"
	}
	return s
}

// explain writes the causes down with the failures of a report.
func (s *sources) explain(ctx context.Context, rep *verify.Report, hidden func(path string) bool) {
	open := &sources{base: s.base, over: s.over, regions: s.regions, text: s.text, hidden: hidden}
	for i := range rep.Tests[:min(len(rep.Tests), maxExplained)] {
		if f := rep.Tests[i].Failure; f != nil && rep.Tests[i].Red() {
			with := *f
			with.Cause, with.Raised = open.cause(*f), open.raises(ctx, *f)
			rep.Tests[i].Failure = &with
		}
	}
}

// causes are those of the tests that a change mended.
func causes(failures []task.Failure, fixed []string) []string {
	var out []string
	for _, f := range failures {
		if f.Cause != "" && slices.Contains(fixed, f.Test) && !slices.Contains(out, f.Cause) && len(out) < maxCauses {
			out = append(out, f.Cause)
		}
	}
	return out
}
