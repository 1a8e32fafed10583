package parse

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// rspecDoc is what RSpec's JSON formatter writes, and fettle's own reporter of
// minitest and test-unit.
type rspecDoc struct {
	Messages []string `json:"messages"`
	Examples *[]struct {
		ID          string  `json:"id"` // "./spec/a_spec.rb[1:2]": the file that was run
		Description string  `json:"full_description"`
		File        string  `json:"file_path"` // where it is written, perhaps as a shared example
		Status      string  `json:"status"`
		Seconds     float64 `json:"run_time"`
		Exception   *struct {
			Class     string   `json:"class"`
			Message   string   `json:"message"`
			Backtrace []string `json:"backtrace"`
		} `json:"exception"`
	} `json:"examples"`
	Summary struct {
		Examples int `json:"example_count"`
		Failures int `json:"failure_count"`
		Pending  int `json:"pending_count"`
		Errors   int `json:"errors_outside_of_examples_count"`
	} `json:"summary"`
}

func readRSpec(text string, at Place) Report {
	var doc rspecDoc
	if json.NewDecoder(strings.NewReader(document(text))).Decode(&doc) != nil || doc.Examples == nil {
		return Report{}
	}
	s := doc.Summary
	rep := Report{Ended: true, Totals: Totals{Passed: s.Examples - s.Failures - s.Pending, Failed: s.Failures, Errors: s.Errors, Skipped: s.Pending}}
	for _, e := range *doc.Examples {
		run, _, _ := strings.Cut(e.ID, "[")
		file, _ := at.Rel(cmp.Or(run, e.File))
		t := Test{ID: under(at, file, e.Description), File: file, Seconds: e.Seconds, Status: map[string]string{"passed": Passed, "failed": Failed}[e.Status]}
		if t.Status == "" {
			t.Status = Skipped
		}
		if e.Exception != nil && t.Status == Failed {
			f := rubyFailure(e.Exception.Class, e.Exception.Message, e.Exception.Backtrace, at)
			t.Failure = &f
		}
		rep.Tests = append(rep.Tests, t)
	}
	for _, m := range doc.Messages {
		if f, ok := rubyOutside(m, at); ok {
			rep.Broken = append(rep.Broken, f)
		}
	}
	return rep
}

var (
	rspecHow    = lazyregexp.New(`\s*\n\(compared using [^()\n]+\)\s*$`)
	rubyFrame   = lazyregexp.New("^(.+?):(\\d+)(?::in [`'](.*)')?$")
	rubyLibrary = lazyregexp.New(`/(?:rspec-(?:core|expectations|mocks|support)|minitest|test-unit)-[\d.]+\w*/|^<internal:|^-e$`)
	rubyLoading = lazyregexp.New(`^An error occurred while loading (\S+?)\.(?: |$)`)
	rubyClass   = lazyregexp.New(`^([A-Z]\w*(?:::[A-Z]\w*)*):$`)
	rubySyntax  = lazyregexp.New(`(?m)^\s*(/[^\n:]+):(\d+): `)
	rubyAmong   = lazyregexp.New("(?m)^\\s+(\\./[^\\n:]+):(\\d+):in [`'](.*)'$") // of several failures in a message
	rubyThrown  = lazyregexp.New("(?m)^(\\S+:\\d+:in [`'].*?'): (.*) \\(([A-Z][\\w:]*)\\)$")
	rubyNoFile  = lazyregexp.New(`cannot load such file -- (\S+)`)
	rubyNoName  = lazyregexp.New("uninitialized constant (?:\\w+::)*(\\w+)|undefined (?:local variable or )?method [`'](\\w+[?!=]?)'")
)

// rubyFailure is an exception with its backtrace, which Ruby gives innermost first.
func rubyFailure(class, message string, backtrace []string, at Place) task.Failure {
	message = rspecHow.ReplaceAllString(message, "")
	f := task.Failure{Exception: rubyName(class), Message: message, Excerpt: strings.TrimSpace(class + ": " + strings.TrimSpace(message) + "\n" + strings.Join(backtrace, "\n"))}
	if f.Kind = Kind(f.Exception); class == "LoadError" {
		f.Kind = task.FailImport
	}
	var frames []frame
	for _, l := range backtrace {
		if m := rubyFrame.FindStringSubmatch(strings.TrimSpace(l)); m != nil && !rubyLibrary.MatchString(m[1]) {
			frames = append(frames, at.frame(m[1], m[2], m[3]))
		}
	}
	for len(frames) > 0 && outermost(frames) != "" && !frames[len(frames)-1].own { // what started the tests
		frames = frames[:len(frames)-1]
	}
	if m := rubySyntax.FindStringSubmatch(message); f.Kind == task.FailSyntax && m != nil {
		frames = append([]frame{at.frame(m[1], m[2], "")}, frames...)
	}
	if m := rubyAmong.FindStringSubmatch(message); m != nil && outermost(frames) == "" {
		frames = []frame{at.frame(m[1], m[2], m[3])}
	}
	put(&f, reversed(frames))
	return f
}

// rubyTrace reads an exception that nobody rescued, as Ruby prints it.
func rubyTrace(text string, at Place) (task.Failure, []frame, bool) {
	m := rubyThrown.FindStringSubmatchIndex(text)
	if m == nil {
		return task.Failure{}, nil, false
	}
	backtrace := []string{text[m[2]:m[3]]}
	for line := range strings.SplitSeq(text[m[1]:], "\n") {
		if place, ok := strings.CutPrefix(line, "\tfrom "); ok {
			backtrace = append(backtrace, place)
		}
	}
	f := rubyFailure(text[m[6]:m[7]], text[m[4]:m[5]], backtrace, at)
	return f, at.framesOf(f), true
}

// rubyName is a class without its modules, but for one whose last part says nothing.
func rubyName(class string) string {
	parts := strings.Split(class, "::")
	if n := len(parts); n > 1 && parts[n-1] == "Error" {
		return parts[n-2] + "::Error"
	}
	return parts[len(parts)-1]
}

// rubyOutside is an error outside of the tests: of a file that could not be loaded,
// or of a hook that stands for no test.
func rubyOutside(text string, at Place) (task.Failure, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "An error occurred ") {
		return task.Failure{}, false
	}
	head, rest, _ := strings.Cut(text, "\n")
	class, said, backtrace := "", []string{}, []string{}
	for line := range strings.SplitSeq(rest, "\n") {
		m := rubyClass.FindStringSubmatch(line)
		place, traced := strings.CutPrefix(line, "# ")
		switch {
		case traced:
			backtrace = append(backtrace, place)
		case class == "" && m != nil:
			class, said = m[1], nil
		default:
			said = append(said, strings.TrimPrefix(line, "  "))
		}
	}
	f := rubyFailure(class, strings.TrimSpace(strings.Join(said, "\n")), backtrace, at)
	f.Excerpt = text
	if m := rubyNoFile.FindStringSubmatch(f.Message); m != nil && class == "LoadError" {
		lost := m[1]
		if path.IsAbs(lost) {
			lost, _ = at.Rel(lost)
		}
		f.Missing = []string{strings.TrimSuffix(lost, ".rb")}
	} else if m := rubyNoName.FindStringSubmatch(f.Message); m != nil {
		f.Missing = []string{"#" + m[1] + m[2]}
	}
	uncollected(&f)
	if m := rubyLoading.FindStringSubmatch(head); m != nil {
		file, _ := at.Rel(m[1])
		f.Test = seen(at, file)
		if f.File == "" {
			f.File = file
		}
	} else {
		f.Message = head + "\n" + f.Message
	}
	return f, true
}
