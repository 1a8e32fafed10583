package memory

import (
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// View is one tree as the index knows it. It is safe for use by many goroutines
// until the index is closed.
type View struct {
	index   *Index
	key     string
	files   []*file
	changes []past

	at     []place         // all pieces, in the order of the files
	byRow  map[int64]int32 // row of words: index of at
	first  []int32         // of each file: its first piece
	byName map[string][]int32
	byPath map[string]int32
	edges  [][]edge // of each piece, both ways
	hot    []float64
}

// place is a piece and its file, as indexes.
type place struct {
	file int32
	n    int32
}

type edge struct {
	to     int32
	weight float32
}

// A name that more pieces define says nothing of which one is meant.
const mostDefinitions = 12

// How far a piece leads to another.
const (
	toCallee  = 1.0
	toCaller  = 0.4
	toWithin  = 0.3  // between a class and its methods
	byImport  = 4.0  // times, where the file is imported
	byFile    = 4.0  // times, where it is the same file
	inAnother = 0.25 // times, where the file is a test, an example or such
)

func (v *View) piece(i int32) *piece { return &v.files[v.at[i].file].pieces[v.at[i].n] }
func (v *View) file(i int32) *file   { return v.files[v.at[i].file] }

// build makes the tables of the view.
func (v *View) build() {
	v.byRow, v.byName, v.byPath = map[int64]int32{}, map[string][]int32{}, map[string]int32{}
	for n, f := range v.files {
		v.byPath[f.path] = int32(n)
		v.first = append(v.first, int32(len(v.at)))
		for k := range f.pieces {
			i := int32(len(v.at))
			v.at = append(v.at, place{int32(n), int32(k)})
			v.byRow[row(f.id, k)] = i
			if p := &f.pieces[k]; p.defines() {
				v.byName[p.name] = append(v.byName[p.name], i)
			}
		}
	}
	v.link()
	v.heat()
}

// link makes the graph of names.
func (v *View) link() {
	v.edges = make([][]edge, len(v.at))
	add := func(a, b int32, w float64) {
		v.edges[a] = append(v.edges[a], edge{b, float32(w * toCallee)})
		v.edges[b] = append(v.edges[b], edge{a, float32(w * toCaller)})
	}
	imports := v.imported()
	for n, f := range v.files {
		from := v.first[n]
		classes := map[string]int32{}
		for k := range f.pieces {
			i, p := from+int32(k), &f.pieces[k]
			if at := strings.LastIndexByte(p.qualified, '.'); at > 0 {
				if c, ok := classes[p.qualified[:at]]; ok {
					v.edges[i] = append(v.edges[i], edge{c, toWithin})
					v.edges[c] = append(v.edges[c], edge{i, toWithin})
				}
			}
			classes[p.qualified] = i
			for _, name := range p.uses {
				v.calls(i, int32(n), v.byName[name], imports[n], add)
			}
		}
	}
}

// calls links a piece to what it may mean by a name.
func (v *View) calls(from, file int32, defined []int32, imported map[int32]bool, add func(a, b int32, w float64)) {
	if len(defined) == 0 {
		return
	}
	total, weights := 0.0, make([]float64, 0, mostDefinitions)
	near := len(defined) <= mostDefinitions
	for _, d := range defined {
		w := 1.0
		at := v.at[d].file
		switch {
		case at == file:
			w = byFile
		case imported[at]:
			w = byImport
		case !near:
			w = 0
		case v.files[at].class != ClassSource && v.files[at].class != v.files[file].class:
			w = inAnother
		}
		weights = append(weights, w)
		total += w
	}
	if total == 0 {
		return
	}
	share := 1 / math.Sqrt(total/byFile+float64(len(defined)-1)/4+1)
	for k, d := range defined {
		if w := weights[k] / total * share; w > 0.02 && d != from {
			add(from, d, w)
		}
	}
}

// imported finds for each file those that its imports name.
func (v *View) imported() []map[int32]bool {
	stems := map[string][]int32{}
	for n, f := range v.files {
		stems[strings.ToLower(f.stem())] = append(stems[strings.ToLower(f.stem())], int32(n))
		if base := strings.TrimSuffix(path.Base(f.path), path.Ext(f.path)); base != f.stem() {
			stems[strings.ToLower(base)] = append(stems[strings.ToLower(base)], int32(n))
		}
	}
	out := make([]map[int32]bool, len(v.files))
	for n, f := range v.files {
		out[n] = map[int32]bool{}
		for _, spec := range f.imports {
			for _, to := range v.resolve(f, spec, stems) {
				out[n][to] = true
			}
		}
	}
	return out
}

func separators(r rune) bool { return r == '/' || r == '.' || r == ':' || r == '\\' }

// resolve finds the files that an import may mean: those whose path ends with the
// most of its parts.
func (v *View) resolve(from *file, spec string, stems map[string][]int32) []int32 {
	parts := strings.FieldsFunc(strings.ToLower(spec), separators)
	var best []int32
	most := 0
	for cut := len(parts); cut > 0 && cut > len(parts)-2; cut-- { // the last part may be a name in the file, or its ending
		for _, to := range stems[parts[cut-1]] {
			f := v.files[to]
			if f == from || f.class == ClassTest && from.class != ClassTest {
				continue
			}
			dirs := strings.Split(strings.ToLower(path.Dir(f.path)), "/")
			n := 1
			for k := cut - 2; k >= 0 && n <= len(dirs) && dirs[len(dirs)-n] == parts[k]; k-- {
				n++
			}
			if path.Dir(f.path) == path.Dir(from.path) {
				n++
			}
			switch {
			case n > most:
				best, most = append(best[:0], to), n
			case n == most:
				best = append(best, to)
			}
		}
	}
	if len(best) > 3 {
		return nil
	}
	return best
}

// halfLife is after how many commits a change counts half.
const halfLife = 150

// heat tells how much was changed lately of each file, from 0 to 1.
func (v *View) heat() {
	v.hot = make([]float64, len(v.files))
	top := 0.0
	for n, c := range v.changes {
		age := math.Exp2(-float64(n) / halfLife)
		for _, p := range c.files {
			if at, ok := v.byPath[p]; ok {
				v.hot[at] += age / math.Sqrt(float64(len(c.files)))
				top = max(top, v.hot[at])
			}
		}
	}
	for n := range v.hot {
		if top > 0 {
			v.hot[n] = math.Log1p(v.hot[n]) / math.Log1p(top)
		}
	}
}

const (
	walkSteps   = 4
	walkOn      = 0.5 // of what a piece has goes on to those that it leads to
	walkSeeds   = 40
	mostReached = 4000 // pieces
)

// walk spreads the seeds' score over the graph (personalised PageRank, cut off
// after a few steps), and gives what arrived from others.
func (v *View) walk(seeds map[int32]float64) map[int32]float64 {
	now, total := seeds, map[int32]float64{}
	for range walkSteps {
		next := map[int32]float64{}
		for _, i := range sortedKeys(now) {
			sum := float32(0)
			for _, e := range v.edges[i] {
				sum += e.weight
			}
			for _, e := range v.edges[i] {
				next[e.to] += walkOn * now[i] * float64(e.weight/max(sum, 1))
			}
		}
		for i, s := range next {
			total[i] += s
		}
		if len(next) > mostReached {
			break
		}
		now = next
	}
	return total
}

func sortedKeys[V any](m map[int32]V) []int32 {
	return slices.Sorted(maps.Keys(m))
}
