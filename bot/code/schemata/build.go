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
// It is not ok when what is refused is none of the changes.
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
	for round := range 12 {
		texts := s.Texts()
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if err := disk.WriteFile(name, texts[name]); err != nil {
				return false, fmt.Errorf("laying changes out: %w", err)
			}
		}
		refused, said, err := build(round > 0)
		switch {
		case err != nil:
			return false, err
		case !refused:
			s.MarkBuilt()
			return true, nil
		case s.Drop(complaints(dir, said)) == 0:
			return false, nil
		}
	}
	return false, nil
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
