package mend

import (
	"fmt"
	"math"
)

// After the first plausible candidate the search goes on for rivals: some
// candidates more, and none with less than a part of the best's merit. Where
// rivals can be told apart by their behaviour it looks further, since most of
// them turn out to be the same change in other words; and less far where a
// candidate takes longer, which the kind of the suite says and not the clock.
const (
	maxMore, rivalMerit    = 120, 0.3
	maxProbed, probedMerit = 140, 0.01
	maxBuilt               = 60   // the same as maxProbed for suites other than Python's
	ambiguousMerit         = 0.1  // of the best's: a rival that behaves differently and has more makes the repair ambiguous
	elsewhereMerit         = 0.03 // the same for a rival in another function
)

// reach is how many candidates after the first plausible one may be rivals, and
// what part of its merit they need.
func (s *search) reach() (more int, part float64) {
	if _, ok := s.bench.(prober); !ok {
		return maxMore, rivalMerit
	}
	if s.target.suite.Kind != "python" {
		return maxBuilt, probedMerit
	}
	return maxProbed, probedMerit
}

// horizon is where candidates become too unlikely to rival the best.
func (s *search) horizon(cs []candidate, to int) int {
	top := s.leader()
	more, part := s.reach()
	end := len(cs)
	for end > to && cs[end-1].score < part*s.merit(top) {
		end--
	}
	if s.limit == 0 {
		s.limit = to + more
	}
	if s.doubted {
		return min(len(cs), s.limit) // any other may be better
	}
	return min(end, s.limit)
}

// leader is the plausible candidate with the most merit, as far as that is known
// before any behaviour was seen.
func (s *search) leader() candidate {
	var top candidate
	best := math.Inf(-1)
	for _, c := range s.plausible {
		if m := s.merit(c); m > best {
			top, best = c, m
		}
	}
	return top
}

// inTime tells whether the search may use more time.
func (s *search) inTime() bool { return s.mender.cfg.Now().Before(s.until) }

// goesOn tells whether another candidate may be run.
func (s *search) goesOn() bool { return s.tried < s.bound() && s.inTime() }

// bound is how many candidates may be run by now. While none is plausible, and models
// are asked next, it is as many as are tried before what passes can only be a draft:
// whoever names a bound of their own gets that.
func (s *search) bound() int {
	if s.req.Followed && len(s.plausible) == 0 && s.req.Task.Mending.MaxCandidates == 0 {
		return min(s.most, lateTurn)
	}
	return s.most
}

// most is how many candidates may be run.
func (c Config) most(r Request) int {
	if n := r.Task.Mending.MaxCandidates; n > 0 {
		return n
	}
	return c.MaxCandidates
}

// count notes which candidates of a round were run. Those that the time was up
// for gave nothing.
func (s *search) count(cs []candidate, got []map[string]bool) {
	for i, c := range cs {
		if got[i] == nil {
			s.late = append(s.late, c)
			continue
		}
		s.tried++
	}
}

// contender tells whether a candidate could put the best one in doubt if it
// passed the tests.
func (s *search) contender(c, top candidate) bool {
	share := ambiguousMerit
	if _, ok := s.bench.(prober); !ok {
		share = rivalMerit
	}
	if c.path != top.path || c.region.ID != top.region.ID {
		share = elsewhereMerit
	}
	return s.merit(c) > share*s.merit(top)
}

// untold says of a change that the search ended before all its rivals were
// tried: then nobody knows whether it is the only one.
func (s *search) untold(f *Found, cs []candidate) {
	if s.goesOn() && len(s.late) == 0 {
		return
	}
	top, n := s.leader(), 0
	for _, c := range append(s.late, cs[s.next:max(s.next, s.horizon(cs, s.next))]...) {
		if s.contender(c, top) {
			n++
		}
	}
	if n == 0 {
		return
	}
	why := "the time was up"
	if s.tried >= s.most {
		why = fmt.Sprintf("%d candidates were tried, and no more may be (--max-candidates),", s.tried)
	}
	f.Doubts = append(f.Doubts, fmt.Sprintf("%s before %d other changes were tried that could rival it", why, n))
	f.doubted = true
}
