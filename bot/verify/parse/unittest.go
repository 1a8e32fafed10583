package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	utHead   = lazyregexp.New(`^(ERROR|FAIL|UNEXPECTED SUCCESS): (.+)$`)
	utName   = lazyregexp.New(`^(\S+) \(([^\s()]+)\)(.*)$`)
	utLine   = lazyregexp.New(`^(\S+ \([^\s()]+\)(?: [(\[].*[)\]])?)(?: \.\.\. ?(.*))?$`)
	utResult = lazyregexp.New(`(?:^|\.\.\. )(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$`)
	utRan    = lazyregexp.New(`^Ran (\d+) tests? in [\d.]+s$`)
	utEnd    = lazyregexp.New(`^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$`)
	utCount  = lazyregexp.New(`(failures|errors|skipped|expected failures|unexpected successes)=(\d+)`)
)

var utStatus = map[string]string{"ok": Passed, "FAIL": Failed, "ERROR": Error, "expected failure": Skipped, "unexpected success": Failed}

func readUnittest(text string, at Place) Report {
	var rep Report
	blocks, rest := utBlocks(text)
	for _, b := range blocks {
		utBlock(&rep, b, at)
	}
	name, ran := "", 0
	for line := range strings.SplitSeq(rest, "\n") {
		if m := utRan.FindStringSubmatch(line); m != nil {
			ran = number(m[1])
			continue
		}
		if m := utEnd.FindStringSubmatch(line); m != nil && (ran > 0 || m[0] != "OK") {
			rep.Ended = true
			rep.Totals = utTotals(m[1], ran)
			continue
		}
		if m := utLine.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		if m := utResult.FindStringSubmatch(line); m != nil && name != "" {
			status, ok := utStatus[m[1]]
			if !ok {
				status = Skipped
			}
			if id, file, unit := utID(name, nil, at); !unit && !strings.HasPrefix(id, "::") {
				t := Test{ID: id, File: file, Status: status}
				if m[1] == "unexpected success" {
					t.Failure = &task.Failure{Kind: task.FailAssertion, Message: "the test passed though it is marked as one that fails"}
				}
				rep.Tests = append(rep.Tests, t)
			}
			name = ""
		}
	}
	utReconcile(&rep)
	return rep
}

// utBlocks cuts the reports of failures out of the text.
func utBlocks(text string) (blocks [][]string, rest string) {
	var other []string
	var cur []string
	lines := strings.Split(text, "\n")
	double, single := strings.Repeat("=", 70), strings.Repeat("-", 70)
	for i, l := range lines {
		switch {
		case l == double && i+1 < len(lines) && utHead.MatchString(lines[i+1]):
			if cur != nil {
				blocks = append(blocks, cur)
			}
			cur = []string{}
		case cur != nil && l == single && i+1 < len(lines) && utRan.MatchString(lines[i+1]):
			blocks, cur = append(blocks, cur), nil
		case cur != nil:
			cur = append(cur, l)
		default:
			other = append(other, l)
		}
	}
	if cur != nil {
		blocks = append(blocks, cur)
	}
	return blocks, strings.Join(other, "\n")
}

func utBlock(rep *Report, lines []string, at Place) {
	head := utHead.FindStringSubmatch(lines[0])
	if head == nil {
		return
	}
	body := strings.Join(lines[1:], "\n")
	f := task.Failure{Excerpt: body}
	var frames []frame
	if head[1] == "UNEXPECTED SUCCESS" {
		f.Kind, f.Message = task.FailAssertion, "the test passed though it is marked as one that fails"
	} else if t, fr, ok := pythonTrace(body, at); ok {
		t.Excerpt = body
		f, frames = t, fr
		put(&f, frames)
	}
	id, file, unit := utID(head[2], frames, at)
	if f.File == "" {
		f.File = file
	}
	if unit {
		f.Test = id
		uncollected(&f)
		rep.Broken = append(rep.Broken, f)
		return
	}
	status := Failed
	if head[1] == "ERROR" {
		status = Error
	}
	rep.Tests = append(rep.Tests, Test{ID: id, File: file, Status: status, Failure: &f})
}

// utID makes "file::Class::method" of "method (pkg.mod.Class.method) (n=2)";
// unit says that it is a class or a module that could not be set up.
func utID(name string, frames []frame, at Place) (id, file string, unit bool) {
	m := utName.FindStringSubmatch(name)
	if m == nil {
		return "::" + name, "", false
	}
	method, dotted := m[1], strings.Split(m[2], ".")
	if strings.Contains(m[2], "_FailedTest") || strings.Contains(m[2], "ModuleImportFailure") {
		module := strings.Split(method, ".")
		file = utFile(module, frames, at)
		return seen(at, file), file, true
	}
	if n := len(dotted); n > 1 && dotted[n-1] == method {
		dotted = dotted[:n-1]
	}
	if method == "setUpModule" || method == "tearDownModule" {
		file = utFile(dotted, frames, at)
		return seen(at, file), file, true
	}
	class := dotted[len(dotted)-1]
	file = utFile(dotted[:len(dotted)-1], frames, at)
	id = seen(at, file) + "::" + class
	if method == "setUpClass" || method == "tearDownClass" {
		return id, file, true
	}
	return id + "::" + method, file, false
}

// utFile is the file of a module: one of the trace that ends so, or the one
// that the tree has, or the obvious one.
func utFile(module []string, frames []frame, at Place) string {
	suffix := strings.Join(module, "/") + ".py"
	for _, fr := range frames {
		if fr.File == suffix || strings.HasSuffix(fr.File, "/"+suffix) {
			return fr.File
		}
	}
	if at.Find != nil {
		if p := at.Find(suffix); p != "" {
			return p
		}
	}
	p, _ := at.Rel(suffix)
	return p
}

func utTotals(text string, ran int) Totals {
	t := Totals{Passed: ran}
	for _, m := range utCount.FindAllStringSubmatch(text, -1) {
		n := number(m[2])
		switch m[1] {
		case "failures", "unexpected successes":
			t.Failed += n
		case "errors":
			t.Errors += n
		default:
			t.Skipped += n
		}
	}
	t.Passed = max(0, t.Passed-t.Failed-t.Errors-t.Skipped)
	return t
}

// utReconcile: the reports of failures know a test's file better than the
// lines of progress; both must become one test.
func utReconcile(rep *Report) {
	best := map[string]string{}
	for _, t := range rep.Tests {
		if t.Failure != nil {
			best[utTail(t.ID)] = t.ID
		}
	}
	for i, t := range rep.Tests {
		if id, ok := best[utTail(t.ID)]; ok && t.Failure == nil && t.Red() {
			rep.Tests[i].ID = id
		}
	}
}

// utTail is the module's own name, class and method of an id.
func utTail(id string) string {
	file, rest, _ := strings.Cut(id, "::")
	return file[strings.LastIndexByte(file, '/')+1:] + "::" + rest
}
