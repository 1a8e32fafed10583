package mutate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var verb = regexp.MustCompile(`%([-+# 0]*)(\d*)((?:\.\d+)?)([a-zA-Z])`)

// formatVerb prints a value in another form or width.
func formatVerb(s *scene, n code.Node) {
	if !isString(n) || n.Up() != "argument_list" || !strings.Contains(n.Text(), "%") {
		return
	}
	fn, args, _, ok := call(parentOf(parentOf(n)))
	if !ok || !strings.HasSuffix(fn.Text(), "f") || len(args) > 1 && args[0] != n && args[1] != n {
		return
	}
	text := n.Text()
	for _, m := range verb.FindAllStringSubmatchIndex(text, 8) {
		if m[0] > 0 && text[m[0]-1] == '%' {
			continue
		}
		own := text[m[0]:m[1]]
		flags, width, digits, v := text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]], text[m[8]:m[9]]
		for i, other := range verbsNear(flags, width, digits, v) {
			if other != own {
				s.put(n.Start()+m[0], n.Start()+m[1], other, 1/float64(1+i/3), "Print with %s instead of %s.", one(other), one(own))
			}
		}
	}
}

func verbsNear(flags, width, digits, v string) []string {
	bare := "%" + width + digits + v
	switch v {
	case "d":
		out := []string{"%02d", "%d", "%03d", "%+d", "%04d"}
		if width != "" {
			out = append([]string{"%0" + width + "d", "%" + width + "d", "%-" + width + "d"}, out...)
		}
		return out
	case "s", "v", "q":
		out := []string{"%s", "%q", "%v"}
		if width != "" {
			out = append([]string{"%-" + width + v, bare}, out...)
		}
		if v == "v" {
			out = append(out, "%d", "%+v")
		}
		return out
	case "f", "g", "e":
		if digits == "" {
			return []string{"%" + flags + width + ".2f", "%" + flags + width + ".1f", "%" + flags + width + ".0f", "%g", "%f"}
		}
		return []string{"%" + width + digits + "f", "%-" + width + digits + "f", "%0" + width + digits + "f", "%+" + width + digits + "f", "%g"}
	case "x", "X":
		return []string{"%02x", "%x", "%X", "%02X", "%d"}
	case "t", "c", "U":
		return []string{"%v", "%d", "%q", "%c"}
	}
	return nil
}

// layoutParts are parts of a layout of times that are taken for each other.
var layoutParts = [][]string{
	{"15", "03"}, {"01", "02", "1"}, {"02", "01", "2", "_2"}, {"04", "05", "01"}, {"05", "04"}, {"2006", "06"}, {"January", "Jan"}, {"Jan", "January"}, {"Monday", "Mon"}, {"Mon", "Monday"}, {"03", "15", "3"}, {"PM", "pm"},
	{"Z07:00", "-07:00"}, {"-0700", "-07:00"}, {"MST", "-0700"},
}

var aPart = regexp.MustCompile(`Z07:00|-07:00|-0700|2006|January|Monday|MST|Jan|Mon|PM|15|0[1-6]`)

// timeLayout reads or writes a part of a time in another form.
func timeLayout(s *scene, n code.Node) {
	text := n.Text()
	if !isString(n) || !strings.Contains(text, "2006") && !strings.Contains(text, "15:04") && !strings.Contains(text, "03:04") && !strings.Contains(text, "Jan") {
		return
	}
	spans := aPart.FindAllStringIndex(text, 12)
	for i, at := range spans {
		for _, part := range layoutParts {
			if part[0] != text[at[0]:at[1]] {
				continue
			}
			for _, other := range part[1:] {
				s.put(n.Start()+at[0], n.Start()+at[1], other, 0.5, "Use the layout %s.", one(text[:at[0]]+other+text[at[1]:]))
			}
		}
		if i+1 < len(spans) {
			next := spans[i+1]
			turned := text[next[0]:next[1]] + text[at[1]:next[0]] + text[at[0]:at[1]]
			s.put(n.Start()+at[0], n.Start()+next[1], turned, 1, "Use the layout %s.", one(text[:at[0]]+turned+text[next[1]:]))
		}
	}
}

// numberBase reads or writes a number to another base, or of another size.
func numberBase(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || !strings.HasPrefix(fn.Text(), "strconv.") {
		return
	}
	at := map[string]int{"strconv.ParseInt": 1, "strconv.ParseUint": 1, "strconv.FormatInt": 1, "strconv.FormatUint": 1}[fn.Text()]
	if at > 0 && at < len(args) {
		for i, base := range []string{"10", "16", "2", "8", "0", "36"} {
			s.put(args[at].Start(), args[at].End(), base, 1/float64(1+i), "Use the base %s.", base)
		}
		if len(args) > 2 {
			for _, bits := range []string{"64", "32", "16", "8"} {
				s.put(args[2].Start(), args[2].End(), bits, 0.5, "Take %s bits.", bits)
			}
		}
	}
}

// runeConstant uses another character.
func runeConstant(s *scene, n code.Node) {
	if n.Kind() != "rune_literal" {
		return
	}
	own := n.Text()
	var out []string
	s.t.Walk(func(c code.Node) bool {
		if c.Kind() == "rune_literal" && c.Text() != own && len(out) < 8 {
			out = addOnce(out, c.Text())
		}
		return true
	})
	for _, group := range []string{"azAZ09", " \t\n", ".,;:", "-_", "/\\", "\"'`", "([{", ")]}", "+-", "*?"} {
		for _, r := range group {
			text := "'" + string(r) + "'"
			switch r {
			case '\t':
				text = `'\t'`
			case '\n':
				text = `'\n'`
			case '\'', '\\':
				text = `'\` + string(r) + "'"
			}
			if strings.Contains(group, strings.Trim(own, "'")) && own != text && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	for i, text := range out {
		s.put(n.Start(), n.End(), text, 1/float64(1+i/4), "Use %s instead of %s.", text, own)
	}
}
