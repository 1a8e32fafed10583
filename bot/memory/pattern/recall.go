package pattern

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
	"github.com/fettle-dev/fettle/bot/task"
)

// Query is what a run knows when it asks for lessons.
type Query struct {
	Failures []task.Failure
	Places   []Place // suspicious, the likeliest first
	Now      time.Time
	// Read gives a file of the base.
	Read func(path string) ([]byte, error) `json:"-"`
}

// Place is a line that may hold the fault.
type Place struct {
	Path string
	Line int
}

// Bounds of what is recalled.
const (
	mostFixes   = 8
	mostWrongs  = 5
	mostTold    = 10
	mostMatched = 1000 // rules that are held against the places
	mostPlaces  = 18
	near        = 3 // lines between a place and where a rule fits
)

// leastAlike is how similar a failure has to be for a fix that fits the place, and
// surelyAlike for one that does not.
const (
	leastAlike  = 0.15
	surelyAlike = 0.75
)

type hit struct {
	p     *Pattern
	exact bool
	alike float64
	fits  bool
	score float64
}

// Recall gives the lessons that bear on a failure: those of the same failure first,
// then those of similar ones that fit a suspicious place; and the latest advice.
func (b *Book) Recall(ctx context.Context, q Query) (task.Recalled, error) {
	var out task.Recalled
	for _, f := range q.Failures {
		if k := KeyOf(f); !slices.Contains(out.Keys, k) && len(out.Keys) < mostKeys {
			out.Keys = append(out.Keys, k)
		}
	}
	for i := range out.Keys { // a failure that names no file is in the language of the places
		if out.Keys[i].Language == "" && len(q.Places) > 0 {
			out.Keys[i].Language = family(code.LanguageOf(q.Places[0].Path))
		}
	}
	var hits []hit
	for i := range b.Patterns {
		p := &b.Patterns[i]
		if p.Kind == task.LessonAdvice || !p.Usable() {
			continue
		}
		h := hit{p: p}
		for _, k := range out.Keys {
			for _, known := range p.Keys {
				h.exact = h.exact || exact(k, known)
				h.alike = max(h.alike, alike(k, known))
			}
		}
		if h.exact || h.alike >= leastAlike {
			h.score = (h.alike + map[bool]float64{true: 1}[h.exact]) * p.weight(q.Now)
			hits = append(hits, h)
		}
	}
	byScore := func(x, y hit) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.p.ID, y.p.ID))
	}
	slices.SortFunc(hits, byScore)
	hits = hits[:min(len(hits), mostMatched)]
	if err := fit(ctx, hits, q); err != nil {
		return out, err
	}
	kept := hits[:0]
	for _, h := range hits {
		if h.exact || h.fits || h.alike >= surelyAlike || h.p.Kind == task.LessonWrong && slices.ContainsFunc(q.Places, func(o Place) bool { return o.Path == h.p.Path }) {
			if h.fits {
				h.score *= 2
			}
			kept = append(kept, h)
		}
	}
	slices.SortFunc(kept, byScore)
	left := map[task.LessonKind]int{task.LessonFix: mostFixes, task.LessonWrong: mostWrongs}
	for _, h := range kept {
		if left[h.p.Kind]--; left[h.p.Kind] < 0 {
			continue
		}
		l := h.p.lesson()
		l.Exact, l.Fits = h.exact, h.fits
		out.Lessons = append(out.Lessons, l)
	}
	out.Lessons = append(out.Lessons, b.advice(q.Now)...)
	return out, nil
}

// advice is what was said last and most often.
func (b *Book) advice(now time.Time) []task.Lesson {
	var all []*Pattern
	for i := range b.Patterns {
		if b.Patterns[i].Kind == task.LessonAdvice {
			all = append(all, &b.Patterns[i])
		}
	}
	rank := func(p *Pattern) float64 { return float64(p.Won) * p.weight(now) }
	slices.SortFunc(all, func(x, y *Pattern) int { return cmp.Or(cmp.Compare(rank(y), rank(x)), cmp.Compare(x.ID, y.ID)) })
	var out []task.Lesson
	for _, p := range all[:min(len(all), mostTold)] {
		out = append(out, p.lesson())
	}
	return out
}

// fit tells of each hit whether its rule can be made beside a place.
func fit(ctx context.Context, hits []hit, q Query) error {
	if q.Read == nil {
		return nil
	}
	var rules []rule.Rule
	at := map[string]*hit{}
	for i := range hits {
		if r, ok := ruleOf(hits[i].p.lesson()); ok {
			rules = append(rules, r)
			at[r.Name] = &hits[i]
		}
	}
	if len(rules) == 0 {
		return nil
	}
	sets := map[code.Language]*rule.Set{}
	seen := map[string]bool{}
	for _, p := range q.Places[:min(len(q.Places), mostPlaces)] {
		if seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		src, err := q.Read(p.Path)
		if err != nil {
			continue
		}
		lang := code.LanguageIn(p.Path, src)
		tree, err := code.Parse(ctx, lang, src)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // it was listed as a place, and is no code
		}
		set := sets[lang]
		if set == nil {
			set, _ = rule.Compile(lang, rules) // what cannot be compiled is left out
			sets[lang] = set
		}
		tree.Walk(func(n code.Node) bool {
			set.Match(n, nil, func(c rule.Change) {
				line := tree.Line(c.Start)
				if h := at[c.Rule.Name]; h != nil && !h.fits && slices.ContainsFunc(q.Places, func(o Place) bool { return o.Path == p.Path && line >= o.Line-near && line <= o.Line+near }) {
					h.fits = true
				}
			})
			return true
		})
	}
	return nil
}

// ruleOf reads the rule of a lesson under the lesson's id.
func ruleOf(l task.Lesson) (rule.Rule, bool) {
	if l.Rule == "" {
		return rule.Rule{}, false
	}
	all, err := rule.Parse("lesson "+l.ID, []byte(l.Rule))
	if err != nil || len(all) != 1 {
		return rule.Rule{}, false
	}
	all[0].Name = task.Learned + l.ID
	return all[0], true
}

// Rules are the lessons of a kind as rules of a language, named by their ids.
func Rules(lang code.Language, lessons []task.Lesson, kinds ...task.LessonKind) *rule.Set {
	var rules []rule.Rule
	for _, l := range lessons {
		if r, ok := ruleOf(l); ok && slices.Contains(kinds, l.Kind) {
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return nil
	}
	set, _ := rule.Compile(lang, rules) // what cannot be compiled is left out
	return set
}

// Changes are what a set of rules makes of a tree.
func Changes(t *code.Tree, set *rule.Set) []rule.Change {
	var out []rule.Change
	t.Walk(func(n code.Node) bool {
		set.Match(n, nil, func(c rule.Change) { out = append(out, c) })
		return true
	})
	return out
}
