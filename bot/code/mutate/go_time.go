package mutate

import (
	"regexp"
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

// timeEdge lets a bound in time belong to what it bounds, or not.
func timeEdge(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || len(args) != 1 {
		return
	}
	o, m, ok := member(fn)
	other := map[string]string{"Before": "After", "After": "Before"}[textOf(m)]
	if !ok || other == "" {
		return
	}
	text := o.Text() + "." + other + "(" + args[0].Text() + ")"
	if p := parentOf(n); isNot(p) {
		s.put(p.Start(), p.End(), text, 1, "Let the times not be equal.")
		return
	}
	s.put(n.Start(), n.End(), "!"+text, 1, "Let the times be equal too.")
	s.put(n.Start(), n.End(), args[0].Text()+"."+m.Text()+"("+o.Text()+")", 0.4, "Compare the times the other way round.")
}

// timeEqual compares moments, not how they are written.
func timeEqual(s *scene, n code.Node) {
	left, op, right, ok := binary(n)
	if !ok || op.Text() != "==" && op.Text() != "!=" || s.typeOfPlace(left) != "time.Time" && s.typeOfPlace(right) != "time.Time" {
		return
	}
	not := map[bool]string{true: "!"}[op.Text() == "!="]
	s.put(n.Start(), n.End(), not+left.Text()+".Equal("+right.Text()+")", 1, "Compare the moments.")
}

var wholeDays = regexp.MustCompile(`^(?:time\.Duration\((.+)\) ?\* ?)?(-?)24 ?\* ?time\.Hour$`)

// calendarDay counts days of the calendar instead of 24 hours, and the other
// way round, and takes another day as the first of the week.
func calendarDay(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok {
		return
	}
	o, m, ok := member(fn)
	if !ok {
		return
	}
	switch {
	case m.Text() == "Add" && len(args) == 1:
		if d := wholeDays.FindStringSubmatch(args[0].Text()); d != nil {
			days := d[2] + "1"
			if d[1] != "" {
				days = d[1]
			}
			s.put(n.Start(), n.End(), o.Text()+".AddDate(0, 0, "+days+")", 1, "Count days of the calendar.")
		}
	case m.Text() == "Truncate" && len(args) == 1 && wholeDays.MatchString(args[0].Text()):
		x := o.Text()
		s.put(n.Start(), n.End(), "time.Date("+x+".Year(), "+x+".Month(), "+x+".Day(), 0, 0, 0, 0, "+x+".Location())", 1, "Take the beginning of the day where the time is.")
	case m.Text() == "Weekday" && len(args) == 0:
		if typ, _, ok := conversion(parentOf(parentOf(n))); ok && typ == "int" {
			whole := parentOf(parentOf(n))
			s.put(whole.Start(), whole.End(), "("+whole.Text()+"+6)%7", 1, "Let the week begin on Monday.")
		}
	}
}

// timePlace takes the place of another time instead of a fixed one.
func timePlace(s *scene, n code.Node) {
	if _, m, ok := member(n); !ok || n.Text() != "time.UTC" && n.Text() != "time.Local" || m.Text() == "" {
		return
	}
	for _, v := range s.facts.visible(n.Start()) {
		if v.typ == "time.Time" && v.kind != "module" {
			s.put(n.Start(), n.End(), v.name+".Location()", 1, "Take the place of %s.", one(v.name))
		}
	}
}
