package verify

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

// Change is one file of a patch.
type Change = patch.Change

// Added is what a change brings that the code before it lacks: new files, and
// names that its files did not define. A new test that needs them cannot even be
// loaded on the base, and this is the right reason to fail there (SPEC C5). The
// zero value is of a change that adds nothing.
type Added struct {
	places []string // new files without their ending, and the folders they lie in
	names  map[string]bool
}

// AddedBy reads what changes add. The error is the context's.
func AddedBy(ctx context.Context, changes []Change) (Added, error) {
	a := Added{names: map[string]bool{}}
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if c.Before == nil {
			for at := strings.TrimSuffix(c.Path, path.Ext(c.Path)); at != "."; at = path.Dir(at) {
				a.places = append(a.places, at)
			}
		}
		was, err := defined(ctx, c.Path, c.Before)
		if err != nil {
			return a, err
		}
		is, err := defined(ctx, c.Path, c.After)
		if err != nil {
			return a, err
		}
		for name := range is {
			if !was[name] {
				a.names[name] = true
			}
		}
	}
	return a, nil
}

var oneName = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)

// defined lists the names that a file defines, exports or passes on outside of
// functions.
func defined(ctx context.Context, p string, src []byte) (map[string]bool, error) {
	out := map[string]bool{}
	lang := code.LanguageOf(p)
	if src == nil || lang == code.Unknown {
		return out, nil
	}
	t, err := code.Parse(ctx, lang, src)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading what %s defines: %w", p, context.Cause(ctx))
	} else if err != nil {
		return out, nil //nolint:nilerr // too large to read: it defines nothing that is known
	}
	t.Walk(func(n code.Node) bool {
		switch n.Field() {
		case "parameters":
			return false
		case "body":
			if up := n.Up(); strings.Contains(up, "func") || strings.Contains(up, "method") || up == "lambda" {
				return false
			}
		case "name", "alias", "key", "left":
			for _, w := range oneName.FindAllString(n.Text(), -1) {
				out[w] = true
			}
		}
		if k := n.Kind(); k == "default" || k == "shorthand_property_identifier" {
			out[n.Text()] = true
		}
		return true
	})
	if lang == code.Go {
		members(src, out)
	}
	return out, nil
}

// members adds the methods and fields of Go's types as Type.member: a name alone may be
// another type's too.
func members(src []byte, out map[string]bool) {
	file, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution) // as far as it can be read
	if file == nil {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil || len(n.Recv.List) != 1 {
				return true
			}
			at := n.Recv.List[0].Type
			if star, ok := at.(*ast.StarExpr); ok {
				at = star.X
			}
			if of, ok := at.(*ast.IndexExpr); ok {
				at = of.X
			}
			if name, ok := at.(*ast.Ident); ok {
				out[name.Name+"."+n.Name.Name] = true
			}
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						out[n.Name.Name+"."+name.Name] = true
					}
				}
			}
		}
		return true
	})
}

// holds tells whether something that was missing (task.Failure) is added.
func (a Added) holds(missing string) bool {
	place, name, named := strings.Cut(missing, "#")
	if _, member, of := strings.Cut(name, "."); of && named && place == "" {
		return a.names[name] || a.names[member]
	}
	if named && (a.names[name] || place == "") {
		return a.names[name]
	}
	place = "/" + path.Join(place, name) // Python imports a module as a name of its package
	return slices.ContainsFunc(a.places, func(p string) bool { return strings.HasSuffix("/"+p, place) })
}

// Besides is what a failure on the base says is missing and the change does not
// add. What is missing is the runner's or the compiler's word (task.Failure), what
// the change adds is read from the change itself.
func (a Added) Besides(f task.Failure) []string {
	return slices.DeleteFunc(slices.Clone(f.Missing), a.holds)
}

// lacks tells whether a failure is due to the change being absent, and to
// nothing else.
func (a Added) lacks(f task.Failure) bool { return len(f.Missing) > 0 && len(a.Besides(f)) == 0 }

// Red lists what new tests show on the code before the change: those that ran
// and failed, and those, and the units, that lack what the change adds.
func (a Added) Red(rep Report) (tests, units []string) {
	for _, t := range rep.Tests {
		if t.Red() && (Ran(t.Failure) || t.Failure != nil && a.lacks(*t.Failure)) {
			tests = append(tests, t.ID)
		}
	}
	for _, f := range rep.Broken {
		if f.Test != "" && a.lacks(f) {
			units = append(units, f.Test)
		}
	}
	return tests, units
}

// Fails tells whether new tests fail on the code before the change for a right
// reason; if not, why is what kept them from running, nil where they ran.
func (a Added) Fails(rep Report) (fails bool, why *task.Failure) {
	if tests, units := a.Red(rep); len(tests)+len(units) > 0 {
		return true, nil
	}
	for _, t := range rep.Tests {
		if t.Red() && t.Failure != nil {
			why = t.Failure
		}
	}
	if len(rep.Broken) > 0 {
		why = &rep.Broken[0]
	}
	return false, why
}
