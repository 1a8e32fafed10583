package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// indexStepBack stays at the place that an element was taken out of, and takes
// one out only where it was found.
func indexStepBack(s *scene, n code.Node) {
	kids := n.NamedChildren()
	if n.Kind() != "expression_statement" || len(kids) != 1 {
		return
	}
	fn, args, _, ok := call(kids[0])
	if !ok || len(args) == 0 {
		return
	}
	if _, m, ok := member(fn); !ok || m.Text() != "splice" && m.Text() != "delete" {
		return
	}
	i := args[0]
	if i.Kind() != "identifier" {
		return
	}
	if loop, ok := inLoop(n); ok && loop.Kind() == "for_statement" && strings.Contains(loop.Text(), i.Text()+"++") && isStatement(n) {
		s.after(n, i.Text()+"--;", 1, "Stay at the place of what was taken out.")
	}
	if s.isIndex(i) {
		s.put(n.Start(), n.Start(), "if ("+i.Text()+" !== -1) ", 1, "Take out only what was found.")
	}
}

// rethrow passes an error on that is not dealt with.
func rethrow(s *scene, n code.Node) {
	c, ok := n.Ancestor("catch_clause")
	if !ok {
		return
	}
	p, ok := c.ChildByField("parameter")
	if !ok || p.Kind() != "identifier" {
		return
	}
	text := "throw " + p.Text() + ";"
	switch {
	case n.Kind() == "return_statement":
		s.put(n.Start(), n.End(), text, 1, "Throw the error on.")
	case n.Kind() == "expression_statement" && isStatement(n) && s.lastInBlock(n) && ownerOf(n).Kind() == "catch_clause":
		s.after(n, text, 1, "Throw the error on.")
		s.after(n, "return null;", 0.2, "Return after the error.")
	case n.Kind() == "if_statement" && isStatement(n) && s.lastInBlock(n) && ownerOf(n).Kind() == "catch_clause":
		s.after(n, text, 1.5, "Throw any other error on.")
	case n.Kind() == "throw_statement" && len(n.NamedChildren()) == 1 && n.NamedChildren()[0].Kind() != "identifier":
		s.put(n.Start(), n.End(), text, 0.5, "Throw the error itself on.")
	}
}

// throwDonor fails, as elsewhere in the file, instead of giving a value, and
// asks for another class of errors.
func throwDonor(s *scene, n code.Node) {
	if left, op, right, ok := binary(n); ok && op.Text() == "instanceof" && right.Kind() == "identifier" {
		for i, class := range s.thrown() {
			if class != right.Text() && i < 6 {
				s.put(right.Start(), right.End(), class, 1, "Ask whether %s is of %s.", one(left.Text()), one(class))
			}
		}
		return
	}
	if n.Kind() != "return_statement" || ownerOf(n).Kind() != "if_statement" && n.Up() != "if_statement" {
		return
	}
	if kids := n.NamedChildren(); len(kids) == 1 && !isConstant(kids[0]) {
		return
	}
	done := 0
	n.Tree().Root().Walk(func(c code.Node) bool {
		if c.Kind() == "throw_statement" && done < 4 && len(c.Text()) < 100 && !strings.Contains(c.Text(), "\n") && s.inScope(c, n.Start()) {
			done++
			s.put(n.Start(), n.End(), c.Text(), 1, "Do %s, as elsewhere in the file.", one(c.Text()))
		}
		return done < 4
	})
}

// thrown are the classes that the file throws, extends or asks for.
func (s *scene) thrown() []string {
	var out []string
	s.t.Walk(func(c code.Node) bool {
		switch c.Kind() {
		case "new_expression":
			if f, ok := c.ChildByField("constructor"); ok && strings.HasSuffix(f.Text(), "Error") {
				out = addOnce(out, f.Text())
			}
		case "class_declaration":
			if f, ok := c.ChildByField("name"); ok {
				out = addOnce(out, f.Text())
			}
		case "binary_expression":
			if _, op, right, ok := binary(c); ok && op.Text() == "instanceof" {
				out = addOnce(out, right.Text())
			}
		case "import_specifier":
			if strings.HasSuffix(c.Text(), "Error") {
				out = addOnce(out, c.Text())
			}
		}
		return len(out) < 8
	})
	return out
}

// memoStore keeps a result where the function looks for it at the beginning.
func memoStore(s *scene, n code.Node) {
	if n.Kind() != "return_statement" || !isStatement(n) || len(n.NamedChildren()) != 1 {
		return
	}
	fn, ok := enclosing(n)
	if !ok || ownerOf(n) != fn {
		return
	}
	v := n.NamedChildren()[0]
	if v.Kind() != "identifier" {
		return
	}
	list, _ := body(fn)
	for _, c := range list {
		cond, ok := condition(c)
		if !ok || c.End() >= n.Start() {
			continue
		}
		f, args, _, ok := call(cond)
		if !ok || len(args) != 1 {
			continue
		}
		if o, m, ok := member(f); ok && m.Text() == "has" && !strings.Contains(fn.Text(), o.Text()+".set(") {
			s.before(n, o.Text()+".set("+args[0].Text()+", "+v.Text()+");", 1, "Keep the result in %s.", one(o.Text()))
			s.before(n, o.Text()+".add("+args[0].Text()+");", 0.5, "Note it in %s.", one(o.Text()))
		}
	}
}

// superCall does what the method of the base class does, too.
func superCall(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := heads(n)
	if !ok || fn.Kind() != "method_definition" || strings.Contains(fn.Text(), "super") {
		return
	}
	class, ok := fn.Ancestor("class_declaration", "class")
	if !ok || !strings.Contains(firstLineOf(class.Text()), " extends ") {
		return
	}
	name, ok1 := fn.ChildByField("name")
	p, ok2 := fn.ChildByField("parameters")
	if !ok1 || !ok2 {
		return
	}
	var args []string
	for _, c := range p.NamedChildren() {
		if c.Kind() == "assignment_pattern" {
			c, _ = c.ChildByField("left")
		}
		args = append(args, c.Text())
	}
	up := "super." + name.Text()
	if name.Text() == "constructor" {
		up = "super"
	}
	s.before(n, up+"("+strings.Join(args, ", ")+");", 1, "Do what the base class does first.")
}
