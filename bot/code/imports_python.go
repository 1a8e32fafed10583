package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// pythonImport is "import module as alias", or "from module import names".
type pythonImport struct {
	from   bool
	module string   // "os.path", ".", "..models"
	alias  string   // of a plain import
	names  []string // of a from import: "x", "x as y" or "*"
}

func (p pythonImport) text() string {
	switch {
	case p.from:
		return "from " + p.module + " import " + strings.Join(p.names, ", ")
	case p.alias != "":
		return "import " + p.module + " as " + p.alias
	}
	return "import " + p.module
}

// pythonStatement reads one import statement; nil for any other node.
func pythonStatement(n Node) []pythonImport {
	switch n.Kind() {
	case "import_statement":
		var out []pythonImport
		for _, c := range n.NamedChildren() {
			p := pythonImport{module: c.Text()}
			if c.Kind() == "aliased_import" {
				p.module, p.alias = c.TextOf("name"), c.TextOf("alias")
			}
			out = append(out, p)
		}
		return out
	case "import_from_statement", "future_import_statement":
		p := pythonImport{from: true, module: "__future__"}
		if m := n.TextOf("module_name"); m != "" {
			p.module = strings.Join(strings.Fields(m), "")
		}
		for _, c := range pythonNames(n) {
			p.names = append(p.names, spelled(c))
		}
		return []pythonImport{p}
	}
	return nil
}

// spelled is an imported name with its alias, on one line.
func spelled(n Node) string {
	if n.Kind() == "aliased_import" {
		return n.TextOf("name") + " as " + n.TextOf("alias")
	}
	return n.Text()
}

// pythonNames are the nodes of the names that a from import lists.
func pythonNames(n Node) []Node {
	var out []Node
	for _, c := range n.NamedChildren() {
		if c.Field() == "name" || c.Kind() == "wildcard_import" {
			out = append(out, c)
		}
	}
	return out
}

func wantedPython(ctx context.Context, text string) ([]wantedImport, error) {
	return wantedStatements(ctx, Python, text, func(n Node) (out []wantedImport) {
		for _, p := range pythonStatement(n) {
			out = append(out, p)
		}
		return out
	})
}

// wantedStatements reads a text of nothing but import statements; read gives none for
// any other statement.
func wantedStatements(ctx context.Context, lang Language, text string, read func(Node) []wantedImport) ([]wantedImport, error) {
	t, err := Parse(ctx, lang, []byte(text+"\n"))
	if err != nil {
		return nil, err
	}
	var out []wantedImport
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		if c.IsExtra() && !c.IsError() || c.Kind() == ";" || c.Kind() == "empty_statement" {
			continue
		}
		got := read(c)
		if len(got) == 0 || c.HasError() {
			return nil, fmt.Errorf("%w: line %d reads %q; give import statements only", ErrNotImport, c.Line(), snippet(c))
		}
		out = append(out, got...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: there is no import statement in the text", ErrNotImport)
	}
	return out, nil
}

// merge implements wantedImport.
func (p pythonImport) merge(t *Tree) ([]change, bool) {
	var all []statement
	missing := slices.Clone(p.names)
	var target Node
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		got := pythonStatement(c)
		for _, have := range got {
			if have.from != p.from || have.module != p.module {
				continue
			}
			if !p.from && have.alias == p.alias {
				return nil, true
			}
			if p.from && !c.HasError() {
				missing = slices.DeleteFunc(missing, func(s string) bool { return slices.Contains(have.names, s) })
				if !slices.Contains(have.names, "*") && target.t == nil {
					target = c
				}
			}
		}
		if len(got) > 0 {
			all = append(all, statement{node: c, module: sortModule(got[0].module), rank: pythonRank(got[0].module, t), section: sectionOf(got[0])})
		}
	}
	if p.from && len(missing) == 0 {
		return nil, true
	}
	if p.from {
		p.names = missing
		if target.t != nil && !slices.Contains(missing, "*") {
			if names := pythonNames(target); len(names) > 0 {
				return p.extend(t, target, names), true
			}
		}
	}
	want := statement{module: sortModule(p.module), rank: pythonRank(p.module, t), section: sectionOf(p)}
	if groups := importGroups(t, all); len(groups) > 0 && startsLine(t, groups[0][0].node) {
		return []change{placeImport(t, groups, want, p.text(), true)}, false
	}
	head := headEnd(t, func(n Node) bool {
		return n.Kind() == "expression_statement" && blockTitle(n) == "docstring" && firstCode(t, n)
	})
	return []change{firstImport(t, head, p.text())}, false
}

