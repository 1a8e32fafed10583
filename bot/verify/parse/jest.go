package parse

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// jestDoc is `jest --json`, which vitest writes too.
type jestDoc struct {
	NumPassedTests  int `json:"numPassedTests"`
	NumFailedTests  int `json:"numFailedTests"`
	NumPendingTests int `json:"numPendingTests"`
	NumTodoTests    int `json:"numTodoTests"`
	TestResults     []struct {
		Name             string `json:"name"`
		Status           string `json:"status"`
		Message          string `json:"message"`
		AssertionResults []struct {
			AncestorTitles  []string `json:"ancestorTitles"`
			Title           string   `json:"title"`
			Status          string   `json:"status"`
			Duration        float64  `json:"duration"`
			FailureMessages []string `json:"failureMessages"`
		} `json:"assertionResults"`
	} `json:"testResults"`
}

// document is the JSON document in a text that may hold other lines before it.
func document(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return text
	}
	for _, start := range []string{"\n{\n", "\n{\""} {
		if at := strings.LastIndex(text, start); at >= 0 {
			return text[at:]
		}
	}
	return text
}

func readJestJSON(text string, at Place) Report {
	var doc jestDoc
	if json.NewDecoder(strings.NewReader(document(text))).Decode(&doc) != nil {
		return Report{}
	}
	rep := Report{Ended: true, Totals: Totals{Passed: doc.NumPassedTests, Failed: doc.NumFailedTests, Skipped: doc.NumPendingTests + doc.NumTodoTests}}
	for _, file := range doc.TestResults {
		name, _ := at.Rel(file.Name)
		red := false
		for _, a := range file.AssertionResults {
			t := Test{File: name, Seconds: a.Duration / 1000}
			t.ID = under(at, name, slices.DeleteFunc(append(a.AncestorTitles, a.Title), func(p string) bool { return p == "" })...)
			switch a.Status {
			case "passed":
				t.Status = Passed
			case "failed":
				t.Status, red = Failed, true
				f := jestError(strings.Join(a.FailureMessages, "\n"), at)
				t.Failure = &f
			default:
				t.Status = Skipped
			}
			rep.Tests = append(rep.Tests, t)
		}
		if file.Status == "failed" && !red {
			rep.Broken = append(rep.Broken, jestUnit(name, file.Message, at))
			rep.Totals.Errors++
		}
	}
	return rep
}

// jestError reads an error with its stack. jest's own assertions are plain
// Errors whose message begins with what was expected.
func jestError(text string, at Place) task.Failure {
	f, frames, _ := nodeTrace(text, at)
	f.Excerpt = text
	head := text
	if _, begin := nodeFrames(text, at); begin >= 0 {
		head = text[:begin]
	}
	head = codeFrame.ReplaceAllString(head, "")
	switch {
	case strings.Contains(head, "expect(") && (f.Exception == "Error" || f.Exception == "" || f.Exception == "JestAssertionError"):
		f.Exception, f.Kind = "AssertionError", task.FailAssertion
		f.Message = strings.TrimPrefix(strings.TrimSpace(head), "Error: ")
	case f.Exception == "":
		f.Message, f.Kind = strings.TrimSpace(head), task.FailException
	}
	f.Message = strings.TrimSpace(codeFrame.ReplaceAllString(f.Message, ""))
	if strings.Contains(f.Message, "Exceeded timeout of") || strings.Contains(f.Message, "Test timed out in") {
		f.Kind, f.Exception = task.FailTimeout, "TestTimeout"
	}
	put(&f, frames)
	return f
}

var (
	codeFrame   = lazyregexp.New(`(?m)^\s*(?:>\s*)?\d*\s*\|.*$\n?`)
	jestPlace   = lazyregexp.New(`(?m)(?:^|[\s('"])((?:/|\.{0,2}/?)[\w@.+/-]+\.[cm]?[jt]sx?)(?:: .*? \(|:)(\d+):\d+\)?`)
	jestFile    = lazyregexp.New(`^(PASS|FAIL)\s+(?:[\w-]+ )?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?(?: \[.*\])?$`)
	jestTitle   = lazyregexp.New(`^  ● (.+)$`)
	jestMark    = lazyregexp.New(`^( +)([✓✕○✎]) (?:skipped )?(.+?)(?: \(([\d.]+) m?s\))?$`)
	jestSuite   = lazyregexp.New(`^( {2,})(\S.*)$`)
	jestTotal   = lazyregexp.New(`^Tests: +(.*)$`)
	jestCount   = lazyregexp.New(`(\d+) (passed|failed|skipped|todo|pending)`)
	jestSummary = lazyregexp.New(`^Summary of all failing tests$`)
)

