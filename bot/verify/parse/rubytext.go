package parse

import (
	"cmp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// What RSpec, minitest, test-unit and PHPUnit print to people: all of them number the
// red tests in a list at their end, test-unit shows them where they fail.

var (
	rspecEnd     = lazyregexp.New(`(?m)^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$`)
	rspecEntry   = lazyregexp.New(`^  \d+\) (.+)$`)
	rspecAgain   = lazyregexp.New(`(?m)^rspec '?(\./[^:\[\s]+)[:\[][\d:]+\]?'? # (.+)$`)
	rspecSection = lazyregexp.New(`^(?:[A-Z][\w ]*:|Pending: .*|Finished in .*|An error occurred .*|Top \d+ .*)$`)
	rspecOver    = lazyregexp.New(`^(?:Finished in .*|No examples found\.|Failures:|Pending: .*)$`)
	rspecShown   = lazyregexp.New(`^Failure/Error:|^Got \d+ failures`)

	xunitEnd   = lazyregexp.New(`(?m)^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) (?:skips|pendings)(?:, (\d+) omissions)?`)
	miniEntry  = lazyregexp.New(`^(?:\s+\d+\) )?(Failure|Error|Skipped):$`)
	miniFailed = lazyregexp.New(`^(.+) \[(.+):(\d+)\]:$`)
	unitEntry  = lazyregexp.New(`^(Failure|Error): (.+)\((\S+)\)(?:: ?(.*))?$`)
	unitSource = lazyregexp.New(`^\s*(?:=> *)?\d+: `)
	rubyThrew  = lazyregexp.New(`^([A-Z]\w*(?:::[A-Z]\w*)*):(?: (.*))?$`)

	unitRuled = lazyregexp.New(`^={20,}$`)

	phpunitEntry = lazyregexp.New(`^\d+\) ([\w\\]+)::(.+)$`)
	phpunitWhat  = lazyregexp.New(`^There (?:was|were) \d+ (error|failure|[a-z ]+?)s?:$`)
	phpunitEnd   = lazyregexp.New(`(?m)^(?:OK \((\d+) tests?, |Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?(?:, Warnings: \d+)?(?:, [A-Z][\w ]*: \d+)*\.?$)`)
	phpunitSkips = lazyregexp.New(`(?m)^Tests: .*, (?:Skipped|Incomplete): (\d+)`)
	phpunitSet   = lazyregexp.New(`^(.* with data set (?:#\d+|".*"))(?: \(.*\))?$`)
	phpunitClass = lazyregexp.New(`^([A-Z][\w\\]*(?:Exception|Error)): `)
)

// entries splits a text into pieces that begin with a line for which begins is true
// and end before one for which ends is.
func entries(text string, begins, ends func(string) bool) (out [][]string) {
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case begins(line):
			out, open = append(out, []string{line}), true
		case open && ends(line):
			open = false
		case open:
			out[len(out)-1] = append(out[len(out)-1], line)
		}
	}
	return out
}

func readRSpecText(text string, at Place) Report {
	var rep Report
	if m := rspecEnd.FindStringSubmatch(text); m != nil {
		rep.Ended = true
		all, red, pending := number(m[1]), number(m[2]), number(m[3])
		rep.Totals = Totals{Passed: max(0, all-red-pending), Failed: red, Skipped: pending, Errors: number(m[4])}
	}
	homes := map[string]string{}
	for _, m := range rspecAgain.FindAllStringSubmatch(text, -1) {
		homes[m[2]] = m[1]
	}
	failures := false
	begins := func(line string) bool {
		if rspecSection.MatchString(line) {
			failures = line == "Failures:"
		}
		return failures && rspecEntry.MatchString(line)
	}
	for _, e := range entries(text, begins, rspecSection.MatchString) {
		name := strings.TrimSuffix(rspecEntry.FindStringSubmatch(e[0])[1], " FIXED")
		class, said, backtrace := "RSpec::Expectations::ExpectationNotMetError", []string{}, []string{}
		shown := false // the source of what failed, which a blank line ends
		for _, line := range e[1:] {
			line = strings.TrimPrefix(line, "     ")
			place, traced := strings.CutPrefix(strings.TrimSpace(line), "# ")
			switch m := rubyThrew.FindStringSubmatch(strings.TrimSpace(line)); {
			case rspecShown.MatchString(line):
				shown = strings.HasPrefix(line, "Failure")
				if !shown {
					class = "RSpec::Expectations::MultipleExpectationsNotMetError"
				}
			case traced:
				backtrace = append(backtrace, place)
			case shown:
				shown = line != ""
			case m != nil && m[2] == "" && len(said) == 0:
				class = m[1]
			case line == "" && len(said) == 0:
			default:
				said = append(said, strings.TrimPrefix(line, "  "))
			}
		}
		message := strings.Join(said, "\n")
		if strings.HasPrefix(message, "Expected pending ") || strings.HasSuffix(e[0], " FIXED") {
			class = "RSpec::Core::Pending::PendingExampleFixedError"
		}
		f := rubyFailure(class, message, backtrace, at)
		f.Excerpt = strings.Join(e, "\n")
		file := cmp.Or(homes[name], lastFrame(f))
		file, _ = at.Rel(file)
		rep.Tests = append(rep.Tests, Test{ID: under(at, file, name), File: file, Status: Failed, Failure: &f})
	}
	outside := func(line string) bool { return strings.HasPrefix(line, "An error occurred ") }
	for _, e := range entries(text, outside, rspecOver.MatchString) {
		if f, ok := rubyOutside(strings.Join(e, "\n"), at); ok {
			rep.Broken = append(rep.Broken, f)
		}
	}
	return rep
}

