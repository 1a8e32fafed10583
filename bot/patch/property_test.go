package patch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

const shelf = `package shelf

import "fmt"

// Box holds things.
type Box struct{ n int }

// Add puts one in.
func (b *Box) Add() { b.n++ }

func show(b Box) string {
	return fmt.Sprint(b.n)
}
`

const script = "import fs from 'fs';\r\n\r\nexport function load(p) {\r\n\treturn fs.readFileSync(p);\r\n}\r\n\r\nclass A {\r\n\tget() { return 1; }\r\n}"

// TestS07RollbackRestoresBytesModesAndAbsence applies random sets of edits,
// good and bad, over files and symlinks, and takes them back.
func TestS07RollbackRestoresBytesModesAndAbsence(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	sources := map[string]string{"calc.py": calc, "pkg/shelf.go": shelf, "web/a.js": script, "notes.txt": "one\ntwo\n", "latin.txt": "caf\xe9\n"}
	dir := tree(t, sources)
	if err := errors.Join(os.Chmod(filepath.Join(dir, "web/a.js"), 0o750), os.Symlink("calc.py", filepath.Join(dir, "link.py")), os.Symlink("/etc", filepath.Join(dir, "etc"))); err != nil {
		t.Fatal(err)
	}
	var targets []task.Edit
	for path, src := range sources {
		regions, err := code.Regions(ctx, path, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range regions {
			targets = append(targets, task.Edit{Path: path, Region: r.ID, Code: src[r.StartByte:r.EndByte]})
		}
	}
	before := picture(t, dir)
	applied := 0
	rapid.Check(t, func(r *rapid.T) {
		var p task.Patch
		for range rapid.IntRange(1, 4).Draw(r, "edits") {
			e := rapid.SampledFrom(targets).Draw(r, "target")
			e.Kind = rapid.SampledFrom([]task.EditKind{task.EditReplace, task.EditReplace, task.EditInsert, task.EditDelete, task.EditCreate}).Draw(r, "kind")
			switch e.Kind {
			case task.EditReplace:
				e.Code = strings.NewReplacer("n", "m", "1", "2", " - ", " + ").Replace(e.Code)
			case task.EditCreate:
				e.Path = rapid.SampledFrom([]string{"new.txt", "a/b/new.txt", "a/c.txt", "link.py", "etc/x", "calc.py", "../x", "a"}).Draw(r, "path")
				e.Region = ""
			}
			p.Edits = append(p.Edits, e)
		}
		a, err := Apply(t.Context(), dir, p, Guard{})
		var refusal *Refusal
		if err != nil {
			if !errors.As(err, &refusal) {
				r.Fatal(err)
			}
			unchanged(t, "after a refusal", picture(t, dir), before)
			return
		}
		applied++
		for _, c := range a.Changes {
			if data, err := os.ReadFile(filepath.Join(dir, c.Path)); err != nil || string(data) != string(c.After) || string(c.Before) == string(c.After) {
				r.Fatalf("%s is not what Changes says: %v", c.Path, err)
			}
		}
		if err := a.Rollback(); err != nil {
			r.Fatal(err)
		}
		unchanged(t, "after Rollback", picture(t, dir), before)
	})
	if applied == 0 {
		t.Error("no patch was ever applied")
	}
}

// FuzzApply holds hostile edits against a tree: it must refuse or apply and
// take back, and never touch what lies outside.
func FuzzApply(f *testing.F) {
	for _, s := range []string{"calc.py", "../x", "a/../../x", "link/x", ".git/x", "a\\..\\b", "x\x00y", "/x", "."} {
		f.Add("create_file", s, "", "x = 1\n")
		f.Add("replace_region", s, "add", "def add(a, b):\n    return a + b\n")
	}
	f.Fuzz(func(t *testing.T, kind, path, region, text string) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "tree")
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(parent, "out"), 0o755), os.Symlink("../out", filepath.Join(dir, "link")),
			os.WriteFile(filepath.Join(dir, "calc.py"), []byte(calc), 0o644)); err != nil {
			t.Fatal(err)
		}
		before := picture(t, parent)
		a, err := Apply(t.Context(), dir, one(task.EditKind(kind), path, region, text), Guard{})
		if err == nil {
			for _, p := range a.Paths {
				if strings.Contains(p, "..") && !filepath.IsLocal(p) {
					t.Fatalf("%q was written", p)
				}
			}
			err = a.Rollback()
			if err != nil {
				t.Fatal(err)
			}
		}
		unchanged(t, "afterwards", picture(t, parent), before)
	})
}
