// Package apart gives tests that were added to an existing test file a file of their own.
// The tests that are there are the evidence a change is judged by and stay byte for byte
// as they are; people and models add to them all the same. In flow the file before and
// with the additions, out flow the path and text of a new file that holds what was added
// and what it needs: imports, helpers, fixtures. A file of which anything was changed or
// taken away has none. Python, JavaScript, TypeScript and Go.
package apart

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// File gives the new file. taken tells which paths are there already. Of a file that
// cannot be taken apart ok is false; the error is of reading it.
func File(ctx context.Context, name string, before, after []byte, taken func(string) bool) (to string, text []byte, ok bool, err error) {
	lang := code.LanguageOf(name)
	t, known := tongues[lang]
	if !known {
		return "", nil, false, nil
	}
	was, err := code.Parse(ctx, lang, before)
	if err != nil {
		return "", nil, false, fmt.Errorf("reading %s as it was: %w", name, err)
	}
	is, err := code.Parse(ctx, lang, after)
	if err != nil {
		return "", nil, false, fmt.Errorf("reading %s with what was added: %w", name, err)
	}
	if was.HasError() || is.HasError() {
		return "", nil, false, nil
	}
	there, here := was.Root().NamedChildren(), is.Root().NamedChildren()
	added, only := additions(there, here, t.imports)
	first := slices.IndexFunc(added, t.test.is)
	if !only || first < 0 {
		return "", nil, false, nil
	}
	kept := needed(here, added, t)
	var parts []string
	remarks := ""
	for _, c := range is.Root().Children() {
		switch text := c.Text(); {
		case c.IsExtra():
			remarks += text + "\n"
			continue
		case !slices.Contains(kept, c):
		case !t.imports.is(c):
			parts = append(parts, remarks+text)
		default:
			if text = t.narrow(c, kept); text != "" {
				parts = append(parts, text)
			}
		}
		remarks = ""
	}
	to = t.place(name, titleOf(added[first]), taken)
	return to, []byte(t.join(parts)), code.IsTest(to), nil
}

// kind tells nodes of a kind by their text.
type kind struct{ *lazyregexp.Regexp }

func (k kind) is(n code.Node) bool { return k.MatchString(n.Text()) }

// tongue is what is known of a language's test files.
type tongue struct {
	imports, test kind
	near, gap     string // between two imports, and between two other parts
	shared        bool   // the test files of a folder see what each of them holds
	place         func(name, title string, taken func(string) bool) string
	written       func(used []code.Binding) string // an import of these alone; nil: it stays whole
}

var (
	pythonImport = kind{lazyregexp.New(`^(?:from|import)\s`)}
	scriptImport = kind{lazyregexp.New(`^(?:import\b|(?:const|let|var)\s[^=]*=\s*(?:await\s+import|require)\()`)}
	goImport     = kind{lazyregexp.New(`^(?:package|import)\b`)}

	pythonTest = kind{lazyregexp.New(`(?m)^(?:@[^\n]*\n|[ )\]}"'#][^\n]*\n)*(?:async )?def test|^class (?:Test|\w+\((?:unittest\.)?TestCase\))`)}
	scriptTest = kind{lazyregexp.New(`^(?:await )?(?:test|it|describe|suite)\b`)}
	goTest     = kind{lazyregexp.New(`^func (?:Test|Benchmark|Example|Fuzz)`)}

	script = tongue{scriptImport, scriptTest, "\n", "\n\n", false, scriptPlace, nil}

	tongues = map[code.Language]tongue{
		code.Python:     {pythonImport, pythonTest, "\n", "\n\n\n", false, pythonPlace, pythonImports},
		code.JavaScript: script, code.TypeScript: script, code.TSX: script,
		code.Go: {goImport, goTest, "\n\n", "\n\n", true, goPlace, goImports},
	}
)

// additions are the nodes that the file before does not have. only is false where any of
// those it has is gone or stands elsewhere; imports may have changed.
func additions(there, here []code.Node, imports kind) (added []code.Node, only bool) {
	n := 0
	for _, c := range here {
		for n < len(there) && imports.is(there[n]) {
			n++
		}
		switch {
		case imports.is(c):
		case n < len(there) && there[n].Text() == c.Text():
			n++
		default:
			added = append(added, c)
		}
	}
	for n < len(there) && imports.is(there[n]) {
		n++
	}
	return added, n == len(there)
}

var (
	names = lazyregexp.New(`[A-Za-z_$][\w$]*`)
	// defined is the name that a node gives to what it holds.
	defined = lazyregexp.New(`^(?:@[^\n]*\n)*(?:export )?(?:async )?(?:def|class|function\*?|const|let|var|func|type)?\s*\(?\[?\{?\s*([A-Za-z_$][\w$]*)`)
	always  = lazyregexp.New(`^(?:before|after)(?:Each|All)?\(|autouse|^sys\.path|^pytestmark`)
)

