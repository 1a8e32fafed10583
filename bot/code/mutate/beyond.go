package mutate

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// beyondOperators are the repairs that a function alone does not tell: what
// stands in other files of the project, or in a function that does alike. The
// mutation score does not plant them.
func beyondOperators() []operator {
	return slices.Concat(expressionOperators(), missingOperators(), projectOperators())
}

// projectOperators copy whole calls, fields and statements.
func projectOperators() []operator {
	return []operator{
		{"project_call", "wrong function", 0.023, all, projectCall},
		{"project_method", "wrong function", 0.014, all, projectMethod},
		{"project_wrap", "missing call", 0.023, all, projectWrap},
		{"project_normalise", "missing call", 0.010, all, projectNormalise},
		{"project_field", "wrong field", 0.020, all, projectField},
		{"project_whole", "missing call", 0.013, all, projectWhole},
		{"project_constant", "wrong constant", 0.015, golang, projectConstant},
		{"sibling_statement", "missing statement", 0.026, all, siblingStatement},
		{"companion_statement", "missing statement", 0.022, all, companionStatement},
		{"opposite_statement", "missing statement", 0.025, all, oppositeStatement},
		{"both_operands", "missing call", 0.00976, all, bothOperands},
	}
}

// Beyond lists changes of the nodes that begin in the bytes [start, end) of a
// file of the project, as Mutations does, made of what the project's other
// functions, classes and files hold. The priors compare with those of
// Mutations.
func (p *Project) Beyond(file string, start, end int) []Mutation {
	t := p.files[file]
	if t == nil || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.project, s.file, s.calls = p, file, p.callables(file)
	s.table = beyondOperators()
	s.visit()
	return s.finish()
}

func sharesOf(table []operator, lang int) float64 {
	sum := 0.0
	for _, op := range table {
		if op.langs&lang != 0 {
			sum += op.share
		}
	}
	return sum
}

// projectCall calls another function of the project that takes as many values.
func projectCall(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || n.Kind() == "new_expression" || n.Up() == "decorator" || hasKeyword(args) {
		return
	}
	own := fn.Text()
	if _, _, method := member(fn); method && !s.isModule(own) {
		return
	}
	here, _ := n.Ancestor(functions...)
	var list []choice
	for _, c := range s.calls {
		if c.text == own || !c.takes(len(args)) || c.node == here && len(args) == 0 {
			continue
		}
		w := 0.4 + s.suits(c.function, args)
		if near(c.name, own) {
			w++
		}
		if known := s.called(own); known != nil && known.result != c.result {
			continue
		}
		if c.node == here {
			w *= 0.2 // recursion
		}
		list = append(list, choice{c.text, w})
	}
	for _, c := range best(list, 12) {
		s.put(fn.Start(), fn.End(), c.text, c.weight, "Call %s of the project instead of %s.", one(c.text), one(own))
	}
}

func hasKeyword(args []code.Node) bool {
	return slices.ContainsFunc(args, func(a code.Node) bool {
		return a.Kind() == "keyword_argument" || strings.Contains(a.Kind(), "splat") || strings.Contains(a.Kind(), "spread") || variadic(a)
	})
}

// isModule tells module.function from object.method.
func (s *scene) isModule(callee string) bool {
	root, _, _ := strings.Cut(callee, ".")
	if s.facts.imports[root] {
		return true
	}
	return slices.ContainsFunc(s.calls, func(c callable) bool { return c.text == callee })
}

// called is the project's function behind a callee.
func (s *scene) called(callee string) *function {
	for _, c := range s.calls {
		if c.text == callee {
			return c.function
		}
	}
	return nil
}

// suits tells by names and types how well a function's parameters fit values.
func (s *scene) suits(f *function, args []code.Node) float64 {
	w := 0.0
	for i, a := range args {
		if i >= len(f.params) {
			break
		}
		if akin(lastName(a), f.params[i]) {
			w++
		}
		if v, ok := s.facts.lookup(a.Text(), a.Start()); ok && i < len(f.types) && v.typ != "" {
			if v.typ == f.types[i] {
				w += 0.5
			} else {
				w -= 0.6
			}
		}
	}
	return max(w, -0.35)
}

// akin tells names of the same kind of value: name and names, first_name and name.
func akin(a, b string) bool {
	a, b = bare(a), bare(b)
	if a == "" || b == "" {
		return false
	}
	return a == b || len(a) > 2 && len(b) > 2 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

func bare(name string) string {
	name = strings.ToLower(strings.ReplaceAll(strings.Trim(name, "_$"), "_", ""))
	if len(name) > 3 {
		name = strings.TrimSuffix(name, "s")
	}
	return name
}

// best keeps the likeliest choices, in the order of their weight and text.
func best(list []choice, n int) []choice {
	slices.SortStableFunc(list, func(a, b choice) int {
		if a.weight != b.weight {
			if a.weight > b.weight {
				return -1
			}
			return 1
		}
		return strings.Compare(a.text, b.text)
	})
	return list[:min(len(list), n)]
}

// projectMethod calls another method of a class that has the one called.
func projectMethod(s *scene, n code.Node) {
	fn, args, _, ok := call(n)
	if !ok || hasKeyword(args) {
		return
	}
	_, m, has := member(fn)
	if !has || s.isModule(fn.Text()) {
		return
	}
	own, list := m.Text(), []choice{}
	for _, key := range s.project.owners[own] {
		c := s.project.classes[key]
		was := c.methodsByName[own]
		for _, f := range c.methods {
			if f.name == own || !f.takes(len(args)) || strings.HasPrefix(f.name, "__") || f.name == "constructor" || was != nil && was.result != f.result {
				continue
			}
			w := 0.5 + s.suits(f, args)
			if near(f.name, own) {
				w++
			}
			list = append(list, choice{f.name, w})
		}
	}
	for _, c := range best(list, 10) {
		s.put(m.Start(), m.End(), c.text, c.weight, "Call the method %s instead of %s.", one(c.text), one(own))
	}
}

// projectField reads or sets another field of a class that has the one here.
func projectField(s *scene, n code.Node) {
	o, name, ok := member(n)
	if !ok || isCallee(n, parentOf(n)) || s.d.lang == golang && s.facts.imports[o.Text()] {
		return
	}
	own, list := name.Text(), []choice{}
	for _, key := range s.project.owners[own] {
		c := s.project.classes[key]
		for _, f := range c.fields {
			if f == own || !fits(c.fieldTypes[own], c.fieldTypes[f]) {
				continue
			}
			w := 0.5
			if near(f, own) {
				w++
			}
			if st, ok := statementOf(n); ok && wordCount(st.Text(), f) > 0 {
				w *= 0.5
			}
			if assigned(n) {
				w *= 0.4
			}
			list = append(list, choice{f, w})
		}
	}
	for _, c := range best(list, 10) {
		s.put(name.Start(), name.End(), c.text, c.weight, "Use the field %s instead of %s.", one(c.text), one(own))
	}
}

// projectConstant uses another constant that was declared with the one here.
func projectConstant(s *scene, n code.Node) {
	if n.Kind() != "identifier" && n.Kind() != "field_identifier" || n.Up() == "const_spec" {
		return
	}
	for _, group := range s.project.constants {
		if !slices.Contains(group, n.Text()) {
			continue
		}
		for i, c := range group {
			if c != n.Text() && i < 12 {
				s.put(n.Start(), n.End(), c, 1, "Use %s instead of %s.", one(c), one(n.Text()))
			}
		}
	}
}
