package rule

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Set is rules of one language, ready to match.
type Set struct {
	byKind map[string][]*form
}

// form is one form of a rule for one language.
type form struct {
	rule   *Rule
	line   int
	number int // of the rule in the list that was compiled
	roots  []part
	conds  []cond
	each   []generator
	at     string
	to     []template
	says   string
	weight float64
}

// whole is the metavariable that stands for all that a pattern matches.
const whole = "ALL"

type generator struct {
	hole, name string
	args       []string
	fits       *regexp.Regexp // nil for any value
}

// Change is one change that a rule makes of a file.
type Change struct {
	Rule       *Rule
	Number     int // of the rule in the compiled list
	Start, End int // bytes that are replaced
	Text       string
	Weight     float64 // against the other changes of the rule
	Says       string
}

// Compile makes a set of the rules for a language; those for other languages are
// left out. The errors say file, line and rule; the set then has the rest.
func Compile(lang code.Language, rules []Rule) (*Set, error) {
	s := &Set{byKind: map[string][]*form{}}
	word := family(lang)
	if word == "" {
		return s, fmt.Errorf("rules: no grammar for %q; known are %s", lang, strings.Join(words(), ", "))
	}
	var all []error
	seen := map[string]*Rule{}
	for i := range rules {
		r := &rules[i]
		if other := seen[r.Name]; other != nil {
			all = append(all, &Error{r.File, r.Line, r.Name, fmt.Sprintf("stands in %s:%d too: give one of them another name", other.File, other.Line)})
			continue
		}
		seen[r.Name] = r
		if !slices.Contains(r.Languages, word) {
			continue
		}
		for _, f := range r.forms() {
			if len(f.In) > 0 && !slices.Contains(f.In, word) {
				continue
			}
			versions := f.spelled()
			if len(versions) > maxForms {
				all = append(all, &Error{r.File, max(f.Line, r.Line), r.Name, fmt.Sprintf("with: %d versions are more than a form may have (%d)", len(versions), maxForms)})
				continue
			}
			for _, f := range versions {
				compiled, err := compile(families[word], r, f, i)
				if err != nil {
					all = append(all, &Error{r.File, max(f.Line, r.Line), r.Name, err.Error()})
					break
				}
				for _, c := range compiled {
					for _, kind := range c.spread() {
						s.byKind[kind] = append(s.byKind[kind], c)
					}
				}
			}
		}
	}
	return s, errors.Join(all...)
}

