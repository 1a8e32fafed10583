package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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
