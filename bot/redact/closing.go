package redact

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A closing keyword followed by a reference closes an issue when the text is
// merged, be it in the description of a pull request or in the message of a
// commit (GitHub, "Linking a pull request to an issue"). What GitHub takes for
// the two is not described to the letter, so this is wider: anything but
// letters and digits may stand between, a reference may be a link, and the
// text counts as it stands, as its entities and escapes read, and as it reads
// without its markup.
var (
	keyword   = lazyregexp.New(`(?i)close[sd]?|fix(?:e[sd])?|resolve[sd]?`)
	reference = lazyregexp.New(`(?i)^(?:[\w.-]{1,100}/[\w.-]{1,100}#[0-9]|gh-[0-9]|` + issueURL + `)`)
	issueLink = lazyregexp.New(`(?i)^\[[^\]\n]{0,300}\]\(\s*<?` + issueURL)
)

const issueURL = `(?:[^\s()<>]{0,300}/)?(?:issues|pulls?|discussions)/[0-9]`

var (
	entity  = lazyregexp.New(`^&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?`) // browsers read some without the semicolon
	escaped = lazyregexp.New("^\\\\[!-/:-@\\[-`{-~]")
	// What opens a line and is not read: the numbers of a list, the boxes of
	// tasks, what follows a fence.
	opening = lazyregexp.New("^[ \\t>]*(?:[0-9]{1,9}[.)][ \\t]|[-+*][ \\t]+\\[[ xX]\\]|(?:```|~~~).*)")
	emoji   = lazyregexp.New(`^:[a-z0-9_+-]{1,40}:`) // GitHub makes a picture of its name
)

// inertClosing puts "issue" between a closing keyword and a reference.
func inertClosing(text string) string {
	for { // more than once: a word may stand where another reading does not see it
		was := text
		for _, as := range []way{{}, {resolve: true}, {resolve: true, strip: true}, {resolve: true, strip: true, gap: " "}} {
			text = parted(text, read(text, as).closes())
		}
		if text == was {
			return text
		}
	}
}

// parted puts the word in at these places.
func parted(text string, at []int) string {
	if len(at) == 0 {
		return text
	}
	var out strings.Builder
	last := 0
	for _, i := range at {
		out.WriteString(text[last:i])
		last = i
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); !unicode.IsSpace(before) {
			out.WriteByte(' ')
		}
		out.WriteString("issue")
		if after, _ := utf8.DecodeRuneInString(text[i:]); !strings.ContainsRune("*_~`)]}", after) {
			out.WriteByte(' ')
		}
	}
	out.WriteString(text[last:])
	return out.String()
}

// way is how a text is read.
type way struct {
	resolve bool   // entities and escapes are what they stand for
	strip   bool   // markup and what else nobody sees is left out
	gap     string // and this stands in the place of markup
}

// reading is a text as it is read in one way, and where in the text each byte
// of that comes from.
type reading struct {
	text []byte
	from []int
}

func read(text string, as way) reading {
	r := reading{text: make([]byte, 0, len(text)), from: make([]int, 0, len(text)+1)}
	comments := true // some may be closed
	for i := 0; i < len(text); {
		if as.strip {
			if n := markup(text, i, &comments); n > 0 {
				r.add(as.gap, i, as)
				i += n
				continue
			}
		}
		rest := text[i:]
		_, size := utf8.DecodeRuneInString(rest)
		reads := rest[:size]
		switch {
		case as.resolve && text[i] == '&' && entity.MatchString(rest):
			size = len(entity.FindString(rest))
			reads = html.UnescapeString(rest[:size])
		case as.resolve && text[i] == '\\' && escaped.MatchString(rest):
			reads, size = rest[1:2], 2
		}
		r.add(reads, i, as)
		i += size
	}
	r.from = append(r.from, len(text))
	return r
}

// add appends what stands at a place of the text, in the plain form of its
// letters.
func (r *reading) add(reads string, from int, as way) {
	if len(reads) > 1 {
		reads = norm.NFKC.String(strings.Map(func(c rune) rune {
			if as.strip && as.gap == "" && hidden(c) {
				return -1
			}
			return c
		}, reads))
	}
	for i := range len(reads) {
		r.text, r.from = append(r.text, reads[i]), append(r.from, from)
	}
}

// markup is the length of what begins at i and is not seen on a page: markers
// of items, tasks and fences, tags and comments, where links lead, emphasis.
func markup(text string, i int, comments *bool) int {
	rest := text[i:]
	if i == 0 || text[i-1] == '\n' {
		if n := len(opening.FindString(rest)); n > 0 {
			return n
		}
	}
	switch rest[0] {
	case '<':
		if *comments && strings.HasPrefix(rest, "<!--") {
			if n := strings.Index(rest[4:], "-->"); n >= 0 {
				return 4 + n + 3
			}
			*comments = false
		}
		if n := strings.IndexAny(rest[1:], "<>"); n >= 0 && rest[1+n] == '>' {
			return n + 2
		}
	case ']':
		if strings.HasPrefix(rest, "](") {
			if n := strings.IndexAny(rest[2:], "()\n"); n >= 0 && rest[2+n] == ')' {
				return n + 3
			}
		}
		return 1
	case '[', '*', '_', '~', '`':
		return 1
	case ':':
		return len(emoji.FindString(rest))
	}
	return 0
}

// closes gives the places of the text at which a word has to stand, so that in
// this reading no keyword is followed by a reference.
func (r reading) closes() []int {
	var at []int
	for _, m := range keyword.FindAllIndex(r.text, -1) {
		before, _ := utf8.DecodeLastRune(r.text[:m[0]])
		if end := m[1]; !word(before) && r.refers(end) {
			i := end
			for i < len(r.text) && (r.text[i] == ':' || r.text[i] <= ' ' || r.from[i] == r.from[end-1]) {
				i++
			}
			at = append(at, r.from[i])
		}
	}
	return at
}

// refers tells whether the next thing from here on is a reference.
func (r reading) refers(from int) bool {
	for i := from; i < len(r.text); {
		c, size := utf8.DecodeRune(r.text[i:])
		if word(c) {
			return i > from && reference.Match(r.text[i:])
		}
		i += size
		if c == '#' && i < len(r.text) && r.text[i] >= '0' && r.text[i] <= '9' || c == '[' && issueLink.Match(r.text[i-1:]) {
			return true
		}
	}
	return false
}

func word(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }
