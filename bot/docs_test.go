package bot

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var docLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// O8: whoever reads the documents can follow each of their links.
func TestO8LinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	root := os.DirFS("..")
	links := 0
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "cases", "samples", "node_modules", ".tools"}, d.Name()):
			return fs.SkipDir
		case path.Ext(p) != ".md":
			return nil
		}
		text, err := fs.ReadFile(root, p)
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
