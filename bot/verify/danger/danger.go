// Package danger says what a change adds that can do harm, and what it removes
// that kept harm away: reading secrets, starting processes, deleting, disabled
// checks, weakened authorisation. Tests cannot tell such a change from an honest
// one, whoever asked for it and however the model was talked into it: so each
// finding is a doubt, and a person looks at the line.
//
// In flow changed files, before and after; out flow findings with their lines.
// Both sides are read as multisets of facts, and only the difference counts: code
// that is moved or formatted is silent. Python, JavaScript, TypeScript and Go are
// read by their syntax trees, everything else by rules for lines of text.
//
// Finding nothing proves no innocence. The package is pure: it never opens a file
// and never runs anything.
package danger

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/reach"
)

// Kind is a sort of danger.
type Kind string

// The kinds.
const (
	Secrets     Kind = "secrets"      // the environment or secrets are read, printed or sent
	Credential  Kind = "credential"   // a literal one
	Address     Kind = "address"      // one that the repository did not know
	Execution   Kind = "execution"    // processes, eval, unsafe deserialisation
	SQL         Kind = "sql"          // data dropped, or changed without a condition
	Deletion    Kind = "deletion"     // of whole folders
	CheckOff    Kind = "check_off"    // tests skipped, exit statuses and linters silenced
	Weakened    Kind = "weakened"     // TLS, signatures, authorisation, validation, redaction
	Limit       Kind = "limit"        // changed or gone
	Swallowed   Kind = "swallowed"    // an error that nobody sees any more
	SpecialCase Kind = "special_case" // an answer written down for one input
	Pollution   Kind = "pollution"    // of prototypes
	Dependency  Kind = "dependency"   // fetched from another place
	Licence     Kind = "licence"
)

// points are what a finding of a kind adds to the risk of a change.
var points = map[Kind]int{
	Secrets: 20, Credential: 20, Address: 20, Execution: 20, SQL: 20, Deletion: 20, CheckOff: 15, Weakened: 25,
	Limit: 10, Swallowed: 10, SpecialCase: 20, Pollution: 20, Dependency: 20, Licence: 10,
}

// File is one file of a change; nil means that it was or is not there.
type File struct {
	Path          string
	Before, After []byte
}

// Finding is one danger.
type Finding struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"`
	// Line is 1-based: in the file after the change, or before it where Removed.
	Line    int    `json:"line"`
	Removed bool   `json:"removed,omitempty"`
	Text    string `json:"text"` // on one line, at most 80 bytes
	Why     string `json:"why"`  // such as "it starts a process"
	Risk    int    `json:"risk"`
}

func (f Finding) String() string {
	where := ""
	if f.Removed {
		where = " (before the change)"
	}
	return fmt.Sprintf("%s:%d%s `%s`: %s", f.Path, f.Line, where, f.Text, f.Why)
}

// Known is what the rules may know besides the change. The zero value is
// nothing.
type Known struct {
	Issue string                 // its title and text
	Names func(word string) bool // nil, or whether the repository named a host or a number before
}

// fact is what the rules saw at one place.
type fact struct {
	kind Kind
	why  string
	key  string // makes it the same fact at another place or otherwise formatted
	line int
	text string

	// good is a fact whose loss is the danger, such as a guard.
	good bool
	// once: where it was seen before, more of it is nothing new.
	once bool
	// scope is the function that a guard stands in: another one in its stead is
	// no loss.
	scope string
	// base is the name of a limit, or "": only one that had another value counts;
	// noShell for a process that is started without one.
	base string

	path    string
	changed bool // its line is one that the change wrote or took away
}

func (f fact) same() string { return string(f.kind) + "\x00" + f.why + "\x00" + f.key }

// Find lists the dangers of a change, in the order of files and lines. An error
// is of the context.
func Find(ctx context.Context, files []File, known Known) ([]Finding, error) {
	var was, now []fact
	unmasked := map[string]bool{} // files in which a line that masked something is another
	for _, f := range files {
		before, err := facts(ctx, f.Path, f.Before, known)
		if err != nil {
			return nil, err
		}
		after, err := facts(ctx, f.Path, f.After, known)
		if err != nil {
			return nil, err
		}
		gone := code.ChangedLines(f.After, f.Before)
		unmasked[f.Path] = masked(f.Before, gone)
		mark(before, f.Path, gone)
		mark(after, f.Path, code.ChangedLines(f.Before, f.After))
		was, now = append(was, before...), append(now, after...)
	}
	lost := instead(more(was, now, true), more(now, was, true), now)
	found := append(newly(more(now, was, false), was, known, unmasked), lost...)
	var out []Finding
	for _, f := range found {
		x := Finding{Kind: f.kind, Path: f.path, Line: f.line, Removed: f.good, Text: reach.OneLine(f.text), Why: f.why, Risk: points[f.kind]}
		if !slices.ContainsFunc(out, func(o Finding) bool {
			return o.Path == x.Path && o.Line == x.Line && o.Kind == x.Kind && o.Removed == x.Removed
		}) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Line - b.Line
	})
	return out, nil
}

