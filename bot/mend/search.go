package mend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/code/rule"
	"github.com/fettle-dev/fettle/bot/verify"
)

// candidate is one change to one file.
type candidate struct {
	path       string
	original   []byte
	whole      []byte // its text where that is not the original with the mutation
	start, end int    // the change's span in the original
	mutation   mutate.Mutation
	region     code.Region
	score      float64 // suspicion of the place × prior of the operator
	rank       float64 // the score with what the search has learnt; decides when it is tried
	lot        uint64  // decides between those of the same rank
	twice      bool    // it changes more than one place
	turn       int     // how many had been tried when it passed all tests
}

// text is the whole file with the change. It is made when it is asked for: thousands
// of candidates of a long file would fill the memory.
func (c candidate) text() []byte {
	if c.whole != nil {
		return c.whole
	}
	return slices.Concat(c.original[:c.start], []byte(c.mutation.Replacement), c.original[c.end:])
}

// grown is by how many bytes the change makes the file longer.
func (c candidate) grown() int {
	if c.whole != nil {
		return len(c.whole) - len(c.original)
	}
	return len(c.mutation.Replacement) - (c.end - c.start)
}

// search tries candidates against one suite.
type search struct {
	mender   *Mender
	req      Request
	target   target
	bench    bench
	until    time.Time
	sources  *sources
	suspects []Suspect

	tried     int
	most      int  // candidates that may be run
	next      int  // index of the first candidate that was not tried
	limit     int  // index behind the last candidate worth trying; 0 while nothing is plausible
	doubted   bool // something speaks against each plausible one
	partly    bool // the plausible candidates mend some of the failing tests only
	plausible []candidate
	rejected  []rejected  // what turned the failing tests green and was not taken
	late      []candidate // handed to the bench, and not tried since the time was up

	places         []spot // whose candidates are still to be made, the most suspicious first
	suspicion      map[line]float64
	weigh          func(candidate) float64 // what speaks for a change; nil until it is asked
	model          *ngrams                 // of the project's own code; nil until it is asked
	seen           map[string]bool         // what candidates come to
	paired         int
	rules          map[code.Language]*rule.Set // that earlier runs taught
	partials       []partial
	judged         int // of the partials, before the end
	credited       map[line]bool
	creditedRegion map[string]bool
}

// on makes the bench, and searches.
func (s *search) on(ctx context.Context, suspects []Suspect) (Repair, error) {
	b, err := s.mender.bench(ctx, s.req, s.target)
	if err != nil {
		return Repair{}, err
	}
	if b == nil {
		return Repair{Reason: "mechanical repair does not know tests of " + s.target.suite.Name}, nil
	}
	if p, ok := b.(preparer); ok {
		p.prepare(ctx)
	}
	s.bench = b
	found, err := s.run(ctx, suspects)
	if n, ok := b.(*nodeBench); ok && found.Found == nil && n.why() != "" {
		found.Reason += "; " + n.why()
	}
	return found, errors.Join(err, b.close())
}

func (s *search) run(ctx context.Context, suspects []Suspect) (Repair, error) {
	s.suspects = suspects
	s.credited, s.creditedRegion = map[line]bool{}, map[string]bool{}
	cs, err := s.candidates(ctx, suspects)
	if err != nil {
		return Repair{}, err
	}
	if len(cs) == 0 {
		return Repair{Reason: "no operator fits the suspicious places"}, nil
	}
	found, err := s.settle(ctx, &cs)
	if err != nil {
		return Repair{}, err
	}
	rep := Repair{Tried: s.tried, Plausible: len(s.plausible), Found: found, TimeUp: !s.inTime()}
	switch {
	case found != nil:
		rep.Reason = fmt.Sprintf("%d of %d candidates passed every test", len(s.plausible), s.tried)
	case s.tried >= s.bound() && s.tried < s.most && len(cs) > s.next:
		rep.Reason = fmt.Sprintf("none of %d candidates made the failing tests pass without breaking others; what passes after so many is a draft at best, and a model is asked now", s.tried)
	case s.tried >= s.most && len(cs) > s.next:
		rep.Reason = fmt.Sprintf("none of %d candidates made the failing tests pass without breaking others, and no more may be tried (--max-candidates)", s.tried)
	case rep.TimeUp:
		rep.Reason = fmt.Sprintf("the time for the search was up after %d of %d candidates", s.tried, len(cs))
	default:
		rep.Reason = fmt.Sprintf("none of %d candidates made the failing tests pass without breaking others", s.tried)
	}
	return rep, nil
}

