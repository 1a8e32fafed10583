package code

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code/grammar"
)

// The kinds of regions.
const (
	KindFunction = "function"
	KindMethod   = "method"
	KindClass    = "class"
	KindType     = "type"   // Go types, interfaces, enums, structs, aliases
	KindModule   = "module" // namespaces, Rust and Ruby modules
	KindTest     = "test"   // a test or a suite that is a call: describe, it, t.Run
	KindBlock    = "block"  // imports, constants, other top-level statements, windows of lines
)

// Region is a named span of a source file.
//
// Its ID is kind:qualified-name@hash8, where hash8 is the start of the SHA-256
// of the region's bytes: it stays the same when the region moves, and a stale
// id shows that the region was changed. The second and further regions of the
// same kind and qualified name in a file carry #2, #3 … after the name, so
// that ids are unique in a file.
type Region struct {
	ID            string   `json:"id"`
	Kind          string   `json:"kind"`
	Name          string   `json:"name"`
	QualifiedName string   `json:"qualified_name"`
	Parent        string   `json:"parent,omitempty"` // qualified name of what it lies in
	Signature     string   `json:"signature,omitempty"`
	Doc           string   `json:"doc,omitempty"`
	StartLine     int      `json:"start_line"` // 1-based
	EndLine       int      `json:"end_line"`   // 1-based, of the last byte
	StartByte     int      `json:"start_byte"`
	EndByte       int      `json:"end_byte"` // after the last byte; the line's end is not part of the region
	Language      Language `json:"language,omitempty"`
}

// draft is a region before its place in the file is known.
type draft struct {
	Region
	head   int  // end of the signature in bytes
	prefix bool // a block whose name stands in the names of what it holds
}

// Bounds that keep hostile text from costing more than its length: deeper
// definitions belong to the region around them, and of a file with more
// regions than that only the outermost are listed, or windows of lines.
const (
	maxDepth   = 40
	maxRegions = 50_000
)

// Regions lists the regions of a file in the order of the text, an outer one
// before those inside it. Every line with code belongs to one. Text that
// cannot be parsed (unknown language, binary, over the limits) gives windows
// of lines. The error is the context's.
func Regions(ctx context.Context, path string, src []byte) ([]Region, error) {
	lang := LanguageIn(path, src)
	if lang == Unknown || binary(src) {
		return windows(src), nil
	}
	t, err := Parse(ctx, lang, src)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("list the regions of %s: %w", path, ctx.Err())
	case errors.Is(err, grammar.ErrStopped) || errors.Is(err, grammar.ErrTooLarge):
		return windows(src), nil
	case err != nil:
		return nil, err
	}
	return t.Regions(), nil
}

// binary tells what no programming language holds: a NUL near the beginning.
func binary(src []byte) bool { return bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 }

// Regions lists the regions of a parsed text, as the function Regions.
func (t *Tree) Regions() []Region {
	t.once.Do(func() { t.regions = t.list() })
	return slices.Clone(t.regions)
}

func (t *Tree) list() []Region {
	var drafts []draft
	t.Walk(func(n Node) bool {
		if d, ok := t.define(n); ok {
			drafts = append(drafts, d)
		}
		return len(drafts) <= maxRegions
	})
	if len(drafts) > maxRegions {
		drafts = nil
		for c, ok := t.Root().First(); ok && len(drafts) <= maxRegions; c, ok = c.Next() {
			if d, ok := t.define(c); ok {
				drafts = append(drafts, d)
			}
		}
	}
	drafts = append(drafts, t.blocks(drafts)...)
	if len(drafts) > 2*maxRegions {
		return windows(t.Src)
	}
	slices.SortStableFunc(drafts, func(a, b draft) int {
		if a.StartByte != b.StartByte {
			return a.StartByte - b.StartByte
		}
		return b.EndByte - a.EndByte
	})
	return t.nest(drafts)
}

// define tells whether a node defines a region.
func (t *Tree) define(n Node) (draft, bool) {
	if !n.Named() {
		return draft{}, false
	}
	switch t.Lang {
	case Python:
		return pythonRegion(n)
	case JavaScript, TypeScript, TSX:
		return scriptRegion(n)
	case Go:
		return goRegion(n)
	case Java:
		return javaRegion(n)
	case Rust:
		return rustRegion(n)
	case Ruby:
		return rubyRegion(n)
	case PHP:
		return phpRegion(n)
	case C, CPP:
		return cRegion(n)
	}
	return draft{}, false
}

