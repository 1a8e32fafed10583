package parse

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	mvTest    = lazyregexp.New(`^(?:\[(?:ERROR|WARNING)\] )?(\S.*?)\s+(?:-- )?Time elapsed: ([\d.]+) s(?:ec)?\s+<<< (FAILURE|ERROR)!\s*$`)
	mvClass   = lazyregexp.New(`^(?:\[\w+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Time elapsed: [\d.]+ s(?:ec)?)?(?: <<< (?:FAILURE|ERROR)!)?(?:\s+--?\s*in (\S+))?\s*$`)
	mvCompile = lazyregexp.New(`^(?:\[ERROR\] )?(/\S+\.(?:java|kt|groovy|scala)):(?:\[(\d+)(?:,\d+)?\] (?:error: )?|(\d+): error: )(.+)$`)
	mvEnd     = lazyregexp.New(`^(?:\[INFO\] BUILD (?:SUCCESS|FAILURE)|BUILD (?:SUCCESSFUL|FAILED) in .*)$`)
	mvRunning = lazyregexp.New(`^(?:\[\w+\] )?Running (\S+)$`)
	mvName    = lazyregexp.New(`^([\w$.]+)\.([\w$]+(?:[({\[ ].*)?)$`)
	mvSymbol  = lazyregexp.New(`^(?:\[ERROR\])?\s+symbol:\s+\w+ ([\w$]+)`)
	mvPackage = lazyregexp.New(`^package ([\w.]+) does not exist`)
	mvGoal    = lazyregexp.New(`^\[(?:ERROR|FATAL)\]\s+(?:((?:Failed to execute goal|Non-resolvable|Malformed POM) .*?)(?: -> \[Help \d+\])?|(\S.*) -> \[Help \d+\])$`)
	mvTold    = lazyregexp.New(`There (?:are|were) (?:test failures|failing tests)|Compilation (?:failure|failed)`) // told with its tests and places
	mvOffline = lazyregexp.New(`(?:in|for) offline mode|has not been downloaded from it before`)
	mvSource  = lazyregexp.New(`^(?:(.*)/)?src/\w+/(?:java|kotlin|groovy|scala)/(.+)\.\w+$`)
	mvCrash   = lazyregexp.New(`^\[ERROR\] .*The forked VM terminated without properly saying goodbye`)
)

// readSurefire reads Maven's log: the reports of surefire and the compiler's
// errors. It names the tests that failed and counts the others. Of Gradle's it reads
// what keeps tests from being run.
func readSurefire(text string, at Place) Report {
	rep := Report{}
	class, pendingName, kind := "", "", ""
	var body []string
	flush := func() {
		if pendingName != "" {
			mavenTest(&rep, class, pendingName, kind, strings.Join(body, "\n"), at)
		}
		pendingName, body = "", nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := mvClass.FindStringSubmatch(line); m != nil {
			flush()
			if m[5] != "" {
				class = m[5]
				rep.Totals.Failed += number(m[2])
				rep.Totals.Errors += number(m[3])
				rep.Totals.Skipped += number(m[4])
				rep.Totals.Passed += max(0, number(m[1])-number(m[2])-number(m[3])-number(m[4]))
			}
			continue
		}
		if m := mvTest.FindStringSubmatch(line); m != nil {
			flush()
			pendingName, kind = m[1], m[3]
			continue
		}
		if m := mvRunning.FindStringSubmatch(line); m != nil {
			flush()
			class = m[1]
			continue
		}
		switch {
		case mvEnd.MatchString(line):
			flush()
			rep.Ended = true
		case pendingName != "" && (strings.HasPrefix(line, "[") || line == "" && len(body) > 0):
			flush()
		case pendingName != "":
			body = append(body, line)
		case mvCrash.MatchString(line):
			if n := len(rep.Broken) - 1; n >= 0 && rep.Broken[n].Exception == "BuildFailed" && strings.HasSuffix(rep.Broken[n].Message, ":") {
				rep.Broken = rep.Broken[:n] // this is how
			}
			rep.Broken = append(rep.Broken, task.Failure{Test: class, Kind: task.FailCrash, Exception: "ProcessDied", Message: "the forked virtual machine died", Excerpt: line})
		case mvSymbol.MatchString(line) && len(rep.Broken) > 0:
			last := &rep.Broken[len(rep.Broken)-1]
			last.Message, last.Missing = last.Message+": "+strings.Join(strings.Fields(strings.TrimPrefix(line, "[ERROR]")), " "), []string{"#" + mvSymbol.FindStringSubmatch(line)[1]}
		}
		if m := mvGoal.FindStringSubmatch(line); m != nil {
			rep.stopped(m[1] + m[2] + goOn(lines[i+1:], m[1]))
		} else if rest := lines[i+1:]; line == "* What went wrong:" {
			if end := slices.Index(rest, ""); end >= 0 {
				rest = rest[:end]
			}
			rep.stopped(strings.Join(rest[:min(len(rest), 20)], "\n"))
		}
		if m := mvCompile.FindStringSubmatch(line); m != nil {
			f := task.Failure{Kind: task.FailBuild, Exception: "CompileError", Message: m[4], Excerpt: line}
			put(&f, []frame{at.frame(m[1], m[2]+m[3], "")})
			f.Test = at.javaUnit(f.File)
			if p := mvPackage.FindStringSubmatch(m[4]); p != nil {
				f.Missing = []string{strings.ReplaceAll(p[1], ".", "/")}
			}
			rep.Broken = append(rep.Broken, f)
		}
	}
	flush()
	return rep
}

