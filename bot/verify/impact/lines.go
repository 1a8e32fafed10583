package impact

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Span is the lines from From to To, both of them, counted from 1.
type Span struct{ From, To int32 }

// Lines is a set of line numbers: spans in order that do not touch.
type Lines []Span

const maxLine = 1 << 24

var errLines = errors.New("no list of lines")

// ParseLines reads what String writes, "3-5,9"; an unordered list is an error.
func ParseLines(text string) (Lines, error) {
	if text == "" {
		return nil, nil
	}
	out := make(Lines, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		a, b, many := strings.Cut(part, "-")
		if !many {
			b = a
		}
		from, err1 := strconv.ParseInt(a, 10, 32)
		to, err2 := strconv.ParseInt(b, 10, 32)
		if err1 != nil || err2 != nil || from < 1 || to < from || to > maxLine || len(out) > 0 && int32(from) <= out[len(out)-1].To+1 {
			return nil, fmt.Errorf("%w: %.40q", errLines, part)
		}
		out = append(out, Span{int32(from), int32(to)})
	}
	return out, nil
}

func (l Lines) String() string {
	var b strings.Builder
	for i, s := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(s.From)))
		if s.To > s.From {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(int(s.To)))
		}
	}
	return b.String()
}

// Has tells whether a line is in the set.
func (l Lines) Has(n int) bool {
	i := sort.Search(len(l), func(i int) bool { return int(l[i].To) >= n })
	return i < len(l) && int(l[i].From) <= n
}

// meets tells whether two sets share a line.
func (l Lines) meets(o Lines) bool {
	for i, j := 0, 0; i < len(l) && j < len(o); {
		switch {
		case l[i].To < o[j].From:
			i++
		case o[j].To < l[i].From:
			j++
		default:
			return true
		}
	}
	return false
}

// within is the part of the set from one line to another.
func (l Lines) within(from, to int) Lines {
	var out Lines
	for _, s := range l {
		if a, b := max(int(s.From), from), min(int(s.To), to); a <= b {
			out = append(out, Span{int32(a), int32(b)})
		}
	}
	return out
}

// count is the number of lines.
func (l Lines) count() int {
	n := 0
	for _, s := range l {
		n += int(s.To-s.From) + 1
	}
	return n
}

// linesOf makes a set of spans in any order; they may overlap.
func linesOf(spans []Span) Lines {
	spans = slices.Clone(spans)
	sort.Slice(spans, func(i, j int) bool { return spans[i].From < spans[j].From })
	var out Lines
	for _, s := range spans {
		if s.From < 1 || s.To < s.From || s.To > maxLine {
			continue
		}
		if n := len(out); n > 0 && s.From <= out[n-1].To+1 {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

func union(a, b Lines) Lines {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return linesOf(slices.Concat(a, b))
}

// lineSeq yields the lines of a text without their ends.
func lineSeq(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !yield(strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}
