package code

import (
	"bytes"
	"strings"
)

// IndentUnit is one level of indentation as the file has it: a tab, or 2, 3,
// 4 or 8 spaces (4 where the file does not tell).
func IndentUnit(src []byte) string {
	s := fileIndent(src)
	if s.tabs {
		return "\t"
	}
	return strings.Repeat(" ", s.unit)
}

// LineEnding is the file's more frequent line ending: "\r\n" or "\n".
func LineEnding(src []byte) string { return lineEnding(src) }

// Style is how a file is written.
type Style struct {
	Unit, EOL string // one level of indentation, and a line's end
	// How many quotes of each kind stand in it.
	Singles, Doubles int
}

// Style is how the tree's file is written. It is worked out once.
func (t *Tree) Style() Style {
	t.styled.Do(func() {
		t.style = Style{IndentUnit(t.Src), LineEnding(t.Src), bytes.Count(t.Src, []byte("'")), bytes.Count(t.Src, []byte(`"`))}
	})
	return t.style
}

// IndentBefore is the white space between the start of the line and an
// offset; alone tells that nothing else stands there.
func IndentBefore(src []byte, offset int) (indent string, alone bool) {
	i := offset
	for i > 0 && src[i-1] != '\n' {
		i--
	}
	line := strings.TrimPrefix(string(src[i:offset]), "\ufeff")
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))], strings.TrimSpace(line) == ""
}
