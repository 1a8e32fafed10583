package task

import (
	"fmt"
	"regexp"
)

// hisses ends words that take es.
var hisses = regexp.MustCompile(`(?:s|x|ch|sh)$`)

// Count is a number of things in words: "1 branch", "2 changed files".
func Count(n int, what string) string {
	switch {
	case n == 1:
	case hisses.MatchString(what):
		what += "es"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
