package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// opposites are names of steps that undo each other; the second takes no value
// where it says so.
var opposites = []struct {
	do, undo string
	plain    bool // the step back takes no value
}{
	{"push", "pop", true}, {"append", "pop", true}, {"Push", "Pop", true}, {"add", "discard", false}, {"add", "delete", false}, {"add", "remove", false}, {"Add", "Remove", false},
	{"set", "delete", false}, {"acquire", "release", true}, {"Acquire", "Release", true}, {"lock", "unlock", true}, {"Lock", "Unlock", true}, {"RLock", "RUnlock", true},
	{"open", "close", true}, {"Open", "Close", true}, {"enter", "leave", true}, {"enter", "exit", true}, {"Enter", "Leave", true}, {"Enter", "Exit", true}, {"begin", "end", true}, {"Begin", "End", true},
	{"start", "stop", true}, {"Start", "Stop", true}, {"reserve", "release", false}, {"Reserve", "Release", false}, {"hold", "release", false}, {"register", "unregister", false},
	{"subscribe", "unsubscribe", false}, {"attach", "detach", false}, {"connect", "disconnect", true}, {"mark", "unmark", false}, {"save", "restore", true}, {"indent", "dedent", true},
	{"enable", "disable", true}, {"suspend", "resume", true}, {"pause", "resume", true}, {"increment", "decrement", false}, {"Inc", "Dec", true}, {"insert", "remove", false},
}

// oppositeStatement undoes later what a statement did: takes from the stack
// what was put on it, gives back what was taken, before the function goes on.
func oppositeStatement(s *scene, n code.Node) {
	if !isStatement(n) {
		return
	}
	fn, ok := enclosing(n)
	if !ok {
		return
	}
	after := string(s.src[n.End():fn.End()])
	end := map[bool]string{true: ";"}[s.d.lang == js]
	for _, undo := range s.undone(n) {
		if strings.Contains(after, undo) {
			continue
		}
		s.undoAfter(n, undo+end)
	}
	if saved, restore, ok := s.savedValue(n); ok && wordCount(after, saved) == 0 {
		s.undoAfter(n, restore+end)
	}
}

// undone lists the steps back from a statement.
func (s *scene) undone(n code.Node) []string {
	kids := n.NamedChildren()
	text := strings.TrimSuffix(n.Text(), ";")
	kept := strings.Contains(text, ".") // what only lives in the function needs no step back
	switch {
	case !kept:
		return nil
	case strings.HasSuffix(text, "++"):
		return []string{strings.TrimSuffix(text, "++") + "--"}
	case strings.HasSuffix(text, "--"):
		return []string{strings.TrimSuffix(text, "--") + "++"}
	case strings.Contains(text, " += ") && !strings.Contains(text, "\n"):
		return []string{strings.Replace(text, " += ", " -= ", 1)}
	}
	if n.Kind() != "expression_statement" || len(kids) != 1 {
		return nil
	}
	fn, args, list, ok := call(kids[0])
	if !ok {
		return nil
	}
	o, m, ok := member(fn)
	if !ok {
		return nil
	}
	var out []string
	for _, pair := range opposites {
		if m.Text() != pair.do || !s.hasMethod(pair.do, pair.undo) {
			continue
		}
		values := list.Text()
		if known := s.methodNamed(pair.undo); known != nil && !known.takes(len(args)) || known == nil && pair.plain {
			values = "()"
		} else if pair.do == "set" && len(args) > 1 {
			values = "(" + args[0].Text() + ")"
		}
		out = append(out, o.Text()+"."+pair.undo+values)
	}
	return out
}

// hasMethod tells whether the step back is there: the language's own, or the
// project's beside the step.
func (s *scene) hasMethod(do, undo string) bool {
	if len(s.project.owners[do]) > 0 {
		return s.methodNamed(undo) != nil
	}
	switch do + " " + undo {
	case "push pop", "add delete", "set delete":
		return s.d.lang == js
	case "append pop", "add discard", "acquire release":
		return s.d.lang == py
	case "Lock Unlock", "RLock RUnlock":
		return s.d.lang == golang
	}
	return false
}

func (s *scene) methodNamed(name string) *function {
	for _, f := range s.project.named[name] {
		if f.class != "" {
			return f
		}
	}
	return nil
}

// undoAfter puts a step back behind each statement that follows in the block,
// before what leaves, and at the end.
func (s *scene) undoAfter(n code.Node, undo string) {
	list := parentOf(n).NamedChildren()
	found, done := false, 0
	for i, c := range list {
		if c == n {
			found = true
			if s.d.lang == golang && n.Kind() == "expression_statement" {
				s.after(n, "defer "+undo, 0.6, "Do %s at the end.", one(undo))
			}
			continue
		}
		if !found || done >= 5 {
			continue
		}
		if leaves(c) {
			s.before(c, undo, 1, "Do %s before %s.", one(undo), one(firstLineOf(c.Text())))
			return
		}
		done++
		w := 0.6
		if i == len(list)-1 || c.EndLine() > c.Line() {
			w = 1
		}
		s.after(c, undo, w, "Do %s again after %s.", one(undo), one(firstLineOf(c.Text())))
	}
}

// savedValue tells that a statement keeps a value for later: old = x.y.
func (s *scene) savedValue(n code.Node) (name, restore string, ok bool) {
	name, v, ok := defines(n)
	if !ok {
		return "", "", false
	}
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(lower, "old"), strings.HasPrefix(lower, "prev"), strings.HasPrefix(lower, "saved"), strings.HasPrefix(lower, "before"):
	default:
		return "", "", false
	}
	if _, _, chain := member(v); !chain && v.Kind() != "identifier" {
		return "", "", false
	}
	return name, v.Text() + " = " + name, true
}
