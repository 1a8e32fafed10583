package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// pure are methods that change nothing and give a new value.
const pure = "strip lstrip rstrip lower upper casefold title capitalize replace removeprefix removesuffix zfill ljust rjust center translate expandtabs " +
	"union intersection difference symmetric_difference astimezone quantize normalize with_suffix with_name resolve _replace rotate_left"

// resultDropped keeps a result that is thrown away, and does not keep the None
// of a method that works in place.
func resultDropped(s *scene, n code.Node) {
	if n.Kind() == "expression_statement" {
		kids := n.NamedChildren()
		if len(kids) != 1 || kids[0].Kind() != "call" {
			return
		}
		fn, args, _, ok := call(kids[0])
		if !ok {
			return
		}
		if o, m, is := member(fn); is {
			if words(pure, m.Text()) && place(o) {
				s.put(n.Start(), n.Start(), o.Text()+" = ", 2, "Keep what %s gives.", one(kids[0].Text()))
			}
			return
		}
		if len(args) == 0 || !place(args[0]) || args[0].Kind() == "subscript" || words("print setattr delattr exec next isinstance", fn.Text()) {
			return
		}
		w := 0.5
		if words("sorted reversed list set dict filter map", fn.Text()) {
			w = 2
			if a := args[0].Text(); fn.Text() == "sorted" || fn.Text() == "reversed" {
				method := map[string]string{"sorted": ".sort(", "reversed": ".reverse("}[fn.Text()]
				rest := strings.TrimPrefix(strings.TrimPrefix(string(s.src[args[0].End():n.End()]), ","), " ")
				s.put(n.Start(), n.End(), a+method+rest, 2, "Sort or turn %s itself.", one(a))
			}
		}
		s.put(n.Start(), n.Start(), args[0].Text()+" = ", w, "Keep what %s gives.", one(kids[0].Text()))
		return
	}
	o, m, _, ok := methodCall(n)
	if !ok || n.Up() != "assignment" && n.Up() != "return_statement" && n.Up() != "for_statement" {
		return
	}
	_, args, list, _ := call(n)
	inside := strings.TrimSuffix(strings.TrimPrefix(list.Text(), "("), ")")
	switch {
	case m == "sort":
		text := "sorted(" + o.Text()
		if len(args) > 0 {
			text += ", " + inside
		}
		s.put(n.Start(), n.End(), text+")", 3, "Use a sorted list; sort gives None.")
	case m == "reverse" && len(args) == 0:
		s.put(n.Start(), n.End(), o.Text()+"[::-1]", 3, "Use the reversed list; reverse gives None.")
	}
}

