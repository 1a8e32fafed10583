package bugs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Unit is a test that is shown or held back as a whole: a Python test function
// with all its parameters, a function Test, Example or Fuzz of Go, a call of
// it or test of JavaScript. A row of a table of cases is a unit of its own.
type Unit struct {
	File string
	// Name within the file: "Class::test_x", "TestX", titles joined by " > "; of
	// a row that of its test and a hash of the row's text.
	Name string
	Row  bool

	cuts []cut
}

// Key names a unit in a tree.
func (u Unit) Key() string { return u.File + "\x00" + u.Name }

// cut replaces bytes of a file.
type cut struct {
	start, end int
	with       string
}

// Units lists the tests of a file that can be held back, in the order of the
// text; those of one name are one unit. A test that other code of the file
// names is left out: it could not be taken away alone. A file of a language
// without tests that are known has none.
func Units(ctx context.Context, path string, src []byte) ([]Unit, error) {
	var find func(*code.Tree) []Unit
	lang := code.LanguageOf(path)
	switch lang {
	case code.Python:
		find = pythonUnits
	case code.Go:
		find = goUnits
	case code.JavaScript:
		find = scriptUnits
	default:
		return nil, nil
	}
	t, err := code.Parse(ctx, lang, src)
	if err != nil {
		return nil, fmt.Errorf("looking for tests in %s: %w", path, err)
	}
	if t.HasError() {
		return nil, nil // what cannot be read is shown as it is
	}
	var out []Unit
	at := map[string]int{}
	for _, u := range find(t) {
		u.File = path
		if i, seen := at[u.Name]; seen {
			out[i].cuts = append(out[i].cuts, u.cuts...)
			continue
		}
		at[u.Name] = len(out)
		out = append(out, u)
	}
	return out, nil
}

// Hide takes the units for which held says so out of a file. It gives src back
// where there are none, or where the rest would not be valid.
func Hide(ctx context.Context, path string, src []byte, held func(Unit) bool) ([]byte, error) {
	units, err := Units(ctx, path, src)
	if err != nil {
		return nil, err
	}
	var cuts []cut
	for _, u := range units {
		if held(u) {
			cuts = append(cuts, u.cuts...)
		}
	}
	if len(cuts) == 0 {
		return src, nil
	}
	out := applied(src, cuts)
	if code.LanguageOf(path) == code.Go {
		if out = goImports(src, out); out == nil {
			return src, nil
		}
	}
	bad, err := code.Check(ctx, path, out)
	if err != nil {
		return nil, err
	}
	if len(bad) > 0 {
		return src, nil
	}
	return out, nil
}

// applied makes the cuts; one within another goes with it.
func applied(src []byte, cuts []cut) []byte {
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	var out []byte
	at := 0
	for _, c := range cuts {
		if c.start < at {
			continue
		}
		out = append(append(out, src[at:c.start]...), c.with...)
		at = c.end
	}
	return append(out, src[at:]...)
}

// rank orders units by a hash.
func rank(salt, key string) string {
	sum := sha256.Sum256([]byte("fettle held " + salt + "\x00" + key))
	return hex.EncodeToString(sum[:8])
}

// half tells whether a hash falls on the half that is held back.
func half(salt, key string) bool { return rank(salt, key) >= "8" }

// UnitOf is the key of the unit that a test's id belongs to, which is a guess
// where titles are made while the tests run.
func UnitOf(id string) string {
	suite, rest, _ := strings.Cut(id, ":")
	dir, native, _ := strings.Cut(rest, ":")
	var file, name string
	switch suite {
	case "go":
		pkg, test, _ := strings.Cut(native, ":")
		test, _, _ = strings.Cut(test, "/")
		return join(dir, pkg) + "\x00" + test // a package has many files
	case "node":
		file, name, _ = strings.Cut(native, " > ")
	default:
		file, name, _ = strings.Cut(native, "::")
		name, _, _ = strings.Cut(name, "[")
	}
	return join(dir, file) + "\x00" + name
}

func join(dir, p string) string {
	if dir == "." || dir == "" {
		return p
	}
	if p == "." {
		return dir
	}
	return dir + "/" + p
}