// lastFrame is the file of a trace's outermost place: that of the test.
func lastFrame(f task.Failure) string {
	if len(f.Trace) == 0 {
		return f.File
	}
	return f.Trace[0].File
}

// readXUnitText reads minitest and test-unit.
func readXUnitText(text string, at Place) Report {
	var rep Report
	if m := xunitEnd.FindStringSubmatch(text); m != nil {
		rep.Ended = true
		skipped := number(m[4]) + number(m[5])
		rep.Totals = Totals{Passed: max(0, number(m[1])-number(m[2])-number(m[3])-skipped), Failed: number(m[2]), Errors: number(m[3]), Skipped: skipped}
	}
	add := func(name, class, message string, backtrace, e []string) {
		f := rubyFailure(class, message, backtrace, at)
		f.Excerpt = strings.Join(e, "\n")
		file := lastFrame(f)
		rep.Tests = append(rep.Tests, Test{ID: under(at, file, name), File: file, Status: Failed, Failure: &f})
	}
	for _, e := range entries(text, miniEntry.MatchString, xunitEnd.MatchString) {
		if len(e) < 2 || strings.Contains(e[0], "Skipped") {
			continue
		}
		if m := miniFailed.FindStringSubmatch(e[1]); m != nil {
			add(m[1], "Minitest::Assertion", strings.Join(e[2:], "\n"), []string{m[2] + ":" + m[3]}, e)
			continue
		}
		class, message, backtrace := thrownIn(e[2:])
		add(strings.TrimSuffix(e[1], ":"), class, message, backtrace, e)
	}
	for _, e := range entries(text, unitEntry.MatchString, unitRuled.MatchString) {
		m := unitEntry.FindStringSubmatch(e[0])
		class, message, backtrace := thrownIn(append([]string{m[4]}, e[1:]...))
		if m[1] == "Failure" {
			class = "Test::Unit::AssertionFailedError"
		}
		add(m[3]+"#"+m[2], class, message, backtrace, e)
	}
	return rep
}

// thrownIn reads "Class: message" and the places behind it; lines of source are left out.
func thrownIn(lines []string) (class, message string, backtrace []string) {
	var said []string
	for _, line := range lines {
		switch m := rubyThrew.FindStringSubmatch(strings.TrimSpace(line)); {
		case unitSource.MatchString(line):
		case rubyFrame.MatchString(strings.TrimSpace(line)) && strings.Contains(line, ":in "):
			backtrace = append(backtrace, strings.TrimSpace(line))
		case class == "" && m != nil:
			class, said = m[1], append(said, m[2])
		default:
			said = append(said, line)
		}
	}
	return class, strings.TrimSpace(strings.Join(said, "\n")), backtrace
}

func readPHPUnitText(text string, at Place) Report {
	var rep Report
	if m := phpunitEnd.FindStringSubmatch(text); m != nil {
		rep.Ended = true
		rep.Totals = Totals{Failed: number(m[4]), Errors: number(m[3])}
		for _, s := range phpunitSkips.FindAllStringSubmatch(text, -1) {
			rep.Totals.Skipped += number(s[1])
		}
		rep.Totals.Passed = max(0, number(cmp.Or(m[1], m[2]))-rep.Totals.Failed-rep.Totals.Errors-rep.Totals.Skipped)
	}
	what := ""
	begins := func(line string) bool {
		if m := phpunitWhat.FindStringSubmatch(line); m != nil {
			what = m[1]
		}
		return (what == "error" || what == "failure") && phpunitEntry.MatchString(line)
	}
	ends := func(line string) bool {
		return line == "--" || line == "ERRORS!" || line == "FAILURES!" || phpunitWhat.MatchString(line)
	}
	for _, e := range entries(text, begins, ends) {
		m := phpunitEntry.FindStringSubmatch(e[0])
		name, body := m[2], strings.TrimSpace(strings.Join(e[1:], "\n"))
		if set := phpunitSet.FindStringSubmatch(name); set != nil {
			name = set[1]
		}
		class, status := `PHPUnit\Framework\ExpectationFailedException`, Failed
		if threw := phpunitClass.FindStringSubmatch(body); threw != nil {
			class, status = threw[1], Error
		} else if !strings.HasPrefix(body, "Failed asserting") && !strings.Contains(body, "\nFailed asserting") {
			class = `PHPUnit\Framework\AssertionFailedError`
		}
		f, frames := phpFailure(class, strings.Join(e, "\n"), at)
		file := cmp.Or(outermost(frames), lastFrame(f))
		if file == "" && at.Find != nil {
			file = at.Find(short(m[1]) + ".php")
		}
		rep.Tests = append(rep.Tests, Test{ID: under(at, file, short(m[1])+"::"+name), File: file, Status: status, Failure: &f})
	}
	return rep
}
