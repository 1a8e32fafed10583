package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// Query is what is looked for.
type Query struct {
	Title  string // or the words of a search
	Body   string
	Frames []task.Frame // of failing tests, beyond those that the text quotes; the innermost last
	Tests  string       // source of failing tests
	Ran    []Ran        // functions that ran in them
	Limit  int          // hits; zero: all
	// Hidden tells of files that must not be found; nil: none.
	Hidden func(path string) bool `json:"-"`
	// Weights are Fitted where nil.
	Weights *Weights `json:"-"`
}

// Ran is a function that ran in failing tests; Line is where it begins.
type Ran struct {
	task.Frame
	Worth float64 `json:"worth"` // 0 to 1: how much more it ran in failing tests than in passing ones
}

// Part is a part of a score, from 0 to 1, and what it rests on.
type Part struct {
	By    string  `json:"by"`
	Value float64 `json:"value"`
	Why   string  `json:"why"`
}

// Hit is a place that was found.
type Hit struct {
	Path      string  `json:"path"`
	Start     int     `json:"start_line"` // 1-based
	End       int     `json:"end_line"`   // the last one
	Region    string  `json:"region"`     // id in bot/code; "" for a section of text
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Signature string  `json:"signature,omitempty"`
	Class     string  `json:"class"` // source, still (no function of a source), test, example, docs, config, generated
	Score     float64 `json:"score"` // 0 to 1, 1 for the best
	Bytes     int     `json:"bytes"`
	Parts     []Part  `json:"parts"` // the weightiest first
}

// Reasons says the parts in words.
func (h Hit) Reasons() []string {
	var out []string
	for _, p := range h.Parts {
		if p.Why != "" {
			out = append(out, p.Why)
		}
	}
	return out
}

const (
	mostTerms   = 48
	mostRows    = 14_000 // rows of the table of words that a query looks at
	mostTold    = 4      // words in a reason
	candidates  = 600
	mostLines   = 12 // quoted texts
	shingle     = 3  // terms in a row
	mostPhrases = 24
	mostPast    = 30 // commits
)

// Search ranks the places of the tree by what a text says.
func (v *View) Search(ctx context.Context, q Query) ([]Hit, error) {
	all, err := v.answered(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("searching the index: %w", err)
	}
	out := make([]Hit, 0, len(all))
	for _, h := range all {
		if q.Hidden == nil || !q.Hidden(h.Path) {
			h.Parts = slices.Clone(h.Parts) // they are put in order
			out = append(out, h)
		}
	}
	w := q.Weights
	if w == nil {
		w = &Fitted
	}
	Reweigh(out, *w)
	if q.Limit > 0 {
		out = out[:min(len(out), q.Limit)]
	}
	return out, nil
}

// found gathers the evidence.
func (v *View) found(ctx context.Context, q Query) ([]Hit, error) {
	s := &search{view: v, asked: read(q.Title, q.Body), q: q, parts: map[int32]map[string]Part{}}
	s.asked.frames = append(s.asked.frames, q.Frames...)
	s.asked.plain(q.Tests[:min(len(q.Tests), maxText)], inTest)
	for _, find := range []func(context.Context) error{s.words, s.messages, s.names, s.tests, s.paths, s.frames, s.ran, s.past, s.graph} {
		if err := find(ctx); err != nil {
			return nil, err
		}
	}
	return s.hits(), nil
}

type search struct {
	view   *View
	q      Query
	asked  asked
	parts  map[int32]map[string]Part
	byFile map[int32]float64 // words of files
}

func (s *search) put(i int32, by string, value float64, why string) {
	if value <= 0 {
		return
	}
	m := s.parts[i]
	if m == nil {
		m = map[string]Part{}
		s.parts[i] = m
	}
	if value > m[by].Value {
		m[by] = Part{by, min(value, 1), why}
	}
}

// term is one of the query with its worth.
type term struct {
	text   string
	weight float64
	idf    float64
	rows   int
}

