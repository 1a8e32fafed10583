package task

import "fmt"

// Line is a fact with its name, for a person.
type Line struct{ Name, Text string }

// Lines tells how mechanical repair came to its change: by which template, why
// there, what else was tried and what was against it. Nil tells nothing.
func (s *Search) Lines() []Line {
	if s == nil {
		return nil
	}
	var out []Line
	add := func(name, format string, args ...any) { out = append(out, Line{name, fmt.Sprintf(format, args...)}) }
	if s.Template != "" {
		add("template", "%s", s.Template)
	}
	if s.Place != "" {
		add("place", "%s", s.Place)
	} else {
		for _, p := range s.Suspects {
			add("suspect", "%s", p)
		}
	}
	add("search", "%d candidates tried, %d passed every test; %.1f s to localise, %.1f s to search, %.1f s to judge", s.Tried, s.Plausible, s.Localised, s.Seconds, s.Judged)
	if s.TimeUp {
		add("search", "the time was up: what was found is the best until then")
	}
	for _, r := range s.Rejected {
		add("rejected", "%s", r)
	}
	return out
}
