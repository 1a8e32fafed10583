package mutate

import (
	"strings"
)

// moduleNamed tells whether the file imports a module under its own name.
func (s *scene) moduleNamed(name string) bool {
	for line := range strings.Lines(string(s.src)) {
		if rest, ok := strings.CutPrefix(line, "import "); ok && wordCount(rest, name) > 0 && !strings.Contains(rest, name+" as ") {
			return true
		}
	}
	return false
}

// named tells whether a name is imported from a module.
func (s *scene) named(name string) bool { return s.facts.imports[name] && !s.moduleNamed(name) }

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }
