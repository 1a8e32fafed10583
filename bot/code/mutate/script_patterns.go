package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func regexFlag(s *scene, n code.Node) {
	if n.Kind() != "regex" {
		return
	}
	flags := ""
	at := n.End()
	if f, ok := n.ChildByField("flags"); ok {
		flags, at = f.Text(), f.Start()
	}
	put := func(to string, w float64, what string) {
		s.put(at, n.End(), to, w, "%s", what)
	}
	for i, f := range []string{"g", "i", "m", "s", "u"} {
		what := []string{"Look for all matches, not for the first one only.", "Match without regard to case.", "Let ^ and $ match at each line.", "Let . match line ends too.", "Match whole characters of Unicode."}[i]
		if !strings.Contains(flags, f) {
			put(flags+f, []float64{1.5, 1, 0.4, 0.3, 0.2}[i], what)
		} else {
			put(strings.Replace(flags, f, "", 1), []float64{1.5, 0.5, 0.5, 0.5, 0.5}[i], "Match without the flag "+f+".")
		}
	}
	if !strings.ContainsAny(flags, "gi") {
		put(flags+"gi", 0.4, "Look for all matches without regard to case.")
	}
}

// regexShape repeats a class, mirrors an anchor, changes a count.
func regexShape(s *scene, n code.Node) {
	if n.Kind() != "regex_pattern" {
		return
	}
	text := n.Text()
	put := func(i, j int, repl string, w float64) {
		s.put(n.Start()+i, n.Start()+j, repl, w, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	if bare, ok := strings.CutPrefix(text, "^"); ok && !strings.Contains(bare, "|") && bare != "" {
		if strings.HasSuffix(bare, "$") {
			put(0, len(text), "^"+strings.TrimSuffix(bare, "$")+"|"+bare, 0.3)
		} else {
			put(len(text), len(text), "|"+bare+"$", 1)
		}
	} else if bare, ok := strings.CutSuffix(text, "$"); ok && !strings.Contains(bare, "|") && bare != "" {
		put(0, 0, "^"+bare+"|", 1)
	}
	class := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i+1 < len(text) && !class && strings.IndexByte("dwsDWS", text[i+1]) >= 0 {
				upper := strings.ToUpper(text[i+1 : i+2])
				if upper == text[i+1:i+2] {
					upper = strings.ToLower(upper)
				}
				put(i+1, i+2, upper, 0.2)
			}
			i++
		case c == '[' && !class:
			class = true
			if i+1 < len(text) && text[i+1] == '^' {
				put(i+1, i+2, "", 0.3)
			} else {
				put(i+1, i+1, "^", 0.3)
			}
		case c == ']' && class:
			class = false
			if i+1 >= len(text) || strings.IndexByte("+*?{", text[i+1]) < 0 {
				put(i+1, i+1, "+", 1)
				put(i+1, i+1, "*", 0.7)
			}
			for _, extra := range []string{"_", "-", ".", " ", "A-Z", "a-z"} {
				put(i, i, extra, 0.2)
			}
		case c == ')' && (i+1 >= len(text) || strings.IndexByte("+*?{", text[i+1]) < 0):
			put(i+1, i+1, "?", 0.5)
			put(i+1, i+1, "+", 0.4)
			put(i+1, i+1, "*", 0.3)
		}
	}
}

// regexEscape lets a quoted part hold its own quotation mark behind a backslash:
// "([^"]*)" becomes "((?:[^"\\]|\\.)*)".
func regexEscape(s *scene, n code.Node) {
	text := n.Text()
	if n.Kind() != "regex_pattern" && (!isString(n) || !strings.Contains(text, "[^")) {
		return
	}
	back := `\`
	if n.Kind() != "regex_pattern" {
		back = `\\`
	}
	for i := 0; i+4 < len(text); i++ {
		if text[i] != '[' || text[i+1] != '^' {
			continue
		}
		end := strings.IndexByte(text[i:], ']')
		if end < 3 || i+end+1 >= len(text) || strings.IndexByte("*+", text[i+end+1]) < 0 {
			continue
		}
		held, count := text[i+2:i+end], text[i+end+1:i+end+2]
		w := 0.3
		if strings.ContainsAny(held, "\"'`/|)") {
			w = 2
		}
		held = strings.TrimSuffix(held, `\\`)
		with := "(?:[^" + held + back + back + "]|" + back + back + ".)" + count
		s.put(n.Start()+i, n.Start()+i+end+2, with, w, "Take what stands behind a backslash as it is.")
	}
}

