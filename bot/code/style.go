package code

import "strings"

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
