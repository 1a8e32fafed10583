package loop

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/model/answer"
	"github.com/fettle-dev/fettle/bot/task"
)

// Bounds of what is shown of the tree.
const (
	leastScore    = 0.35 // of the best place's; what is further behind is not shown
	surelyShown   = 3    // places that are shown however far they are behind
	besidesRan    = 0.7  // of the best place's score, of a file that the failing tests were not seen to run
	mostMapped    = 12   // files of the map
	mostHeads     = 1
	headLines     = 40
	headBytes     = 1500
	mostWhole     = 3 // suspicious files that are shown whole because they are small
	longestWhy    = 80
	mostWords     = 2 // of the issue that are a place's reason
	longestTest   = 2 << 10
	longestDoc    = 1500
	longestReadme = 1000
	mostDocs      = 2
	nearDoc       = 0.6 // of the nearest section's score
	longestInMap  = 120
	mostHeaded    = 3  // files that are not the step's of which the head is shown
	longestTop    = 12 // lines of it
	leastHeads    = 16 // a part of the room that heads may take though it is used up
	mostUsed      = 8  // shown places of which is told who uses them
	mostUses      = 3
	mostCalled    = 40  // files in which what is called is looked for
	smallCall     = 400 // bytes of functions of its own file that a place calls
)

// room is how many bytes a role is shown of the tree.
type room struct {
	Code  int `json:"code"`
	Map   int `json:"map"`
	Names int `json:"names"`
}

// sight shows the tree as it stands (SPEC M9): the files that the step names whole,
// or their likeliest regions, then the most suspicious places, which are those of the
// base wherever they stand now, and what the issue's words point at, fused. No line is
// shown twice.
func (h *real) sight(ctx context.Context, l looking) (sight, error) {
	out := sight{TestDirs: h.testDirs()}
	ask := memory.Query{Title: l.Title, Body: l.Body}
	for _, f := range l.Failures {
		ask.Frames = append(ask.Frames, f.Trace...)
	}
	// what a test calls to set itself up misleads where it is known what failing tests run
	seen := slices.ContainsFunc(l.Suspects, func(s mend.Suspect) bool { return s.Failing > 0 })
	if !seen {
		ask.Tests = l.Given
	}
	var tests []agent.Text
	for _, t := range l.Tests {
		if text := h.sources.red(ctx, t.ID, t.File, t.Name, nil).Source; text != "" && !h.secret(t.File) {
			if !seen {
				ask.Tests += "\n" + text
			}
			tests = append(tests, agent.Text{Path: t.File, Code: h.hide.text(clip(text, longestTest))})
		}
	}
	hits, err := h.hits(ctx, ask)
	if err != nil {
		return out, fmt.Errorf("looking for what the issue speaks of: %w", err)
	}
	w := &wanted{h: h, room: l.Room, tests: l.Heads}
	for _, t := range l.Targets {
		if file, region := agent.SplitTarget(t); !h.secret(file) {
			w.target(file, region, l.Words)
		}
	}
	for _, t := range l.Looked {
		if file, region := agent.SplitTarget(t); !h.secret(file) {
			w.looked(file, region)
		}
	}
	var spoken []mend.Suspect
	for n, g := range hits {
		if g.Score < leastScore && n >= surelyShown {
			break
		}
		if len(l.Ran) > 0 && !slices.Contains(l.Ran, g.Path) && (g.Score < besidesRan || !slices.ContainsFunc(g.Parts, meant)) {
			continue
		}
		if g.Class == memory.ClassSource || memory.ClassOf(g.Path) == memory.ClassSource {
			spoken = append(spoken, mend.Suspect{Path: g.Path, Line: g.Start, EndLine: g.End, Region: g.Region, Score: g.Score, Reasons: g.Reasons()})
		}
	}
	if len(l.Suspects) > 0 {
		w.top = l.Suspects[0].Score
	}
	near := slices.Clone(l.Ran)
	for _, g := range hits {
		near = append(near, g.Path)
	}
	all := fused(l.Suspects, spoken)
	for followed, n := l.Heads, 0; n < len(all); n++ {
		had := len(w.places)
		switch w.suspect(all[n]); {
		case l.Heads:
		case followed:
			w.called(ctx, w.places[had:], nil, smallCall)
		case len(w.places) >= surelyShown || n == len(all)-1:
			w.called(ctx, w.places, near, w.room.Code/3)
			followed = true
		}
	}
	out.Shown = w.packed(ctx, l.Failures)
	out.Shown.Tests = tests
	if out.Shown.Docs = h.documents(l.Title+"\n"+l.Body, hits); len(out.Shown.Docs) == 0 && !l.Heads {
		out.Shown.Docs = h.readme(hits)
	}
	for _, g := range hits {
		if l.Heads && code.IsTest(g.Path) && len(out.Heads) < mostHeads && !slices.ContainsFunc(out.Heads, func(o agent.Head) bool { return o.Path == g.Path }) {
			if src, err := h.now.read(g.Path); err == nil {
				out.Heads = append(out.Heads, agent.Head{Path: g.Path, Text: opening(string(src))})
			}
		}
	}
	for _, f := range h.files() {
		if !h.secret(f) {
			out.Shown.Files = append(out.Shown.Files, f)
		}
	}
	for _, f := range []string{"AGENTS.md", "CONTRIBUTING.md"} { // untrusted advice (SPEC C2)
		if text, err := h.sources.read(f); err == nil && !h.secret(f) {
			out.Instructions = append(out.Instructions, agent.Instruction{Path: f, Text: string(first(text, 4<<10))})
		}
	}
	return out, nil
}

