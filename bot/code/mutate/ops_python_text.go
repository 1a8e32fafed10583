package mutate

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

// percent changes a placeholder of the old kind.
func (s *scene) percent(was string, at int) {
	put := func(repl string, w float64) {
		s.put(at, at+len(was), repl, w, "Write it as %s instead of %s.", one(repl), one(was))
	}
	switch was {
	case "%d":
		put("%02d", 1)
		put("%s", 0.4)
	case "%s":
		put("%r", 0.4)
		put("%d", 0.4)
		put("%.2f", 0.5)
	case "%r":
		put("%s", 1)
	case "%02d":
		put("%d", 0.7)
		put("%03d", 0.3)
	}
	if i := strings.IndexAny(was, "123456789"); i == 1 {
		put("%-"+was[1:], 1)
		put("%0"+was[1:], 0.7)
	}
	if strings.HasPrefix(was, "%-") {
		put("%"+was[2:], 1)
	}
}

// patternPart changes a part of a pattern: takes text as it is, whole words only,
// one more kind of character, as little as possible, what is escaped.
func patternPart(s *scene, n code.Node) {
	if fn, args, _, ok := call(n); ok {
		s.matchCall(fn, args)
		return
	}
	if n.Kind() != "string" || !patternPlace(n) || strings.Contains(n.Text(), "\n") || len(n.Text()) > 160 {
		return
	}
	text := n.Text()
	from, to := strings.IndexAny(text, "\"'")+1, len(text)-1
	if from > to || from < 1 {
		return
	}
	put := func(i, j int, repl string, w float64) {
		s.put(n.Start()+i, n.Start()+j, repl, w, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	body := text[from:to]
	if !strings.Contains(body, `\b`) {
		put(from, to, `\b`+body+`\b`, 0.6)
		put(to, to, `\b`, 0.4)
		put(from, from, `\b`, 0.4)
	}
	if strings.Contains(body, "|") && !strings.HasPrefix(body, "(") {
		head, tail := strings.HasPrefix(body, "^"), strings.HasSuffix(body, "$")
		plain := strings.TrimSuffix(strings.TrimPrefix(body, "^"), "$")
		if head || tail {
			put(from, to, map[bool]string{true: "^"}[head]+"(?:"+plain+")"+map[bool]string{true: "$"}[tail], 2)
		}
	}
	s.quantifiers(text, from, to, put)
	for i := from; i < to; i++ {
		if text[i] == '{' && strings.HasPrefix(text, "rf") || text[i] != '[' || text[i-1] == '\\' {
			continue
		}
		j := i + 1 + strings.IndexByte(text[i+1:to], ']')
		if j <= i+1 {
			continue
		}
		class := text[i+1 : j]
		for _, c := range []choice{{`\-`, 0.7}, {"_", 0.7}, {".", 0.7}, {`\s`, 0.4}, {"'", 0.4}, {`\\`, 0.4}} {
			if !strings.Contains(class, strings.TrimPrefix(c.text, `\`)) && !strings.HasSuffix(text, c.text) {
				put(j, j, c.text, c.weight)
			}
		}
		if after := text[j+1 : to]; strings.HasPrefix(class, "^") && len(class) <= 2 && (strings.HasPrefix(after, "*") || strings.HasPrefix(after, "+")) {
			put(i, j+1, `(?:\\.|[`+class+`\\])`, 2) // an escaped end does not end it
		}
		i = j
	}
}

// quantifiers lets a part of a pattern be absent, or come more often.
func (s *scene) quantifiers(text string, from, to int, put func(int, int, string, float64)) {
	for i := from; i < to; i++ {
		next := byte(0)
		if i+1 < to {
			next = text[i+1]
		}
		escaped := i > from && text[i-1] == '\\'
		switch c := text[i]; {
		case c == ')' && !escaped && next != '?' && next != '*' && next != '+' && next != '{':
			put(i+1, i+1, "?", 0.6)
			put(i+1, i+1, "*", 0.3)
		case escaped && strings.IndexByte("dws", c) >= 0 && next == '+':
			put(i+1, i+2, "*", 0.3)
		case escaped && strings.IndexByte("dws", c) >= 0 && next != '*' && next != '?' && next != '{':
			put(i+1, i+1, "*", 0.5)
			put(i+1, i+1, "?", 0.4)
		case c == '-' && !escaped && next != '?' && i > from && text[i-1] != '[' && text[i-1] != '(' && !inClass(text[from:i]):
			put(i+1, i+1, "?", 0.4)
		case c == ' ' && next != '?' && next != '*' && next != '+' && !inClass(text[from:i]):
			put(i, i+1, `\s+`, 0.6)
			put(i, i+1, `\s*`, 0.6)
		case c == '}' && !escaped && i > from+2 && text[i-1] >= '0' && text[i-1] <= '9':
			put(i, i, ",", 0.7)
			if text[i-2] == '{' && text[i-1] > '1' {
				put(i-1, i, "1,"+text[i-1:i], 1)
			}
		}
	}
}

// inClass tells whether the end of a text lies in a class of characters.
func inClass(head string) bool {
	return strings.LastIndexByte(head, '[') > strings.LastIndexByte(head, ']')
}

// matchCall takes what is put into a pattern as plain text, and another group of
// the match.
func (s *scene) matchCall(fn code.Node, args []code.Node) {
	o, m, ok := member(fn)
	if !ok || len(args) == 0 {
		return
	}
	if o.Text() == "re" && m.Text() != "escape" {
		args[0].Walk(func(c code.Node) bool {
			if c.Kind() == "identifier" || c.Kind() == "attribute" {
				up := c.Up()
				if (up == "interpolation" || up == "binary_operator" || up == "argument_list") && short(c) {
					s.put(c.Start(), c.End(), "re.escape("+c.Text()+")", 3, "Take %s as plain text.", one(c.Text()))
				}
				return false
			}
			return c.Kind() != "call"
		})
		if m.Text() == "sub" && len(args) == 3 {
			s.put(args[2].End(), args[2].End(), ", count=1", 0.5, "Replace the first one only.")
		}
	}
}
