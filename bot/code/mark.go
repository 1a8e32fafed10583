package code

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// markLine is a marker as Mark writes it, in any comment syntax.
var markLine = lazyregexp.New(`^[ \t]*(?:#|//|--|;|<!--) (?:END )?REGION: \S+ \[[a-z]+:[^\]\s]+@[0-9a-f]{8}\](?: -->)?$`)

// commentSyntax is how a file's comment lines begin and end.
func commentSyntax(name string) (begin, end string, ok bool) {
	switch LanguageOf(name) {
	case Python, Ruby:
		return "# ", "", true
	case JavaScript, TypeScript, TSX, Go, Java, Rust, PHP, C, CPP:
		return "// ", "", true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".sh", ".bash", ".zsh", ".yml", ".yaml", ".toml", ".pl", ".r", ".jl", ".ex", ".exs", ".tcl", ".cmake", ".conf":
		return "# ", "", true
	case ".cs", ".kt", ".swift", ".scala", ".dart", ".proto", ".zig":
		return "// ", "", true
	case ".sql", ".lua", ".hs", ".elm":
		return "-- ", "", true
	case ".lisp", ".clj", ".el", ".ini", ".asm":
		return "; ", "", true
	case ".html", ".htm", ".xml", ".md", ".markdown", ".vue", ".svelte":
		return "<!-- ", " -->", true
	}
	return "", "", false
}

// Mark puts a comment line before and after each region (all regions but
// blocks when no id is given): REGION: name [id] and END REGION: name [id].
// Unmark takes them out again without a trace: that is checked, and the error
// says so where a file cannot be marked. Regions that share a line with other
// code are left without a mark.
func Mark(ctx context.Context, name string, src []byte, ids ...string) ([]byte, error) {
	begin, end, ok := commentSyntax(name)
	if !ok {
		return nil, fmt.Errorf("mark %s: no comment syntax is known for this kind of file", name)
	}
	regions, err := Regions(ctx, name, src)
	if err != nil {
		return nil, err
	}
	var chosen []Region
	for _, r := range regions {
		if len(ids) == 0 && r.Kind != KindBlock {
			chosen = append(chosen, r)
		}
	}
	for _, id := range ids {
		r, _, err := Resolve(regions, id)
		if err != nil {
			return nil, fmt.Errorf("mark %s: %w", name, err)
		}
		chosen = append(chosen, r)
	}
	eol := lineEnding(src)
	var changes []change
	for _, r := range chosen {
		indent, alone := IndentBefore(src, r.StartByte)
		stop := lineEndAt(src, r.EndByte)
		if rest := bytes.TrimRight(src[r.EndByte:stop], " \t;,)"); !alone || len(rest) > 0 {
			continue
		}
		at := max(bytes.LastIndexByte(src[:r.StartByte], '\n')+1, r.StartByte-len(indent))
		text := "REGION: " + r.QualifiedName + " [" + r.ID + "]" + end
		changes = append(changes, change{at, at, indent + begin + text + eol}, change{stop, stop, eol + indent + begin + "END " + text})
	}
	out := applyChanges(src, nest(changes))
	if !bytes.Equal(Unmark(out), src) {
		return nil, fmt.Errorf("mark %s: the file has such marks already, or line endings that would not be the same afterwards", name)
	}
	return out, nil
}

// nest orders the marks at one place: an end before a beginning, an inner end
// before an outer one.
func nest(changes []change) []change {
	var begins, ends []change
	for i, c := range changes {
		if i%2 == 0 {
			begins = append(begins, c)
		} else {
			ends = append(ends, c)
		}
	}
	slices.Reverse(ends) // regions come with the outer ones first
	return append(ends, begins...)
}

// Unmark takes out the lines that Mark put in.
func Unmark(src []byte) []byte {
	if !bytes.Contains(src, []byte("REGION: ")) {
		return src
	}
	var out bytes.Buffer
	for line := range bytes.Lines(src) {
		text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		bom := bytes.HasPrefix(text, []byte("\ufeff"))
		if !markLine.Match(bytes.TrimPrefix(text, []byte("\ufeff"))) {
			out.Write(line)
			continue
		}
		if bom {
			out.WriteString("\ufeff")
		}
		if len(text) == len(line) { // the last line has no end: the one before had none
			kept := out.Bytes()
			kept = bytes.TrimSuffix(kept, []byte("\n"))
			return bytes.TrimSuffix(kept, []byte("\r"))
		}
	}
	return out.Bytes()
}
