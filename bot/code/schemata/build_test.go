package schemata

import (
	"strings"
	"testing"
)

// paper is a disk that only remembers what was written last.
type paper map[string]string

func (p paper) WriteFile(name string, text []byte) error { p[name] = string(text); return nil }
func (p paper) Remove(name string) error                 { delete(p, name); return nil }

// A compiler that names another line than that of the change, as for a cycle of
// initialisations, does not take the other changes with it.
func TestR1AChangeThatIsRefusedElsewhereIsLeftOutAlone(t *testing.T) {
	t.Parallel()
	original := "package p\n\nfunc f(a int) int {\n\treturn a\n}\n"
	change := func(to string) Change {
		at := strings.Index(original, "return a") + len("return ")
		return Change{Path: "p.go", Original: []byte(original), Start: at, End: at + 1, Text: func() []byte { return []byte(original[:at] + to + original[at+1:]) }}
	}
	for name, c := range map[string]struct {
		changes []string
		bad     []string // each refused, with no line of it named
		ok      bool
		built   int
	}{
		"one of many":        {[]string{"a + 1", "a + 2", "bad()", "a + 3", "a + 4"}, []string{"bad()"}, true, 4},
		"two of many":        {[]string{"worse()", "a + 2", "bad()", "a + 3"}, []string{"bad()", "worse()"}, true, 2},
		"three are too many": {[]string{"worse()", "worst()", "bad()", "a + 3"}, []string{"bad()", "worse()", "worst()"}, false, 0},
		"the file itself":    {[]string{"a + 1", "a + 2"}, []string{"package p"}, false, 0},
	} {
		var cs []Change
		for _, to := range c.changes {
			cs = append(cs, change(to))
		}
		s, disk, builds := New(cs), paper{}, 0
		ok, err := s.Build(disk, ".", func(bool) (bool, string, error) {
			builds++
			for _, bad := range c.bad {
				if strings.Contains(disk["p.go"], bad) {
					return true, "./p.go:1:1: initialization cycle for p\n", nil
				}
			}
			return false, "", nil
		})
		if err != nil || ok != c.ok || len(s.Built) != c.built {
			t.Errorf("%s: ok %v with %d changes after %d builds (%v)", name, ok, len(s.Built), builds, err)
		}
		if disk["p.go"] != original {
			t.Errorf("%s: the original does not lie there afterwards: %q", name, disk["p.go"])
		}
	}
}
