package example

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify"
)

// Stated are the examples in the project's own words: those in the comments of
// changed functions, and those of their calls in the README.
type Stated struct {
	x    *index
	list []statement
}

// statement is one of them.
type statement struct {
	boundExample
	where string // "README.md", "the comment of median"
}

// Answer is what an example came to on a tree.
type Answer struct {
	Ran, Holds bool
	Got        string // what came out where that was told, of one that does not hold
}

const (
	maxStated = 12
	maxReadme = 256 << 10
)

var readmes = []string{"README.md", "README.rst", "README", "readme.md"}

// StatedOf finds the examples of the functions that some changes touch, as the base
// has them. Those that no test can be made of are left out.
func StatedOf(ctx context.Context, base fs.FS, changes []verify.Change) (*Stated, error) {
	var found []statement
	names := map[string]bool{}
	for _, ch := range changes {
		own, err := documented(ctx, ch, names)
		if err != nil {
			return nil, err
		}
		found = append(found, own...)
	}
	for _, p := range readmes {
		src, err := fs.ReadFile(base, p)
		if err != nil || len(src) > maxReadme || len(names) == 0 {
			continue
		}
		for _, e := range stated(string(src), "") {
			if names[last(e.Call)] {
				found = append(found, statement{boundExample{Example: e}, p})
			}
		}
	}
	return bound(ctx, base, found, "")
}

// bound keeps the examples whose names lead to the code.
func bound(ctx context.Context, base fs.FS, found []statement, said string) (*Stated, error) {
	s := &Stated{}
	if len(found) == 0 {
		return s, nil
	}
	var err error
	if s.x, err = newIndex(ctx, base, said); err != nil {
		return nil, fmt.Errorf("reading the names of the base: %w", err)
	}
	s.x.kind = "stated"
	for _, f := range found {
		b, err := s.x.bind(ctx, f.Example)
		same := func(o statement) bool { return squeezed(o.Call) == squeezed(f.Call) && slices.Equal(o.Setup, b.Setup) }
		switch {
		case errors.Is(err, errRefused):
		case err != nil:
			return nil, fmt.Errorf("looking up %s: %w", f.Call, err)
		case len(s.list) < maxStated && !slices.ContainsFunc(s.list, same):
			s.list = append(s.list, statement{b, f.where})
		}
	}
	return s, nil
}

// documented reads the comments and docstrings of the functions that a change
// touches, and notes their names.
func documented(ctx context.Context, ch verify.Change, names map[string]bool) ([]statement, error) {
	if ch.Before == nil || ch.After == nil || code.IsTest(ch.Path) {
		return nil, nil
	}
	touched, err := code.Touched(ctx, ch.Path, ch.Before, ch.After)
	if err != nil {
		return nil, err
	}
	all, err := code.Callables(ctx, ch.Path, ch.Before)
	if err != nil {
		return nil, err
	}
	var out []statement
	for _, c := range all {
		if !slices.ContainsFunc(touched, func(r code.Region) bool { return r.QualifiedName == c.QualifiedName }) || names[c.Name] {
			continue
		}
		names[c.Name] = true
		for _, e := range stated(c.Doc, code.LanguageOf(ch.Path)) {
			out = append(out, statement{boundExample{Example: e}, "the comment of " + c.Name})
		}
	}
	return out, nil
}

// stated reads the examples of a documentation: a value that stands beside a call
// is what the call should give, whatever the words.
func stated(text string, lang code.Language) []Example {
	all := read(text)
	if lang != "" { // of a comment, each line may be code
		all = merge(append(all, snippet(text, lang)...))
	}
	var out []Example
	for _, e := range all {
		if e.Want != "" && e.Got != "" && e.Want != e.Got {
			continue // it speaks of a change
		}
		e.Want, e.WantError = cmp.Or(e.Want, e.Got), cmp.Or(e.WantError, e.GotError)
		e.Got, e.GotError = "", ""
		if e.Language == "" {
			e.Language = lang
		}
		if !e.clash && e.Call != "" && (e.Want == "") != (e.WantError == "") {
			out = append(out, e)
		}
	}
	return out
}

// Len is how many there are.
func (s *Stated) Len() int { return len(s.list) }

// Ask runs the examples on a tree with other texts of some files, and gives an
// answer to each.
func (s *Stated) Ask(ctx context.Context, r Runner, dir string, files map[string][]byte) ([]Answer, error) {
	out := make([]Answer, len(s.list))
	trial := verify.Trial{Dir: dir, Files: map[string][]byte{}}
	for p, text := range files {
		trial.Files[p] = text
	}
	type place struct{ path, name string }
	at := make([]place, len(s.list))
	for from := range s.list { // those of one source file share a test file
		if at[from].path != "" {
			continue
		}
		var group []boundExample
		var members []int
		for i := from; i < len(s.list); i++ {
			if b := s.list[i].boundExample; at[i].path == "" && b.main == s.list[from].main && b.lang == s.list[from].lang {
				if _, err := s.x.write(ctx, append(slices.Clone(group), b), false); err == nil {
					group, members = append(group, b), append(members, i)
				}
			}
		}
		if len(group) == 0 {
			continue
		}
		w, err := s.x.write(ctx, group, false)
		if err != nil || trial.Files[w.path] != nil {
			continue
		}
		for k, i := range members {
			at[i] = place{w.path, w.names[k]}
		}
		trial.Files[w.path] = []byte(w.text)
		trial.Tests = append(trial.Tests, w.path)
	}
	if len(trial.Tests) == 0 {
		return out, nil
	}
	rep, err := r.Try(ctx, trial)
	if errors.Is(err, verify.ErrNoTests) {
		return out, nil
	} else if err != nil {
		return nil, fmt.Errorf("running examples as tests: %w", err)
	}
	for i, p := range at {
		t := find(rep, p.path, p.name)
		if t == nil || p.path == "" || t.Failure != nil && t.Failure.Exception == "NameError" || t.Status != verify.StatusPassed && !verify.Ran(t.Failure) {
			continue
		}
		out[i] = Answer{Ran: true, Holds: t.Status == verify.StatusPassed}
		if !out[i].Holds {
			out[i].Got = actual(t.Failure.Message)
		}
	}
	return out, nil
}

// compared finds the value that an assertion saw.
var compared = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^(?:AssertionError: )?(?:assert )?(\S.{0,80}?) (?:==|!=|!==|is|is not) \S`),
	lazyregexp.New(`got (.{1,80}?), want `),
}

func actual(message string) string {
	for _, re := range compared {
		if m := re.FindStringSubmatch(message); m != nil && !strings.Contains(m[1], "(") {
			return m[1]
		}
	}
	return ""
}

// Broken says which examples held before a change and do not with it.
func (s *Stated) Broken(before, after []Answer) (out []string) {
	for i, e := range s.list {
		if before[i].Holds && after[i].Ran && !after[i].Holds {
			out = append(out, fmt.Sprintf("%s says %s, the change gives %s", e.where, e.says(), cmp.Or(after[i].Got, "something else")))
		}
	}
	return out
}

// Mended are the examples that a change makes true.
func (s *Stated) Mended(before, after []Answer) (out []string) {
	for i, e := range s.list {
		if before[i].Ran && !before[i].Holds && after[i].Holds {
			out = append(out, fmt.Sprintf("%s says %s, which is true now", e.where, e.says()))
		}
	}
	return out
}

func (e statement) says() string {
	if e.WantError != "" {
		return e.Call + " ends with " + e.WantError
	}
	return e.Call + " is " + e.Want
}
