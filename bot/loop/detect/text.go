package detect

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// longest bounds what is looked at of one message or diff, in bytes.
const longest = 64 << 10

// What differs between two sights of the same error. The order counts: times
// before paths, which would eat their slashes, and numbers last.
var passes = []struct {
	find *lazyregexp.Regexp
	put  string
}{
	{lazyregexp.New(`\x1b\[[0-9;?]*[A-Za-z]`), ""},
	{lazyregexp.New(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{lazyregexp.New(`(?i)\b0x[0-9a-f]+\b`), "<address>"},
	{lazyregexp.New(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?`), "<time>"},
	{lazyregexp.New(`\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{lazyregexp.New(`\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|sec|secs|seconds|minutes|min|h)\b`), "<time>"},
	{lazyregexp.New(`(?:[A-Za-z]:)?[\\/]?(?:[\w.~@+-]+[\\/]+)+`), ""}, // the folders of a path; its last part stays
	{lazyregexp.New(`(?i)\b(?:[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]*|[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]*)\b`), "<id>"},
	{lazyregexp.New(`[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?`), "<n>"},
	{lazyregexp.New(`\s+`), " "},
}

// Normalise takes out of an error what differs between two sights of the same
// one: numbers, folders of paths, addresses, times, ids, escapes and blanks.
// Doing it again changes nothing.
func Normalise(s string) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "")
	}
	for range 8 { // what is taken out may bring two halves together
		before := s
		for _, p := range passes {
			s = p.find.ReplaceAllLiteralString(s, p.put)
		}
		if s = strings.TrimSpace(s); s == before {
			break
		}
	}
	return s
}

var hunk = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*`)

// canonical is a diff without what says where and from which objects: two
// diffs with the same canonical form do the same to the same files.
func canonical(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case strings.HasPrefix(line, "index "), line == "":
			continue
		case hunk.MatchString(line):
			line = "@@"
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// Similarity of two diffs from 0 to 1: the shared part of the pairs of
// neighbouring words in their changed lines (Jaccard), which is blind to where
// a line stands and to how it is indented.
func Similarity(a, b string) float64 {
	x, y := shingles(a), shingles(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both, all := 0, 0
	for k, n := range x {
		both += min(n, y[k])
		all += max(n, y[k])
	}
	for k, n := range y {
		if x[k] == 0 {
			all += n
		}
	}
	return float64(both) / float64(all)
}

var word = lazyregexp.New(`\w+|[^\w\s]`)

func shingles(diff string) map[string]int {
	out := map[string]int{}
	if len(diff) > longest {
		diff = diff[:longest]
	}
	for line := range strings.Lines(diff) {
		if len(line) < 2 || line[0] != '+' && line[0] != '-' || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		words := word.FindAllString(line[1:], -1)
		last := line[:1]
		for _, w := range words {
			out[last+" "+w]++
			last = line[:1] + w
		}
	}
	return out
}

func (c Config) similarity(a, b string) float64 {
	if a == "" || b == "" {
		return 0
	}
	s := Similarity(a, b)
	if s < near && c.Meaning != nil {
		s = max(s, min(c.Meaning(a, b), 1))
	}
	return s
}

// Same tells whether two diffs do the same to the same files.
func Same(a, b string) bool { return canonical(a) != "" && canonical(a) == canonical(b) }
