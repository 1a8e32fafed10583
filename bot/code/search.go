package code

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MinSimilarity is the least similarity at which a search block is taken for
// a place in the file. Under it a block is refused, however near it may be.
const MinSimilarity = 0.9

// ErrNotBlocks says that a text is not made of search/replace blocks.
var ErrNotBlocks = errors.New("not a search/replace block")

// Block is one search/replace block.
type Block struct{ Search, Replace string }

// ParseBlocks reads blocks of the form
//
//	<<<<<<< SEARCH
//	lines as the file has them
//	=======
//	lines in their place
//	>>>>>>> REPLACE
//
// What stands outside of blocks must be blank. The error is ErrNotBlocks, with
// the line.
func ParseBlocks(text string) ([]Block, error) {
	const outside, searching, replacing = 0, 1, 2
	var out []Block
	var search, replace strings.Builder
	state, n := outside, 0
	fail := func(what string) error { return fmt.Errorf("%w: line %d %s", ErrNotBlocks, n, what) }
	for line := range strings.SplitAfterSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		n++
		trimmed := strings.TrimRight(line, " \t\n")
		switch {
		case isFenceOf(trimmed, '<', "SEARCH"):
			if state != outside {
				return nil, fail("begins a block inside another")
			}
			state = searching
			search.Reset()
			replace.Reset()
		case state == searching && isFenceOf(trimmed, '=', ""):
			state = replacing
		case isFenceOf(trimmed, '>', "REPLACE"):
			if state != replacing {
				return nil, fail("ends a block that has no =======")
			}
			state = outside
			out = append(out, Block{search.String(), replace.String()})
		case state == searching:
			search.WriteString(line)
		case state == replacing:
			replace.WriteString(line)
		case strings.TrimSpace(line) != "":
			return nil, fail(fmt.Sprintf("(%.60q) stands outside of a block", trimmed))
		}
	}
	switch {
	case state != outside:
		return nil, fail("is the end, and the last block is not closed by >>>>>>> REPLACE")
	case len(out) == 0:
		return nil, fail("is the end, and there was no <<<<<<< SEARCH")
	}
	return out, nil
}

// isFenceOf tells a line of five to nine marks and a word.
func isFenceOf(line string, mark byte, word string) bool {
	rest := strings.TrimLeft(line, string(mark))
	n := len(line) - len(rest)
	return n >= 5 && n <= 9 && strings.TrimSpace(rest) == word
}

// Span is a piece [Start, End) of a source and what comes in its place.
type Span struct {
	Start, End int
	Text       string
	How        Resolution
}

// FindBlocks finds the place of each block in the source as it is: by its
// exact lines; else without regard to white space at the ends of lines; else
// at another indentation, which is then the new lines' too; else without
// regard to any white space, where the similarity is at least MinSimilarity.
// A block that fits more than one place equally well is refused (ErrAmbiguous),
// one that fits none (ErrNotFound) with the most similar place. Spans come in
// the order of the file; those that overlap are refused.
func FindBlocks(path string, src []byte, blocks []Block) ([]Span, error) {
	var out []Span
	for i, b := range blocks {
		s, err := findBlock(src, b)
		if err != nil {
			return nil, fmt.Errorf("%s: search block %d: %w", path, i+1, err)
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Span) int { return a.Start - b.Start })
	for i := 1; i < len(out); i++ {
		if out[i].Start < out[i-1].End {
			return nil, fmt.Errorf("%s: two search blocks overlap at line %d; make one of them", path, lineAt(lineStarts(src), out[i].Start))
		}
	}
	return out, nil
}

// lineMatch is a way to look at lines: two that read the same are the same.
type lineMatch struct {
	by    string
	score float64 // 0: measured
	read  func(line string) string
}

var lineMatches = []lineMatch{
	{"text", 1, func(l string) string { return l }},
	{"text", 0.98, func(l string) string { return strings.TrimRight(l, " \t\f") }},
	{"similarity", 0.95, strings.TrimSpace},
	{"similarity", 0, func(l string) string { return strings.Join(strings.Fields(l), "") }},
}

