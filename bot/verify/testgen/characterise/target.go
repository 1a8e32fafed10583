package characterise

import (
	"context"
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/verify/detect"
	"github.com/fettle-dev/fettle/bot/verify/testgen/gate"
)

// target is a function whose calls are looked at.
type target struct {
	code.Callable
	path  string
	lang  code.Language // Python, JavaScript or Go
	class string        // of a method, the class or the receiver's type
	fresh bool          // the base does not have it
	src   []byte        // of the file, with the change
	// siblings are the names of all functions and methods of the file
	siblings map[string]bool
	// constants that the function compares with or computes with
	numbers, texts []string
}

const maxTargets = 4

var generic = lazyregexp.New(`^func\s*(?:\([^)]*\[\w[\w, ]*\]\)|(?:\([^)]*\)\s*)?\w+\[)`)

// family is the language under which a file's tests are written.
func family(p string) code.Language {
	switch lang := code.LanguageOf(p); lang {
	case code.TypeScript, code.TSX:
		return "" // node would have to strip its types
	case code.Python, code.JavaScript, code.Go:
		return lang
	}
	return ""
}

// targets lists the changed functions of a file, those that no test can call
// replaced by those of the file that call them. left says which have none. want tells
// which changed regions count; nil: all do.
func targets(ctx context.Context, ch gate.Change, want func(code.Region) bool) (out []target, left []string, err error) {
	lang := family(ch.Path)
	if lang == "" || ch.After == nil || code.IsTest(ch.Path) {
		return nil, nil, nil
	}
	regions, err := code.Touched(ctx, ch.Path, ch.Before, ch.After)
	if err != nil {
		return nil, nil, err
	}
	all, err := code.Callables(ctx, ch.Path, ch.After)
	if err != nil {
		return nil, nil, err
	}
	was, err := code.Callables(ctx, ch.Path, ch.Before)
	if err != nil {
		return nil, nil, err
	}
	siblings := map[string]bool{}
	for _, c := range all {
		siblings[c.Name] = true
	}
	add := func(c code.Callable) {
		if !slices.ContainsFunc(out, func(t target) bool { return t.ID == c.ID }) {
			t := target{Callable: c, path: ch.Path, lang: lang, src: ch.After, siblings: siblings}
			if c.Kind == code.KindMethod {
				t.class = c.Parent
			}
			t.fresh = !slices.ContainsFunc(was, func(o code.Callable) bool { return o.QualifiedName == c.QualifiedName })
			t.constants(ctx)
			out = append(out, t)
		}
	}
	for _, r := range regions {
		if want != nil && !want(r) {
			continue
		}
		i := slices.IndexFunc(all, func(c code.Callable) bool { return c.StartByte <= r.StartByte && r.EndByte <= c.EndByte })
		name := r.Name // of a constant, say
		var reached []code.Callable
		switch {
		case i >= 0 && callable(all[i], lang, ch.After):
			reached = all[i : i+1]
		case i >= 0:
			name = all[i].Name
			fallthrough
		case r.Kind == code.KindBlock:
			reached = reach(all, name, lang, ch.After)
		}
		if len(reached) == 0 && i >= 0 {
			left = append(left, fmt.Sprintf("%s of %s cannot be called from a test", name, ch.Path))
		}
		for _, c := range reached {
			add(c)
		}
	}
	return out[:min(len(out), maxTargets)], left, nil
}

var identifier = lazyregexp.New(`^[A-Za-z_$][\w$]*$`)

// reach gives at most two functions of the file that a test can call and that
// name something, or name others that do.
func reach(all []code.Callable, name string, lang code.Language, src []byte) []code.Callable {
	if !identifier.MatchString(name) {
		return nil
	}
	var out []code.Callable
	known, names := map[string]bool{}, []string{name}
	for len(names) > 0 && len(out) < 2 {
		said := regexp.MustCompile(`\b` + regexp.QuoteMeta(names[0]) + `\b`)
		names = names[1:]
		for _, c := range all {
			if known[c.ID] || c.Name == name || !said.Match(src[c.StartByte:c.EndByte]) || len(out) == 2 {
				continue
			}
			known[c.ID] = true
			if callable(c, lang, src) {
				out = append(out, c)
			} else {
				names = append(names, c.Name)
			}
		}
	}
	return out
}

// callable: a test of the repository can call it and hold its result.
func callable(c code.Callable, lang code.Language, src []byte) bool {
	top := c.Parent == ""
	if c.Kind == code.KindMethod {
		top = !strings.Contains(c.Parent, ".") && !strings.ContainsAny(c.Parent, "#")
	}
	name := c.Name
	if c.Kind == code.KindMethod && lang != code.Go {
		name = c.Parent
	}
	switch lang {
	case code.Python:
		return top && !c.Async && !strings.HasPrefix(c.Name, "__")
	case code.JavaScript:
		q := regexp.QuoteMeta(name)
		exported := regexp.MustCompile(`export\s+(?:default\s+)?(?:(?:function\*?|class|const|let|var)\s+)?` + q + `\b|export\s*\{[^}]*\b` + q + `\b|module\.exports\s*=\s*(?:\{[^}]*\b|(?:class\s+|function\s+)?)` + q + `\b|exports\.` + q + `\s*=`).Match(src)
		return top && exported && !c.Async && c.Name != "constructor" && !strings.HasPrefix(c.Name, "#") && token.IsIdentifier(strings.ReplaceAll(c.Name, "$", "_"))
	case code.Go:
		return c.Name != "main" && c.Name != "init" && c.Name != "_" && !generic.MatchString(c.Signature) && goCallable(c)
	}
	return false
}

// goCallable: one result, or a result and an error, and parameters with names.
func goCallable(c code.Callable) bool {
	for _, p := range c.Params {
		if p.Name == "_" || p.Name == "" && p.Type != "" {
			return false
		}
	}
	n := strings.Count(c.Result, ",")
	return n == 0 || n == 1 && strings.HasSuffix(c.Result, " error")
}

// constants notes the numbers and texts that the function holds: what happens
// at a boundary is seen with values at it.
func (t *target) constants(ctx context.Context) {
	tree, err := code.Parse(ctx, t.lang, t.src)
	if err != nil {
		return
	}
	tree.Walk(func(n code.Node) bool {
		if n.End() <= t.StartByte || n.Start() >= t.EndByte {
			return false
		}
		switch n.Kind() {
		case "integer", "number", "int_literal", "float", "float_literal":
			if s := n.Text(); !slices.Contains(t.numbers, s) && len(t.numbers) < 4 {
				if _, err := strconv.ParseFloat(s, 64); err == nil {
					t.numbers = append(t.numbers, s)
				}
			}
		case "string_content", "string_fragment", "interpreted_string_literal_content":
			if s := n.Text(); len(s) < 30 && !strings.ContainsAny(s, "\\%{\n") && !slices.Contains(t.texts, s) && len(t.texts) < 3 {
				t.texts = append(t.texts, s)
			}
		}
		return true
	})
}

// suite is the one that tests a file: of its language, the innermost.
func (c *Characteriser) suite(in Input, t target) (dir, name string, ok bool) {
	for _, s := range in.Suites {
		if s.Kind == string(t.lang) && !s.Reported() && detect.Within(t.path, s.Dir) && (!ok || len(s.Dir) > len(dir)) {
			dir, name, ok = path.Clean(s.Dir), s.Name, true
		}
	}
	return dir, name, ok
}
