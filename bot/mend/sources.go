package mend

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// sources reads and parses the base's files once.
type sources struct {
	base fs.FS
	text map[string][]byte
	regs map[string][]code.Region

	trees    map[string]*code.Tree
	projects map[string]*mutate.Project // by the family of languages
	bodies   map[string][]span          // of Go files: where a change can stand behind a switch
}

func newSources(base fs.FS) *sources {
	return &sources{base: base, text: map[string][]byte{}, regs: map[string][]code.Region{}, trees: map[string]*code.Tree{}, projects: map[string]*mutate.Project{}, bodies: map[string][]span{}}
}

func (s *sources) read(path string) []byte {
	if src, ok := s.text[path]; ok {
		return src
	}
	src, err := fs.ReadFile(s.base, path)
	if err != nil || len(src) > maxSource {
		src = nil
	}
	s.text[path] = src
	return src
}

func (s *sources) regions(ctx context.Context, path string) []code.Region {
	if r, ok := s.regs[path]; ok {
		return r
	}
	var out []code.Region
	if src := s.read(path); src != nil {
		out, _ = code.Regions(ctx, path, src) // a file that cannot be read has no regions
	}
	s.regs[path] = out
	return out
}

// region is the innermost region around a line.
func (s *sources) region(ctx context.Context, path string, line int) (code.Region, bool) {
	return code.Enclosing(s.regions(ctx, path), line)
}

func (s *sources) tree(ctx context.Context, path string) (*code.Tree, error) {
	if t := s.trees[path]; t != nil {
		return t, nil
	}
	t, err := code.Parse(ctx, code.LanguageOf(path), s.read(path))
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", path, err)
	}
	s.trees[path] = t
	return t, nil
}

const (
	maxProjectFiles = 400     // whose functions may stand in for others
	maxProjectBytes = 4 << 20 // of all of them
)

// project gathers what the files of a family of languages tell, tests left out.
func (s *sources) project(ctx context.Context, family string, files []string) *mutate.Project {
	if p := s.projects[family]; p != nil {
		return p
	}
	trees := map[string]*code.Tree{}
	size := 0
	for _, path := range files {
		if languageFamily(path) != family || code.IsTest(path) || len(trees) >= maxProjectFiles || size > maxProjectBytes {
			continue
		}
		if size += len(s.read(path)); len(s.read(path)) == 0 {
			continue
		}
		if t, err := s.tree(ctx, path); err == nil { // a file that cannot be read lends nothing
			trees[path] = t
		}
	}
	s.projects[family] = mutate.NewProject(trees)
	return s.projects[family]
}
