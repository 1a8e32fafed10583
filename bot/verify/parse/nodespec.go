package parse

import (
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	specMark  = lazyregexp.New(`^( *)([✔✖▶﹣⚠]) (.+?)(?: \(([\d.]+)ms\))?(?: # (?:SKIP|TODO).*)?$`)
	specSkip  = lazyregexp.New(`# (?:SKIP|TODO)`)
	specCount = lazyregexp.New(`^ℹ (\w+) (\d+)$`)
	specWhere = lazyregexp.New(`^test at (.+):(\d+):\d+$`)
)

// specTest is a line of node's spec reporter.
type specTest struct {
	path   []string
	status string
	secs   float64
	before []string // what was printed before it
	taken  bool
}

func readNodeSpec(text string, at Place) Report {
	head, tailPart, _ := strings.Cut(text, "\n✖ failing tests:\n")
	rep := Report{}
	tests := specProgress(head)
	for l := range strings.SplitSeq(text, "\n") {
		if m := specCount.FindStringSubmatch(l); m != nil {
			specTotal(&rep, m[1], number(m[2]))
		}
	}
	entries := specEntries(tailPart)
	for _, e := range entries {
		specFailure(&rep, e, tests, at)
	}
	for _, t := range tests {
		if t.taken || t.status == Failed && len(entries) > 0 {
			continue
		}
		rep.Tests = append(rep.Tests, Test{ID: strings.Join(t.path, " > "), Status: t.status, Seconds: t.secs})
	}
	return rep
}

func specTotal(rep *Report, what string, n int) {
	switch what {
	case "pass":
		rep.Totals.Passed = n
	case "fail":
		rep.Totals.Failed = n
	case "cancelled":
		rep.Totals.Errors = n
	case "skipped", "todo":
		rep.Totals.Skipped += n
	case "duration_ms":
	}
	rep.Ended = true
}

// specProgress reads the tree of results. A suite is closed by a line with its
// own name, which is not a test.
func specProgress(text string) []*specTest {
	var out []*specTest
	var open []string
	var said []string
	for line := range strings.SplitSeq(text, "\n") {
		m := specMark.FindStringSubmatch(line)
		if m == nil {
			if len(said) < 400 {
				said = append(said, line)
			}
			continue
		}
		depth, name := len(m[1])/2, m[3]
		if depth > len(open) {
			continue
		}
		if m[2] == "▶" {
			if len(open) > depth && open[depth] == name {
				open = open[:depth] // older versions close with the same mark
				continue
			}
			open = append(open[:depth:depth], name)
			continue
		}
		if len(open) > depth && open[depth] == name {
			open = open[:depth]
			continue
		}
		secs, _ := strconv.ParseFloat(m[4], 64)
		t := &specTest{path: append(append([]string{}, open[:depth]...), name), status: Passed, secs: secs / 1000, before: said}
		said = nil
		switch {
		case m[2] == "﹣" || m[2] == "⚠" || specSkip.MatchString(line):
			t.status = Skipped
		case m[2] == "✖":
			t.status = Failed
		}
		out = append(out, t)
	}
	return out
}

type specEntry struct {
	name, file string
	body       []string
}

// specEntries reads the section "failing tests".
func specEntries(text string) []specEntry {
	var out []specEntry
	where := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := specWhere.FindStringSubmatch(line); m != nil {
			where = m[1]
			continue
		}
		if m := specMark.FindStringSubmatch(line); m != nil && m[1] == "" && m[2] == "✖" {
			out = append(out, specEntry{name: m[3], file: where})
			where = ""
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].body = append(out[n-1].body, line)
		}
	}
	return out
}

func specFailure(rep *Report, e specEntry, tests []*specTest, at Place) {
	var found *specTest
	for _, t := range tests {
		if !t.taken && t.status == Failed && t.path[len(t.path)-1] == e.name {
			found = t
			break
		}
	}
	body := strings.Join(e.body, "\n")
	if strings.Contains(body, "\n'test failed'") || strings.HasPrefix(strings.TrimSpace(body), "'") {
		body = strings.TrimSpace(body)
	}
	f, frames, ok := nodeTrace(undent(strings.Split(body, "\n")), at)
	f.Excerpt = body
	if !ok {
		f.Message = strings.Trim(strings.TrimSpace(body), "'")
	}
	path := []string{e.name}
	if found != nil {
		found.taken, path = true, found.path
	}
	if jsFile.MatchString(e.name) && strings.ContainsAny(e.name, "/.") && len(path) == 1 {
		unit, _ := at.Rel(e.name)
		said := body
		if found != nil {
			said = strings.Join(found.before, "\n")
		}
		rep.Broken = append(rep.Broken, nodeUnit(unit, said, f, at))
		return
	}
	if found == nil { // a suite whose parts failed
		if ok {
			put(&f, frames)
			inherit(rep, []string{e.name}, f)
		}
		return
	}
	file := at.file(e.file, frames)
	put(&f, frames)
	status := Failed
	if f.Kind == task.FailTimeout {
		status = Error
	}
	rep.Tests = append(rep.Tests, Test{ID: under(at, file, path...), File: file, Status: status, Seconds: found.secs, Failure: &f})
}