// chosen are the terms that say most, rare ones first, within the rows that a
// query may look at.
func (s *search) chosen(ctx context.Context) ([]term, error) {
	total := float64(len(s.view.at) + 1)
	var all []term
	for _, t := range slices.Sorted(maps.Keys(s.asked.terms)) {
		x := term{text: t, weight: s.asked.terms[t]}
		if err := s.view.index.each(ctx, `SELECT doc, 0.0 FROM frequency WHERE term = ?`, t, func(n int64, _ float64) { x.rows = int(n) }); err != nil {
			return nil, err
		}
		if x.rows > 0 {
			x.idf = math.Log(1 + total/(float64(x.rows)+0.5))
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b term) int { return cmp.Compare(b.weight*b.idf, a.weight*a.idf) })
	left := mostRows
	var out []term
	for _, t := range all {
		if t.rows <= left && len(out) < mostTerms {
			left -= t.rows
			out = append(out, t)
		}
	}
	return out, nil
}

// words ranks by the terms, one query each, so that each has its weight.
func (s *search) words(ctx context.Context) error {
	terms, err := s.chosen(ctx)
	if err != nil {
		return err
	}
	score, told := map[int32]float64{}, map[int32][]string{}
	for _, t := range terms {
		err := s.view.index.each(ctx, `SELECT rowid, bm25(words, 6.0, 2.0, 1.0) FROM words WHERE words MATCH ?`, `"`+t.text+`"`, func(id int64, b float64) {
			if i, ok := s.view.byRow[id]; ok {
				score[i] -= t.weight * b
				if len(told[i]) < mostTold {
					told[i] = append(told[i], s.asked.spelt[t.text])
				}
			}
		})
		if err != nil {
			return err
		}
	}
	s.ofFiles(score)
	top := most(score)
	order := byScore(score)
	for _, i := range order[:min(len(order), candidates)] {
		s.put(i, ByWords, score[i]/top, "has the words "+strings.Join(slices.Compact(told[i]), ", "))
	}
	return nil
}

// byScore are the keys, those with the highest score first.
func byScore[K cmp.Ordered](score map[K]float64) []K {
	order := slices.Sorted(maps.Keys(score))
	slices.SortStableFunc(order, func(a, b K) int { return cmp.Compare(score[b], score[a]) })
	return order
}

func most[K comparable](m map[K]float64) float64 {
	top := 1e-9
	for _, x := range m {
		top = max(top, x)
	}
	return top
}

// ofFiles sums up what the pieces of a file have, the best one whole and each
// further one less.
func (s *search) ofFiles(score map[int32]float64) {
	per := map[int32][]float64{}
	for _, i := range sortedKeys(score) {
		f := s.view.at[i].file
		per[f] = append(per[f], score[i])
	}
	s.byFile = map[int32]float64{}
	for f, list := range per {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
		share := 1.0
		for _, x := range list[:min(len(list), 8)] {
			s.byFile[f] += share * x
			share *= 0.6
		}
	}
	top := most(s.byFile)
	for f := range s.byFile {
		s.byFile[f] /= top
	}
}

// messages looks for texts that are quoted, a few terms in a row.
func (s *search) messages(ctx context.Context) error {
	var ix indexer
	seen := map[string]bool{}
	score, told := map[int32]float64{}, map[int32]string{}
	for _, line := range s.asked.lines[:min(len(s.asked.lines), mostLines)] {
		terms := strings.Fields(ix.terms(line))
		for n := 0; n+shingle <= len(terms) && len(seen) < mostPhrases; n++ {
			phrase := strings.Join(terms[n:n+shingle], " ")
			if seen[phrase] {
				continue
			}
			seen[phrase] = true
			var found []int32
			err := s.view.index.each(ctx, `SELECT rowid, 0.0 FROM words WHERE words MATCH ? LIMIT 60`, `body : "`+phrase+`"`, func(id int64, _ float64) {
				if i, ok := s.view.byRow[id]; ok {
					found = append(found, i)
				}
			})
			if err != nil {
				return err
			}
			for _, i := range found {
				score[i] += 1 / (1 + float64(len(found)))
				told[i] = phrase
			}
		}
	}
	for i, x := range score {
		s.put(i, ByMessage, math.Min(1, x), fmt.Sprintf("holds %q, which the text quotes", told[i]))
	}
	return nil
}

