package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	pyHead     = lazyregexp.New(`(?m)^[ \t|+]*Traceback \(most recent call last\):[ \t]*$`)
	pyFrame    = lazyregexp.New(`^[ \t|]*File "([^"\n]+)", line (\d+)(?:, in (.+))?$`)
	pyRaised   = lazyregexp.New(`^[ \t|]*([A-Za-z_][\w.]*)(?:: ?(.*))?$`)
	nodeFrame  = lazyregexp.New(`^\s*(?:at |❯ )(.*)$`)
	nodeWhere  = lazyregexp.New(`^(?:async )?(?:(.*?) )?\(?((?:file://|node:|[A-Za-z]:[\\/])?[^\s():][^():]*):(\d+):\d+\)?$`)
	nodeRaised = lazyregexp.New(`^(?:Uncaught |Caused by: |\[)?((?:[\w$]+\.)*[\w$]*(?:Error|Exception|Empty|[A-Z][\w$]*)|Error)(?: \[(\w+)\])?: ?(.*)$`)
	nodeHeader = lazyregexp.New(`^((?:/|file://|[A-Za-z]:[\\/])[^\n]*?):(\d+)$`)
	goPanicked = lazyregexp.New(`(?m)^(panic|fatal error): (.*)$`)
	goStack    = lazyregexp.New(`(?m)^(\S[^\n]*)\n\t([^\n\t]+?\.(?:go|s)):(\d+)`)
	javaRaised = lazyregexp.New(`^(?:Exception in thread "[^"]*" |Caused by: )?((?:[a-zA-Z_$][\w$]*\.)+[A-Z][\w$]*)(?:: ?(.*))?$`)
	javaFrame  = lazyregexp.New(`^\s+at (?:[\w.$-]+(?:@[\w.]+)?/)*([\w$.<>/-]+)\(([\w$-]+\.(?:java|kt|scala|groovy))?:?(\d+)?(?:Native Method|Unknown Source)?\)`)
	rustPanic  = lazyregexp.New(`(?m)^thread '([^'\n]*)'(?: \(\d+\))? panicked at (?:'((?s:.*?))', )?(\S[^\n:]*):(\d+)(?::\d+)?:?$`)
)

// pythonTrace reads a traceback: the last one of a chain, since that is what
// was raised in the end.
func pythonTrace(text string, at Place) (task.Failure, []frame, bool) {
	heads := pyHead.FindAllStringIndex(text, -1)
	body := text
	if len(heads) > 0 {
		body = text[heads[len(heads)-1][1]:]
	} else if !strings.Contains(text, "File \"") {
		return task.Failure{}, nil, false
	}
	var frames []frame
	lines := strings.Split(body, "\n")
	last := -1
	for i, l := range lines {
		if m := pyFrame.FindStringSubmatch(l); m != nil {
			frames = append(frames, at.frame(m[1], m[2], m[3]))
			last = i
		}
	}
	if last < 0 {
		return task.Failure{}, nil, false
	}
	f := task.Failure{}
	for i := last + 1; i < len(lines); i++ {
		l := strings.TrimLeft(lines[i], "| ")
		m := pyRaised.FindStringSubmatch(l)
		indented := strings.HasPrefix(lines[i], "    ") && !strings.Contains(lines[i], "|")
		if m == nil || indented || !looksRaised(m[1], m[2]) {
			continue
		}
		f.Exception = short(m[1])
		f.Message = strings.TrimSpace(m[2] + "\n" + pythonRest(lines[i+1:]))
		break
	}
	if f.Exception == "" {
		return f, frames, false
	}
	f.Kind = Kind(f.Exception)
	return f, frames, true
}

func looksRaised(class, message string) bool {
	last := class[strings.LastIndexByte(class, '.')+1:]
	return last != "" && (last[0] >= 'A' && last[0] <= 'Z' || message != "" && strings.Contains(class, "."))
}