// compile makes one form for each of its patterns.
func compile(lang code.Language, r *Rule, f Form, number int) ([]*form, error) {
	if len(f.Match) == 0 || len(f.To) == 0 {
		return nil, errors.New("a form needs match and to")
	}
	var out []*form
	for _, pattern := range f.Match {
		c := &form{rule: r, line: f.Line, number: number, at: strings.TrimLeft(f.At, "$"), says: f.Says, weight: f.Weight}
		if c.weight == 0 {
			c.weight = 1
		}
		nodes, err := read(lang, pattern)
		if err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
		for _, n := range nodes {
			p, err := build(n)
			if err != nil {
				return nil, fmt.Errorf("match: %w", err)
			}
			c.roots = append(c.roots, p)
		}
		known := map[string]bool{whole: true}
		rows := 0
		for i := range c.roots {
			c.roots[i].holes(func(name string, row bool) { known[name] = true })
			if c.roots[i].row {
				rows++
			}
		}
		if rows > 0 {
			return nil, fmt.Errorf("match: “%s”: a row of statements has to stand in a block", short(pattern))
		}
		for _, text := range f.If {
			cond, err := parseCond(text, known)
			if err != nil {
				return nil, err
			}
			c.conds = append(c.conds, cond)
		}
		if len(c.spread()) == 0 {
			return nil, fmt.Errorf("match: “%s” matches everything: say with if: what kind it is, such as “%s is integer”", short(pattern), short(pattern))
		}
		if c.at != "" && !known[c.at] {
			return nil, fmt.Errorf("at: %s is not in the pattern", f.At)
		}
		if err := c.generators(f.Each, known); err != nil {
			return nil, err
		}
		if err := c.rewrites(lang, pattern, f, known); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (c *form) generators(each Each, known map[string]bool) error {
	for _, e := range each {
		fields := strings.Fields(e.Call)
		name := strings.TrimLeft(e.Hole, "$")
		switch {
		case !goodHole.MatchString(name):
			return fmt.Errorf("each: %s is no metavariable: write $ and capital letters", e.Hole)
		case known[name]:
			return fmt.Errorf("each: %s is in the pattern already", e.Hole)
		case len(fields) == 0 || Generators[fields[0]] == "":
			return fmt.Errorf("each: no generator “%s”; known are %s", e.Call, strings.Join(sorted(Generators), ", "))
		}
		g := generator{hole: name, name: fields[0]}
		for _, a := range fields[1:] {
			if expr, ok := strings.CutPrefix(a, "~"); ok {
				re, err := regexp.Compile(expr)
				if err != nil {
					return fmt.Errorf("each: “%s”: %w", e.Call, err)
				}
				g.fits = re
				continue
			}
			g.args = append(g.args, a)
			if strings.HasPrefix(a, "$") && !known[a[1:]] {
				return fmt.Errorf("each: %s is not in the pattern", a)
			}
		}
		c.each = append(c.each, g)
		known[name] = true
	}
	return nil
}

func (c *form) rewrites(lang code.Language, pattern string, f Form, known map[string]bool) error {
	to := f.To
	if len(to) > maxForms {
		return fmt.Errorf("to: %d rewrites are more than a form may have (%d)", len(to), maxForms)
	}
	for _, choice := range to {
		for _, h := range hole.FindAllString(choice.Text, -1) {
			if name := strings.TrimLeft(h, "$"); !known[name] {
				return fmt.Errorf("to: “%s”: %s is not in the pattern: nothing says what it stands for", short(choice.Text), h)
			}
		}
		if c.at == "" && short(choice.Text) == short(pattern) {
			return fmt.Errorf("to: “%s” is the pattern itself: it changes nothing", short(pattern))
		}
		if choice.Weight <= 0 || choice.Weight > 10 {
			return fmt.Errorf("to: the weight of “%s” is not between 0 and 10", short(choice.Text))
		}
		t, err := readTemplate(lang, choice)
		if err != nil {
			return fmt.Errorf("to: %w", err)
		}
		t.loose = f.Loose
		if c.at == "" {
			t.align(strings.TrimSpace(pattern))
		}
		c.to = append(c.to, t)
	}
	for _, h := range hole.FindAllString(c.says, -1) {
		if name := strings.TrimLeft(h, "$"); !known[name] && name != "TO" {
			return fmt.Errorf("says: %s is not in the pattern", h)
		}
	}
	return nil
}

// Match gives the changes of the rules whose pattern begins at a node.
func (s *Set) Match(n code.Node, facts Facts, give func(Change)) {
	list := s.byKind[n.Kind()]
	if len(list) == 0 || n.IsError() || n.IsMissing() {
		return
	}
	var st state
	for _, f := range list {
		if !f.roots[0].looksLike(n) {
			continue
		}
		st.facts, st.root, st.bound = facts, n, st.bound[:0]
		if last, ok := f.fits(&st, n); ok {
			f.changes(&st, n, last, give)
		}
	}
}

// fits tells whether a form fits at a node, and gives the last node of the match.
func (f *form) fits(st *state, n code.Node) (code.Node, bool) {
	at := n
	for i := range f.roots {
		if i > 0 {
			next, ok := nextKid(at)
			if !ok {
				return n, false
			}
			at = next
		}
		if !st.match(&f.roots[i], at) {
			return n, false
		}
	}
	if len(f.roots) > 1 && !isStatement(n) {
		return n, false
	}
	st.bound = append(st.bound, bound{name: whole, first: n, last: at})
	for i := range f.conds {
		if !f.conds[i].test(st) {
			return n, false
		}
	}
	return at, true
}

const maxValues = 40 // of one generator at one place

func (f *form) changes(st *state, first, last code.Node, give func(Change)) {
	start, end, at := first.Start(), last.End(), first
	if f.at != "" {
		b, ok := st.get(f.at)
		if !ok || b.none {
			return
		}
		start, end, at = b.first.Start(), b.last.End(), b.first
	}
	var fill func(i int, values map[string]string, w float64)
	fill = func(i int, values map[string]string, w float64) {
		if i == len(f.each) {
			for j := range f.to {
				t := &f.to[j]
				text := t.write(st, at, values)
				from, to, put := trimmed(first.Tree().Src, start, end, text)
				give(Change{Rule: f.rule, Number: f.number, Start: from, End: to, Text: put, Weight: w * t.weight, Says: f.sentence(st, text, values)})
			}
			return
		}
		if st.facts == nil {
			return
		}
		g := f.each[i]
		of := at
		if len(g.args) > 0 && strings.HasPrefix(g.args[0], "$") {
			if b, ok := st.get(g.args[0][1:]); ok && !b.none {
				of = b.first
			}
		}
		count := 0
		for _, v := range st.facts.Values(g.name, g.args, at, of) {
			if g.fits != nil && !g.fits.MatchString(v.Text) {
				continue
			}
			if count++; count > maxValues {
				break
			}
			next := map[string]string{g.hole: v.Text}
			for h, text := range values {
				next[h] = text
			}
			fill(i+1, next, w*v.Weight)
		}
	}
	fill(0, nil, f.weight)
}

// sentence is what people read of a change.
func (f *form) sentence(st *state, text string, values map[string]string) string {
	return hole.ReplaceAllStringFunc(f.says, func(h string) string {
		name := strings.TrimLeft(h, "$")
		value := text
		if v, ok := values[name]; ok {
			value = v
		} else if b, ok := st.get(name); ok {
			value = b.text()
		}
		return "`" + short(value) + "`"
	})
}
