package mend

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

const (
	maxPairs     = 120 // of two changes that each mend some of the failing tests
	everywhereOf = 200 // likeliest single changes that are also made at all like places
	// everywhereShare is how likely a mistake was made at each of its like places
	// against at one of them.
	everywhereShare = 0.12
	// Where a change turned a failing test green, though it broke others or left
	// others red, the fault is likelier (Moon et al., MUSE, ICST 2014).
	lineCredit, regionCredit = 2.5, 1.3
)

// partial is a change that mends some of the failing tests.
type partial struct {
	candidate
	mends          map[string]bool
	judged, stands bool // the green tests were run; all of them stay green
}

// pair puts a change that mends some of the failing tests together with those
// of the same function that mend the others.
func (s *search) pair(p partial) []candidate {
	var out []candidate
	for _, q := range s.partials {
		if s.paired >= maxPairs {
			break
		}
		if q.path != p.path || q.region.ID != p.region.ID || q.end > p.start && p.end > q.start || !s.complete(p, q) {
			continue
		}
		s.paired++
		out = append(out, join(p.candidate, q.candidate))
	}
	s.partials = append(s.partials, p)
	return s.fresh(out)
}

// complete tells whether two changes mend all failing tests between them.
func (s *search) complete(p, q partial) bool {
	for _, t := range s.some() { // no more is known of those that mend not all
		if !p.mends[t.ID] && !q.mends[t.ID] {
			return false
		}
	}
	return !maps.Equal(p.mends, q.mends)
}

// join makes both changes, which do not overlap.
func join(a, b candidate) candidate {
	if a.start > b.start || a.start == b.start && a.end > b.end {
		a, b = b, a // what is put in at a place comes before what replaces it
	}
	between := string(a.original[a.end:b.start])
	m := mutate.Mutation{
		Operator: a.mutation.Operator + "+" + b.mutation.Operator, Class: "two mistakes", Start: a.start, End: b.end, Line: a.mutation.Line,
		Replacement: a.mutation.Replacement + between + b.mutation.Replacement,
		Description: a.mutation.Description + " " + b.mutation.Description,
	}
	c := made(a.path, a.original, a.region, m, max(a.score, b.score))
	c.twice = true
	return c
}

// everywhere makes the likeliest changes at all like places of their region:
// whoever takes one name, number or operator for another does so more than once.
func everywhere(cs []candidate) []candidate {
	var out []candidate
	for _, c := range cs[:min(len(cs), everywhereOf)] {
		old := string(c.original[c.start:c.end])
		if !likeOld.MatchString(old) || !likeNew.MatchString(c.mutation.Replacement) {
			continue
		}
		var at []int
		word := regexp.MustCompile(`(?:^|[^\w.$])(` + regexp.QuoteMeta(old) + `)(?:[^\w$]|$)`)
		body := c.original[c.region.StartByte:c.region.EndByte]
		for _, m := range word.FindAllSubmatchIndex(body, 8) {
			at = append(at, c.region.StartByte+m[2])
		}
		if len(at) < 2 || len(at) > 5 || !slices.Contains(at, c.start) {
			continue
		}
		out = append(out, c.at(at, len(old)))
	}
	return out
}

// likeOld and likeNew are what may be wrong at each of its places: a name, a
// chain of names, a number, and what stands for it.
var (
	likeOld = lazyregexp.New(`^(?:[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*|\d+)$`)
	likeNew = lazyregexp.New(`^[\w$.]+(?:\([\w$., ]*\))?$`)
)

// at makes a candidate's change at some places.
func (c candidate) at(places []int, width int) candidate {
	first, last := places[0], places[len(places)-1]+width
	var b bytes.Buffer
	from := first
	for _, p := range places {
		b.Write(c.original[from:p])
		b.WriteString(c.mutation.Replacement)
		from = p + width
	}
	m := c.mutation
	m.Start, m.End, m.Replacement = first, last, b.String()
	m.Description = strings.TrimSuffix(m.Description, ".") + ", at each place of the function."
	m.Line = 1 + bytes.Count(c.original[:first], []byte("\n"))
	out := made(c.path, c.original, c.region, m, c.score*everywhereShare)
	out.rank, out.twice = c.rank*everywhereShare, true
	return out
}

// credit makes candidates likelier that change what a change before them,
// which mended something, changed too.
func (s *search) credit(cs []candidate, helped []candidate) {
	for _, h := range helped {
		at, reg := line{h.path, h.mutation.Line}, h.path+" "+h.region.ID
		for i := range cs {
			if cs[i].path == h.path && cs[i].mutation.Line == at.n && !s.credited[at] {
				cs[i].rank *= lineCredit
			}
			if cs[i].path+" "+cs[i].region.ID == reg && !s.creditedRegion[reg] {
				cs[i].rank *= regionCredit
			}
		}
		s.credited[at], s.creditedRegion[reg] = true, true
	}
}

// byRank sorts what is still to be tried; the seed decides between equals.
func byRank(cs []candidate) {
	slices.SortStableFunc(cs, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(steady(b.rank), steady(a.rank)), cmp.Compare(a.lot, b.lot))
	})
}

// steady leaves out the last bits of a figure, in which processors differ that
// add and multiply in one step: a search goes the same way on each of them.
func steady(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<20 - 1)) }

// draw is a candidate's lot among those that are equally likely.
func (s *search) draw(c candidate) uint64 {
	seed := s.req.Task.Mending.Seed
	if seed == 0 {
		return 0 // as they were made
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%d\x00%d\x00%s", seed, c.path, c.start, c.end, c.mutation.Replacement)
	return h.Sum64()
}
