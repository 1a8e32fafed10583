package impact

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
)

// Map is what one recorded run of a suite saw: which lines each test ran, and
// how long it took. It is kept for a commit, but it holds for any tree, as far
// as the lines that a test ran are still the same there: files carry a hash of
// each line.
type Map struct {
	Tool   string // of the command: "pytest", "go test" …
	Dir    string // of the command
	Commit string // of the tree, "" where it is none
	Files  []File // that were loaded, in order of their paths
	Tests  []Test
}

// File is a source file as it was.
type File struct {
	Path string // from the root
	Sums []uint32
}

// Test is one thing that can be run by itself: a function of pytest with all
// its parameters, a method of unittest, a title of mocha, a test function of
// Go, a file of node:test.
type Test struct {
	ID      string // what the runner calls it
	File    string // from the root; for Go the package's folder
	Seconds float64
	Red     bool
	Ran     []Ran // by file, in order
}

// Ran are lines of a file.
type Ran struct {
	File  int // index in Map.Files
	Lines Lines
}

// Bounds of what is read: a map is foreign data, made by a run of repository code.
const (
	mapVersion = 1
	maxPacked  = 64 << 20
	maxMap     = 512 << 20
	maxTests   = 200_000
	maxSource  = 100_000 // files
	maxName    = 4 << 10
)

// ErrMap is what no map of tests can be read from.
var ErrMap = errors.New("not a map of tests that can be used")

// wire is how a map is written: JSON, packed by gzip. Sets of lines repeat a
// lot and are written once.
type wire struct {
	Version int        `json:"version"`
	Tool    string     `json:"tool"`
	Dir     string     `json:"dir"`
	Commit  string     `json:"commit,omitempty"`
	Paths   []string   `json:"paths"`
	Sums    [][]byte   `json:"sums"` // four bytes for each line
	Sets    []string   `json:"sets"`
	Tests   []wireTest `json:"tests"`
}

type wireTest struct {
	ID      string  `json:"id"`
	File    string  `json:"file"`
	Seconds float64 `json:"s"`
	Red     bool    `json:"red,omitempty"`
	Ran     []int   `json:"ran"` // file, set, file, set …
}

// Write writes the map.
func (m *Map) Write(w io.Writer) error {
	out := wire{Version: mapVersion, Tool: m.Tool, Dir: m.Dir, Commit: m.Commit}
	for _, f := range m.Files {
		sums := make([]byte, 0, 4*len(f.Sums))
		for _, s := range f.Sums {
			sums = append(sums, byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
		}
		out.Paths, out.Sums = append(out.Paths, f.Path), append(out.Sums, sums)
	}
	known := map[string]int{}
	pack := func(all []Ran) []int {
		flat := make([]int, 0, 2*len(all))
		for _, r := range all {
			text := r.Lines.String()
			n, ok := known[text]
			if !ok {
				n = len(out.Sets)
				known[text] = n
				out.Sets = append(out.Sets, text)
			}
			flat = append(flat, r.File, n)
		}
		return flat
	}
	for _, t := range m.Tests {
		out.Tests = append(out.Tests, wireTest{t.ID, t.File, t.Seconds, t.Red, pack(t.Ran)})
	}
	z := gzip.NewWriter(w)
	if err := json.NewEncoder(z).Encode(out); err != nil {
		return fmt.Errorf("writing a map of tests: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("writing a map of tests: %w", err)
	}
	return nil
}

// ReadMap reads what Write wrote. Whatever does not hold together is ErrMap.
func ReadMap(r io.Reader) (*Map, error) {
	z, err := gzip.NewReader(io.LimitReader(r, maxPacked))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMap, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxMap+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMap, err)
	}
	if len(data) > maxMap {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrMap, maxMap)
	}
	var in wire
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMap, err)
	}
	return in.unpack()
}

