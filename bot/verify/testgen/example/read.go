package example

import (
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

var (
	fenceLine = lazyregexp.New("^\\s{0,3}(?:```+|~~~+)\\s*([\\w+-]*)")
	prompt    = lazyregexp.New(`^\s*(?:>>>|In \[\d+\]:)\s?`)
	nodeTop   = lazyregexp.New(`(?m)^(?:Uncaught )?([A-Z]\w*Error)(?: \[\w+\])?(?::.*)?\n(?:.*\n){0,3}?\s+at `)
	goPanic   = lazyregexp.New(`(?m)^panic: (?:runtime error: )?(.*)$`)
	pyLast    = lazyregexp.New(`^((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?::.*)?$`)
	printed   = lazyregexp.New(`^(?:print|console\.log|fmt\.Println|repr|echo)\(`)
	imported  = lazyregexp.New(`^(?:from\s+\S+\s+import\s|import\s|(?:const|let|var)\s+[^=]+=\s*(?:await\s+)?(?:require|import)\()`)
	assigned  = lazyregexp.New(`^(?:(?:const|let|var)\s+)?([A-Za-z_]\w*)\s*(?::=|=)\s*[^=]`)
)

var fenceLanguages = map[string]code.Language{"py": code.Python, "python": code.Python, "python3": code.Python, "pycon": code.Python,
	"js": code.JavaScript, "javascript": code.JavaScript, "mjs": code.JavaScript, "node": code.JavaScript, "ts": code.JavaScript, "typescript": code.JavaScript,
	"go": code.Go, "golang": code.Go}

// Read lists the examples of an issue that say what to expect, in the order of
// the text, each call once. It never fails: what it cannot read it leaves out.
func Read(title, body string) []Example {
	var out []Example
	for _, e := range read(title + "\n\n" + body) {
		if e.complete() && len(out) < maxExamples {
			out = append(out, e)
		}
	}
	return out
}

// Mentioned lists the calls that an issue shows, also those of which it says too
// little for a test.
func Mentioned(title, body string) []Example {
	all := read(title + "\n\n" + body)
	return all[:min(len(all), maxExamples)]
}

// read lists all that a text says of calls.
func read(text string) []Example {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
	var all []Example
	for _, part := range split(text) {
		var carry *Example
		if len(all) > 0 {
			carry = &all[len(all)-1]
		}
		if !part.fenced {
			all = append(all, prose(part.text, carry)...)
			continue
		}
		if e, ok := trace(part.text, carry); ok {
			if e.Call != "" {
				all = append(all, e)
			}
			continue
		}
		all = append(all, snippet(part.text, fenceLanguages[strings.ToLower(part.info)])...)
	}
	return merge(all)
}

// merge makes one example of those with the same call.
func merge(all []Example) []Example {
	var out []Example
	at := map[string]int{}
	for _, e := range all {
		key := strings.Join(strings.Fields(e.Call), "")
		i, seen := at[key]
		if !seen || len(e.Setup) > 0 && len(out[i].Setup) > 0 {
			at[key] = len(out)
			out = append(out, e)
			continue
		}
		o := &out[i]
		if len(o.Setup) == 0 {
			o.Setup, o.Imports = e.Setup, e.Imports
		}
		if o.Language == "" {
			o.Language = e.Language
		}
		for _, f := range []struct{ to, from *string }{{&o.Got, &e.Got}, {&o.GotError, &e.GotError}, {&o.WantError, &e.WantError}} {
			if *f.from != "" {
				o.set(f.to, *f.from)
			}
		}
		switch {
		case e.Want == "":
		case e.Unsure:
			o.either(e.Want)
		default:
			o.set(&o.Want, e.Want)
		}
		o.clash = o.clash || e.clash
	}
	return out
}

type part struct {
	text, info string
	fenced     bool
}

// split cuts a text at its fences; indented sessions and tracebacks without a
// fence count as one. A fence that holds a mere value stays in the prose.
func split(text string) []part {
	var out []part
	var cur strings.Builder
	info, fenced, bare := "", false, false
	flush := func(asFence bool) {
		s := cur.String()
		cur.Reset()
		trimmed := strings.TrimSpace(s)
		isValue := trimmed != "" && value(trimmed) == len(trimmed)
		if asFence && isValue || !asFence {
			if n := len(out); n > 0 && !out[n-1].fenced {
				out[n-1].text += s
				return
			}
			asFence = false
		}
		if trimmed != "" {
			out = append(out, part{s, info, asFence})
		}
	}
	for line := range strings.Lines(text) {
		m := fenceLine.FindStringSubmatch(line)
		session := prompt.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "Traceback (most recent call last)")
		switch {
		case m != nil && !bare:
			flush(fenced)
			fenced, info = !fenced, m[1]
		case !fenced && !bare && session:
			flush(false)
			bare, info = true, ""
			cur.WriteString(line)
		case bare && strings.TrimSpace(line) == "":
			flush(true)
			bare = false
		default:
			cur.WriteString(line)
		}
	}
	flush(fenced || bare)
	return out
}

