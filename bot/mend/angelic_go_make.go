package mend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// goPiece is a Go expression with its type, and how tightly it holds together.
type goPiece struct {
	text  string
	typ   types.Type
	cost  float64
	level int
}

func (p goPiece) at(level int) string {
	if p.level >= level {
		return p.text
	}
	return "(" + p.text + ")"
}

// Levels of Go's operators.
const (
	goAtom, goSign, goTimes, goPlus, goCompared, goAnd, goOr = 10, 8, 7, 6, 4, 2, 1
)

// goMaker makes expressions of the types in scope at a place. They are worked out
// in the test's own process, so only what changes nothing is made.
type goMaker struct {
	site    *mutate.Site
	own     goPiece
	pkg     *types.Package
	imports map[string]bool // names of imports
	terms   []goPiece
	out     map[string]float64
}

const (
	maxGoTerms = 24
	maxGoMade  = 450 // expressions of one place: all of them are compiled
)

// place finds the expression at [start, end) of a checked file, and its type.
func place(fset *token.FileSet, file *ast.File, info *types.Info, start, end int) (ast.Expr, types.Type) {
	var found ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || fset.Position(n.Pos()).Offset > start || fset.Position(n.End()).Offset < end {
			return false
		}
		if e, ok := n.(ast.Expr); ok && fset.Position(e.Pos()).Offset == start && fset.Position(e.End()).Offset == end {
			found = e
		}
		return true
	})
	if found == nil {
		return nil, nil
	}
	tv, ok := info.Types[found]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return nil, nil
	}
	return found, types.Default(tv.Type)
}

// told tells whether values of a type are told by their text alone.
func toldType(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsString|types.IsBoolean) != 0
	case *types.Slice:
		return toldType(u.Elem())
	}
	return t.String() == "time.Time"
}

func basic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// scope lists what can be read at a place: variables, and fields one level deep.
func (m *goMaker) scope(at token.Pos) {
	near := map[string]bool{}
	for _, n := range slices.Concat(m.site.Near, m.site.Chains) {
		near[n] = true
	}
	seen := map[string]bool{}
	for s := m.pkg.Scope().Innermost(at); s != nil && s != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			obj := s.Lookup(name)
			local := s.Parent() != types.Universe && s != m.pkg.Scope()
			if v, ok := obj.(*types.Var); !ok || seen[name] || name == "_" || local && v.Pos() > at || !local && !near[name] {
				if c, ok := obj.(*types.Const); !ok || !near[name] || seen[name] || c.Name() == "_" {
					continue
				}
			}
			seen[name] = true
			cost := 0.7
			if near[name] {
				cost = 0.3
			}
			m.term(name, obj.Type(), cost)
			m.fields(name, obj.Type(), cost, near)
		}
	}
	sort.SliceStable(m.terms, func(i, j int) bool {
		a, b := m.terms[i], m.terms[j]
		return a.cost < b.cost || a.cost == b.cost && a.text < b.text
	})
	m.terms = m.terms[:min(len(m.terms), maxGoTerms)]
}

func (m *goMaker) term(text string, t types.Type, cost float64) {
	m.terms = append(m.terms, goPiece{text, t, cost, goAtom})
}

func (m *goMaker) fields(name string, t types.Type, cost float64, near map[string]bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range min(s.NumFields(), 16) {
		f := s.Field(i)
		if f.Name() == "_" || !f.Exported() && f.Pkg() != m.pkg {
			continue
		}
		more := 0.6
		if near[name+"."+f.Name()] {
			more = 0.2
		}
		m.term(name+"."+f.Name(), f.Type(), cost+more)
	}
}

func (m *goMaker) put(p goPiece, more float64) {
	text := p.at(m.site.Need)
	if text == m.site.Text {
		return
	}
	if text != p.text {
		more += 0.4
	}
	if c, ok := m.out[text]; !ok || p.cost+more < c {
		m.out[text] = p.cost + more
	}
}

