package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// timePart takes all of a span of time, not a part of it, and counts days of the
// week from the right one.
func timePart(s *scene, n code.Node) {
	if o, name, ok := member(n); ok && n.Kind() == "attribute" && !isCallee(n, parentOf(n)) && !assigned(n) {
		var text string
		switch name.Text() {
		case "seconds":
			text = o.Text() + ".total_seconds()"
			s.put(n.Start(), n.End(), "int("+text+")", 1.5, "Take the whole span in seconds.")
		case "days":
			text = o.Text() + ".total_seconds() / 86400"
			if n.Up() != "assignment" && n.Up() != "return_statement" {
				text = "(" + text + ")"
			}
		case "microseconds":
			text = o.Text() + ".total_seconds()"
		default:
			return
		}
		s.put(n.Start(), n.End(), text, 1.5, "Take the whole span, %s.", one(text))
		return
	}
	o, m, args, ok := methodCall(n)
	if !ok {
		return
	}
	put := func(text string, w float64) { s.put(n.Start(), n.End(), text, w, "Use %s.", one(text)) }
	switch {
	case m == "weekday" && len(args) == 0:
		put(o.Text()+".isoweekday()", 1)
	case m == "isoweekday" && len(args) == 0:
		put(o.Text()+".weekday()", 1)
		put(o.Text()+".isoweekday() % 7", 0.5)
	case m == "total_seconds" && n.Up() != "argument_list":
		put(o.Text()+".seconds", 0.2)
	case m == "replace" && len(args) == 1 && strings.HasPrefix(args[0].Text(), "tzinfo="):
		put(o.Text()+".astimezone("+strings.TrimPrefix(args[0].Text(), "tzinfo=")+")", 2)
	case m == "astimezone" && len(args) == 1:
		put(o.Text()+".replace(tzinfo="+args[0].Text()+")", 1)
	case m == "date" && len(args) == 0, m == "time" && len(args) == 0:
		put(o.Text(), 0.2)
	}
}

// rounding rounds in another way: to the nearest, halves up, down, up.
func rounding(s *scene, n code.Node) {
	put := func(text string, w float64) { s.put(n.Start(), n.End(), text, w, "Use %s.", one(text)) }
	if l, op, r, ok := binary(n); ok {
		switch op.Text() {
		case "//":
			put("round("+l.Text()+" / "+tight(r)+")", 0.7)
			put("("+l.Text()+" + "+tight(r)+" // 2) // "+tight(r), 0.7)
		case "/":
			if n.Up() != "argument_list" {
				put("round("+n.Text()+")", 0.3)
				put("round("+n.Text()+", 2)", 0.5)
			}
		}
		return
	}
	fn, args, list, ok := call(n)
	if !ok || len(args) == 0 || !short(n) || hasSplat(args) {
		return
	}
	name := fn.Text()
	inside := args[0].Text()
	switch {
	case name == "int" && len(args) == 1 && !isString(args[0]):
		put("round("+inside+")", 1)
		put("int("+inside+" + 0.5)", 0.5)
		if s.moduleNamed("math") {
			put("math.ceil("+inside+")", 0.7)
		}
		if l, op, r, ok := binary(args[0]); ok && op.Text() == "/" {
			put("-(-"+tight(l)+" // "+tight(r)+")", 0.5)
		}
	case name == "round" && len(args) == 1:
		put("int("+inside+")", 0.7)
		put("int("+inside+" + 0.5)", 1)
		put("round("+inside+", 2)", 0.6)
		if s.moduleNamed("math") {
			put("math.floor("+inside+" + 0.5)", 1)
		}
	case name == "round" && len(args) == 2:
		put("round("+inside+")", 0.5)
		put(inside, 0.3)
	case name == "float" && len(args) == 1 && strings.Contains(string(s.src), "Decimal"):
		put("Decimal("+inside+")", 2)
	case strings.HasSuffix(name, "Decimal") && len(args) == 1 && !isString(args[0]):
		put(name+"(str("+inside+"))", 1.5)
	case strings.HasSuffix(name, ".quantize") && len(args) == 1:
		for _, r := range []string{"ROUND_HALF_UP", "ROUND_DOWN", "ROUND_HALF_EVEN", "ROUND_UP"} {
			text := `"` + r + `"`
			if s.named(r) {
				text = r
			} else if s.moduleNamed("decimal") {
				text = "decimal." + r
			}
			s.put(args[0].End(), list.End()-1, ", rounding="+text, map[bool]float64{true: 1.5, false: 0.5}[r == "ROUND_HALF_UP"], "Round by %s.", r)
		}
	}
	for _, a := range args {
		if v, ok := a.ChildByField("value"); ok && a.Kind() == "keyword_argument" && strings.HasPrefix(a.Text(), "rounding=") {
			s.otherRounding(v)
		}
	}
}

func (s *scene) otherRounding(v code.Node) {
	text := v.Text()
	at := strings.Index(text, "ROUND_")
	if at < 0 || v.Kind() == "identifier" {
		return // another name would have to be imported
	}
	rest := strings.TrimRight(text[at:], `"'`)
	for _, r := range []string{"ROUND_HALF_UP", "ROUND_DOWN", "ROUND_HALF_EVEN", "ROUND_UP", "ROUND_HALF_DOWN", "ROUND_FLOOR", "ROUND_CEILING"} {
		if r != rest {
			s.put(v.Start()+at, v.Start()+at+len(rest), r, 1, "Round by %s.", r)
		}
	}
}

// moduleNamed tells whether the file imports a module under its own name.
func (s *scene) moduleNamed(name string) bool {
	for line := range strings.Lines(string(s.src)) {
		if rest, ok := strings.CutPrefix(line, "import "); ok && wordCount(rest, name) > 0 && !strings.Contains(rest, name+" as ") {
			return true
		}
	}
	return false
}

