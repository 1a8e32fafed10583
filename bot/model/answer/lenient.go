package answer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// reader reads one JSON object or list out of a text. It writes what stands there
// as JSON, forgiving what loses and invents nothing, and lets encoding/json decide
// whether that is JSON. Its time is linear in the text, and its depth bounded.
type reader struct {
	text    string
	at      int // in bytes; afterwards behind the value, or where reading failed
	repairs []string
}

func (p *reader) fix(what string) {
	if !slices.Contains(p.repairs, what) {
		p.repairs = append(p.repairs, what)
	}
}

func (p *reader) fail(what string) *Malformed {
	if p.at >= len(p.text) {
		return malformed(Truncated, "the JSON ends too early: %s", what)
	}
	return malformed(InvalidJSON, "the JSON cannot be read: %s, near %q", what, oneLine(p.text[max(0, p.at-20):min(len(p.text), p.at+20)]))
}

var (
	blank   = lazyregexp.New("^(?:[ \t\r\n\u00a0\u200b\u2060\ufeff\u2028\u2029\u3000]+)")
	remark  = lazyregexp.New(`^(?://|#)[^\n]*|^/\*(?s:.*?)\*/`)
	literal = lazyregexp.New(`^[\w$+.-]+`)
	name    = lazyregexp.New(`^[A-Za-z_$][\w$-]*$`)
)

// space skips white space and comments.
func (p *reader) space() {
	for p.at < len(p.text) {
		rest := p.text[p.at:]
		n := len(blank.FindString(rest))
		if n == 0 && (rest[0] == '/' || rest[0] == '#') {
			if n = len(remark.FindString(rest)); n > 0 {
				p.fix("comments were left out")
			}
		}
		if n == 0 {
			return
		}
		p.at += n
	}
}

// value reads the value that begins at p.at.
func (p *reader) value() (any, *Malformed) {
	var out strings.Builder
	var open []byte                         // the brackets that have to close
	var keys []map[string]bool              // of the objects among them
	comma, valued, last := false, false, "" // last is the token before
	put := func(text string) bool {
		if valued {
			return false
		}
		if comma {
			out.WriteByte(',')
		}
		comma, valued = false, true
		out.WriteString(text)
		return true
	}
	for {
		p.space()
		if p.at >= len(p.text) {
			return nil, p.fail("a bracket is missing")
		}
		rest := p.text[p.at:]
		switch c := rest[0]; c {
		case '{', '[':
			if len(open) >= maxDepth || !put(rest[:1]) {
				return nil, p.fail("a comma is missing, or it is nested too deeply")
			}
			open, keys, valued = append(open, c+2), append(keys, map[string]bool{}), false
			p.at++
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil, p.fail("its brackets do not match")
			}
			if comma {
				p.fix("a comma before a bracket was left out")
			}
			comma, open, keys, valued = false, open[:len(open)-1], keys[:len(keys)-1], true
			out.WriteByte(c)
			p.at++
			if len(open) == 0 {
				return p.decoded(out.String())
			}
		case ',':
			if comma {
				return nil, p.fail("a value is missing")
			}
			comma, valued = true, false
			p.at++
		case ':':
			if len(keys) == 0 || keys[len(keys)-1][last] {
				return nil, p.fail("the key " + last + " stands there twice")
			}
			keys[len(keys)-1][last], valued = true, false
			out.WriteByte(c)
			p.at++
		default:
			token, bad := p.token(rest)
			if last = token; bad == nil && !put(token) {
				bad = p.fail("a comma is missing, or a quotation mark inside a string")
			}
			if bad != nil {
				return nil, bad
			}
		}
	}
}

// quotes are the marks that open a string, with those that close it.
var quotes = [][3]string{{`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”", "“"}, {"„", "“", "”"}, {"”", "”"}, {"«", "»"}, {"‘", "’"}}

// token reads a string, a number or a word, and gives it as JSON.
func (p *reader) token(rest string) (string, *Malformed) {
	for _, q := range quotes {
		if strings.HasPrefix(rest, q[0]) {
			return p.quoted(q)
		}
	}
	w := literal.FindString(rest)
	p.at += len(w)
	switch {
	case w != "" && json.Valid([]byte(w)):
		return w, nil
	case w == "True", w == "False", w == "None":
		p.fix("Python's words were written in JSON's form")
		return map[string]string{"True": "true", "False": "false", "None": "null"}[w], nil
	case w != "" && json.Valid([]byte("0"+w)): // such as .5
		return "0" + w, nil
	case w == "NaN", w == "Infinity", w == "undefined", !name.MatchString(w):
		return "", p.fail("a value is expected")
	}
	p.fix("quotes were added")
	return `"` + w + `"`, nil
}

func (p *reader) quoted(q [3]string) (string, *Malformed) {
	if q[0] != `"` {
		p.fix("other quotes were written in JSON's form")
	}
	var b strings.Builder
	b.WriteByte('"')
	for p.at += len(q[0]); p.at < len(p.text); p.at++ {
		rest := p.text[p.at:]
		for _, end := range q[1:] {
			if end != "" && strings.HasPrefix(rest, end) {
				p.at += len(end)
				return b.String() + `"`, nil
			}
		}
		switch c := rest[0]; {
		case c == '\\' && len(rest) > 1 && rest[1] == '\'':
			b.WriteByte('\'')
			p.at++
		case c == '\\' && len(rest) > 1 && strings.IndexByte(`"\/bfnrtu`, rest[1]) >= 0:
			b.WriteString(rest[:2])
			p.at++
		case c == '\\':
			p.fix("a backslash that JSON does not know was kept")
			b.WriteString(`\\`)
		case c == '"':
			b.WriteString(`\"`)
		case c < ' ':
			p.fix("line breaks inside a string were kept")
			data, _ := json.Marshal(string(rune(c)))
			b.Write(data[1 : len(data)-1])
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail("a string is not closed")
}

// decoded decodes JSON of which the brackets match.
func (p *reader) decoded(text string) (v any, _ *Malformed) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, malformed(InvalidJSON, "the JSON cannot be read: %s", oneLine(err.Error()))
	}
	return v, nil
}