// names looks for what the text writes as code.
func (s *search) names(context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(s.asked.names)) {
		defined, sure := s.view.byName[name], s.asked.names[name]
		owner := s.asked.owned[name]
		for _, i := range defined {
			p, value := s.view.piece(i), sure/math.Sqrt(float64(len(defined)))
			if owner != "" && (strings.HasSuffix(p.qualified, owner+"."+name) || strings.EqualFold(s.view.file(i).stem(), owner)) {
				value = sure
			}
			s.members(i, ByName, 0.4*value, "the text names its class "+name)
			s.put(i, ByName, value, "the text names "+name)
		}
	}
	return nil
}

// tests looks for what the failing tests call: the rarer a name among all pieces,
// the surer it is meant.
func (s *search) tests(context.Context) error {
	for _, name := range usesOf(s.q.Tests[:min(len(s.q.Tests), maxText)], "") {
		defined := s.view.byName[name]
		n := 0
		for _, i := range defined {
			if s.view.file(i).class == ClassSource {
				n++
			}
		}
		for _, i := range defined {
			value := 1 / math.Sqrt(float64(max(n, 1)))
			s.put(i, ByTest, value, "a failing test uses "+name)
			s.members(i, ByTest, 0.3*value, "a failing test uses its class "+name)
		}
	}
	return nil
}

// members are the methods of what is named, where that is a class.
func (s *search) members(class int32, by string, value float64, why string) {
	p := s.view.piece(class)
	if p.kind != code.KindClass && p.kind != code.KindType && p.kind != code.KindModule {
		return
	}
	prefix := p.qualified + "."
	f := s.view.at[class].file
	for k := range s.view.files[f].pieces {
		if strings.HasPrefix(s.view.files[f].pieces[k].qualified, prefix) {
			s.put(s.view.first[f]+int32(k), by, value, why)
		}
	}
}

// paths looks for the files that the text names, by path, by name, or by the
// name that others import them by.
func (s *search) paths(context.Context) error {
	for n, f := range s.view.files {
		value, why := 0.0, ""
		for _, asked := range s.asked.files {
			switch {
			case f.path == asked || strings.HasSuffix(f.path, "/"+asked) && strings.Contains(asked, "/"), strings.HasSuffix(asked, "/"+f.path) && strings.Contains(f.path, "/"):
				value, why = 1, "the text names "+asked
			case path.Base(f.path) == path.Base(asked) && value < 0.7:
				value, why = 0.7, "the text names "+asked
			}
		}
		if value == 0 {
			value, why = s.stem(f)
		}
		for k := range f.pieces {
			s.put2(s.view.first[n]+int32(k), value, why)
		}
	}
	return nil
}

// put2 adds to what was found otherwise: a file alone is too much.
func (s *search) put2(i int32, value float64, why string) {
	if s.parts[i] != nil || value >= 0.7 {
		s.put(i, ByPath, value, why)
	}
}

// stem tells how far the name of a file is among the words of the text.
func (s *search) stem(f *file) (float64, string) {
	got, all := 0.0, 0.0
	termsOf(f.stem(), func(t string) {
		all++
		if len(t) > 2 {
			got += s.asked.terms[t]
		}
	})
	if got == 0 {
		return 0, ""
	}
	return 0.6 * math.Min(1, got/all), "its file is called " + path.Base(f.path)
}

// frames puts the places of stack traces first, the innermost most. Where the
// line has moved, the function's name decides.
func (s *search) frames(context.Context) error {
	all := s.asked.frames
	s.eachFrame(len(all), func(n int) task.Frame { return all[n] }, func(n int, i int32, sure float64) {
		value, fr := 0.5+0.5*float64(n+1)/float64(len(all)), all[n]
		if len(all) > 1 && n == 0 {
			value = math.Max(value, 0.8) // of most languages' traces the first is the innermost
		}
		s.put(i, ByFrame, sure*value, fmt.Sprintf("%s:%d%s is in the trace", fr.File, fr.Line, within(fr)))
	})
	return nil
}

func within(fr task.Frame) string {
	if fr.Function == "" {
		return ""
	}
	return ", in " + fr.Function + ","
}

