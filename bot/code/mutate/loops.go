package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// moveLoop moves a statement over the edge of a loop (or, at the end, of a
// branch): the last out, the next in, the first out, the one before in.
func moveLoop(s *scene, n code.Node) {
	if !isStatement(n) || !simple(n) && !leaves(n) || !s.ownLines(n) {
		return
	}
	owner := ownerOf(n)
	in, _ := s.indent(n)
	if isLoop(owner) || owner.Kind() == "if_statement" && n.Kind() != "continue_statement" {
		if outer, ok := s.indent(owner); ok && s.lastInBlock(n) && len(parentOf(n).NamedChildren()) > 1 && owner.End() >= n.End() {
			s.moveOut(n, owner, in, outer)
		}
		if list := parentOf(n).NamedChildren(); isLoop(owner) && len(list) > 1 && list[0] == n && simple(n) {
			s.moveUp(n, owner)
		}
	}
	list := parentOf(n).NamedChildren()
	for i, c := range list {
		if c != n {
			continue
		}
		if i > 0 && isLoop(list[i-1]) {
			s.moveIn(n, list[i-1], in)
		}
		if i+1 < len(list) && isLoop(list[i+1]) && simple(n) {
			s.moveDown(n, list[i+1])
		}
	}
}

// ownLines tells a statement alone on its lines, without a text over lines.
func (s *scene) ownLines(n code.Node) bool {
	_, alone := s.indent(n)
	return alone && s.endsLine(n) && !strings.Contains(n.Text(), `"""`) && !strings.Contains(n.Text(), "`")
}

func (s *scene) moveOut(n, owner code.Node, in, outer string) {
	w := 1.0
	if !isLoop(owner) {
		w = 0.3
	}
	if n.Kind() == "break_statement" || n.Kind() == "continue_statement" {
		return
	}
	if _, ok := owner.ChildByField("alternative"); ok {
		return
	}
	text := strings.ReplaceAll(n.Text(), "\n"+in, "\n"+outer)
	start := n.Start() - len(in)
	if s.d.lang == py {
		if owner.End() == n.End() {
			s.put(start, n.End(), outer+text, w, "Do %s after the loop or branch.", one(n.Text()))
		}
		return
	}
	b, ok := owner.ChildByField("body")
	if !ok {
		b, ok = owner.ChildByField("consequence")
	}
	if !ok || b.End() != owner.End() || strings.TrimSpace(string(s.src[n.End():owner.End()])) != "}" {
		return
	}
	s.put(start, owner.End(), outer+"}"+s.eol+outer+text, w, "Do %s after the loop or branch.", one(n.Text()))
}

// moveIn moves the statement after a loop to the end of its body.
func (s *scene) moveIn(n, loop code.Node, in string) {
	if _, ok := loop.ChildByField("alternative"); ok || leaves(n) {
		return // a loop that ends in its first round is none
	}
	list, ok := body(loop)
	if !ok || len(list) == 0 {
		return
	}
	if _, alone := s.indent(list[0]); !alone || loop.Line() == loop.EndLine() {
		return
	}
	text := s.unit + strings.ReplaceAll(n.Text(), "\n"+in, "\n"+in+s.unit)
	if s.d.lang == py {
		bi, _ := s.indent(list[0])
		text = bi + strings.ReplaceAll(n.Text(), "\n"+in, "\n"+bi)
		s.put(n.Start()-len(in), n.End(), text, 0.7, "Do %s in each round of the loop.", one(n.Text()))
		return
	}
	b, _ := loop.ChildByField("body")
	brace := b.End() - 1
	if before, alone := code.IndentBefore(s.src, brace); alone && before == in && b.End() == loop.End() {
		s.put(brace, n.End(), text+s.eol+in+"}", 0.7, "Do %s in each round of the loop.", one(n.Text()))
	}
}

