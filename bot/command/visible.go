package command

import "strings"

// scanner walks over the lines of a comment and knows which of them GitHub
// shows as ordinary text. Where Markdown is ambiguous it rather sees no text:
// a command not seen is typed again, a command obeyed cannot be taken back.
type scanner struct {
	fence  string // the open fence's marks, or ""
	indent int    // of the line that opened the fence
	until  string // ends a hidden part: "-->", "</pre>", …, lower case

	line int            // 0-based, of the line looked at
	last map[string]int // the last line that holds each possible end
}

func newScanner(lines []string) *scanner {
	s := &scanner{line: -1, last: map[string]int{}}
	for i, l := range lines {
		if !strings.Contains(l, "</") && !strings.Contains(l, "-->") {
			continue
		}
		low := lowerASCII(l)
		for _, end := range append(closers(), "-->") {
			if strings.Contains(low, end) {
				s.last[end] = i
			}
		}
	}
	return s
}

func closers() []string {
	var out []string
	for _, name := range rawBlocks {
		out = append(out, "</"+name)
	}
	return out
}

// rawBlocks are HTML elements whose content is not text of the comment.
var rawBlocks = []string{"pre", "code", "script", "style", "textarea", "blockquote", "template"}

// text returns the line when a command may stand at its beginning. It has to
// be given all lines in order.
func (s *scanner) text(line string) (string, bool) {
	s.line++
	if s.until != "" {
		s.skipHidden(line)
		return "", false // what follows the end is not at the start of a line
	}
	trimmed := strings.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	if s.fence != "" {
		s.closeFence(trimmed, indent)
		return "", false
	}
	if mark, at := fenceMark(line); mark != "" {
		s.fence, s.indent = mark, at
		return "", false
	}
	if indent > 3 || strings.HasPrefix(trimmed, "\t") || strings.HasPrefix(trimmed, ">") {
		return "", false
	}
	visible := s.openHidden(trimmed)
	return visible, visible != ""
}

// fenceMark is the run of at least three backticks or tildes that opens a
// fence on this line, also inside a list item, and its column.
func fenceMark(line string) (string, int) {
	body := strings.TrimLeft(line, " \t")
	for {
		next := strings.TrimLeft(strings.TrimLeft(body, "-*+"), " \t")
		if len(next) == len(body) || !strings.ContainsAny(body[:1], "-*+") || body[1:] != "" && body[1] != ' ' && body[1] != '\t' {
			break
		}
		body = next
	}
	if i := strings.IndexAny(body, ".)"); i > 0 && i < 10 && strings.Trim(body[:i], "0123456789") == "" && strings.HasPrefix(body[i+1:], " ") {
		body = strings.TrimLeft(body[i+1:], " \t")
	}
	if body == "" || body[0] != '`' && body[0] != '~' {
		return "", 0
	}
	info := strings.TrimLeft(body, body[:1])
	mark := body[:len(body)-len(info)]
	if len(mark) < 3 || mark[0] == '`' && strings.Contains(info, "`") {
		return "", 0
	}
	return mark, len(line) - len(body)
}

func (s *scanner) closeFence(trimmed string, indent int) {
	end := strings.TrimRight(trimmed, " \t")
	if indent <= s.indent+3 && strings.HasPrefix(end, s.fence) && strings.Trim(end, s.fence[:1]) == "" {
		s.fence = ""
	}
}

// openHidden cuts the line where a hidden part begins, and follows the parts
// to its end. One that is never closed hides the rest only when it begins its
// line, as on GitHub.
func (s *scanner) openHidden(line string) string {
	low, shown := lowerASCII(line), len(line)
	for from := 0; ; {
		at, until := nextHidden(low, from)
		if at < 0 {
			return line[:shown]
		}
		end := strings.Index(low[at+1:], until)
		if end < 0 && (at == 0 || s.last[until] > s.line) {
			s.until = until
		}
		if end >= 0 || s.until != "" {
			shown = min(shown, at)
		}
		if end < 0 {
			return line[:shown]
		}
		from = at + 1 + end + len(until)
	}
}

// nextHidden finds where the next hidden part begins, and what would end it.
func nextHidden(low string, from int) (at int, until string) {
	for at = from; ; at++ {
		i := strings.IndexByte(low[at:], '<')
		if i < 0 {
			return -1, ""
		}
		at += i
		if strings.HasPrefix(low[at:], "<!--") {
			return at, "-->"
		}
		for _, name := range rawBlocks {
			if opens(low[at+1:], name) {
				return at, "</" + name
			}
		}
	}
}

// opens tells whether an element's name stands here, whole.
func opens(low, name string) bool {
	after, ok := strings.CutPrefix(low, name)
	return ok && (after == "" || strings.ContainsAny(after[:1], " \t>/"))
}

func (s *scanner) skipHidden(line string) {
	i := strings.Index(lowerASCII(line), s.until)
	if i < 0 {
		return
	}
	after := line[i+len(s.until):]
	s.until = ""
	s.openHidden(strings.TrimLeft(after, " ")) // another one may begin right there
}

// lowerASCII keeps the length, which strings.ToLower does not.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