// jestUnit is a test file that could not be run.
func jestUnit(file, said string, at Place) task.Failure {
	said = escapes.ReplaceAllString(said, "")
	f := jestError(said, at)
	f.Test = file
	if f.Message == "" {
		f.Message = "the test file could not be run"
	}
	switch {
	case strings.Contains(said, "SyntaxError") || strings.Contains(said, "Parse failure") || strings.Contains(said, "Transform failed") || strings.Contains(said, "RollupError") || strings.Contains(said, "getRollupError") || strings.HasPrefix(said, "Expression expected"):
		f.Kind, f.Exception = task.FailSyntax, "SyntaxError"
	case strings.Contains(said, "Cannot find module") || strings.Contains(said, "Failed to load url") || strings.Contains(said, "Failed to resolve import"):
		f.Kind, f.Exception = task.FailImport, "MODULE_NOT_FOUND"
	case f.Kind == task.FailException || f.Kind == task.FailAssertion:
		f.Kind = task.FailCollection
	}
	if f.File == "" || f.File != file && f.Kind == task.FailSyntax {
		f.File, f.Line = file, 0
		for _, m := range jestPlace.FindAllStringSubmatch(said, -1) {
			if fr := at.frame(m[1], m[2], ""); fr.own && strings.HasSuffix(fr.File, file) {
				f.Line = fr.Line
				break
			}
		}
	}
	return f
}

// readJest reads jest's text: titles of suites and tests are joined by " › ",
// which a title may hold too; then the id differs from the JSON's.
func readJest(text string, at Place) Report {
	rep := Report{}
	file, title := "", ""
	var body []string
	var open []string
	flush := func() {
		if title != "" {
			jestBlock(&rep, file, title, body, at)
		}
		title, body = "", nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m := jestFile.FindStringSubmatch(line); m != nil {
			flush()
			file, _ = at.Rel(m[2])
			open = nil
			continue
		}
		if m := jestTotal.FindStringSubmatch(line); m != nil || jestSummary.MatchString(line) || strings.HasPrefix(line, "Test Suites: ") {
			flush()
			if m != nil {
				rep.Ended = true
				jestTotals(&rep.Totals, m[1])
			}
			continue
		}
		if m := jestTitle.FindStringSubmatch(line); m != nil && m[1] != "Console" {
			flush()
			title = m[1]
			continue
		} else if m != nil {
			flush()
			title = "Console"
			continue
		}
		switch {
		case title != "":
			body = append(body, line)
		case file != "":
			open = jestProgress(&rep, file, line, open, at)
		}
	}
	flush()
	return rep
}

func jestTotals(t *Totals, text string) {
	for _, m := range jestCount.FindAllStringSubmatch(text, -1) {
		switch n := number(m[1]); m[2] {
		case "passed":
			t.Passed += n
		case "failed":
			t.Failed += n
		default:
			t.Skipped += n
		}
	}
}

// jestProgress reads a line of --verbose.
func jestProgress(rep *Report, file, line string, open []string, at Place) []string {
	if m := jestMark.FindStringSubmatch(line); m != nil {
		depth := len(m[1])/2 - 1
		if depth < 0 || depth > len(open) {
			return open
		}
		t := Test{File: file, Status: map[string]string{"✓": Passed, "✕": Failed}[m[2]]}
		if t.Status == "" {
			t.Status = Skipped
		}
		t.ID = jestID(at, file, append(open[:depth:depth], m[3])...)
		rep.Tests = append(rep.Tests, t)
		return open
	}
	if m := jestSuite.FindStringSubmatch(line); m != nil {
		if depth := len(m[1])/2 - 1; depth <= len(open) {
			return append(open[:depth:depth], m[2])
		}
	}
	return open
}

func jestID(at Place, file string, names ...string) string {
	return strings.ReplaceAll(under(at, file, names...), " › ", " > ")
}

func jestBlock(rep *Report, file, title string, body []string, at Place) {
	if title == "Console" {
		return
	}
	text := undent(body)
	if title == "Test suite failed to run" {
		rep.Broken = append(rep.Broken, jestUnit(file, text, at))
		return
	}
	f := jestError(text, at)
	f.Excerpt = text
	rep.Tests = append(rep.Tests, Test{ID: jestID(at, file, title), File: file, Status: Failed, Failure: &f})
}
