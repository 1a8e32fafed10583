package patch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// editSets is how many random sets of edits are applied and rolled back: 60 in the
// quick run, 600 in the long one, or FETTLE_EDIT_SETS, which make bench-edits sets.
func editSets(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("FETTLE_EDIT_SETS"))
	switch {
	case err == nil && n > 0:
		return n
	case testing.Short():
		return 60
	}
	return 600
}

// realFiles are source files of this machine: Python's library, GOROOT, what
// npm and Debian install. The test is skipped where there are none.
func realFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, root := range []string{"/usr/lib/python3.*", "/usr/local/lib/python3.*", filepath.Join(runtime.GOROOT(), "src"), "/usr/lib/node_modules", "/usr/local/lib/node_modules", "/usr/share/nodejs"} { //nolint:staticcheck // the toolchain that runs the test
		found, err := filepath.Glob(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range found {
			n := 0
			_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !d.Type().IsRegular() || code.LanguageOf(p) == code.Unknown {
					return nil //nolint:nilerr // what cannot be read is left out
				}
				if info, err := d.Info(); err == nil && info.Size() > 300 && info.Size() < 12_000 {
					out = append(out, p)
					n++
				}
				if n >= 400 {
					return fs.SkipAll
				}
				return nil
			})
		}
	}
	if len(out) == 0 {
		t.Skip("no Python library, no GOROOT and no npm packages on this machine")
	}
	return out
}

// TestS07RealFilesComeBackByteForByte applies random sets of edits of every
// kind to real files of odd modes, line endings and byte order marks, among
// symbolic links, and rolls them back: bytes, modes and links are as before.
func TestS07RealFilesComeBackByteForByte(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 42))
	all := realFiles(t)
	dir := t.TempDir()
	var paths []string
	modes := []fs.FileMode{0o644, 0o600, 0o755, 0o444, 0o640}
	for i := range 150 {
		src, err := os.ReadFile(all[rnd.IntN(len(all))])
		if err != nil {
			continue
		}
		text := string(src)
		switch i % 7 {
		case 1:
			text = strings.ReplaceAll(text, "\n", "\r\n")
		case 2:
			text = strings.TrimRight(text, "\n")
		case 3:
			text = "\ufeff" + text
		}
		name := fmt.Sprintf("d%d/f%d%s", i%9, i, filepath.Ext(all[rnd.IntN(len(all))]))
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600), os.Chmod(filepath.Join(dir, name), modes[i%len(modes)])); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			if err := os.Symlink(filepath.Base(name), filepath.Join(dir, name+".link.py")); err != nil {
				t.Fatal(err)
			}
		}
		paths = append(paths, name)
	}
	before := picture(t, dir)
	applied, refused, kinds := 0, map[string]int{}, map[task.EditKind]int{}
	sets := editSets(t)
	for i := range sets {
		p := randomPatch(t, rnd, dir, paths)
		a, err := Apply(t.Context(), dir, p, Guard{AllowTests: true})
		var refusal *Refusal
		switch {
		case errors.As(err, &refusal):
			refused[refusal.Rule]++
		case err != nil:
			t.Fatal(err)
		default:
			applied++
			for _, r := range a.Regions {
				kinds[r.Edit]++
			}
			for _, c := range a.Changes {
				if data, err := os.ReadFile(filepath.Join(dir, c.Path)); err != nil || string(data) != string(c.After) {
					t.Fatalf("%s is not what Changes says: %v", c.Path, err)
				}
			}
			if err := a.Rollback(); err != nil {
				t.Fatal(err)
			}
		}
		if i%20 == 0 || i == sets-1 {
			unchanged(t, fmt.Sprintf("after %d sets", i+1), picture(t, dir), before)
		}
	}
	t.Logf("%d sets: %d applied and rolled back (%v), refused %v", sets, applied, kinds, refused)
	if applied < sets/4 {
		t.Errorf("only %d of %d sets were applied", applied, sets)
	}
}

// randomPatch makes one to four edits, mostly good ones.
func randomPatch(t *testing.T, rnd *rand.Rand, dir string, paths []string) task.Patch {
	t.Helper()
	var p task.Patch
	for range 1 + rnd.IntN(3) {
		name := paths[rnd.IntN(len(paths))]
		if slices.Contains(p.Paths(), name) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		regions, err := code.Regions(context.Background(), name, src)
		if err != nil || len(regions) == 0 {
			continue
		}
		r := regions[rnd.IntN(len(regions))]
		text := string(src[r.StartByte:r.EndByte])
		note := commentFor(name, rnd.IntN(1000))
		e := task.Edit{Kind: task.EditReplace, Path: name, Region: r.ID, Signature: rnd.IntN(3) == 0}
		first, rest, _ := strings.Cut(text, "\n")
		switch rnd.IntN(8) {
		case 0:
			e.Kind, e.Code = task.EditInsert, note
		case 1:
			e.Kind = task.EditDelete
		case 2:
			e = task.Edit{Kind: task.EditCreate, Path: fmt.Sprintf("new%d/%d.txt", rnd.IntN(5), rnd.IntN(50)), Code: note + "\n"}
		case 3:
			e = task.Edit{Kind: task.EditImport, Path: name, Code: importFor(name, rnd.IntN(100))}
		case 4:
			e = task.Edit{Kind: task.EditFile, Path: name, Code: strings.ReplaceAll(string(src), "1", "2")}
		case 5:
			lines := strings.Split(string(src), "\n")
			at := rnd.IntN(len(lines))
			e = task.Edit{Kind: task.EditSearch, Path: name, Code: "<<<<<<< SEARCH\n" + strings.Join(lines[max(0, at-2):at+1], "\n") + "\n=======\n" + note + "\n" + lines[at] + "\n>>>>>>> REPLACE\n"}
		case 6:
			e.Code = strings.NewReplacer("1", "2", "==", "!=").Replace(text)
		default:
			e.Code = first + " " + note + "\n" + rest
		}
		p.Edits = append(p.Edits, e)
	}
	if len(p.Edits) == 0 {
		p.Edits = []task.Edit{{Kind: task.EditCreate, Path: "only.txt", Code: "x\n"}}
	}
	return p
}

func commentFor(name string, n int) string {
	if l := code.LanguageOf(name); l == code.Python || l == code.Ruby {
		return fmt.Sprintf("# note %d", n)
	}
	return fmt.Sprintf("// note %d", n)
}

func importFor(name string, n int) string {
	switch code.LanguageOf(name) {
	case code.Python:
		return fmt.Sprintf("from module%d import name%d", n%7, n)
	case code.Go:
		return fmt.Sprintf("_ \"example.org/m%d\"", n)
	case code.Rust:
		return fmt.Sprintf("use m%d::n;", n)
	case code.Java:
		return fmt.Sprintf("import m%d.N;", n)
	case code.PHP:
		return fmt.Sprintf("use M%d\\N;", n)
	case code.C, code.CPP:
		return fmt.Sprintf("#include <m%d.h>", n)
	case code.Ruby:
		return fmt.Sprintf("require 'm%d'", n)
	}
	return fmt.Sprintf("import { n%d } from './m%d';", n, n%7)
}
