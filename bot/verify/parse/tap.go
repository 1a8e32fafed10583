package parse

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	tapLine    = lazyregexp.New(`^( *)(not ok|ok)\b(?: +(\d+))?(?: +- )? ?(.*)$`)
	tapPlan    = lazyregexp.New(`^( *)1\.\.(\d+)`)
	tapSubtest = lazyregexp.New(`^( *)# Subtest: (.*)$`)
	tapDirect  = lazyregexp.New(`(?i)(?:^|[^\\]) ?# *(SKIP|TODO|time=)\b?(.*)$`)
	tapKey     = lazyregexp.New(`^( *)([A-Za-z_]+): ?(.*)$`)
	jsFile     = lazyregexp.New(`\.[cm]?[jt]sx?$`)
)

// tapPoint is one line of TAP with what belongs to it.
type tapPoint struct {
	indent  int
	ok      bool
	name    string
	parents []string
	note    string // SKIP, TODO
	body    []string
	before  []string // comments before it: what the test printed
}

func readTAP(text string, at Place) Report {
	points, planned, ended := tapPoints(text)
	rep := Report{}
	top := 0
	for i, p := range points {
		if p.indent == 0 {
			top++
		}
		tapTest(&rep, p, i > 0 && points[i-1].indent > p.indent, at)
	}
	rep.Ended = ended && top >= planned
	return rep
}

// tapPoints cuts the text into test points.
func tapPoints(text string) (points []tapPoint, planned int, ended bool) {
	names := map[int]string{} // open subtests by indentation
	var comments []string
	inBody := -1
	for line := range strings.SplitSeq(text, "\n") {
		if m := tapSubtest.FindStringSubmatch(line); m != nil {
			names[len(m[1])] = tapUnescape(m[2])
			inBody = -1
			continue
		}
		if m := tapLine.FindStringSubmatch(line); m != nil && (inBody < 0 || len(m[1]) <= inBody) {
			p := tapPoint{indent: len(m[1]), ok: m[2] == "ok", before: comments}
			comments = nil
			p.name, p.note = tapName(m[4])
			for i := 0; i < p.indent; i += 4 {
				if n := names[i]; n != "" {
					p.parents = append(p.parents, n)
				}
			}
			points = append(points, p)
			inBody = p.indent
			continue
		}
		if m := tapPlan.FindStringSubmatch(line); m != nil && m[1] == "" {
			planned, ended = number(m[2]), true
			inBody = -1
			continue
		}
		n := len(points)
		switch {
		case inBody >= 0 && (strings.HasPrefix(line, strings.Repeat(" ", inBody+1)) || line == "" || !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, " ")) && n > 0:
			if len(points[n-1].body) < 4000 {
				points[n-1].body = append(points[n-1].body, line)
			}
		default:
			inBody = -1
			if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "#"); ok && len(comments) < 400 {
				comments = append(comments, strings.TrimPrefix(rest, " "))
			}
		}
	}
	return points, planned, ended
}

// tapName takes the directive off a description.
func tapName(text string) (name, note string) {
	if m := tapDirect.FindStringSubmatchIndex(text); m != nil {
		note = strings.ToUpper(text[m[2]:m[3]])
		cut := strings.LastIndex(text[:m[2]], "#")
		text = text[:cut]
	}
	return tapUnescape(strings.TrimSpace(text)), note
}

func tapUnescape(s string) string {
	return strings.TrimSpace(strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(s))
}

func tapTest(rep *Report, p tapPoint, parent bool, at Place) {
	y := tapBody(p.body)
	file, _ := splitWhere(y["location"])
	status := Passed
	switch {
	case p.note == "SKIP" || p.note == "TODO":
		status = Skipped
	case !p.ok:
		status = Failed
	}
	rep.Totals.add(status)
	f, frames := tapFailure(p, y, at)
	if y["type"] == "suite" || parent && (y["failureType"] == "subtestsFailed" || status == Passed) {
		if y["failureType"] == "hookFailed" {
			inherit(rep, append(slices.Clone(p.parents), p.name), f)
		}
		return
	}
	if m := vtName.FindStringSubmatch(p.name); m != nil {
		file, p.name = m[1], m[2]
	}
	file = at.file(file, frames)
	if jsFile.MatchString(p.name) && p.indent == 0 && status == Failed && strings.ContainsAny(p.name, "/.") {
		unit, _ := at.Rel(p.name)
		rep.Broken = append(rep.Broken, nodeUnit(unit, strings.Join(p.before, "\n"), f, at))
		return
	}
	id := strings.Join(append(p.parents, p.name), " > ")
	if !strings.HasPrefix(id, seen(at, file)+" > ") {
		id = under(at, file, id)
	}
	t := Test{ID: id, File: file, Status: status, Seconds: tapSeconds(y["duration_ms"])}
	if status == Failed {
		if y["failureType"] == "cancelledByParent" || y["failureType"] == "hookFailed" {
			t.Status = Error
		}
		t.Failure = &f
	}
	rep.Tests = append(rep.Tests, t)
}