// pythonRest is what of the lines after an exception's first belongs to its
// message.
func pythonRest(lines []string) string {
	var out []string
	for _, l := range lines {
		if strings.TrimSpace(l) == "" && len(out) == 0 || strings.HasPrefix(l, "----") || strings.HasPrefix(l, "====") ||
			strings.HasPrefix(l, "The above exception") || strings.HasPrefix(l, "During handling") || len(out) > 60 ||
			strings.HasPrefix(l, "Stdout:") || strings.HasPrefix(l, "Stderr:") {
			break
		}
		out = append(out, l)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// nodeFrames reads the frames of a V8 stack, given innermost first, and says
// where in the text they begin, -1 for nowhere.
func nodeFrames(text string, at Place) (frames []frame, begin int) {
	begin = -1
	offset := 0
	for line := range strings.SplitSeq(text, "\n") {
		start := offset
		offset += len(line) + 1
		call, ok := nodeCall(line)
		if !ok {
			continue
		}
		if begin < 0 {
			begin = start
		}
		if m := nodeWhere.FindStringSubmatch(strings.TrimSpace(call)); m != nil {
			frames = append(frames, at.frame(m[2], m[3], m[1]))
		}
	}
	return reversed(frames), begin
}

// NodeTrace is a V8 stack, innermost frame last, without those of node itself.
func NodeTrace(text string, at Place) (out []task.Frame) {
	frames, _ := nodeFrames(text, at)
	for _, fr := range frames {
		if !strings.HasPrefix(fr.File, "node:") {
			out = append(out, fr.Frame)
		}
	}
	return out
}

func nodeCall(line string) (string, bool) {
	m := nodeFrame.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	if strings.Contains(m[1], "<anonymous>)") || nodeWhere.MatchString(strings.TrimSpace(m[1])) || strings.HasPrefix(m[1], "async ") {
		return strings.TrimSuffix(strings.TrimSpace(m[1]), " {"), true
	}
	trimmed := strings.TrimSuffix(strings.TrimSpace(m[1]), " {")
	return trimmed, nodeWhere.MatchString(trimmed)
}

// nodeTrace reads an error with its V8 stack.
func nodeTrace(text string, at Place) (task.Failure, []frame, bool) {
	frames, begin := nodeFrames(text, at)
	head := text
	if begin >= 0 {
		head = text[:begin]
	}
	f := nodeError(head)
	if f.Exception == "SyntaxError" || len(frames) == 0 {
		for line := range strings.SplitSeq(head, "\n") {
			if m := nodeHeader.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(line), "Exception during run: ")); m != nil {
				frames = append(frames, at.frame(m[1], m[2], ""))
				break
			}
		}
	}
	return f, frames, f.Exception != "" && begin >= 0
}

// nodeError finds "Class [CODE]: message" in the lines before a stack.
func nodeError(head string) task.Failure {
	lines := strings.Split(head, "\n")
	for i, l := range lines {
		m := nodeRaised.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil || m[1] == "File" || m[1] == "Expected" || m[1] == "Received" {
			continue
		}
		f := task.Failure{Exception: short(m[1])}
		f.Message = strings.TrimSpace(m[3] + "\n" + strings.Join(lines[i+1:], "\n"))
		if strings.HasPrefix(f.Message, "Cannot find module") || strings.HasPrefix(f.Message, "Failed to load url") || strings.HasPrefix(f.Message, "Cannot find package") {
			f.Exception, f.Kind = "MODULE_NOT_FOUND", task.FailImport
		}
		if f.Kind == "" {
			f.Kind = Kind(f.Exception)
		}
		return f
	}
	return task.Failure{}
}

// goTrace reads a panic or fatal error with the stack of the goroutine that
// caused it.
func goTrace(text string, at Place) (task.Failure, []frame, bool) {
	m := goPanicked.FindStringSubmatch(text)
	if m == nil {
		return task.Failure{}, nil, false
	}
	f := task.Failure{Kind: task.FailException, Exception: m[1]}
	f.Message, _, _ = strings.Cut(m[2], " [recovered")
	stacks := strings.Split(text, "\ngoroutine ")
	var frames []frame
	for i, s := range stacks[1:] {
		frames = goFrames(s, at)
		if i == 0 && outermost(frames) != "" && !strings.HasPrefix(f.Message, "test timed out") {
			break
		}
		if outermost(frames) != "" && !strings.Contains(s, "testing.(*M).Run") {
			break
		}
	}
	return f, frames, true
}

func goFrames(stack string, at Place) []frame {
	var frames []frame
	for _, m := range goStack.FindAllStringSubmatch(stack, -1) {
		if strings.Contains(m[2], "/src/testing/") || strings.Contains(m[2], "/src/runtime/") {
			continue
		}
		fn, _, _ := strings.Cut(strings.TrimPrefix(m[1], "created by "), "(0x")
		fn, _, _ = strings.Cut(fn, "({")
		frames = append(frames, at.frame(m[2], m[3], strings.TrimSuffix(strings.TrimSuffix(fn, "(...)"), "()")))
	}
	return reversed(frames)
}

