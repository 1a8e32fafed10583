package mend

import (
	"bytes"
	"math"
	"regexp"
	"strings"
)

// merit prefers likely places and operators and small changes, and dislikes
// deletions, which so often only silence a test, and changes that say the same
// thing twice.
func merit(c candidate) float64 {
	m := c.score
	if c.deletes() {
		m *= 0.3
	}
	if doubled(c.line()) && !doubled(c.lineBefore()) {
		m *= 0.05
	}
	size := math.Max(float64(c.end-c.start), float64(len(c.mutation.Replacement)))
	return m / (1 + size/80)
}

// deletes tells whether the change takes away most of what it replaces.
func (c candidate) deletes() bool {
	was := c.end - c.start
	return was > 8 && len(strings.TrimSpace(c.mutation.Replacement))*4 < was
}

// skipsLoop tells whether the change turns the condition of a loop round, which
// silences what its body does wrong.
func (c candidate) skipsLoop() bool {
	return loopHead.MatchString(c.line()) && (c.mutation.Operator == "negate_condition" || c.mutation.Operator == "comparison_operator")
}

var loopHead = regexp.MustCompile(`^\s*(?:\}\s*)?(?:while|for)\b`)

// line is the text of the changed line, lineBefore what it was.
func (c candidate) line() string       { return lineAt(c.content, c.start) }
func (c candidate) lineBefore() string { return lineAt(c.original, c.start) }

func lineAt(src []byte, at int) string {
	at = min(at, len(src))
	from := bytes.LastIndexByte(src[:at], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		to = at + i
	}
	return string(src[from:to])
}

// doubled tells whether a line names the same thing on both sides of a comma, an
// assignment or a comparison: f(a, a), x = x, a <= a.
func doubled(line string) bool {
	for _, cut := range twoSides.FindAllStringSubmatchIndex(line, -1) {
		before, after := line[:cut[0]], line[cut[1]:]
		for _, m := range operandEnd.FindAllString(before, 1) {
			if rest, ok := strings.CutPrefix(after, m); ok && (rest == "" || !strings.ContainsAny(rest[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.([")) {
				return true
			}
		}
	}
	return false
}

// unnatural is arithmetic that nobody writes: a + -1, b - 0.
var unnatural = regexp.MustCompile(`[\w)\]] ?[+-] ?(?:-\d|0(?:[^\w.]|$))`)

var (
	twoSides   = regexp.MustCompile(`\s*(?:,|<=|>=|===?|!==?|:=|=|<|>|-|&&|\|\||\band\b|\bor\b)\s*`)
	operandEnd = regexp.MustCompile(`[A-Za-z_$][\w$.]*(?:\([\w$., ]*\)|\[[\w$.]*\])?$`)
)

// regionText is the whole new text of the candidate's region.
func regionText(c candidate) string {
	grown := len(c.content) - len(c.original)
	return strings.TrimRight(string(c.content[c.region.StartByte:c.region.EndByte+grown]), "\n")
}