// trace reads a traceback: the call of its outermost frame, else the example
// before it raised the exception.
func trace(s string, carry *Example) (Example, bool) {
	e := Example{}
	name := ""
	switch {
	case prompt.MatchString(s):
		return e, false
	case strings.Contains(s, "Traceback (most recent call last)"):
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			if strings.HasSuffix(strings.TrimSpace(line), "in <module>") && i+1 < len(lines) && e.Call == "" {
				if c := sole(lines[i+1]); c != "" {
					e.Call, e.Language = c, code.Python
				}
			}
		}
		name = lastException(lines)
	case nodeTop.MatchString(s):
		name = nodeTop.FindStringSubmatch(s)[1]
	case goPanic.MatchString(s) && strings.Contains(s, "goroutine "):
		name = "panic"
	}
	if name == "" {
		return e, false
	}
	if e.GotError = name; e.Call == "" && carry != nil && carry.Got == "" && !carry.Unsure {
		carry.set(&carry.GotError, name)
	}
	return e, true
}

func lastException(lines []string) string {
	name := ""
	for _, line := range lines {
		if m := pyLast.FindStringSubmatch(strings.TrimRight(line, " ")); m != nil && !strings.HasPrefix(line, " ") && m[1] != "Traceback" {
			name = m[1]
		}
	}
	return name
}

// sole is the call that a line consists of, without what prints it.
func sole(line string) string {
	line = strings.TrimSuffix(strings.TrimSpace(line), ";")
	if p := printed.FindString(line); p != "" && balanced(line[len(p)-1:]) == len(line)-len(p)+1 {
		line = strings.TrimSpace(line[len(p) : len(line)-1])
	}
	if c := calls(line); len(c) == 1 && c[0].start == 0 && c[0].end == len(line) {
		return line
	}
	return ""
}

// snippet reads code: sessions with their output, calls with a comment, asserts.
func snippet(s string, lang code.Language) []Example {
	r := reader{lang: lang}
	if regexp.MustCompile(`(?m)^\s*>>> `).MatchString(s) {
		r.lang, r.session = code.Python, true
	}
	for line := range strings.Lines(s) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	r.close()
	return r.out
}

type reader struct {
	lang    code.Language
	session bool
	setup   []string
	imports []string
	printed []string // output of the last statement of a session
	open    bool     // the last example may still get output
	out     []Example
}

func (r *reader) line(line string) {
	text := strings.TrimSpace(line)
	if r.session {
		p := prompt.FindString(line)
		if p == "" {
			if text != "" {
				r.printed = append(r.printed, strings.TrimRight(line, " "))
			}
			return
		}
		r.close()
		text = strings.TrimSpace(line[len(p):])
	}
	text, comment := r.comment(text)
	switch {
	case text == "" && comment != "" && len(r.out) > 0:
		r.remark(&r.out[len(r.out)-1], comment)
	case text == "":
	case imported.MatchString(text):
		r.imports = append(r.imports, text)
	default:
		r.statement(text, comment)
	}
}

