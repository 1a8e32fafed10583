package impact

import (
	"path"
	"regexp"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

var (
	pyImport = lazyregexp.New(`(?m)^[ \t]*import[ \t]+([\w., \t]+)`)
	pyFrom   = lazyregexp.New(`(?m)^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n;#]+)`)
	pyLoads  = lazyregexp.New(`(?:import_module|__import__|run_module|patch|patch\.object)\(\s*["']([\w.]+)["']`)
)

// pyImports are the imports of one file: dotted modules, and names taken from
// them.
type pyTaken struct {
	module string   // "a.b", or "..a" when relative
	names  []string // of "from x import …"; nil for "import x"
}

func pyReads(src string) []pyTaken {
	var out []pyTaken
	for _, m := range pyImport.FindAllStringSubmatch(src, -1) {
		for part := range strings.SplitSeq(m[1], ",") {
			if f := strings.Fields(part); len(f) > 0 {
				out = append(out, pyTaken{module: f[0]})
			}
		}
	}
	for _, m := range pyFrom.FindAllStringSubmatch(src, -1) {
		t := pyTaken{module: m[1]}
		for part := range strings.SplitSeq(strings.Trim(m[2], "()"), ",") {
			part, _, _ = strings.Cut(part, "#")
			if f := strings.Fields(part); len(f) > 0 {
				t.names = append(t.names, f[0])
			}
		}
		out = append(out, t)
	}
	for _, m := range pyLoads.FindAllStringSubmatch(src, -1) {
		out = append(out, pyTaken{module: m[1]})
	}
	return out
}

// pyTree resolves modules to files.
type pyTree struct {
	t        *detect.Tree
	bySuffix map[string][]string // "a/b" -> files a/b.py or a/b/__init__.py, in any source root
}

func pythonGraph(t *detect.Tree, c detect.Command) *graph {
	p := &pyTree{t: t, bySuffix: map[string][]string{}}
	var files []string
	for _, f := range t.Files {
		if path.Ext(f) != ".py" {
			continue
		}
		files = append(files, f)
		mod := strings.TrimSuffix(strings.TrimSuffix(f, ".py"), "/__init__")
		for m := mod; ; {
			p.bySuffix[m] = append(p.bySuffix[m], f)
			_, rest, ok := strings.Cut(m, "/")
			if !ok {
				break
			}
			m = rest
		}
	}
	g := &graph{importers: map[string][]string{}, unit: func(f string) string { return f }}
	for _, f := range files {
		for _, to := range p.targets(f) {
			if to != f {
				g.add(f, to)
			}
		}
		if path.Base(f) == "conftest.py" { // its fixtures reach every test below
			for _, test := range c.Files {
				if strings.HasPrefix(test, strings.TrimSuffix(f, "conftest.py")) {
					g.importers[f] = append(g.importers[f], test)
				}
			}
		}
	}
	return g
}

// targets are the files that a file imports.
func (p *pyTree) targets(f string) []string {
	src := p.t.Read(f)
	var out []string
	for _, im := range pyReads(src) {
		for _, file := range p.resolve(f, im.module) {
			if path.Base(file) != "__init__.py" {
				out = append(out, file)
				continue
			}
			if im.names == nil { // import pkg: what of its names the text speaks of
				out = append(out, p.through(file, p.beyond(f, im.module, attributes(im.module, src)), 0)...)
				out = append(out, p.deeper(im.module, src)...)
				continue
			}
			out = append(out, p.through(file, p.beyond(f, im.module, setOf(im.names)), 0)...)
		}
		for _, n := range im.names { // from pkg import module
			out = append(out, p.resolve(f, member(im.module, n))...)
		}
	}
	return out
}

// member is a name below a module: "a.b" and c, or ".." and c.
func member(module, name string) string {
	if strings.HasSuffix(module, ".") {
		return module + name
	}
	return module + "." + name
}

// beyond are the names that are not modules of the package themselves.
func (p *pyTree) beyond(from, module string, names map[string]bool) map[string]bool {
	out := map[string]bool{}
	for n := range names {
		if len(p.resolve(from, member(module, n))) == 0 {
			out[n] = true
		}
	}
	return out
}

// attributes are the names that a text takes from a module: "module.name".
func attributes(module, src string) map[string]bool {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b`+regexp.QuoteMeta(module)+`\.(\w+)`).FindAllStringSubmatch(src, 5000) {
		out[m[1]] = true
	}
	if as := regexp.MustCompile(`import[ \t]+` + regexp.QuoteMeta(module) + `[ \t]+as[ \t]+(\w+)`).FindStringSubmatch(src); as != nil {
		for _, m := range regexp.MustCompile(`\b`+as[1]+`\.(\w+)`).FindAllStringSubmatch(src, 5000) {
			out[m[1]] = true
		}
	}
	return out
}

// deeper follows "pkg.mod.name" in the text of a file that imports pkg alone.
func (p *pyTree) deeper(module, src string) []string {
	var out []string
	re := regexp.MustCompile(`\b` + regexp.QuoteMeta(module) + `((?:\.\w+)+)`)
	for _, m := range re.FindAllStringSubmatch(src, 200) {
		out = append(out, p.resolve("", module+m[1])...)
		if at := strings.LastIndexByte(m[1], '.'); at > 0 {
			out = append(out, p.resolve("", module+m[1][:at])...)
		}
	}
	return out
}

// through looks through a package's __init__: names that it takes from its
// modules lead to those, others to itself. A file that imports a package does
// not rest on all that the package imports.
func (p *pyTree) through(init string, names map[string]bool, depth int) []string {
	out := []string{}
	found := map[string]bool{}
	if depth < 4 {
		for _, im := range pyReads(p.t.Read(init)) {
			wanted := map[string]bool{}
			for _, n := range im.names {
				if names[n] || n == "*" {
					wanted[n], found[n] = true, true
				}
			}
			if len(wanted) == 0 {
				continue
			}
			for _, file := range p.resolve(init, im.module) {
				switch {
				case path.Base(file) == "__init__.py" && file != init:
					out = append(out, p.through(file, map[bool]map[string]bool{true: names, false: wanted}[wanted["*"]], depth+1)...)
				case wanted["*"] && !defines(p.t.Read(file), names):
				default:
					out = append(out, file)
					if wanted["*"] {
						found = merged(found, names, p.t.Read(file))
					}
				}
			}
		}
	}
	for n := range names {
		if !found[n] {
			return append(out, init) // it may be defined there
		}
	}
	return out
}

// merged adds the names that a module defines to those that were found.
func merged(found, names map[string]bool, src string) map[string]bool {
	for n := range names {
		if defines(src, map[string]bool{n: true}) {
			found[n] = true
		}
	}
	return found
}

var pyDefines = lazyregexp.New(`(?m)^(?:class|def|async def)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=`)

// defines tells whether a module defines one of the names at its top level.
func defines(src string, names map[string]bool) bool {
	for _, m := range pyDefines.FindAllStringSubmatch(src, -1) {
		if names[m[1]] || names[m[2]] {
			return true
		}
	}
	return false
}

func setOf(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// resolve finds the files of a module. Of several, those closest to the file
// that imports it.
func (p *pyTree) resolve(from, module string) []string {
	if dots := len(module) - len(strings.TrimLeft(module, ".")); dots > 0 {
		base := path.Dir(from)
		for range dots - 1 {
			base = path.Dir(base)
		}
		name := path.Join(base, strings.ReplaceAll(module[dots:], ".", "/"))
		for _, f := range []string{name + ".py", name + "/__init__.py"} {
			if p.t.Has(f) {
				return []string{f}
			}
		}
		return nil
	}
	if module == "" {
		return nil
	}
	all := p.bySuffix[strings.ReplaceAll(module, ".", "/")]
	if len(all) <= 1 || from == "" {
		return all[:min(1, len(all))]
	}
	best, score := all[0], -1
	for _, f := range all {
		if n := common(from, f); n > score || n == score && len(f) < len(best) {
			best, score = f, n
		}
	}
	return []string{best}
}

// common counts the folders that two files share from the root.
func common(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x)-1 && n < len(y)-1 && x[n] == y[n] {
		n++
	}
	return n
}
