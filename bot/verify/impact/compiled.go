package impact

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
)

var (
	jsImport = lazyregexp.New(`(?:\bfrom\s*|\brequire\(\s*|\bimport\s*\(?\s*|\bjest\.(?:mock|requireActual)\(\s*|\bvi\.mock\(\s*)['"]([^'"\n]+)['"]`)
	jsExts   = []string{"", ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".json", "/index.js", "/index.ts", "/index.tsx", "/index.mjs", "/index.cjs"}
	goImport = lazyregexp.New(`(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\n]+)"`)
	goModule = lazyregexp.New(`(?m)^module[ \t]+"?([^\s"]+)`)
)

// nodeGraph follows relative imports, the package's own name and those of
// workspaces.
func nodeGraph(t *detect.Tree, _ detect.Command) *graph {
	packages := map[string]string{} // name -> folder
	for _, f := range t.Files {
		if path.Base(f) == "package.json" {
			var p struct{ Name string }
			if json.Unmarshal([]byte(t.Read(f)), &p) == nil && p.Name != "" {
				packages[p.Name] = path.Dir(f)
			}
		}
	}
	g := &graph{importers: map[string][]string{}, unit: func(f string) string { return f }}
	for _, f := range t.Files {
		if !isScript(f) {
			continue
		}
		for _, m := range jsImport.FindAllStringSubmatch(t.Read(f), -1) {
			if to := jsResolve(t, packages, f, m[1]); to != "" && to != f {
				g.add(f, to)
			}
		}
	}
	return g
}

func isScript(f string) bool {
	return slices.Contains([]string{".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts"}, path.Ext(f))
}

func jsResolve(t *detect.Tree, packages map[string]string, from, what string) string {
	var base string
	if strings.HasPrefix(what, ".") {
		base = path.Join(path.Dir(from), what)
	} else {
		name, rest := what, ""
		if i := strings.IndexByte(what, '/'); i > 0 && !strings.HasPrefix(what, "@") {
			name, rest = what[:i], what[i+1:]
		} else if parts := strings.SplitN(what, "/", 3); strings.HasPrefix(what, "@") && len(parts) == 3 {
			name, rest = parts[0]+"/"+parts[1], parts[2]
		}
		dir, ok := packages[name]
		if !ok {
			return ""
		}
		if rest == "" {
			rest = jsMain(t, dir)
		}
		base = path.Join(dir, rest)
	}
	stems := []string{base}
	if ext := path.Ext(base); slices.Contains([]string{".js", ".mjs", ".cjs"}, ext) { // TypeScript names what it will become
		stems = append(stems, strings.TrimSuffix(base, ext))
	}
	for _, stem := range stems {
		for _, e := range jsExts {
			if p := path.Clean(stem + e); t.Has(p) {
				return p
			}
		}
	}
	return ""
}

// jsMain is the file that a package's name stands for.
func jsMain(t *detect.Tree, dir string) string {
	var p struct{ Main, Module, Source string }
	_ = json.Unmarshal([]byte(t.Read(path.Join(dir, "package.json"))), &p)
	for _, m := range []string{p.Source, p.Main, p.Module, "src/index", "index"} {
		if m == "" {
			continue
		}
		for _, e := range jsExts {
			if t.Has(path.Join(dir, m+e)) {
				return m
			}
		}
	}
	return "index"
}

// goGraph is over packages: a unit is a folder. Files beside the sources, such
// as those of testdata, belong to the closest package above them.
func goGraph(t *detect.Tree, c detect.Command) *graph {
	module := c.Module
	if m := goModule.FindStringSubmatch(t.Read(path.Join(c.Dir, "go.mod"))); m != nil {
		module = m[1]
	}
	packages := map[string]bool{}
	for _, f := range t.Files {
		if path.Ext(f) == ".go" && !strings.Contains("/"+f, "/testdata/") {
			packages[path.Dir(f)] = true
		}
	}
	unit := func(f string) string {
		for d := path.Dir(f); ; d = path.Dir(d) {
			if packages[d] || d == "." {
				return d
			}
		}
	}
	g := &graph{importers: map[string][]string{}, unit: unit}
	testOnly := map[string]map[string]bool{}
	for _, f := range t.Files {
		if path.Ext(f) != ".go" || !packages[path.Dir(f)] {
			continue
		}
		from := path.Dir(f)
		for _, m := range goImport.FindAllStringSubmatch(imports(t.Read(f)), -1) {
			rest, ok := strings.CutPrefix(m[1]+"/", module+"/")
			if !ok {
				continue
			}
			to := path.Join(c.Dir, rest)
			if to == from || !packages[to] {
				continue
			}
			if strings.HasSuffix(f, "_test.go") { // does not reach those that import from
				if testOnly[to] == nil {
					testOnly[to] = map[string]bool{}
				}
				testOnly[to][from] = true
			} else {
				g.add(from, to)
			}
		}
	}
	for to, froms := range testOnly {
		for from := range froms {
			g.add(from, to)
		}
	}
	for _, list := range g.importers {
		slices.Sort(list)
	}
	return g
}

// imports is the head of a Go file, up to its first declaration.
func imports(src string) string {
	for _, stop := range []string{"\nfunc ", "\ntype ", "\nvar ", "\nconst "} {
		if at := strings.Index(src, stop); at >= 0 {
			src = src[:at]
		}
	}
	return src
}
