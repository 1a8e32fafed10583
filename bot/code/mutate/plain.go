package mutate

import "github.com/fettle-dev/fettle/bot/code"

// copying are the operators that do nothing but copy expressions and statements
// that stand elsewhere in the file. Others copy too, from what gather noted.
var copying = map[string]bool{"guard_donor": true, "statement_donor": true}

// Plain lists mutations as Mutations does, without those that copy code from
// elsewhere in the file: what the change is made of are names in scope, constants
// and what stands at the place. It shows what the copies are worth.
func Plain(t *code.Tree, start, end int) []Mutation {
	if maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.rules, s.ruled = compiled[s.d.lang]().set, len(builtin().list)
	s.facts.donors, s.facts.conditions, s.facts.guards, s.facts.around = nil, nil, nil, nil
	for i := range s.table {
		if copying[s.table[i].name] {
			s.table[i].langs = 0
		}
	}
	s.visit()
	return s.finish()
}