// ran puts first what ran in failing tests more than in others.
func (s *search) ran(context.Context) error {
	s.eachFrame(len(s.q.Ran), func(n int) task.Frame { return s.q.Ran[n].Frame }, func(n int, i int32, sure float64) {
		if sure == 1 || s.view.piece(i).start == s.q.Ran[n].Line {
			s.put(i, ByRan, s.q.Ran[n].Worth, "it ran in a failing test")
		}
	})
	return nil
}

// eachFrame gives the pieces in which frames lie, and how surely: where the line
// has moved, the function's name decides.
func (s *search) eachFrame(count int, at func(n int) task.Frame, take func(n int, i int32, sure float64)) {
	of := map[string][]int{} // by the name of the file
	for n := range count {
		name := path.Base(at(n).File)
		of[name] = append(of[name], n)
	}
	for k, f := range s.view.files {
		for _, n := range of[path.Base(f.path)] {
			fr := at(n)
			if !sameEnd(f.path, fr.File) {
				continue
			}
			for m := range f.pieces {
				p := &f.pieces[m]
				switch i := s.view.first[k] + int32(m); {
				case fr.Function != "" && p.name == fr.Function:
					take(n, i, 1)
				case p.start <= fr.Line && fr.Line <= p.end && callable(p.kind):
					take(n, i, 0.8)
				}
			}
		}
	}
}

// sameEnd tells whether two paths can be the same file: one ends with the other,
// but for the folder that holds the project.
func sameEnd(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n == len(x) || n == len(y) || n >= 2
}

// past looks for commits whose messages have the words, and what they changed.
func (s *search) past(ctx context.Context) error {
	if len(s.view.changes) == 0 {
		return nil
	}
	age := make(map[int64]int, len(s.view.changes))
	for n, c := range s.view.changes {
		age[c.id] = n
	}
	terms, err := s.ofMessages(ctx)
	if err != nil {
		return err
	}
	score := map[int]float64{}
	for _, t := range terms {
		err := s.view.index.each(ctx, `SELECT rowid, bm25(messages) FROM messages WHERE messages MATCH ?`, `"`+t.text+`"`, func(id int64, b float64) {
			if n, ok := age[id]; ok {
				score[n] -= t.weight * b
			}
		})
		if err != nil {
			return err
		}
	}
	best := byScore(score)
	files := map[int32]float64{}
	for _, n := range best[:min(len(best), mostPast)] {
		for _, p := range s.view.changes[n].files {
			if at, ok := s.view.byPath[p]; ok {
				files[at] += score[n] / math.Sqrt(float64(len(s.view.changes[n].files)))
			}
		}
	}
	top := most(files)
	s.eachOf(files, func(i, at int32) {
		s.put(i, ByHistory, files[at]/top, "commits with these words changed its file")
	})
	return nil
}

// eachOf gives the pieces that were found in some files.
func (s *search) eachOf(files map[int32]float64, do func(i, file int32)) {
	for _, i := range sortedKeys(s.parts) {
		if at := s.view.at[i].file; files[at] > 0 {
			do(i, at)
		}
	}
}

func (s *search) ofMessages(ctx context.Context) ([]term, error) {
	var out []term
	for _, t := range slices.Sorted(maps.Keys(s.asked.terms)) {
		if w := s.asked.terms[t]; w >= inBody {
			out = append(out, term{text: t, weight: w})
		}
	}
	slices.SortStableFunc(out, func(a, b term) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), mostTerms/2)], ctx.Err()
}

// graph follows names from the best places so far, and files that changed
// together with theirs.
func (s *search) graph(context.Context) error {
	for i := range s.parts {
		s.ofFile(i)
	}
	w := Fitted
	order := sortedKeys(s.parts)
	score := map[int32]float64{}
	for _, i := range order {
		score[i] = w.of(classOf(s.view.file(i), s.view.piece(i)), slices.SortedFunc(maps.Values(s.parts[i]), func(a, b Part) int { return cmp.Compare(a.By, b.By) }))
	}
	order = byScore(score)
	order = order[:min(len(order), walkSeeds)]
	seeds, sum := map[int32]float64{}, 0.0
	for _, i := range order {
		seeds[i] = score[i] * score[i]
		sum += seeds[i]
	}
	for i := range seeds {
		seeds[i] /= sum
	}
	got := s.view.walk(seeds)
	top := most(got)
	for _, i := range sortedKeys(got) {
		if x := got[i] / top; x > 0.02 {
			s.put(i, ByGraph, math.Sqrt(x), s.leads(i, order))
			s.ofFile(i)
		}
	}
	s.together(order)
	for i := range s.parts {
		if p := s.view.piece(i); callable(p.kind) {
			s.put(i, ByKind, 1/(1+math.Abs(math.Log(float64(p.end-p.start+2)/25))/2), "")
		}
	}
	return nil
}

