package code

import (
	"context"
	"fmt"
	"strings"
)

// goImport is an import spec: a path and the name that it gets, if any.
type goImport struct{ name, path string }

func (g goImport) spec() string {
	if g.name != "" {
		return g.name + ` "` + g.path + `"`
	}
	return `"` + g.path + `"`
}

func goSpec(n Node) goImport {
	return goImport{n.TextOf("name"), unquote(n.TextOf("path"))}
}

// goSpecs are the import specs below a node.
func goSpecs(n Node) []Node {
	var out []Node
	n.Walk(func(c Node) bool {
		if c.Kind() == "import_spec" {
			out = append(out, c)
			return false
		}
		return true
	})
	return out
}

func wantedGo(ctx context.Context, text string) ([]wantedImport, error) {
	if !strings.HasPrefix(text, "import") { // bare specs
		text = "import (\n" + text + "\n)"
	}
	t, err := Parse(ctx, Go, []byte("package p\n"+text+"\n"))
	if err != nil {
		return nil, err
	}
	var out []wantedImport
	for _, c := range t.Root().NamedChildren() {
		switch {
		case c.Kind() == "package_clause" && !c.HasError():
		case c.Kind() == "import_declaration" && !c.HasError():
			for _, s := range goSpecs(c) {
				out = append(out, goSpec(s))
			}
		default:
			return nil, fmt.Errorf("%w: line %d reads %q; give import declarations only", ErrNotImport, max(1, c.Line()-1), snippet(c))
		}
	}
	if len(out) == 0 || t.HasError() {
		return nil, fmt.Errorf("%w: there is no whole import declaration in the text", ErrNotImport)
	}
	return out, nil
}

// merge implements wantedImport.
func (g goImport) merge(t *Tree) ([]change, bool) {
	var decls []Node
	head := 0
	for _, c := range t.Root().NamedChildren() {
		switch c.Kind() {
		case "package_clause":
			_, head = t.trim(c)
		case "import_declaration":
			for _, s := range goSpecs(c) {
				if have := goSpec(s); have == g {
					return nil, true
				} else if have.path == "C" {
					c = Node{} // cgo's import and its comment stay alone
					break
				}
			}
			if c.t != nil && !c.HasError() {
				decls = append(decls, c)
			}
		}
	}
	for _, d := range decls {
		for _, c := range d.NamedChildren() {
			if c.Kind() == "import_spec_list" {
				return []change{g.intoList(t, c)}, true
			}
		}
	}
	switch {
	case len(decls) == 0:
		return []change{firstImport(t, head, "import "+g.spec())}, false
	case len(decls) == 1 && strings.Trim(string(t.Src[decls[0].Start()+len("import"):goSpecs(decls[0])[0].Start()]), " \t\r\n") == "":
		return []change{g.makeList(t, decls[0])}, true
	}
	var all []statement
	for _, d := range decls {
		all = append(all, goStatement(d, goSpec(goSpecs(d)[0])))
	}
	groups := importGroups(t, all)
	return []change{placeImport(t, groups, goStatement(Node{}, g), "import "+g.spec(), true)}, false
}

func goStatement(n Node, g goImport) statement {
	return statement{node: n, module: g.path, rank: goRank(g.path)}
}

// goRank tells the standard library from what has a host's name.
func goRank(p string) int {
	first, _, _ := strings.Cut(p, "/")
	if strings.Contains(first, ".") {
		return 1
	}
	return 0
}

// intoList puts the spec into a list in parentheses.
func (g goImport) intoList(t *Tree, list Node) change {
	eol := lineEnding(t.Src)
	var groups [][]statement
	var last Node
	for _, s := range goSpecs(list) {
		if last.t == nil || t.gap(last, s) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], goStatement(s, goSpec(s)))
		last = s
	}
	if len(groups) == 0 || !startsLine(t, groups[0][0].node) {
		at := list.Start() + 1
		return change{at, at, eol + "\t" + g.spec() + eol}
	}
	if all := list.Children(); !startsLine(t, all[len(all)-1]) {
		at := list.End() - 1
		return change{at, at, eol + "\t" + g.spec() + eol}
	}
	want := goStatement(Node{}, g)
	if nearest := g.nearest(groups); nearest >= 0 {
		groups = groups[nearest : nearest+1]
	}
	return placeImport(t, groups, want, "\t"+g.spec(), true)
}

// nearest is the group of the paths that share most with a path outside the
// standard library: a module's own packages often have a group of their own.
func (g goImport) nearest(groups [][]statement) int {
	best, shared := -1, 0
	if goRank(g.path) == 0 {
		return -1
	}
	for i, group := range groups {
		for _, s := range group {
			if s.rank == 0 {
				continue
			}
			if n := sharedParts(s.module, g.path); n > shared {
				best, shared = i, n
			}
		}
	}
	if best >= 0 {
		return best
	}
	for i, group := range groups { // the group of other hosts
		for _, s := range group {
			if s.rank > 0 {
				return i
			}
		}
	}
	return -1
}

func sharedParts(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// makeList turns the file's only import into a list with the new one.
func (g goImport) makeList(t *Tree, decl Node) change {
	eol := lineEnding(t.Src)
	old := goSpecs(decl)[0]
	have := goSpec(old)
	lines := []string{"\t" + old.Text(), "\t" + g.spec()}
	if g.path < have.path {
		lines[0], lines[1] = lines[1], lines[0]
	}
	gap := eol
	if goRank(g.path) != goRank(have.path) {
		gap += eol
		if goRank(g.path) < goRank(have.path) != (g.path < have.path) {
			lines[0], lines[1] = lines[1], lines[0]
		}
	}
	return change{decl.Start(), old.End(), "import (" + eol + lines[0] + gap + lines[1] + eol + ")"}
}

// binds implements wantedImport. Where the import gives no name, the package
// has one that its path mostly tells.
func (g goImport) binds() []string {
	switch g.name {
	case "":
	case "_", ".":
		return []string{"*"}
	default:
		return []string{g.name}
	}
	parts := strings.Split(g.path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = parts[len(parts)-2]
	}
	name, _, _ = strings.Cut(name, ".v")
	return append(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '.' }), name)
}
