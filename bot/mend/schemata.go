package mend

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
	schemataVar  = "FETTLE_CANDIDATE"
	schemataFile = "zz_fettle_candidate.go"
	schemataName = "fettleCandidate"
)

// schemata holds many candidates in one build. Inside a function stands
//
//	switch fettleCandidate { case 7: <body of candidate 7> … }
//
// before the original body, so signatures, receivers and type parameters need
// no care; and the value of a variable of the package becomes
//
//	func() T { switch fettleCandidate { case 7: return <value> … }; return <value> }()
//
// A constant is made a variable where its package allows that.
type schemata struct {
	files []*schemataSource
	built map[int]bool // index of the candidate → it is in the binary
	alone map[int]bool // it has to be built by itself

	beside map[string]string // files that each package needs, by name; theirs is package main
}

type schemataSource struct {
	path     string
	original []byte
	pkg      string
	parts    []schemataPart // sorted by place
	lines    []lineOwner    // of the last text written
}

// schemataPart is what one candidate changes.
type schemataPart struct {
	index  int          // of the candidate
	at     int          // byte offset just behind the function's opening brace, or of the value
	text   string       // the changed body without its braces, or the changed value
	result bool         // the function has results
	value  *schemataVal // nil for a body
	gone   bool         // the compiler refuses it
}

// schemataVal is the value of a variable or constant of the package; those that
// candidates change share one.
type schemataVal struct {
	name     string
	from, to int // the value's bytes; of a constant, those of what declares it
	text     string
	typ      string // as it is written in the file; "" while not known
	constant bool
}

type lineOwner struct{ from, to, part int } // lines of the written text, 1-based, to exclusive

func newSchemata(cs []candidate) *schemata {
	s := &schemata{built: map[int]bool{}, alone: map[int]bool{}}
	byPath := map[string]*schemataSource{}
	values := map[string]*schemataVal{}
	files := map[string]*goLayout{}
	for i, c := range cs {
		if files[c.path] == nil {
			files[c.path] = newGoLayout(c.original)
		}
		part, ok := partOf(c, files[c.path])
		if !ok {
			s.alone[i] = true
			continue
		}
		f := byPath[c.path]
		if f == nil {
			f = &schemataSource{path: c.path, original: c.original, pkg: files[c.path].pkg}
			byPath[c.path] = f
			s.files = append(s.files, f)
		}
		if part.value != nil {
			key := c.path + " " + part.value.name
			if values[key] == nil {
				values[key] = part.value
			}
			part.value = values[key]
		}
		part.index = i
		f.parts = append(f.parts, part)
	}
	for _, f := range s.files {
		sort.SliceStable(f.parts, func(i, j int) bool { return f.parts[i].at < f.parts[j].at })
	}
	return s
}

// partOf cuts what is changed out of a candidate: a function's body or the value
// of a variable or constant of the package. It is not ok when the change lies
// elsewhere. Of the changed text no more is parsed than the function: candidates
// of a file are many, and l was made of it once for all.
func partOf(c candidate, l *goLayout) (p schemataPart, ok bool) {
	now := c.text()
	if len(now) == 0 {
		return p, false
	}
	grown := c.grown()
	start, end := c.changed(now)
	if open, last, results, ok := l.body(start, end-grown); ok {
		text, ok := ownBody(string(now[open : last+grown]))
		return schemataPart{at: open, text: text, result: results}, ok
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
func (c candidate) changed(now []byte) (start, end int) {
	grown := c.grown()
	start, end = c.start, c.end+grown
	for start < min(c.end, end) && now[start] == c.original[start] {
		start++
	}
	for end > start && end-grown > start && now[end-1] == c.original[end-grown-1] {
		end--
	}
	return start, end
}

// labelMark stands behind each label of a changed body; the candidate's number
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
func valuePart(c candidate, now []byte, d *ast.GenDecl, offset func(token.Pos) int, holds func(from, to int) bool, grown int) (p schemataPart, ok bool) {
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
		val := &schemataVal{name: v.Names[0].Name, from: from, to: to - grown, text: string(c.original[from : to-grown]), constant: d.Tok == token.CONST}
		if v.Type != nil {
			val.typ = string(now[offset(v.Type.Pos()):offset(v.Type.End())])
		}
		if val.constant {
			implied := i+1 < len(d.Specs) && len(d.Specs[i+1].(*ast.ValueSpec).Values) == 0
			if implied || strings.Contains(val.text, "iota") {
				return p, false // the next ones repeat it
			}
			val.from, val.to = offset(v.Pos()), offset(v.End())-grown
			if !d.Lparen.IsValid() {
				val.from = offset(d.Pos())
			}
		}
		return schemataPart{at: from, text: string(now[from:to]), value: val}, true
	}
	return p, false
}

func (s *schemata) dirs() []string {
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

func (s *schemata) markBuilt() {
	clear(s.built)
	for _, f := range s.files {
		for _, p := range f.parts {
			if !p.gone && !s.alone[p.index] {
				s.built[p.index] = true
			}
		}
	}
}

// caseName is the name of a candidate for the environment.
func caseName(index int) string { return strconv.Itoa(index + 1) }
