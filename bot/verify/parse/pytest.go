package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	ptBanner  = lazyregexp.New(`^=+ (.+?) =+$`)
	ptHeader  = lazyregexp.New(`^_+ (.+?) _+$`)
	ptVerbose = lazyregexp.New(`^(\S+?\.\w+::.+?|\S+::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: \(.*\))?(?:\s+\[\s*\d+%\])?\s*$`)
	ptWorker  = lazyregexp.New(`^\[gw\d+\] \[\s*\d+%\] (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (.+?)\s*$`)
	ptSummary = lazyregexp.New(`^(FAILED|ERROR) (.+)$`)
	ptLoc     = lazyregexp.New(`^(\S[^:\n]*?\.pyx?):(\d+): ?(.*)$`)
	ptEnd     = lazyregexp.New(`^(?:=+ )?((?:\d+ \w+(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:, a-z]+\))?(?: =+)?$`)
	ptCount   = lazyregexp.New(`(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)`)
	ptRunning = lazyregexp.New(`^(\S+\.py::[^\n]+?) ?(?:Fatal Python error: .*|\s*)$`)
	ptUsage   = lazyregexp.New(`^(?:ERROR: (.+)|INTERNALERROR> (\w*(?:Error|Exception|Exit)\b.*)|(?:\S+: )?error: (.+))$`)
	ptCrashed = lazyregexp.New(`^worker '\w+' crashed while running '(.+)'$`)
)

// ptRun is the state of reading one output of pytest.
type ptRun struct {
	at       Place
	status   map[string]string // of tests, by node id
	order    []string
	sections []ptSection
	summary  [][2]string // FAILED or ERROR, and the rest of the line
	usage    []string
	fatal    string // test during which the process died
	rep      Report
}

// ptSection is one entry below ERRORS or FAILURES.
type ptSection struct {
	title string // without underscores; "" with --tb=line
	phase string // "collecting", "setup", "teardown" or ""
	lines []string
}

var ptStatus = map[string]string{"PASSED": Passed, "FAILED": Failed, "ERROR": Error, "SKIPPED": Skipped, "XFAIL": Skipped, "XPASS": Passed}

func readPytest(text string, at Place) Report {
	r := &ptRun{at: at, status: map[string]string{}}
	r.scan(text)
	r.settle(text)
	return r.rep
}

// scan sorts the lines into progress, sections and summary.
func (r *ptRun) scan(text string) {
	where, running := "progress", ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := ptEnd.FindStringSubmatch(line); m != nil {
			r.rep.Ended, r.rep.Totals = true, ptTotals(m[1])
			continue
		}
		if m := ptBanner.FindStringSubmatch(line); m != nil {
			if next := ptPart(m[1]); next != "" {
				where = next
				if next == "sections" {
					r.sections = append(r.sections, ptSection{})
				}
				continue
			}
		}
		switch where {
		case "progress":
			running = r.progress(line, running)
		case "sections":
			r.section(line)
		case "summary":
			if m := ptSummary.FindStringSubmatch(line); m != nil {
				r.summary = append(r.summary, [2]string{m[1], m[2]})
			}
		}
		if where == "progress" || where == "summary" {
			if m := ptUsage.FindStringSubmatch(line); m != nil && where == "progress" {
				r.usage = append(r.usage, m[1]+m[2]+m[3])
			}
		}
	}
	if !r.rep.Ended {
		r.fatal = running
	}
}

// ptPart is the part of the output that a banner opens.
func ptPart(title string) string {
	switch {
	case title == "ERRORS" || title == "FAILURES":
		return "sections"
	case title == "short test summary info":
		return "summary"
	case strings.HasPrefix(title, "test session starts"):
		return "progress"
	case strings.HasPrefix(title, "warnings summary"), title == "PASSES", title == "XFAILURES", title == "XPASSES",
		strings.HasPrefix(title, "slowest"), strings.HasSuffix(title, "coverage:"), strings.Contains(title, "tests coverage"):
		return "other"
	}
	return ""
}

func (r *ptRun) progress(line, running string) string {
	if m := ptWorker.FindStringSubmatch(line); m != nil {
		r.saw(m[2], ptStatus[m[1]])
		return ""
	}
	if m := ptVerbose.FindStringSubmatch(line); m != nil {
		r.saw(m[1], ptStatus[m[2]])
		return ""
	}
	if m := ptRunning.FindStringSubmatch(line); m != nil {
		return ptInherited.ReplaceAllString(m[1], "")
	}
	return running
}

