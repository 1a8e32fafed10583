package parse

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

var (
	ptE        = lazyregexp.New(`^E(?:   ?| {2,}|$)(.*)$`)
	ptClass    = lazyregexp.New(`^([A-Za-z_][\w.]*)(?:: ?(.*))?$`)
	ptFatal    = lazyregexp.New(`(?m)(?:^| )Fatal Python error: .*$`)
	ptFatalRow = lazyregexp.New(`(?m)^  File "([^"]+)", line (\d+) in (\S+)$`)
)

// ptBody is what a section said, after the last link of a chain of exceptions.
type ptBody struct {
	frames []frame
	said   []string // without the leading E
	native []string // lines of a plain traceback
	after  string   // class at the end of the last place line
}

// ptFailure reads the body of a section, whatever --tb was.
func ptFailure(lines []string, at Place) task.Failure {
	var b ptBody
	excerpt := strings.Join(lines, "\n")
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "---") && strings.Contains(l, "Captured "):
			return b.failure(excerpt)
		case strings.HasPrefix(l, "The above exception was the direct cause"), strings.HasPrefix(l, "During handling of the above exception"):
			b = ptBody{}
		default:
			b.line(l, at)
		}
	}
	return b.failure(excerpt)
}

func (b *ptBody) line(l string, at Place) {
	if m := ptE.FindStringSubmatch(l); m != nil {
		if fr := pyFrame.FindStringSubmatch(m[1]); fr != nil { // a syntax error names its own place
			b.frames = append(b.frames, at.frame(fr[1], fr[2], fr[3]))
			return
		}
		b.said = append(b.said, m[1])
		return
	}
	if m := pyFrame.FindStringSubmatch(l); m != nil {
		b.frames = append(b.frames, at.frame(m[1], m[2], m[3]))
		b.native = nil
		return
	}
	if m := ptLoc.FindStringSubmatch(l); m != nil {
		fn, isFrame := strings.CutPrefix(m[3], "in ")
		if !isFrame {
			fn, b.after = "", m[3]
		}
		b.frames = append(b.frames, at.frame(m[1], m[2], fn))
		return
	}
	b.native = append(b.native, l)
}

func (b *ptBody) failure(excerpt string) task.Failure {
	f := task.Failure{Excerpt: excerpt}
	f.Exception, f.Message = ptSaid(b.said)
	switch {
	case f.Exception == "" && f.Message == "" && len(b.frames) > 0 && len(b.native) > 0:
		f.Exception, f.Message = ptPlain(b.native)
	case f.Message == "" && f.Exception == "":
		f.Exception, f.Message = ptRaised(b.after)
		if f.Message == "" && f.Exception == "" {
			f.Message = firstLine(excerpt)
		}
	}
	if class := b.after; class != "" && !strings.ContainsAny(class, " :") && f.Exception != short(class) {
		f.Exception = short(class) // the place line knows the class that a bare assert does not say
	}
	f.Kind = Kind(f.Exception)
	put(&f, b.frames)
	return f
}

// ptSaid reads the E lines: the exception's class and message. A bare assert
// says no class.
func ptSaid(said []string) (class, message string) {
	if len(said) == 0 {
		return "", ""
	}
	if strings.HasPrefix(said[0], "  ") { // a syntax error: the class comes last
		for i := len(said) - 1; i >= 0; i-- {
			if m := ptClass.FindStringSubmatch(strings.TrimSpace(said[i])); m != nil && strings.HasSuffix(m[1], "Error") {
				return short(m[1]), m[2]
			}
		}
	}
	class, first := ptRaised(strings.TrimLeft(said[0], " "))
	return class, strings.TrimSpace(strings.Join(append([]string{first}, said[1:]...), "\n"))
}

// ptRaised splits "pkg.Class: message"; "assert …" is an AssertionError.
func ptRaised(text string) (class, message string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "assert ") || text == "assert" {
		return "AssertionError", text
	}
	m := ptClass.FindStringSubmatch(firstLine(text))
	if m == nil || !looksRaised(m[1], m[2]) || m[2] == "" && strings.Contains(text, " ") {
		return "", text
	}
	_, rest, _ := strings.Cut(text, ":")
	return short(m[1]), strings.TrimSpace(rest)
}

// ptPlain reads the lines after the last frame of a plain traceback: source,
// carets, then the exception.
func ptPlain(lines []string) (class, message string) {
	for i, l := range lines {
		if strings.HasPrefix(l, " ") || strings.TrimSpace(l) == "" {
			continue
		}
		if class, first := ptRaised(l); class != "" {
			return class, strings.TrimSpace(strings.Join(append([]string{first}, lines[i+1:]...), "\n"))
		}
	}
	return "", ""
}

// fatalFrames reads the stack that faulthandler prints, innermost first.
func fatalFrames(text string, at Place) []frame {
	head := ptFatal.FindStringIndex(text)
	if head == nil {
		return nil
	}
	var frames []frame
	for _, m := range ptFatalRow.FindAllStringSubmatch(text[head[1]:], 80) {
		frames = append(frames, at.frame(m[1], m[2], m[3]))
	}
	return reversed(frames)
}
