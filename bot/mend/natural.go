package mend

import (
	"bytes"
	"math"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// merit prefers likely places and operators and small changes, and dislikes
// deletions, which so often only silence a test, and changes that say the same
// thing twice.
func (s *search) merit(c candidate) float64 {
	m := c.score
	if c.deletes() {
		m *= 0.3
	}
	if !s.lacks(Naturalness) && doubled(c.line()) && !doubled(c.lineBefore()) {
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

// orphanShare puts a change back that leaves a name without a use: whoever wrote
// the code meant to use it.
const orphanShare = 0.3

// orphan is an import, a parameter or a variable that only its declaration names
// after the change; "" for none.
func (c candidate) orphan() string {
	removed := string(c.original[c.start:c.end])
	for _, at := range name.FindAllStringIndex(removed, -1) {
		word := removed[at[0]:at[1]]
		if at[0] > 0 && removed[at[0]-1] == '.' || at[0] == 0 && c.start > 0 && c.original[c.start-1] == '.' || wholeWord(c.mutation.Replacement, word) > 0 {
			continue
		}
		if was := c.original[c.region.StartByte:c.region.EndByte]; wholeWord(was, word) > 1 && onlyDeclared([]byte(regionText(c)), word, parameterOf) {
			return word
		}
		if wholeWord(c.original, word) > 1 && onlyDeclared(c.text(), word, imported) {
			return word
		}
	}
	return ""
}

var (
	name        = lazyregexp.New(`[A-Za-z_$][\w$]*`)
	imported    = lazyregexp.New(`^\s*(?:import|from)\b`)
	parameterOf = lazyregexp.New(`^\s*(?:async\s+)?(?:def|func|function)\b|^\s*(?:const |let |var )?[\w$]+ (?::?=) `)
)

// onlyDeclared tells whether a text names a word once, in a line of a kind.
func onlyDeclared(text []byte, word string, kind *lazyregexp.Regexp) bool {
	if wholeWord(text, word) != 1 {
		return false
	}
	for line := range bytes.Lines(text) {
		if wholeWord(line, word) == 1 {
			return kind.Match(line)
		}
	}
	return false
}

// wholeWord counts a name in a text.
func wholeWord[T string | []byte](text T, word string) (n int) {
	for range code.Words(text, word) {
		n++
	}
	return n
}

// forgets tells whether the change empties what an object holds, in a function that
// changes nothing otherwise: that hides what another place puts there.
func (c candidate) forgets() bool {
	before := string(c.original[c.region.StartByte:c.region.EndByte])
	for line := range strings.Lines(c.mutation.Replacement) {
		m := emptied.FindStringSubmatch(line)
		if m != nil && wholeWord(before, m[1]) == 0 && !changesObject.MatchString(before) && !strings.Contains(string(c.original[c.start:c.end]), strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

var (
	emptied       = lazyregexp.New(`^\s*\w+\.(\w+)(?:\.clear\(\)|\.length = 0| = (?:None|null|undefined|nil|\[\]|\{\}|set\(\)|dict\(\)|0|false|False|new (?:Map|Set)\(\)|map\[.*\{\}));?\s*$`)
	changesObject = lazyregexp.New(`\b\w+\.\w[\w.]*(?:\[[^\]]*\])?\s*(?:[-+*/|&]?=[^=]|\+\+|--)|\b\w+\.\w+\.(?:append|add|push|pop|remove|discard|insert|extend|update|delete|set|clear|appendleft|popleft|setdefault|shift|unshift|splice|sort|Store|Delete)\(|\bdel \w+\.`)
)

// skipsLoop tells whether the change turns the condition of a loop round, which
// silences what its body does wrong.
func (c candidate) skipsLoop() bool {
	return loopHead.MatchString(c.line()) && (c.mutation.Operator == "negate_condition" || c.mutation.Operator == "comparison_operator")
}

var loopHead = lazyregexp.New(`^\s*(?:\}\s*)?(?:while|for)\b`)

// line is the text of the changed line, lineBefore what it was.
func (c candidate) line() string {
	from := lineStart(c.original, c.start)
	first := string(c.original[from:c.start]) + c.mutation.Replacement + string(c.original[c.end:lineEnd(c.original, c.end)])
	return lineAt([]byte(first), c.start-from)
}

func (c candidate) lineBefore() string { return lineAt(c.original, c.start) }

func lineAt(src []byte, at int) string {
	at = min(at, len(src))
	return string(src[lineStart(src, at):lineEnd(src, at)])
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(src)
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
var unnatural = lazyregexp.New(`[\w)\]] ?[+-] ?(?:-\d|0(?:[^\w.]|$))`)

var (
	twoSides   = lazyregexp.New(`\s*(?:,|<=|>=|===?|!==?|:=|=|<|>|-|&&|\|\||\band\b|\bor\b)\s*`)
	operandEnd = lazyregexp.New(`[A-Za-z_$][\w$.]*(?:\([\w$., ]*\)|\[[\w$.]*\])?$`)
)

// regionText is the whole new text of the candidate's region.
func regionText(c candidate) string {
	from, to := min(c.region.StartByte, c.start), max(c.region.EndByte, c.end)
	return strings.TrimRight(string(c.original[from:c.start])+c.mutation.Replacement+string(c.original[c.end:to]), "\n")
}