// regexPart lets a pattern take a sign, a fraction, a word's edge, or keeps its
// alternatives together.
func regexPart(s *scene, n code.Node) {
	if n.Kind() != "regex_pattern" {
		return
	}
	text := n.Text()
	put := func(i, j int, repl string, w float64) {
		s.put(n.Start()+i, n.Start()+j, repl, w, "Use the pattern %s.", one(text[:i]+repl+text[j:]))
	}
	if at := strings.Index(text, `\d`); at >= 0 {
		put(at, at, "-?", 0.7)
		put(at, at, "[+-]?", 0.7)
		if strings.HasPrefix(text[at:], `\d+`) {
			put(at+3, at+3, `(?:\.\d+)?`, 1)
			put(at, at+3, `\d*\.?\d+`, 0.5)
			put(at, at+3, `\d+(?:,\d+)*`, 0.2)
		}
	}
	if !strings.HasPrefix(text, "^") && !strings.HasPrefix(text, `\b`) {
		put(0, 0, `\b`, 0.6)
	}
	if !strings.HasSuffix(text, "$") && !strings.HasSuffix(text, `\b`) {
		put(len(text), len(text), `\b`, 0.6)
	}
	bare, front := strings.CutPrefix(text, "^")
	bare, back := strings.CutSuffix(bare, "$")
	if (front || back) && strings.Contains(bare, "|") && !strings.Contains(bare, "(") {
		from, to := 0, len(text)
		if front {
			from++
		}
		if back {
			to--
		}
		put(from, to, "(?:"+bare+")", 2)
	}
	for i := 0; i < len(text); i++ {
		end := strings.IndexByte(text[i:], '}')
		if text[i] != '{' || end < 2 {
			continue
		}
		lo, hi, two := strings.Cut(text[i+1:i+end], ",")
		put(i, i+end+1, "{"+lo+",}", 0.5)
		if !two {
			put(i, i+end+1, "{1,"+lo+"}", 0.7)
			put(i, i+end+1, "{0,"+lo+"}", 0.3)
			hi = lo
		}
		for _, d := range []int{1, -1} {
			if len(hi) == 1 && hi[0]+byte(d) > '0' && hi[0]+byte(d) <= '9' {
				put(i, i+end+1, "{"+lo+","+string(hi[0]+byte(d))+"}", 0.5)
			}
		}
		put(i, i+end+1, "+", 0.4)
	}
}

// regexFlagText changes the flags that are given to RegExp as a text.
func regexFlagText(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "RegExp" || len(args) == 0 || len(args) > 2 {
		return
	}
	if len(args) == 1 {
		q := "'"
		if strings.Count(string(s.src), `"`) > strings.Count(string(s.src), "'") {
			q = `"`
		}
		for i, f := range []string{"i", "g", "gi", "m", "u"} {
			s.put(args[0].End(), args[0].End(), ", "+q+f+q, []float64{1, 1, 0.5, 0.3, 0.3}[i], "Match with the flag %s.", f)
		}
		return
	}
	f := args[1]
	if !plainString(f) {
		return
	}
	q, flags := f.Text()[:1], f.Text()[1:len(f.Text())-1]
	for i, c := range "gimsuy" {
		if strings.ContainsRune(flags, c) {
			// g and y make a pattern go on where it ended, which surprises most.
			s.put(f.Start(), f.End(), q+strings.Replace(flags, string(c), "", 1)+q, []float64{3, 0.7, 0.4, 0.4, 0.4, 3}[i], "Match without the flag %c.", c)
		} else {
			s.put(f.Start(), f.End(), q+flags+string(c)+q, []float64{1, 1, 0.3, 0.2, 0.2, 0.1}[i], "Match with the flag %c.", c)
		}
	}
}

// regexState begins each search of a pattern with g or y at the start of the
// text: such a pattern goes on where it ended.
func regexState(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 {
		return
	}
	o, m, ok := member(fn)
	if !ok || m.Text() != "test" && m.Text() != "exec" {
		return
	}
	if o.Kind() == "regex" {
		return
	}
	st, ok := statementOf(n)
	if ok && st.Start() >= s.start && len(o.Text()) < 40 {
		s.before(st, o.Text()+".lastIndex = 0;", 1, "Let %s begin at the start of the text.", one(o.Text()))
	}
	if m.Text() == "test" {
		s.put(n.Start(), n.End(), args[0].Text()+".search("+o.Text()+") !== -1", 0.5, "Look at the whole of %s each time.", one(args[0].Text()))
	}
}

// matchGroup uses another group of a match.
func matchGroup(s *scene, n code.Node) {
	text := n.Text()
	if plainString(n) {
		for i := 0; i+1 < len(text); i++ {
			if text[i] == '$' && text[i+1] >= '1' && text[i+1] <= '9' {
				for _, d := range []string{"1", "2", "3", "&"} {
					s.put(n.Start()+i+1, n.Start()+i+2, d, 1, "Put in $%s.", d)
				}
			}
		}
		return
	}
	o, k, ok := element(n)
	if !ok || !isInteger(k) || len(k.Text()) != 1 {
		return
	}
	name := strings.ToLower(o.Text())
	if !strings.Contains(name, "match") && name != "m" && !strings.Contains(name, "parts") && !strings.Contains(name, "found") && !strings.Contains(name, "groups") {
		return
	}
	for _, d := range []string{"0", "1", "2", "3"} {
		s.put(k.Start(), k.End(), d, 1, "Use group %s of the match.", d)
	}
}
