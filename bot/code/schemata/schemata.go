// Package schemata holds many changes of Go files in one build, and the
// environment of the built program chooses among them (mutant schemata: Untch,
// Offutt and Harrold, ISSTA 1993). Mechanical repair puts its candidates there,
// and what looks at changed functions the planted faults. Inside a function stands
//
//	switch fettleCandidate { case 7: <body of change 7> … }
//
// before the original body, so signatures, receivers and type parameters need
// no care; and the value of a variable of the package becomes
//
//	func() T { switch fettleCandidate { case 7: return <value> … }; return <value> }()
//
// A constant is made a variable where its package allows that.
package schemata

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"sort"
	"strconv"
	"strings"
)

const (
	// Env names the variable that chooses: n+1 for the change with index n, and
	// anything else for the original.
	Env = "FETTLE_CANDIDATE"
	// File is laid beside each changed file.
	File   = "zz_fettle_candidate.go"
	chosen = "fettleCandidate"
)

// Change is one text of a file. It lies in the bytes [Start, End) of the original,
// and may be smaller. The whole text is asked for once, and not kept.
type Change struct {
	Path       string
	Original   []byte
	Start, End int
	Text       func() []byte
}

// Set is a set of changes for one build; they go by their indexes.
type Set struct {
	Built  map[int]bool      // it is in the binary
	Alone  map[int]bool      // it has to be built by itself
	Beside map[string]string // files that each package needs, by name; theirs is package main
	Lines  bool              // all functions keep the numbers of their lines

	files []*source
}

type source struct {
	path     string
	original []byte
	pkg      string
	parts    []part      // sorted by place
	lines    []lineOwner // of the last text written
}

// part is what one change changes.
type part struct {
	index  int    // of the change
	at     int    // byte offset just behind the function's opening brace, or of the value
	text   string // the changed body without its braces, or the changed value
	result bool   // the function has results
	value  *Value // nil for a body
	gone   bool   // the compiler refuses it
}

// Value is the value of a variable or constant of the package; changes of it
// share one.
type Value struct {
	Name     string
	Type     string // as it is written in the file; "" while not known
	Constant bool

	from, to int // the value's bytes; of a constant, those of what declares it
	text     string
	in       *source
}

type lineOwner struct{ from, to, part int } // lines of the written text, 1-based, to exclusive

// New puts into a set what can stand behind a switch; the other changes are Alone.
func New(cs []Change) *Set {
	s := &Set{Built: map[int]bool{}, Alone: map[int]bool{}}
	byPath := map[string]*source{}
	values := map[string]*Value{}
	files := map[string]*layout{}
	for i, c := range cs {
		if files[c.Path] == nil {
			files[c.Path] = newLayout(c.Original)
		}
		p, ok := partOf(c, files[c.Path])
		if !ok {
			s.Alone[i] = true
			continue
		}
		f := byPath[c.Path]
		if f == nil {
			f = &source{path: c.Path, original: c.Original, pkg: files[c.Path].pkg}
			byPath[c.Path] = f
			s.files = append(s.files, f)
		}
		if p.value != nil {
			key := c.Path + " " + p.value.Name
			if values[key] == nil {
				p.value.in = f
				values[key] = p.value
			}
			p.value = values[key]
		}
		p.index = i
		f.parts = append(f.parts, p)
	}
	for _, f := range s.files {
		sort.SliceStable(f.parts, func(i, j int) bool { return f.parts[i].at < f.parts[j].at })
	}
	return s
}

