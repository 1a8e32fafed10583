package answer

import (
	"regexp"
	"strconv"
	"strings"
)

// words takes an explanation of a single action for its reason: it changes
// nothing about what is done.
func words(v map[string]any) {
	for key, x := range copyOf(v) {
		if text, ok := x.(string); ok && (snake(key) == "explanation" || fieldNames[snake(key)] == "explanation") {
			delete(v, key)
			v["reason"] = text
		}
	}
}

// Words that stand where code should: a number in words, or a pointer to code
// that is somewhere else.
var (
	blockNumber = regexp.MustCompile(`(?i)^(?:(?:code |fenced )*(?:block|fence|snippet) ?#?|#)([0-9]{1,2})$`)
	elsewhere   = regexp.MustCompile(`(?i)^\W*(?:see|as|code|the|in|from|my|new|fenced|block|fence|snippet|above|below|next|following|given|shown|unchanged|same|here|[0-9]+|\s)+\W*$`)
)

// inlineCode moves code that stands inside the JSON to a field of its own, so
// that "code" is always a number. Code that is escaped twice is refused.
func inlineCode(v map[string]any, n int, r *Report) *Malformed {
	had := ""
	for key, x := range copyOf(v) {
		name := snake(key)
		if to, ok := fieldNames[name]; ok {
			name = to
		}
		if name != "code" && name != "text" {
			continue
		}
		text, isText := x.(string)
		if lines, ok := x.([]any); ok {
			text, isText = joinLines(lines)
		}
		if !isText || text == "" || isNumber(text) {
			continue
		}
		if m := blockNumber.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			v[key] = m[1]
			r.Repairs = append(r.Repairs, "a code block's number was taken out of words")
			continue
		}
		if elsewhere.MatchString(text) {
			return malformed(SchemaInvalid, "the code of action %d is only a pointer to it, %q; give the number of its fenced block", n, oneLine(text))
		}
		if !strings.Contains(text, "\n") && strings.Contains(text, `\n`) {
			return malformed(SchemaInvalid, "the code of action %d is escaped twice; put code into a fenced block and give its number", n)
		}
		if all, bad := fences(text); bad == nil && len(all) == 1 && all[0].end > 0 && strings.TrimSpace(outside(text, all)) == "" {
			text = all[0].body
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		delete(v, key)
		if had != "" && had != text {
			return malformed(SchemaInvalid, "the code of action %d is given twice, and differs", n)
		}
		had = text
		r.Repairs = append(r.Repairs, "code inside the JSON was used")
	}
	if had != "" {
		v["text"] = had
	}
	return nil
}

func isNumber(s string) bool { _, err := strconv.Atoi(strings.TrimSpace(s)); return err == nil }

func joinLines(list []any) (string, bool) {
	var b strings.Builder
	for _, x := range list {
		line, ok := x.(string)
		if !ok || strings.Contains(strings.TrimSuffix(line, "\n"), "\n") {
			return "", false
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String(), len(list) > 0
}
