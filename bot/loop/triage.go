package loop

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/task"
)

// Words that report a fault; an issue with one of them is not a mere question.
var faultWords = regexp.MustCompile(`(?i)\b(bug|broken|breaks?|wrong(ly)?|crash(es|ed)?|fail(s|ed|ing|ure)?|errors?|exception|traceback|panic(s|ked)?|incorrect(ly)?|unexpected(ly)?|instead of|should|expected?|regression|hangs?|infinite|never|missing|raises?|throws?|does ?n[o']t|is ?n[o']t|undefined|NaN|NoneType|nil pointer|duplicate[sd]?|off by|truncat\w+|los(es|t|ing)|ignor(es|ed|ing)|stale|leaks?|too (many|few|high|low|early|late|long|short)|twice)\b`)

var questionWords = regexp.MustCompile(`(?i)^\s*(\[?question\]?\b|(how|what|why|when|where|which|who|can|could|is|are|do|does|would|may) .*\?\s*$)`)

// triage refuses a task that names nothing that could be checked, and says
// what is missing. It gives "" for a task worth starting.
func triage(t task.Task) string {
	text := strings.TrimSpace(t.Title + "\n" + t.Body + "\n" + t.Hint)
	if text == "" {
		return "the issue is empty: say what goes wrong, what was expected, and how to see it"
	}
	asks := questionWords.MatchString(strings.TrimSpace(t.Title)) || strings.HasSuffix(strings.TrimSpace(t.Title), "?")
	if asks && !faultWords.MatchString(text) {
		return "the issue asks a question and reports no fault, so there is nothing that a test could prove; if something is wrong, say what happens and what was expected"
	}
	return ""
}
