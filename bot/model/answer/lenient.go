package answer

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// reader reads one JSON value out of a text, and forgives what can be
// forgiven without losing or inventing anything. It notes each repair. Its
// time is linear in the text, and its depth bounded.
type reader struct {
	text    string
	at      int // in bytes; after an error, where it was noticed
	repairs []string
}

func (p *reader) fix(what string) {
	for _, known := range p.repairs {
		if known == what {
			return
		}
	}
	p.repairs = append(p.repairs, what)
}

func (p *reader) fail(what string) *Malformed {
	if p.at >= len(p.text) {
		return malformed(Truncated, "the JSON ends too early: %s", what)
	}
	from := max(0, p.at-20)
	return malformed(InvalidJSON, "the JSON cannot be read: %s, near %q", what, oneLine(p.text[from:min(len(p.text), p.at+20)]))
}

// space skips white space and comments, and tells whether a line ended.
func (p *reader) space() (line bool) {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case rest[0] == '\n':
			line = true
			p.at++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			p.at++
		case blank.MatchString(rest):
			p.at += len(blank.FindString(rest))
		case strings.HasPrefix(rest, "//") || rest[0] == '#':
			p.fix("comments were left out")
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return line
			}
			p.fix("comments were left out")
			p.at += end + 2
		default:
			return line
		}
	}
	return line
}

// blank is white space that JSON does not know, and what has no width.
var blank = lazyregexp.New("^[\u00a0\u200b\u2060\ufeff\u2028\u2029\u3000]")

// lookAhead is how far behind a quotation mark is looked, in bytes.
const lookAhead = 256

