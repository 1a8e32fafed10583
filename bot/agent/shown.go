package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Place is a region that may be shown to a role.
type Place struct {
	Path   string
	Region code.Region
	Code   string // the region's text
	Why    string // why it is suspicious
	Target bool   // the step in hand names it, or its file
}

// Shown is what a role sees of the tree (SPEC M9). No line of the code stands in it
// twice: what is inside of something shown is not shown again, and the map leaves
// out what the code shows.
type Shown struct {
	Files []string // names of all files that may be seen
	Near  []string // of them, those that are named whatever the room, the likeliest first
	Code  []Text   // whole files and regions, the likeliest first
	Map   []Mapped // what else the likeliest files hold
	Left  []string // regions that had no room, in a line each, the likeliest first
	Docs  []Text   // sections of documents that the issue names
	Tests []Text   // the source of the tests that fail
	Facts string   // what was seen while they ran
	Room  int      // bytes for the names of files; 0: 3 KiB
}

// Text is a whole file, or a region of one.
type Text struct {
	Path       string
	ID         string // of the region; "" for a whole file
	Start, End int    // lines
	Code       string
	Index      []string // of a whole file: its regions
	Why        string
	Used       []string // places of other files that use it
	Top        bool     // it is how a file begins of which regions are shown
	Target     bool     // the step in hand names it, or its file
	Given      bool     // of a test: fettle puts it into the change by itself
}

// Mapped is a file with its symbols, one a line, by line number and signature.
type Mapped struct {
	Path  string
	Lines []string
}

// less leaves out what is worth least of what is left, and says so in Left.
func (s *Shown) less() bool {
	last := len(s.Code) - 1
	switch {
	case len(s.Map) > 2:
		s.Map = s.Map[:len(s.Map)-1]
	case last > 0 && !s.Code[last].Target:
		s.leave()
	case len(s.Docs) > 0:
		s.Docs = s.Docs[:len(s.Docs)-1]
	case len(s.Tests) > 1:
		s.Tests = s.Tests[:len(s.Tests)-1]
	case len(s.Map) > 0:
		s.Map = s.Map[:len(s.Map)-1]
	case s.Room == 0 || s.Room > leastNames:
		s.Room = leastNames
	case s.Facts != "":
		s.Facts = ""
	case last > 0:
		s.leave()
	default:
		return false
	}
	return true
}

// leave takes the last of the code out.
func (s *Shown) leave() {
	t := s.Code[len(s.Code)-1]
	s.Code = s.Code[:len(s.Code)-1]
	what := t.ID
	switch {
	case t.Top:
		return // the map and the regions tell what there is
	case what == "":
		what = "the whole file"
	}
	s.Left = append([]string{fmt.Sprintf("%s %s, lines %d-%d", t.Path, what, t.Start, t.End)}, s.Left...)
}

// outline is what files hold, of what is shown: line and signature, without the code.
func (s Shown) outline(ctx context.Context, files []string) Shown {
	var out Shown
	for _, file := range files {
		m := Mapped{Path: file}
		for _, t := range s.Code {
			if t.Path != file {
				continue
			}
			regions, _ := code.Regions(ctx, t.Path, []byte(t.Code)) // of what cannot be read nothing is told
			for _, g := range regions {
				if sig := strings.Join(strings.Fields(g.Signature), " "); sig != "" {
					m.Lines = append(m.Lines, fmt.Sprintf("%d %s", max(t.Start, 1)+g.StartLine-1, strings.ToValidUTF8(sig[:min(len(sig), longestSignature)], "")))
				}
			}
		}
		for _, o := range s.Map {
			if o.Path == file {
				m.Lines = append(m.Lines, o.Lines...)
			}
		}
		if m.Lines = m.Lines[:min(len(m.Lines), mostSignatures)]; len(m.Lines) > 0 {
			out.Map = append(out.Map, m)
		}
	}
	return out
}

// Bounds of an outline, of each file.
const (
	mostSignatures   = 40
	longestSignature = 160
)

// Paths are the files of which code is shown, each once, the likeliest first.
func (s Shown) Paths() []string {
	var out []string
	for _, t := range s.Code {
		if !slices.Contains(out, t.Path) {
			out = append(out, t.Path)
		}
	}
	return out
}

// Bounds of names, in bytes, and of what is told of the rest.
const (
	mostNames  = 3 << 10
	leastNames = 500
	mostLeft   = 6
)

type shownView struct {
	Tree     []foreign
	TreeLeft int
	Code     []textView
	Map      foreign
	Left     []foreign
	MoreLeft int
	Docs     []textView
	Tests    []textView
	Facts    foreign
}

type textView struct {
	Path, ID, Code, Why foreign
	Index               []foreign
	Start, End          int
	Lang                string // a language of package code, not foreign
	Given, Top          bool
	Used                []foreign
}

func textsOf(all []Text) []textView {
	out := make([]textView, 0, len(all))
	for _, t := range all {
		out = append(out, textView{foreign(t.Path), foreign(t.ID), foreign(t.Code), foreign(t.Why), foreigns(t.Index), t.Start, t.End, string(code.LanguageOf(t.Path)), t.Given, t.Top, foreigns(t.Used)})
	}
	return out
}

func shownOf(s Shown) shownView {
	room := s.Room
	if room == 0 {
		room = mostNames
	}
	tree, left := Tree(s.Files, append(slices.Clone(s.Near), s.Paths()...), treeLines, room)
	v := shownView{Tree: foreigns(tree), TreeLeft: left, Code: textsOf(s.Code), Docs: textsOf(s.Docs), Tests: textsOf(s.Tests), Facts: foreign(still(s.Facts))}
	for _, m := range s.Map {
		v.Map += foreign(m.Path + "\n")
		for _, l := range m.Lines {
			v.Map += foreign("  " + l + "\n")
		}
	}
	v.Left = foreigns(s.Left[:min(len(s.Left), mostLeft)])
	v.MoreLeft = len(s.Left) - len(v.Left)
	return v
}
