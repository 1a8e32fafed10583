package loop

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"sort"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/task"
)

// files are those of the tree as it stands.
func (h *real) files() []string {
	out := h.tree.Files()
	for f := range h.stood {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(out)), func(f string) bool { return h.stood[f].Deleted })
}

func (h *real) testDirs() []string {
	dirs := map[string]bool{}
	for _, p := range h.files() {
		if code.IsTest(p) {
			dirs[path.Dir(p)] = true
		}
	}
	var out []string
	for d := range dirs {
		out = append(out, d)
	}
	sort.Strings(out)
	return first(out, 5)
}

// sources reads files once: the base's, or what stands on it.
type sources struct {
	base    fs.FS
	over    map[string]task.FileChange
	regions map[string][]code.Region
	text    map[string][]byte
	hidden  func(path string) bool // files that are not quoted; nil: all may be
}

func newSources(base fs.FS) *sources {
	return &sources{base: base, regions: map[string][]code.Region{}, text: map[string][]byte{}}
}

// under are the same files with changes.
func (s *sources) under(changes map[string]task.FileChange) *sources {
	out := newSources(s.base)
	out.over = changes
	return out
}

func (s *sources) read(p string) ([]byte, error) {
	switch c, changed := s.over[p]; {
	case changed && c.Deleted:
		return nil, fs.ErrNotExist
	case changed:
		return c.Content, nil
	}
	if src, ok := s.text[p]; ok {
		return src, nil
	}
	src, err := fs.ReadFile(s.base, p)
	if err == nil {
		s.text[p] = src
	}
	return src, err
}

// list gives the regions of a file that is there.
func (s *sources) list(p string) ([]code.Region, bool) {
	src, err := s.read(p)
	if err != nil {
		return nil, false
	}
	regions, ok := s.regions[p]
	if !ok {
		if regions, err = code.Regions(context.Background(), p, src); err != nil {
			return nil, false
		}
		s.regions[p] = regions
	}
	return regions, true
}

// place is the innermost region around a line, with some lines around it.
func (s *sources) place(p string, line int) (agent.Place, bool) {
	regions, _ := s.list(p)
	reg, ok := code.Enclosing(regions, line)
	if !ok {
		return agent.Place{}, false
	}
	return s.at(p, reg), true
}

// at is a region of a file that was listed.
func (s *sources) at(p string, g code.Region) agent.Place {
	src, _ := s.read(p)
	return agent.Place{Path: p, Region: g, Code: indented(src, g)}
}

// indented is the text of a region with the indentation of its first line: so it is
// written, and so its new code is asked for.
func indented(src []byte, g code.Region) string {
	start := bytes.LastIndexByte(src[:g.StartByte], '\n') + 1
	if len(bytes.TrimLeft(src[start:g.StartByte], " \t")) > 0 {
		start = g.StartByte
	}
	return string(src[start:g.EndByte])
}
