package patch

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/redact"
)

// prose are the kinds of files in which fences and markers may be text.
var prose = map[string]bool{".md": true, ".markdown": true, ".rst": true, ".txt": true, ".adoc": true}

// checkText refuses what models leave in code: placeholders for code that
// they did not write, conflict markers, fences, bytes that are no text. A line
// that stood in the file before is nobody's fault.
func (f *file) checkText() error {
	if bytes.IndexByte(f.after, 0) >= 0 && bytes.IndexByte(f.before, 0) < 0 {
		return refuse(f.path, "", RuleText, "the new text holds a NUL byte")
	}
	if !utf8.Valid(f.after) && utf8.Valid(f.before) {
		return refuse(f.path, "", RuleText, "the new text is not UTF-8")
	}
	for _, e := range f.edits {
		lines := strings.Split(strings.TrimSpace(e.Code), "\n")
		if !prose[strings.ToLower(path.Ext(f.path))] && (fenced(lines[0]) || fenced(lines[len(lines)-1])) {
			return refuse(f.path, e.Region, RuleFence, "the code begins or ends with a Markdown fence; give the code alone")
		}
	}
	known := lineSet(f.before)
	n := 0
	for line := range strings.SplitSeq(string(f.after), "\n") {
		n++
		trimmed := strings.TrimRight(line, "\r")
		if known[trimmed] {
			continue
		}
		if conflict(trimmed) {
			return refuse(f.path, f.regionAt(n), RuleConflict, "line %d is a conflict marker (%.20q); give the final code", n, trimmed)
		}
		if code.IsElision(trimmed) {
			return refuse(f.path, f.regionAt(n), RulePlaceholder, "line %d stands for code that is left out (%.80q); write the region's whole code", n, strings.TrimSpace(trimmed))
		}
	}
	return nil
}

func fenced(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

func conflict(line string) bool {
	for _, m := range []string{"<<<<<<<", ">>>>>>>", "|||||||"} {
		if line == m || strings.HasPrefix(line, m+" ") {
			return true
		}
	}
	return false
}

func lineSet(src []byte) map[string]bool {
	out := map[string]bool{}
	for line := range strings.SplitSeq(string(src), "\n") {
		out[strings.TrimRight(line, "\r")] = true
	}
	return out
}

// checkSecrets refuses new lines that hold what looks like a secret.
func (f *file) checkSecrets() error {
	known := lineSet(f.before)
	lines := strings.Split(string(f.after), "\n")
	for i, line := range lines {
		if known[strings.TrimRight(line, "\r")] {
			lines[i] = ""
		}
	}
	var none *redact.Funnel // shapes only
	for _, s := range none.FindSecrets(strings.Join(lines, "\n")) {
		if s.Word && code.IsTest(f.path) { // a made-up password in a test of addresses
			continue
		}
		return refuse(f.path, f.regionAt(s.Line), RuleSecret, "line %d holds what looks like a secret (%s); read it from the environment or a setting", s.Line, s.Rule)
	}
	return nil
}