// ptInherited is what pytest writes behind a test whose code stands in another
// file.
var ptInherited = lazyregexp.New(` <- \S+$`)

func (r *ptRun) saw(id, status string) {
	id = ptInherited.ReplaceAllString(id, "")
	old, seen := r.status[id]
	if !seen {
		r.order = append(r.order, id)
	}
	if !seen || worse[status] > worse[old] {
		r.status[id] = status
	}
}

func (r *ptRun) section(line string) {
	m := ptHeader.FindStringSubmatch(line)
	if m != nil && strings.Trim(line, "_ ") != "" {
		s := ptSection{title: m[1]}
		for _, p := range []string{"ERROR collecting ", "ERROR at setup of ", "ERROR at teardown of "} {
			if rest, ok := strings.CutPrefix(m[1], p); ok {
				words := strings.Fields(p)
				s.title, s.phase = rest, words[len(words)-1]
				if s.phase == "of" {
					s.phase = words[len(words)-2]
				}
			}
		}
		r.sections = append(r.sections, s)
		return
	}
	if n := len(r.sections); n > 0 {
		r.sections[n-1].lines = append(r.sections[n-1].lines, line)
	}
}

func ptTotals(text string) Totals {
	var t Totals
	for _, m := range ptCount.FindAllStringSubmatch(text, -1) {
		n := number(m[1])
		switch m[2] {
		case "passed", "xpassed":
			t.Passed += n
		case "failed":
			t.Failed += n
		case "error", "errors":
			t.Errors += n
		default:
			t.Skipped += n
		}
	}
	return t
}

// settle joins sections, summary and progress into tests and what is broken.
func (r *ptRun) settle(text string) {
	r.sections = ptByLine(r.sections)
	taken := map[string]bool{}
	nameless := 0
	for _, s := range r.sections {
		f := ptFailure(s.lines, r.at)
		switch {
		case s.phase == "collecting":
			r.collection(s, f)
			continue
		case s.title == "" && nameless < len(r.failedIDs()):
			s.title = r.failedIDs()[nameless]
			nameless++
		}
		id, status := r.resolve(s, f, taken), Failed
		if s.phase != "" {
			status = Error
		}
		taken[status+id] = true
		r.test(id, status, &f)
	}
	r.rest(taken)
	for _, id := range r.order {
		r.rep.Tests = append(r.rep.Tests, Test{ID: r.native(id), File: r.file(id), Status: r.status[id]})
	}
	if r.fatal != "" {
		f := task.Failure{Kind: task.FailCrash, Exception: "ProcessDied", Message: "the test process died in the middle of the test", Excerpt: tail(text, maxExcerpt)}
		put(&f, fatalFrames(text, r.at))
		r.test(r.fatal, Error, &f)
	}
	if len(r.rep.Tests) == 0 && len(r.rep.Broken) == 0 && len(r.usage) > 0 {
		r.rep.Broken = append(r.rep.Broken, task.Failure{Kind: task.FailCollection, Exception: "UsageError",
			Message: r.usage[len(r.usage)-1], Excerpt: tail(text, maxExcerpt)})
	}
}

func (r *ptRun) collection(s ptSection, f task.Failure) {
	p, _ := r.at.Rel(s.title)
	f.Test = p
	if f.File == "" {
		f.File = p
	}
	uncollected(&f)
	r.rep.Broken = append(r.rep.Broken, f)
}

// rest takes what the summary names and no section showed (--tb=no).
func (r *ptRun) rest(taken map[string]bool) {
	for _, s := range r.summary {
		id, message := r.split(s[1])
		switch {
		case !strings.Contains(id, "::"):
			p, _ := r.at.Rel(id)
			known := false
			for _, b := range r.rep.Broken {
				known = known || b.Test == p
			}
			if !known {
				f := task.Failure{Test: p, File: p, Kind: task.FailCollection, Message: message}
				f.Exception, f.Message = ptRaised(message)
				r.rep.Broken = append(r.rep.Broken, f)
			}
		case !taken[ptStatus[s[0]]+id]:
			f := task.Failure{}
			f.Exception, f.Message = ptRaised(message)
			r.test(id, ptStatus[s[0]], &f)
		}
	}
}

func (r *ptRun) test(id, status string, f *task.Failure) {
	if f.File == "" {
		f.File = r.file(id)
	}
	r.rep.Tests = append(r.rep.Tests, Test{ID: r.native(id), File: r.file(id), Status: status, Failure: f})
}

