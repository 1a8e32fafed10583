package mend

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
	"github.com/fettle-dev/fettle/bot/verify"
)

const (
	mostRivals = 5               // that are told
	maxHeld    = 14              // plausible candidates whose behaviour is compared
	probeTests = 30              // tests that are run for it
	probeTime  = 8 * time.Second // for all of it where the search's time is up
	// A change of a function that no green test runs, and that alters what most
	// calls of it give, is held up by the failing test alone: it may as well be
	// the test's only way to look.
	alteredMost = 0.7
	fewProbes   = 5
	// lateTurn is how many changes may be tried before the first that passes is no
	// longer believed on the word of the tests. Of the open half's changes called
	// ready, those that were right came within 800, the one that was wrong after
	// 2,500 (bench/mend).
	lateTurn = 1000
	// evenShare puts back what makes both branches of a condition alike.
	evenShare = 0.05
)

// rival is a plausible candidate with what is known of it.
type rival struct {
	candidate
	merit  float64
	seen   *behaviour
	doubts []string

	asked  bool     // of what the project states
	holds  int      // examples of the project that hold with it
	broken []string // those that held before and do not with it
}

// choose takes the most likely of the plausible changes and says whether
// anything speaks against it, or for a rival: rivals pass the same tests, so
// only their behaviour on other inputs can tell them apart, and where that
// differs and their merit does not, only a person.
func (s *search) choose(ctx context.Context) (*Found, error) {
	rivals := make([]rival, len(s.plausible))
	for i, c := range s.plausible {
		rivals[i] = rival{candidate: c, merit: s.merit(c)}
		if c.evensBranches(ctx) {
			rivals[i].merit *= evenShare
			rivals[i].doubts = append(rivals[i].doubts, "both branches of a condition do the same now")
		}
	}
	for i := range rivals {
		if value := s.special(rivals[i].candidate); value != "" {
			rivals[i].merit *= specialShare
			rivals[i].doubts = append(rivals[i].doubts, fmt.Sprintf("`%s` stands in a failing test and nowhere in the file", value))
		}
	}
	byMerit := func(a, b rival) int { return cmp.Compare(steady(b.merit), steady(a.merit)) }
	slices.SortStableFunc(rivals, byMerit)
	probed, cut, err := s.observe(ctx, rivals)
	if err != nil {
		return nil, err
	}
	if probed {
		slices.SortStableFunc(rivals, byMerit)
	}
	if err := s.askStated(ctx, rivals); err != nil {
		return nil, err
	}
	for i, r := range rivals[:min(len(rivals), 25)] {
		s.mender.cfg.Log.WithFields(logrus.Fields{"merit": r.merit, "operator": r.mutation.Operator, "place": fmt.Sprintf("%s:%d", r.path, r.mutation.Line)}).
			Debugf("plausible %d: %s", i, r.mutation.Description)
	}
	top := rivals[0]
	if s.partly {
		top.doubts = append(top.doubts, "it mends some of the failing tests only")
	}
	if figure := s.unnamed(top.candidate); figure != "" {
		top.doubts = append(top.doubts, fmt.Sprintf("nobody named `%s`: another figure may pass as well", figure))
	}
	if top.skipsLoop() {
		top.doubts = append(top.doubts, "the loop may not run at all any more")
	}
	if word := top.orphan(); word != "" {
		top.doubts = append(top.doubts, fmt.Sprintf("nothing uses `%s` any more", word))
	}
	if top.forgets() {
		top.doubts = append(top.doubts, "it empties what another place fills, where nothing else is changed")
	}
	if top.deletes() {
		top.doubts = append(top.doubts, "what it deletes may only have been what a test looked at")
	}
	twins, err := code.Twins(ctx, top.path, top.original, top.text())
	if err != nil {
		return nil, err
	}
	for _, t := range twins {
		top.doubts = append(top.doubts, t.String())
	}
	top.doubts = append(top.doubts, top.byMaking()...)
	for name := range strings.SplitSeq(top.mutation.Operator, "+") {
		if s.mender.cfg.Rules.Has(name) && !s.mender.cfg.Trusted[name] {
			top.doubts = append(top.doubts, fmt.Sprintf("the rule %s is one of the operator's own, and rules.trusted does not name it", name))
		}
	}
	f := &Found{Template: top.mutation.Operator, Path: top.path, Line: top.mutation.Line,
		Patch: task.Patch{Edits: []task.Edit{{Kind: task.EditReplace, Path: top.path, Region: top.region.ID, Code: regionText(top.candidate)}}}}
	var shown []rival
	for _, r := range rivals[1:] {
		words, contends := contends(top, r, telling(top, r, shown))
		f.Ambiguous = f.Ambiguous || contends
		if words == "" || len(shown) == mostRivals || slices.ContainsFunc(shown, r.repeats) || slices.Contains(f.Alternatives, words) {
			continue
		}
		shown, f.Alternatives = append(shown, r), append(f.Alternatives, words)
	}
	f.Explanation = fmt.Sprintf("%s, line %d: %s", top.path, top.mutation.Line, top.mutation.Description)
	f.Doubts, f.doubted = top.doubts, len(top.doubts) > 0
	if !probed || top.seen == nil {
		f.Doubts = append(f.Doubts, s.unseen(top.candidate)...)
	}
	if top.turn > lateTurn {
		f.Doubts = append(f.Doubts, fmt.Sprintf("%d changes were tried before one passed: after so many, one that does by chance is no surprise", top.turn))
	}
	if cut && len(rivals) > 1 {
		f.Doubts = append(f.Doubts, "the time was up before it was compared with all its rivals")
	}
	return f, nil
}

