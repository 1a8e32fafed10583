package parse

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	tapFile   = lazyregexp.New(`(?m)^# file: (.*)$`)
	tapHead   = lazyregexp.New(`^# (.+)$`)
	tapCounts = lazyregexp.New(`^# (?:tests +\d+|pass +\d+|fail +\d+|skip:? +\d+|todo:? +\d+|ok|time=.*|failed \d+ .*)$`)
)

// readTAPFiles reads the TAP of test files run one after another. A test is what
// stands below one heading: a comment (tape) or a subtest (node-tap). Its id is
// "file > heading"; the second one of a name is "file > heading #2".
func readTAPFiles(text string, at Place) Report {
	var rep Report
	marks := tapFile.FindAllStringSubmatchIndex(text, -1)
	rep.Ended = len(marks) > 0
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		file, _ := at.Rel(text[m[2]:m[3]])
		part := text[min(m[1]+1, end):end]
		rep.Ended = tapOfFile(&rep, file, part, at) && rep.Ended
	}
	return rep
}

// tapOfFile adds the tests of one file, and tells whether its plan was seen.
func tapOfFile(rep *Report, file, text string, at Place) bool {
	seenNames := map[string]int{}
	add := func(name string, points []tapPoint) {
		if len(points) == 0 {
			return
		}
		if seenNames[name]++; seenNames[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, seenNames[name])
		}
		t := Test{ID: under(at, file, name), File: file, Status: Skipped}
		for _, p := range points {
			switch {
			case p.note != "" && p.note != "TIME":
			case p.ok && t.Status == Skipped:
				t.Status = Passed
			case !p.ok && t.Status != Failed:
				f, _ := tapFailure(p, tapBody(p.body), at)
				t.Status, t.Failure = Failed, &f
			}
		}
		rep.Totals.add(t.Status)
		rep.Tests = append(rep.Tests, t)
	}
	ended := false
	heading, chunk := "", []string{}
	flush := func() {
		points, _, end := tapPoints(strings.Join(chunk, "\n"))
		ended = ended || end
		var own []tapPoint // of one heading, or of one subtest with what is nested in it
		for _, p := range points {
			own = append(own, p)
			if nested := len(own) > 1 && own[0].indent > 0; p.indent == 0 && (nested || heading == "") {
				add(p.name, own)
				own = nil
			}
		}
		add(heading, own)
		chunk = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch m := tapHead.FindStringSubmatch(line); {
		case tapCounts.MatchString(line):
		case m != nil && !strings.HasPrefix(m[1], "Subtest: "):
			flush()
			heading = m[1]
		default:
			chunk = append(chunk, line)
		}
	}
	flush()
	if !ended {
		rep.Broken = append(rep.Broken, nodeUnit(file, text, task.Failure{Exception: "ProcessDied", Message: "the file ended before its plan was printed"}, at))
	}
	return ended
}
