package text

import "strings"

// Wrap breaks a paragraph into lines which are not wider than width, if the
// words allow that. Every line begins with the indent.
func Wrap(s string, width int, indent string) []string {
	var lines []string
	line, used := indent, Width(indent)
	empty := true
	for _, word := range strings.Fields(s) {
		size := len(word)
		if !empty && used+1+size > width {
			lines = append(lines, line)
			line, used = indent, Width(indent)
			empty = true
		}
		if !empty {
			line += " "
			used++
		}
		line += word
		used += size
		empty = false
	}
	if !empty {
		lines = append(lines, line)
	}
	return lines
}

// Paragraphs splits a text at its empty lines.
func Paragraphs(s string) []string {
	var out []string
	var cur []string
	flush := func() {
		if len(cur) > 0 {
			out = append(out, strings.Join(cur, " "))
			cur = nil
		}
	}
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			flush()
			continue
		}
		cur = append(cur, line)
	}
	flush()
	return out
}
