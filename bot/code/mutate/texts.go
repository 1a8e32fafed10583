package mutate

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// textEdge adds or takes a character at the ends of a text and around its
// separators: a blank, a line end, a sign that is doubled.
func textEdge(s *scene, n code.Node) {
	if !plainString(n) || n.Up() == "expression_statement" || n.Up() == "import_spec" || n.Field() == "source" || n.Field() == "key" || len(n.Text()) > 60 {
		return
	}
	body, from := n.Text()[1:len(n.Text())-1], n.Start()+1
	if body == "" {
		return
	}
	put := func(i, j int, repl string, w float64) {
		s.put(from+i, from+j, repl, w, "Use the text %s.", one(body[:i]+repl+body[j:]))
	}
	end := len(body)
	last := body[end-1]
	sign := !code.NameByte(last) || last == '_'
	if end == 1 && sign && last != '\\' {
		put(end, end, body, 2)
	}
	switch {
	case last == ' ':
		put(end-1, end, "", 1)
	case strings.ContainsRune("=:,;-|", rune(last)):
		put(end, end, " ", 2)
	default:
		put(end, end, " ", 0.6)
	}
	if body[0] == ' ' {
		put(0, 1, "", 1)
	} else {
		put(0, 0, " ", 0.6)
	}
	switch {
	case strings.HasSuffix(body, `\n`):
		put(end-2, end, "", 1)
	case !sign || end > 1:
		put(end, end, `\n`, 0.5)
	}
	if sign && end > 1 && end <= 4 && last != ' ' {
		put(end-1, end, "", 0.7)
	}
}

