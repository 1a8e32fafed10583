package mend

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// borrowed are the operators that copy what stands elsewhere to a place where
// it may do more than is asked for.
var borrowed = map[string]bool{"sibling_statement": true}

// byMaking says what speaks against a change by the way it was made, for it was
// not one plain mistake that it takes back.
func (c candidate) byMaking() []string {
	op := c.mutation.Operator
	switch {
	case c.twice:
		return []string{"it changes more than one place"}
	case borrowed[op]:
		return []string{"what it copies may do more than is asked for"}
	case (op == "project_call" || op == "project_method") && !c.akin():
		return []string{"another function of the project does the same for the failing test only"}
	}
	return nil
}

// specialShare puts a change back that asks for what only a test holds.
const specialShare = 0.2

// special is a constant that a change compares with or returns, and that stands
// in a failing test and nowhere in the file: then the change may answer that test
// alone. "" for none.
func (s *search) special(c candidate) string {
	for _, m := range decides.FindAllStringSubmatch(c.mutation.Replacement, 8) {
		value := m[1]
		bare := strings.Trim(value, "\"'`")
		if len(bare) < 2 || strings.Contains(string(c.original), value) {
			continue
		}
		for _, t := range s.target.red {
			if wholeWord(string(s.sources.read(t.File)), bare) > 0 {
				return value
			}
		}
	}
	return ""
}

// decides finds the constants of comparisons and of returns.
var decides = lazyregexp.New(`(?:[!=]==?|\bin \(|\bis\b|\breturn\b|\bcase\b)\s*("[^"]*"|'[^']*'|-?\d[\w.]*)`)

// akin tells whether the name that is called now has a word of the one before.
func (c candidate) akin() bool {
	was := wordsOf(string(c.original[c.start:c.end]))
	return shared(was, wordsOf(c.mutation.Replacement)) > 0 || strings.HasPrefix(string(c.original[c.start:c.end]), "len")
}
