package mutate

import (
	"bytes"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// indent is the indentation of a statement that stands alone at the start of
// its line.
func (s *scene) indent(n code.Node) (string, bool) { return code.IndentBefore(s.src, n.Start()) }

// before inserts lines before a statement. Lines are given with "\n" and one
// unit per level as "\t".
func (s *scene) before(n code.Node, text string, weight float64, format string, args ...any) {
	if in, ok := s.indent(n); ok {
		s.put(n.Start(), n.Start(), s.lines(text, in)+s.eol+in, weight, format, args...)
	}
}

// after inserts lines after a statement.
func (s *scene) after(n code.Node, text string, weight float64, format string, args ...any) {
	if in, ok := s.indent(n); ok && s.endsLine(n) {
		s.put(n.End(), n.End(), s.eol+in+s.lines(text, in), weight, format, args...)
	}
}

// lines writes text in the file's indentation and line endings.
func (s *scene) lines(text, in string) string {
	text = strings.ReplaceAll(text, "\t", s.unit)
	return strings.ReplaceAll(text, "\n", s.eol+in)
}

// endsLine tells that nothing but a comment follows a node on its line.
func (s *scene) endsLine(n code.Node) bool {
	line, _, _ := bytes.Cut(s.src[n.End():], []byte("\n"))
	rest := strings.TrimSpace(string(line))
	return rest == "" || strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "//")
}

// wholeLines is the span of a statement with its line ends, when it stands
// alone on its lines.
func (s *scene) wholeLines(n code.Node) (start, end int, ok bool) {
	in, alone := s.indent(n)
	if !alone || !s.endsLine(n) {
		return 0, 0, false
	}
	end = n.End()
	for end < len(s.src) && s.src[end] != '\n' {
		end++
	}
	return n.Start() - len(in), min(end+1, len(s.src)), true
}
