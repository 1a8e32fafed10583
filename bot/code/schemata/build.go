package schemata

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// Disk is where the files lie that are built.
type Disk interface {
	WriteFile(name string, data []byte) error
	Remove(name string) error
}

// Build lays the files out and has them built, leaving out, round by round, what
// the compiler refuses; the originals lie there afterwards. build is told whether
// it is another round, in which the compiler had better tell all that it has
// against the files, and gives what the compiler, run in dir, said when it refused.
// Where the compiler names no line of a change, as for a cycle of initialisations,
// the change is looked for by halves. It is not ok when what is refused is none of
// the changes.
func (s *Set) Build(disk Disk, dir string, build func(again bool) (refused bool, said string, err error)) (ok bool, err error) {
	defer func() {
		for _, f := range s.files {
			_ = disk.WriteFile(f.path, f.original) // the workspace is thrown away
		}
		for _, dir := range s.Dirs() {
			_ = disk.Remove(path.Join(dir, File))
			for name := range s.Beside {
				_ = disk.Remove(path.Join(dir, name))
			}
		}
	}()
	try := func(again bool) (bool, string, error) {
		texts := s.Texts()
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if err := disk.WriteFile(name, texts[name]); err != nil {
				return false, "", fmt.Errorf("laying changes out: %w", err)
			}
		}
		return build(again)
	}
	blamed := 0
	for round := range 12 {
		refused, said, err := try(round > 0)
		switch {
		case err != nil:
			return false, err
		case !refused:
			s.MarkBuilt()
			return true, nil
		case s.Drop(complaints(dir, said)) > 0:
		case blamed == maxBlamed:
			return false, nil
		default:
			blamed++
			if found, err := s.blame(try); err != nil || !found {
				return false, err
			}
		}
	}
	return false, nil
}

// maxBlamed is how many changes are looked for by halves in one build: each takes
// about as many builds as their number has binary digits.
const maxBlamed = 2

// blame leaves out one change that is refused by itself though no line of it is
// named. It finds none where the files are refused without any change too, or where
// only several together are.
func (s *Set) blame(try func(again bool) (bool, string, error)) (found bool, err error) {
	var in []*part
	for _, f := range s.files {
		for i := range f.parts {
			if !f.parts[i].gone {
				in = append(in, &f.parts[i])
			}
		}
	}
	refused := func(some []*part) (bool, error) {
		for _, p := range in {
			p.gone = !slices.Contains(some, p)
		}
		no, _, err := try(true)
		return no, err
	}
	rest := in
	for len(rest) > 1 {
		half := rest[:len(rest)/2]
		no, err := refused(half)
		if err != nil {
			return false, err
		}
		if !no {
			half = rest[len(rest)/2:]
		}
		rest = half
	}
	alone, err := refused(rest)
	if err != nil {
		return false, err
	}
	none, err := refused(nil)
	for _, p := range in {
		p.gone = alone && !none && slices.Contains(rest, p)
	}
	return alone && !none && len(rest) > 0, err
}

// Misfit is a place that the compiler refuses.
type Misfit struct {
	Path string
	Line int
}

// A complaint names the line, and with -L the real one in brackets where another
// was made of it.
var complaint = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+(?:\[\S+:(\d+):\d+\])?: `)

// complaints reads what the compiler, run in dir, says.
func complaints(dir, output string) []Misfit {
	var out []Misfit
	for _, m := range complaint.FindAllStringSubmatch(output, -1) {
		if line, err := strconv.Atoi(cmp.Or(m[3], m[2])); err == nil {
			out = append(out, Misfit{path.Join(dir, m[1]), line})
		}
	}
	return out
}

// Drop leaves out the changes in which there are misfits, and says how many.
func (s *Set) Drop(misfits []Misfit) int {
	n := 0
	for _, m := range misfits {
		for _, f := range s.files {
			if m.Path != path.Clean(f.path) {
				continue
			}
			for _, o := range f.lines {
				if m.Line >= o.from && m.Line < o.to && !f.parts[o.part].gone {
					f.parts[o.part].gone = true
					n++
				}
			}
		}
	}
	return n
}