// meant tells a part of a score that rests on more than words of prose: the issue or a
// failing test names the place, or what they name leads to it.
func meant(p memory.Part) bool {
	return slices.Contains([]string{memory.ByName, memory.ByMessage, memory.ByTest, memory.ByPath, memory.ByFrame, memory.ByGraph}, p.By)
}

// farRank flattens ranks: a place that both lists have somewhere is before one that heads
// a list and is not in the other.
const farRank = 10

// fused orders what failing tests ran and what the issue speaks of by reciprocal ranks
// (Cormack, Clarke, Büttcher 2009): a place counts by its own rank, and by that of its
// file in the other list.
func fused(ran, spoken []mend.Suspect) []mend.Suspect {
	files := func(of []mend.Suspect) map[string]float64 {
		out := map[string]float64{}
		for n, s := range of {
			if _, seen := out[s.Path]; !seen {
				out[s.Path] = 1 / float64(farRank+n)
			}
		}
		return out
	}
	type ranked struct {
		mend.Suspect
		score float64
	}
	var all []ranked
	add := func(own []mend.Suspect, others map[string]float64) {
		for n, s := range own {
			all = append(all, ranked{s, 1/float64(farRank+n) + others[s.Path]})
		}
	}
	add(ran, files(spoken))
	add(spoken, files(ran))
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	out := make([]mend.Suspect, len(all))
	for n, r := range all {
		out[n] = r.Suspect
	}
	return out
}

// opening is how a text begins.
func opening(text string) string {
	begin := head(strings.ToValidUTF8(text[:min(len(text), headBytes)], ""), headLines)
	if len(begin) < len(text) {
		begin = strings.TrimRight(begin, "\n") + "\n[...]\n"
	}
	return begin
}

// clip keeps the beginning of a text.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "\n[...]\n"
}

// wanted are the places that may be shown, the likeliest first.
type wanted struct {
	h      *real
	room   room
	places []agent.Place
	tests  bool    // for whoever writes one, and changes none of it
	top    float64 // score of the first suspect
}

// add wants a region, unless it is inside of one that is wanted.
func (w *wanted) add(p agent.Place) {
	if !slices.ContainsFunc(w.places, func(o agent.Place) bool { return inside(p, o) }) {
		w.places = append(w.places, p)
	}
}

// files are those of the places so far, each once.
func (w *wanted) files() []string {
	var out []string
	for _, p := range w.places {
		if !slices.Contains(out, p.Path) {
			out = append(out, p.Path)
		}
	}
	return out
}

