package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	vtFail  = lazyregexp.New(`^ FAIL  (?:\|[^|]+\| )?(\S+?\.[cm]?[jt]sx?)(?: > (.+?))?(?: \[ (.+) \])?$`)
	vtRule  = lazyregexp.New(`^⎯{4,}`)
	vtPass  = lazyregexp.New(`^ +([✓×↓]) (?:\|[^|]+\| )?(\S+?\.[cm]?[jt]sx?) > (.+?)(?: \d+(?:\.\d+)?m?s)?$`)
	vtTests = lazyregexp.New(`^ +Tests  +(.*)\(\d+\)$`)
)

// readVitest reads vitest's text, default or verbose.
func readVitest(text string, at Place) Report {
	rep := Report{}
	var heads [][]string // files and titles that share one error
	var body []string
	failures := false
	flush := func() {
		for _, h := range heads {
			vitestFailure(&rep, h[1], h[2], strings.Join(body, "\n"), at)
		}
		heads, body = nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m := vtTests.FindStringSubmatch(line); m != nil {
			rep.Ended = true
			jestTotals(&rep.Totals, m[1])
			flush()
			continue
		}
		if vtRule.MatchString(line) {
			flush()
			failures = true
			continue
		}
		if m := vtFail.FindStringSubmatch(line); m != nil && failures {
			if len(body) > 0 {
				flush()
			}
			heads = append(heads, m)
			continue
		}
		if len(heads) > 0 {
			body = append(body, line)
			continue
		}
		if m := vtPass.FindStringSubmatch(line); m != nil && !failures {
			file, _ := at.Rel(m[2])
			t := Test{ID: under(at, file, m[3]), File: file, Status: map[string]string{"✓": Passed, "×": Failed, "↓": Skipped}[m[1]]}
			rep.Tests = append(rep.Tests, t)
		}
	}
	flush()
	return rep
}

func vitestFailure(rep *Report, file, title, body string, at Place) {
	file, _ = at.Rel(file)
	head, _, _ := strings.Cut(body, "\nCaused by: ")
	f := jestError(head, at)
	f.Excerpt = body
	if title == "" {
		unit := jestUnit(file, head, at)
		rep.Broken = append(rep.Broken, unit)
		return
	}
	rep.Tests = append(rep.Tests, Test{ID: under(at, file, title), File: file, Status: Failed, Failure: &f})
}
