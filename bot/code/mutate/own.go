package mutate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

// Operator is a row of the table, as people read it.
type Operator struct {
	Name      string     `json:"name"`
	Class     string     `json:"class"`
	Share     float64    `json:"share"`
	Languages []string   `json:"languages"`
	Rule      *rule.Rule `json:"-"` // nil for one that is written in Go
}

// Known lists the operators of Mutations and Beyond,
// each once.
func Known() []Operator {
	var out []Operator
	at := map[string]int{}
	rules := builtin().list
	for _, op := range slices.Concat(table(), beyondOperators()) {
		i, seen := at[op.name]
		if !seen {
			i = len(out)
			at[op.name] = i
			out = append(out, Operator{Name: op.name, Class: op.class, Share: op.share})
		}
		for _, w := range []string{"python", "javascript", "go"} {
			if op.langs&maskOfWords([]string{w}) != 0 && !slices.Contains(out[i].Languages, w) {
				out[i].Languages = append(out[i].Languages, w)
			}
		}
	}
	for i := range rules {
		out[at[rules[i].Name]].Rule = &rules[i]
	}
	return out
}

// Own are rules that do not come with fettle: an operator's, or learned ones.
type Own struct {
	rules []rule.Rule
	sets  map[int]*rule.Set
}

// NewOwn compiles rules of somebody's own. The errors say file, line and rule; a rule
// may not have the name of an operator that fettle has.
func NewOwn(rules []rule.Rule) (*Own, error) {
	o := &Own{rules: rules, sets: map[int]*rule.Set{}}
	taken := map[string]bool{}
	for _, k := range Known() {
		taken[k.Name] = true
	}
	var all []error
	for _, r := range rules {
		if taken[r.Name] {
			all = append(all, &rule.Error{File: r.File, Line: r.Line, Rule: r.Name, Says: "is the name of a rule that comes with fettle: give it another"})
		}
	}
	var err error
	if o.sets, err = compileAll(rules); err != nil {
		all = append(all, err)
	}
	if err := errors.Join(all...); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return o, nil
}

// Check tells what is wrong with rules: file, line, rule, and what to write instead.
func Check(rules []rule.Rule) error {
	_, err := compileAll(rules)
	return err
}

// compileAll gives the rules for each language that is mended. What is wrong in several of
// them is said once; a language that no change is tried in is refused.
func compileAll(rules []rule.Rule) (map[int]*rule.Set, error) {
	langs := map[string]code.Language{"python": code.Python, "javascript": code.JavaScript, "go": code.Go}
	out := map[int]*rule.Set{}
	var all []error
	said := map[string]bool{}
	say := func(err error) {
		if !said[err.Error()] {
			said[err.Error()] = true
			all = append(all, err)
		}
	}
	for i := range rules {
		for _, word := range rules[i].Languages {
			if _, ok := langs[word]; !ok {
				say(&rule.Error{File: rules[i].File, Line: rules[i].Line, Rule: rules[i].Name, Says: "languages: " + word + " is not mended mechanically, so the rule would never be applied: leave it out; go, javascript and python are"})
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(langs)) {
		set, err := rule.Compile(langs[word], rules)
		if err != nil {
			var many interface{ Unwrap() []error }
			if errors.As(err, &many) {
				for _, one := range many.Unwrap() {
					say(one)
				}
			} else {
				say(err)
			}
		}
		out[maskOf(langs[word])] = set
	}
	return out, errors.Join(all...)
}

// Has tells whether a rule has that name. nil has no rules.
func (o *Own) Has(name string) bool {
	return o != nil && slices.ContainsFunc(o.rules, func(r rule.Rule) bool { return r.Name == name })
}

// Mutations lists the changes that the rules make of the nodes that begin in the
// bytes [start, end) of a file, as the package's Mutations does. A change that does
// not parse is left out. nil has no rules.
func (o *Own) Mutations(ctx context.Context, t *code.Tree, start, end int) []Mutation {
	if o == nil || len(o.rules) == 0 || maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	for _, r := range o.rules {
		s.table = append(s.table, operator{name: r.Name, class: r.Class, share: r.Share, langs: maskOfWords(r.Languages)})
	}
	s.rules, s.ruled = o.sets[s.d.lang], len(o.rules)
	for i := range s.table[:len(s.table)-len(o.rules)] {
		s.table[i].visit = nil // only the rules make changes
	}
	s.visit()
	return slices.DeleteFunc(s.finish(), func(m Mutation) bool {
		errs, err := code.CheckLanguage(ctx, t.Lang, Apply(t.Src, m))
		return err != nil || len(errs) > 0
	})
}
