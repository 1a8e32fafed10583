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
