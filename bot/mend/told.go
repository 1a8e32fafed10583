package mend

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// told are the values that assertions say they got and wanted, as plain text
// without quotes: "got" → the values wanted in its place.
type told map[string][]string

// toldGain is how much likelier a change becomes that puts the wanted value
// where the code holds the one that was got.
const toldGain = 20

// saysBoth are messages that name both values: pytest, unittest, node:assert and
// what Go's tests usually print. The first group is what was got unless the
// expression names its groups.
var saysBoth = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)assert (?P<got>[^\n=]{1,300}?) == (?P<want>[^\n=]{1,300})$`),
	lazyregexp.New(`(?m)(?:AssertionError: |^)(?P<got>[^\n!=:]{1,300}?) !==? (?P<want>[^\n!=]{1,300})$`),
	lazyregexp.New(`(?m)(?: diff| differ): (?P<got>[^\n!=]{1,300}?) != (?P<want>[^\n!=]{1,300})$`),
	lazyregexp.New(`(?i)\bgot:? (?P<got>[^\n,;]{1,60}?)[,;]? (?:but )?(?:want|wanted|expected):? (?P<want>[^\n,;]{1,60})`),
	lazyregexp.New(`(?i)= (?P<got>[^\n,;]{1,60}?)[,;] (?:want|wanted|expected):? (?P<want>[^\n,;]{1,60})`),
}

// hear reads the values out of the failures of the target.
func (t target) hear() told {
	out := told{}
	for _, red := range t.red {
		if red.Failure == nil {
			continue
		}
		for _, says := range saysBoth {
			for _, m := range says.FindAllStringSubmatch(red.Failure.Message, 20) {
				got, want := unquoted(m[says.SubexpIndex("got")]), unquoted(m[says.SubexpIndex("want")])
				out[got] = append(out[got], want)
			}
		}
	}
	return out
}

// suits tells whether a change puts a wanted value in the place of the one got.
func (t told) suits(before, after string) bool {
	before, after = unquoted(before), unquoted(after)
	return slices.Contains(t[before], after)
}

// unquoted is a literal's text without the quotes of any language.
func unquoted(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && strings.ContainsRune("\"'`", rune(s[0])) && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