// moreForDoubt is how often the search goes on beyond the rivals of a change that
// something speaks against.
const moreForDoubt = 2

// settle searches until a plausible change is found against which nothing
// speaks, and gives the best there is when there is none such.
func (s *search) settle(ctx context.Context, list *[]candidate) (*Found, error) {
	for again := 0; ; again++ {
		from := s.next
		err := s.filter(ctx, list)
		cs := *list
		if err != nil {
			return nil, err
		}
		if len(s.plausible) == 0 {
			return nil, nil
		}
		found, err := s.choose(ctx)
		if err != nil {
			return nil, err
		}
		if !found.doubted || s.partly || again == moreForDoubt || s.next == from || s.next >= len(cs) || !s.goesOn() {
			s.untold(found, cs)
			return found, s.explain(ctx, found)
		}
		more, _ := s.reach()
		s.doubted, s.limit = true, s.next+2*more
	}
}

// filter tries the candidates round by round, first on the failing tests, then
// those that turn all of them green on the others. What a round shows puts
// others forward or makes new ones. Once one is plausible it goes on only among
// those that could rival it. Whether to go on is decided between rounds, from
// what was found and not from how fast: but for the time that a run has, the
// course of a search is the same on every machine.
func (s *search) filter(ctx context.Context, list *[]candidate) error {
	cs := *list
	defer func() { *list = cs }()
	end := len(cs)
	if len(s.plausible) > 0 {
		end = s.horizon(cs, s.next)
	}
	for (s.next < end || s.pending()) && s.goesOn() {
		from, to := s.next, min(s.next+s.bench.round(), end, s.next+s.bound()-s.tried)
		s.next = to
		unfolded := s.unfolding(ctx)
		got, err := s.mends(ctx, cs[from:to])
		next, e := unfolded()
		if err = errors.Join(err, e); err != nil {
			return err
		}
		s.count(cs[from:to], got)
		s.req.tell(fmt.Sprintf("%d of %d candidates tried", s.tried, len(cs)))
		more, err := s.learn(ctx, cs[from:to], cs[to:], got)
		if err != nil {
			return err
		}
		if len(s.plausible) > 0 { // a rival may stand in any of the places
			rest, err := s.further(ctx, len(s.places))
			if err != nil {
				return err
			}
			next = append(next, rest...)
		}
		cs = append(append(cs, more...), next...)
		byRank(cs[to:])
		cs = cs[:min(len(cs), to+s.mender.cfg.MaxCandidates)]
		end = len(cs)
		if len(s.plausible) > 0 {
			end = s.horizon(cs, to)
		}
	}
	if len(s.plausible) > 0 || len(s.partials) == 0 {
		return nil
	}
	s.partly = true
	var left []candidate
	for _, i := range s.mostMended() {
		switch p := s.partials[i]; {
		case p.stands:
			s.keep(p.candidate)
		case !p.judged:
			left = append(left, p.candidate)
		}
	}
	return s.regress(ctx, left)
}

// pending tells whether there are places without candidates yet, though nothing is
// left to try.
func (s *search) pending() bool { return len(s.plausible) == 0 && len(s.places) > 0 }

// learn takes what a round of candidates mended: it keeps those that mend all
// and break nothing, and gives new ones that follow from those that mend some.
func (s *search) learn(ctx context.Context, tried, rest []candidate, got []map[string]bool) ([]candidate, error) {
	var full, helped, more []candidate
	for i, passed := range got {
		c := tried[i]
		switch {
		case len(passed) == 0:
			continue
		case len(passed) == len(s.target.red):
			full = append(full, c)
		default:
			more = append(more, s.pair(partial{candidate: c, mends: passed})...)
		}
		helped = append(helped, c)
	}
	before := len(s.plausible)
	if err := s.regress(ctx, full); err != nil {
		return nil, err
	}
	if len(s.plausible) == before {
		s.credit(rest, helped)
	}
	if err := s.standby(ctx); err != nil {
		return nil, err
	}
	return more, nil
}