// methodForm calls a method in another form: its sibling with other arguments, or
// with the argument that limits it.
func methodForm(s *scene, n code.Node) {
	o, m, args, ok := methodCall(n)
	if !ok || hasSplat(args) || strings.Contains(n.Text(), "\n") {
		return
	}
	put := func(w float64, method, arguments string) {
		text := o.Text() + "." + method + "(" + arguments + ")"
		s.put(n.Start(), n.End(), text, w, "Use %s.", one(text))
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i].Text()
		}
		return ""
	}
	switch m {
	case "lstrip", "rstrip", "strip", "removeprefix", "removesuffix":
		s.stripForm(m, args, put)
	case "split", "rsplit":
		other := map[string]string{"split": "rsplit", "rsplit": "split"}[m]
		switch len(args) {
		case 0:
			put(0.3, "splitlines", "")
			put(0.3, "split", `" "`)
		case 1:
			put(1, m, arg(0)+", 1")
			put(1, other, arg(0)+", 1")
			put(0.5, "split", "")
			if strings.Contains(arg(0), `\n`) {
				put(1, "splitlines", "")
			}
		case 2:
			put(1, other, arg(0)+", "+arg(1))
			put(0.6, m, arg(0))
		}
	case "splitlines":
		if len(args) == 0 {
			put(1, "split", `"\n"`)
			put(1, "splitlines", "True")
			put(0.3, "split", "")
		}
	case "replace":
		if len(args) == 2 && args[0].Kind() != "keyword_argument" {
			put(1, "replace", arg(0)+", "+arg(1)+", 1")
		}
	case "append", "extend", "insert", "appendleft":
		switch {
		case m == "append" && len(args) == 1:
			put(1, "insert", "0, "+arg(0))
		case m == "insert" && len(args) == 2:
			put(1, "append", arg(1))
		}
	case "pop":
		switch {
		case len(args) == 0:
			put(1, "pop", "0")
		case arg(0) == "0" || arg(0) == "-1":
			put(1, "pop", "")
		case len(args) == 1:
			put(0.7, "pop", arg(0)+", None")
		}
	case "remove":
		if len(args) == 1 {
			put(0.7, "discard", arg(0))
		}
	case "get":
		if len(args) == 2 && !isString(o) && n.Up() != "boolean_operator" {
			text := o.Text() + ".get(" + arg(0) + ") or " + arg(1)
			if u := n.Up(); u != "assignment" && u != "return_statement" && u != "argument_list" {
				text = "(" + text + ")"
			}
			s.put(n.Start(), n.End(), text, 0.5, "Use %s for an empty value too.", one(arg(1)))
			put(0.5, "setdefault", arg(0)+", "+arg(1))
		}
	case "setdefault":
		if len(args) == 2 && n.Up() != "expression_statement" {
			put(0.7, "get", arg(0)+", "+arg(1))
		}
	case "startswith", "endswith":
		s.prefixForm(n, o, args)
	}
}

// stripForm takes an affix off, not a set of characters, and the other way round.
func (s *scene) stripForm(m string, args []code.Node, put func(float64, string, string)) {
	if len(args) > 1 {
		return
	}
	if len(args) == 0 {
		put(0.5, m, `"\n"`)
		put(0.5, "rstrip", `"\r\n"`)
		return
	}
	a := args[0].Text()
	w := 2.0
	if isString(args[0]) && len(a) <= 3 {
		w = 0.6 // one character: a set of it and an affix differ little
	}
	switch m {
	case "lstrip":
		put(w, "removeprefix", a)
	case "rstrip":
		put(w, "removesuffix", a)
	case "strip":
		put(w, "removeprefix", a)
		put(w, "removesuffix", a)
		put(w*0.7, "removeprefix", a+").removesuffix("+a)
	case "removeprefix":
		put(1, "lstrip", a)
	case "removesuffix":
		put(1, "rstrip", a)
	}
	if m == "lstrip" || m == "rstrip" || m == "strip" {
		put(0.7, m, "")
	}
}

// prefixForm asks whether a text is another, has it inside, or begins with it.
func (s *scene) prefixForm(n, o code.Node, args []code.Node) {
	if len(args) != 1 || args[0].Kind() == "tuple" {
		return
	}
	a := args[0]
	for i, text := range []string{tight(o) + " == " + a.Text(), a.Text() + " in " + o.Text()} {
		if n.Up() == "not_operator" || n.Up() == "comparison_operator" {
			text = "(" + text + ")"
		}
		s.put(n.Start(), n.End(), text, []float64{0.6, 0.5}[i], "Ask for %s.", one(text))
	}
}

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

// receiverSwap calls the method of the argument with the object.
func receiverSwap(s *scene, n code.Node) {
	o, m, args, ok := methodCall(n)
	if !ok || len(args) != 1 || !place(o) || !place(args[0]) || o.Text() == "self" {
		return
	}
	if o.Kind() == "identifier" {
		if _, known := s.facts.lookup(o.Text(), n.Start()); !known {
			return // a module or a class
		}
	}
	w := 0.3
	if words("update issubset issuperset startswith endswith difference extend isdisjoint is_relative_to relative_to union count index find difference_update", m) {
		w = 1
	}
	text := args[0].Text() + "." + m + "(" + o.Text() + ")"
	s.put(n.Start(), n.End(), text, w, "Use %s.", one(text))
}
