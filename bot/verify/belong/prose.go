package belong

import (
	"fmt"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/memory"
)

// Written is a new test of an issue whose expectation may stand in prose alone: there is
// no call and no snippet that it could repeat.
type Written struct {
	Source  string // of its functions, without comments
	Imports string // the lines of its file that import something
	Message string // of its failure
	// Exception is the class that it ends with.
	Exception string
	// Has tells whether a name stands in the code as it is; nil: all do. What the test's
	// author made up is no evidence.
	Has func(name string) bool
}

// Weights of what ties a new test to prose. They are added up only here: of a test that
// nobody wrote for the issue they would say too little.
const (
	proseName   = 1 // a name of one word that the issue uses
	proseNames  = 2 // of several words, all of which it uses
	proseModule = 1
	proseError  = 2 // the exception in two words, "a key error"
	proseBoth   = 2 // what came out and what should, both told
	proseOne    = 1
	enoughProse = 2 // with a name or a module among them
	mostNames   = 2 // that count
)

// Prose is what ties a new test to the words of an issue, with its weight; empty where it
// is not enough.
func (i *Issue) Prose(w Written) []Reason {
	var out []Reason
	place, sum := false, 0
	add := func(weight int, at bool, format string, args ...any) {
		out = append(out, Reason{Words: fmt.Sprintf(format, args...), Weight: weight, place: at, fault: !at})
		place, sum = place || at, sum+weight
	}
	for _, n := range i.spokenNames(w) {
		add(n.weight, true, "the test uses %s, of which the issue's words speak", n.name)
	}
	for _, m := range imported.FindAllStringSubmatch(w.Imports, -1) {
		from := strings.Join(m[1:], "")
		if st := stems(from); len(st) > 0 && subset(st, i.all) {
			add(proseModule, true, "the test imports from %s, of which the issue speaks", from)
			break
		}
	}
	if class := strings.Join(memory.Parts(lastName(w.Exception)), " "); strings.Contains(class, " ") && !assertion(w.Exception) && strings.Contains(i.flat, class) {
		add(proseError, false, "it ends with %s, as the issue says in words", lastName(w.Exception))
	}
	got, want := Compared(w.Message)
	got, want = squeezeValue(got), squeezeValue(want)
	switch {
	case got != want && i.says(got) && i.says(want):
		add(proseBoth, false, "it gives %s instead of %s, as the issue says", got, want)
	case got != want && (i.says(want) || i.says(got)):
		add(proseOne, false, "it holds something to %s where %s comes out, of which the issue tells one", want, got)
	}
	if !place || sum < enoughProse {
		return nil
	}
	return out
}

type spokenName struct {
	name   string
	weight int
}

// spokenNames are the names of a test's code that the issue's prose uses, the telling
// ones first.
func (i *Issue) spokenNames(w Written) []spokenName {
	source := literal.ReplaceAllString(w.Source, `""`)
	own := map[string]bool{}
	for _, m := range assigned.FindAllStringSubmatch(source, -1) {
		own[m[1]+m[2]] = true
	}
	var one, several []spokenName
	seen := map[string]bool{}
	for _, name := range word.FindAllString(source, -1) {
		kept := stems(name)
		key := strings.Join(sorted(kept), " ")
		if seen[key] || own[name] || notProject[name] || common[name] || common[strings.ToLower(name)] || len(kept) == 0 || !subset(kept, i.all) || w.Has != nil && !w.Has(name) {
			continue
		}
		seen[key] = true
		if len(kept) > 1 {
			several = append(several, spokenName{name, proseNames})
		} else {
			one = append(one, spokenName{name, proseName})
		}
	}
	all := append(several, one...)
	return all[:min(len(all), mostNames)]
}

func subset(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

var (
	// imported are the modules that import lines name.
	imported = lazyregexp.New(`(?m)^\s*(?:from|import|use) ([\w.:]+)|["'][./]*([\w./@-]+?)(?:\.\w{1,3})?["']`)
	// assigned are names that a test gives to what it holds, and its own.
	assigned = lazyregexp.New(`(?m)(?:^\s*(?:const |let |var )|\b(?:def|func|function|for|as) )([A-Za-z_$][\w$]*)|^\s*([A-Za-z_$][\w$]*)(?:\s*,\s*\w+)*\s*:?=[^=]`)
)

// Numbers that prose spells out. One is an article as well.
var spelledOut = map[string]string{"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "10": "ten", "11": "eleven", "12": "twelve"}
