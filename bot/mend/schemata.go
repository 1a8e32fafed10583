package mend

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/sandbox"
)

const (
	schemataVar  = "FETTLE_CANDIDATE"
	schemataFile = "zz_fettle_candidate.go"
	schemataName = "fettleCandidate"
)

// schemata holds the bodies of many candidates in one build. Inside a function
// stands
//
//	switch fettleCandidate { case 7: <body of candidate 7> … }
//
// before the original body, so signatures, receivers and type parameters need
// no care. Bodies with labels are left out: a label may stand once a function.
type schemata struct {
	files []*schemataSource
	built map[int]bool // index of the candidate → it is in the binary
	alone map[int]bool // it has to be built by itself
}

type schemataSource struct {
	path     string
	original []byte
	pkg      string
	bodies   []schemataBody // sorted by insertion point
	lines    []lineOwner    // of the last text written
}

type schemataBody struct {
	index  int    // of the candidate
	at     int    // byte offset just behind the function's opening brace
	text   string // the changed body, without its braces
	result bool   // the function has results
	gone   bool   // the compiler refused it
}

type lineOwner struct{ from, to, body int } // lines of the written text, 1-based, to exclusive

func newSchemata(cs []candidate) *schemata {
	s := &schemata{built: map[int]bool{}, alone: map[int]bool{}}
	byPath := map[string]*schemataSource{}
	for i, c := range cs {
		body, pkg, ok := bodyOf(c)
		if !ok {
			s.alone[i] = true
			continue
		}
		f := byPath[c.path]
		if f == nil {
			f = &schemataSource{path: c.path, original: c.original, pkg: pkg}
			byPath[c.path] = f
			s.files = append(s.files, f)
		}
		body.index = i
		f.bodies = append(f.bodies, body)
	}
	for _, f := range s.files {
		sort.SliceStable(f.bodies, func(i, j int) bool { return f.bodies[i].at < f.bodies[j].at })
	}
	return s
}

// bodyOf cuts the changed function body out of a candidate. It is not ok when
// the change lies outside of a function's body, or the body holds a label.
func bodyOf(c candidate) (b schemataBody, pkg string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", c.content, parser.SkipObjectResolution)
	if err != nil {
		return b, "", false
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	grown := len(c.content) - len(c.original)
	for _, d := range file.Decls {
		fn, is := d.(*ast.FuncDecl)
		if !is || fn.Body == nil {
			continue
		}
		open, end := offset(fn.Body.Lbrace)+1, offset(fn.Body.Rbrace)
		// The change lies in [start, end+grown) of the new text, and all before
		// and after it is the original's.
		if c.start < open || c.end+grown > end {
			continue
		}
		labelled := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			_, is := n.(*ast.LabeledStmt)
			labelled = labelled || is
			return !labelled
		})
		if labelled {
			return b, "", false
		}
		return schemataBody{at: open, text: string(c.content[open:end]), result: fn.Type.Results != nil && len(fn.Type.Results.List) > 0}, file.Name.Name, true
	}
	return b, "", false
}

func inBody(c candidate) bool { _, _, ok := bodyOf(c); return ok }

// write lays the files out with all bodies that are still in.
func (s *schemata) write(w *sandbox.Workspace) error {
	dirs := map[string]string{}
	for _, f := range s.files {
		if err := w.WriteFile(f.path, f.render()); err != nil {
			return fmt.Errorf("laying candidates out: %w", err)
		}
		dirs[path.Dir(f.path)] = f.pkg
	}
	for dir, pkg := range dirs {
		text := fmt.Sprintf("package %s\n\nimport (\n\tfettleos %q\n\tfettlestrconv %q\n)\n\nvar %s, _ = fettlestrconv.Atoi(fettleos.Getenv(%q))\n", pkg, "os", "strconv", schemataName, schemataVar)
		if err := w.WriteFile(path.Join(dir, schemataFile), []byte(text)); err != nil {
			return fmt.Errorf("laying candidates out: %w", err)
		}
	}
	return nil
}

func (s *schemata) dirs() []string {
	var out []string
	for _, f := range s.files {
		out = append(out, path.Dir(f.path))
	}
	return out
}

func (f *schemataSource) render() []byte {
	var b strings.Builder
	f.lines = f.lines[:0]
	line, from := 1, 0
	put := func(text string) {
		b.WriteString(text)
		line += strings.Count(text, "\n")
	}
	for i := 0; i < len(f.bodies); {
		at := f.bodies[i].at
		put(string(f.original[from:at]))
		from = at
		put("\nswitch " + schemataName + " {\n")
		for ; i < len(f.bodies) && f.bodies[i].at == at; i++ {
			body := f.bodies[i]
			if body.gone {
				continue
			}
			start := line
			put(fmt.Sprintf("case %d:\n%s\n", body.index+1, body.text))
			if body.result {
				put("panic(\"fettle: the body ended without a return\")\n")
			} else {
				put("return\n")
			}
			f.lines = append(f.lines, lineOwner{start, line, i})
		}
		put("}\n")
	}
	put(string(f.original[from:]))
	return []byte(b.String())
}

var compileError = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// drop leaves out the bodies that the compiler, run in dir, complains of, and
// says how many.
func (s *schemata) drop(dir, output string) int {
	n := 0
	for _, m := range compileError.FindAllStringSubmatch(output, -1) {
		line, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		for _, f := range s.files {
			if path.Join(dir, m[1]) != path.Clean(f.path) {
				continue
			}
			for _, o := range f.lines {
				if line >= o.from && line < o.to && !f.bodies[o.body].gone {
					f.bodies[o.body].gone = true
					n++
				}
			}
		}
	}
	return n
}

func (s *schemata) markBuilt() {
	for _, f := range s.files {
		for _, b := range f.bodies {
			if !b.gone {
				s.built[b.index] = true
			}
		}
	}
}
