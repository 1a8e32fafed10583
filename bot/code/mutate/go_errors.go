package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// failReturn is the return of a function that gives an error back.
func failReturn(fn code.Node, err string) (string, bool) {
	zero, ok := zeroReturn(fn)
	res, has := fn.ChildByField("result")
	if !ok || !has {
		return "", false
	}
	last := res.Text()
	if res.Kind() == "parameter_list" {
		kids := res.NamedChildren()
		if len(kids) == 0 {
			return "", false
		}
		last = typeText(kids[len(kids)-1])
		if last == "" {
			last = kids[len(kids)-1].Text()
		}
	}
	if last != "error" || !strings.HasSuffix(zero, "nil") {
		return "", false
	}
	return strings.TrimSuffix(zero, "nil") + err, true
}

// errorCheck looks at an error that is left alone.
func errorCheck(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	leave, returns := failReturn(fn, "err")
	if n.Kind() == "expression_statement" {
		kids := n.NamedChildren()
		if _, _, _, isCall := call(kids[0]); isCall && returns {
			s.put(n.Start(), n.End(), s.lines("if err := "+n.Text()+"; err != nil {\n\t"+leave+"\n}", s.indentOf(n)), 0.5, "Give the error of %s back.", one(n.Text()))
		}
		return
	}
	names := leftNames(n)
	if len(names) == 0 {
		return
	}
	last := names[len(names)-1]
	var exits []string
	if returns {
		exits = append(exits, leave)
	} else if zero, ok := zeroReturn(fn); ok {
		exits = append(exits, zero)
	}
	if _, ok := inLoop(n); ok {
		exits = append(exits, "continue", "break")
	}
	r, _ := n.ChildByField("right")
	for i, x := range exits {
		w := 1 / float64(i+1)
		switch last.Text() {
		case "err":
			if next := nextStatement(n); next.Tree() != nil && strings.HasPrefix(next.Text(), "if err") {
				return
			}
			s.after(n, "if err != nil {\n\t"+x+"\n}", w, "Look at the error.")
		case "_":
			if _, _, _, isCall := call(r.NamedChildren()[0]); !isCall || len(r.NamedChildren()) != 1 {
				return
			}
			text := string(s.src[n.Start():last.Start()]) + "err" + string(s.src[last.End():n.End()]) + "\nif err != nil {\n\t" + x + "\n}"
			s.put(n.Start(), n.End(), s.lines(text, s.indentOf(n)), w, "Look at the error.")
		}
	}
}

// foundCheck asks whether a map has the key, and does what the file does
// elsewhere when it has not.
func foundCheck(s *scene, n code.Node) {
	if n.Kind() != "short_var_declaration" || !isStatement(n) {
		return
	}
	names := leftNames(n)
	r, ok := n.ChildByField("right")
	fn, has := enclosing(n)
	if !ok || !has || len(names) != 1 || len(r.NamedChildren()) != 1 || !isElement(r.NamedChildren()[0]) {
		return
	}
	put := func(exit string, w float64) {
		if strings.Contains(exit, "\n") {
			return
		}
		text := names[0].Text() + ", ok := " + r.Text() + "\nif !ok {\n\t" + exit + "\n}"
		s.put(n.Start(), n.End(), s.lines(text, s.indentOf(n)), w, "When %s is not there, %s.", one(r.Text()), exit)
	}
	if _, ok := inLoop(n); ok {
		put("continue", 1)
	}
	if zero, ok := zeroReturn(fn); ok {
		put(zero, 0.7)
	}
	// What the same function, or another with the same results, does.
	mine, _ := fn.ChildByField("result")
	for _, g := range s.facts.guards {
		other, ok := enclosing(g)
		if !ok {
			continue
		}
		theirs, _ := other.ChildByField("result")
		c, _ := condition(g)
		if textOf(mine) != textOf(theirs) || c.Text() != "!ok" && !strings.HasSuffix(c.Text(), "== nil") {
			continue
		}
		b, _ := g.ChildByField("consequence")
		for _, exit := range statements(b) {
			for _, text := range s.transplant(exit, n) {
				w := 1.0
				if other == fn {
					w = 2
				}
				put(text, w)
			}
			if other == fn { // the same exit with this look-up's own names
				text := exit.Text()
				_, key, _ := element(r.NamedChildren()[0])
				exit.Walk(func(x code.Node) bool {
					if v, ok := s.facts.lookup(x.Text(), x.Start()); ok && x.Kind() == "identifier" && v.kind == "param" {
						text = replaceWord(text, x.Text(), key.Text())
					}
					return true
				})
				put(text, 2)
			}
		}
	}
}