func inside(p, o agent.Place) bool {
	return p.Path == o.Path && o.Region.StartByte <= p.Region.StartByte && p.Region.EndByte <= o.Region.EndByte
}

// whole wants a file, where it has no more bytes than that.
func (w *wanted) whole(file, why string, target bool, most int) bool {
	src, err := w.h.now.read(file)
	if err != nil || len(src) > most || bytes.IndexByte(src, 0) >= 0 {
		return false
	}
	g := code.Region{StartLine: 1, EndLine: bytes.Count(src, []byte("\n")) + 1, EndByte: len(src)}
	w.add(agent.Place{Path: file, Region: g, Code: string(src), Why: why, Target: target})
	return true
}

// target wants what a target of the step names: a small file whole, a region, or
// the regions of a large file that have most words of the step. A file that is not
// there is to be created.
func (w *wanted) target(file, region, words string) {
	regions, ok := w.h.now.list(file)
	if !ok || w.whole(file, "named by the step", true, w.room.Code/2) {
		return
	}
	named := func(g code.Region, why string) {
		p := w.h.now.at(file, g)
		p.Why, p.Target = why, true
		w.add(p)
	}
	if g, _, err := code.Resolve(regions, region); region != "" && err == nil && g.EndByte-g.StartByte <= w.room.Code {
		named(g, "named by the step")
		return
	}
	src, _ := w.h.now.read(file) // it was listed
	for _, g := range likely(regions, src, region+" "+words) {
		named(g, "it has words of the step")
	}
}

// looked wants what the planner read, or an attempt that failed, or what one changed that
// was right in part: whoever comes after it would have to ask for it again.
func (w *wanted) looked(file, region string) {
	const why = "it was read or changed before"
	regions, ok := w.h.now.list(file)
	left := w.room.Code / 2 // of all of them: the suspicious places have to be seen, too
	for _, p := range w.places {
		if p.Why == why {
			left -= len(p.Code)
		}
	}
	if !ok || region == "" && w.whole(file, why, false, min(left, w.room.Code/4)) {
		return
	}
	g, _, err := code.Resolve(regions, region)
	if m := answer.LineRange.FindStringSubmatch(region); m != nil {
		from, _, _ := strings.Cut(m[1], "-")
		line, _ := strconv.Atoi(from) // it is a number
		g, ok = code.Enclosing(regions, line)
		err = nil
	}
	if ok && err == nil && g.EndByte-g.StartByte <= min(left, w.room.Code/4) {
		p := w.h.now.at(file, g)
		p.Why = why
		w.add(p)
	}
}

// readOf is what was read of what an attempt asked for, as targets of a step.
func readOf(done []agent.Done) []string {
	var out []string
	for _, x := range done {
		if x.Action == answer.ReadRegion && x.Result == "shown" && !slices.Contains(out, x.Target) {
			out = append(out, x.Target)
		}
	}
	return out
}

// suspect wants the region of a place of the base, as it stands now, or its file
// where that is small.
func (w *wanted) suspect(s mend.Suspect) {
	if w.top == 0 {
		w.top = s.Score
	}
	if len(w.places) >= surelyShown && s.Score < leastScore*w.top {
		return
	}
	reason := strings.Join(first(s.Reasons, 1), "")
	if list, words := strings.CutPrefix(reason, "has the words "); words {
		reason = "has the words " + strings.Join(first(strings.Split(list, ", "), mostWords), ", ")
	}
	why := first([]rune(reason), longestWhy)
	if files := w.files(); (len(files) < mostWhole || slices.Contains(files[:mostWhole], s.Path)) && w.whole(s.Path, string(why), false, w.room.Code/4) {
		return
	}
	p, ok := w.h.sources.place(s.Path, s.Line)
	if g, found := w.h.named(s); found {
		p, ok = g, true
	}
	if _, changed := w.h.stood[s.Path]; ok && changed {
		regions, there := w.h.now.list(s.Path)
		g, _, err := code.Resolve(regions, p.Region.ID)
		if ok = there && err == nil; ok {
			p = w.h.now.at(s.Path, g)
		}
	}
	if ok && p.Region.EndByte-p.Region.StartByte <= w.room.Code {
		p.Why = string(why)
		w.add(p)
	}
}

