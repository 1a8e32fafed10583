// Package bugs is the format of the repair benchmark's bugs (make bench-mend):
// what a bug is, how its folder is read and written, how tests are held back
// from whoever mends it, and how the tests of a tree are run.
//
//	bugs/<id>/bug.json         what the bug is
//	bugs/<id>/broken/<path>    sources in their broken state
//	bugs/<id>/visible/<path>   test files without the tests that are held back;
//	                           visible/<path>.gone: the file is taken away
//
// The tree of a bug is the subject's at the commit named, with these files
// over it. Nothing of a subject is part of this repository.
package bugs

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Origins of bugs.
const (
	Injected = "injected" // planted into correct code by a rule
	History  = "history"  // a commit that mends one fault, undone
	Planted  = "planted"  // by hand, with an issue as a user would write it
)

// SealedPlant begins the ids of planted bugs of the sealed half; which half they
// are of was said when they were made.
const SealedPlant = "fresh-sealed-"

// Bug is the content of bug.json.
type Bug struct {
	ID       string `json:"id"` // "py-boltons-strutils-0012"
	Origin   string `json:"origin"`
	Class    string `json:"class"`    // the rule that planted it, or the kind of the fix
	Language string `json:"language"` // python, javascript or go
	Subject  string `json:"subject"`
	Commit   string `json:"commit"` // of the correct tree
	Path     string `json:"path"`   // of the fault, from the root
	Line     int    `json:"line"`
	Function string `json:"function,omitempty"`
	Places   int    `json:"places"` // separate hunks that a fix changes

	// Failing tests fail in the broken tree and pass in the correct one; their
	// ids are those of package verify, "<suite>:<dir>:<native id>".
	Failing  []string `json:"failing"`
	Visible  []string `json:"visible"` // of Failing, what may be seen
	Held     []string `json:"held"`    // of Failing, what may not
	Weak     bool     `json:"weak"`    // no failing test is held back
	FixLines int      `json:"fix_lines"`
	Message  string   `json:"message"` // first lines of the first visible failure

	// The issue of a planted bug. With Told it is all that tells of the fault: no
	// failing test is visible.
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
	Told  bool   `json:"told,omitempty"`
}

// Sealed tells whether a bug belongs to the half that nobody looks at before
// the closing run.
func (b Bug) Sealed() bool { return Sealed(b.ID) }

// Sealed tells it of an id: it goes by a hash, of planted ones by their name.
func Sealed(id string) bool {
	if strings.HasPrefix(id, "fresh-") {
		return strings.HasPrefix(id, SealedPlant)
	}
	return sha256.Sum256([]byte("fettle sealed " + id))[0]&1 == 1
}

// Check says what of a bug's description cannot be.
func (b Bug) Check() error {
	switch {
	case b.ID == "" || strings.ContainsAny(b.ID, `/\`) || strings.HasPrefix(b.ID, "."):
		return fmt.Errorf("the id %q cannot name a folder", b.ID)
	case !slices.Contains([]string{Injected, History, Planted}, b.Origin):
		return fmt.Errorf("%s: origin %q is none of %s, %s, %s", b.ID, b.Origin, Injected, History, Planted)
	case !slices.Contains([]string{"python", "javascript", "go"}, b.Language):
		return fmt.Errorf("%s: language %q is not known", b.ID, b.Language)
	case b.Subject == "" || b.Commit == "" || b.Class == "":
		return fmt.Errorf("%s: subject, commit or class is missing", b.ID)
	case !filepath.IsLocal(b.Path):
		return fmt.Errorf("%s: the path %q leads out of the tree", b.ID, b.Path)
	case b.Told && (b.Title == "" || len(b.Visible) > 0):
		return fmt.Errorf("%s: the issue alone shall tell of it, and there is none or a visible test", b.ID)
	case len(b.Failing) == 0 || len(b.Visible) == 0 && !b.Told:
		return fmt.Errorf("%s: no failing test is visible", b.ID)
	case b.Weak != (len(b.Held) == 0):
		return fmt.Errorf("%s: weak is %t with %d failing tests held back", b.ID, b.Weak, len(b.Held))
	}
	for _, id := range slices.Concat(b.Visible, b.Held) {
		if !slices.Contains(b.Failing, id) {
			return fmt.Errorf("%s: %q is not among the failing tests", b.ID, id)
		}
	}
	return nil
}

// Files are texts by path from the root of a tree; nil takes a file away.
type Files map[string][]byte

// Folder is a bug with its files.
type Folder struct {
	Bug
	Broken Files // sources in their broken state
	Shown  Files // test files without what is held back
}

const gone = ".gone"

// Load reads the folder of one bug.
func Load(dir string) (Folder, error) {
	var f Folder
	data, err := os.ReadFile(filepath.Join(dir, "bug.json"))
	if err != nil {
		return f, fmt.Errorf("reading a bug: %w", err)
	}
	if err := json.Unmarshal(data, &f.Bug); err != nil {
		return f, fmt.Errorf("reading %s: %w", filepath.Join(dir, "bug.json"), err)
	}
	if err := f.Check(); err != nil {
		return f, fmt.Errorf("reading %s: %w", dir, err)
	}
	if f.Broken, err = read(filepath.Join(dir, "broken")); err != nil {
		return f, err
	}
	if len(f.Broken) == 0 {
		return f, fmt.Errorf("reading %s: broken/ holds no file", dir)
	}
	if f.Shown, err = read(filepath.Join(dir, "visible")); err != nil {
		return f, err
	}
	return f, nil
}

func read(dir string) (Files, error) {
	out := Files{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == dir {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if cut, ok := strings.CutSuffix(rel, gone); ok {
			out[cut] = nil
			return nil
		}
		out[rel], err = os.ReadFile(name) //nolint:gosec // a folder that the benchmark itself wrote
		if out[rel] == nil {
			out[rel] = []byte{}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the files of a bug: %w", err)
	}
	return out, nil
}

// Write writes a bug below the folder of all bugs, whole or not at all: it is
// put together beside its place and moved there. An older one is replaced.
func Write(all string, f Folder) error {
	if err := f.Check(); err != nil {
		return err
	}
	dir := filepath.Join(all, f.ID)
	part := filepath.Join(all, "."+f.ID+".part")
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
		return fmt.Errorf("writing %s: %w", f.ID, err)
	}
	data, err := json.MarshalIndent(f.Bug, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(part, "bug.json"), append(data, '\n'), 0o644)
	}
	for sub, files := range map[string]Files{"broken": f.Broken, "visible": f.Shown} {
		for p, text := range files {
			if text == nil {
				p, text = p+gone, []byte{}
			}
			err = errors.Join(err, put(filepath.Join(part, sub), p, text))
		}
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", f.ID, err), os.RemoveAll(part))
	}
	return nil
}

// put writes one file of a tree anew, so that a link there is replaced and not
// followed.
func put(root, p string, text []byte) error {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return fmt.Errorf("the path %q leads out of the tree", p)
	}
	name := filepath.Join(root, filepath.FromSlash(p))
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	if text == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// Lay writes files over a tree.
func Lay(root string, files Files) error {
	for p, text := range files {
		if err := put(root, p, text); err != nil {
			return fmt.Errorf("laying out %s: %w", p, err)
		}
	}
	return nil
}

// List names the bugs that lie in a folder, sorted by id, without reading them.
func List(all string) ([]string, error) {
	entries, err := os.ReadDir(all)
	if err != nil {
		return nil, fmt.Errorf("looking for bugs: %w", err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
