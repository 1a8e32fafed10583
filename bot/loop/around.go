package loop

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/agent"
	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// opener is how a file begins, before its first function.
type opener struct {
	Code    string
	EndLine int
}

// heads are the imports and constants of files of which only regions are shown: of
// those that are likely to be changed, before the first region of each. A long one is
// left out.
func (w *wanted) heads(shown []agent.Place, room int) map[int]opener {
	out, seen := map[int]opener{}, map[string]bool{}
	for n, p := range shown {
		if seen[p.Path] || p.Region.ID == "" || !p.Target && (n >= 2*mostHeaded || len(seen) >= mostHeaded) {
			continue
		}
		seen[p.Path] = true
		src, _ := w.h.now.read(p.Path)
		regions, _ := w.h.now.list(p.Path)
		end := len(src)
		for _, g := range regions {
			if g.Kind == code.KindFunction || g.Kind == code.KindMethod {
				end = min(end, g.StartByte)
			}
		}
		text := strings.TrimRight(aboveRegion.ReplaceAllString(string(src[:bytes.LastIndexByte(src[:end], '\n')+1]), ""), " \t\n")
		g := opener{text + "\n", strings.Count(text, "\n") + 1}
		within := slices.ContainsFunc(shown, func(o agent.Place) bool { return o.Path == p.Path && o.Region.StartLine <= g.EndLine })
		if saysMuch.MatchString(text) && !within && g.EndLine <= longestTop && len(text) <= room {
			out[n], room = g, room-len(text)
		}
	}
	return out
}

var (
	// aboveRegion is the comment at the end, which belongs to what follows.
	aboveRegion = lazyregexp.New(`(?:\n[ \t]*(?:#|//|/?\*)[^\n]*)+\s*$`)
	// saysMuch is an import or a value.
	saysMuch = lazyregexp.New(`(?m)^\s*(?:import|from|use|require)\b|=`)
)

// uses are the places of other files that use a region, or what a whole file holds:
// one for a file, as far as names tell. What is shown whole needs none.
func (h *real) uses(ctx context.Context, p agent.Place, shown []agent.Place) []string {
	owners, use := h.namesOf(p)
	if use == nil {
		return nil
	}
	var out []string
	for _, f := range first(h.files(), maxSearched) {
		whole := slices.ContainsFunc(shown, func(o agent.Place) bool { return o.Path == f && o.Region.ID == "" })
		if f == p.Path || whole || code.LanguageOf(f) != code.LanguageOf(p.Path) || code.IsTest(f) || h.secret(f) {
			continue
		}
		src, err := h.now.read(f)
		if err != nil || len(src) > largestRead || !slices.ContainsFunc(owners, func(o string) bool { return bytes.Contains(src, []byte(o)) }) {
			continue
		}
		if n := h.usedAt(ctx, p, f, src, use); n > 0 {
			out = append(out, fmt.Sprintf("%s:%d", f, n))
		}
		if len(out) == mostUses {
			break
		}
	}
	return out
}

// usedAt is the first line of a file that uses a place, 0 for none.
func (h *real) usedAt(ctx context.Context, p agent.Place, file string, src []byte, use *regexp.Regexp) int {
	var foreign map[string]bool
	n := 0
	for line := range strings.Lines(string(src)) {
		if n++; bringing.MatchString(line) {
			continue
		}
		for _, at := range use.FindAllStringIndex(line, -1) {
			if foreign == nil {
				foreign = h.foreign(ctx, file, src)
			}
			if !elsewhere(foreign, file, p.Path, line, at) {
				return n
			}
		}
	}
	return 0
}

// foreign are the names that a file takes from packages that are not the project's; none
// where it cannot be read: names alone tell then.
func (h *real) foreign(ctx context.Context, file string, src []byte) map[string]bool {
	names, _ := h.project().Foreign(ctx, file, src)
	if names == nil {
		names = map[string]bool{}
	}
	return names
}

// elsewhere tells whether what a text of a file uses at a place is not what another file
// of the project has by that name: a foreign package's, or in Go its own package's.
func elsewhere(foreign map[string]bool, file, other, text string, at []int) bool {
	first, dotted := qualifier(text, at)
	return foreign[first] || !dotted && code.LanguageOf(file) == code.Go && path.Dir(file) != path.Dir(other)
}

