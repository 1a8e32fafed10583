package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// parameterDefault sets a parameter that may be left out and is used without
// asking: where its first use is, or beside what is done for another parameter.
func parameterDefault(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn := ownerOf(n)
	if !isFunction(fn) {
		return
	}
	mine := optionalParameters(fn)
	if len(mine) == 0 || n.Start() < bodyStart(fn) {
		return
	}
	body := string(s.src[bodyStart(fn):fn.End()])
	for _, name := range mine {
		if asked(body, name) || wordCount(body, name) == 0 {
			continue
		}
		usedBefore := wordCount(string(s.src[bodyStart(fn):n.Start()]), name) > 0
		if usedBefore || wordCount(n.Text(), name) == 0 {
			continue
		}
		for _, v := range s.emptyFor(name, n) {
			s.before(n, s.brief(name+s.d.missing(), name+" = "+v.text), v.weight, "Use %s where %s was left out.", v.text, one(name))
		}
	}
}

// missing asks whether a parameter was left out.
func (d dialect) missing() string {
	if d.lang == js {
		return " === undefined"
	}
	return d.isNull
}

// bodyStart is where the statements of a function begin, after a docstring.
func bodyStart(fn code.Node) int {
	if first, ok := firstStatement(fn); ok {
		return first.Start()
	}
	if b, ok := fn.ChildByField("body"); ok {
		return b.Start()
	}
	return fn.Start()
}

// optionalParameters are those whose default is null, and in JavaScript those
// that a comment or a type calls optional.
func optionalParameters(fn code.Node) []string {
	p, ok := fn.ChildByField("parameters")
	if !ok {
		return nil
	}
	var out []string
	for _, c := range p.NamedChildren() {
		name, has := c.ChildByField("name")
		value, set := c.ChildByField("value")
		switch {
		case has && set && value.Kind() == "none":
			out = append(out, name.Text())
		case c.Kind() == "optional_parameter":
			if id, ok := c.ChildByField("pattern"); ok {
				out = append(out, id.Text())
			}
		case c.Kind() == "identifier" && strings.Contains(above(fn), "["+c.Text()+"]"):
			out = append(out, c.Text())
		}
	}
	return out
}

// above is the text of the comment over a function.
func above(fn code.Node) string {
	src := string(fn.Tree().Src[max(0, fn.Start()-1500):fn.Start()])
	i := strings.LastIndex(src, "/**")
	if i < 0 || strings.Count(src[i:], "*/") != 1 {
		return ""
	}
	return src[i:]
}