// contends describes a rival of the best and says whether it is too good to be
// left out, by how the two compare. One that behaves the same is no rival, and has no
// words.
func contends(top, r rival, c comparison) (words string, tooGood bool) {
	words = fmt.Sprintf("%s, line %d: %s", r.path, r.mutation.Line, r.mutation.Description)
	if r.asked && r.holds < top.holds {
		if len(r.broken) > 0 {
			words += " (" + r.broken[0] + ")"
		}
		return words, false // what the project states decides
	}
	// A rival in another function mends the fault in another way, and the two
	// differ somewhere even where the inputs tried do not show it.
	elsewhere := r.path != top.path || r.region.ID != top.region.ID
	switch {
	case c == comparison{}: // no call was seen with both
		return words + " (what it does was not compared)", r.merit > rivalMerit*top.merit || elsewhere && r.merit > elsewhereMerit*top.merit
	case c.differ > 0:
		return words + fmt.Sprintf(" (differs on %s)", c.worded()), r.merit > ambiguousMerit*top.merit || elsewhere && r.merit > elsewhereMerit*top.merit
	case !c.alike():
		return words + fmt.Sprintf(" (no difference in the %s that were compared)", task.Count(c.same+c.sharing, "call")), r.merit > rivalMerit*top.merit
	}
	return "", false
}

// versus compares what two candidates do, as far as it was seen.
func versus(a, b rival) comparison {
	if a.seen == nil || b.seen == nil {
		return comparison{}
	}
	return compare(a.seen, b.seen, func(o outcome) bool {
		return o.entry || a.spot() == b.spot() && o.spot == b.spot()
	})
}

// telling compares a rival with the best. The example is, as far as there is one, an
// input on which it also differs from the rivals that are told already.
func telling(top, r rival, shown []rival) comparison {
	c := versus(top, r)
	for _, s := range shown {
		if r.seen == nil || s.seen == nil {
			continue
		}
		narrowed := r
		narrowed.seen = &behaviour{outcomes: map[string]outcome{}}
		for key, o := range r.seen.outcomes {
			if was, both := s.seen.outcomes[key]; both && (was.result != o.result || was.after != o.after) {
				narrowed.seen.outcomes[key] = o
			}
		}
		if n := versus(top, narrowed); n.differ > 0 {
			c.example, c.one, c.other, r = n.example, n.one, n.other, narrowed
		}
	}
	return c
}

