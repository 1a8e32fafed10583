package parse

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

type mochaTest struct {
	Title     string  `json:"title"`
	FullTitle string  `json:"fullTitle"`
	File      string  `json:"file"`
	Duration  float64 `json:"duration"`
	Err       struct {
		Stack   string `json:"stack"`
		Message string `json:"message"`
		Name    string `json:"name"`
	} `json:"err"`
}

// readMochaJSON reads mocha's JSON. It joins titles of nested suites by blanks.
func readMochaJSON(text string, at Place) Report {
	var doc struct {
		Stats struct {
			Passes, Pending, Failures int
		} `json:"stats"`
		Passes   []mochaTest `json:"passes"`
		Pending  []mochaTest `json:"pending"`
		Failures []mochaTest `json:"failures"`
	}
	begin := strings.Index(text, "{\n  \"stats\":")
	if begin < 0 || json.NewDecoder(strings.NewReader(text[begin:])).Decode(&doc) != nil {
		return Report{Broken: mochaRun(text, at)}
	}
	rep := Report{Ended: true, Totals: Totals{Passed: doc.Stats.Passes, Failed: doc.Stats.Failures, Skipped: doc.Stats.Pending}}
	add := func(in []mochaTest, status string) {
		for _, m := range in {
			file, _ := at.Rel(m.File)
			t := Test{ID: m.Title, File: file, Status: status, Seconds: m.Duration / 1000}
			if suite := strings.TrimSuffix(strings.TrimSuffix(m.FullTitle, m.Title), " "); suite != "" && suite != m.FullTitle {
				t.ID = suite + " > " + m.Title
			}
			t.ID = under(at, file, t.ID)
			if status == Failed {
				f := mochaError(cmp.Or(m.Err.Stack, m.Err.Message), at)
				f.Message = cmp.Or(m.Err.Message, f.Message)
				t.Failure = &f
				if mochaHook.MatchString(m.Title) {
					t.Status = Error
				}
			}
			rep.Tests = append(rep.Tests, t)
		}
	}
	add(doc.Passes, Passed)
	add(doc.Pending, Skipped)
	add(doc.Failures, Failed)
	return rep
}

var (
	mochaHook  = lazyregexp.New(`^"(?:before|after)(?: each| all)?" hook`)
	mochaCount = lazyregexp.New(`^  (\d+) (passing|failing|pending)(?: \(.*\))?$`)
	mochaHead  = lazyregexp.New(`^  (\d+)\) (.*)$`)
	mochaDiff  = lazyregexp.New(`(?m)^ +\+ expected - actual$`)
)

func mochaError(text string, at Place) task.Failure {
	text = undent(strings.Split(text, "\n"))
	f, frames, _ := nodeTrace(text, at)
	f.Excerpt = text
	if cut := mochaDiff.FindStringIndex(f.Message); cut != nil {
		f.Message = strings.TrimSpace(f.Message[:cut[0]])
	}
	if f.Exception == "" {
		f.Message, f.Kind = strings.TrimSpace(text), task.FailException
	}
	if strings.HasPrefix(f.Message, "Timeout of ") {
		f.Kind, f.Exception = task.FailTimeout, "TestTimeout"
	}
	put(&f, frames)
	return f
}

// readMocha reads the list of failures that mocha's reporters end with. The
// text does not say the file of a test; its trace does.
func readMocha(text string, at Place) Report {
	rep := Report{Broken: mochaRun(text, at)}
	var titles, body []string
	inTitle, failing := false, false
	flush := func() {
		if len(titles) > 0 {
			rep.Tests = append(rep.Tests, mochaText(titles, body, at))
		}
		titles, body = nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if m := mochaCount.FindStringSubmatch(line); m != nil && !failing {
			rep.Ended = true
			switch n := number(m[1]); m[2] {
			case "passing":
				rep.Totals.Passed = n
			case "pending":
				rep.Totals.Skipped = n
			default:
				rep.Totals.Failed, failing = n, true
			}
			continue
		}
		if !failing {
			continue
		}
		if m := mochaHead.FindStringSubmatch(line); m != nil && len(rep.Tests)+min(1, len(titles))+1 == number(m[1]) {
			flush()
			titles = []string{strings.TrimSuffix(m[2], ":")}
			inTitle = !strings.HasSuffix(m[2], ":")
			continue
		}
		switch {
		case inTitle && strings.TrimSpace(line) != "":
			t := strings.TrimSpace(line)
			titles = append(titles, strings.TrimSuffix(t, ":"))
			inTitle = !strings.HasSuffix(t, ":")
		case len(titles) > 0:
			body = append(body, line)
		}
	}
	flush()
	return rep
}

func mochaText(titles, body []string, at Place) Test {
	var lines []string // mocha indents the first lines of an error and not the others
	for _, l := range body {
		lines = append(lines, strings.TrimPrefix(l, "     "))
	}
	f := mochaError(strings.Join(lines, "\n"), at)
	var own string
	for _, fr := range f.Trace {
		if _, in := at.Rel("/" + fr.File); !in && !strings.HasPrefix(fr.File, "/") && !strings.HasPrefix(fr.File, "node:") && jsFile.MatchString(fr.File) {
			own = fr.File
			break
		}
	}
	t := Test{ID: under(at, own, titles...), File: own, Status: Failed, Failure: &f}
	if mochaHook.MatchString(titles[len(titles)-1]) {
		t.Status = Error
	}
	return t
}

// mochaRun reads what mocha prints when a file cannot be loaded: nothing is run
// then.
func mochaRun(text string, at Place) []task.Failure {
	_, said, ok := strings.Cut(text, "Exception during run: ")
	if !ok {
		if mochaEnded.MatchString(text) || !strings.Contains(text, "/mocha/") {
			return nil
		}
		said = text // before mocha 9 the error alone
	}
	f, frames, found := nodeTrace(said, at)
	if !found {
		return nil
	}
	put(&f, frames)
	f.Excerpt, f.Test = said, f.File
	uncollected(&f)
	return []task.Failure{f}
}

var mochaEnded = lazyregexp.New(`(?m)^  \d+ passing`)
