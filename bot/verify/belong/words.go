package belong

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What else an issue tells of a test that was written by somebody who read it:
// there its name and its file say nothing, and what it expects says all.

// Names tells whether the issue writes an identifier as code.
func (i *Issue) Names(name string) bool { return i.code[name] }

// TellsOf tells whether the issue names an exception's class.
func (i *Issue) TellsOf(class string) bool { return i.hasError(class) }

// Speaks tells whether the issue's words, in lower case and without the marks of
// code, match.
func (i *Issue) Speaks(re *lazyregexp.Regexp) bool { return re.MatchString(i.flat) }

// States tells whether a value that a test expects stands in the issue, or in
// further text such as a README: a text by what it holds, a list or an object by
// what they hold. How a value that has no characters of its own is put into words
// (nothing, none, yes) is no statement of it.
func (i *Issue) States(value, further string) bool {
	value = strings.TrimSpace(value)
	if i.says(squeezeValue(value)) {
		return true
	}
	if inner := literal.FindAllString(strings.Trim(value, "[]{}()"), -1); len(inner) > 0 && strings.ContainsAny(value[:1], "[{(") {
		for _, v := range inner {
			if !i.States(v, further) {
				return false
			}
		}
		return true
	}
	bare := strings.Trim(value, "\"'`")
	if bare == "" {
		return false
	}
	return holds(i.text, bare) || holds(further, bare) || holds(i.flat, strings.ToLower(bare))
}