// goOn is the reason of a goal that failed where it stands on the lines below.
func goOn(rest []string, head string) string {
	if !strings.HasSuffix(strings.TrimSpace(head), ":") {
		return ""
	}
	var out strings.Builder
	for _, line := range rest[:min(len(rest), 10)] {
		text, ok := strings.CutPrefix(line, "[ERROR] ")
		if mvCrash.MatchString(line) {
			return "" // told by itself
		} else if !ok || strings.HasPrefix(text, "-> [Help") {
			break
		}
		out.WriteString("\n" + text)
	}
	return out.String()
}

// stopped notes what ended a build, unless it was told with its tests or places.
func (r *Report) stopped(why string) {
	if mvTold.MatchString(why) || mvCrash.MatchString("[ERROR] "+why) {
		return
	}
	f := task.Failure{Kind: task.FailBuild, Exception: "BuildFailed", Message: strings.TrimSpace(why), Excerpt: why}
	if mvOffline.MatchString(why) {
		f.Exception, f.Message = "DependencyMissing", f.Message+"; there is no network where tests run: fetch what the build needs once, by a run of its tests where there is one"
	}
	r.Broken = append(r.Broken, f)
}

// mavenTest takes one report. Newer versions write the class before the
// method, older ones the method alone and {} for ().
func mavenTest(rep *Report, class, name, kind, body string, at Place) {
	f, frames, ok := javaTrace(body, at)
	if !ok {
		f = task.Failure{Message: strings.TrimSpace(body)}
	}
	f.Excerpt = body
	put(&f, frames)
	if open := strings.LastIndex(name, "("+class+")"); open > 0 { // JUnit 4: method(class)
		name = name[:open]
	}
	if m := mvName.FindStringSubmatch(name); m != nil && name != class { // with nested classes not that of the line before
		class, name = m[1], m[2]
	} else if class == "" {
		class, name = name, ""
	}
	id, file := at.javaTest(class, name)
	if !strings.Contains(id, "::") { // the class could not be set up
		f.Test, f.Kind = id, task.FailCollection
		if f.File == "" {
			f.File = file
		}
		rep.Broken = append(rep.Broken, f)
		return
	}
	status := Failed
	if kind == "ERROR" {
		status = Error
	}
	rep.Tests = append(rep.Tests, Test{ID: id, File: file, Status: status, Failure: &f})
}

// jvm tells whether a build tool of the JVM made the output.
func (at Place) jvm() bool { return at.Suite == "maven" || at.Suite == "gradle" }

// javaTest names a test of a class, or the class where there is no name, and finds
// its file.
func (at Place) javaTest(class, name string) (id, file string) {
	outer, _, _ := strings.Cut(class, "$")
	for _, ext := range []string{".java", ".kt", ".groovy", ".scala"} {
		if at.Find != nil && file == "" {
			file = at.Find(strings.ReplaceAll(outer, ".", "/") + ext)
		}
	}
	if id = class; at.jvm() {
		id = path.Join(at.Module, class)
	}
	if name == "" || name == class {
		return id, file
	}
	return id + "::" + strings.TrimSuffix(strings.NewReplacer("{", "(", "}", ")").Replace(name), "()"), file
}

// javaUnit is the id of the class that a file holds, by the layout of Maven; of any
// other file its path.
func (at Place) javaUnit(file string) string {
	m := mvSource.FindStringSubmatch(strings.TrimPrefix(file, at.dir()+"/"))
	if m == nil {
		return file
	}
	return path.Join(m[1], strings.ReplaceAll(m[2], "/", "."))
}

// Printed adds to the report files of a build tool what it printed itself: what could
// not be run, its counts, and the tests that failed. A file that says that such a
// test passed was written over.
func Printed(files, said Report) Report {
	same := func(file, printed string) bool { return file == printed || strings.HasSuffix(file, "/"+printed) }
	files.Totals, files.Ended = said.Totals, said.Ended
	for _, f := range said.Broken {
		if !slices.ContainsFunc(files.Broken, func(o task.Failure) bool { return f.Test != "" && same(o.Test, f.Test) }) {
			files.Broken = append(files.Broken, f)
		}
	}
	for _, t := range said.Tests {
		var all []int
		for i, o := range files.Tests {
			if same(o.ID, t.ID) {
				all = append(all, i)
			}
		}
		if len(all) == 0 {
			files.Tests = append(files.Tests, t)
		} else if !slices.ContainsFunc(all, func(i int) bool { return files.Tests[i].Red() }) {
			for _, i := range all {
				files.Tests[i].Status, files.Tests[i].Failure = t.Status, t.Failure
			}
		}
	}
	return files
}