var (
	number = lazyregexp.New(`^[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?`)
	word   = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$-]*`)
)

// value reads a value; afterwards p.at is behind it.
func (p *reader) value(depth int) (any, *Malformed) {
	p.space()
	if depth > maxDepth {
		return nil, p.fail("it is nested too deeply")
	}
	if p.at >= len(p.text) {
		return nil, p.fail("a value is missing")
	}
	rest := p.text[p.at:]
	switch rest[0] {
	case '{':
		return p.object(depth)
	case '[':
		return p.list(depth)
	}
	if open, end := quote(rest); open != "" {
		return p.quoted(open, end, false)
	}
	if n := number.FindString(rest); n != "" {
		p.at += len(n)
		fixed := strings.TrimPrefix(n, "+")
		if strings.HasPrefix(fixed, ".") {
			fixed = "0" + fixed
		}
		fixed = strings.Replace(fixed, "-.", "-0.", 1)
		if fixed != n {
			p.fix("a number was written in JSON's form")
		}
		if !json.Valid([]byte(fixed)) { // such as 007
			return nil, p.fail("it is not a number of JSON")
		}
		return json.Number(fixed), nil
	}
	return p.bare(rest)
}

// bare reads a word without quotes.
func (p *reader) bare(rest string) (any, *Malformed) {
	w := word.FindString(rest)
	if w == "" {
		return nil, p.fail("a value is expected")
	}
	p.at += len(w)
	switch w {
	case "true", "false":
		return w == "true", nil
	case "null":
		return nil, nil
	case "True", "False", "None":
		p.fix("Python's words were written in JSON's form")
		if w == "None" {
			return nil, nil
		}
		return w == "True", nil
	case "NaN", "Infinity", "undefined":
		return nil, p.fail(w + " is no value of JSON")
	}
	save := p.at
	p.space()
	if p.at < len(p.text) && strings.IndexByte(",}]", p.text[p.at]) >= 0 {
		p.at = save
		p.fix("quotes were added")
		return w, nil
	}
	return nil, p.fail("quotes are missing")
}

func (p *reader) object(depth int) (any, *Malformed) {
	p.at++
	out := map[string]any{}
	for first := true; ; first = false {
		p.space()
		if p.at >= len(p.text) {
			return nil, p.fail("a key or a bracket is missing")
		}
		if p.text[p.at] == '}' {
			p.at++
			if !first {
				p.fix("a comma before a bracket was left out")
			}
			return out, nil
		}
		key, bad := p.key()
		if bad != nil {
			return nil, bad
		}
		v, bad := p.value(depth + 1)
		if bad != nil {
			return nil, bad
		}
		if old, twice := out[key]; twice && !equal(old, v) {
			return nil, p.fail("the key " + strconv.Quote(oneLine(key)) + " stands there twice with different values")
		}
		out[key] = v
		switch more, bad := p.more('}'); {
		case bad != nil:
			return nil, bad
		case !more:
			return out, nil
		}
	}
}

func (p *reader) list(depth int) (any, *Malformed) {
	p.at++
	out := []any{}
	for first := true; ; first = false {
		p.space()
		if p.at >= len(p.text) {
			return nil, p.fail("a value or a bracket is missing")
		}
		if p.text[p.at] == ']' {
			p.at++
			if !first {
				p.fix("a comma before a bracket was left out")
			}
			return out, nil
		}
		v, bad := p.value(depth + 1)
		if bad != nil {
			return nil, bad
		}
		out = append(out, v)
		switch more, bad := p.more(']'); {
		case bad != nil:
			return nil, bad
		case !more:
			return out, nil
		}
	}
}

// more reads what follows a member: a comma, or the closing bracket.
func (p *reader) more(closing byte) (bool, *Malformed) {
	line := p.space()
	if p.at >= len(p.text) { // what is missing behind it may be more than a bracket
		return false, p.fail("a bracket is missing")
	}
	switch c, size := p.mark(); {
	case c == ',':
		p.at += size
		return true, nil
	case c == closing:
		p.at++
		return false, nil
	case line && (c == '"' || c == '\'' || c == '{' || c == '['):
		p.fix("a missing comma was added")
		return true, nil
	}
	return false, p.fail("a comma or a bracket is missing")
}

// key reads a member's name and the colon behind it.
func (p *reader) key() (string, *Malformed) {
	rest := p.text[p.at:]
	var name string
	if open, end := quote(rest); open != "" && open != `"""` {
		v, bad := p.quoted(open, end, true)
		if bad != nil {
			return "", bad
		}
		name = v
	} else {
		if name = word.FindString(rest); name == "" {
			return "", p.fail("a key is expected")
		}
		p.at += len(name)
		p.fix("quotes were added")
	}
	p.space()
	if p.at >= len(p.text) {
		return "", p.fail("a colon is missing")
	}
	c, size := p.mark()
	if c != ':' {
		return "", p.fail("a colon is missing")
	}
	p.at += size
	return name, nil
}

// quote tells how a string begins and ends.
func quote(s string) (open, end string) {
	for _, q := range quotes {
		if strings.HasPrefix(s, q[0]) {
			return q[0], q[1]
		}
	}
	return "", ""
}

// quotes are the marks that open a string, with those that close it.
var quotes = [][2]string{{`"""`, `"""`}, {`"`, `"`}, {`'`, `'`}, {"“", "”"}, {"`", "`"}, {"„", "“"}, {"”", "”"}, {"«", "»"}, {"‘", "’"}, {"＂", "＂"}}

// closes are other marks that close a string, by the mark that opened it.
var closes = map[string]string{"„": "”", "“": "“"}

// wide are marks of JSON in the width of East Asian letters.
var wide = map[string]string{"：": ":", "，": ","}

// mark gives the mark of JSON at p.at, and how many bytes it takes.
func (p *reader) mark() (byte, int) {
	for w, m := range wide {
		if strings.HasPrefix(p.text[p.at:], w) {
			p.fix("wide marks were written in JSON's form")
			return m[0], len(w)
		}
	}
	return p.text[p.at], 1
}

// quoted reads a string.
func (p *reader) quoted(open, end string, isKey bool) (string, *Malformed) {
	if open == `"""` && !strings.Contains(p.text[p.at+3:], `"""`) {
		open, end = `"`, `"` // an empty string and something behind it
	}
	if open != `"` {
		p.fix("other quotes were written in JSON's form")
	}
	p.at += len(open)
	var b strings.Builder
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		switch {
		case rest[0] == '\\':
			if !p.escape(&b) {
				return "", p.fail("a string is not closed")
			}
		case strings.HasPrefix(rest, end) || closes[open] != "" && strings.HasPrefix(rest, closes[open]):
			end := end
			if !strings.HasPrefix(rest, end) {
				end = closes[open]
			}
			// A key holds no mark of its own.
			if isKey || p.ends(len(end)) || end == `"""` {
				p.at += len(end)
				return b.String(), nil
			}
			p.fix("a quotation mark inside a string was kept")
			b.WriteString(end)
			p.at += len(end)
		default:
			if rest[0] == '\n' {
				p.fix("line breaks inside a string were kept")
			}
			_, size := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:size])
			p.at += size
		}
	}
	return "", p.fail("a string is not closed")
}

// ends tells whether the quotation mark at p.at closes its string, a value: in
// JSON nothing but a comma, a bracket or the end can follow.
func (p *reader) ends(size int) bool {
	// Bounded, so that a text full of quotation marks stays linear.
	look := reader{text: p.text[:min(len(p.text), p.at+size+lookAhead)], at: p.at + size}
	line := look.space()
	if look.at >= len(look.text) {
		return true
	}
	c, _ := look.mark()
	return c == ',' || c == '}' || c == ']' || line && (c == '"' || c == '\'')
}

// escape reads an escape. What JSON does not know is kept with its backslash.
func (p *reader) escape(b *strings.Builder) bool {
	if p.at+1 >= len(p.text) {
		p.at = len(p.text)
		return false
	}
	c := p.text[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		p.at += 2
		return true
	}
	if c == '\'' {
		p.fix("an escape was written in JSON's form")
		b.WriteByte(c)
		p.at += 2
		return true
	}
	if r, size := unicodeEscape(p.text[p.at:]); size > 0 {
		b.WriteRune(r)
		p.at += size
		return true
	}
	if halfPair.MatchString(p.text[p.at:min(len(p.text), p.at+6)]) {
		p.fix("half a character was marked as broken")
		b.WriteRune(utf8.RuneError)
		p.at += 6
		return true
	}
	p.fix("a backslash that JSON does not know was kept")
	b.WriteByte('\\')
	p.at++
	return true
}

// halfPair is the escape of a character's half without its other half.
var halfPair = lazyregexp.New(`^\\u[dD][89a-fA-F][0-9a-fA-F]{2}$`)

// unicodeEscape reads \uXXXX, or two of them that are one character.
func unicodeEscape(s string) (rune, int) {
	hex := func(s string) rune {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(s[2:6], 16, 32)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	r := hex(s)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if both := utf16.DecodeRune(r, hex(s[6:])); both != utf8.RuneError {
		return both, 12
	}
	return 0, 0
}
