package schemata

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"strings"
)

// Texts are the files with all changes that are still in, by path.
func (s *Set) Texts() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range s.files {
		out[f.path] = f.render(s.Lines)
		out[path.Join(path.Dir(f.path), File)] = fmt.Appendf(nil,
			"package %s\n\nimport (\n\tfettleos %q\n\tfettlestrconv %q\n)\n\nvar %s, _ = fettlestrconv.Atoi(fettleos.Getenv(%q))\n", f.pkg, "os", "strconv", chosen, Env)
		for name, text := range s.Beside {
			out[path.Join(path.Dir(f.path), name)] = []byte(strings.Replace(text, "package main", "package "+f.pkg, 1))
		}
	}
	return out
}

// Within are the texts of one folder.
func (s *Set) Within(dir string) map[string][]byte {
	out := s.Texts()
	maps.DeleteFunc(out, func(name string, _ []byte) bool { return path.Dir(name) != dir })
	return out
}

// renderer writes a file and keeps which lines belong to which part.
type renderer struct {
	strings.Builder
	f     *source
	line  int
	exact bool // what is a file's own keeps the numbers of its lines
}

func (r *renderer) put(text string) {
	r.WriteString(text)
	r.line += strings.Count(text, "\n")
}

func (f *source) render(exact bool) []byte {
	f.lines = f.lines[:0]
	r := &renderer{f: f, line: 1, exact: exact}
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
			r.put(string(f.original[from:at]) + "\nswitch " + chosen + " {\n")
			r.bodies(first, i)
			r.put("}\n")
			from = at
		case v.Constant:
			r.put(string(f.original[from:v.from]))
			constants = append(constants, [2]int{first, i})
			from = v.to
		default:
			r.put(string(f.original[from:v.from]))
			r.values(first, i)
			from = v.to
		}
		if left > 0 {
			r.put(r.at(from))
		}
	}
	r.put(string(f.original[from:]))
	for _, span := range constants {
		v := f.parts[span[0]].value
		r.put("\nvar " + v.Name + " " + v.Type + " = ")
		r.values(span[0], span[1])
		r.put("\n")
	}
	return []byte(r.String())
}

// at says which line of the file's own text comes next, from a place in it.
func (r *renderer) at(place int) string {
	if !r.exact {
		return ""
	}
	return fmt.Sprintf("/*line :%d:1*/", 1+bytes.Count(r.f.original[:place], []byte("\n")))
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
		r.own(i, "case "+caseName(p.index)+":\n"+r.at(p.at)+strings.ReplaceAll(p.text, labelMark, labelMark+caseName(p.index))+"\n"+end)
	}
}

func (r *renderer) values(from, to int) {
	v := r.f.parts[from].value
	r.put("func() " + v.Type + " {\nswitch " + chosen + " {\n")
	for i := from; i < to; i++ {
		if p := r.f.parts[i]; !p.gone {
			r.own(i, "case "+caseName(p.index)+":\nreturn "+p.text+"\n")
		}
	}
	r.put("}\nreturn " + r.f.parts[from].value.text + "\n}()")
}
