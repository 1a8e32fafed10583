package schemata

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
)

// layout tells where the functions and values of a file are; one that cannot be
// parsed has none.
type layout struct {
	pkg    string
	bodies []goBody // in their order
	values [][2]int // declarations of variables and constants
}

// goBody is the span of a function's body, without its braces.
type goBody struct {
	from, to int
	results  bool
}

func newLayout(text []byte) *layout {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return &layout{}
	}
	l := &layout{pkg: file.Name.Name}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				l.bodies = append(l.bodies, goBody{offset(d.Body.Lbrace) + 1, offset(d.Body.Rbrace), d.Type.Results != nil && len(d.Type.Results.List) > 0})
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR || d.Tok == token.CONST {
				l.values = append(l.values, [2]int{offset(d.Pos()), offset(d.End())})
			}
		}
	}
	return l
}

// body finds the function in whose body a span lies.
func (l *layout) body(start, end int) (from, to int, results, ok bool) {
	i := sort.Search(len(l.bodies), func(i int) bool { return l.bodies[i].to >= end })
	if i == len(l.bodies) || start < l.bodies[i].from {
		return 0, 0, false, false
	}
	b := l.bodies[i]
	return b.from, b.to, b.results, true
}

func (l *layout) inValue(start, end int) bool {
	for _, v := range l.values {
		if start >= v[0] && end <= v[1] {
			return true
		}
	}
	return false
}
