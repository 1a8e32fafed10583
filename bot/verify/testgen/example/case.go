package example

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fettle-dev/fettle/bot/code"
)

// ErrRefused says why a case cannot be written as a test.
var ErrRefused = errRefused

// Case is a call whose result is known, to be written as a test in the style
// and place of a repository's own. Texts are in the language of Path.
type Case struct {
	Path   string   // of the source file that defines what is called
	Names  []string // at the top of that file, which the texts use
	Title  string   // words after the function's name in the test's name
	Setup  []string // statements before the call
	Call   string
	Result string // of Go: the results' types as declared
	About  string // an expression that is compared after the call; empty: what the call gives
	Want   string // a literal
	// Raises is the class of the exception that the call ends with; of Go, any
	// text for an error as the last result.
	Raises string
}

// File is a new test file; Tests are its tests' names, one for each case.
type File struct {
	Path, Text string
	Tests      []string
}

// Write makes one test file of cases of the same source file. kind becomes a
// part of the file's and the class's name, note a comment at the top. What
// cannot be written, such as a name that the file does not export, is
// ErrRefused.
func Write(ctx context.Context, tree fs.FS, kind, note string, cases []Case) (File, error) {
	if len(cases) == 0 {
		return File{}, errors.New("no case to write as a test")
	}
	x := &index{base: tree, defs: map[string][]def{}, kind: kind, note: note}
	err := x.walk(func(p string, lang code.Language) error {
		if p != cases[0].Path {
			return nil
		}
		return x.add(ctx, p, lang)
	})
	if err != nil {
		return File{}, fmt.Errorf("reading the names of %s: %w", cases[0].Path, err)
	}
	var list []boundExample
	for _, c := range cases {
		b := boundExample{Example: Example{Setup: c.Setup, Call: c.Call, Want: c.Want, WantError: c.Raises}, names: map[string]def{},
			lang: family(code.LanguageOf(c.Path)), title: c.Title, about: c.About, gives: c.Result}
		if b.lang == code.Go && c.Raises != "" {
			b.WantError, b.fails = "", true
		}
		for _, name := range c.Names {
			found := x.defs[name]
			if len(found) == 0 {
				return File{}, refuse("%s has no %s at its top", c.Path, name)
			}
			b.names[name], b.main = found[0], found[0]
		}
		list = append(list, b)
	}
	w, err := x.write(ctx, list, false)
	return File{w.path, w.text, w.names}, err
}
