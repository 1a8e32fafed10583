package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// datePart counts months from 1 for people and from 0 for Date, and copies a
// date before it is changed.
func datePart(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	if n.Kind() == "new_expression" && fn.Text() == "Date" && len(args) >= 2 {
		m := args[1]
		s.put(m.Start(), m.End(), tight(m)+" - 1", 1, "Months of Date begin at 0.")
		s.put(m.Start(), m.End(), tight(m)+" + 1", 0.5, "Take the month after %s.", one(m.Text()))
		s.put(fn.Start(), n.End(), "Date(Date.UTC("+strings.TrimPrefix(string(s.src[args[0].Start():n.End()]), "(")+")", 0.5, "Make the date in UTC.")
		return
	}
	_, m, ok := member(fn)
	if !ok || len(args) != 0 {
		return
	}
	switch name := m.Text(); {
	case name == "getMonth" || name == "getUTCMonth":
		text := n.Text() + " + 1"
		if n.Up() == "binary_expression" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, 2, "Months of Date begin at 0.")
		fallthrough
	case strings.HasPrefix(name, "get") && !strings.HasPrefix(name, "getUTC") && strings.Contains("getFullYear getMonth getDate getDay getHours getMinutes", name):
		s.put(m.Start(), m.End(), "getUTC"+strings.TrimPrefix(strings.TrimPrefix(name, "getUTC"), "get"), 0.6, "Read the date in UTC.")
	case strings.HasPrefix(name, "getUTC"):
		s.put(m.Start(), m.End(), "get"+strings.TrimPrefix(name, "getUTC"), 0.6, "Read the date in local time.")
	case name == "getTime" || name == "now":
		s.put(n.Start(), n.End(), n.Text()+" / 1000", 0.5, "Use seconds.")
	}
}

// dateZone reads and writes all parts of a date in UTC, or all in local time.
func dateZone(s *scene, n code.Node) {
	if n.Kind() != "expression_statement" && n.Kind() != "return_statement" && n.Kind() != "lexical_declaration" && n.Kind() != "template_string" {
		return
	}
	text := n.Text()
	if strings.Contains(text, "\n") {
		return
	}
	utc, local, count := text, text, 0
	for _, part := range []string{"FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"} {
		for _, verb := range []string{"get", "set"} {
			count += strings.Count(text, "."+verb+part+"(") + strings.Count(text, "."+verb+"UTC"+part+"(")
			utc = strings.ReplaceAll(utc, "."+verb+part+"(", "."+verb+"UTC"+part+"(")
			local = strings.ReplaceAll(local, "."+verb+"UTC"+part+"(", "."+verb+part+"(")
		}
	}
	if count > 1 {
		s.put(n.Start(), n.End(), utc, 1, "Read and write the date in UTC.")
		s.put(n.Start(), n.End(), local, 1, "Read and write the date in local time.")
	}
}

// scriptUnits are numbers of one unit of time or size in another.
var scriptUnits = []string{"1000", "60", "3600", "24", "7", "60000", "3600000", "86400000", "86400", "604800000", "1024", "100", "12", "365"}

// dateUnit counts in another unit, and lets the week begin on a Monday.
func dateUnit(s *scene, n code.Node) {
	if isInteger(n) && n.Up() == "binary_expression" || n.Kind() == "number" && n.Up() == "variable_declarator" {
		plain, known := strings.ReplaceAll(n.Text(), "_", ""), false
		for _, u := range scriptUnits {
			known = known || u == plain
		}
		for _, u := range scriptUnits {
			if known && u != plain {
				s.put(n.Start(), n.End(), u, 1, "Count by %s.", u)
			}
		}
		if known && n.Up() == "binary_expression" {
			s.put(n.Start(), n.End(), "("+n.Text()+" * 60)", 1, "Count minutes or hours.")
			s.put(n.Start(), n.End(), "("+n.Text()+" * 1000)", 1, "Count milliseconds.")
		}
		return
	}
	fn, _, _, ok := call(n)
	if !ok {
		return
	}
	if _, m, ok := member(fn); ok && (m.Text() == "getDay" || m.Text() == "getUTCDay") {
		s.put(n.Start(), n.End(), "(("+n.Text()+" + 6) % 7)", 1, "Begin the week on a Monday.")
		s.put(n.Start(), n.End(), "("+n.Text()+" || 7)", 1, "Let Sunday be the seventh day.")
	}
}