// mostMended are the partials that mend the most of the failing tests, more than
// one of them.
func (s *search) mostMended() []int {
	best := 1
	for _, p := range s.partials {
		best = max(best, len(p.mends))
	}
	var out []int
	for i, p := range s.partials {
		if len(p.mends) == best && len(out) < 40 {
			out = append(out, i)
		}
	}
	return out
}

// maxStandby is how many partials are judged after a round, and maxJudged in all
// before the end.
const maxStandby, maxJudged = 2, 8

// standby judges some of those that mend the most while nothing mends all, until one
// of them breaks nothing: a project may have tests that fail for another reason, and
// when the time is up there is none left to find out.
func (s *search) standby(ctx context.Context) error {
	most := s.mostMended()
	if len(s.plausible) > 0 || slices.ContainsFunc(most, func(i int) bool { return s.partials[i].stands }) {
		return nil
	}
	most = slices.DeleteFunc(most, func(i int) bool { return s.partials[i].judged })
	for _, i := range most[:min(len(most), maxStandby, maxJudged-s.judged)] {
		s.judged++
		got, err := s.unbroken(ctx, []candidate{s.partials[i].candidate})
		if err != nil {
			return err
		}
		s.partials[i].judged, s.partials[i].stands = got[0] != nil, len(got[0]) == len(s.target.green)
	}
	return nil
}

// fewRed are so many failing tests that a candidate is tried on at first.
const fewRed = 6

// some are failing tests that stand for all of them, evenly taken.
func (s *search) some() []verify.TestResult {
	red := s.target.red
	if len(red) <= fewRed {
		return red
	}
	var out []verify.TestResult
	for i := range fewRed {
		out = append(out, red[i*len(red)/fewRed])
	}
	return out
}

// mends gives the failing tests that each candidate turns green: of some of them,
// and of the others where it turns all of those green.
func (s *search) mends(ctx context.Context, cs []candidate) ([]map[string]bool, error) {
	first := s.some()
	got, err := s.attempt(ctx, cs, first)
	if err != nil || len(first) == len(s.target.red) {
		return got, err
	}
	var whole []candidate
	var at []int
	for i, passed := range got {
		if len(passed) == len(first) {
			whole, at = append(whole, cs[i]), append(at, i)
		}
	}
	others := slices.DeleteFunc(slices.Clone(s.target.red), func(t verify.TestResult) bool {
		return slices.ContainsFunc(first, func(f verify.TestResult) bool { return f.ID == t.ID })
	})
	more, err := s.attempt(ctx, whole, others)
	for k, i := range at {
		maps.Copy(got[i], more[k])
	}
	return got, err
}

// attempt gives the tests that each candidate passes; nil for what was not tried
// because the time was up.
func (s *search) attempt(ctx context.Context, cs []candidate, tests []verify.TestResult) ([]map[string]bool, error) {
	out := make([]map[string]bool, len(cs))
	limited, cancel := context.WithTimeout(ctx, max(s.until.Sub(s.mender.cfg.Now()), 0)+grace)
	defer cancel()
	err := s.bench.try(limited, cs, tests, func(i int, passed map[string]bool) bool {
		out[i] = map[string]bool{}
		for id, ok := range passed {
			if ok {
				out[i][id] = true
			}
		}
		return s.inTime()
	})
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return out, nil // the search's own time was up in the middle of a candidate
	}
	return out, err
}

// grace is how long what runs at the end of the search's time may go on.
const grace = time.Second

// regress keeps those that leave the green tests green.
func (s *search) regress(ctx context.Context, cs []candidate) error {
	got, err := s.unbroken(ctx, cs)
	for i, c := range cs {
		switch passed := got[i]; {
		case len(passed) == len(s.target.green):
			s.keep(c)
		case passed == nil:
			s.late = append(s.late, c)
		default:
			s.reject(c, passed)
		}
	}
	return err
}

// unbroken gives the green tests that stay green with each candidate, nil for what
// was not run.
func (s *search) unbroken(ctx context.Context, cs []candidate) ([]map[string]bool, error) {
	if len(s.target.green) == 0 || len(cs) == 0 {
		return make([]map[string]bool, len(cs)), nil
	}
	return s.attempt(ctx, cs, s.target.green)
}

// keep notes a candidate that passes all tests.
func (s *search) keep(c candidate) {
	c.turn = s.tried
	s.plausible = append(s.plausible, c)
}
