package bot

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var docLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// O8: whoever reads the documents can follow each of their links.
func TestO8LinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	links := 0
	err := eachFile(".md", nil, func(p string) error {
		text, err := os.ReadFile(filepath.Join("..", p))
		if err != nil {
			return err
		}
		for _, m := range docLink.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join("..", path.Dir(p), target)); err != nil {
				t.Errorf("%s leads to %s, which is not there", p, m[1])
			}
		}
		return nil
	})
	if err != nil || links == 0 {
		t.Errorf("%d links were looked at: %v", links, err)
	}
}

// eachFile visits the repository's own files with an ending, but for tests in Go and what
// stands below folders of these names.
func eachFile(ext string, without []string, visit func(p string) error) error {
	without = append([]string{".git", "testdata", "cases", "samples", "node_modules", ".tools"}, without...)
	return fs.WalkDir(os.DirFS(".."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(without, d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ext || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		return visit(p)
	})
}

// O8: bot/doc.go names each package with what it is for, from the top down, and no
// package imports one that stands above it.
func TestO8ImportsGoDown(t *testing.T) {
	t.Parallel()
	const module = "github.com/fettle-dev/fettle/"
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(doc), "# The rooms")
	list, _, _ = strings.Cut(list, "Imports go down")
	place := map[string]int{}
	for i, m := range regexp.MustCompile(`(?m)^//\t(\S+) +\S`).FindAllStringSubmatch(list, -1) {
		place[m[1]] = i
	}
	seen := map[string]bool{}
	err = eachFile(".go", []string{"bench"}, func(p string) error {
		room := path.Dir(p)
		own, ok := place[room]
		if !ok && !seen[room] {
			t.Errorf("package %s has no row in the list of rooms in bot/doc.go", room)
		}
		seen[room] = true
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", p), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			name, ours := strings.CutPrefix(name, module)
			if other, known := place[name]; ours && ok && known && other <= own {
				t.Errorf("%s imports %s, which stands above it in bot/doc.go", p, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range place {
		if !seen[room] {
			t.Errorf("bot/doc.go has a row for %s, which is not there", room)
		}
	}
}
