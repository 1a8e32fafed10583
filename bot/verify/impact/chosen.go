package impact

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// candidate is a test that speaks for itself by what it ran.
type candidate struct {
	test    *Test
	score   float64
	reasons []string
	way     string // how it ran the changed regions: which of their lines
}

// mapped chooses single tests by the map. Whole files are put to say where the
// map knows nothing: new tests, tests that have changed, and what no test ran.
// It returns the files that the map does not speak for.
func (s *Selection) mapped(t *detect.Tree, c detect.Command, ch Change, files []string, g *graph) (chosen []candidate, rest []string) {
	v := newView(ch.Map, t)
	found := map[*Test]*candidate{}
	for _, f := range files {
		if slices.Contains(c.Files, f) || ch.Map.file(f) < 0 {
			rest = append(rest, f)
			continue
		}
		if !v.hits(ch.Map.file(f), g, ch, found) {
			rest = append(rest, f)
		}
	}
	if len(found) > 0 {
		v.spawning(c, found)
	}
	for _, x := range found {
		chosen = append(chosen, *x)
	}
	sort.Slice(chosen, func(i, j int) bool { return before(chosen[i], chosen[j]) })
	return chosen, rest
}

var spawns = lazyregexp.New(`\bsubprocess\b|\bPopen\b|\bmultiprocessing\b|\bos\.(?:system|fork|spawn|exec)|\bchild_process\b|\b(?:spawn|fork|exec(?:File)?)(?:Sync)?\(`)

// spawning adds, behind all others, the tests that start another process: what
// that runs is not recorded.
func (v *view) spawning(c detect.Command, found map[*Test]*candidate) {
	starts := map[int]Lines{}
	for _, f := range c.Files {
		i := v.m.file(f)
		if i < 0 || !spawns.MatchString(v.text(i)) {
			continue
		}
		n := 0
		for line := range lineSeq(v.text(i)) {
			if n++; spawns.MatchString(line) {
				at := int32(max(1, then(v.drift(i), n)))
				starts[i] = union(starts[i], Lines{{at, at}})
			}
		}
	}
	for i := range v.m.Tests {
		t := &v.m.Tests[i]
		for file, lines := range starts {
			if found[t] == nil && t.of(file).meets(lines) {
				found[t] = &candidate{test: t, score: -1, reasons: []string{"it starts another process, and what that runs is not recorded"}}
			}
		}
	}
}

func before(a, b candidate) bool {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.test.Seconds, b.test.Seconds), cmp.Compare(a.test.File, b.test.File), cmp.Compare(a.test.ID, b.test.ID)) < 0
}

// hits notes the tests that ran what changed in a file; false when none did.
func (v *view) hits(file int, g *graph, ch Change, found map[*Test]*candidate) bool {
	places := v.places(file)
	name := v.m.Files[file].Path
	if len(places) == 0 { // as a whole, or the map was recorded with the change already made
		places = []place{{file: file, lines: map[int]Lines{file: {{1, maxLine}}}, how: "ran " + name}}
	}
	near := map[string]int{}
	for _, r := range g.reach(g.unit(name)) {
		near[r.file] = len(r.via) + 1
	}
	any := false
	for _, p := range places {
		for i := range v.m.Tests {
			test := &v.m.Tests[i]
			if !p.by(test) {
				continue
			}
			any = true
			x := found[test]
			if x == nil {
				x = &candidate{test: test}
				found[test] = x
			}
			x.reasons = appendNew(x.reasons, fmt.Sprintf("it %s in %s", p.how, name))
			x.score = max(x.score, likely(test, p, name, near[g.unit(test.File)]))
			x.way += ";" + test.of(file).within(spanOf(p.whole)).String()
			for _, past := range ch.Past {
				if slices.Contains(past.Files, name) && (slices.Contains(past.Tests, test.ID) || slices.Contains(past.Tests, test.File)) {
					x.score++
					x.reasons = appendNew(x.reasons, "it failed before when "+name+" had changed")
				}
			}
		}
	}
	return any
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func spanOf(l Lines) (from, to int) {
	if len(l) == 0 {
		return 1, maxLine
	}
	return int(l[0].From), int(l[len(l)-1].To)
}

func (p *place) by(t *Test) bool {
	for f, lines := range p.lines {
		if t.of(f).meets(lines) {
			return true
		}
	}
	return false
}

// likely is how much speaks for a test that ran a changed place: that it is
// about the region by its name, that it imports the file itself, and that it
// runs little else.
func likely(t *Test, p place, file string, distance int) float64 {
	score := 0.0
	if sameName(file, t.File) {
		score++
	}
	id := strings.ToLower(strings.ReplaceAll(t.ID, "_", ""))
	for i, part := range strings.Split(strings.ToLower(strings.ReplaceAll(p.name, "_", "")), ".") {
		if len(part) > 2 && strings.Contains(id, part) {
			score += 1 / float64(1+i)
		}
	}
	if stem := strings.ToLower(strings.Trim(strings.TrimSuffix(path.Base(file), path.Ext(file)), "_")); len(stem) > 2 && strings.Contains(strings.ToLower(t.ID), stem) {
		score += 0.5
	}
	if distance > 0 {
		score += 0.5 / float64(distance)
	}
	all := 0
	for _, r := range t.Ran {
		all += r.Lines.count()
	}
	of := t.of(p.file)
	if len(p.whole) > 0 {
		of = of.within(spanOf(p.whole))
	}
	return score + float64(of.count())/float64(max(1, all))
}

// within takes candidates up to a time: first one of each way to run what
// changed, in the order of their likelihood, then the next of each way. At
// least few are taken.
func within(all []candidate, seconds float64) []candidate {
	const few = 3
	round := map[string]int{}
	rank := make([]int, len(all))
	at := make([]int, len(all))
	for i, x := range all {
		rank[i] = round[x.way]
		round[x.way]++
		at[i] = i
	}
	sort.SliceStable(at, func(i, j int) bool { return rank[at[i]] < rank[at[j]] })
	var out []candidate
	sum := 0.0
	for _, i := range at {
		if len(out) >= few && sum+all[i].test.Seconds > seconds {
			continue
		}
		sum += all[i].test.Seconds
		out = append(out, all[i])
	}
	return out
}