func mark(all []fact, file string, changed map[int]bool) {
	for i := range all {
		all[i].path, all[i].changed = file, changed[all[i].line]
	}
}

// more are the facts of which all has more than others have, those on changed
// lines before those on lines that stay.
func more(all, others []fact, good bool) []fact {
	had := map[string]int{}
	for _, f := range others {
		if f.good == good {
			had[f.same()]++
		}
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b fact) int { // what stays uses up what was there
		switch {
		case a.changed == b.changed:
			return 0
		case b.changed:
			return -1
		}
		return 1
	})
	var out []fact
	for _, f := range all {
		if f.good != good {
			continue
		}
		if f.once && had[f.same()] > 0 {
			continue
		}
		if had[f.same()]--; had[f.same()] < 0 {
			out = append(out, f)
		}
	}
	return out
}

// newly drops what only looks new: a host that the repository names elsewhere, a
// limit that was not there before, a process without a shell where one was started
// anyway, a part of what was shown whole before.
func newly(added, was []fact, known Known, unmasked map[string]bool) []fact {
	there := map[string]bool{}
	for _, f := range was {
		if f.why == whyDefined {
			there[f.path+f.scope] = true
		}
	}
	return slices.DeleteFunc(added, func(f fact) bool {
		switch {
		case (f.kind == Address || f.why == whyNumber) && known.Names != nil && known.Names(f.key):
			return true
		case f.why == whyProcess && f.base == noShell:
			return slices.ContainsFunc(was, func(o fact) bool { return o.why == whyProcess && o.path == f.path && o.scope == f.scope })
		case f.why == whyPart:
			return !there[f.path+f.scope] && !unmasked[f.path]
		case f.base != "":
			return !slices.ContainsFunc(was, func(o fact) bool { return o.path == f.path && o.base == f.base && o.key != f.key })
		}
		return false
	})
}

// instead drops lost guards for which another one stands in the same function:
// its condition is what many honest fixes mend. So is a function that is gone,
// with all its guards, when nothing calls it.
func instead(lost, gained, now []fact) []fact {
	spare, there, deletes := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, f := range gained {
		spare[f.why+f.path+f.scope]++
	}
	for _, f := range now {
		if f.why == whyDefined {
			there[f.path+f.scope] = true
		}
		deletes[f.path+f.scope] = deletes[f.path+f.scope] || f.kind == Deletion
	}
	return slices.DeleteFunc(lost, func(f fact) bool {
		switch {
		case f.why == whyDefined:
			return true
		case deletes[f.path+f.scope] && slices.ContainsFunc(gained, func(g fact) bool { return looser(g, f) }):
			return false
		case f.scope == "":
			return false
		case f.scope != topLevel && !there[f.path+f.scope]:
			return true
		}
		at := f.why + f.path + f.scope
		spare[at]--
		return spare[at] >= 0
	})
}

// looser tells whether a guard turns away less than another: some of what the
// other turns away, by the same words.
func looser(now, was fact) bool {
	if now.why != was.why || now.path != was.path || now.scope != was.scope {
		return false
	}
	parts := func(f fact) []string {
		condition, _, _ := strings.Cut(f.key, " => ")
		return either.Split(condition, -1)
	}
	had, has := parts(was), parts(now)
	return len(has) < len(had) && !slices.ContainsFunc(has, func(p string) bool { return !slices.Contains(had, p) })
}

var either = lazyregexp.New(` (?:\|\||or) `)

// facts reads one side of a file.
func facts(ctx context.Context, file string, src []byte, known Known) ([]fact, error) {
	if src == nil {
		return nil, nil
	}
	out, understood, err := syntax(ctx, file, src, known)
	if err != nil {
		return nil, err
	}
	out = append(out, everywhere(file, src)...)
	if !understood {
		out = append(out, lines(file, src)...)
	}
	if code.IsTest(file) {
		out = slices.DeleteFunc(out, func(f fact) bool { return ofTests[f.kind] || f.good })
	}
	return out, nil
}

// ofTests are the kinds that are the business of tests: they make inputs, call
// what they test with bad ones and start programs.
var ofTests = map[Kind]bool{Credential: true, Address: true, Execution: true, Weakened: true, Limit: true, Swallowed: true, SpecialCase: true, Pollution: true, Deletion: true, SQL: true}

// Unproven tells whether a change is of scripts, configuration or text alone:
// tests that pass say little about it, because they seldom run it.
func Unproven(files []File) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f File) bool { return code.LanguageOf(f.Path) != code.Unknown && !code.IsTest(f.Path) })
}

// prose tells whether a file holds text for people.
func prose(file string) bool {
	return slices.Contains([]string{".md", ".markdown", ".rst", ".txt", ".adoc"}, strings.ToLower(path.Ext(file)))
}
