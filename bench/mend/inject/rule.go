package inject

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Edit puts Text in the place of the bytes [Start, End) of a source.
type Edit struct {
	Start, End int
	Text       string
}

// Fault is one fault that a rule can plant into a file.
type Fault struct {
	Rule     string
	Path     string // of the file, from the root
	Line     int    // 1-based, of the first edit in the correct file
	Function string // qualified name of the function around it; "" at the top level
	Edits    []Edit // in the order of the file, without overlap, at most maxLines lines apart
	Lines    int    // lines of the correct file that the edits touch
}

// maxLines bounds how many lines of the correct file a fault may touch.
const maxLines = 3

// Apply gives the faulty text.
func (f Fault) Apply(src []byte) []byte {
	var out bytes.Buffer
	at := 0
	for _, e := range f.Edits {
		out.Write(src[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(src[at:])
	return out.Bytes()
}

// Key names the fault by what it changes, in 8 hexadecimal digits: the same
// fault in the same file has it whatever other faults there are.
func (f Fault) Key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s", f.Rule, f.Path)
	for _, e := range f.Edits {
		fmt.Fprintf(h, "\x00%d\x00%d\x00%s", e.Start, e.End, e.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// rank orders keys by chance: the same for the same seed.
func rank(seed uint64, key string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", seed, key))
	return binary.BigEndian.Uint64(sum[:])
}

// rule plants one kind of fault. find is asked about each node of a file and
// reports each way to plant the fault there.
type rule struct {
	name string
	find func(s *source, n code.Node, add func(...Edit))
}

// table holds the rules in the order in which a draw takes them in turn.
var table = []rule{
	{"missing-guard", missingGuard},
	{"lost-condition", lostCondition},
	{"missing-statement", missingStatement},
	{"copy-paste", copyPaste},
	{"missing-case", missingCase},
	{"missing-conversion", missingConversion},
	{"lost-term", lostTerm},
	{"wrong-nesting", wrongNesting},
	{"stale-variable", staleVariable},
	{"wrong-text", wrongText},
	{"missing-argument", missingArgument},
	{"swapped-steps", swappedSteps},
	{"wrong-default", wrongDefault},
	{"loop-exit", loopExit},
	{"forgotten-end", forgottenEnd},
	{"wrong-scale", wrongScale},
	{"wrong-regex", wrongRegex},
	{"misplaced-reset", misplacedReset},
	{"wrong-error", wrongError},
	{"shared-state", sharedState},
}

// Rules names the rules.
func Rules() []string {
	out := make([]string, len(table))
	for i, r := range table {
		out[i] = r.name
	}
	return out
}

// Faults lists the faults that the rules can plant into a file, in the order
// of the rules and of the text. Each touches at most three lines; whether
// what it leaves parses is told by Parses, as that takes longer. A file that
// does not parse has none, but for one of C or C++; the error is the parser's.
func Faults(ctx context.Context, path string, src []byte) ([]Fault, error) {
	lang := code.LanguageOf(path)
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return nil, fmt.Errorf("looking for faults to plant in %s: %w", path, err)
	}
	// Macros of C and C++ are no syntax that the grammar knows; Parses says what they hide.
	if tree.HasError() && lang != code.C && lang != code.CPP {
		return nil, nil
	}
	s := &source{tree: tree, src: tree.Src, lang: lang}
	regions := tree.Regions()
	var out []Fault
	seen := map[string]bool{}
	for _, r := range table {
		tree.Walk(func(n code.Node) bool {
			r.find(s, n, func(edits ...Edit) {
				f, ok := s.fault(r.name, path, regions, edits)
				if what := fmt.Sprint(f.Edits); ok && !seen[what] {
					seen[what] = true
					out = append(out, f)
				}
			})
			return ctx.Err() == nil
		})
	}
	return out, context.Cause(ctx)
}

// Parses tells whether the file with the fault parses.
func (f Fault) Parses(ctx context.Context, src []byte) (bool, error) {
	bad, err := code.Check(ctx, f.Path, f.Apply(src))
	if err != nil {
		return false, fmt.Errorf("planting a fault into %s: %w", f.Path, err)
	}
	return len(bad) == 0, nil
}

// fault puts edits together and says whether they are small enough.
func (s *source) fault(rule, path string, regions []code.Region, edits []Edit) (Fault, bool) {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	first := edits[0]
	f := Fault{Rule: rule, Path: path, Edits: edits, Line: s.tree.Line(s.content(first.Start))}
	for i, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(s.src) || i > 0 && edits[i-1].End > e.Start {
			return Fault{Rule: rule}, false
		}
		f.Lines += max(1, strings.Count(strings.TrimSpace(string(s.src[e.Start:e.End])), "\n")+1)
	}
	if f.Lines > maxLines+1 || f.Lines > maxLines && len(edits) == 1 {
		return f, false
	}
	for _, r := range regions { // outer ones come first
		if r.StartByte <= first.Start && first.Start < r.EndByte && (r.Kind == code.KindFunction || r.Kind == code.KindMethod) {
			f.Function = r.QualifiedName
		}
	}
	for _, e := range edits {
		if string(s.src[e.Start:e.End]) != e.Text {
			return f, true
		}
	}
	return f, false
}
