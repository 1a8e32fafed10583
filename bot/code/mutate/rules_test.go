package mutate

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

func TestEveryRuleHasExamplesAndTheyHold(t *testing.T) {
	t.Parallel()
	rules, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rules {
		r := &rules[i]
		if len(r.Examples) == 0 {
			t.Errorf("%s:%d: rule %s has no example", r.File, r.Line, r.Name)
		}
		for _, e := range r.Examples {
			says := r.Try(t.Context(), e, func(tree *code.Tree) []rule.Change {
				set, err := rule.Compile(tree.Lang, []rule.Rule{*r})
				if err != nil {
					t.Error(err)
				}
				return RuleChanges(tree, set)
			})
			if says != "" {
				t.Errorf("%s:%d: rule %s: %s", r.File, r.Line, r.Name, says)
			}
		}
	}
}

func TestTheRulesThatComeWithFettleCompile(t *testing.T) {
	t.Parallel()
	for lang, c := range compiled {
		if err := c().err; err != nil {
			t.Errorf("%d: %v", lang, err)
		}
	}
	seen := map[string]int{}
	for _, op := range table() {
		if seen[op.name]&op.langs != 0 {
			t.Errorf("%s stands in the table twice", op.name)
		}
		seen[op.name] |= op.langs
	}
}

func TestEveryRoleAndGeneratorIsAnswered(t *testing.T) {
	t.Parallel()
	tree := parse(t, code.Python, []byte("import os\n\n\nclass A:\n    def f(self, a, b):\n        self.x, self.y = 1, 2\n        for c in g(a):\n            if a:\n                return a\n            a = \"t\"\n            h(self.x, self.y)\n        return g(1)\n\n\nasync def key(b):\n    yield os.x(not b and a)\n"))
	s := newScene(tree, 0, len(tree.Src))
	roles, gens := map[string]bool{}, map[string]bool{}
	tree.Walk(func(n code.Node) bool {
		for r := range rule.Roles {
			roles[r] = roles[r] || s.Role(r, n)
		}
		for g := range rule.Generators {
			gens[g] = gens[g] || len(s.Values(g, nil, n, n)) > 0
		}
		return true
	})
	for r := range rule.Roles {
		if !roles[r] {
			t.Errorf("no node has the role %s", r)
		}
	}
	for g := range rule.Generators {
		if !gens[g] {
			t.Errorf("the generator %s gives nothing", g)
		}
	}
}