// asked tells whether a text asks if a name is there.
func asked(text, name string) bool {
	for _, form := range []string{name + " is ", "not " + name, "if " + name, "if (" + name, "!" + name, name + " or ", name + " ?", name + "?", name + " ||", name + " =", "(" + name + " =", "and " + name, "or " + name, "isinstance(" + name, "callable(" + name} {
		for rest := text; ; {
			i := strings.Index(rest, form)
			if i < 0 {
				break
			}
			z := i + len(form)
			word := !wordByte(form[len(form)-1]) || z == len(rest) || !wordByte(rest[z])
			if (i == 0 || !wordByte(rest[i-1]) || !wordByte(form[0])) && word {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// emptyFor lists what a value that was left out may be, by how it is used.
func (s *scene) emptyFor(name string, n code.Node) []choice {
	text := n.Text()
	list, dict := 0.6, 0.5
	switch {
	case strings.Contains(text, name+".items") || strings.Contains(text, name+".get(") || strings.Contains(text, "**"+name):
		dict = 1.2
	case strings.Contains(text, "("+name+")") || strings.Contains(text, "in "+name) || strings.Contains(text, "of "+name):
		list = 1.2
	}
	return []choice{{s.d.list, list}, {s.d.dict, dict}, {s.d.text, 0.4}, {"0", 0.3}, {s.d.yes, 0.1}, {s.d.no, 0.1}}
}

// defaultAnalogy sets a variable under a condition where it is set so elsewhere:
// after the same variable got its value in another branch or function, and with
// what has just been worked out here.
func defaultAnalogy(s *scene, n code.Node) {
	name, _, ok := defines(n)
	if !ok || !isStatement(n) {
		return
	}
	fn, in := enclosing(n)
	if !in {
		return
	}
	next := string(s.src[n.End():min(len(s.src), n.End()+200)])
	seen := map[string]bool{}
	for _, d := range s.settings() {
		target, value := d.target, d.value
		cond, _ := condition(d.node)
		here := d.node.Start() >= fn.Start() && d.node.End() <= fn.End()
		if !s.inScope(cond, n.End()) && target != name {
			continue
		}
		switch {
		case within(n, d.node) || strings.Contains(next, headOf(d.node)):
		case target == name && s.fitsHere(d.node, n):
			if text := s.conditional(cond.Text(), target, value.Text()); !seen[text] {
				seen[text] = true
				s.after(n, text, map[bool]float64{true: 0.4, false: 1}[here], "Set %s here too when %s.", one(name), one(cond.Text()))
			}
		case here && target != name && s.known(target, n) && ownerOf(n) != fn && parentOf(d.node) != parentOf(n):
			if text := s.conditional(cond.Text(), target, name); !seen[text] && len(seen) < 6 {
				seen[text] = true
				w := 0.3
				if v, _ := s.facts.lookup(name, n.End()); v.uses <= 3 {
					w = 1
				}
				s.after(n, text, w, "Set %s to %s when %s.", one(target), one(name), one(cond.Text()))
			}
		}
	}
}

func within(n, outer code.Node) bool { return n.Start() >= outer.Start() && n.End() <= outer.End() }

func (s *scene) known(name string, n code.Node) bool {
	v, ok := s.facts.lookup(name, n.Start())
	return ok && v.kind != "module"
}

// fitsHere tells whether all that a donor speaks of is known after a statement;
// a name may mean another variable here.
func (s *scene) fitsHere(donor, n code.Node) bool {
	ok := true
	donor.Walk(func(c code.Node) bool {
		if c.Kind() == "identifier" {
			if v, there := s.facts.lookup(c.Text(), c.Start()); there && v.kind != "module" {
				_, here := s.facts.lookup(c.Text(), n.End())
				ok = ok && here
			}
		}
		return ok
	})
	return ok
}

// conditional writes an if around an assignment.
func (s *scene) conditional(cond, name, value string) string {
	return s.brief(cond, name+" = "+value)
}

// setting is an if that does nothing but set a variable.
type setting struct {
	node   code.Node
	target string
	value  code.Node
}

// settings lists the ifs of the file that only set a variable.
func (s *scene) settings() []setting {
	if s.ifs != nil {
		return s.ifs
	}
	out := []setting{}
	for _, f := range s.project.functions {
		if f.path != s.file {
			continue
		}
		for _, n := range flat(f.node) {
			c, ok := n.ChildByField("consequence")
			if _, alt := n.ChildByField("alternative"); !ok || alt || n.Kind() != "if_statement" || n.EndLine() > n.Line()+3 {
				continue
			}
			list := []code.Node{c}
			if c.Kind() == "block" || c.Kind() == "statement_block" {
				list = statements(c)
			}
			if len(list) != 1 {
				continue
			}
			if target, value, ok := sets(list[0]); ok && !slices.ContainsFunc(out, func(x setting) bool { return x.node.Text() == n.Text() }) && len(out) < 40 {
				out = append(out, setting{n, target, value})
			}
		}
	}
	s.ifs = out
	return out
}

// sets takes a plain assignment to one variable apart.
func sets(n code.Node) (target string, value code.Node, ok bool) {
	if kids := n.NamedChildren(); n.Kind() == "expression_statement" && len(kids) == 1 {
		n = kids[0]
	}
	switch n.Kind() {
	case "assignment", "assignment_expression", "assignment_statement":
	default:
		return "", value, false
	}
	l, ok1 := n.ChildByField("left")
	r, ok2 := n.ChildByField("right")
	if op, has := n.ChildByField("operator"); !ok1 || !ok2 || has && op.Text() != "=" || strings.ContainsAny(l.Text(), ".[,(") || strings.Contains(n.Text(), "\n") {
		return "", value, false
	}
	return l.Text(), r, true
}
