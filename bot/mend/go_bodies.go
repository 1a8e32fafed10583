package mend

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// span is a stretch of bytes of a file.
type span struct{ from, to int }

// inBody tells whether a change to a Go file lies in a function's body or in a
// value of the package: then it can stand behind a switch with others.
func (s *sources) inBody(c candidate) bool {
	spans, known := s.bodies[c.path]
	if !known {
		spans = goBodies(c.original)
		s.bodies[c.path] = spans
	}
	for _, b := range spans {
		if c.start >= b.from && c.end <= b.to {
			return true
		}
	}
	return false
}

func goBodies(src []byte) []span {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []span
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				out = append(out, span{at(d.Body.Lbrace) + 1, at(d.Body.Rbrace)})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
					out = append(out, span{at(v.Values[0].Pos()), at(v.Values[0].End())})
				}
			}
		}
	}
	return out
}
