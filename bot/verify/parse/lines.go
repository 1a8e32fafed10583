package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	// ruff, flake8, mypy, pylint, go vet, golangci-lint, gcc, eslint --format unix:
	// path:line:column: message. tsc: path(line,column): error TS1: message.
	lintLine = lazyregexp.New(`^(?:vet: )?((?:[A-Za-z]:)?[^\s:()'"][^\s:()'"]*|[^:()'"\n]+\.\w+):(\d+)(?::(\d+))?:? +(.+)$`)
	tscLine  = lazyregexp.New(`^([^\s()]+)\((\d+),(\d+)\): (error|warning) (TS\d+): (.+)$`)
	lintCode = lazyregexp.New(`^(?:\[?(?:error|warning)\]?:? +)?\[?([A-Z]{1,5}\d{2,5})\]?:? +(.+)$`)
	lintTail = lazyregexp.New(`^(.*?)\s+[\[(]((?:[a-z][\w/@-]*|(?:Error|Warning)/[\w@/-]+))[\])]$`)
	lintWeak = lazyregexp.New(`^(?:warning|note|info|hint)\b`)
	// eslint's own format: a path alone, then "  line:column  error  message  rule".
	esFile   = lazyregexp.New(`^(/?[^\s:][^:]*\.[cm]?[jt]sx?)$`)
	esLine   = lazyregexp.New(`^ +(\d+):(\d+) +(error|warning) +(.+?)(?: {2,}([\w@/-]+))?$`)
	ruffRule = lazyregexp.New(`^([A-Z]{1,5}\d{2,5})(?: \[\*\])? (.+)$`)
	ruffAt   = lazyregexp.New(`^ +--> ([^:\n]+):(\d+):(\d+)$`)
)

// readLines reads findings, one failure each. Warnings count as findings only
// where the line does not say that it is a warning or a note.
func readLines(text string, at Place) Report {
	rep := Report{Ended: true}
	file, rule := "", [2]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if len(rep.Broken) >= 2000 {
			break
		}
		if m := esFile.FindStringSubmatch(line); m != nil {
			file = m[1]
			continue
		}
		if m := esLine.FindStringSubmatch(line); m != nil && file != "" {
			if m[3] == "error" {
				rep.Broken = append(rep.Broken, at.finding(file, m[1], m[5], m[4], line))
			}
			continue
		}
		if m := ruffRule.FindStringSubmatch(line); m != nil {
			rule = [2]string{m[1], m[2]}
			continue
		}
		if m := ruffAt.FindStringSubmatch(line); m != nil && rule[0] != "" {
			rep.Broken = append(rep.Broken, at.finding(m[1], m[2], rule[0], rule[1], rule[0]+" "+rule[1]))
			rule = [2]string{}
			continue
		}
		if m := tscLine.FindStringSubmatch(line); m != nil {
			if m[4] == "error" {
				rep.Broken = append(rep.Broken, at.finding(m[1], m[2], m[5], m[6], line))
			}
			continue
		}
		if f, ok := lintFinding(line, at); ok {
			rep.Broken = append(rep.Broken, f)
		}
	}
	return rep
}

func lintFinding(line string, at Place) (task.Failure, bool) {
	m := lintLine.FindStringSubmatch(line)
	if m == nil || !strings.Contains(m[1][strings.LastIndexByte(m[1], '/')+1:], ".") || strings.HasPrefix(m[1], "http") {
		return task.Failure{}, false
	}
	message, code := strings.TrimPrefix(m[4], "- "), ""
	if lintWeak.MatchString(message) {
		return task.Failure{}, false
	}
	message = strings.TrimPrefix(message, "error: ")
	if c := lintCode.FindStringSubmatch(message); c != nil {
		code, message = c[1], strings.TrimPrefix(c[2], "[*] ")
	} else if c := lintTail.FindStringSubmatch(message); c != nil {
		message, code = c[1], strings.TrimPrefix(c[2], "Error/")
		if strings.HasPrefix(code, "Warning/") {
			return task.Failure{}, false
		}
	}
	return at.finding(m[1], m[2], code, message, line), true
}

func (at Place) finding(file, line, code, message, whole string) task.Failure {
	p, _ := at.Rel(file)
	return task.Failure{File: p, Line: number(line), Exception: code, Message: message, Excerpt: whole, Kind: task.FailLint}
}