// make gives the likeliest expressions of the place's type.
func (m *goMaker) make() []madeExpr {
	m.out = map[string]float64{}
	var constants []goPiece
	for i, l := range append(slices.Clone(m.site.Literals), "0", "1", `""`) {
		t := types.Typ[types.UntypedInt]
		switch {
		case strings.HasPrefix(l, `"`):
			t = types.Typ[types.UntypedString]
		case strings.ContainsAny(l, ".eE") && !strings.HasPrefix(l, "0x"):
			t = types.Typ[types.UntypedFloat]
		}
		constants = append(constants, goPiece{l, t, 0.8 + 0.02*float64(i), goAtom})
	}
	var single []goPiece
	for _, p := range m.terms {
		single = append(single, m.alone(p)...)
	}
	var double []goPiece
	close := append(slices.Clone(m.terms[:min(len(m.terms), 12)]), constants[:min(len(constants), 5)]...)
	for i, a := range close {
		for j, b := range close {
			if i != j {
				double = append(double, pairOf(a, b)...)
			}
		}
	}
	if basic(m.own.typ, types.IsBoolean) {
		m.conditions(slices.Concat(m.terms, single, double), constants)
	} else {
		m.values(slices.Concat(m.terms, constants), slices.Concat(single, double), constants)
	}
	var out []madeExpr
	for text, cost := range m.out {
		out = append(out, madeExpr{text, text, cost})
	}
	out = mergeMade(out)
	sort.SliceStable(out, func(i, j int) bool {
		return out[i].cost < out[j].cost || out[i].cost == out[j].cost && out[i].text < out[j].text
	})
	return out[:min(len(out), maxGoMade)]
}

// alone is what can be made of one value.
func (m *goMaker) alone(p goPiece) []goPiece {
	var out []goPiece
	call := func(name string, t types.Type, cost float64) {
		out = append(out, goPiece{name + "(" + p.text + ")", t, p.cost + cost, goAtom})
	}
	str, integer := types.Typ[types.String], types.Typ[types.Int]
	switch u := p.typ.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			call("len", integer, 0.5)
			if m.imports["strings"] && u == types.Typ[types.String] {
				for name, cost := range map[string]float64{"TrimSpace": 0.6, "ToLower": 0.6, "ToUpper": 0.9} {
					call("strings."+name, str, cost)
				}
			}
		}
		if u.Info()&types.IsNumeric != 0 && u.Info()&types.IsUntyped == 0 {
			out = append(out, goPiece{p.at(goPlus) + " + 1", p.typ, p.cost + 0.6, goPlus}, goPiece{p.at(goPlus) + " - 1", p.typ, p.cost + 0.6, goPlus},
				goPiece{"-" + p.at(goSign+1), p.typ, p.cost + 0.8, goSign})
			for _, to := range []types.Type{integer, types.Typ[types.Float64], types.Typ[types.Int64]} {
				if !types.Identical(to, p.typ) {
					call(to.String(), to, 0.9)
				}
			}
		}
	case *types.Slice:
		call("len", integer, 0.4)
		out = append(out, goPiece{p.at(goAtom) + "[0]", u.Elem(), p.cost + 0.9, goAtom}, goPiece{p.at(goAtom) + "[len(" + p.text + ")-1]", u.Elem(), p.cost + 1.1, goAtom},
			goPiece{p.at(goAtom) + "[1:]", p.typ, p.cost + 0.9, goAtom})
	case *types.Map:
		call("len", integer, 0.4)
	}
	return out
}

// same tells whether two values can stand on both sides of an operator, and the
// type that comes out.
func same(a, b goPiece) (types.Type, bool) {
	au, ua := a.typ.Underlying().(*types.Basic)
	bu, ub := b.typ.Underlying().(*types.Basic)
	if !ua || !ub {
		return nil, false
	}
	la, lb := au.Info()&types.IsUntyped != 0, bu.Info()&types.IsUntyped != 0
	kind := func(i types.BasicInfo) types.BasicInfo {
		return i & (types.IsNumeric | types.IsString | types.IsBoolean)
	}
	switch {
	case la && lb:
		return nil, false
	case la:
		return b.typ, kind(au.Info())&kind(bu.Info()) != 0 || au.Info()&types.IsInteger != 0 && bu.Info()&types.IsFloat != 0
	case lb:
		return a.typ, kind(au.Info())&kind(bu.Info()) != 0 || bu.Info()&types.IsInteger != 0 && au.Info()&types.IsFloat != 0
	}
	return a.typ, types.Identical(a.typ, b.typ)
}

