package parse

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

var (
	mvTest    = regexp.MustCompile(`^(?:\[(?:ERROR|WARNING)\] )?(\S.*?)\s+(?:-- )?Time elapsed: ([\d.]+) s(?:ec)?\s+<<< (FAILURE|ERROR)!\s*$`)
	mvClass   = regexp.MustCompile(`^(?:\[\w+\] +)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Time elapsed: [\d.]+ s(?:ec)?)?(?: <<< (?:FAILURE|ERROR)!)?(?:\s+--?\s*in (\S+))?\s*$`)
	mvCompile = regexp.MustCompile(`^\[ERROR\] (/\S+\.(?:java|kt|groovy|scala)):\[(\d+)(?:,\d+)?\] (?:error: )?(.+)$`)
	mvEnd     = regexp.MustCompile(`^\[INFO\] BUILD (?:SUCCESS|FAILURE)$`)
	mvRunning = regexp.MustCompile(`^(?:\[\w+\] )?Running (\S+)$`)
	mvCrash   = regexp.MustCompile(`^\[ERROR\] .*The forked VM terminated without properly saying goodbye`)
)

// readSurefire reads Maven's log: the reports of surefire and the compiler's
// errors. It names the tests that failed and counts the others.
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
	for line := range strings.SplitSeq(text, "\n") {
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
			rep.Broken = append(rep.Broken, task.Failure{Test: class, Kind: task.FailCrash, Exception: "ProcessDied", Message: "the forked virtual machine died", Excerpt: line})
		}
		if m := mvCompile.FindStringSubmatch(line); m != nil {
			f := task.Failure{Kind: task.FailBuild, Exception: "CompileError", Message: m[3], Excerpt: line}
			put(&f, []frame{at.frame(m[1], m[2], "")})
			f.Test = f.File
			rep.Broken = append(rep.Broken, f)
		}
	}
	flush()
	return rep
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
	name = strings.NewReplacer("{", "(", "}", ")").Replace(name)
	if open := strings.LastIndex(name, "("+class+")"); open > 0 { // JUnit 4: method(class)
		name = name[:open]
	}
	id := name
	if class != "" && name != class && !strings.HasPrefix(name, class+".") {
		id = class + "." + name
	}
	file := ""
	if at.Find != nil {
		outer, _, _ := strings.Cut(class, "$")
		file = at.Find(strings.ReplaceAll(outer, ".", "/") + ".java")
	}
	if name == class { // the class could not be set up
		f.Test, f.Kind = class, task.FailCollection
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