// inherit gives the failure of a suite's hook to the tests that were cancelled
// because of it.
func inherit(rep *Report, suite []string, f task.Failure) {
	part := strings.Join(suite, " > ") + " > "
	for i, t := range rep.Tests {
		if t.Failure != nil && strings.Contains(t.Failure.Message, "was cancelled") && (strings.HasPrefix(t.ID, part) || strings.Contains(t.ID, " > "+part)) {
			g := f
			rep.Tests[i].Failure = &g
		}
	}
}

var vtName = lazyregexp.New(`^(\S+\.[cm]?[jt]sx?) > (.+)$`)

// nodeUnit is a test file that could not be run: its process ended, or it could
// not be loaded. said is what it printed.
func nodeUnit(unit, said string, f task.Failure, at Place) task.Failure {
	if f.Exception != "" && f.Exception != "ProcessDied" {
		g := jestUnit(unit, f.Exception+": "+f.Message, at)
		if g.Line == 0 && f.File == unit {
			g.Line = f.Line
		}
		g.Trace, g.Excerpt = f.Trace, f.Excerpt
		return g
	}
	out := task.Failure{Test: unit, File: unit, Kind: task.FailCrash, Exception: "ProcessDied", Message: f.Message, Excerpt: said}
	if g, frames, ok := nodeTrace(said, at); ok {
		out.Exception, out.Message, out.Kind = g.Exception, g.Message, g.Kind
		uncollected(&out)
		put(&out, frames)
		if out.File == "" {
			out.File = unit
		}
	}
	return out
}

// splitWhere cuts "path:line:column".
func splitWhere(s string) (file string, line int) {
	if m := nodeWhere.FindStringSubmatch(s); m != nil {
		return m[2], number(m[3])
	}
	return "", 0
}

func tapSeconds(ms string) float64 {
	f, err := strconv.ParseFloat(ms, 64)
	if err != nil || f < 0 || f > 1e9 {
		return 0
	}
	return f / 1000
}

// tapFailure reads what stands below a point: node's and tape's YAML, or the
// plain stack of mocha.
func tapFailure(p tapPoint, y map[string]string, at Place) (task.Failure, []frame) {
	f := task.Failure{Excerpt: strings.Join(p.body, "\n"), Message: y["error"], Exception: y["name"]}
	stack := y["stack"]
	if y["message"] != "" {
		f.Message = y["message"]
	}
	if len(y) == 0 {
		stack = f.Excerpt
	}
	var frames []frame
	if stack != "" {
		frames = tapStack(stack, at)
		if f.Exception == "" {
			g := nodeError(dedent(stack))
			f.Exception, f.Message, f.Kind = g.Exception, cmp.Or(f.Message, g.Message), g.Kind
		}
	}
	if file, line := splitWhere(strings.TrimPrefix(y["at"], "file://")); file != "" && len(frames) == 0 {
		frames = []frame{at.frame(file, strconv.Itoa(line), "")}
	}
	if f.Exception == "" && y["code"] == "ERR_ASSERTION" || y["operator"] != "" && f.Exception == "" {
		f.Exception = "AssertionError"
	}
	if y["failureType"] == "testTimeoutFailure" {
		f.Kind, f.Exception = task.FailTimeout, "TestTimeout"
	}
	put(&f, frames)
	if len(frames) == 0 {
		if loc, line := splitWhere(y["location"]); loc != "" && y["failureType"] == "testTimeoutFailure" {
			f.File, _ = at.Rel(loc)
			f.Line = line
		}
	}
	return f, frames
}

func dedent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// tapStack reads a stack whose lines may lack "at".
func tapStack(stack string, at Place) []frame {
	var frames []frame
	for l := range strings.SplitSeq(stack, "\n") {
		l = strings.TrimPrefix(strings.TrimSpace(l), "at ")
		if m := nodeWhere.FindStringSubmatch(l); m != nil && (strings.Contains(m[2], "/") || path.Ext(m[2]) != "") {
			frames = append(frames, at.frame(m[2], m[3], m[1]))
		}
	}
	return reversed(frames)
}

// tapBody reads the YAML that runners write below a point: keys with plain,
// quoted or block values. Keys of a nested map win where the outer has none.
func tapBody(lines []string) map[string]string {
	out := map[string]string{}
	inside := false
	for i := 0; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "---" || trimmed == "..." {
			inside = trimmed == "---"
			continue
		}
		m := tapKey.FindStringSubmatch(lines[i])
		if !inside || m == nil {
			continue
		}
		indent, value := len(m[1]), m[3]
		switch {
		case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
			var block []string
			for ; i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || leading(lines[i+1]) > indent); i++ {
				block = append(block, lines[i+1])
			}
			value = strings.TrimSpace(undent(block))
		case strings.HasPrefix(value, `"`) && !strings.HasSuffix(strings.TrimSpace(value[1:]), `"`):
			for ; i+1 < len(lines) && !strings.HasSuffix(lines[i], `"`); i++ {
				value += "\n" + lines[i+1]
			}
			value = unquote(value)
		default:
			value = unquote(value)
		}
		if _, had := out[m[2]]; !had {
			out[m[2]] = value
		}
	}
	return out
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(s[1 : len(s)-1])
	}
	return s
}

func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func undent(lines []string) string {
	least := 1 << 20
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			least = min(least, leading(l))
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(least, len(l)):]
	}
	return strings.Join(out, "\n")
}
