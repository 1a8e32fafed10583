package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts splits an identifier at underscores, digits and changes of case, in lower
// case.
func Parts(w string) []string {
	var out []string
	eachPart(w, func(p string) { out = append(out, strings.ToLower(p)) })
	return out
}

type runeClass byte

const (
	other runeClass = iota
	upper
	lower
	digit
	letter // without case
)

// ascii are the classes of the commonest signs.
var ascii = func() (out [utf8.RuneSelf]runeClass) {
	for r := range out {
		switch {
		case r >= 'a' && r <= 'z':
			out[r] = lower
		case r >= 'A' && r <= 'Z':
			out[r] = upper
		case r >= '0' && r <= '9':
			out[r] = digit
		}
	}
	return out
}()

func signOf(r rune) runeClass {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case unicode.IsLower(r):
		return lower
	case unicode.IsUpper(r):
		return upper
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r), unicode.Is(unicode.Mn, r):
		return letter
	}
	return other
}

// eachPart gives the parts of an identifier as written: HTTPServer2 is HTTP,
// Server, 2.
func eachPart(w string, take func(string)) {
	start, last := -1, other
	for i, r := range w {
		c := signOf(r)
		switch {
		case start < 0:
		case c == last:
		case last == upper && c == lower:
			_, size := utf8.DecodeLastRuneInString(w[start:i])
			if at := i - size; at > start { // the last capital begins the next word
				take(w[start:at])
				start = at
			}
		default:
			take(w[start:i])
			start = -1
		}
		if start < 0 && c != other {
			start = i
		}
		last = c
	}
	if start >= 0 {
		take(w[start:])
	}
}

// endings are the commonest of English words, and what stands in their place.
var endings = []struct{ from, to string }{
	{"ies", "y"}, {"sses", "ss"}, {"ation", ""}, {"ating", ""}, {"ated", ""}, {"ates", ""}, {"ate", ""}, {"ions", ""}, {"ion", ""},
	{"ings", ""}, {"ing", ""}, {"ally", "al"}, {"ed", ""}, {"es", ""}, {"s", ""}, {"e", ""},
}

// Stem cuts the commonest endings of English words.
func Stem(w string) string {
	for _, end := range endings {
		if rest, ok := strings.CutSuffix(w, end.from); ok && len(rest) >= 3 {
			w = rest + end.to
			break
		}
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' { // stopp(ed)
		w = w[:n-1]
	}
	return w
}

// Bounds of a term of the index, in bytes.
const (
	shortestTerm = 2
	longestTerm  = 40
)

// termsOf gives the terms of an identifier: the stems of its parts, and, of more
// than one, itself without underscores.
func termsOf(w string, take func(term string)) {
	n := 0
	eachPart(w, func(p string) {
		n++
		if len(p) < shortestTerm || len(p) > longestTerm || p[0] >= '0' && p[0] <= '9' && len(p) > 5 {
			return
		}
		take(Stem(strings.ToLower(p)))
	})
	if n < 2 || len(w) > longestTerm {
		return
	}
	take(strings.ToLower(joined.Replace(w)))
}

var joined = strings.NewReplacer("_", "", "$", "")

// eachWord gives the identifiers and words of a text with the offset of each.
func eachWord(text string, take func(word string, at int)) {
	start := -1
	for i, r := range text {
		inside := r == '_' || r == '$' || signOf(r) != other
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			take(text[start:i], start)
			start = -1
		}
	}
	if start >= 0 {
		take(text[start:], start)
	}
}

// indexer turns texts into terms; the terms of a word are found once.
type indexer struct {
	known map[string]string
	out   strings.Builder
}

const mostKnown = 100_000

// terms are those of a text, with blanks between them.
func (x *indexer) terms(texts ...string) string {
	x.out.Reset()
	if x.known == nil || len(x.known) > mostKnown {
		x.known = map[string]string{}
	}
	for _, text := range texts {
		eachWord(text, func(w string, _ int) {
			terms, ok := x.known[w]
			if !ok {
				termsOf(w, func(t string) { terms += t + " " })
				x.known[strings.Clone(w)] = terms
			}
			x.out.WriteString(terms)
		})
	}
	return x.out.String()
}

// telling tells whether a word of prose can point at a place.
func telling(stem string) bool { return len(stem) >= 3 && !empty[stem] }

// empty are stems of words that any issue may hold.
var empty = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a an and any are as at be been but by can could did do does for from get gets given got had has have he her his how i if in into is it its just like make makes
	me my no not now of off on one only or other our out over own same she should so some such than that the their them then there these they this those to too under up us use used uses using
	very was we were what when where which while who why will with without would yes you your
	test tests actual example examples
	error errors bug issue problem wrong wrongly right correct correctly incorrect incorrectly fail fails failed failing failure break breaks broken work works working
	also see please thanks hello version instead must need needs want wants fix fixes fixed fixing
	properly behave behaves behaviour behavior thing things way ways because however don doesn didn isn aren won seems seem seeing actually currently
	think know expected currently being after before about all through`) {
		out[w], out[Stem(w)] = true, true
	}
	return out
}()
