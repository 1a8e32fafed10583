package mutate

import (
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
	sign := !wordByte(last) || last == '_'
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

// textBeside uses a text of the project's that has one sign more or less at its
// end: "~>" for "~".
func textBeside(s *scene, n code.Node) {
	if !plainString(n) || len(n.Text()) > 10 || len(n.Text()) < 3 {
		return
	}
	body := unquoted(n.Text())
	if body == "" || wordByte(body[0]) {
		return
	}
	q := n.Text()[:1]
	for _, add := range []string{"=", ">", "<", "|", "&", "+", "-", "*", "~", "."} {
		for _, text := range []string{body + add, add + body} {
			if c := strings.Count(string(s.src), text); c > 0 && !strings.Contains(string(s.src), q+text+q) {
				s.put(n.Start(), n.End(), q+text+q, 1, "Use %s, which the file knows, instead of %s.", one(text), one(body))
			}
		}
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
