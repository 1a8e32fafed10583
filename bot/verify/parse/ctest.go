package parse

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// compiledPlace begins what GoogleTest ("file:3: Failure"), Catch2 ("file:3: FAILED:"),
// doctest ("file:3: ERROR:", "file(3): ERROR:") and assert ("prog: file:3: f(): Assertion
// `x' failed.") print of an assertion that does not hold.
var compiledPlace = lazyregexp.New(`(?m)^(?:[^\s:/]+: )?(/?[^\s:()]+\.\w+)[:(](\d+)\)?: *(?:Failure$|FAILED:|(?:FATAL )?ERROR:|(?:.*: )?Assertion )`)

// readCTest reads the JUnit file that ctest writes: ids are the names of its tests,
// places stand in what they printed.
func readCTest(text string, at Place) Report {
	var doc struct {
		Cases []struct {
			Name   string `xml:"name,attr"`
			Status string `xml:"status,attr"` // run, fail, notrun, disabled
			Time   string `xml:"time,attr"`
			Failed *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	if d.Decode(&doc) != nil {
		return Report{}
	}
	rep := Report{Ended: true}
	for _, c := range doc.Cases {
		t := Test{ID: c.Name, Status: Passed}
		t.Seconds, _ = strconv.ParseFloat(c.Time, 64)
		switch {
		case c.Status == "disabled" || c.Status == "notrun" && c.Failed == nil:
			t.Status = Skipped
		case c.Failed != nil:
			f, frames := compiledFailure(c.Out, at)
			f.Message = cmp.Or(f.Message, cmp.Or(c.Failed.Message, "the test failed"))
			put(&f, frames)
			t.Status, t.Failure = Failed, &f
			if len(frames) > 0 && frames[0].own {
				t.File = frames[0].File
			}
			if c.Status == "notrun" {
				t.Status = Error
			}
		}
		rep.Tests = append(rep.Tests, t)
	}
	return rep
}

// compiledFailure reads the first assertion that did not hold. A test that says
// nothing has crashed.
func compiledFailure(out string, at Place) (task.Failure, []frame) {
	f := task.Failure{Kind: task.FailCrash, Excerpt: out}
	m := compiledPlace.FindStringSubmatchIndex(out)
	if m == nil {
		return f, nil
	}
	f.Kind, f.Exception = task.FailAssertion, "AssertionError"
	rest, _, _ := strings.Cut(out[m[5]:], "\n[")
	if head, body, ok := strings.Cut(rest, "\n"); ok && !strings.Contains(head, "Assertion") {
		rest = body
	} else {
		rest = head[max(0, strings.Index(head, "Assertion")):]
	}
	f.Message = strings.TrimSpace(strings.TrimLeft(rest, ":) "))
	return f, []frame{at.frame(out[m[2]:m[3]], out[m[4]:m[5]], "")}
}