// repeats tells whether a rival does what another one does that is told already, as
// far as was seen: who reads them learns nothing from it.
func (r rival) repeats(other rival) bool {
	if r.path == other.path && bytes.Equal(squeezed(r.text()), squeezed(other.text())) {
		return true
	}
	c := versus(other, r)
	return c.differ == 0 && c.same > 0
}

// squeezed is a text whose lines have one blank between words; what they are indented by stays.
func squeezed(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, l := range lines {
		indent := len(l) - len(bytes.TrimLeft(l, " \t"))
		lines[i] = slices.Concat(l[:indent], bytes.Join(bytes.Fields(l), []byte(" ")))
	}
	return bytes.Join(lines, []byte("\n"))
}

// unseen says what speaks against a change whose behaviour could not be compared:
// the failing test alone holds it up, and it can be had in more ways than one.
func (s *search) unseen(c candidate) []string {
	var doubts []string
	if copied[c.mutation.Operator] {
		doubts = append(doubts, "only the failing test says which constant it has to be")
	}
	if s.untested(c) {
		doubts = append(doubts, "no passing test runs the function")
	}
	return doubts
}

// copied are the operators that can copy what a test expects.
var copied = map[string]bool{"integer_constant": true, "string_constant": true}

// untested tells whether all that is known of the candidate's function is that
// failing tests run it.
func (s *search) untested(c candidate) bool {
	run := false
	for _, sus := range s.suspects {
		if sus.Path != c.path || sus.Line < c.region.StartLine || sus.Line > c.region.EndLine {
			continue
		}
		if sus.Passing > 0 {
			return false
		}
		run = run || sus.Failing > 0
	}
	return run
}

// observe compares the likeliest of the plausible candidates with the code as
// it is, and lowers the merit of what alters too much. It tells whether the
// bench could show any behaviour, and whether the time cut it short.
func (s *search) observe(ctx context.Context, rivals []rival) (seen, cut bool, err error) {
	p, ok := s.bench.(prober)
	if !ok {
		return false, false, nil
	}
	limited, cancel := context.WithTimeout(ctx, max(probeTime, s.until.Sub(s.mender.cfg.Now())))
	defer cancel()
	held := rivals[:min(len(rivals), maxHeld)]
	cs := []candidate{{path: rivals[0].path}}
	for _, r := range held {
		cs = append(cs, r.candidate)
	}
	got, err := p.probe(limited, cs, s.probeTests())
	if err != nil && (limited.Err() != nil || errors.Is(err, errEnded)) && ctx.Err() == nil {
		err, cut = nil, true // what was seen until then has to do
	}
	if err != nil || got[0] == nil {
		return false, cut, err
	}
	for i := range held {
		if held[i].seen = got[i+1]; held[i].seen != nil {
			s.weighChange(&held[i], got[0])
		}
	}
	return true, cut, nil
}

// weighChange holds a change against the code as it is. Where the fault
// does not show, the old code is right.
func (s *search) weighChange(r *rival, base *behaviour) {
	c := compare(base, r.seen, func(o outcome) bool { return o.spot == r.spot() })
	known := base.calls == nil && !s.untested(r.candidate) // of Node it is not told which test makes a call
	for _, t := range s.target.green {
		known = known || base.calls[t.ID][r.spot()]
	}
	altered := float64(c.differ) / float64(max(c.same+c.differ+c.sharing, 1))
	if altered < alteredMost || c.differ < fewProbes {
		return
	}
	if known {
		r.merit *= 0.5
		return
	}
	r.merit *= 0.05
	r.doubts = append(r.doubts, fmt.Sprintf("no passing test runs the function, and the change alters what %d of %d calls give", c.differ, c.same+c.differ+c.sharing))
}

// probeTests are the green tests of the failing tests' files, the others, and
// the failing tests last, which may not come to an end.
func (s *search) probeTests() []verify.TestResult {
	all := sample(s.target, probeTests)
	red := min(len(s.target.red), probeTests/2)
	return append(append([]verify.TestResult(nil), all[red:]...), all[:red]...)
}
