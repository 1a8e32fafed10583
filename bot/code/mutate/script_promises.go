package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// caseEnd ends a case of a switch that falls through into the next one.
func caseEnd(s *scene, n code.Node) {
	if n.Kind() != "switch_case" && n.Kind() != "switch_default" {
		return
	}
	kids := n.NamedChildren()
	if len(kids) == 0 {
		return
	}
	last := kids[len(kids)-1]
	if last.Field() == "value" || leaves(last) {
		if leaves(last) && last.Kind() == "break_statement" && len(kids) > 1 {
			if start, end, ok := s.wholeLines(last); ok {
				s.put(start, end, "", 0.2, "Go on with the next case.")
			}
		}
		return
	}
	s.after(last, "break;", 1, "Leave the switch after %s.", one(last.Text()))
	if x := last.NamedChildren(); last.Kind() == "expression_statement" && len(x) == 1 && !strings.Contains(x[0].Kind(), "assignment") {
		s.put(last.Start(), last.Start(), "return ", 1, "Return %s.", one(last.Text()))
	}
	s.after(last, "return;", 0.3, "Return after %s.", one(last.Text()))
}