// native is the node id with its file seen from the folder of the command.
func (r *ptRun) native(id string) string { return strings.TrimPrefix(id, "./") }

func (r *ptRun) file(id string) string {
	file, _, ok := strings.Cut(id, "::")
	if !ok {
		return ""
	}
	p, _ := r.at.Rel(file)
	return p
}

// domain is how pytest heads a test's section: "TestCart.test_x[1]".
func domain(id string) string {
	_, rest, ok := strings.Cut(id, "::")
	if !ok {
		return id
	}
	name, param, has := strings.Cut(rest, "[")
	name = strings.ReplaceAll(name, "::", ".")
	if has {
		name += "[" + param
	}
	return name
}

// resolve finds the node id of a section: the next one of that name that is
// not taken, in the summary and then in the progress; else it is made from the
// test file in the trace.
func (r *ptRun) resolve(s ptSection, f task.Failure, taken map[string]bool) string {
	status := Failed
	if s.phase != "" {
		status = Error
	}
	if m := ptCrashed.FindStringSubmatch(strings.TrimSpace(lastLine(s.lines))); m != nil {
		return m[1]
	}
	fits := func(id string) bool { return (domain(id) == s.title || id == s.title) && !taken[status+id] }
	for _, l := range r.summary {
		if id, _ := r.split(l[1]); ptStatus[l[0]] == status && fits(id) {
			return id
		}
	}
	for _, id := range r.order {
		if r.status[id] == status && fits(id) {
			return id
		}
	}
	for _, fr := range f.Trace {
		if base := fr.File[strings.LastIndexByte(fr.File, '/')+1:]; strings.HasPrefix(base, "test") || strings.HasSuffix(base, "_test.py") {
			file := strings.TrimPrefix(fr.File, r.at.dir()+"/")
			return file + "::" + strings.ReplaceAll(s.title, ".", "::")
		}
	}
	return s.title
}

func (r *ptRun) failedIDs() []string {
	var out []string
	for _, l := range r.summary {
		if id, _ := r.split(l[1]); l[0] == "FAILED" {
			out = append(out, id)
		}
	}
	return out
}

// split cuts "id - message": ids may hold " - " too, so one that is known wins,
// then the first cut outside brackets.
func (r *ptRun) split(text string) (id, message string) {
	cuts := []int{}
	for i := 0; i+3 <= len(text); i++ {
		if text[i:i+3] == " - " {
			cuts = append(cuts, i)
		}
	}
	known := func(id string) bool {
		if _, ok := r.status[id]; ok {
			return true
		}
		for _, s := range r.sections {
			if s.title != "" && s.title == domain(id) {
				return true
			}
		}
		return false
	}
	if known(text) {
		return text, ""
	}
	for i := len(cuts) - 1; i >= 0; i-- {
		if known(text[:cuts[i]]) {
			return text[:cuts[i]], text[cuts[i]+3:]
		}
	}
	for _, c := range cuts {
		if open := strings.Count(text[:c], "["); open == 0 || strings.HasSuffix(text[:c], "]") {
			return text[:c], text[c+3:]
		}
	}
	return text, ""
}

// ptByLine splits the nameless section of --tb=line at its lines of places.
func ptByLine(in []ptSection) []ptSection {
	var out []ptSection
	for _, s := range in {
		if s.title != "" {
			out = append(out, s)
			continue
		}
		cur := ptSection{}
		captured := false
		doubled := strings.Contains("\n"+strings.Join(s.lines, "\n"), "\nE   ") // pytest 9 says an unexpected pass twice
		for _, l := range s.lines {
			if strings.HasPrefix(l, "---") && strings.Contains(l, "Captured ") {
				captured = true
				continue
			}
			m := ptLoc.FindStringSubmatch(l)
			place := m != nil && strings.HasPrefix(m[1], "/") && m[3] != "" && !strings.HasPrefix(m[3], "in ")
			captured = captured && !place
			if !captured {
				cur.lines = append(cur.lines, l)
			}
			if strings.HasPrefix(l, "[XPASS(strict)]") && doubled && len(cur.lines) == 1 {
				continue
			}
			if place || strings.HasPrefix(l, "[XPASS(strict)]") {
				out = append(out, cur)
				cur = ptSection{}
			}
		}
	}
	return out
}

func lastLine(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) != "" {
			return lines[i]
		}
	}
	return ""
}

// tail is the end of a text, at most limit bytes.
func tail(text string, limit int) string {
	if len(text) > limit {
		text = text[len(text)-limit:]
	}
	return strings.ToValidUTF8(text, "")
}
