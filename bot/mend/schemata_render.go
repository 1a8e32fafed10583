package mend

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

// texts are the files with all candidates that are still in, by path.
func (s *schemata) texts() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range s.files {
		out[f.path] = f.render()
		out[path.Join(path.Dir(f.path), schemataFile)] = fmt.Appendf(nil,
			"package %s\n\nimport (\n\tfettleos %q\n\tfettlestrconv %q\n)\n\nvar %s, _ = fettlestrconv.Atoi(fettleos.Getenv(%q))\n", f.pkg, "os", "strconv", schemataName, schemataVar)
		for name, text := range s.beside {
			out[path.Join(path.Dir(f.path), name)] = []byte(strings.Replace(text, "package main", "package "+f.pkg, 1))
		}
	}
	return out
}

// write lays the files out.
func (s *schemata) write(w *sandbox.Workspace) error {
	texts := s.texts()
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := w.WriteFile(name, texts[name]); err != nil {
			return fmt.Errorf("laying candidates out: %w", err)
		}
	}
	return nil
}

// renderer writes a file and keeps which lines belong to which part.
type renderer struct {
	strings.Builder
	f    *schemataSource
	line int
}

func (r *renderer) put(text string) {
	r.WriteString(text)
	r.line += strings.Count(text, "\n")
}

func (f *schemataSource) render() []byte {
	f.lines = f.lines[:0]
	r := &renderer{f: f, line: 1}
	from := 0
	var constants [][2]int // parts of constants that become variables at the end
	for i := 0; i < len(f.parts); {
		at, first := f.parts[i].at, i
		left := 0
		for ; i < len(f.parts) && f.parts[i].at == at; i++ {
			if !f.parts[i].gone {
				left++
			}
		}
		switch v := f.parts[first].value; {
		case left == 0:
		case v == nil:
			r.put(string(f.original[from:at]) + "\nswitch " + schemataName + " {\n")
			r.bodies(first, i)
			r.put("}\n")
			from = at
		case v.constant:
			r.put(string(f.original[from:v.from]))
			constants = append(constants, [2]int{first, i})
			from = v.to
		default:
			r.put(string(f.original[from:v.from]))
			r.values(first, i)
			from = v.to
		}
	}
	r.put(string(f.original[from:]))
	for _, span := range constants {
		v := f.parts[span[0]].value
		r.put("\nvar " + v.name + " " + v.typ + " = ")
		r.values(span[0], span[1])
		r.put("\n")
	}
	return []byte(r.String())
}

// own writes what belongs to a part.
func (r *renderer) own(part int, text string) {
	start := r.line
	r.put(text)
	r.f.lines = append(r.f.lines, lineOwner{start, r.line, part})
}

func (r *renderer) bodies(from, to int) {
	for i := from; i < to; i++ {
		p := r.f.parts[i]
		if p.gone {
			continue
		}
		end := "return\n"
		if p.result {
			end = "panic(\"fettle: the body ended without a return\")\n"
		}
		r.own(i, "case "+caseName(p.index)+":\n"+strings.ReplaceAll(p.text, labelMark, labelMark+caseName(p.index))+"\n"+end)
	}
}

func (r *renderer) values(from, to int) {
	v := r.f.parts[from].value
	r.put("func() " + v.typ + " {\nswitch " + schemataName + " {\n")
	for i := from; i < to; i++ {
		if p := r.f.parts[i]; !p.gone {
			r.own(i, "case "+caseName(p.index)+":\nreturn "+p.text+"\n")
		}
	}
	r.put("}\nreturn " + r.f.parts[from].value.text + "\n}()")
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// complaints reads what the compiler, run in dir, says.
func complaints(dir, output string) []misfit {
	var out []misfit
	for _, m := range compileError.FindAllStringSubmatch(output, -1) {
		if line, err := strconv.Atoi(m[2]); err == nil {
			out = append(out, misfit{path.Join(dir, m[1]), line})
		}
	}
	return out
}

// drop leaves out the parts in which there are misfits, and says how many.
func (s *schemata) drop(misfits []misfit) int {
	n := 0
	for _, m := range misfits {
		for _, f := range s.files {
			if m.path != path.Clean(f.path) {
				continue
			}
			for _, o := range f.lines {
				if m.line >= o.from && m.line < o.to && !f.parts[o.part].gone {
					f.parts[o.part].gone = true
					n++
				}
			}
		}
	}
	return n
}