// named is the region of the base that a suspect names by its id.
func (h *real) named(s mend.Suspect) (agent.Place, bool) {
	regions, _ := h.sources.list(s.Path)
	n := slices.IndexFunc(regions, func(g code.Region) bool { return g.ID == s.Region })
	if s.Region == "" || n < 0 {
		return agent.Place{}, false
	}
	return h.sources.at(s.Path, regions[n]), true
}

// packed chooses what fits, each line once, and maps what else its files hold.
func (w *wanted) packed(ctx context.Context, failures []task.Failure) agent.Shown {
	places := agent.Look(w.places, failures)
	hits := make([]memory.Hit, len(places))
	for i, p := range places {
		hits[i] = memory.Hit{Path: p.Path, Start: p.Region.StartLine, End: p.Region.EndLine, Bytes: len(p.Code), Region: fmt.Sprint(i)}
	}
	taken, left := memory.Pack(hits, w.room.Code)
	of := func(g memory.Hit) agent.Place { i, _ := strconv.Atoi(g.Region); return places[i] }
	var shown []agent.Place
	for _, g := range taken {
		shown = append(shown, of(g))
	}
	shown = slices.DeleteFunc(slices.Clone(shown), func(p agent.Place) bool { // what a later one holds
		return slices.ContainsFunc(shown, func(o agent.Place) bool { return len(o.Code) > len(p.Code) && inside(p, o) })
	})
	shown = w.joined(shown)
	out := agent.Shown{Room: w.room.Names}
	room := w.room.Code
	for _, p := range shown {
		room -= len(p.Code)
	}
	var heads map[int]opener
	if !w.tests {
		heads = w.heads(shown, max(room, w.room.Code/leastHeads))
	}
	for n, p := range shown {
		if g, ok := heads[n]; ok {
			out.Code = append(out.Code, agent.Text{Path: p.Path, Top: true, Start: 1, End: g.EndLine, Code: g.Code, Target: p.Target})
		}
		t := agent.Text{Path: p.Path, ID: p.Region.ID, Start: p.Region.StartLine, End: p.Region.EndLine, Code: p.Code, Why: p.Why, Target: p.Target}
		if t.ID == "" {
			regions, _ := w.h.now.list(p.Path)
			_, touched := w.h.stood[p.Path]
			t.Index = index(regions, touched)
		}
		if n < mostUsed && !w.tests {
			t.Used = w.h.uses(ctx, p, shown)
		}
		out.Code = append(out.Code, t)
	}
	for _, g := range left {
		if p := of(g); p.Region.ID != "" {
			out.Left = append(out.Left, fmt.Sprintf("%s %s, lines %d-%d", p.Path, p.Region.ID, g.Start, g.End))
		} else {
			out.Left = append(out.Left, p.Path)
		}
	}
	for _, p := range places {
		if !slices.Contains(out.Near, p.Path) {
			out.Near = append(out.Near, p.Path)
		}
	}
	out.Map = w.mapped(out.Near, shown)
	return out
}

// perRegion is what the line above a region and its fence take, in bytes.
const perRegion = 100

// joined shows a file whole where its regions in pieces would take as much: then the
// comments above them and what lies between them are seen, too.
func (w *wanted) joined(shown []agent.Place) []agent.Place {
	takes, named, whole := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, p := range shown {
		takes[p.Path] += len(p.Code) + perRegion
		named[p.Path] = named[p.Path] || p.Target
	}
	var out []agent.Place
	for _, p := range shown {
		if whole[p.Path] {
			continue
		}
		if src, err := w.h.now.read(p.Path); p.Region.ID != "" && err == nil && len(src)+perRegion <= takes[p.Path] && bytes.IndexByte(src, 0) < 0 {
			p.Region, p.Code = code.Region{StartLine: 1, EndLine: bytes.Count(src, []byte("\n")) + 1, EndByte: len(src)}, string(src)
			p.Target, whole[p.Path] = named[p.Path], true
		}
		out = append(out, p)
	}
	return out
}

// index names the regions of a file that is shown whole, but for those within
// functions: by their names, which is enough to change them, or by their ids where two
// have one name, or where a step that is done changed the file.
func index(regions []code.Region, ids bool) []string {
	named := map[string]int{}
	for _, g := range regions {
		named[g.QualifiedName]++
	}
	var out []string
	end := 0
	for _, g := range regions {
		if g.StartByte < end || g.Kind == code.KindBlock && !ids {
			continue
		}
		if g.Kind == code.KindFunction || g.Kind == code.KindMethod {
			end = g.EndByte
		}
		if ids || named[g.QualifiedName] > 1 {
			out = append(out, g.ID)
		} else {
			out = append(out, g.QualifiedName)
		}
	}
	return first(out, maxListed)
}

// mapped are the symbols of files that are not shown, as far as there is room.
func (w *wanted) mapped(files []string, shown []agent.Place) []agent.Mapped {
	var out []agent.Mapped
	left := w.room.Map
	for _, file := range first(files, mostMapped) {
		regions, _ := w.h.now.list(file)
		m := agent.Mapped{Path: file}
		for _, g := range regions {
			p := agent.Place{Path: file, Region: g}
			if g.Signature == "" || slices.ContainsFunc(shown, func(o agent.Place) bool { return inside(p, o) }) {
				continue
			}
			line := fmt.Sprintf("%d %s", g.StartLine, string(first([]rune(strings.Join(strings.Fields(g.Signature), " ")), longestInMap)))
			if left -= len(line) + 3; left < 0 {
				break
			}
			m.Lines = append(m.Lines, line)
		}
		if len(m.Lines) > 0 {
			out = append(out, m)
		}
	}
	return out
}

const (
	maxLikely = 3 // regions of a file of which a step names none
	maxListed = 200
)

// likely are the functions and methods that have the most words in common with
// a text, at most maxLikely.
func likely(regions []code.Region, src []byte, text string) []code.Region {
	wanted := words(text)
	score := map[string]int{}
	for _, g := range regions {
		if g.Kind != code.KindFunction && g.Kind != code.KindMethod {
			continue
		}
		for w := range words(string(src[g.StartByte:g.EndByte])) {
			if wanted[w] {
				score[g.ID]++
			}
		}
		for w := range words(g.QualifiedName) {
			if wanted[w] {
				score[g.ID] += 3
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(regions), func(g code.Region) bool { return score[g.ID] == 0 })
	slices.SortStableFunc(out, func(a, b code.Region) int { return cmp.Compare(score[b.ID], score[a.ID]) })
	return first(out, maxLikely)
}

func head(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimLeft(s, "\r\n"), "\n")
	return strings.Join(first(lines, n), "")
}

// words are the lower-case words of four letters or more, with identifiers
// split and plurals cut, and without those that any issue holds.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var b strings.Builder
	flush := func() {
		if w := strings.TrimSuffix(b.String(), "s"); len(w) >= 4 && !anyIssue[w] {
			out[w] = true
		}
		b.Reset()
	}
	lower := false
	for _, r := range s {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

var anyIssue = map[string]bool{
	"test": true, "pytest": true, "unittest": true, "node": true, "with": true, "that": true, "this": true, "when": true, "from": true, "have": true, "does": true,
	"return": true, "assert": true, "assertionerror": true, "error": true, "expected": true, "wrong": true, "should": true, "false": true, "true": true, "none": true,
	"null": true, "self": true, "else": true, "func": true, "function": true, "const": true, "value": true, "result": true, "index": true, "import": true, "python": true,
	"javascript": true, "main": true, "file": true, "line": true, "code": true, "issue": true, "instead": true, "where": true, "which": true, "there": true, "then": true,
}
