package mutate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

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

func hasKeyword(args []code.Node) bool {
	return slices.ContainsFunc(args, func(a code.Node) bool {
		return a.Kind() == "keyword_argument" || strings.Contains(a.Kind(), "splat") || strings.Contains(a.Kind(), "spread") || variadic(a)
	})
}

// isModule tells module.function from object.method.
func (s *scene) isModule(callee string) bool {
	root, _, _ := strings.Cut(callee, ".")
	return s.facts.imports[root] || s.called(callee) != nil
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
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.text, b.text))
	})
	return list[:min(len(list), n)]
}