func (r *reader) statement(text, comment string) {
	e := Example{Setup: append([]string(nil), r.setup...), Imports: append([]string(nil), r.imports...), Language: r.lang}
	switch call := sole(text); {
	case asserted(text, &e):
		r.out = append(r.out, e)
	case call != "":
		e.Call = call
		r.remark(&e, comment)
		r.out, r.open = append(r.out, e), true
		r.setup = append(r.setup, call) // it may change what comes after it
	default:
		inner := strings.TrimSuffix(text, ";")
		if p := printed.FindString(inner); p != "" && len(inner) > len(p) && strings.HasSuffix(inner, ")") {
			inner = inner[len(p) : len(inner)-1]
		}
		if m := assigned.FindStringSubmatch(inner); m != nil {
			r.setup = append(r.setup, inner)
			return
		}
		for _, s := range r.setup { // a name that was given a value before
			if m := assigned.FindStringSubmatch(s); m != nil && m[1] == inner {
				e.Call = inner
				r.remark(&e, comment)
				r.out, r.open = append(r.out, e), true
				return
			}
		}
	}
}

// remark reads a comment beside a call.
func (r *reader) remark(e *Example, comment string) {
	if comment == "" {
		return
	}
	text := strings.TrimSpace(comment)
	if n := value(text); n > 0 && after.MatchString(text[n:]) {
		text = "=> " + text
	}
	e.hear(text)
}

// comment cuts a line before its comment.
func (r *reader) comment(line string) (text, comment string) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' || c == '\'':
			n := quoted(line[i:])
			if n == 0 {
				return line, ""
			}
			i += n - 1
		case c == '#' && (r.lang == code.Python || r.lang == "") && (i == 0 || line[i-1] == ' '):
			return strings.TrimSpace(line[:i]), strings.TrimLeft(line[i:], "# ")
		case c == '/' && strings.HasPrefix(line[i:], "//") && r.lang != code.Python && (r.lang != "" || i == 0 || line[i-1] == ' '):
			return strings.TrimSpace(line[:i]), strings.TrimLeft(line[i:], "/ ")
		}
	}
	return line, ""
}

// close gives the output of a session to the call before it.
func (r *reader) close() {
	if len(r.printed) > 0 && r.open && len(r.out) > 0 {
		e := &r.out[len(r.out)-1]
		text := strings.TrimSpace(strings.Join(r.printed, "\n"))
		if strings.HasPrefix(text, "Traceback") {
			if name := lastException(r.printed); name != "" {
				e.set(&e.GotError, name)
			}
		} else {
			n := value(text)
			if n > 0 && after.MatchString(text[n:]) {
				e.set(&e.Got, text[:n])
				e.hear(text[n:])
			} else {
				e.hear(text)
			}
		}
	}
	r.printed, r.open = nil, false
}

var (
	pyAssert = lazyregexp.New(`^assert\s+`)
	jsAssert = lazyregexp.New(`^(?:assert|t)\.(?:strictEqual|equal|deepEqual|deepStrictEqual|is|same)\(|^self\.assertEqual\(`)
	jsExpect = lazyregexp.New(`^expect\(`)
)

// asserted reads `assert f(x) == y` and its kind in other languages.
func asserted(text string, e *Example) bool {
	text = strings.TrimSuffix(text, ";")
	call := func(s string) (string, string) {
		c := calls(s)
		if len(c) == 0 || c[0].start != 0 {
			return "", ""
		}
		return s[:c[0].end], strings.TrimSpace(s[c[0].end:])
	}
	rest, mid, end := "", "", ""
	if p := pyAssert.FindString(text); p != "" {
		e.Call, rest = call(text[len(p):])
		mid = "=="
		if strings.HasPrefix(rest, "is ") {
			mid = "is "
		}
	} else if p := jsAssert.FindString(text); p != "" {
		e.Call, rest = call(text[len(p):])
		mid, end = ",", ")"
	} else if p := jsExpect.FindString(text); p != "" {
		e.Call, rest = call(text[len(p):])
		if m := regexp.MustCompile(`^\)\.to(?:Be|Equal|StrictEqual|Eql)\(`).FindString(rest); m != "" {
			mid, end = m, ")"
		}
	}
	if e.Call == "" || mid == "" || !strings.HasPrefix(rest, mid) {
		return false
	}
	rest = strings.TrimSpace(rest[len(mid):])
	n := value(rest)
	if n == 0 || !strings.HasPrefix(strings.TrimSpace(rest[n:])+",", end) && !strings.HasPrefix(strings.TrimSpace(rest[n:]), ",") {
		return false
	}
	e.Want = rest[:n]
	return true
}