// named tells whether a name is imported from a module.
func (s *scene) named(name string) bool { return s.facts.imports[name] && !s.moduleNamed(name) }

// keyStore puts a value under a key in another way: only the first, all of them,
// or added up.
func keyStore(s *scene, n code.Node) {
	if n.Kind() == "pair" && n.Up() == "dictionary_comprehension" {
		k, ok1 := n.ChildByField("key")
		v, ok2 := n.ChildByField("value")
		if ok1 && ok2 && short(n) {
			s.put(n.Start(), n.End(), v.Text()+": "+k.Text(), 0.7, "Swap the key and the value.")
		}
		return
	}
	if kids := n.NamedChildren(); n.Kind() == "expression_statement" && len(kids) == 1 {
		if o, m, args, ok := methodCall(kids[0]); ok && m == "setdefault" && len(args) == 2 {
			s.put(n.Start(), n.End(), o.Text()+"["+args[0].Text()+"] = "+args[1].Text(), 2, "Store %s in any case.", one(args[1].Text()))
		}
	}
	left, r, ok := assigns(n)
	if !ok || left.Kind() != "subscript" || !short(left) || !short(r) {
		return
	}
	d, k, ok := element(left)
	if !ok || isInteger(k) || strings.Contains(r.Text(), d.Text()+".get(") || strings.Contains(r.Text(), left.Text()) {
		return
	}
	at, get := d.Text()+".setdefault("+k.Text()+", ", d.Text()+".get("+k.Text()+", "
	put := func(text string, w float64, why string) { s.put(n.Start(), n.End(), text, w, "%s", why) }
	switch kids := r.NamedChildren(); {
	case r.Kind() == "list" && len(kids) == 1:
		put(at+"[]).append("+kids[0].Text()+")", 2, "Add to the values of the key.")
	case r.Kind() == "set" && len(kids) == 1:
		put(at+"set()).add("+kids[0].Text()+")", 2, "Add to the values of the key.")
	}
	put(at+r.Text()+")", 1, "Keep the value that the key has already.")
	if r.Kind() != "list" && r.Kind() != "dictionary" && r.Kind() != "string" && r.Kind() != "true" && r.Kind() != "false" {
		put(left.Text()+" = "+get+"0) + "+r.Text(), 0.8, "Add to the value of the key.")
		put(left.Text()+" = max("+get+r.Text()+"), "+r.Text()+")", 0.3, "Keep the larger value of the key.")
		put(left.Text()+" = min("+get+r.Text()+"), "+r.Text()+")", 0.3, "Keep the smaller value of the key.")
	}
	if place(k) && place(r) {
		put(d.Text()+"["+r.Text()+"] = "+k.Text(), 0.4, "Swap the key and the value.")
	}
	if in, alone := s.indent(n); alone {
		put("if "+k.Text()+" not in "+d.Text()+":"+s.eol+in+s.unit+n.Text(), 0.6, "Store only the first value of the key.")
	}
}

// elementSwap swaps neighbours in a tuple, in a list of names, in a display.
func elementSwap(s *scene, n code.Node) {
	w := 1.0
	switch n.Kind() {
	case "tuple", "expression_list", "pattern_list", "tuple_pattern":
		if n.Up() == "except_clause" || n.Up() == "type" {
			return
		}
	case "dictionary":
		if !strings.Contains(n.Text(), "**") {
			return
		}
		w = 2
	case "list":
		w = 0.5
	default:
		return
	}
	kids := n.NamedChildren()
	if len(kids) < 2 || len(kids) > 4 || strings.Contains(n.Text(), "\n") {
		return
	}
	for i := range len(kids) - 1 {
		a, b := kids[i], kids[i+1]
		if n.Kind() == "dictionary" && a.Kind() != "dictionary_splat" && b.Kind() != "dictionary_splat" || isConstant(a) && isConstant(b) {
			continue
		}
		text := b.Text() + string(s.src[a.End():b.Start()]) + a.Text()
		s.put(a.Start(), b.End(), text, w, "Swap %s and %s.", one(a.Text()), one(b.Text()))
	}
}

// sliceForm takes another part: from the end, a given length, no more than there is.
func sliceForm(s *scene, n code.Node) {
	if n.Kind() != "slice" || n.Up() != "subscript" {
		return
	}
	o, ok := parentOf(n).ChildByField("value")
	text := n.Text()
	from, to, ok2 := strings.Cut(text, ":")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if !ok || !ok2 || strings.Contains(to, ":") || strings.ContainsAny(text, "[{\n") {
		return
	}
	put := func(repl string, w float64) {
		s.put(n.Start(), n.End(), repl, w, "Take %s.", one(o.Text()+"["+repl+"]"))
	}
	switch {
	case from != "" && to != "":
		if rest, is := strings.CutPrefix(to, from+" + "); is {
			put(from+":"+rest, 1)
		} else if !strings.HasPrefix(to, "-") {
			put(from+":"+from+" + "+to, 1)
		}
	case from == "" && to != "":
		if rest, is := strings.CutPrefix(to, "-"); is {
			put("-"+rest+":", 1)
			put(":len("+o.Text()+") - "+rest, 1)
		} else {
			put("-"+to+":", 1)
		}
	case from != "" && to == "":
		if rest, is := strings.CutPrefix(from, "-"); is {
			put(":"+rest, 1)
			put("len("+o.Text()+") - "+rest+":", 1.5)
		} else if !strings.Contains(from, "len(") && !isDigits(from) {
			put("len("+from+"):", 1)
		}
	case from == "" && to == "":
		put("::-1", 0.5)
	}
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }
