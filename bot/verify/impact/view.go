package impact

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// view is a map seen from the tree as it is now.
type view struct {
	m     *Map
	t     *detect.Tree
	moved map[int][]hunk        // by file
	known map[int][]code.Region // regions of the text as it is, by file
	any   map[int][]bool        // lines that any test ran, by file
}

func newView(m *Map, t *detect.Tree) *view {
	return &view{m: m, t: t, moved: map[int][]hunk{}, known: map[int][]code.Region{}, any: map[int][]bool{}}
}

// drift is what became of a file's lines since the map was recorded.
func (v *view) drift(file int) []hunk {
	h, ok := v.moved[file]
	if !ok {
		f := v.m.Files[file]
		h = drift(f.Sums, sums(v.t.Read(f.Path)))
		v.moved[file] = h
	}
	return h
}

// regions lists those of the text as it is.
func (v *view) regions(file int) []code.Region {
	r, ok := v.known[file]
	if !ok {
		p := v.m.Files[file].Path
		r, _ = code.Regions(context.Background(), p, []byte(v.t.Read(p)))
		v.known[file] = r
	}
	return r
}

// ran tells, for each line of a file (from 1), whether any test ran it.
func (v *view) ran(file int) []bool {
	out, ok := v.any[file]
	if ok {
		return out
	}
	out = make([]bool, len(v.m.Files[file].Sums)+2)
	for i := range v.m.Tests {
		for _, s := range v.m.Tests[i].of(file) {
			for n := int(s.From); n <= int(s.To) && n < len(out); n++ {
				out[n] = true
			}
		}
	}
	v.any[file] = out
	return out
}

// place is one changed place: lines as they were recorded, and what they
// belong to.
type place struct {
	file  int
	lines map[int]Lines // file -> lines that lead to the place
	whole Lines         // of file: the region around it
	name  string        // of the region, or the name that is defined there
	how   string        // what a test did that ran one of the lines
}

// manyLines of a file are not looked at one by one: it has changed as a whole.
const manyLines = 400

