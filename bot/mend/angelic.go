package mend

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/sirupsen/logrus"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
	"github.com/fettle-dev/fettle/bot/verify"
)

// angelic is a bench that can tell what the expression at a place could be: it
// runs the tests with somebody standing there, who works small expressions out
// over what is in scope, in failing and in passing executions. What it gives is
// tried like any other candidate; nothing of it is evidence.
type angelic interface {
	// wishes gives for each place the values that it could have in the failing
	// executions, each with the expressions that come to it.
	wishes(ctx context.Context, at []candidate, red, green []verify.TestResult) ([][]wish, error)
}

// wish is a value that a place could have to have in the failing executions.
type wish struct {
	Want   string // in the first execution in which it is another
	Was    string
	Where  map[string]string // names in scope there, with their values
	Reds   int               // failing executions that were looked at
	Wanted int               // different values among those that it has to have in them and has not
	Greens int               // passing executions that were looked at
	Exprs  []wishExpr        // the likeliest first
}

type wishExpr struct {
	Text   string
	Cost   float64 // how unlikely somebody wrote it: its size and what it is made of
	Broken int     // passing executions in which it comes to something else
}

// eachStood looks into so many places with some workers, and gives what each found.
func eachStood(ctx context.Context, workers, places int, stand func(worker, i int) ([]wish, error)) ([][]wish, error) {
	out := make([][]wish, places)
	var mu sync.Mutex
	err := parallel(ctx, workers, places, func(worker, i int) (map[string]bool, error) {
		found, err := stand(worker, i)
		mu.Lock()
		defer mu.Unlock()
		out[i] = found
		return nil, err
	}, func(int, map[string]bool) bool { return true })
	return out, err
}

const (
	// siteShare is what looking into the places of a region is worth beside its
	// plain candidates, and foundShare the probability that what is made for a
	// place is the fix.
	siteShare, foundShare = 0.02, 0.004
	maxLooked             = 40 // places that are looked into in one search
	// Looking into a place takes as long as a hundred candidates: some places are
	// looked into at first, and one more with so many candidates tried.
	firstLooked, lookEvery = 3, 80
	maxWishes              = 24 // values of one place that are tried
	maxFulfilled           = 16 // expressions for a value that mended something
	// brokenShare puts an expression back that changes what passing executions see.
	brokenShare = 0.1
	toldWish    = 4 // how much likelier a value is that an assertion asks for
)

// sites are the places of a region that are looked into when their turn comes.
func (s *search) sites(project *mutate.Project, path string, reg code.Region, suspicion map[line]float64) []candidate {
	if _, ok := s.bench.(angelic); !ok || s.lacks(Synthesis) {
		return nil
	}
	var out []candidate
	src := s.sources.read(path)
	list := project.Sites(path, reg.StartByte, reg.EndByte)
	for _, x := range list {
		weight := math.Pow(near(suspicion, path, x.Line), trust) * x.Weight
		if weight == 0 {
			continue
		}
		c := candidate{path: path, original: src, start: x.Start, end: x.End, region: reg, site: &x, score: weight * siteShare / float64(max(len(list), 12))}
		c.mutation = mutate.Mutation{Operator: "site", Start: x.Start, End: x.End, Line: x.Line}
		c.rank = c.score * s.urgency(path, x.Line)
		out = append(out, c)
	}
	return out
}

// look finds out what the places among some candidates could be, and makes the
// candidates of it: for each value the likeliest expression. last tells that no
// other candidates are left to be tried before.
func (s *search) look(ctx context.Context, cs []candidate, last bool) ([]candidate, error) {
	b, ok := s.bench.(angelic)
	if !ok {
		return nil, nil
	}
	for _, c := range cs {
		if c.site != nil {
			s.unlooked = append(s.unlooked, c)
		}
	}
	now := firstLooked + s.tried/lookEvery - s.looked
	if last {
		now = max(now, firstLooked)
	}
	now = min(now, maxLooked-s.looked, len(s.unlooked))
	if now <= 0 || !s.inTime() {
		return nil, nil
	}
	at := s.unlooked[:now]
	s.unlooked = s.unlooked[now:]
	s.looked += now
	limited, cancel := context.WithTimeout(ctx, max(s.until.Sub(s.mender.cfg.Now()), 0)+grace)
	defer cancel()
	began := s.mender.cfg.Now()
	found, err := b.wishes(limited, at, s.target.red, s.witnesses())
	s.mender.cfg.Log.WithField("took", s.mender.cfg.Now().Sub(began).Round(time.Millisecond)).Debugf("looked into %d places after %d candidates", len(at), s.tried)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = nil // what was found until then has to do
	}
	var out []candidate
	for i, ws := range found {
		s.mender.cfg.Log.WithFields(logrus.Fields{"place": fmt.Sprintf("%s:%d", at[i].path, at[i].mutation.Line), "values": len(ws)}).
			Debugf("looked into %s %q", at[i].site.Kind, at[i].site.Text)
		out = append(out, s.granted(at[i], s.sound(at[i], ws))...)
	}
	return s.fresh(out), err
}

// witnesses are the passing tests whose executions are looked into.
func (s *search) witnesses() []verify.TestResult {
	all := sample(s.target, probeTests)
	return all[min(len(s.target.red), probeTests/2):]
}

