// Package policy has the rules which say who may do what.
package policy

import (
	"fmt"
	"strings"
)

// Pattern matches paths such as /docs/*/draft or /docs/**.
type Pattern struct {
	parts []string
	open  bool
}

// ParsePattern reads a pattern. "*" stands for one part of the path, "**" at
// the end for any number of parts.
func ParsePattern(text string) (Pattern, error) {
	if !strings.HasPrefix(text, "/") {
		return Pattern{}, fmt.Errorf("pattern %q must start with /", text)
	}
	parts := splitPath(text)
	p := Pattern{parts: parts}
	for i, part := range parts {
		if part == "**" {
			if i != len(parts)-1 {
				return Pattern{}, fmt.Errorf("pattern %q: ** is for the end only", text)
			}
			p.open = true
			p.parts = parts[:i]
		}
	}
	return p, nil
}

// Match tells whether a path fits.
func (p Pattern) Match(path string) bool {
	parts := splitPath(path)
	if len(parts) < len(p.parts) || (!p.open && len(parts) > len(p.parts)) {
		return false
	}
	for i, want := range p.parts {
		if want != "*" && want != parts[i] {
			return false
		}
	}
	return true
}

func splitPath(path string) []string {
	var out []string
	for _, part := range strings.Split(path, "/") {
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}