// ofFile puts what a piece has from its file.
func (s *search) ofFile(i int32) {
	s.put(i, ByFile, s.byFile[s.view.at[i].file], "")
	s.put(i, ByHeat, s.view.hot[s.view.at[i].file], "")
}

// leads names the best place that leads to a piece.
func (s *search) leads(i int32, seeds []int32) string {
	for _, from := range seeds {
		for _, e := range s.view.edges[from] {
			if e.to == i && from != i {
				return s.view.piece(from).qualified + " leads to it"
			}
		}
	}
	return "what stands high leads to it"
}

// together finds files that changed in the same commits as those of the seeds.
func (s *search) together(seeds []int32) {
	of := map[int32]float64{}
	for n, i := range seeds[:min(len(seeds), 5)] {
		at := s.view.at[i].file
		of[at] = max(of[at], 1/float64(n+1))
	}
	files := map[int32]float64{}
	for n, c := range s.view.changes {
		if len(c.files) < 2 || len(c.files) > 10 {
			continue
		}
		for _, p := range c.files {
			at, ok := s.view.byPath[p]
			if !ok || of[at] == 0 {
				continue
			}
			for _, o := range c.files {
				if other, ok := s.view.byPath[o]; ok && other != at {
					files[other] += of[at] * math.Exp2(-float64(n)/halfLife) / float64(len(c.files))
				}
			}
		}
	}
	top := most(files)
	s.eachOf(files, func(i, at int32) {
		s.put(i, ByTogether, files[at]/top, "its file changed together with the best ones")
	})
}

// of is a score by the weights, of parts in a fixed order.
func (w Weights) of(class string, parts []Part) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += w.Parts[p.By] * p.Value
	}
	return sum * w.Class[class]
}

// hits are the places with their parts, not yet in order.
func (s *search) hits() []Hit {
	out := make([]Hit, 0, len(s.parts))
	for _, i := range sortedKeys(s.parts) {
		f, p := s.view.file(i), s.view.piece(i)
		out = append(out, Hit{Path: f.path, Start: p.start, End: p.end, Region: p.id, Name: p.qualified, Kind: p.kind, Signature: p.signature, Class: classOf(f, p), Bytes: p.bytes, Parts: slices.Collect(maps.Values(s.parts[i]))})
	}
	return out
}

// Reweigh scores and orders hits by their parts.
func Reweigh(hits []Hit, w Weights) {
	for n := range hits {
		h := &hits[n]
		slices.SortFunc(h.Parts, func(a, b Part) int {
			return cmp.Or(cmp.Compare(w.Parts[b.By]*b.Value, w.Parts[a.By]*a.Value), cmp.Compare(a.By, b.By))
		})
		h.Score = w.of(h.Class, h.Parts)
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
	})
	if len(hits) == 0 {
		return
	}
	top := max(hits[0].Score, 1e-9)
	for n := range hits {
		hits[n].Score /= top
	}
}

// Pack chooses what of ranked places fits into a number of bytes, whole, each line
// once: in their order, but none that takes more than half of the room behind the
// first three. left are the others, in their order.
func Pack(hits []Hit, room int) (shown, left []Hit) {
	free := room
	for _, h := range hits {
		inside := slices.ContainsFunc(shown, func(o Hit) bool { return o.Path == h.Path && o.Start <= h.Start && h.End <= o.End })
		switch {
		case inside:
		case h.Bytes > free, len(shown) >= 3 && h.Bytes > room/2:
			left = append(left, h)
		default:
			shown = append(shown, h)
			free -= h.Bytes
		}
	}
	return shown, left
}
