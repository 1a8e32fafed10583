package command

import "strings"

// scanner walks over the lines of a comment and knows which of them GitHub
// shows as ordinary text. Where Markdown is ambiguous it rather sees no text:
// a command not seen is typed again, a command obeyed cannot be taken back.
type scanner struct {
	fence  string // the open fence's marks, or ""
	indent int    // of the line that opened the fence
	until  string // ends a hidden part: "-->", "</pre>", …, lower case
}

// rawBlocks are HTML elements whose content is not text of the comment.
var rawBlocks = []string{"pre", "code", "script", "style", "textarea", "blockquote", "template"}

// text returns the line when a command may stand at its beginning.
func (s *scanner) text(line string, rest []string) (string, bool) {
	if s.until != "" {
		s.skipHidden(line, rest)
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
	visible := s.openHidden(trimmed, rest)
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

// openHidden cuts the line where a hidden part begins. A comment that is never
// closed hides the rest only when it begins its line, as on GitHub.
func (s *scanner) openHidden(line string, rest []string) string {
	low := lowerASCII(line)
	at, until := -1, ""
	if i := strings.Index(low, "<!--"); i >= 0 {
		at, until = i, "-->"
	}
	for _, name := range rawBlocks {
		if i := indexTag(low, name); i >= 0 && (at < 0 || i < at) {
			at, until = i, "</"+name
		}
	}
	if at < 0 {
		return line
	}
	if strings.Contains(low[at+1:], until) {
		return line[:at] // opened and closed on one line: a later part is not at its start
	}
	if at == 0 || closedLater(rest, until) {
		s.until = until
	}
	if s.until == "" {
		return line
	}
	return line[:at]
}

func (s *scanner) skipHidden(line string, rest []string) {
	i := strings.Index(lowerASCII(line), s.until)
	if i < 0 {
		return
	}
	after := line[i+len(s.until):]
	s.until = ""
	s.openHidden(strings.TrimLeft(after, " "), rest) // another one may begin right there
}

func closedLater(rest []string, until string) bool {
	for _, l := range rest {
		if strings.Contains(lowerASCII(l), until) {
			return true
		}
	}
	return false
}

func indexTag(low, name string) int {
	for from := 0; ; {
		i := strings.Index(low[from:], "<"+name)
		if i < 0 {
			return -1
		}
		i += from
		after := low[i+1+len(name):]
		if after == "" || strings.ContainsAny(after[:1], " \t>/") {
			return i
		}
		from = i + 1
	}
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
