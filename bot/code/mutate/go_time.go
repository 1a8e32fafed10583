package mutate

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

var units = strings.Fields("Nanosecond Microsecond Millisecond Second Minute Hour")

// timeUnit uses another unit of time, or gives a bare number one.
func timeUnit(s *scene, n code.Node) {
	if o, m, ok := member(n); ok && o.Text() == "time" {
		for i, u := range units {
			if u != m.Text() {
				continue
			}
			for j, other := range units {
				if d := max(i-j, j-i); d > 0 {
					s.put(m.Start(), m.End(), other, 1/float64(d), "Use the unit time.%s instead of time.%s.", other, u)
				}
			}
			for _, v := range s.facts.visible(n.Start()) {
				if v.kind != "module" && (v.typ == "time.Duration" || v.uses <= 2 && v.kind == "local") {
					s.put(n.Start(), n.End(), v.name, 0.7, "Use the unit %s.", one(v.name))
				}
			}
		}
		return
	}
	fn, args, _, ok := call(n)
	if !ok || fn.Text() != "time.Duration" || len(args) != 1 {
		return
	}
	if _, op, _, ok := binary(parentOf(n)); ok && op.Text() == "*" {
		return
	}
	for _, u := range []string{"Second", "Millisecond", "Minute", "Hour"} {
		s.put(n.Start(), n.End(), n.Text()+" * time."+u, 1, "Take %s as time.%s.", one(args[0].Text()), u)
	}
}
