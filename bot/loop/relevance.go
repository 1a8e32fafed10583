package loop

import (
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/task"
)

// related tells whether the issue and the change speak of the same thing: a
// red test that nobody complained about may be mended by chance, and a change
// that mends it must not claim to close the issue. One word in common, between
// the issue and the tests that turned green, the regions, the paths or the
// changed lines, is enough; it is a guard against the unrelated, not a judge.
func related(t task.Task, a task.Attempt, failures []task.Failure) bool {
	said := words(t.Title + " " + t.Body + " " + t.Hint)
	var done strings.Builder
	for _, id := range a.Fixed {
		done.WriteString(id + " ")
		for _, f := range failures {
			if f.Test == id {
				done.WriteString(f.Exception + " " + f.Message + " ")
			}
		}
	}
	for _, r := range a.Regions {
		done.WriteString(r.Name + " " + r.Path + " ")
	}
	for line := range strings.Lines(a.Diff) {
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			done.WriteString(line + " ")
		}
	}
	for w := range words(done.String()) {
		if said[w] {
			return true
		}
	}
	return false
}

// words are the lower-case words of four letters or more, with identifiers
// split and plurals cut, and without those that any issue holds.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var b strings.Builder
	flush := func() {
		if w := strings.TrimSuffix(b.String(), "s"); len(w) >= 4 && !anyIssue[w] {
			out[w] = true
		}
		b.Reset()
	}
	lower := false
	for _, r := range s {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

var anyIssue = map[string]bool{
	"test": true, "pytest": true, "unittest": true, "node": true, "with": true, "that": true, "this": true, "when": true, "from": true, "have": true, "does": true,
	"return": true, "assert": true, "assertionerror": true, "error": true, "expected": true, "wrong": true, "should": true, "false": true, "true": true, "none": true,
	"null": true, "self": true, "else": true, "func": true, "function": true, "const": true, "value": true, "result": true, "index": true, "import": true, "python": true,
	"javascript": true, "main": true, "file": true, "line": true, "code": true, "issue": true, "instead": true, "where": true, "which": true, "there": true, "then": true,
}