// granted are the likeliest expressions for the likeliest values of a place.
func (s *search) granted(at candidate, ws []wish) []candidate {
	heard := s.target.hear()
	likely := func(w wish) float64 {
		l := likelihood(w.Exprs[0])
		if slices.Contains(heard[unquoted(w.Was)], unquoted(w.Want)) {
			l *= toldWish
		}
		return l
	}
	sort.SliceStable(ws, func(i, j int) bool {
		if a, b := likely(ws[i]), likely(ws[j]); a != b {
			return a > b
		}
		return ws[i].Exprs[0].Text < ws[j].Exprs[0].Text
	})
	var out []candidate
	for _, w := range ws[:min(len(ws), maxWishes)] {
		out = append(out, s.fulfil(at, w, 0, likely(w)/likelihood(w.Exprs[0])))
	}
	return out
}

func likelihood(e wishExpr) float64 {
	l := math.Exp(-0.7 * e.Cost)
	if e.Broken > 0 {
		l *= brokenShare
	}
	return l
}

// fulfil makes the k-th expression of a wish a candidate.
func (s *search) fulfil(at candidate, w wish, k int, gain float64) candidate {
	e := w.Exprs[k]
	m := mutate.Mutation{Operator: "synthesis", Class: "wrong expression", Start: at.start, End: at.end, Replacement: e.Text, Line: at.mutation.Line,
		Description: w.explain(at.site, e.Text)}
	if at.site.Kind == mutate.SiteCondition {
		m.Operator, m.Class = "condition_synthesis", "wrong condition"
	}
	weight := at.score / siteShare * 12
	c := made(at.path, at.original, at.region, m, min(weight, 1)*foundShare*likelihood(e)*gain)
	c.rank = max(c.score*s.urgency(at.path, at.mutation.Line), at.rank) * 3 // it was made for the failing tests, and one stands for many
	c.granted = &grant{at: at, wish: w, expr: e, gain: gain, tests: len(s.target.red)}
	return c
}

// grant is the wish that a candidate fulfils.
type grant struct {
	at    candidate
	wish  wish
	expr  wishExpr
	gain  float64
	tests int // that fail
	done  bool
}

// synthesised are the operators whose changes are made up for a place.
var synthesised = map[string]bool{Synthesis: true, "condition_synthesis": true}

// unsupported says what is missing behind what was made up: so many expressions
// come to one value that the tests which ask for it cannot tell which is meant.
// Two failing tests have to want different values, and where passing tests run
// the place it has to stay as it was. "" where nothing is missing; a nil grant
// has nothing behind it.
func (g *grant) unsupported() string {
	switch {
	case g == nil || g.tests < 2:
		return "it was made up for one failing test, and other expressions come to the same there"
	case g.wish.Wanted < 2:
		return "it was made up for one value, and other expressions come to the same"
	case g.wish.Greens == 0:
		return "no passing test runs the place, so that only the failing ones say what it has to be"
	case g.expr.Broken > 0:
		return fmt.Sprintf("it comes to something else than before in %d of %d passing executions", g.expr.Broken, g.wish.Greens)
	}
	return ""
}

// others are the other expressions for the values with which some candidates
// mended what was to be mended.
func (s *search) others(helped []candidate) []candidate {
	var out []candidate
	for _, h := range helped {
		if h.granted == nil || h.granted.done {
			continue
		}
		h.granted.done = true
		for k := 1; k < min(len(h.granted.wish.Exprs), maxFulfilled); k++ {
			c := s.fulfil(h.granted.at, h.granted.wish, k, h.granted.gain)
			c.granted.done = true
			out = append(out, c)
		}
	}
	return s.fresh(out)
}

// explain says what was needed where, for a person.
func (w wish) explain(x *mutate.Site, text string) string {
	var where []string
	for _, name := range slices.Sorted(maps.Keys(w.Where)) {
		if wholeWord(text, name)+wholeWord(x.Text, name) > 0 && len(where) < 2 {
			where = append(where, fmt.Sprintf("`%s` is %s", name, shown(w.Where[name])))
		}
	}
	what, need := "value", "be "+shown(w.Want)
	if x.Kind == mutate.SiteCondition {
		what, need = "condition", map[bool]string{true: "be true", false: "be false"}[strings.EqualFold(w.Want, "true")]
	}
	when := ""
	if len(where) > 0 {
		when = " when " + strings.Join(where, " and ")
	}
	was := ""
	if kind, crashed := strings.CutPrefix(w.Was, "!"); crashed {
		was = " (it raised " + kind + ")"
	} else if x.Kind != mutate.SiteCondition {
		was = " (it was " + shown(w.Was) + ")"
	}
	return fmt.Sprintf("Use `%s` instead of `%s`: this %s has to %s%s%s.", text, x.Text, what, need, when, was)
}

// shown is a value in words; what told it may say anything.
func shown(v string) string {
	v = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, v)
	if r := []rune(v); len(r) > 40 {
		return string(r[:37]) + "…"
	}
	return v
}

// watched is the text with somebody standing at a place, between before and after.
func (c candidate) watched(before, after string) []byte {
	return bytes.Join([][]byte{c.original[:c.start], []byte(before), c.original[c.start:c.end], []byte(after), c.original[c.end:]}, nil)
}