// partOf cuts out what is changed: a function's body or the value
// of a variable or constant of the package. It is not ok when the change lies
// elsewhere. Of the changed text no more is parsed than the function: changes of a
// file are many, and l was made of it once for all.
func partOf(c Change, l *layout) (p part, ok bool) {
	now := c.Text()
	if len(now) == 0 {
		return p, false
	}
	grown := len(now) - len(c.Original)
	start, end := c.changed(now)
	if open, last, results, ok := l.body(start, end-grown); ok {
		text, ok := ownBody(string(now[open : last+grown]))
		return part{at: open, text: text, result: results}, ok
	}
	if !l.inValue(start, end-grown) {
		return p, false
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", now, parser.SkipObjectResolution)
	if err != nil {
		return p, false
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	holds := func(from, to int) bool { return start >= from && end <= to }
	for _, d := range file.Decls {
		if d, is := d.(*ast.GenDecl); is {
			if p, ok := valuePart(c, now, d, offset, holds, grown); ok {
				return p, true
			}
		}
	}
	return p, false
}

// changed is the span [start, end) of the new text outside of which all is the
// original's.
func (c Change) changed(now []byte) (start, end int) {
	grown := len(now) - len(c.Original)
	start, end = c.Start, c.End+grown
	for start < min(c.End, end) && now[start] == c.Original[start] {
		start++
	}
	for end > start && end-grown > start && now[end-1] == c.Original[end-grown-1] {
		end--
	}
	return start, end
}

// labelMark stands behind each label of a changed body; the change's number
// follows it when it is laid out, since a label may stand once in a function.
const labelMark = "_fettle"

// ownBody is the text of a function's body with its labels marked. It is not ok
// when the text is no body, or more than one.
func ownBody(text string) (string, bool) {
	const head = "package p; func _() {"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", head+text+"\n}", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return "", false
	}
	body := file.Decls[0].(*ast.FuncDecl).Body
	if fset.Position(body.Rbrace).Offset != len(head)+len(text)+1 {
		return "", false
	}
	var names []*ast.Ident
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			names = append(names, n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				names = append(names, n.Label)
			}
		}
		return true
	})
	for i := len(names) - 1; i >= 0; i-- {
		end := fset.Position(names[i].End()).Offset - len(head)
		text = text[:end] + labelMark + text[end:]
	}
	return text, true
}

// valuePart finds the changed value in a declaration of the package.
func valuePart(c Change, now []byte, d *ast.GenDecl, offset func(token.Pos) int, holds func(from, to int) bool, grown int) (p part, ok bool) {
	if d.Tok != token.VAR && d.Tok != token.CONST {
		return p, false
	}
	for i, spec := range d.Specs {
		v, is := spec.(*ast.ValueSpec)
		if !is || len(v.Names) != 1 || len(v.Values) != 1 || v.Names[0].Name == "_" {
			continue
		}
		from, to := offset(v.Values[0].Pos()), offset(v.Values[0].End())
		if !holds(from, to) {
			continue
		}
		val := &Value{Name: v.Names[0].Name, from: from, to: to - grown, text: string(c.Original[from : to-grown]), Constant: d.Tok == token.CONST}
		if v.Type != nil {
			val.Type = string(now[offset(v.Type.Pos()):offset(v.Type.End())])
		}
		if val.Constant {
			implied := i+1 < len(d.Specs) && len(d.Specs[i+1].(*ast.ValueSpec).Values) == 0
			if implied || strings.Contains(val.text, "iota") {
				return p, false // the next ones repeat it
			}
			val.from, val.to = offset(v.Pos()), offset(v.End())-grown
			if !d.Lparen.IsValid() {
				val.from = offset(d.Pos())
			}
		}
		return part{at: from, text: string(now[from:to]), value: val}, true
	}
	return p, false
}

// Settle asks of each changed value whether it can stand behind a switch: for that
// its Type has to be known. Changes of the others are Alone.
func (s *Set) Settle(can func(v *Value) bool) {
	asked := map[*Value]bool{}
	for _, f := range s.files {
		for i, p := range f.parts {
			if p.value == nil {
				continue
			}
			if _, seen := asked[p.value]; !seen {
				asked[p.value] = can(p.value)
			}
			if !asked[p.value] {
				f.parts[i].gone, s.Alone[p.index] = true, true
			}
		}
	}
}

// File is where the value stands, with the file's original text.
func (v *Value) File() (name string, text []byte) { return v.in.path, v.in.original }

// Trial are the files with the value behind a switch that changes nothing.
func (v *Value) Trial() map[string][]byte {
	one := &source{path: v.in.path, original: v.in.original, pkg: v.in.pkg, parts: []part{{at: v.from, text: v.text, value: v}}}
	return (&Set{files: []*source{one}}).Texts()
}

// Empty tells that nothing can stand behind a switch.
func (s *Set) Empty() bool { return len(s.files) == 0 }

// Dirs are the folders with changes in the set.
func (s *Set) Dirs() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range s.files {
		if dir := path.Dir(f.path); !seen[dir] {
			seen[dir] = true
			out = append(out, dir)
		}
	}
	return out
}

// MarkBuilt says of all that is still in that it is in the binary.
func (s *Set) MarkBuilt() {
	clear(s.Built)
	for _, f := range s.files {
		for _, p := range f.parts {
			if !p.gone && !s.Alone[p.index] {
				s.Built[p.index] = true
			}
		}
	}
}

// caseName is the name of a change for the environment.
func caseName(index int) string { return strconv.Itoa(index + 1) }
