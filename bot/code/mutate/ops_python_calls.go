package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

func hasSplat(args []code.Node) bool {
	for _, a := range args {
		if strings.Contains(a.Kind(), "splat") || a.Kind() == "generator_expression" {
			return true
		}
	}
	return false
}

// separatorBound takes a text as the head of a path only where a separator
// follows it.
func separatorBound(s *scene, n code.Node) {
	o, m, args, ok := methodCall(n)
	if !ok || len(args) != 1 || m != "startswith" && m != "endswith" || isString(args[0]) || args[0].Kind() == "tuple" || !short(n) {
		return
	}
	a := args[0].Text()
	for _, sep := range s.separators() {
		with := a + ".rstrip(" + sep + ") + " + sep
		if m == "endswith" {
			with = sep + " + " + a + ".lstrip(" + sep + ")"
		}
		both := o.Text() + " == " + a + " or " + o.Text() + "." + m + "(" + with + ")"
		if p := n.Up(); p == "boolean_operator" || p == "not_operator" {
			both = "(" + both + ")"
		}
		s.put(n.Start(), n.End(), both, 1, "Take %s only as a whole part.", one(a))
		s.put(args[0].Start(), args[0].End(), with, 0.7, "Ask for the separator %s too.", sep)
	}
}

// separators are the texts of one character that the file works with.
func (s *scene) separators() []string {
	var out []string
	for _, c := range s.facts.strings {
		if len(c.text) == 3 && strings.ContainsAny(c.text[1:2], "/.:-_ @,") && len(out) < 3 {
			out = addOnce(out, c.text)
		}
	}
	return out
}