var javaForeign = lazyregexp.New(`^(?:java|javax|jdk|sun|com\.sun|junit|kotlin|scala|groovy|org\.(?:junit|opentest4j|apache\.maven|testng|hamcrest|assertj|mockito|gradle|codehaus|springframework))\.`)

// javaTrace reads a JVM stack trace: the exception named first, and the place
// in the tree where it, and not a cause of it, was thrown.
func javaTrace(text string, at Place) (task.Failure, []frame, bool) {
	f := task.Failure{}
	var frames []frame
	var message []string
	for line := range strings.SplitSeq(text, "\n") {
		if m := javaFrame.FindStringSubmatch(line); m != nil {
			if f.Exception != "" {
				frames = append(frames, at.javaFrame(m[1], m[2], m[3]))
			}
			continue
		}
		m := javaRaised.FindStringSubmatch(line)
		switch {
		case f.Exception == "" && m != nil:
			f.Exception, message = short(m[1]), []string{m[2]}
		case strings.HasPrefix(line, "Caused by: ") || strings.TrimSpace(line) == "" && len(frames) > 0:
			f.Message, f.Kind = strings.TrimSpace(strings.Join(message, "\n")), Kind(f.Exception)
			return f, reversed(frames), len(frames) > 0
		case f.Exception != "" && len(frames) == 0:
			message = append(message, line)
		}
	}
	f.Message, f.Kind = strings.TrimSpace(strings.Join(message, "\n")), Kind(f.Exception)
	return f, reversed(frames), f.Exception != "" && len(frames) > 0
}

func (at Place) javaFrame(method, file, line string) frame {
	class := method
	if i := strings.LastIndexByte(method, '.'); i > 0 {
		class = method[:i]
	}
	fr := frame{task.Frame{File: file, Line: number(line), Function: method}, false}
	if file == "" {
		return fr
	}
	pkg := ""
	if i := strings.LastIndexByte(class, '.'); i > 0 {
		pkg = strings.ReplaceAll(class[:i], ".", "/") + "/"
	}
	fr.File = pkg + file
	if javaForeign.MatchString(method) {
		return fr
	}
	if at.Find == nil {
		fr.own = true
	} else if found := at.Find(fr.File); found != "" {
		fr.File, fr.own = found, true
	}
	return fr
}

// rustTrace reads a panic's message, old form or new.
func rustTrace(text string, at Place) (task.Failure, []frame, bool) {
	m := rustPanic.FindStringSubmatchIndex(text)
	if m == nil {
		return task.Failure{}, nil, false
	}
	part := func(i int) string {
		if m[i] < 0 {
			return ""
		}
		return text[m[i]:m[i+1]]
	}
	f := task.Failure{Kind: task.FailException, Exception: "panic", Message: part(4)}
	if f.Message == "" {
		var lines []string
		for l := range strings.SplitSeq(strings.TrimPrefix(text[m[1]:], "\n"), "\n") {
			if strings.HasPrefix(l, "note: ") || strings.HasPrefix(l, "stack backtrace:") {
				break
			}
			lines = append(lines, l)
		}
		f.Message = strings.TrimSpace(strings.Join(lines, "\n"))
	}
	if strings.HasPrefix(f.Message, "assertion") {
		f.Kind = task.FailAssertion
	}
	return f, []frame{at.frame(part(6), part(8), part(2))}, true
}

// anyTrace reads the trace of whatever language text holds.
func anyTrace(text string, at Place) (task.Failure, []frame, bool) {
	for _, read := range []func(string, Place) (task.Failure, []frame, bool){pythonTrace, phpTrace, rubyTrace, goTrace, javaTrace, rustTrace, nodeTrace} {
		if f, frames, ok := read(text, at); ok {
			return f, frames, true
		}
	}
	return task.Failure{}, nil, false
}

func lastTrace(text string, at Place) (task.Failure, bool) {
	f, frames, ok := anyTrace(text, at)
	if ok {
		put(&f, frames)
	}
	return f, ok
}

func readTraces(text string, at Place) Report {
	f, ok := lastTrace(text, at)
	if !ok {
		return Report{}
	}
	f.Excerpt = text
	return Report{Broken: []task.Failure{f}, Ended: true}
}