// nest gives each region its names, lines and id by what it lies in.
func (t *Tree) nest(drafts []draft) []Region {
	out := make([]Region, 0, len(drafts))
	var open []draft
	for i, d := range drafts {
		if d.EndByte <= d.StartByte || i > 0 && len(open) > 0 && d.StartByte == open[len(open)-1].StartByte && d.EndByte == open[len(open)-1].EndByte {
			continue
		}
		for len(open) > 0 && open[len(open)-1].EndByte <= d.StartByte {
			open = open[:len(open)-1]
		}
		if len(open) >= maxDepth {
			continue
		}
		d.Name = IDName(d.Name)
		d.QualifiedName = d.Name
		if d.Parent != "" {
			d.Parent = IDName(d.Parent)
			d.QualifiedName = d.Parent + "." + d.Name
		}
		for j := len(open) - 1; j >= 0; j-- {
			p := open[j]
			if p.Kind == KindBlock && !p.prefix {
				continue
			}
			if d.Parent == "" {
				d.Parent, d.QualifiedName = p.QualifiedName, p.QualifiedName+"."+d.Name
			} else if t.Lang == CPP && p.Kind == KindModule { // N { void A::f() {} } defines N.A.f
				d.Parent, d.QualifiedName = p.QualifiedName+"."+d.Parent, p.QualifiedName+"."+d.QualifiedName
			}
			if d.Kind == KindFunction && (p.Kind == KindClass || p.Kind == KindType || t.Lang == Ruby && p.Kind == KindModule) {
				d.Kind = KindMethod
			}
			break
		}
		d.Language = t.Lang
		d.StartLine, d.EndLine = t.Line(d.StartByte), t.Line(d.EndByte-1)
		d.Signature = squeeze(string(t.Src[d.StartByte:max(d.StartByte, min(d.head, d.EndByte, d.StartByte+2000))]))
		open = append(open, d)
		out = append(out, d.Region)
	}
	identify(out, t.Src)
	return out
}

// identify fills in the ids.
func identify(regions []Region, src []byte) {
	seen := map[string]int{}
	for i := range regions {
		r := &regions[i]
		key := r.Kind + ":" + r.QualifiedName
		seen[key]++
		if n := seen[key]; n > 1 {
			key = fmt.Sprintf("%s#%d", key, n)
		}
		r.ID = key + "@" + hash8(src[r.StartByte:r.EndByte])
	}
}

func hash8(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

// IDName writes a name as ids do: at most 120 bytes, "_" for each sign that an
// id does not hold, and for no name at all.
func IDName(s string) string {
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) && r != unicode.ReplacementChar || unicode.IsDigit(r) || strings.ContainsRune("_$.-=?!*+", r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(s))
	if s == "" {
		return "_"
	}
	return s
}

// squeeze puts a signature on one line of at most 300 bytes.
func squeeze(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimSpace(strings.TrimRight(s, "{ "))
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Enclosing is the innermost region at a 1-based line.
func Enclosing(regions []Region, line int) (Region, bool) {
	var best Region
	found := false
	for _, r := range regions {
		if r.StartLine <= line && line <= r.EndLine && (!found || r.EndByte-r.StartByte <= best.EndByte-best.StartByte) {
			best, found = r, true
		}
	}
	return best, found
}

// windowLines is how many lines a window of unknown text aims at.
const windowLines = 40

// windows cuts text of an unknown language into pieces of at most about 60
// lines, at blank lines where there are some.
func windows(src []byte) []Region {
	starts := lineStarts(src)
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		starts[0] = 3
	}
	if starts[len(starts)-1] == len(src) {
		starts = starts[:len(starts)-1]
	}
	blank := func(i int) bool { return len(bytes.TrimSpace(lineBytes(src, starts, i))) == 0 }
	var out []Region
	for first := 0; first < len(starts); {
		if blank(first) {
			first++
			continue
		}
		end := min(first+windowLines, len(starts))
		for end < len(starts) && end < first+windowLines+windowLines/2 && !blank(end) {
			end++
		}
		last := end - 1
		for blank(last) {
			last--
		}
		line := lineBytes(src, starts, last)
		r := Region{
			Kind: KindBlock, StartLine: first + 1, EndLine: last + 1,
			StartByte: starts[first], EndByte: starts[last] + len(bytes.TrimRight(line, "\r\n")),
		}
		r.Name = fmt.Sprintf("lines%d-%d", r.StartLine, r.EndLine)
		r.QualifiedName = r.Name
		out = append(out, r)
		first = end
	}
	identify(out, src)
	return out
}

func lineBytes(src []byte, starts []int, i int) []byte {
	if i+1 < len(starts) {
		return src[starts[i]:starts[i+1]]
	}
	return src[starts[i]:]
}
