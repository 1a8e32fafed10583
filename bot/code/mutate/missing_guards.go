package mutate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// guardAlternative leaves first for another value of what an if asks for: before
// if x is True comes if x is False.
func guardAlternative(s *scene, n code.Node) {
	c, ok := condition(n)
	if !ok || !isStatement(n) || n.Kind() != "if_statement" {
		return
	}
	subject, constant, op, _, ok := s.equality(c)
	if !ok {
		return
	}
	for i, a := range s.alternatives(subject, constant) {
		for _, x := range s.exitsAt(n, 2) {
			if i < 3 {
				term := subject.Text() + " " + op + " " + a.text
				s.before(n, s.brief(term, x.text), a.weight*x.weight, "When %s, %s first.", one(term), x.text)
			}
		}
	}
}

// guardSeen leaves where a value was met before, ahead of noting it.
func guardSeen(s *scene, n code.Node) {
	if !isStatement(n) || n.EndLine() != n.Line() {
		return
	}
	seen, ok := s.notes(n)
	if !ok {
		return
	}
	if st, _, _ := strings.Cut(string(s.src[max(0, n.Start()-160):n.Start()]), "\x00"); strings.Contains(st, seen) {
		return
	}
	for _, x := range s.exitsAt(n, 5) {
		s.before(n, s.brief(seen, x.text), x.weight, "When %s, %s first.", one(seen), x.text)
	}
}

// notes is the condition that the value which a statement adds to a set is
// already in it.
func (s *scene) notes(n code.Node) (string, bool) {
	if s.d.lang == golang {
		l, ok1 := n.ChildByField("left")
		r, ok2 := n.ChildByField("right")
		if !ok1 || !ok2 || n.Kind() != "assignment_statement" || len(l.NamedChildren()) != 1 {
			return "", false
		}
		if _, _, ok := element(l.NamedChildren()[0]); !ok {
			return "", false
		}
		switch strings.ReplaceAll(r.Text(), " ", "") {
		case "true":
			return l.Text(), true
		case "struct{}{}":
			return "_, ok := " + l.Text() + "; ok", true
		}
		return "", false
	}
	kids := n.NamedChildren()
	if n.Kind() != "expression_statement" || len(kids) != 1 {
		return "", false
	}
	fn, args, _, ok := call(kids[0])
	if !ok || len(args) == 0 || len(args) > 2 {
		return "", false
	}
	o, m, ok := member(fn)
	if !ok || !plainChain(o.Text()) {
		return "", false
	}
	switch {
	case m.Text() == "add" && len(args) == 1 && s.d.lang == py:
		return args[0].Text() + " in " + o.Text(), true
	case m.Text() == "add" && len(args) == 1, m.Text() == "set" && len(args) == 2 && s.d.lang == js:
		return o.Text() + ".has(" + args[0].Text() + ")", true
	}
	return "", false
}

// guardUnpack leaves where a text does not hold what it is split at, before its
// parts are named.
func guardUnpack(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	text, sep, parts, ok := s.splits(n)
	if !ok {
		return
	}
	lacks := map[int]string{py: sep + " not in " + text, js: "!" + text + ".includes(" + sep + ")", golang: "!strings.Contains(" + text + ", " + sep + ")"}[s.d.lang]
	for i, x := range slices.Concat(s.raises(n, sep, text), s.exitsAt(n, 4)) {
		if i < 8 {
			s.before(n, s.brief(lacks, x.text), x.weight, "When %s, %s first.", one(lacks), x.text)
			if s.d.lang == golang && parts != "" {
				s.after(n, s.guard("len("+parts+") < 2", x.text), x.weight, "When there are too few parts, %s.", x.text)
			}
		}
	}
}