// qualifier is the first name of the chain that a match is the end of, and whether there
// is a chain.
func qualifier(line string, at []int) (first string, dotted bool) {
	word := func(c byte) bool {
		return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	from := at[0]
	for from < at[1] && !word(line[from]) && line[from] != '.' {
		from++
	}
	for from > 0 && (word(line[from-1]) || line[from-1] == '.') {
		from--
	}
	first, _, dotted = strings.Cut(strings.TrimSuffix(line[from:at[1]], "("), ".")
	return first, dotted
}

// project is the tree as it stands, as far as imports lead through it.
func (h *real) project() *code.Project {
	if h.listed == nil {
		mod, _ := h.now.read("go.mod")
		h.listed = code.Listed(h.files(), code.Module(mod))
	}
	return h.listed
}

// namesOf are the names by which other files know a place's file, and what a line says
// that uses the place; nil: no name tells.
func (h *real) namesOf(p agent.Place) (owners []string, use *regexp.Regexp) {
	stem := strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path))
	owners = []string{stem}
	if code.LanguageOf(p.Path) == code.Go || slices.Contains([]string{"__init__", "index", "mod", "lib", "main"}, stem) { // its folder names it
		if owners = nil; path.Dir(p.Path) != "." {
			owners = []string{path.Base(path.Dir(p.Path))}
		}
	}
	whole := p.Region.ID == ""
	var names []string
	regions, _ := h.now.list(p.Path)
	for _, g := range regions {
		holds := g.Kind == code.KindClass || g.Kind == code.KindType
		if holds && (whole || strings.HasPrefix(p.Region.QualifiedName, g.Name+".")) {
			owners = append(owners, g.Name, strings.ToLower(g.Name))
		}
		if p.Region.ID == g.ID || whole && (holds || g.Kind == code.KindFunction) {
			names = append(names, regexp.QuoteMeta(g.Name))
		}
	}
	if names = slices.DeleteFunc(names, func(n string) bool { return n == "" }); len(names) == 0 || len(owners) == 0 {
		return nil, nil
	}
	known := make([]string, len(owners))
	for n, o := range owners {
		known[n] = regexp.QuoteMeta(o)
	}
	all := strings.Join(names, "|")
	of := map[bool]string{true: `\w`, false: `(?:` + all + `)\b`}[whole]
	return owners, regexp.MustCompile(`\b(?:` + strings.Join(known, "|") + `)\.` + of + `|(?:^|[^\w$])(?:` + all + `)\(`)
}

// bringing is a line that only brings names in, or is a comment.
var bringing = lazyregexp.New(`^\s*(?:import\b|from\b|use\b|require|#|//|\*|(?:const|let|var)\b.*\brequire\(|export\b.*\bfrom\b)`)

// called wants what some places call, where one function of their files or of others has
// the name, up to so many bytes: whoever changes them has to know it, and would ask for it.
func (w *wanted) called(ctx context.Context, places []agent.Place, files []string, most int) {
	type found struct {
		file   string
		region code.Region
	}
	names, seen := map[string][]found{}, map[string]bool{}
	for _, p := range places {
		files = append(files, p.Path)
	}
	for _, f := range files {
		if seen[f] || len(seen) == mostCalled || w.h.secret(f) || code.IsTest(f) {
			continue
		}
		seen[f] = true
		regions, _ := w.h.now.list(f)
		for _, g := range regions {
			if g.Kind == code.KindFunction || g.Kind == code.KindMethod {
				names[g.Name] = append(names[g.Name], found{f, g})
			}
		}
	}
	left := most
	for _, p := range slices.Clone(places) {
		src, _ := w.h.now.read(p.Path)
		foreign := w.h.foreign(ctx, p.Path, src)
		for _, at := range calling.FindAllStringSubmatchIndex(p.Code, -1) {
			of := names[p.Code[at[2]:at[3]]]
			if len(of) != 1 || of[0].region.EndByte-of[0].region.StartByte > left || elsewhere(foreign, p.Path, of[0].file, p.Code, at) {
				continue
			}
			c := w.h.now.at(of[0].file, of[0].region)
			c.Why = "it is called there"
			if c.Path != p.Path {
				c.Why = path.Base(p.Path) + " calls it"
			}
			if had := len(w.places); !inside(c, p) {
				if w.add(c); len(w.places) > had {
					left -= len(c.Code)
				}
			}
		}
	}
}

// calling is a name that is called.
var calling = lazyregexp.New(`([A-Za-z_$][\w$]+)\(`)
