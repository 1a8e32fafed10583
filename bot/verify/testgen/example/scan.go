package example

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	callStart = lazyregexp.New(`[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\(`)
	number    = lazyregexp.New(`^[-+]?(?:0[xX][0-9a-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)`)
	word      = lazyregexp.New(`^(?:True|False|None|true|false|null|nil|undefined|NaN)\b`)
	composite = lazyregexp.New(`^&?(?:\[\d*\]|map\[\w+\])[\w.*\[\]]*\{`)
)

// notCalls are words before a bracket that are no function of anybody's.
var notCalls = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true, "function": true, "func": true, "def": true,
	"catch": true, "elif": true, "and": true, "or": true, "not": true, "in": true, "with": true, "class": true}

// balanced gives the length of the bracketed text at the start of s, quotes
// respected; 0 when it does not end in time.
func balanced(s string) int {
	var stack []byte
	for i := 0; i < len(s) && i < maxLiteral; i++ {
		switch c := s[i]; c {
		case '(', '[', '{':
			stack = append(stack, c+1+c/64) // ( ) differ by one, [ ] and { } by two
		case ')', ']', '}':
			if len(stack) == 0 || stack[len(stack)-1] != c {
				return 0
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return i + 1
			}
		case '"', '\'':
			n := quoted(s[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}

// quoted gives the length of the string at the start of s, on one line.
func quoted(s string) int {
	for i := 1; i < len(s) && i < maxLiteral && s[i] != '\n'; i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

// value gives the length of the literal at the start of s, 0 when none is
// there. Whether it means something in a language is seen later.
func value(s string) int {
	if s == "" {
		return 0
	}
	if loc := composite.FindString(s); loc != "" {
		if n := balanced(s[len(loc)-1:]); n > 0 {
			return len(loc) - 1 + n
		}
		return 0
	}
	switch s[0] {
	case '"', '\'':
		return quoted(s)
	case '[', '{', '(':
		return balanced(s)
	}
	if n := len(word.FindString(s)); n > 0 {
		return n
	}
	n := len(number.FindString(s))
	if n < len(s) && n > 0 && (s[n] == '_' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z') {
		return 0
	}
	return n
}

// span is a call in a text.
type span struct{ start, end int }

// calls finds the outermost calls of a text, with what is called on their
// results.
func calls(s string) []span {
	var out []span
	for at := 0; at < len(s) && len(out) < 200; {
		loc := callStart.FindStringIndex(s[at:])
		if loc == nil {
			break
		}
		start, end := at+loc[0], at+loc[1]-1
		n := balanced(s[end:])
		if n == 0 || notCalls[s[start:end]] || declared(s[:start]) || start > 0 && strings.ContainsRune("./\\", rune(s[start-1])) {
			at = end + 1
			continue
		}
		for end += n; ; end += n {
			loc := regexp.MustCompile(`^\.[A-Za-z_$][\w$]*`).FindString(s[end:])
			n = 0
			if loc != "" && end+len(loc) < len(s) && s[end+len(loc)] == '(' {
				n = balanced(s[end+len(loc):])
			}
			if n == 0 {
				break
			}
			end += len(loc)
		}
		out = append(out, span{start, end})
		at = end
	}
	return out
}

func declared(before string) bool {
	return regexp.MustCompile(`\b(?:def|function|func|class|fn)\s+$`).MatchString(before[max(0, len(before)-20):])
}