// moveUp moves the first statement of a loop before the loop.
func (s *scene) moveUp(n, loop code.Node) {
	in, _ := s.indent(n)
	outer, alone := s.indent(loop)
	list := parentOf(n).NamedChildren()
	if !alone || strings.Contains(string(s.src[loop.Start():n.Start()]), "//") || strings.Contains(string(s.src[loop.Start():n.Start()]), "#") {
		return
	}
	text := strings.ReplaceAll(n.Text(), "\n"+in, "\n"+outer)
	head := strings.TrimRight(string(s.src[loop.Start():n.Start()]), " \t\r\n")
	s.put(loop.Start(), list[1].Start(), text+s.eol+outer+head+s.eol+in, 0.8, "Do %s once before the loop.", one(n.Text()))
}

// moveDown moves the statement before a loop to the start of its body.
func (s *scene) moveDown(n, loop code.Node) {
	list, ok := body(loop)
	if !ok || len(list) == 0 {
		return
	}
	in, _ := s.indent(n)
	bi, alone := s.indent(list[0])
	head := string(s.src[loop.Start():list[0].Start()])
	between := string(s.src[n.End():loop.Start()])
	if !alone || strings.TrimSpace(between) != "" || strings.Contains(head, "//") || strings.Contains(head, "#") {
		return
	}
	text := strings.ReplaceAll(n.Text(), "\n"+in, "\n"+bi)
	s.put(n.Start(), list[0].Start(), strings.TrimRight(head, " \t\r\n")+s.eol+bi+text+s.eol+bi, 0.8, "Do %s in each round of the loop.", one(n.Text()))
}

func loopExitMissing(s *scene, n code.Node) {
	if !isStatement(n) || !s.lastInBlock(n) || leaves(n) {
		return
	}
	owner := ownerOf(n)
	switch owner.Kind() {
	case "if_statement", "elif_clause", "else_clause":
	default:
		return
	}
	if _, ok := inLoop(n); !ok {
		return
	}
	end := ""
	if s.d.lang == js {
		end = ";"
	}
	s.after(n, "break"+end, 1, "Leave the loop after %s.", one(n.Text()))
	s.after(n, "continue"+end, 0.6, "Go on with the next round after %s.", one(n.Text()))
}

// donorStatement copies a statement that stands elsewhere in the file.
func donorStatement(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	in, alone := s.indent(n)
	if !alone {
		return
	}
	class, _ := fn.Ancestor("class_definition", "class_declaration")
	done := 0
	for _, d := range s.facts.donors {
		text := d.Text()
		if done >= 8 || d.Start() >= n.Start() && d.End() <= n.End() || strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "print(") || strings.HasPrefix(text, "console.") {
			continue
		}
		if c, _ := d.Ancestor("class_definition", "class_declaration"); class != c {
			continue
		}
		if kids := d.NamedChildren(); len(kids) == 1 && (isString(kids[0]) || kids[0].Kind() == "await" || kids[0].Kind() == "yield") {
			continue
		}
		if !s.inScope(d, n.Start()) || !relatedNames(d, fn) {
			continue
		}
		done++
		w := 0.5
		if d.Start() < fn.Start() || d.End() > fn.End() {
			w = 1
		}
		s.put(n.Start(), n.Start(), text+s.eol+in, w, "Do %s first, as elsewhere in the file.", one(text))
		if s.lastInBlock(n) && !leaves(n) && s.endsLine(n) {
			s.put(n.End(), n.End(), s.eol+in+text, w, "Do %s afterwards, as elsewhere in the file.", one(text))
		}
	}
}

// relatedNames tells whether a donor shares a name with a function.
func relatedNames(d, fn code.Node) bool {
	text := fn.Text()
	found := false
	d.Walk(func(c code.Node) bool {
		k := c.Kind()
		if k == "identifier" || k == "property_identifier" || k == "field_identifier" {
			found = found || c.Text() != "self" && wordCount(text, c.Text()) > 0
		}
		return !found
	})
	return found
}
