package loop

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/mend"
	"github.com/fettle-dev/fettle/bot/patch"
	"github.com/fettle-dev/fettle/bot/task"
)

const (
	maxPlaces    = 6  // regions that are shown, and no further suspicious ones
	maxNamed     = 12 // regions that a step names
	maxLikely    = 3  // regions of a file of which a step names none
	maxListed    = 200
	largestNamed = 24 << 10 // bytes of a region that is shown whole
	contextLines = 6
)

// sight shows the tree as it stands: first what the step names, a region whole,
// of a file alone an outline and its likeliest regions; then the most suspicious
// places, which are those of the base wherever they stand now.
func (h *real) sight(_ context.Context, l looking) (sight, error) {
	out := sight{TestDirs: h.testDirs()}
	add := func(p agent.Place) {
		if !slices.ContainsFunc(out.Places, func(o agent.Place) bool { return o.Path == p.Path && o.Region.ID == p.Region.ID }) {
			out.Places = append(out.Places, p)
		}
	}
	for _, t := range l.Targets {
		if file, region := agent.SplitTarget(t); len(out.Places) < maxNamed && !patch.Match(h.never, file) {
			h.target(&out, l, file, region, add)
		}
	}
	for _, s := range l.Suspects {
		if len(out.Places) >= maxPlaces {
			break
		}
		if p, ok := h.suspect(s); ok {
			add(p)
		}
	}
	for _, f := range l.Heads {
		if src, err := h.sources.read(f); err == nil && !patch.Match(h.never, f) {
			out.Heads = append(out.Heads, agent.Outline{Path: f, Text: opening(string(src))})
		}
	}
	for _, f := range h.files() {
		if !patch.Match(h.never, f) {
			out.Files = append(out.Files, f)
		}
	}
	for _, f := range []string{"AGENTS.md", "CONTRIBUTING.md"} { // untrusted advice (SPEC C2)
		if text, err := h.sources.read(f); err == nil && !patch.Match(h.never, f) {
			out.Instructions = append(out.Instructions, agent.Instruction{Path: f, Text: string(first(text, 4<<10))})
		}
	}
	return out, nil
}

const (
	headLines = 50
	headBytes = 3 << 10
)

// opening is how a text begins.
func opening(text string) string {
	begin := head(strings.ToValidUTF8(text[:min(len(text), headBytes)], ""), headLines)
	if len(begin) < len(text) {
		begin = strings.TrimRight(begin, "\n") + "\n[...]\n"
	}
	return begin
}

// target shows what a target of the step names. A file that is not there is to
// be created.
func (h *real) target(out *sight, l looking, file, region string, add func(agent.Place)) {
	regions, ok := h.now.list(file)
	if !ok {
		return
	}
	named := func(g code.Region, why string) {
		p := h.now.at(file, g)
		p.Why, p.Target = why, true
		add(p)
	}
	if region != "" {
		if g, _, err := code.Resolve(regions, region); err == nil && g.EndByte-g.StartByte <= largestNamed {
			named(g, "named by the step")
			return
		}
	}
	src, _ := h.now.read(file) // it was listed
	if !slices.ContainsFunc(out.Outlines, func(o agent.Outline) bool { return o.Path == file }) {
		out.Outlines = append(out.Outlines, agent.Outline{Path: file, Text: outline(regions, src)})
	}
	if len(src) <= longestFile { // the outline shows it whole
		return
	}
	for _, g := range likely(regions, src, region+" "+l.Words) {
		named(g, "it has words of the step")
	}
}

// likely are the functions and methods that have the most words in common with
// a text, at most maxLikely.
func likely(regions []code.Region, src []byte, text string) []code.Region {
	wanted := words(text)
	score := map[string]int{}
	for _, g := range regions {
		if g.Kind != code.KindFunction && g.Kind != code.KindMethod {
			continue
		}
		for w := range words(string(src[g.StartByte:g.EndByte])) {
			if wanted[w] {
				score[g.ID]++
			}
		}
		for w := range words(g.QualifiedName) {
			if wanted[w] {
				score[g.ID] += 3
			}
		}
	}
	out := slices.DeleteFunc(slices.Clone(regions), func(g code.Region) bool { return score[g.ID] == 0 })
	slices.SortStableFunc(out, func(a, b code.Region) int { return cmp.Compare(score[b.ID], score[a.ID]) })
	return first(out, maxLikely)
}

// outline lists regions with their ids, and the text of a small file.
func outline(regions []code.Region, src []byte) string {
	var b strings.Builder
	for i, g := range regions {
		if i == maxListed {
			fmt.Fprintf(&b, "… %d more\n", len(regions)-i)
			break
		}
		fmt.Fprintf(&b, "%s lines %d-%d\n", g.ID, g.StartLine, g.EndLine)
	}
	if len(src) <= longestFile {
		fmt.Fprintf(&b, "\n%s", src)
	}
	return b.String()
}

// suspect is the region of a place of the base, as it stands now.
func (h *real) suspect(s mend.Suspect) (agent.Place, bool) {
	p, ok := h.sources.place(s.Path, s.Line)
	if _, changed := h.stood[s.Path]; ok && changed {
		regions, there := h.now.list(s.Path)
		g, _, err := code.Resolve(regions, p.Region.ID)
		if !there || err != nil {
			return p, false
		}
		p = h.now.at(s.Path, g)
	}
	p.Why = strings.Join(s.Reasons, "; ")
	return p, ok
}

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

// at shows a region of a file that was listed.
func (s *sources) at(p string, g code.Region) agent.Place {
	src, _ := s.read(p)
	before, after := string(src[:g.StartByte]), string(src[g.EndByte:])
	return agent.Place{Path: p, Region: g, Code: string(src[g.StartByte:g.EndByte]), Before: tail(before, contextLines), After: head(after, contextLines)}
}

func head(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimLeft(s, "\r\n"), "\n")
	return strings.Join(first(lines, n), "")
}

func tail(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimRight(s, " \t\r\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "")
}

// words are the lower-case words of four letters or more, with identifiers
// split and plurals cut, and without those that any issue holds.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var b strings.Builder
	flush := func() {
		if w := strings.TrimSuffix(b.String(), "s"); len(w) >= 4 && !anyIssue[w] {
			out[w] = true
		}
		b.Reset()
	}
	lower := false
	for _, r := range s {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return out
}

var anyIssue = map[string]bool{
	"test": true, "pytest": true, "unittest": true, "node": true, "with": true, "that": true, "this": true, "when": true, "from": true, "have": true, "does": true,
	"return": true, "assert": true, "assertionerror": true, "error": true, "expected": true, "wrong": true, "should": true, "false": true, "true": true, "none": true,
	"null": true, "self": true, "else": true, "func": true, "function": true, "const": true, "value": true, "result": true, "index": true, "import": true, "python": true,
	"javascript": true, "main": true, "file": true, "line": true, "code": true, "issue": true, "instead": true, "where": true, "which": true, "there": true, "then": true,
}