// needed are the added nodes, all imports, and what of the rest they use, in any number
// of steps.
func needed(here, added []code.Node, t tongue) []code.Node {
	kept := slices.Clone(added)
	for _, c := range here {
		if t.imports.is(c) || always.MatchString(c.Text()) && !slices.Contains(kept, c) {
			kept = append(kept, c)
		}
	}
	for more := !t.shared; more; {
		more = false
		for _, c := range here {
			m := defined.FindStringSubmatch(c.Text())
			if m == nil || c.IsExtra() || slices.Contains(kept, c) || t.test.is(c) {
				continue
			}
			if slices.ContainsFunc(kept, func(k code.Node) bool { return !t.imports.is(k) && uses(k.Text(), m[1]) }) {
				kept, more = append(kept, c), true
			}
		}
	}
	return kept
}

func uses(text, name string) bool { return slices.Contains(names.FindAllString(text, -1), name) }

func usedBy(name string, kept []code.Node, imports kind) bool {
	return slices.ContainsFunc(kept, func(k code.Node) bool { return !imports.is(k) && uses(k.Text(), name) })
}

// narrow leaves out of an import what nothing uses: in Go it would not compile. One of
// JavaScript stays whole where anything of it is used.
func (t tongue) narrow(n code.Node, kept []code.Node) string {
	var all, used []code.Binding
	n.Tree().Bindings(func(b code.Binding) {
		if n.Start() <= b.At.Start() && b.At.End() <= n.End() {
			name := bound(b)
			if all = append(all, b); name == "_" || name == "." || usedBy(name, kept, t.imports) {
				used = append(used, b)
			}
		}
	})
	switch {
	case len(all) == len(used) || len(used) > 0 && t.written == nil:
		return n.Text()
	case len(used) == 0:
		return ""
	}
	return t.written(used)
}

// bound is the name by which a file uses what it imports.
func bound(b code.Binding) string {
	if b.Local != "" {
		first, _, _ := strings.Cut(b.Local, ".")
		return first
	}
	last := path.Base(b.Module)
	if version.MatchString(last) {
		last = path.Base(path.Dir(b.Module))
	}
	return strings.TrimPrefix(last, "go-")
}

func pythonImports(used []code.Binding) string {
	var list []string
	for _, b := range used {
		name := cmp.Or(b.Name, b.Module)
		if b.Local != name {
			name += " as " + b.Local
		}
		list = append(list, name)
	}
	if used[0].Name == "" {
		return "import " + strings.Join(list, ", ")
	}
	return "from " + used[0].Module + " import " + strings.Join(list, ", ")
}

func goImports(used []code.Binding) string {
	if len(used) == 1 {
		return "import " + used[0].At.Text()
	}
	var list []string
	for _, b := range used {
		list = append(list, b.At.Text())
	}
	return "import (\n\t" + strings.Join(list, "\n\t") + "\n)"
}

var version = lazyregexp.New(`^v\d+$`)

// join puts imports on lines that follow each other, and the rest as far apart as the
// language has it.
func (t tongue) join(parts []string) string {
	var b strings.Builder
	for n, part := range parts {
		switch {
		case n == 0:
		case t.imports.MatchString(part):
			b.WriteString(t.near)
		default:
			b.WriteString(t.gap)
		}
		b.WriteString(part)
	}
	return b.String() + "\n"
}

var titles = []*lazyregexp.Regexp{lazyregexp.New(`(?:def|func) (\w+)`), lazyregexp.New(`^class (\w+)`), lazyregexp.New("\\(\\s*['\"`]([^'\"`\n]*)")}

// titleOf is what a test is called, in words apart by blanks.
func titleOf(n code.Node) string {
	words := "added"
	for _, title := range titles {
		if m := title.FindStringSubmatch(n.Text()); m != nil {
			words = m[1]
			break
		}
	}
	words = humps.ReplaceAllString(initial.ReplaceAllString(words, "$1 $2"), "$1 $2")
	words = regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(words, " ")
	words = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(words)), "test ")
	list := strings.Fields(words)
	if len(list) == 0 {
		return "added"
	}
	return strings.Join(list[:min(len(list), mostWords)], " ")
}

const mostWords = 5

var (
	initial = lazyregexp.New(`([A-Z])([A-Z][a-z])`)
	humps   = lazyregexp.New(`([a-z0-9])([A-Z])`)
)

// free is the first of some names that is not taken.
func free(taken func(string) bool, name func(suffix string) string) string {
	out := name("")
	for n := 2; taken(out); n++ {
		out = name(fmt.Sprintf("_%d", n))
	}
	return out
}

func pythonPlace(name, title string, taken func(string) bool) string {
	stem := strings.ReplaceAll(title, " ", "_")
	return free(taken, func(suffix string) string {
		if strings.HasSuffix(name, "_test.py") {
			return path.Join(path.Dir(name), stem+suffix+"_test.py")
		}
		return path.Join(path.Dir(name), "test_"+stem+suffix+".py")
	})
}

func goPlace(name, title string, taken func(string) bool) string {
	return free(taken, func(suffix string) string {
		return path.Join(path.Dir(name), strings.ReplaceAll(title, " ", "_")+suffix+"_test.go")
	})
}

var scriptEnd = lazyregexp.New(`[.\-_](?:test|spec)\.[cm]?[jt]sx?$`)

func scriptPlace(name, title string, taken func(string) bool) string {
	end := scriptEnd.FindString(name)
	if end == "" {
		end = path.Ext(name)
	}
	return free(taken, func(suffix string) string {
		return path.Join(path.Dir(name), strings.ReplaceAll(title, " ", "-")+suffix+end)
	})
}