// splits takes a, b = text.split(sep) apart; in Go the parts have a name.
func (s *scene) splits(n code.Node) (text, sep, parts string, ok bool) {
	left, right := code.Node{}, code.Node{}
	n.Walk(func(c code.Node) bool {
		if l, has := c.ChildByField("left"); has && left.Tree() == nil {
			left = l
			right, _ = c.ChildByField("right")
		}
		if l, has := c.ChildByField("name"); has && c.Kind() == "variable_declarator" {
			left = l
			right, _ = c.ChildByField("value")
		}
		return left.Tree() == nil && c.EndLine() < n.Line()+3
	})
	if left.Tree() == nil || right.Tree() == nil || n.EndLine() > n.Line()+2 || n.Start() != left.Start() && s.d.lang == py {
		return "", "", "", false
	}
	if kids := right.NamedChildren(); right.Kind() == "expression_list" && len(kids) == 1 {
		right = kids[0]
	}
	fn, args, _, ok := call(right)
	if !ok || len(args) == 0 {
		return "", "", "", false
	}
	o, m, has := member(fn)
	several := left.Kind() == "pattern_list" || left.Kind() == "tuple_pattern" || left.Kind() == "array_pattern"
	switch {
	case s.d.lang == golang && (fn.Text() == "strings.Split" || fn.Text() == "strings.SplitN") && len(args) >= 2:
		return args[0].Text(), args[1].Text(), left.Text(), plainChain(args[0].Text())
	case s.d.lang != golang && has && several && (m.Text() == "split" || m.Text() == "rsplit") && args[0].Kind() != "keyword_argument" && args[0].Kind() != "regex":
		return o.Text(), args[0].Text(), "", plainChain(o.Text())
	}
	return "", "", "", false
}

// raises lists the exceptions that a function throws, each with what is said of
// the place: the kinds are the function's own, the names those in scope.
func (s *scene) raises(n code.Node, missing, text string) []choice {
	fn, ok := enclosing(n)
	if !ok || s.d.lang == golang {
		return nil
	}
	var out []choice
	fn.Walk(func(c code.Node) bool {
		if c.Kind() != "raise_statement" && c.Kind() != "throw_statement" || len(c.NamedChildren()) == 0 {
			return true
		}
		if s.inScope(c, n.Start()) {
			out = append(out, choice{strings.TrimSuffix(c.Text(), ";"), 1})
		}
		name, _, _, ok := call(c.NamedChildren()[0])
		if !ok {
			return true
		}
		if s.d.lang == py {
			said := "f\"No {" + missing + "!r} found in {" + text + "!r}\""
			if strings.ContainsAny(missing+text, "\"'") {
				said = "\"" + strings.Trim(missing, `"'`) + " not found\""
			}
			out = append(out, choice{"raise " + name.Text() + "(" + said + ")", 1})
		} else {
			out = append(out, choice{"throw new " + name.Text() + "(" + text + ")", 0.5})
		}
		return true
	})
	return out[:min(len(out), 4)]
}

var word = regexp.MustCompile(`[A-Za-z_]\w{2,}`)

// guardHinted leaves where a comment speaks of a property that the code below it
// does not ask for.
func guardHinted(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	said := s.commentAbove(n)
	if said == "" {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.kind == "module" {
			continue
		}
		for _, w := range word.FindAllString(said, 60) {
			if !slices.Contains(s.project.read[v.name], w) || wordCount(n.Text(), w) > 0 {
				continue
			}
			for _, x := range s.exitsAt(n, 2) {
				s.before(n, s.brief(s.d.not+v.name+"."+w, x.text), x.weight, "When there is no %s, %s first.", one(v.name+"."+w), x.text)
				s.before(n, s.brief(v.name+"."+w, x.text), x.weight*0.4, "When there is %s, %s first.", one(v.name+"."+w), x.text)
			}
		}
	}
}

// commentAbove is the text of the comment lines right above a statement, or a
// blank line apart.
func (s *scene) commentAbove(n code.Node) string {
	in, ok := s.indent(n)
	if !ok {
		return ""
	}
	lines := strings.Split(string(s.src[:n.Start()-len(in)]), "\n")
	var out []string
	blank := 0
	for i := len(lines) - 2; i >= 0; i-- {
		l := strings.TrimSpace(lines[i])
		switch {
		case l == "" && blank < 2 && len(out) == 0:
			blank++
		case strings.HasPrefix(l, "//") || strings.HasPrefix(l, "#"):
			out = append(out, l)
		default:
			return strings.Join(out, " ")
		}
	}
	return strings.Join(out, " ")
}
