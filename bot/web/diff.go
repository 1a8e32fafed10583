package web

import (
	"strconv"
	"strings"
)

// diffLine is a line of a unified diff; in the view of two sides a row of it.
type diffLine struct {
	Class    string // file, hunk, add, del, same, change
	Old, New int    // line numbers; 0: none
	Text     string // of a side by side row, the old side
	Right    string
}

type diffView struct {
	Lines []diffLine
	Split bool
	More  int // lines that are not shown
	Files int
	Adds  int
	Dels  int
}

// newDiff reads a unified diff for a page that bears so many lines of it.
func newDiff(text string, most int, split bool) (d diffView) {
	d.Split = split
	if text == "" {
		return d
	}
	var out []diffLine
	oldNo, newNo, inHunk := 0, 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inHunk = false
			d.Files++
			_, name, ok := strings.Cut(line, " b/")
			if !ok { // quoted, for its odd letters
				name = strings.TrimPrefix(line, "diff --git ")
			}
			out = append(out, diffLine{Class: "file", Text: name})
		case !inHunk && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "index ")):
		case strings.HasPrefix(line, "@@ "):
			oldNo, newNo = hunkStart(line)
			inHunk = true
			out = append(out, diffLine{Class: "hunk", Text: line})
		case !inHunk || strings.HasPrefix(line, `\`):
			out = append(out, diffLine{Class: "note", Text: line})
		case strings.HasPrefix(line, "+"):
			out = append(out, diffLine{Class: "add", New: newNo, Text: line[1:]})
			newNo++
			d.Adds++
		case strings.HasPrefix(line, "-"):
			out = append(out, diffLine{Class: "del", Old: oldNo, Text: line[1:]})
			oldNo++
			d.Dels++
		default:
			text := strings.TrimPrefix(line, " ")
			out = append(out, diffLine{Class: "same", Old: oldNo, New: newNo, Text: text, Right: text})
			oldNo++
			newNo++
		}
	}
	if split {
		out = sideBySide(out)
	}
	if len(out) > most {
		out, d.More = out[:most], len(out)-most
	}
	d.Lines = out
	return d
}

// hunkStart reads the line numbers of "@@ -12,3 +14,5 @@".
func hunkStart(line string) (before, after int) {
	for _, f := range strings.Fields(line) {
		num, _, _ := strings.Cut(strings.TrimLeft(f, "-+"), ",")
		n, err := strconv.Atoi(num)
		switch {
		case err != nil:
		case f[0] == '-':
			before = n
		case f[0] == '+':
			after = n
		}
	}
	return before, after
}

// sideBySide puts what was taken away beside what came in its place.
func sideBySide(lines []diffLine) (out []diffLine) {
	for i := 0; i < len(lines); {
		dels := run(lines[i:], "del")
		adds := run(lines[i+dels:], "add")
		if dels+adds == 0 {
			out = append(out, lines[i])
			i++
			continue
		}
		for k := range max(dels, adds) {
			row := diffLine{Class: "change"}
			if k < dels {
				row.Old, row.Text = lines[i+k].Old, lines[i+k].Text
			}
			if k < adds {
				row.New, row.Right = lines[i+dels+k].New, lines[i+dels+k].Text
			}
			out = append(out, row)
		}
		i += dels + adds
	}
	return out
}

// run is how many lines at the start are of the class.
func run(lines []diffLine, class string) (n int) {
	for n < len(lines) && lines[n].Class == class {
		n++
	}
	return n
}
