package parse

import (
	"cmp"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

type junitCase struct {
	name, class, file, line string
	seconds                 float64
	suites                  []string
	result                  string // failure, error, skipped or ""
	message, kind, text     string
}

// readJUnit reads JUnit XML of any writer. What was cut off in the middle gives
// the tests up to there, and Ended false.
func readJUnit(text string, at Place) Report {
	if begin := strings.Index(text, "<test"); begin > 0 {
		text = text[begin:]
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.CharsetReader = false, func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	rep := Report{}
	var suites []string
	var cur *junitCase
	inside := ""
	depth := 0
	for {
		tok, err := d.Token()
		if err != nil {
			rep.Ended = errors.Is(err, io.EOF) && depth == 0
			return rep
		}
		switch e := tok.(type) {
		case xml.StartElement:
			depth++
			if depth > 100 {
				return rep
			}
			switch e.Name.Local {
			case "testsuite":
				suites = append(suites, attr(e, "name"))
				junitTotals(&rep.Totals, e, len(suites))
			case "testcase":
				secs, _ := strconv.ParseFloat(attr(e, "time"), 64)
				cur = &junitCase{name: attr(e, "name"), class: attr(e, "classname"), file: attr(e, "file"), line: attr(e, "line"), seconds: secs, suites: append([]string{}, suites...)}
			case "failure", "error", "skipped":
				inside = e.Name.Local
				if cur != nil && (cur.result == "" || cur.result == "skipped") {
					cur.result, cur.message, cur.kind = inside, attr(e, "message"), attr(e, "type")
				}
			}
		case xml.CharData:
			if cur != nil && inside != "" && len(cur.text) < maxKept {
				cur.text += string(e)
			}
		case xml.EndElement:
			depth--
			switch e.Name.Local {
			case "testsuite":
				suites = suites[:max(0, len(suites)-1)]
			case "testcase":
				if cur != nil && strings.HasSuffix(cur.kind, `\RiskyTestError`) { // it passed, PHPUnit only minds
					cur.result = ""
				}
				if cur != nil {
					cur.report(&rep, at)
				}
				cur = nil
			case "failure", "error", "skipped":
				inside = ""
			}
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func junitTotals(t *Totals, e xml.StartElement, depth int) {
	if depth > 1 {
		return
	}
	failed, errs, skipped := number(attr(e, "failures")), number(attr(e, "errors")), number(attr(e, "skipped"))
	t.Failed, t.Errors, t.Skipped = t.Failed+failed, t.Errors+errs, t.Skipped+skipped
	t.Passed += max(0, number(attr(e, "tests"))-failed-errs-skipped)
}

var pyModule = lazyregexp.New(`^[a-z_][\w]*(?:\.[A-Za-z_]\w*)*$`)

// report turns a case into a test; writers differ in what name and class mean.
func (c *junitCase) report(rep *Report, at Place) {
	f, frames := c.failure(at)
	t := Test{Seconds: c.seconds, Status: map[string]string{"failure": Failed, "error": Error, "skipped": Skipped, "": Passed}[c.result]}
	t.ID, t.File = c.identify(frames, at)
	switch {
	case c.result == "" || c.result == "skipped":
	case c.unit(t.File, f):
		f.Test = t.ID
		if c.message == "collection failure" {
			f.Test = t.File
		}
		if jsFile.MatchString(t.File) {
			f = jestUnit(t.File, c.text, at)
		}
		uncollected(&f)
		if f.File == "" {
			f.File = t.File
		}
		rep.Broken = append(rep.Broken, f)
		return
	default:
		t.Failure = &f
	}
	rep.Tests = append(rep.Tests, t)
}

// unit tells whether the case stands for a file or class that could not be run.
func (c *junitCase) unit(file string, f task.Failure) bool {
	return c.message == "collection failure" || c.name == "" && c.class != "" || c.name == c.class && c.class != "" ||
		f.Test != "" || file != "" && (c.name == file || strings.HasSuffix(c.name, "/"+file)) || c.class == "" && c.name != "" && jsFile.MatchString(c.name)
}

// ofNode tells whether node:test's reporter wrote the case: nested suites, and
// a class that is "test" or, since Node 24, the suite's name.
func (c *junitCase) ofNode() bool {
	if n := len(c.suites); n > 0 && c.class == c.suites[n-1] && jsFile.MatchString(c.file) && c.class != "Mocha Tests" {
		return true
	}
	return c.class == "test"
}

// identify makes the native id of a case and finds its file.
func (c *junitCase) identify(frames []frame, at Place) (id, file string) {
	switch {
	case strings.HasSuffix(c.file, ".php"):
		file, _ = at.Rel(c.file)
		return under(at, file, short(c.class)+"::"+c.name), file
	case jsFile.MatchString(c.name) && strings.ContainsAny(c.name, "/"): // node: a file that could not be run
		file, _ = at.Rel(c.name)
		return file, file
	case jsFile.MatchString(c.class): // vitest, jest-junit with file names
		file, _ = at.Rel(c.class)
		if c.name == c.class {
			return file, file
		}
		return under(at, file, c.name), file
	case c.ofNode():
		file = at.file(c.file, frames)
		return under(at, file, append(slices.Clone(c.suites), html.UnescapeString(c.name))...), file // some versions escape twice
	case len(c.suites) > 0 && strings.HasPrefix(c.suites[0], "pytest") || strings.HasSuffix(c.file, ".py"):
		return c.python(frames, at)
	case at.jvm() || strings.Contains(c.class, ".") && pyModule.MatchString(c.class) || c.name == "" || strings.Contains(c.class, "$"):
		return at.javaTest(c.class, c.name)
	}
	file = at.file(c.file, frames)
	names := slices.DeleteFunc([]string{c.class, c.name}, func(p string) bool { return p == "" || p == "Mocha Tests" })
	return under(at, file, names...), file
}

// python makes a node id. The class attribute joins module and classes by dots;
// the file attribute, where it is there, says where the module ends.
func (c *junitCase) python(frames []frame, at Place) (id, file string) {
	dotted := c.class
	if c.class == "" { // a file that could not be collected
		dotted = c.name
	}
	parts := strings.Split(dotted, ".")
	n := len(parts)
	for n > 1 && c.class != "" && parts[n-1] != "" && parts[n-1][0] >= 'A' && parts[n-1][0] <= 'Z' {
		n--
	}
	name := strings.Join(parts[:n], "/") + ".py"
	if c.file != "" {
		name = c.file
		n = min(len(parts), strings.Count(strings.TrimSuffix(c.file, ".py"), "/")+1)
	}
	for _, fr := range frames {
		if c.file == "" && fr.own && strings.HasSuffix("/"+fr.File, "/"+name) {
			name = seen(at, fr.File)
		}
	}
	file, _ = at.Rel(name)
	if c.class == "" {
		return name, file
	}
	return strings.Join(append(append([]string{name}, parts[n:]...), c.name), "::"), file
}

func (c *junitCase) failure(at Place) (task.Failure, []frame) {
	if c.result == "" || c.result == "skipped" {
		return task.Failure{}, nil
	}
	if len(c.suites) > 0 && strings.HasPrefix(c.suites[0], "pytest") {
		f := ptFailure(strings.Split(c.text, "\n"), at)
		if f.Exception == "" || f.Message == "" {
			f.Exception, f.Message = ptRaised(c.message)
			f.Kind = Kind(f.Exception)
		}
		return f, at.framesOf(f)
	}
	if strings.HasSuffix(c.file, ".php") {
		return phpFailure(c.kind, c.text, at)
	}
	text := c.text
	if _, rest, ok := strings.Cut(text, "  cause: "); ok { // node wraps the test's own error
		text = rest
	}
	f, frames, ok := anyTrace(undent(strings.Split(text, "\n")), at)
	f.Excerpt = c.text
	if !ok {
		frames, _ = nodeFrames(text, at)
		f.Exception, f.Message = short(c.kind), cmp.Or(c.message, firstLine(c.text))
		if strings.HasSuffix(c.kind, "Failure") || c.kind == "unknown" {
			f.Exception = ""
		}
	} else if c.message != "" && !strings.Contains(c.message, "ERR_TEST_FAILURE") && f.Exception != "MODULE_NOT_FOUND" {
		f.Message = c.message
	}
	if strings.Contains(f.Message, "expect(") || f.Exception == "" && c.result == "failure" {
		f.Kind = task.FailAssertion
	} else if f.Kind == "" {
		f.Kind = Kind(f.Exception)
	}
	put(&f, frames)
	if f.Line == 0 && c.line != "" && f.File == "" && c.file != "" {
		f.File, _ = at.Rel(c.file)
	}
	return f, frames
}