func (in *wire) unpack() (*Map, error) {
	m := &Map{Tool: in.Tool, Dir: in.Dir, Commit: in.Commit}
	switch {
	case in.Version != mapVersion:
		return nil, fmt.Errorf("%w: version %d, not %d", ErrMap, in.Version, mapVersion)
	case len(in.Paths) != len(in.Sums) || len(in.Paths) > maxSource || len(in.Tests) > maxTests || graphs[in.Tool] == nil || !fs.ValidPath(in.Dir):
		return nil, fmt.Errorf("%w: its parts do not fit together", ErrMap)
	}
	for i, p := range in.Paths {
		if !fs.ValidPath(p) || len(p) > maxName || len(in.Sums[i])%4 != 0 || i > 0 && p <= in.Paths[i-1] {
			return nil, fmt.Errorf("%w: file %.80q", ErrMap, p)
		}
		f := File{Path: p, Sums: make([]uint32, len(in.Sums[i])/4)}
		for j := range f.Sums {
			b := in.Sums[i][4*j:]
			f.Sums[j] = uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
		}
		m.Files = append(m.Files, f)
	}
	sets := make([]Lines, len(in.Sets))
	for i, text := range in.Sets {
		var err error
		if sets[i], err = ParseLines(text); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMap, err)
		}
	}
	seen := map[string]bool{}
	for _, t := range in.Tests {
		if !named(t.ID, t.File) || math.IsNaN(t.Seconds) || t.Seconds < 0 || t.Seconds > 1e6 || seen[t.File+"\x00"+t.ID] {
			return nil, fmt.Errorf("%w: test %.80q", ErrMap, t.ID)
		}
		seen[t.File+"\x00"+t.ID] = true
		ran, err := m.ran(t.Ran, sets)
		if err != nil {
			return nil, err
		}
		m.Tests = append(m.Tests, Test{ID: t.ID, File: t.File, Seconds: t.Seconds, Red: t.Red, Ran: ran})
	}
	return m, nil
}

// named: a test's name becomes an argument of a command. It must not be taken
// for a flag, nor end the argument.
func named(id, file string) bool {
	return id != "" && len(id) <= maxName && fs.ValidPath(file) && len(file) <= maxName && !strings.HasPrefix(file, "-") && !strings.ContainsAny(id, "\x00\n\r")
}

func (m *Map) ran(flat []int, sets []Lines) ([]Ran, error) {
	if len(flat)%2 != 0 {
		return nil, fmt.Errorf("%w: half a pair", ErrMap)
	}
	var out []Ran
	for i := 0; i < len(flat); i += 2 {
		f, s := flat[i], flat[i+1]
		if f < 0 || f >= len(m.Files) || s < 0 || s >= len(sets) || i > 0 && f <= flat[i-2] {
			return nil, fmt.Errorf("%w: lines of no file", ErrMap)
		}
		out = append(out, Ran{f, sets[s]})
	}
	return out, nil
}

// file is the index of a file, -1 for none.
func (m *Map) file(p string) int {
	i := sort.Search(len(m.Files), func(i int) bool { return m.Files[i].Path >= p })
	if i < len(m.Files) && m.Files[i].Path == p {
		return i
	}
	return -1
}

// of is what a test ran of a file.
func (t *Test) of(file int) Lines {
	i := sort.Search(len(t.Ran), func(i int) bool { return t.Ran[i].File >= file })
	if i < len(t.Ran) && t.Ran[i].File == file {
		return t.Ran[i].Lines
	}
	return nil
}

// Seconds is how long all tests took, one after the other.
func (m *Map) Seconds() float64 {
	sum := 0.0
	for _, t := range m.Tests {
		sum += t.Seconds
	}
	return sum
}

// sums hashes the lines of a text, without what stands at their ends.
func sums(text string) []uint32 {
	out := make([]uint32, 0, strings.Count(text, "\n")+1)
	for line := range strings.Lines(text) {
		h := fnv.New32a()
		_, _ = io.WriteString(h, strings.TrimRight(line, " \t\r\n"))
		out = append(out, h.Sum32())
	}
	return out
}

// seen lists the test files that ran anything of a file.
func (m *Map) seen(p string) []string {
	i := m.file(p)
	set := map[string]bool{}
	for j := range m.Tests {
		if t := &m.Tests[j]; i >= 0 && len(t.of(i)) > 0 {
			set[t.File] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
