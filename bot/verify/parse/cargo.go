package parse

import (
	"path"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	rsTarget  = lazyregexp.New(`^\s+Running (?:unittests )?\S.* \((?:\S*/)?([\w-]+?)-[0-9a-f]{16}(?:\.exe)?\)$`)
	rsFile    = lazyregexp.New(`^\s+Running (tests/\S+\.rs) \(`)
	rsOld     = lazyregexp.New(`^\s+Running (?:\S*/)?([\w-]+?)-[0-9a-f]{16}$`)
	rsDoc     = lazyregexp.New(`^\s+Doc-tests (\S+)$`)
	rsTest    = lazyregexp.New(`^test (.+?)(?: - should panic| - compile(?: fail)?)? \.\.\. (ok|FAILED|ignored)(?:, .*)?(?: <[\d.]+s>)?$`)
	rsSection = lazyregexp.New(`^---- (.+?) (?:stdout|stderr) ----$`)
	rsResult  = lazyregexp.New(`^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;`)
	rsError   = lazyregexp.New(`^error(?:\[(E\d+)\])?: (.+)$`)
	rsArrow   = lazyregexp.New(`^ *--> ([^:\n]+):(\d+):\d+$`)
	rsAt      = lazyregexp.New(`did not panic as expected at ([^:\n]+):(\d+):\d+`)
	rsDocName = lazyregexp.New(`^(\S+\.rs) - .*\(line (\d+)\)$`)
	rsSummary = lazyregexp.New(`^(?:could not compile|test failed|\d+ targets? failed|aborting due to|doctest failed|build failed)`)
)

// readCargo reads `cargo test`: the compiler's errors, then one report for each
// target. Ids are "crate::module::test".
func readCargo(text string, at Place) Report {
	rep := Report{}
	target, file, section := "", "", ""
	var body []string
	failed := map[string]*task.Failure{}
	flush := func() {
		if section != "" {
			f := rustFailure(section, strings.Join(body, "\n"), at)
			failed[rustID(target, section)] = &f
		}
		section, body = "", nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := rsSection.FindStringSubmatch(line); m != nil {
			flush()
			section = m[1]
			continue
		}
		if line == "failures:" || rsResult.MatchString(line) {
			flush()
		}
		if section != "" {
			body = append(body, line)
			continue
		}
		// A test process that ended in the middle of a line has cargo's next one behind it.
		if i := max(strings.LastIndex(line, "     Running "), strings.LastIndex(line, "   Doc-tests ")); i > 0 {
			line = line[i:]
		}
		if name, ok := rustTarget(line); ok {
			target, file = name, rustFile(line, at)
			continue
		}
		if m := rsResult.FindStringSubmatch(line); m != nil {
			rep.Ended = true
			rep.Totals.Passed += number(m[1])
			rep.Totals.Failed += number(m[2])
			rep.Totals.Skipped += number(m[3])
			continue
		}
		if m := rsTest.FindStringSubmatch(line); m != nil {
			rep.Tests = append(rep.Tests, Test{ID: rustID(target, m[1]), File: file, Status: map[string]string{"ok": Passed, "FAILED": Failed, "ignored": Skipped}[m[2]]})
			continue
		}
		if m := rsError.FindStringSubmatch(line); m != nil && !rsSummary.MatchString(m[2]) {
			rep.Broken = append(rep.Broken, rustError(m, lines[i+1:min(len(lines), i+30)], at))
		}
	}
	flush()
	for i := range rep.Tests {
		if t := &rep.Tests[i]; t.Status == Failed {
			t.Failure = failed[t.ID]
			if t.Failure != nil && t.File == "" { // a unit test: where it failed
				t.File = t.Failure.File
			}
		}
	}
	return rep
}

func rustTarget(line string) (string, bool) {
	if m := rsTarget.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	if m := rsOld.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	if m := rsDoc.FindStringSubmatch(line); m != nil {
		return m[1] + "::doc", true
	}
	return "", false
}

func rustID(target, name string) string {
	if target == "" {
		return name
	}
	return target + "::" + name
}

func rustFailure(name, body string, at Place) task.Failure {
	f, frames, ok := rustTrace(body, at)
	f.Excerpt = body
	if m := rsDocName.FindStringSubmatch(name); m != nil {
		frames = []frame{at.frame(m[1], m[2], "")}
	}
	if !ok {
		f.Kind, f.Message = task.FailAssertion, strings.TrimSpace(body)
		if m := rsAt.FindStringSubmatch(body); m != nil {
			f.Message = "the test did not panic as expected"
			frames = []frame{at.frame(m[1], m[2], "")}
		}
	}
	put(&f, frames)
	return f
}

// rustFile is the file of an integration test's target, seen from the root; "" for
// unit tests, which stand in many.
func rustFile(line string, at Place) string {
	m := rsFile.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	if at.Find != nil {
		if f := at.Find(m[1]); f != "" {
			return f
		}
	}
	return path.Join(at.Dir, m[1])
}

// rustError is an error of the compiler, bound to the file that it names.
func rustError(m []string, after []string, at Place) task.Failure {
	f := task.Failure{Kind: task.FailBuild, Exception: m[1], Message: m[2]}
	excerpt := []string{m[0]}
	for _, l := range after {
		if strings.TrimSpace(l) == "" || rsError.MatchString(l) {
			break
		}
		excerpt = append(excerpt, l)
		if a := rsArrow.FindStringSubmatch(l); a != nil && f.File == "" {
			put(&f, []frame{at.frame(a[1], a[2], "")})
			f.Test = f.File
		}
	}
	f.Excerpt = strings.Join(excerpt, "\n")
	return f
}
