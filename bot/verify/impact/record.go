package impact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/verify/detect"
)

// Record makes a map of what the command of Trace wrote while it ran in the
// tree t. The text is foreign: what does not name a test and files of the tree
// is left out. An empty record is ErrMap.
func Record(t *detect.Tree, c detect.Command, data []byte) (*Map, error) {
	r := &recorder{t: t, c: c, tests: map[string]*taken{}, loaded: map[string]bool{}, shared: map[int]map[string]Lines{}}
	if c.Tool == "go test" {
		r.goText(data)
	} else {
		r.lines(data)
	}
	m := r.finish()
	if len(m.Tests) == 0 {
		return nil, fmt.Errorf("%w: no test was recorded", ErrMap)
	}
	return m, nil
}

type recorder struct {
	t      *detect.Tree
	c      detect.Command
	tests  map[string]*taken        // by file and id
	loaded map[string]bool          // files
	shared map[int]map[string]Lines // fixtures of many tests
}

type taken struct {
	Test
	ran map[string]Lines
}

// traced is one line of a recorder.
type traced struct {
	K       string            `json:"k"`
	ID      string            `json:"id"`
	File    string            `json:"file"`
	Seconds float64           `json:"seconds"`
	Red     bool              `json:"red"`
	N       int               `json:"n"`
	Uses    []int             `json:"uses"`
	Ran     map[string]string `json:"ran"`
}

func (r *recorder) lines(data []byte) {
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 16<<20)
	for in.Scan() && len(r.tests) < maxTests {
		var t traced
		if json.Unmarshal(in.Bytes(), &t) != nil {
			continue
		}
		ran := map[string]Lines{}
		for p, text := range t.Ran {
			if l, err := ParseLines(text); err == nil {
				if p = r.place(p); p != "" && r.t.Has(p) {
					ran[p] = l
				}
			}
		}
		for p := range ran {
			r.loaded[p] = true
		}
		switch t.K {
		case "shared":
			r.shared[t.N] = ran
		case "test":
			for _, n := range t.Uses {
				join(ran, r.shared[n])
			}
			r.test(t, ran)
		}
	}
}

// place is a path of the command's folder seen from the root, "" outside.
func (r *recorder) place(p string) string {
	p = path.Join(r.c.Dir, p)
	if !fs.ValidPath(p) {
		return ""
	}
	return p
}

func (r *recorder) test(t traced, ran map[string]Lines) {
	file := r.place(t.File)
	if file == "" || !r.t.Has(file) && r.c.Tool != "go test" {
		return
	}
	id := unit(r.c.Tool, native(r.c.Tool, t.ID, t.File))
	if r.c.Tool == "node:test" {
		id = t.File
	}
	if !named(id, file) || t.Seconds < 0 {
		return
	}
	key := file + "\x00" + id
	was := r.tests[key]
	if was == nil {
		was = &taken{Test: Test{ID: id, File: file}, ran: map[string]Lines{}}
		r.tests[key] = was
	}
	was.Seconds += min(t.Seconds, 3600)
	was.Red = was.Red || t.Red
	join(was.ran, ran)
}

func join(into, more map[string]Lines) {
	for p, l := range more {
		into[p] = union(into[p], l)
	}
}

// goText reads "== package name status nanoseconds" and the blocks below it,
// "module/folder/file.go:12.3,14.5 2 1".
func (r *recorder) goText(data []byte) {
	g := goTrace{r: r, module: r.c.Module, quick: map[string]float64{}, spans: map[string][]Span{}}
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 1<<20)
	for in.Scan() && len(r.tests) < maxTests {
		if head, ok := strings.CutPrefix(in.Text(), "== "); ok {
			g.close()
			g.open(head)
		} else if g.at.ID != "" {
			g.block(in.Text())
		}
	}
	g.close()
	for _, t := range r.tests { // what starting the process took is no test's own
		t.Seconds = max(t.Seconds-g.quick[t.File], 0.0001)
	}
}

type goTrace struct {
	r      *recorder
	module string
	at     traced
	spans  map[string][]Span
	quick  map[string]float64 // the quickest test of each package
}

func (g *goTrace) open(head string) {
	var pkg, name string
	var status int
	var nanos int64
	if n, _ := fmt.Sscanf(head, "%s %s %d %d", &pkg, &name, &status, &nanos); n != 4 {
		return
	}
	rest, ok := strings.CutPrefix(pkg+"/", g.module+"/")
	if !ok {
		return
	}
	g.at = traced{ID: name, File: path.Join(".", rest), Seconds: float64(nanos) / 1e9, Red: status != 0}
}

func (g *goTrace) block(text string) {
	file, span, ok := strings.Cut(text, ":")
	rest, inside := strings.CutPrefix(file, g.module+"/")
	var a, ac, b, bc int32
	if n, _ := fmt.Sscanf(span, "%d.%d,%d.%d", &a, &ac, &b, &bc); !ok || !inside || n != 4 {
		return
	}
	if p := g.r.place(rest); p != "" && g.r.t.Has(p) {
		g.spans[p] = append(g.spans[p], Span{a, b})
	}
}

func (g *goTrace) close() {
	if g.at.ID == "" {
		return
	}
	ran := map[string]Lines{}
	for p, s := range g.spans {
		ran[p] = linesOf(s)
	}
	g.r.test(g.at, ran)
	folder := g.r.place(g.at.File)
	if q, ok := g.quick[folder]; !ok || g.at.Seconds < q {
		g.quick[folder] = g.at.Seconds
	}
	g.at, g.spans = traced{}, map[string][]Span{}
}

// finish numbers the files and puts everything in order.
func (r *recorder) finish() *Map {
	m := &Map{Tool: r.c.Tool, Dir: r.c.Dir}
	all := r.loaded
	for _, t := range r.tests {
		for p := range t.ran {
			all[p] = true
		}
		if r.t.Has(t.File) {
			all[t.File] = true
		}
	}
	number := map[string]int{}
	for i, p := range slices.Sorted(maps.Keys(all)) {
		number[p] = i
		m.Files = append(m.Files, File{Path: p, Sums: sums(r.t.Read(p))})
	}
	pack := func(ran map[string]Lines) []Ran {
		var out []Ran
		for p, l := range ran {
			out = append(out, Ran{number[p], l})
		}
		slices.SortFunc(out, func(a, b Ran) int { return a.File - b.File })
		return out
	}
	for _, t := range r.tests {
		t.Ran = pack(t.ran)
		m.Tests = append(m.Tests, t.Test)
	}
	sort.Slice(m.Tests, func(i, j int) bool {
		a, b := m.Tests[i], m.Tests[j]
		return a.File < b.File || a.File == b.File && a.ID < b.ID
	})
	return m
}
