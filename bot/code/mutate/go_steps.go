package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// deferKind puts a step off to the end, or does it at once.
func deferKind(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	if n.Kind() == "defer_statement" {
		if kids := n.NamedChildren(); len(kids) == 1 {
			s.put(n.Start(), kids[0].Start(), "", 0.6, "Do %s at once.", one(kids[0].Text()))
		}
		if next := nextStatement(n); next.Tree() != nil && next.Kind() == "defer_statement" {
			s.put(n.Start(), next.End(), next.Text()+string(s.src[n.End():next.Start()])+n.Text(), 1, "Put %s off before %s: the last one is done first.", one(next.Text()), one(n.Text()))
		}
		return
	}
	if n.Kind() != "expression_statement" {
		return
	}
	kids := n.NamedChildren()
	fn, args, _, ok := call(kids[0])
	if !ok {
		return
	}
	w := 0.1
	if _, m, ok := member(fn); ok && len(args) == 0 {
		switch m.Text() {
		case "Unlock", "RUnlock", "Close", "Done", "Stop", "Flush", "Rollback":
			w = 2
		}
	}
	s.put(n.Start(), n.Start(), "defer ", w, "Do %s at the end of the function.", one(n.Text()))
}

// lockAround takes the lock that other methods take.
func lockAround(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := heads(n)
	if !ok || !isFunction(fn) || strings.Contains(fn.Text(), "Lock()") {
		return
	}
	for _, d := range s.facts.donors {
		text := d.Text()
		if !strings.HasSuffix(text, "Lock()") || d.Kind() == "defer_statement" || !s.inScope(d, n.Start()) {
			continue
		}
		open := strings.TrimSuffix(text, "()")
		unlock := strings.TrimSuffix(strings.TrimSuffix(open, "Lock"), "R") + map[bool]string{true: "RUnlock()", false: "Unlock()"}[strings.HasSuffix(open, "RLock")]
		s.before(n, text+"\ndefer "+unlock, 1, "Hold the lock %s.", one(strings.TrimSuffix(text, "()")))
	}
}

// unlockLate holds a lock to the end of the function instead of to a step.
func unlockLate(s *scene, n code.Node) {
	if n.Kind() != "expression_statement" || !isStatement(n) || !strings.HasSuffix(n.Text(), "Lock()") || strings.HasSuffix(n.Text(), "Unlock()") {
		return
	}
	open := strings.TrimSuffix(strings.TrimSuffix(n.Text(), "Lock()"), "R")
	unlock := open + map[bool]string{true: "RUnlock()", false: "Unlock()"}[strings.HasSuffix(n.Text(), ".RLock()")]
	for _, c := range parentOf(n).NamedChildren() {
		if c.Start() < n.Start() || c.Text() != unlock {
			continue
		}
		start, end, ok := s.wholeLines(c)
		if !ok {
			return
		}
		in := s.indentOf(n)
		s.put(n.End(), end, s.eol+in+"defer "+unlock+string(s.src[n.End():start]), 1, "Hold the lock to the end of the function.")
		return
	}
	if nextStatement(n).Tree() == nil || !strings.Contains(nextStatement(n).Text(), unlock) {
		s.after(n, "defer "+unlock, 1, "Give the lock back at the end of the function.")
	}
}

// deferArguments works out what a deferred call is given when it is done, not
// when it is put off.
func deferArguments(s *scene, n code.Node) {
	if n.Kind() != "defer_statement" || len(n.NamedChildren()) != 1 {
		return
	}
	c := n.NamedChildren()[0]
	if _, args, _, ok := call(c); ok && len(args) > 0 && !strings.Contains(c.Text(), "\n") {
		s.put(c.Start(), c.End(), "func() { "+c.Text()+" }()", 1, "Work out the arguments of %s at the end.", one(c.Text()))
	}
}

// closeChannel ends a channel that others go over.
func closeChannel(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	owner, ok := heads(n)
	if !ok || owner.Kind() != "func_literal" || strings.Contains(owner.Text(), "close(") {
		return
	}
	done := map[string]bool{}
	owner.Walk(func(c code.Node) bool {
		if c.Kind() == "send_statement" {
			if ch, ok := c.ChildByField("channel"); ok && !done[ch.Text()] {
				done[ch.Text()] = true
				s.before(n, "defer close("+ch.Text()+")", 1, "Close %s when all is sent.", one(ch.Text()))
			}
		}
		return true
	})
}

// countFirst counts what is waited for before it is started.
func countFirst(s *scene, n code.Node) {
	if n.Kind() != "go_statement" || !isStatement(n) {
		return
	}
	in := s.indentOf(n)
	n.Walk(func(c code.Node) bool {
		if c.Kind() == "expression_statement" && strings.HasSuffix(c.Text(), ".Add(1)") {
			if start, end, ok := s.wholeLines(c); ok {
				s.put(n.Start(), end, c.Text()+s.eol+in+string(s.src[n.Start():start]), 1, "Count before the start.")
			}
		}
		return true
	})
}

// balance does to what the function counts what other functions do to it.
func balance(s *scene, n code.Node) {
	fn, ok := enclosing(n)
	if !ok || !isStatement(n) || n.EndLine() > n.Line()+1 || isFunction(ownerOf(n)) && leaves(n) {
		return
	}
	done := 0
	for _, d := range s.facts.donors {
		target, ok := countedField(d)
		if !ok || done >= 3 || d.Start() >= fn.Start() && d.End() <= fn.End() && ownerOf(d) == ownerOf(n) || !s.inScope(d, n.Start()) {
			continue
		}
		if !strings.Contains(fn.Text(), target+" +") && !strings.Contains(fn.Text(), target+" -") && !strings.Contains(fn.Text(), target+"++") && !strings.Contains(fn.Text(), target+"--") {
			continue
		}
		done++
		s.before(n, d.Text(), 1, "Do %s first, as elsewhere in the file.", one(d.Text()))
		if s.lastInBlock(n) && !leaves(n) {
			s.after(n, d.Text(), 1, "Do %s afterwards, as elsewhere in the file.", one(d.Text()))
		}
	}
}

// countedField is the field that a statement counts: s.used of s.used -= e.weight.
func countedField(n code.Node) (string, bool) {
	for _, op := range []string{" += ", " -= ", "++", "--"} {
		if target, _, ok := strings.Cut(n.Text(), op); ok && strings.Contains(target, ".") && !strings.ContainsAny(target, " (") {
			return target, true
		}
	}
	return "", false
}
