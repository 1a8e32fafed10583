package mend

import (
	"strings"
	"testing"
)

func TestR2AConditionWhoseBranchesBecomeAlikeIsDoubted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, before, was, now string
		want                   bool
	}{
		"python":            {"a.py", "if x:\n    n += 1\nelse:\n    m += 1\n", "m += 1", "n += 1", true},
		"python expression": {"a.py", "y = a if x else b\n", "b\n", "a\n", true},
		"python kept":       {"a.py", "if x:\n    n += 1\nelse:\n    m += 1\n", "m += 1", "m += 2", false},
		"already alike":     {"a.py", "if x:\n    n += 1\nelse:\n    n += 1\nk = 1\n", "k = 1", "k = 2", false},
		"go":                {"a.go", "package a\n\nfunc f() {\n\tif x {\n\t\tt.A++\n\t} else {\n\t\tt.B++\n\t}\n}\n", "t.B", "t.A", true},
		"go chain":          {"a.go", "package a\n\nfunc f() {\n\tif x {\n\t\tt.A++\n\t} else if y {\n\t\tt.B++\n\t}\n}\n", "t.B", "t.A", false},
		"javascript":        {"a.js", "if (x) n += 1;\nelse { m += 1; }\n", "m += 1", "n += 1", true},
		"ternary":           {"a.js", "const y = x ? a : b;\n", "b;", "a;", true},
	} {
		start := strings.LastIndex(c.before, c.was)
		got := candidate{path: c.path, original: []byte(c.before), whole: []byte(c.before[:start] + c.now + c.before[start+len(c.was):])}.evensBranches(t.Context())
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
