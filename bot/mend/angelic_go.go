package mend

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // what stands at a place
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/fettle-dev/fettle/bot/verify"
)

//go:embed driver/angel.go.txt
var goAngel string

// angelFile stands in each package with places that are looked into.
const angelFile = "zz_fettle_site.go"

// wishes builds all places into one binary, behind a switch like candidates, and
// runs the tests once for each.
func (b *goBench) wishes(ctx context.Context, at []candidate, red, green []verify.TestResult) ([][]wish, error) {
	out := make([][]wish, len(at))
	if err := b.look(ctx); err != nil || b.types == nil {
		return out, err
	}
	stands := make([]candidate, len(at))
	exprs := make([][]madeExpr, len(at))
	for i, c := range at {
		stands[i], exprs[i] = b.types.standing(c)
		if exprs[i] == nil {
			stands[i].whole = []byte{} // nobody stands there
		}
	}
	sch := together(stands)
	sch.Alone = map[int]bool{} // what cannot stand behind a switch is not looked into
	sch.Beside = map[string]string{angelFile: goAngel}
	tests := append(slices.Clone(red), green...)
	pkgs, groups := byPackage(tests, b.suite)
	pkgs = slices.DeleteFunc(pkgs, func(p string) bool {
		return !slices.ContainsFunc(at, func(c candidate) bool { return b.reaches(p, c.path) })
	})
	if sch.Empty() || len(pkgs) == 0 {
		return out, nil
	}
	if _, err := b.buildSchemata(ctx, sch, siteStem, pkgs); err != nil {
		return out, err
	}
	var mu sync.Mutex
	err := parallel(ctx, len(b.shared), len(at), func(worker, i int) (map[string]bool, error) {
		if !sch.Built[i] {
			return nil, nil
		}
		records, err := b.overhear(ctx, worker, i, at[i], exprs[i], pkgs, groups)
		mu.Lock()
		defer mu.Unlock()
		out[i] = wishesOf(exprs[i], records)
		return nil, err
	}, func(int, map[string]bool) bool { return true })
	return out, err
}

// overhear runs the tests with somebody standing at a place: the failing ones
// first, then the passing ones. What is told of one place is kept apart from what
// was told of those before it.
func (b *goBench) overhear(ctx context.Context, worker, i int, at candidate, exprs []madeExpr, pkgs []string, groups map[string][]verify.TestResult) ([]siteRecord, error) {
	var out []siteRecord
	for _, pkg := range pkgs {
		for _, isRed := range []bool{true, false} {
			tests := slices.DeleteFunc(slices.Clone(groups[pkg]), func(t verify.TestResult) bool { return t.Red() != isRed })
			if len(tests) == 0 {
				continue
			}
			file := fmt.Sprintf("site-%x.txt", sha256.Sum256(fmt.Appendf(nil, "%s:%d-%d %s %t %s", at.path, at.start, at.end, at.site.Kind, isRed, pkg)))
			req := b.call(b.named(siteStem, pkg), pkg, goRequest{CPU: 3000, Wall: 6000}, i+1, "-test.run="+pattern(tests, b.suite))
			req.Env = append(req.Env, "FETTLE_SITE=/out/"+file)
			if _, err := b.shared[worker].run(ctx, req); err != nil {
				return out, err
			}
			raw, err := b.spaces[0].ReadOut(file, maxAnswer)
			if err != nil {
				continue // nobody came by
			}
			for line := range bytes.Lines(raw) {
				r := siteRecord{Red: isRed}
				if json.Unmarshal(line, &r) == nil {
					r.Where = where(r, exprs)
					out = append(out, r)
				}
			}
		}
	}
	return out, nil
}

// where are the values of the names among some expressions.
func where(r siteRecord, exprs []madeExpr) map[string]string {
	out := map[string]string{}
	for i, e := range exprs {
		if chainText.MatchString(e.text) && len(r.value(i)) <= 40 {
			out[e.text] = r.value(i)
		}
	}
	return out
}

// standing is a place with somebody who works out what could stand there, and the
// expressions in their order; none where the place has no type that can be told.
func (g *goTypes) standing(c candidate) (candidate, []madeExpr) {
	dir := path.Dir(c.path)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}}
	m, names, ok := g.maker(c, info)
	if !ok {
		return c, nil
	}
	typ, ok := written(m.own.typ, names)
	if !ok {
		return c, nil
	}
	exprs := m.make()
	helper := map[string][]byte{path.Join(dir, angelFile): []byte(strings.Replace(goAngel, "package main", "package "+m.pkg.Name(), 1))}
	for range 3 {
		text, first := standAt(c, typ, exprs)
		helper[c.path] = text
		bad, err := g.check(dir, helper, nil)
		if err != nil {
			return c, nil
		}
		gone := map[int]bool{}
		for _, b := range bad {
			if k := b.Line - first; b.Path == c.path && k >= 0 && k < len(exprs) {
				gone[k] = true
			}
		}
		if len(gone) == 0 {
			if len(bad) > 0 {
				return c, nil
			}
			c.whole = text
			c.mutation.Replacement = string(text[c.start : len(text)-(len(c.original)-c.end)])
			return c, exprs
		}
		var fit []madeExpr
		for k, e := range exprs {
			if !gone[k] {
				fit = append(fit, e)
			}
		}
		exprs = fit
	}
	return c, nil
}

// maker sees what is in scope at a place.
func (g *goTypes) maker(c candidate, info *types.Info) (*goMaker, map[string]string, bool) {
	dir := path.Dir(c.path)
	files, pkg, err := g.checked(dir, info)
	if err != nil {
		return nil, nil, false
	}
	for _, f := range files {
		if g.fset.Position(f.Package).Filename != c.path {
			continue
		}
		e, t := place(g.fset, f, info, c.start, c.end)
		if e == nil || !toldType(t) {
			return nil, nil, false
		}
		m := &goMaker{site: c.site, pkg: pkg, imports: map[string]bool{}, own: goPiece{c.site.Text, t, 0, goLevel(e)}}
		names := map[string]string{pkg.Path(): ""}
		for _, im := range f.Imports {
			name := strings.Trim(im.Path.Value, `"`)
			names[name] = path.Base(name)
			if p := g.known[name]; p != nil {
				names[name] = p.Name()
			}
			if im.Name != nil {
				names[name] = im.Name.Name
			}
			m.imports[names[name]] = true
		}
		m.scope(e.Pos())
		return m, names, true
	}
	return nil, nil, false
}

// goLevel is how tightly an expression holds together.
func goLevel(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return map[int]int{1: goOr, 2: goAnd, 3: goCompared, 4: goPlus, 5: goTimes}[e.Op.Precedence()]
	case *ast.UnaryExpr, *ast.StarExpr:
		return goSign
	}
	return goAtom
}

// standAt is the text with somebody at a place, and the line of the first
// expression: each has a line.
func standAt(c candidate, typ string, exprs []madeExpr) (text []byte, first int) {
	var b bytes.Buffer
	b.Write(c.original[:c.start])
	fmt.Fprintf(&b, "fettleSite[%s](func() %s { return %s },\n", typ, typ, c.original[c.start:c.end])
	first = bytes.Count(b.Bytes(), []byte("\n")) + 1
	for _, e := range exprs {
		fmt.Fprintf(&b, "func() any { return %s },\n", e.text)
	}
	b.WriteString(")")
	b.Write(c.original[c.end:])
	return b.Bytes(), first
}

var (
	_ angelic = (*goBench)(nil)
)
