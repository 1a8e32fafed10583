package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxTable bounds the table of a difference, in cells; beyond it what lies
// between lines that occur once is taken as changed as a whole.
const maxTable = 4 << 20

// diffLines are the hunks that make one list of lines into the other: lines
// that occur once on both sides are held fixed first (patience diff), what
// lies between is compared by its longest common subsequence. Lines that read
// the same are taken for the same.
func diffLines(old, now []string, read func(string) string) []hunk {
	d := differ{old: make([]string, len(old)), now: make([]string, len(now)), text: now}
	for i, l := range old {
		d.old[i] = read(l)
	}
	for i, l := range now {
		d.now[i] = read(l)
	}
	d.compare(0, len(old), 0, len(now))
	return d.out
}

type differ struct {
	old, now []string // as they read
	text     []string // the new lines as they are
	out      []hunk
}

func (d *differ) compare(a, aEnd, b, bEnd int) {
	for a < aEnd && b < bEnd && d.old[a] == d.now[b] {
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && d.old[aEnd-1] == d.now[bEnd-1] {
		aEnd, bEnd = aEnd-1, bEnd-1
	}
	switch {
	case a == aEnd && b == bEnd:
		return
	case a == aEnd || b == bEnd:
		d.add(a, aEnd, b, bEnd)
		return
	}
	anchors := d.anchors(a, aEnd, b, bEnd)
	switch {
	case len(anchors) > 0:
		for _, p := range anchors {
			d.compare(a, p[0], b, p[1])
			a, b = p[0]+1, p[1]+1
		}
		d.compare(a, aEnd, b, bEnd)
	case (aEnd-a+1)*(bEnd-b+1) <= maxTable:
		d.subsequence(a, aEnd, b, bEnd)
	default:
		d.add(a, aEnd, b, bEnd)
	}
}

// add takes a piece as changed, together with the piece before it when the
// two touch.
func (d *differ) add(a, aEnd, b, bEnd int) {
	if n := len(d.out); n > 0 && d.out[n-1].to == a && d.out[n-1].nowEnd == b {
		last := &d.out[n-1]
		last.to, last.nowEnd, last.text = aEnd, bEnd, append(last.text[:len(last.text):len(last.text)], d.text[b:bEnd]...)
		return
	}
	d.out = append(d.out, hunk{from: a, to: aEnd, text: d.text[b:bEnd:bEnd], nowEnd: bEnd})
}

// anchors are the pairs of lines that occur once on both sides, as many as
// stand in the same order.
func (d *differ) anchors(a, aEnd, b, bEnd int) [][2]int {
	type count struct{ old, now, at int }
	seen := map[string]*count{}
	for i := a; i < aEnd; i++ {
		c := seen[d.old[i]]
		if c == nil {
			c = &count{}
			seen[d.old[i]] = c
		}
		c.old, c.at = c.old+1, i
	}
	for i := b; i < bEnd; i++ {
		if c := seen[d.now[i]]; c != nil {
			c.now++
		}
	}
	var pairs [][2]int
	for i := b; i < bEnd; i++ {
		if c := seen[d.now[i]]; c != nil && c.old == 1 && c.now == 1 {
			pairs = append(pairs, [2]int{c.at, i})
		}
	}
	return rising(pairs)
}

// rising is a longest part of the pairs whose first numbers rise.
func rising(pairs [][2]int) [][2]int {
	var tops []int // the pair that ends the best run of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		lo, hi := 0, len(tops)
		for lo < hi {
			if mid := (lo + hi) / 2; pairs[tops[mid]][0] < p[0] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		before[i] = -1
		if lo > 0 {
			before[i] = tops[lo-1]
		}
		if lo == len(tops) {
			tops = append(tops, i)
		} else {
			tops[lo] = i
		}
	}
	out := make([][2]int, len(tops))
	if len(tops) == 0 {
		return out
	}
	for i, at := len(tops)-1, tops[len(tops)-1]; i >= 0; i, at = i-1, before[at] {
		out[i] = pairs[at]
	}
	return out
}

// subsequence compares a small piece exactly.
func (d *differ) subsequence(a, aEnd, b, bEnd int) {
	n, m := aEnd-a, bEnd-b
	table := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &table[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if d.old[a+i] == d.now[b+j] {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && d.old[a+i] == d.now[b+j]:
			i, j = i+1, j+1
		case i < n && (j == m || *at(i+1, j) >= *at(i, j+1)):
			d.add(a+i, a+i+1, b+j, b+j)
			i++
		default:
			d.add(a+i, a+i, b+j, b+j+1)
			j++
		}
	}
}

// ChangedLines are the lines (1-based) of a text that another text has not, and
// those on both sides of what was taken out. Without the other text all are.
func ChangedLines(before, after []byte) map[int]bool {
	out := map[int]bool{}
	same := func(s string) string { return s }
	now := strings.Split(string(after), "\n")
	if before == nil {
		for i := range now {
			out[i+1] = true
		}
		return out
	}
	for _, h := range diffLines(strings.Split(string(before), "\n"), now, same) {
		first, last := h.nowEnd-len(h.text)+1, h.nowEnd
		if len(h.text) == 0 {
			first, last = h.nowEnd, h.nowEnd+1
		}
		for line := first; line <= last; line++ {
			out[line] = true
		}
	}
	return out
}

// Touched lists the innermost regions of a text that are new or not the same
// bytes as before; before is nil for a new file.
func Touched(ctx context.Context, path string, before, after []byte) ([]Region, error) {
	was := map[string]bool{}
	if before != nil {
		regions, err := Regions(ctx, path, before)
		if err != nil {
			return nil, fmt.Errorf("reading the regions of %s: %w", path, err)
		}
		for _, r := range regions {
			was[r.ID] = true
		}
	}
	regions, err := Regions(ctx, path, after)
	if err != nil {
		return nil, fmt.Errorf("reading the regions of %s: %w", path, err)
	}
	regions = slices.DeleteFunc(regions, func(r Region) bool { return was[r.ID] })
	return slices.DeleteFunc(slices.Clone(regions), func(r Region) bool {
		return slices.ContainsFunc(regions, func(o Region) bool {
			return o.ID != r.ID && r.StartByte <= o.StartByte && o.EndByte <= r.EndByte
		})
	}), nil
}

// Undone is a text in which one place is put back to what another text has there.
type Undone struct {
	First, Last int // the changed lines of the text, 1-based; Last < First where lines were taken out before First

	now, back []string
}

// Text makes the text: those of all places of a large file are more than memory holds.
func (u Undone) Text() []byte {
	return []byte(strings.Join(slices.Concat(u.now[:u.First-1], u.back, u.now[u.Last:]), "\n"))
}

// PutBack gives, for each place where a text differs from another, the text with this
// one place as the other has it. Nothing is put back of a file that is new.
func PutBack(before, after []byte) []Undone {
	if before == nil || after == nil {
		return nil
	}
	was, now := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	var out []Undone
	for _, h := range diffLines(was, now, func(s string) string { return s }) {
		out = append(out, Undone{h.nowEnd - len(h.text) + 1, h.nowEnd, now, was[h.from:h.to]})
	}
	return out
}

// SameCode tells whether two texts of a file differ in nothing but blanks, comments
// and docstrings. What cannot be parsed is not the same.
func SameCode(ctx context.Context, path string, a, b []byte) bool {
	one, err := shape(ctx, path, a)
	if err != nil || one == "" {
		return false
	}
	two, err := shape(ctx, path, b)
	return err == nil && one == two
}

// shape is a file's syntax tree as a text: its kinds and its words.
func shape(ctx context.Context, path string, src []byte) (string, error) {
	t, err := Parse(ctx, LanguageIn(path, src), src)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	var walk func(n Node)
	walk = func(n Node) {
		named, all := n.NamedChildren(), n.Children()
		if n.IsExtra() || n.Kind() == "expression_statement" && len(named) == 1 && named[0].Kind() == "string" {
			return
		}
		if len(all) == 0 || n.Kind() == "string" {
			out.WriteString(" " + n.Text())
			return
		}
		out.WriteString("(" + n.Kind())
		for _, c := range all {
			walk(c)
		}
		out.WriteString(")")
	}
	walk(t.Root())
	return out.String(), nil
}