// errorResult returns the error that is at hand, and wraps it so that it can
// be recognised.
func errorResult(s *scene, n code.Node) {
	if n.Kind() == "nil" && (n.Up() == "expression_list" || n.Up() == "return_statement") {
		if _, ok := n.Ancestor("return_statement"); !ok {
			return
		}
		for _, v := range s.facts.visible(n.Start()) {
			if v.typ == "error" {
				s.put(n.Start(), n.End(), v.name, 1, "Return the error %s instead of nil.", one(v.name))
			}
		}
	}
	if n.Kind() == "identifier" && n.Text() == "err" && n.Up() == "expression_list" {
		if _, ok := n.Ancestor("return_statement"); ok {
			s.put(n.Start(), n.End(), "nil", 0.4, "Return no error.")
		}
	}
	if fn, args, _, ok := call(n); ok && strings.HasSuffix(fn.Text(), "Errorf") && len(args) > 1 && isString(args[0]) {
		if i := strings.LastIndex(args[0].Text(), "%v"); i >= 0 {
			s.put(args[0].Start()+i, args[0].Start()+i+2, "%w", 1, "Wrap the error so that it can be recognised.")
		} else if i := strings.LastIndex(args[0].Text(), "%s"); i >= 0 {
			s.put(args[0].Start()+i, args[0].Start()+i+2, "%w", 0.6, "Wrap the error so that it can be recognised.")
		}
	}
}

// resultPart changes one of several results.
func resultPart(s *scene, n code.Node) {
	if n.Up() != "expression_list" || !n.Named() {
		return
	}
	list := parentOf(n)
	if list.Up() != "return_statement" || len(list.NamedChildren()) < 2 {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	res, ok := fn.ChildByField("result")
	if !ok || res.Kind() != "parameter_list" {
		return
	}
	at := -1
	for i, c := range list.NamedChildren() {
		if c == n {
			at = i
		}
	}
	var types []code.Node
	for _, p := range res.NamedChildren() {
		t, has := p.ChildByField("type")
		if !has {
			t = p
		}
		count := 0
		for _, c := range p.NamedChildren() {
			if c.Field() == "name" {
				count++
			}
		}
		for range max(count, 1) {
			types = append(types, t)
		}
	}
	if at < 0 || at >= len(types) {
		return
	}
	want := types[at].Text()
	for _, v := range s.facts.visible(n.Start()) {
		if v.name != n.Text() && v.kind != "module" && v.typ == want {
			w := 1.0
			if v.uses <= 2 {
				w = 2
			}
			s.put(n.Start(), n.End(), v.name, w, "Return %s instead of %s.", one(v.name), one(n.Text()))
		}
	}
	if zero := zeroValue(types[at]); zero != "" && zero != n.Text() && want != "bool" {
		s.put(n.Start(), n.End(), zero, 0.5, "Return %s instead of %s.", zero, one(n.Text()))
	}
	if want == "error" && n.Text() == "nil" {
		for _, v := range s.facts.vars {
			if v.kind == "module" && strings.HasPrefix(v.name, "Err") {
				s.put(n.Start(), n.End(), v.name, 0.7, "Return the error %s.", one(v.name))
			}
		}
	}
}

// sentinelError returns an error that callers can recognise.
func sentinelError(s *scene, n code.Node) {
	fn, args, list, ok := call(n)
	if !ok || fn.Text() != "errors.New" && fn.Text() != "fmt.Errorf" {
		return
	}
	if _, ok := n.Ancestor("return_statement"); !ok || len(args) == 0 {
		return
	}
	for _, v := range s.facts.vars {
		if v.kind != "module" || !strings.HasPrefix(v.name, "Err") && !strings.HasPrefix(v.name, "err") {
			continue
		}
		s.put(n.Start(), n.End(), v.name, 0.7, "Return the error %s.", one(v.name))
		if fn.Text() == "fmt.Errorf" && isString(args[0]) && !strings.Contains(args[0].Text(), "%w") {
			text := `fmt.Errorf("%w: ` + args[0].Text()[1:] + ", " + v.name + string(s.src[args[0].End():list.End()])
			s.put(n.Start(), n.End(), text, 1, "Let the error be recognised as %s.", one(v.name))
		}
	}
}
