package mutate

import (
	"os"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

func own(t *testing.T, src string) (*Own, error) {
	t.Helper()
	rules, err := rule.Parse("own.yml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return NewOwn(rules)
}

const ownRule = "- name: keep_sorted\n  class: wrong order\n  share: 0.01\n  languages: python\n  says: Sort it.\n  match: return list($X)\n  to: {return sorted($X): 1, return $X: 0.5}\n"

func TestRulesOfSomebodysOwnMakeMutations(t *testing.T) {
	t.Parallel()
	o, err := own(t, ownRule)
	if err != nil {
		t.Fatal(err)
	}
	src := []byte("def f(a):\n    return list(a)\n")
	list := o.Mutations(t.Context(), parse(t, code.Python, src), 0, len(src))
	if len(list) != 2 || list[1].Operator != "keep_sorted" || list[1].Prior <= list[0].Prior || string(Apply(src, list[1])) != "def f(a):\n    return sorted(a)\n" {
		t.Errorf("got %+v", list)
	}
	if !o.Has("keep_sorted") || o.Has("variable") || (*Own)(nil).Has("keep_sorted") {
		t.Error("whose rules they are is not known")
	}
}

func TestAChangeOfSomebodysRuleThatDoesNotParseIsLeftOut(t *testing.T) {
	t.Parallel()
	o, err := own(t, "- name: odd\n  class: c\n  share: 0.01\n  languages: python\n  says: Do it.\n  match: $X\n  if: $X is variable\n  to: return $X\n")
	if err != nil {
		t.Fatal(err)
	}
	src := []byte("def f(a):\n    return list(a)\n")
	if list := o.Mutations(t.Context(), parse(t, code.Python, src), 0, len(src)); len(list) != 0 {
		t.Errorf("got %+v", list)
	}
}

func TestARuleWithTheNameOfAnOperatorIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"variable", "time_edge", "project_wrap"} {
		if _, err := own(t, strings.Replace(ownRule, "keep_sorted", name, 1)); err == nil || !strings.Contains(err.Error(), "own.yml:1: rule "+name+": is the name of a rule that comes with fettle") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkRules times the rules of a file beside a walk that only looks at each
// node's kind, in the same run.
func BenchmarkRules(b *testing.B) {
	for _, file := range []string{"mutate.go", "scope.go", "project.go"} {
		src, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		tree := parse(b, code.Go, src)
		set := compiled[golang]().set
		s := newScene(tree, 0, len(src))
		b.Run(file+"/walk", func(b *testing.B) {
			for b.Loop() {
				n := 0
				tree.Walk(func(n2 code.Node) bool { n += len(n2.Kind()); return true })
			}
		})
		b.Run(file+"/rules", func(b *testing.B) {
			for b.Loop() {
				tree.Walk(func(n code.Node) bool { set.Match(n, s, func(rule.Change) {}); return true })
			}
		})
	}
}
