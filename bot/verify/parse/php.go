package parse

import (
	"cmp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	phpPlace = lazyregexp.New(`^(/\S.*\.php):(\d+)$`)
	phpFatal = lazyregexp.New(`(?m)^(?:PHP )?(?:Fatal error:  ?Uncaught |(Parse|Fatal) error:  ?)(?:([A-Z][\w\\]*): )?(.*?) in (/\S+?)(?::| on line )(\d+)$`)
	phpCall  = lazyregexp.New(`^#\d+ (/.+?)\((\d+)\): (.*)$`)
)

// phpFailure is what PHPUnit writes of a red test: its name, the message and the
// places, innermost first.
func phpFailure(class, text string, at Place) (task.Failure, []frame) {
	f := task.Failure{Exception: short(class), Excerpt: text}
	_, text, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text, _, _ = strings.Cut(text, "\nCaused by\n")
	var frames []frame
	var message []string
	for line := range strings.SplitSeq(text, "\n") {
		if m := phpPlace.FindStringSubmatch(line); m != nil {
			frames = append(frames, at.frame(m[1], m[2], ""))
		} else {
			message = append(message, line)
		}
	}
	frames = reversed(frames)
	f.Kind = Kind(f.Exception)
	f.Message = strings.TrimPrefix(strings.TrimSpace(strings.Join(message, "\n")), class+": ")
	put(&f, frames)
	return f, frames
}

// phpTrace reads an error that nobody caught.
func phpTrace(text string, at Place) (task.Failure, []frame, bool) {
	m := phpFatal.FindStringSubmatchIndex(text)
	if m == nil {
		return task.Failure{}, nil, false
	}
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return text[m[2*i]:m[2*i+1]]
	}
	f := task.Failure{Exception: short(cmp.Or(part(2), part(1)+"Error")), Message: part(3)}
	if f.Kind = Kind(f.Exception); f.Exception == "ParseError" {
		f.Kind = task.FailSyntax
	}
	frames := []frame{at.frame(part(4), part(5), "")}
	for line := range strings.SplitSeq(text[m[1]:], "\n") {
		if c := phpCall.FindStringSubmatch(line); c != nil {
			frames = append(frames, at.frame(c[1], c[2], c[3]))
		} else if strings.HasPrefix(line, "Next ") {
			break
		}
	}
	return f, reversed(frames), true
}
