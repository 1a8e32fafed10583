// Package mutate is the one table of syntax-tree operators. Mechanical repair
// uses a mutation as a candidate fix, the mutation score uses it as a planted
// fault. In flows a parsed file and a span; out flow mutations: small
// replacements of bytes, each with its operator, its class of fault, a
// sentence for humans and a prior.
//
// The result depends on nothing but the source text. Nothing is applied to a
// file here, and no mutation leaves the file it was made for.
package mutate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/rule"
)

// Mutation is one change of the source text.
type Mutation struct {
	Operator    string  `json:"operator"`
	Class       string  `json:"class"` // class of fault that it mends or plants
	Start       int     `json:"start"` // bytes [Start, End) are replaced; Start == End inserts
	End         int     `json:"end"`
	Replacement string  `json:"replacement"`
	Description string  `json:"description"`
	Prior       float64 `json:"prior"`
	Line        int     `json:"line"` // 1-based, of Start
}

// Apply is the source text with the mutation made.
func Apply(src []byte, m Mutation) []byte {
	return slices.Concat(src[:m.Start], []byte(m.Replacement), src[m.End:])
}

// Operators lists the names of the operators for a language, in the order of
// the table; none for a language without them.
func Operators(lang code.Language) []string {
	var out []string
	for _, op := range table() {
		if op.langs&maskOf(lang) != 0 {
			out = append(out, op.name)
		}
	}
	return out
}

// Mutations lists the mutations of the nodes that begin in the bytes
// [start, end), in the order of the text, without repeats; each gives a text
// that parses. (What a statement that begins there lets be added after itself
// may stand a little further down.)
// Names come from the scope of the place and from the same file.
//
// A prior estimates the probability that this very change is the fix, given
// that the fault lies in the span: the share of its operator among one-place
// fixes (see table), divided among the mutations that the operator has there
// by how likely each is; of an operator that has only unlikely ones there, a part
// is left over. Priors of one call can be compared; for several
// spans multiply each by the probability of its span.
func Mutations(t *code.Tree, start, end int) []Mutation {
	if maskOf(t.Lang) == 0 {
		return nil
	}
	s := newScene(t, start, end)
	s.rules, s.ruled = compiled[s.d.lang]().set, len(builtin().list)
	s.visit()
	return s.finish()
}

// visit hands the nodes of the span to the operators of the language.
func (s *scene) visit() {
	s.t.Walk(func(n code.Node) bool {
		if n.Start() >= s.end || n.End() < s.start {
			return false
		}
		if n.Start() < s.start || n.IsError() || n.IsMissing() {
			return true
		}
		for i := range s.table {
			if s.table[i].langs&s.d.lang != 0 && s.table[i].visit != nil {
				s.op = i
				s.table[i].visit(s, n)
			}
		}
		if s.rules != nil {
			s.applyRules(n)
		}
		return true
	})
}

// scene is the work of one call of Mutations.
type scene struct {
	t          *code.Tree
	src        []byte
	start, end int
	table      []operator
	op         int // index of the operator at work
	out        []weighted
	seen       map[string]int // what a mutation comes to -> index in out
	facts      *facts
	imported   map[string]bool // what Imports found
	d          dialect
	eol, unit  string
	shares     float64 // of all operators of the language

	project *Project // nil where only the file is looked at
	file    string
	calls   []callable // functions of the project that the file can call
	ifs     []setting

	rules      *rule.Set              // nil where none apply
	ruled      int                    // rows of the table, at its end, that are their rules
	readings   map[int]map[string]int // by the start of a function: how often it reads each name
	idles      []variable             // of the span; nil until they are asked for
	neighbours []choice               // the files that its pieces are held against
}

type weighted struct {
	Mutation
	op     int
	weight float64
}

func newScene(t *code.Tree, start, end int) *scene {
	s := &scene{
		t: t, src: t.Src, start: start, end: end, table: table(), seen: map[string]int{},
		facts: gather(t), d: dialectOf(t.Lang), eol: code.LineEnding(t.Src), unit: code.IndentUnit(t.Src),
	}
	s.shares = sharesOf(s.table, s.d.lang)
	return s
}

// put notes a mutation of the operator at work. weight is its likelihood
// against the operator's other mutations; 1 is usual.
func (s *scene) put(start, end int, replacement string, weight float64, format string, args ...any) {
	if start < 0 || end > len(s.src) || start > end || weight <= 0 {
		return
	}
	old := string(s.src[start:end])
	if old == replacement || len(s.out) >= maxMutations {
		return
	}
	key := essence(s.src, old, replacement, start)
	if i, ok := s.seen[key]; ok {
		if w := &s.out[i]; w.op == s.op {
			w.weight = max(w.weight, weight)
		}
		return
	}
	s.seen[key] = len(s.out)
	op := s.table[s.op]
	s.out = append(s.out, weighted{
		Mutation: Mutation{
			Operator: op.name, Class: op.class, Start: start, End: end, Replacement: replacement,
			Description: fmt.Sprintf(format, args...), Line: s.t.Line(start),
		},
		op: s.op, weight: weight,
	})
}

// maxMutations bounds one call; a function of thirty lines has some hundreds.
const maxMutations = 20_000

// essence is the change without the text that stays at its ends, and as far
// to the left as it can be said, so that two ways to say the same change are
// seen as one.
func essence(src []byte, old, replacement string, start int) string {
	for old != "" && replacement != "" && old[0] == replacement[0] {
		old, replacement, start = old[1:], replacement[1:], start+1
	}
	for old != "" && replacement != "" && old[len(old)-1] == replacement[len(replacement)-1] {
		old, replacement = old[:len(old)-1], replacement[:len(replacement)-1]
	}
	text := old + replacement
	if old != "" && replacement != "" || text == "" {
		return fmt.Sprintf("%d+%d:%s", start, len(old), replacement)
	}
	// An insertion (or deletion) of "ab" after "a" is one of "ba" before it.
	moved := 0
	for moved < start && src[start-1-moved] == text[len(text)-1-moved%len(text)] {
		moved++
	}
	k := moved % len(text)
	text = text[len(text)-k:] + text[:len(text)-k]
	if old != "" {
		return fmt.Sprintf("%d+%d:", start-moved, len(text))
	}
	return fmt.Sprintf("%d+0:%s", start-moved, text)
}

// finish turns weights into priors and puts the mutations in order.
func (s *scene) finish() []Mutation {
	total := make([]float64, len(s.table))
	for _, w := range s.out {
		total[w.op] += w.weight
	}
	slices.SortStableFunc(s.out, func(a, b weighted) int {
		return cmp.Or(
			cmp.Compare(a.Start, b.Start), cmp.Compare(a.op, b.op), cmp.Compare(a.End, b.End),
			cmp.Compare(b.weight, a.weight), cmp.Compare(a.Replacement, b.Replacement),
		)
	})
	out := make([]Mutation, len(s.out))
	for i, w := range s.out {
		w.Prior = s.table[w.op].share / s.shares * w.weight / max(total[w.op], 1)
		out[i] = w.Mutation
	}
	return out
}

// one shortens source text for a description.
func one(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return "`" + text + "`"
}

// masks of languages.
const (
	py = 1 << iota
	js
	golang
	all = py | js | golang
)

func maskOf(lang code.Language) int {
	switch lang {
	case code.Python:
		return py
	case code.JavaScript, code.TypeScript, code.TSX:
		return js
	case code.Go:
		return golang
	}
	return 0
}
