package code

import "fmt"

// closes tells which bracket a closing one belongs to.
var closes = map[string]string{")": "(", "]": "[", "}": "{"}

// bracketError finds the bracket that is not closed, or that closes another
// one or none: what mostly is wrong where a large part of a text does not
// parse, and a better place to name than where that part begins. Brackets in
// strings and comments do not count, because only tokens are looked at.
func (t *Tree) bracketError() (SyntaxError, bool) {
	type open struct {
		kind  string
		start int
	}
	var stack []open
	var found *SyntaxError
	say := func(at int, message string) bool {
		e := t.errorAt(at, message)
		found = &e
		return false
	}
	t.Walk(func(n Node) bool {
		if found != nil {
			return false
		}
		if _, more := n.First(); more || n.IsMissing() || n.Start() == n.End() {
			return true
		}
		switch kind := n.Kind(); kind {
		case "(", "[", "{":
			stack = append(stack, open{kind, n.Start()})
		case "${", "#{":
			stack = append(stack, open{"{", n.Start()})
		case "#[": // an attribute of PHP
			stack = append(stack, open{"[", n.Start()})
		case ")", "]", "}":
			if len(stack) == 0 {
				return say(n.Start(), quote(kind)+" closes nothing")
			}
			top := stack[len(stack)-1]
			if top.kind != closes[kind] {
				return say(n.Start(), fmt.Sprintf("%s does not close %s of line %d", quote(kind), quote(top.kind), t.Line(top.start)))
			}
			stack = stack[:len(stack)-1]
		}
		return true
	})
	if found == nil && len(stack) > 0 {
		top := stack[len(stack)-1]
		say(top.start, quote(top.kind)+" is never closed")
	}
	if found == nil {
		return SyntaxError{}, false
	}
	return *found, true
}