func blockTitle(n Node) string {
	name, _ := blockName(n)
	return name
}

// firstCode tells whether only comments stand before a top-level statement.
func firstCode(t *Tree, n Node) bool {
	for c, ok := t.Root().First(); ok && c != n; c, ok = c.Next() {
		if !c.IsExtra() {
			return false
		}
	}
	return true
}

// extend adds the names to a statement, and puts its list into parentheses
// when the line would be longer than those that the file has.
func (p pythonImport) extend(t *Tree, n Node, names []Node) []change {
	changes := addNames(t, names, p.names)
	bracketed := false
	for _, c := range n.Children() {
		bracketed = bracketed || c.Kind() == "("
	}
	first := names[0]
	if bracketed || n.Line() != n.EndLine() {
		return changes
	}
	width := lineEndAt(t.Src, n.Start()) - lineOf(t, n.Start())
	limit := max(79, width)
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		if pythonStatement(c) != nil {
			limit = max(limit, lineEndAt(t.Src, c.Start())-lineOf(t, c.Start()))
		}
	}
	for _, c := range changes {
		width += len(c.text)
	}
	if width <= limit {
		return changes
	}
	_, end := t.trim(names[len(names)-1])
	list := string(applyChanges(t.Src[first.Start():end:end], shift(changes, first.Start())))
	eol, indent := lineEnding(t.Src), IndentUnit(t.Src)
	var b strings.Builder
	b.WriteString("(" + eol)
	for name := range strings.SplitSeq(list, ",") {
		b.WriteString(indent + strings.TrimSpace(name) + "," + eol)
	}
	return []change{{first.Start(), end, b.String() + ")"}}
}

func shift(changes []change, by int) []change {
	out := make([]change, 0, len(changes))
	for _, c := range changes {
		out = append(out, change{c.start - by, c.end - by, c.text})
	}
	return out
}

func sectionOf(p pythonImport) int {
	if p.from {
		return 1
	}
	return 0
}

// sortModule makes relative imports stand behind the others.
func sortModule(m string) string {
	if strings.HasPrefix(m, ".") {
		return "~" + m
	}
	return m
}

// pythonRank is the category of a module: __future__, the standard library,
// packages, the file's own package.
func pythonRank(module string, _ *Tree) int {
	top, _, _ := strings.Cut(module, ".")
	switch {
	case module == "__future__":
		return 0
	case strings.HasPrefix(module, "."):
		return 3
	case pythonStandard[top]:
		return 1
	}
	return 2
}

// pythonStandard are the top-level modules of the standard library
// (sys.stdlib_module_names without the private ones, and those that left it
// after 3.8).
var pythonStandard = wordSet(`abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop
base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop
collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob
graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools
json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser
pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched
secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3
sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable
sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter
token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu
uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo`)

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// binds implements wantedImport.
func (p pythonImport) binds() []string {
	if !p.from {
		top, _, _ := strings.Cut(p.module, ".")
		return []string{cmp.Or(p.alias, top)}
	}
	return localNames(p.names)
}

// localNames are the names by which "a", "b as c" and "type T" are known.
func localNames(names []string) []string {
	var out []string
	for _, n := range names {
		words := strings.Fields(n)
		out = append(out, words[len(words)-1])
	}
	return out
}
