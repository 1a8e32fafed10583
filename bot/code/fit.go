package code

import (
	"bytes"
	"context"
	"strings"
)

// fit makes code stand in the place of a region: its first line without
// indentation (the file has it), the others at the region's indentation plus
// their own, in the file's tabs or spaces and line endings. Lines inside
// string literals are left as they are, but for docstrings. A region's own
// text, given back with or without its indentation, comes out unchanged.
func fit(ctx context.Context, src []byte, r Region, code string) string {
	old := string(src[r.StartByte:r.EndByte])
	if code == old {
		return old
	}
	code = strings.TrimPrefix(code, "\ufeff")
	code = string(Unmark([]byte(strings.ReplaceAll(code, "\r\n", "\n"))))
	code = strings.TrimRight(code, " \t\r\n")
	for {
		line, rest, more := strings.Cut(code, "\n")
		if !more || strings.TrimSpace(line) != "" {
			break
		}
		code = rest
	}
	plainOld := strings.ReplaceAll(old, "\r\n", "\n")
	if strings.TrimLeft(code, " \t") == strings.TrimLeft(plainOld, " \t") {
		return old
	}
	base := indentBefore(src, r.StartByte)
	lines := newLines(ctx, r.Language, code)
	if r.Language != Unknown {
		reindent(lines, base, r.Language, fileIndent(src))
	} else if len(lines) > 0 && base != "" {
		lines[0].text = strings.TrimPrefix(lines[0].text, base)
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(l.text)
	}
	out := b.String()
	if out == plainOld {
		return old
	}
	if lineEnding(src) == "\r\n" {
		out = strings.ReplaceAll(out, "\n", "\r\n")
	}
	return out
}

// codeLine is a line of new code; a frozen one begins inside a string.
type codeLine struct {
	text   string
	frozen bool
}

func (l codeLine) indent() string {
	return l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t"))]
}

func (l codeLine) blank() bool { return strings.TrimSpace(l.text) == "" }

// newLines splits code into lines and marks those that begin in a string.
func newLines(ctx context.Context, lang Language, code string) []codeLine {
	var lines []codeLine
	for text := range strings.SplitSeq(code, "\n") {
		lines = append(lines, codeLine{text: text})
	}
	if len(lines) == 1 || !strings.ContainsAny(code, "`\"'") {
		return lines
	}
	t, err := Parse(ctx, lang, []byte(fragmentHead(lang)+code))
	if err != nil {
		return lines
	}
	t.Walk(func(n Node) bool {
		switch n.Kind() {
		case "string", "template_string", "raw_string_literal", "interpreted_string_literal", "string_literal", "heredoc_body", "text_block", "encapsed_string", "heredoc", "nowdoc":
		default:
			return true
		}
		if n.Up() == "expression_statement" && lang == Python {
			return false // a docstring moves with its function
		}
		for i := n.Line(); i < n.EndLine(); i++ {
			lines[i].frozen = true
		}
		return false
	})
	return lines
}

// fragmentHead is what has to stand before code that is parsed by itself, on the
// same line: without it, PHP is text.
func fragmentHead(lang Language) string {
	if lang == PHP {
		return "<?php "
	}
	return ""
}

// indentStyle is how a file indents: by tabs, or by unit spaces.
type indentStyle struct {
	tabs bool
	unit int
}

// fileIndent looks at the first thousand indented lines.
func fileIndent(src []byte) indentStyle {
	tabs, spaces, seen := 0, 0, 0
	steps := map[int]int{}
	before := 0
	for line := range bytes.Lines(src) {
		body := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(body)) == 0 {
			continue
		}
		n := len(line) - len(body)
		if n > 0 && line[0] == '\t' {
			tabs++
		} else {
			if n > 0 {
				spaces++
			}
			if d := n - before; d > 0 {
				steps[d]++
			}
			before = n
		}
		if seen++; seen > 2000 {
			break
		}
	}
	style := indentStyle{tabs: tabs > spaces, unit: 4}
	best := 0
	for _, unit := range []int{4, 2, 8, 3} {
		if steps[unit] > best {
			best, style.unit = steps[unit], unit
		}
	}
	return style
}

// reindent moves lines so that the first has no indentation and the others
// stand at base plus their own, in the style of the file.
func reindent(lines []codeLine, base string, lang Language, style indentStyle) {
	first := lines[0].indent()
	lines[0].text = lines[0].text[len(first):]
	rest := lines[1:]
	strip := first
	if first == "" && base != "" && alreadyIndented(lines, base, lang) {
		strip = base // the first line lost its indentation, the others kept it
	}
	own := codeStyle(rest, style)
	for i := range rest {
		l := &rest[i]
		if l.frozen {
			continue
		}
		if l.blank() {
			l.text = ""
			continue
		}
		in := l.indent()
		body := l.text[len(in):]
		if tail, ok := strings.CutPrefix(in, strip); ok {
			in = tail
		} else {
			in = shorten(in, strip)
		}
		l.text = base + convert(in, own, style) + body
	}
}

// alreadyIndented tells whether the lines after the first stand at the
// region's indentation already.
func alreadyIndented(lines []codeLine, base string, lang Language) bool {
	least := -1
	for _, l := range lines[1:] {
		if l.frozen || l.blank() {
			continue
		}
		if !strings.HasPrefix(l.indent(), base) {
			return false
		}
		if n := len(l.indent()); least < 0 || n < least {
			least = n
		}
	}
	if least < 0 {
		return false
	}
	// A Python body stands deeper than its first line, so a body at the base
	// itself means that the code came without the base.
	if lang == Python && !strings.HasPrefix(lines[0].text, "@") {
		return least > len(base)
	}
	return true
}

// shorten takes the width of strip off an indentation of another kind.
func shorten(in, strip string) string {
	n := width(in) - width(strip)
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

func width(s string) int {
	n := 0
	for _, c := range s {
		if c == '\t' {
			n += 4
		} else {
			n++
		}
	}
	return n
}

// codeStyle is how new code indents, where that differs from the file.
func codeStyle(lines []codeLine, file indentStyle) indentStyle {
	var b bytes.Buffer
	for _, l := range lines {
		if !l.frozen {
			b.WriteString(l.text + "\n")
		}
	}
	own := fileIndent(b.Bytes())
	indented := false
	for _, l := range lines {
		indented = indented || !l.frozen && l.indent() != ""
	}
	if !indented {
		return file
	}
	return own
}

// convert writes an indentation in the style of the file, where the code
// uses tabs and the file spaces or the other way round.
func convert(in string, from, to indentStyle) string {
	if from.tabs == to.tabs || in == "" {
		return in
	}
	if to.tabs {
		spaces := strings.Count(in, " ")
		unit := max(1, from.unit)
		return strings.Repeat("\t", strings.Count(in, "\t")+spaces/unit) + strings.Repeat(" ", spaces%unit)
	}
	return strings.ReplaceAll(in, "\t", strings.Repeat(" ", to.unit))
}
