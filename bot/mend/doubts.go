package mend

import (
	"strconv"
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

// unnamed is a figure that a change puts in the place of another one and that
// nobody named: it is neither one step beside what stood there, nor 0, 1, 2 or -1,
// nor do the issue and what is written in words in the file hold it. Other figures
// would pass the same tests as well. "" for none.
func (s *search) unnamed(c candidate) string {
	was := figures.FindAllString(string(c.original[c.start:c.end]), 9)
	now := figures.FindAllString(c.mutation.Replacement, 9)
	if len(was) == 0 || len(was) != len(now) {
		return ""
	}
	for i, f := range now {
		value, err := strconv.ParseInt(f, 0, 64)
		before, err2 := strconv.ParseInt(was[i], 0, 64)
		near := err == nil && err2 == nil && (value-before == 1 || before-value == 1)
		if f == was[i] || near || err == nil && value >= 0 && value <= 2 {
			continue
		}
		if wholeWord(s.req.Task.Title+"\n"+s.req.Task.Body, f) == 0 && !inWords(c, f) {
			return f
		}
	}
	return ""
}

var figures = lazyregexp.New(`\b\d[\w.]*`)

// inWords tells whether a comment or a docstring's line of the file holds a figure.
func inWords(c candidate, figure string) bool {
	for line := range strings.Lines(string(c.original)) {
		if line = strings.TrimSpace(line); wholeWord(line, figure) > 0 && remark.MatchString(line) {
			return true
		}
	}
	return false
}

// remark finds a line of prose: it begins as a comment does, or is made of words, without
// the signs of code.
var remark = lazyregexp.New(`^(?:#|//|/?\*|"""|''')|^\w+ \w+ \w+[^=<>()\[\]{}+*/%&|;]*$`)

// akin tells whether the name that is called now has a word of the one before.
func (c candidate) akin() bool {
	was := wordsOf(string(c.original[c.start:c.end]))
	return shared(was, wordsOf(c.mutation.Replacement)) > 0 || strings.HasPrefix(string(c.original[c.start:c.end]), "len")
}
