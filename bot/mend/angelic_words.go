package mend

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// What Python and Node tell of a place comes from a process in which the
// repository's own code runs, and that code can tell what it likes. An expression
// becomes source text, so it is read again here: it has to be one expression of a
// few operators, and every word in it has to be one of the project's or of those
// that the drivers make expressions with. (Go's are made on this side.)

const longestMade = 400 // bytes

// driverWords are the functions and methods of the languages themselves that
// driver/angel.py and driver/angel.js know, and what joins conditions.
var driverWords = wordSet(`and or not in is if else None True False null undefined true false new this self
	strip lstrip rstrip lower upper title capitalize casefold split splitlines isdigit isalpha isspace isupper islower isalnum isidentifier
	int float str abs round len sorted list set tuple keys values items copy sum max min any all date
	removeprefix removesuffix count find join get startswith endswith
	length trim trimEnd trimStart toLowerCase toUpperCase Number at slice Math floor ceil trunc String isNaN isInteger flat filter Boolean
	toReversed Set size getTime Object indexOf lastIndexOf concat includes has startsWith endsWith`)

// actingWords do something, or reach beyond what is in scope, wherever they stand.
var actingWords = wordSet(`lambda await yield async import exec eval compile open function delete void class require globals locals setattr delattr`)

// joiningWords stand before an operand.
var joiningWords = wordSet(`and or not in is if else new`)

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// madeOperator matches the operators that expressions are made with. An assignment,
// an arrow, a comment and whatever ends a statement are none.
var madeOperator = lazyregexp.New(`^(?:===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\*\*|//|\.\.\.|[-+*/%<>|&!.,:()\[\]{}])`)

// vocabulary are the words of the project's files of the suite's kind, tests
// among them: an attribute of what only tests make stands nowhere else.
func (s *search) vocabulary() map[string]bool {
	if s.words != nil {
		return s.words
	}
	s.words = map[string]bool{}
	size := 0
	for _, path := range s.req.Files {
		if languageFamily(path) != s.target.suite.Kind || size > 2*maxProjectBytes {
			continue
		}
		src := s.sources.read(path)
		size += len(src)
		for _, w := range name.FindAll(src, -1) {
			s.words[string(w)] = true
		}
	}
	return s.words
}

// sound keeps the expressions that may stand at a place.
func (s *search) sound(at candidate, ws []wish) []wish {
	known := s.vocabulary()
	dropped := 0
	for i := range ws {
		ws[i].Exprs = slices.DeleteFunc(ws[i].Exprs, func(e wishExpr) bool {
			bad := !soundExpression(at, e.Text, known)
			if bad {
				dropped++
			}
			return bad
		})
	}
	if dropped > 0 {
		s.mender.cfg.Log.WithField("dropped", dropped).Debugf("what was told of line %d of %s is not made of what is in scope there", at.mutation.Line, at.path)
	}
	return slices.DeleteFunc(ws, func(w wish) bool { return len(w.Exprs) == 0 })
}

// soundExpression reads one expression. What stands in the file as a whole, the
// place's own text, its parts and its constants, is taken as it is.
func soundExpression(at candidate, text string, known map[string]bool) bool {
	if text == "" || len(text) > longestMade || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	verbatim := slices.Concat([]string{at.site.Text, `""`, "0", "1"}, at.site.Parts, at.site.Literals)
	slices.SortFunc(verbatim, func(a, b string) int { return len(b) - len(a) })
	var open []byte
	before := false // an operand stands there
	for rest := text; rest != ""; {
		if rest[0] == ' ' {
			rest = rest[1:]
			continue
		}
		if n := asWritten(rest, verbatim); n > 0 {
			rest, before = rest[n:], true
			continue
		}
		if w := name.FindString(rest); w != "" && strings.HasPrefix(rest, w) {
			if actingWords[w] || strings.HasPrefix(w, "__") || !known[w] && !driverWords[w] {
				return false
			}
			rest, before = rest[len(w):], !joiningWords[w]
			continue
		}
		op := madeOperator.FindString(rest)
		rest = rest[len(op):]
		if open = bracketed(open, op); open == nil || op == "" || !fitsIn(open, op, at.path, rest) || op == "/" && !before {
			return false
		}
		before = strings.Contains(")]}", op)
	}
	return len(open) <= 1
}

// asWritten is the length of the longest of some texts that a text begins with, as
// whole words.
func asWritten(rest string, verbatim []string) int {
	for _, v := range verbatim {
		if v != "" && strings.HasPrefix(rest, v) && (len(rest) == len(v) || !wordByte(v[len(v)-1]) || !wordByte(rest[len(v)])) {
			return len(v)
		}
	}
	return 0
}

func wordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// bracketed are the brackets that are open behind an operator, below a first mark;
// nil where one is closed that was not opened.
func bracketed(open []byte, op string) []byte {
	if open == nil {
		open = []byte{'^'}
	}
	switch op {
	case "(", "[", "{":
		return append(open, op[0])
	case ")", "]", "}":
		if pair := map[string]byte{")": '(', "]": '[', "}": '{'}[op]; open[len(open)-1] != pair {
			return nil
		}
		return open[:len(open)-1]
	}
	return open
}

// fitsIn tells whether an operator may stand where it does: a comma and a colon
// only in brackets, slashes and signs so that they begin no comment and change
// nothing.
func fitsIn(open []byte, op, path, rest string) bool {
	script := languageFamily(path) == "javascript"
	next := byte(0)
	if rest != "" {
		next = rest[0]
	}
	switch op {
	case ",":
		return len(open) > 1
	case ":":
		return open[len(open)-1] == '['
	case "//":
		return !script
	case "/":
		return next != '*' && next != '/' && next != '='
	case "+", "-":
		return next != op[0] && next != '='
	}
	return true
}