// pairOf is what can be made of two values that is no condition.
func pairOf(a, b goPiece) []goPiece {
	cost := a.cost + b.cost
	if s, ok := a.typ.Underlying().(*types.Slice); ok && basic(b.typ, types.IsInteger) {
		return []goPiece{{a.at(goAtom) + "[" + b.text + "]", s.Elem(), cost + 0.8, goAtom}, {a.at(goAtom) + "[" + b.text + ":]", a.typ, cost + 0.9, goAtom}, {a.at(goAtom) + "[:" + b.text + "]", a.typ, cost + 0.9, goAtom}}
	}
	if mp, ok := a.typ.Underlying().(*types.Map); ok && types.AssignableTo(b.typ, mp.Key()) {
		return []goPiece{{a.at(goAtom) + "[" + b.text + "]", mp.Elem(), cost + 0.8, goAtom}}
	}
	t, ok := same(a, b)
	if !ok || basic(t, types.IsBoolean) {
		return nil
	}
	var out []goPiece
	infix := func(op string, level int, more float64) {
		out = append(out, goPiece{a.at(level) + " " + op + " " + b.at(level+1), t, cost + more, level})
	}
	infix("+", goPlus, 0.5)
	if basic(t, types.IsString) {
		return out
	}
	infix("-", goPlus, 0.5)
	infix("*", goTimes, 0.6)
	if b.text != "0" {
		infix("/", goTimes, 0.8)
		if basic(t, types.IsInteger) {
			infix("%", goTimes, 0.9)
		}
	}
	for _, f := range []string{"max", "min"} {
		out = append(out, goPiece{f + "(" + a.text + ", " + b.text + ")", t, cost + 0.7, goAtom})
	}
	return out
}

// compares are the conditions on two values.
func compares(a, b goPiece) []goPiece {
	t, ok := same(a, b)
	if !ok || basic(t, types.IsBoolean) {
		return nil
	}
	var out []goPiece
	ops := []string{"==", "!="}
	if basic(t, types.IsOrdered) && !basic(t, types.IsString) {
		ops = []string{"<", "<=", ">", ">=", "==", "!="}
	}
	for _, op := range ops {
		out = append(out, goPiece{a.at(goCompared+1) + " " + op + " " + b.at(goCompared+1), types.Typ[types.Bool], a.cost + b.cost + 0.4, goCompared})
	}
	return out
}

func (m *goMaker) conditions(all, constants []goPiece) {
	sort.SliceStable(all, func(i, j int) bool { return all[i].cost < all[j].cost })
	var atoms []goPiece
	near := all[:min(len(all), 36)]
	for i, p := range near {
		switch p.typ.Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Signature:
			for _, op := range []string{" == nil", " != nil"} {
				atoms = append(atoms, goPiece{p.at(goCompared+1) + op, types.Typ[types.Bool], p.cost + 0.6, goCompared})
			}
		}
		if basic(p.typ, types.IsBoolean) && p.text != m.site.Text {
			atoms = append(atoms, p, goPiece{"!" + p.at(goSign), types.Typ[types.Bool], p.cost + 0.4, goSign})
		}
		for j, q := range slices.Concat(near[:min(len(near), 16)], constants) {
			if i != j {
				atoms = append(atoms, compares(p, q)...)
			}
		}
	}
	sort.SliceStable(atoms, func(i, j int) bool { return atoms[i].cost < atoms[j].cost })
	for _, a := range atoms[:min(len(atoms), maxGoMade/3)] {
		m.put(a, 1.2)
		m.put(goPiece{m.own.at(goAnd) + " && " + a.at(goAnd+1), a.typ, a.cost + 0.3, goAnd}, 0)
		m.put(goPiece{m.own.at(goOr) + " || " + a.at(goOr+1), a.typ, a.cost + 0.3, goOr}, 0)
	}
}

func (m *goMaker) values(terms, made, constants []goPiece) {
	keep := func(p goPiece, more float64) {
		if types.Identical(p.typ, m.own.typ) || basic(p.typ, types.IsUntyped) && types.ConvertibleTo(p.typ, m.own.typ) && basic(m.own.typ, types.IsNumeric|types.IsString) {
			m.put(p, more)
		}
	}
	for _, p := range m.alone(m.own) {
		keep(p, 0)
	}
	for _, b := range terms {
		for _, p := range pairOf(m.own, b) {
			keep(p, 0)
		}
		for _, p := range pairOf(b, m.own) {
			keep(p, 0.2)
		}
	}
	for _, p := range terms {
		keep(p, 0.6)
	}
	for _, p := range made {
		keep(p, 0.5)
	}
	sort.SliceStable(made, func(i, j int) bool { return made[i].cost < made[j].cost })
	for _, a := range made[:min(len(made), 30)] {
		for _, b := range append(slices.Clone(m.terms[:min(len(m.terms), 8)]), constants[:2]...) {
			for _, p := range append(pairOf(a, b), pairOf(b, a)...) {
				keep(p, 0.7)
			}
		}
	}
}