func findBlock(src []byte, b Block) (Span, error) {
	want := plainLines(b.Search)
	if strings.TrimSpace(b.Search) == "" {
		if len(bytes.TrimSpace(src)) == 0 {
			return Span{0, len(src), b.Replace, Resolution{By: "text", Score: 1}}, nil
		}
		return Span{}, fmt.Errorf("the SEARCH part is empty; give the lines that are to be replaced, or use insert_after")
	}
	body := bytes.TrimPrefix(src, []byte("\ufeff"))
	shift := len(src) - len(body)
	starts := lineStarts(body)
	have := plainLines(string(body))
	for _, m := range lineMatches {
		places := matchLines(have, want, m.read)
		if len(places) > 1 {
			return Span{}, fmt.Errorf("%w: its lines stand at lines %s; add lines before or after until it fits one place only", ErrAmbiguous, numbers(places))
		}
		if len(places) == 0 {
			continue
		}
		at := places[0]
		found := have[at : at+len(want)]
		how := Resolution{By: m.by, Score: m.score}
		if how.Score == 0 {
			how.Score = similarity(strings.Join(found, "\n"), strings.Join(want, "\n"))
		}
		if how.Score < MinSimilarity {
			return Span{}, fmt.Errorf("%w: the lines at line %d read the same but for white space, and are only %.0f %% alike; copy them exactly", ErrNotFound, at+1, 100*how.Score)
		}
		s := Span{Start: shift + starts[at], How: how}
		s.End = len(src)
		if at+len(want) < len(starts) {
			s.End = shift + starts[at+len(want)]
		}
		s.Text = blockText(src, s, found, want, b.Replace)
		return s, nil
	}
	return Span{}, notFound(have, want)
}

// manyPlaces is how many places are looked for at most.
const manyPlaces = 20

// matchLines are the indexes at which all of want stands in have, in time
// that grows with the lines only (Knuth, Morris and Pratt).
func matchLines(have, want []string, read func(string) string) []int {
	pattern := make([]string, len(want))
	for i, l := range want {
		pattern[i] = read(l)
	}
	back := make([]int, len(pattern)) // the longest border of each prefix
	for i, k := 1, 0; i < len(pattern); i++ {
		for k > 0 && pattern[i] != pattern[k] {
			k = back[k-1]
		}
		if pattern[i] == pattern[k] {
			k++
		}
		back[i] = k
	}
	var out []int
	k := 0
	for i, l := range have {
		l = read(l)
		for k > 0 && l != pattern[k] {
			k = back[k-1]
		}
		if l == pattern[k] {
			k++
		}
		if k < len(pattern) {
			continue
		}
		if out = append(out, i-k+1); len(out) == manyPlaces {
			return out
		}
		k = back[k-1]
	}
	return out
}

// blockText is the new lines in the file's indentation and line endings.
func blockText(src []byte, s Span, found, want []string, text string) string {
	if text == "" {
		return ""
	}
	lines := plainLines(text)
	if from, to := leading(want), leading(found); from != to {
		for i, l := range lines {
			if rest, ok := strings.CutPrefix(l, from); ok && strings.TrimSpace(l) != "" {
				lines[i] = to + rest
			}
		}
	}
	eol := lineEnding(src)
	for i, l := range lines { // a line that stays keeps its bytes
		for j, w := range want {
			if l != "" && l == w && found[j] != "" {
				lines[i] = found[j]
				break
			}
		}
	}
	out := strings.Join(lines, eol)
	if s.End > s.Start && src[s.End-1] == '\n' {
		out += eol
	}
	return out
}

// leading is the indentation of the first line that is not blank.
func leading(lines []string) string {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		}
	}
	return ""
}

func numbers(places []int) string {
	var out []string
	for i, p := range places {
		if i == 8 {
			out = append(out, "and more")
			break
		}
		out = append(out, fmt.Sprint(p+1))
	}
	return strings.Join(out, ", ")
}

// notFound names the place that fits best, and the first line that differs.
func notFound(have, want []string) error {
	best, at := 0, -1
	want = want[:min(len(want), 50)]
	for i := range min(len(have), 100_000) {
		n := 0
		for j := range want {
			if i+j < len(have) && strings.TrimSpace(want[j]) != "" && strings.TrimSpace(have[i+j]) == strings.TrimSpace(want[j]) {
				n++
			}
		}
		if n > best {
			best, at = n, i
		}
	}
	if at < 0 {
		return fmt.Errorf("%w: none of its lines stands in the file; copy them exactly", ErrNotFound)
	}
	for j := range want {
		switch {
		case at+j >= len(have):
			return fmt.Errorf("%w: it begins like line %d, but the file ends before its line %d; copy the lines exactly", ErrNotFound, at+1, j+1)
		case strings.TrimSpace(have[at+j]) != strings.TrimSpace(want[j]):
			return fmt.Errorf("%w: it is most like line %d, but where it has %.100q the file's line %d has %.100q; copy the lines exactly", ErrNotFound, at+1, strings.TrimSpace(want[j]), at+j+1, strings.TrimSpace(have[at+j]))
		}
	}
	return fmt.Errorf("%w; copy the lines exactly", ErrNotFound)
}

// similarity is how alike two texts are that differ in white space only, from
// 0 to 1: one minus the part of the bytes that are white space of one alone.
func similarity(a, b string) float64 {
	spaces := func(s string) int { return len(s) - len(strings.Join(strings.Fields(s), "")) }
	x, y := spaces(a), spaces(b)
	total := max(len(a), len(b))
	if total == 0 {
		return 1
	}
	diff := x - y
	if diff < 0 {
		diff = -diff
	}
	return 1 - float64(diff)/float64(total)
}
