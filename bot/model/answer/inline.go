package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
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
	blockNumber = lazyregexp.New(`(?i)^(?:(?:code |fenced )*(?:block|fence|snippet) ?#?|#)([0-9]{1,2})$`)
	elsewhere   = lazyregexp.New(`(?i)^\W*(?:see|as|code|the|in|from|my|new|fenced|block|fence|snippet|above|below|next|following|given|shown|unchanged|same|here|[0-9]+|\s)+\W*$`)
)

// inlineCode sees to it that "code" is the number of a block. Code that stands
// inside the JSON is refused: there it loses its escapes and line breaks on
// its way, and nobody can tell (SPEC E2).
func inlineCode(v map[string]any, n int, r *Report) *Malformed {
	for key, x := range copyOf(v) {
		name := snake(key)
		if to, ok := fieldNames[name]; ok {
			name = to
		}
		if name != "code" && name != "text" {
			continue
		}
		text, isText := x.(string)
		if list, ok := x.([]any); ok {
			isText, text = len(list) > 0, fmt.Sprint(list...)
		}
		if !isText || text == "" || name == "code" && isNumber(text) {
			continue
		}
		if m := blockNumber.FindStringSubmatch(strings.TrimSpace(text)); m != nil && name == "code" {
			v[key] = m[1]
			r.Repairs = append(r.Repairs, "a code block's number was taken out of words")
			continue
		}
		kind, _ := v["action"].(string)
		if elsewhere.MatchString(text) {
			return &Malformed{Class: SchemaInvalid, Action: kind, Reason: fmt.Sprintf("the code of action %d is only a pointer to it, %q; give the number of its fenced block", n, oneLine(text))}
		}
		return &Malformed{Class: SchemaInvalid, Action: kind, Reason: fmt.Sprintf("the code of action %d stands inside the JSON; put it into a fenced block of its own behind the JSON, and give the block's number as \"code\", counted from 1", n)}
	}
	return nil
}

func isNumber(s string) bool { _, err := strconv.Atoi(strings.TrimSpace(s)); return err == nil }
