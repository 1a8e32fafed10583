package mend

import (
	"regexp"
	"strings"
)

// borrowed are the operators that copy what stands elsewhere to a place where
// it may do more than is asked for.
var borrowed = map[string]bool{"sibling_statement": true, "companion_statement": true}

// byMaking says what speaks against a change by the way it was made, for it was
// not one plain mistake that it takes back.
func (c candidate) byMaking() []string {
	op := c.mutation.Operator
	switch {
	case c.twice:
		return []string{"it changes more than one place"}
	case borrowed[op]:
		return []string{"what it copies may do more than is asked for"}
	case (op == "condition_made" || op == "guard_made") && invented.MatchString(c.mutation.Replacement):
		return []string{"only the failing test says which constant its condition has to hold"}
	case op == "guard_made":
		return []string{"its condition was found by trying"}
	case (op == "project_call" || op == "project_method") && !c.akin():
		return []string{"another function of the project does the same for the failing test only"}
	}
	return nil
}

// invented is a constant in a condition that says more than none and first.
var invented = regexp.MustCompile(`[<>=!]=?=? (?:-?(?:[2-9]|\d{2,})|["'][^"']+["'])`)

// akin tells whether the name that is called now has a word of the one before.
func (c candidate) akin() bool {
	was := wordsOf(string(c.original[c.start:c.end]))
	return shared(was, wordsOf(c.mutation.Replacement)) > 0 || strings.HasPrefix(string(c.original[c.start:c.end]), "len")
}