// places lists the changed places of a file; none where it changed as a whole.
func (v *view) places(file int) []place {
	var out []place
	changed := 0
	for _, h := range v.drift(file) {
		if changed += max(1, h.To-h.From); changed > manyLines {
			return nil
		}
	}
	for _, h := range v.drift(file) {
		lines := [][2]int{} // as recorded, and as it is
		for n := h.From; n < h.To; n++ {
			now := min(h.Now+n-h.From, max(h.NowTo-1, h.Now))
			lines = append(lines, [2]int{n + 1, now + 1})
		}
		if h.From == h.To { // new lines: those beside them speak
			lines = append(lines, [2]int{h.From, h.Now + 1}, [2]int{h.From + 1, h.Now + 1})
		}
		for _, l := range lines {
			p := v.place(file, l[0], l[1])
			if n := len(out); n > 0 && out[n-1].name == p.name && out[n-1].how == p.how && slices.Equal(out[n-1].whole, p.whole) {
				for f, more := range p.lines {
					out[n-1].lines[f] = union(out[n-1].lines[f], more)
				}
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

// place says which lines have to have run for a changed line to matter. old is
// the line as it was recorded, now as it is.
func (v *view) place(file, old, now int) place {
	p := place{file: file, lines: map[int]Lines{}}
	r, in := code.Enclosing(v.regions(file), now)
	p.name = r.QualifiedName
	if in {
		a, b := then(v.drift(file), r.StartLine), then(v.drift(file), r.EndLine)
		p.whole = Lines{{int32(max(1, min(a, b))), int32(max(1, a, b))}}
	}
	ran := v.ran(file)
	hit := func(n int) bool { return n > 0 && n < len(ran) && ran[n] }
	switch {
	case in && function(r) && (now == r.StartLine || !hit(old) && header(v.text(file), r, now)):
		p.how, p.lines[file] = "ran "+r.QualifiedName, p.whole // its parameters, or what decorates it
	case hit(old):
		p.how, p.lines[file] = "ran the changed lines", Lines{{int32(old), int32(old)}}
	case in && function(r):
		p.how, p.lines[file] = "ran the lines beside the changed ones", beside(hit, old, p.whole)
	default:
		v.defined(&p, r, now)
	}
	return p
}

func function(r code.Region) bool {
	return r.Kind == code.KindFunction || r.Kind == code.KindMethod || r.Kind == code.KindTest
}

func (v *view) text(file int) string { return v.t.Read(v.m.Files[file].Path) }

var bodyBegins = lazyregexp.New(`(?:\)[^()]*:|\{|=>)\s*(?:#.*|//.*)?$`)

// header tells whether a line belongs to a function's head, of several lines.
func header(text string, r code.Region, now int) bool {
	n := 0
	for line := range lineSeq(text) {
		if n++; n < r.StartLine || n >= now {
			if n >= now {
				return true
			}
			continue
		}
		if bodyBegins.MatchString(line) {
			return false
		}
	}
	return false
}

// beside are the closest lines before and after one that ran, in a region.
func beside(hit func(int) bool, line int, in Lines) Lines {
	var out Lines
	for n := line - 1; n > 0 && in.Has(n); n-- {
		if hit(n) {
			out = append(out, Span{int32(n), int32(n)})
			break
		}
	}
	for n := line + 1; in.Has(n); n++ {
		if hit(n) {
			return append(out, Span{int32(n), int32(n)})
		}
	}
	return out
}

var leading = lazyregexp.New(`^\s*(?:(?:export|default|const|let|var|type|static|public|private|protected|readonly|async|module\.exports|exports|self|this)[\s.]+)*["']?([A-Za-z_$][\w$]*)["']?\s*(?:[:=(,[]|$|\w)`)

// defined is for a place that runs while the module is loaded: a constant, an
// attribute of a class, an entry of a table. What uses its name speaks for it,
// of an entry also what uses the table's name; or else what belongs to the same
// class, or the file.
func (v *view) defined(p *place, r code.Region, now int) {
	names := v.names(p.file, now)
	if r.Kind == code.KindBlock && r.StartLine < now {
		names = append(names, v.names(p.file, r.StartLine)...)
	}
	for _, name := range names {
		for f, lines := range v.mention(name, p.file, now) {
			p.lines[f] = union(p.lines[f], lines)
			p.name, p.how = name, "ran lines that use "+strings.Join(names, " or ")
		}
	}
	if len(p.lines) > 0 {
		return
	}
	ran := v.ran(p.file)
	if len(p.whole) > 0 && slices.Contains(ran[min(int(p.whole[0].From), len(ran)-1):min(int(p.whole[0].To)+1, len(ran))], true) {
		p.lines[p.file], p.how = p.whole, "ran "+p.name
		return
	}
	p.lines[p.file], p.how = Lines{{1, maxLine}}, "ran "+v.m.Files[p.file].Path
}

// names is the name that a line begins with, if any.
func (v *view) names(file, line int) []string {
	n := 0
	for text := range lineSeq(v.text(file)) {
		if n++; n == line {
			if m := leading.FindStringSubmatch(text); m != nil {
				return m[1:2]
			}
			return nil
		}
	}
	return nil
}

// mention lists the lines, as they were recorded, that hold a word and that a
// test ran.
func (v *view) mention(word string, file, now int) map[int]Lines {
	out := map[int]Lines{}
	if len(word) < 2 {
		return out
	}
	re := regexp.MustCompile(`(?:^|[^\w$])` + regexp.QuoteMeta(word) + `(?:[^\w$]|$)`)
	for f := range v.m.Files {
		text := v.text(f)
		if !re.MatchString(text) {
			continue
		}
		ran, h := v.ran(f), v.drift(f)
		var spans []Span
		n := 0
		for line := range lineSeq(text) {
			n++
			if f == file && n == now || !re.MatchString(line) {
				continue
			}
			if old := then(h, n); old > 0 && old < len(ran) && ran[old] {
				spans = append(spans, Span{int32(old), int32(old)})
			}
		}
		if len(spans) > 0 {
			out[f] = linesOf(spans)
		}
	}
	return out
}