// patternAtom changes how often a single part of a pattern may come, and ties
// alternatives to the ends.
func patternAtom(s *scene, n code.Node) {
	text, from, to, ok := patternText(n)
	if !ok {
		return
	}
	put := func(i, j int, repl string, w float64) {
		s.put(n.Start()+i, n.Start()+j, repl, w, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	end := func(i int, w float64) { // an alternative ends here
		if i > from && text[i-1] != '$' {
			put(i, i, "$", w)
		} else if i > from {
			put(i-1, i, "", w)
		}
	}
	begin := func(i int, w float64) {
		if text[i] != '^' {
			put(i, i, "^", w)
		} else {
			put(i, i+1, "", w)
		}
	}
	depth := 0
	begin(from, 1)
	end(to, 1)
	for i := from; i < to; {
		size := atomSize(text[i:to])
		next := byte(0)
		if i+size < to {
			next = text[i+size]
		}
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == '|' && depth == 0:
			end(i, 0.8)
			begin(i+1, 0.8)
		case strings.IndexByte("^$|", c) >= 0:
		case c == '?' || c == '+' || c == '*':
			put(i, i+1, "", 0.5)
		default:
			if c == ')' {
				depth--
			}
			w := 0.3
			if c == '[' || c == '.' || c == ')' || c == '\\' && strings.IndexByte("dwsDWS", text[i+1]) >= 0 {
				w = 1
			}
			if next == 0 || strings.IndexByte("+*?{", next) < 0 {
				for k, q := range []string{"+", "*", "?"} {
					put(i+size, i+size, q, w*[]float64{1, 0.7, 0.7}[k])
				}
			}
		}
		i += size
	}
}

// patternText is the text of a regular expression with the bytes that are the
// pattern.
func patternText(n code.Node) (text string, from, to int, ok bool) {
	text = n.Text()
	if len(text) > 160 || strings.Contains(text, "\n") {
		return "", 0, 0, false
	}
	switch {
	case n.Kind() == "regex_pattern":
		return text, 0, len(text), text != ""
	case n.Kind() == "raw_string_literal" && strings.ContainsAny(text, `\[(^$`), n.Kind() == "string" && (strings.HasPrefix(text, "r'") || strings.HasPrefix(text, `r"`)) && !strings.HasPrefix(text[2:], text[1:2]+text[1:2]):
		from = strings.IndexAny(text, "\"'`") + 1
		to = len(text) - 1
		return text, from, to, from < to && strings.ContainsAny(text, `[(\+*.^$|`)
	}
	return "", 0, 0, false
}

// atomSize is the length of the first part of a pattern: a character, an
// escape or a class.
func atomSize(p string) int {
	switch p[0] {
	case '\\':
		return min(2, len(p))
	case '[':
		for i := 1; i < len(p); i++ {
			if p[i] == '\\' {
				i++
			} else if p[i] == ']' && i > 1 && (i > 2 || p[1] != '^') {
				return i + 1
			}
		}
		return len(p)
	case '(':
		for _, head := range []string{"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i)", "(?m)", "(?s)"} {
			if strings.HasPrefix(p, head) {
				return len(head)
			}
		}
	}
	return 1
}

var placeholder = regexp.MustCompile(`\{([^{}:!]*)(![rsa])?(:[^{}]*)?\}|%(\([a-z_]+\))?[-0# +]*\d*(?:\.\d+)?[sdfrgx]`)

// formatSpec fills to a width, to the other side, with zeros, or with a sign.
func formatSpec(s *scene, n code.Node) {
	if n.Kind() != "string" || strings.Contains(n.Text(), "\n") || n.Up() == "expression_statement" {
		return
	}
	text := n.Text()
	filled := strings.HasPrefix(strings.ToLower(text), "f") || strings.HasPrefix(strings.ToLower(text), "rf")
	if !filled && (n.Field() != "object" || !isFormat(n)) && !strings.Contains(text, "%") {
		return
	}
	for i, m := range placeholder.FindAllStringSubmatchIndex(text, 6) {
		if text[m[0]] == '%' {
			s.percent(text[m[0]:m[1]], n.Start()+m[0])
			continue
		}
		if filled && m[2] == m[3] || i >= 5 {
			continue
		}
		put := func(from, to int, repl string, w float64) {
			s.put(n.Start()+from, n.Start()+to, repl, w, "Write it as %s.", one(text[m[0]:from]+repl+text[to:m[1]]))
		}
		if m[6] < 0 {
			for _, spec := range []choice{{":02d", 1}, {":02", 0.6}, {":.2f", 1}, {":.1f", 0.4}, {":,", 0.3}, {"!r", 0.3}, {":03d", 0.2}, {":g", 0.2}} {
				put(m[1]-1, m[1]-1, spec.text, spec.weight)
			}
			continue
		}
		s.spec(text, m[6], m[7], put)
	}
}

// isFormat tells the object of .format(…).
func isFormat(n code.Node) bool {
	_, m, ok := member(parentOf(n))
	return ok && m.Text() == "format"
}

// spec changes a format that is there: the side, the fill, the kind.
func (s *scene) spec(text string, from, to int, put func(int, int, string, float64)) {
	spec := text[from:to]
	for i := range len(spec) {
		switch c := spec[i]; c {
		case '<', '>', '^':
			for _, other := range []string{"<", ">", "^"} {
				if other != string(c) {
					put(from+i, from+i+1, other, 1)
				}
			}
		case '0':
			if i == 1 {
				put(from+i, from+i+1, "", 0.5)
			}
		case 'd', 'f', 'g', 'e':
			if i == len(spec)-1 {
				other := map[byte]string{'d': ".0f", 'f': "g", 'g': "f", 'e': "g"}[c]
				put(from+i, from+i+1, other, 0.4)
			}
		}
	}
	if len(spec) > 1 && spec[1] >= '1' && spec[1] <= '9' {
		put(from+1, from+1, "0", 1)
		put(from+1, from+1, ">", 0.6)
		put(from+1, from+1, "<", 0.4)
	}
	put(from, to, "", 0.3)
}

// placeholders are what stands in the place of the commonest ones.
var placeholders = map[string][]choice{
	"%d": {{"%02d", 1}, {"%s", 0.4}}, "%s": {{"%r", 0.4}, {"%d", 0.4}, {"%.2f", 0.5}}, "%r": {{"%s", 1}}, "%02d": {{"%d", 0.7}, {"%03d", 0.3}},
}

// percent changes a placeholder of the old kind.
func (s *scene) percent(was string, at int) {
	put := func(repl string, w float64) {
		s.put(at, at+len(was), repl, w, "Write it as %s instead of %s.", one(repl), one(was))
	}
	for _, other := range placeholders[was] {
		put(other.text, other.weight)
	}
	if i := strings.IndexAny(was, "123456789"); i == 1 {
		put("%-"+was[1:], 1)
		put("%0"+was[1:], 0.7)
	}
	if strings.HasPrefix(was, "%-") {
		put("%"+was[2:], 1)
	}
}
