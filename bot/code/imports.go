package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotImport says that a text given as an import holds something else.
var ErrNotImport = errors.New("not an import")

// maxImports is how many imports are merged at once.
const maxImports = 100

// AddImport merges import statements into a file's imports and touches
// nothing else. Names are added to the list of a statement that imports from
// the same module already; a new statement goes to the group (standard
// library, packages, own code) and the place that the file's own order gives,
// in its quotes, semicolons and line endings. Python, JavaScript, TypeScript
// and Go are merged by their syntax trees, the other languages by lines. In a
// CommonJS file an import becomes a require, and the other way round.
//
// It returns the new source, the first region that was added to, and how the
// place was found: By is "module" when an existing statement was extended,
// "group" when a new one was put in. Errors: ErrNoChange when all of it is
// imported already, ErrNotImport, ErrNoGrammar for other languages.
func AddImport(ctx context.Context, path string, src []byte, text string) ([]byte, Region, Resolution, error) {
	lang := LanguageIn(path, src)
	text = strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"))
	if text == "" {
		return nil, Region{}, Resolution{}, fmt.Errorf("add an import to %s: %w: the text is empty", path, ErrNotImport)
	}
	wanted, err := wantedImports(ctx, lang, text)
	if err != nil {
		return nil, Region{}, Resolution{}, fmt.Errorf("add an import to %s: %w", path, err)
	}
	if len(wanted) > maxImports {
		return nil, Region{}, Resolution{}, fmt.Errorf("add an import to %s: %d imports at once, at most %d are taken", path, len(wanted), maxImports)
	}
	out, how, at := src, Resolution{By: "module", Score: 1}, -1
	for _, w := range wanted {
		t, err := Parse(ctx, lang, out)
		if err != nil {
			return nil, Region{}, how, fmt.Errorf("add an import to %s: %w", path, err)
		}
		changes, extended := w.merge(t)
		if len(changes) == 0 {
			continue
		}
		if !extended {
			how.By = "group"
		}
		at = changes[0].start
		out = applyChanges(out, changes)
	}
	if at < 0 {
		return src, Region{}, how, fmt.Errorf("add an import to %s: %w: it is imported already", path, ErrNoChange)
	}
	regions, err := Regions(ctx, path, out)
	if err != nil {
		return nil, Region{}, how, err
	}
	for _, r := range regions {
		if r.StartByte <= at+1 && at <= r.EndByte+1 && r.Kind == KindBlock {
			return out, r, how, nil
		}
	}
	return out, Region{Kind: KindBlock, Name: "imports", QualifiedName: "imports", Language: lang, StartLine: 1, EndLine: 1}, how, nil
}

// wantedImports reads the import statements of a text.
func wantedImports(ctx context.Context, lang Language, text string) ([]wantedImport, error) {
	switch lang {
	case Python:
		return wantedPython(ctx, text)
	case JavaScript, TypeScript, TSX:
		return wantedScript(ctx, lang, text)
	case Go:
		return wantedGo(ctx, text)
	case Java, Rust, Ruby, PHP, C, CPP:
		return wantedLines(ctx, lang, text)
	}
	return nil, fmt.Errorf("%w, so its imports are not known; edit the region that holds them", ErrNoGrammar)
}

// wantedImport is one import asked for. merge gives the changes to a file, and
// whether a statement of the file was extended; no changes mean that the file
// has it already.
type wantedImport interface {
	merge(t *Tree) (changes []change, extended bool)
	binds() []string // the names that the file has by it
}

// change replaces the bytes [start, end) of a source.
type change struct {
	start, end int
	text       string
}

// applyChanges makes changes that do not overlap.
func applyChanges(src []byte, changes []change) []byte {
	slices.SortStableFunc(changes, func(a, b change) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, c := range changes {
		out.Write(src[at:c.start])
		out.WriteString(c.text)
		at = c.end
	}
	out.Write(src[at:])
	return out.Bytes()
}

// statement is an import statement of a file, or one that is wanted.
type statement struct {
	node    Node
	module  string // what it is sorted by
	rank    int    // its category: standard library first
	section int    // statements of a lower section stand first in their group
}

// importGroups cuts the import statements at the top of a file where a blank
// line or other text stands between them. Statements behind other code are
// left out.
func importGroups(t *Tree, all []statement) [][]statement {
	var out [][]statement
	for i, s := range all {
		if i > 0 {
			prev := all[i-1].node
			if !onlyComments(prev, s.node) {
				break
			}
			if !t.gap(prev, s.node) {
				out[len(out)-1] = append(out[len(out)-1], s)
				continue
			}
		}
		out = append(out, []statement{s})
	}
	return out
}

// onlyComments tells whether only comments and semicolons stand between two
// nodes of one level.
func onlyComments(a, b Node) bool {
	for c, ok := a.Next(); ok && c != b; c, ok = c.Next() {
		if !c.IsExtra() && strings.Trim(c.Text(), "; \t\r\n") != "" {
			return false
		}
	}
	return true
}

// placeImport gives the change that puts a new statement's text among the
// groups. There is at least one group. apart says that a category without a
// group of its own gets one, with a blank line.
func placeImport(t *Tree, groups [][]statement, want statement, text string, apart bool) change {
	eol := lineEnding(t.Src)
	if g := groupFor(groups, want, apart); g >= 0 {
		after, before := within(groups[g], want)
		if before.node.t != nil {
			at := lineOf(t, before.node.Start())
			if before.node != groups[g][0].node { // a comment above the first is the group's
				at = max(aboveComments(t.Lang, t.Src, at), lineOf(t, 0))
			}
			return change{at, at, text + eol}
		}
		return behind(t, after.node, eol+text)
	}
	for g := len(groups) - 1; g >= 0; g-- {
		if last := groups[g][len(groups[g])-1]; rankOf(groups[g]) < want.rank {
			return behind(t, last.node, eol+eol+text)
		}
	}
	at := lineOf(t, groups[0][0].node.Start())
	at = aboveComments(t.Lang, t.Src, at)
	if at == 0 || bytes.HasPrefix(t.Src, []byte("#!")) && at < lineEndAt(t.Src, 0) {
		at = lineOf(t, groups[0][0].node.Start()) // the comment is the file's
	}
	return change{at, at, text + eol + eol}
}

// groupFor chooses a group, or -1 where the statement needs one of its own.
func groupFor(groups [][]statement, want statement, apart bool) int {
	mixed, largest := -1, 0
	for g, group := range groups {
		same, other := 0, 0
		for _, s := range group {
			if s.rank == want.rank {
				same++
			} else {
				other++
			}
		}
		if same > 0 {
			return g
		}
		if len(group) > 1 && rankOf(group) < 0 && mixed < 0 {
			mixed = g
		}
		if len(group) > len(groups[largest]) {
			largest = g
		}
	}
	if mixed >= 0 {
		return mixed
	}
	if !apart && len(groups) == 1 {
		return largest
	}
	return -1
}

// rankOf is the category of all statements of a group, or -1.
func rankOf(group []statement) int {
	for _, s := range group[1:] {
		if s.rank != group[0].rank {
			return -1
		}
	}
	return group[0].rank
}

// within finds the neighbour of a new statement in its group: the one that it
// stands before, else the one that it stands after.
func within(group []statement, want statement) (after, before statement) {
	section := group
	if inOrder(group, func(s statement) string { return string(rune('0' + s.section)) }) != nil {
		section = nil
		for _, s := range group {
			if s.section == want.section {
				section = append(section, s)
			}
		}
		if len(section) == 0 { // the first of its section
			for _, s := range group {
				if s.section > want.section {
					return after, s
				}
			}
			return group[len(group)-1], before
		}
	}
	less := inOrder(section, func(s statement) string { return s.module })
	if len(section) == len(group) && rankOf(group) != want.rank {
		less = inOrder(section, func(s statement) string { return string(rune('0'+s.rank)) + s.module })
		if less != nil {
			want.module = string(rune('0'+want.rank)) + want.module
			for _, s := range section {
				if less(want.module, string(rune('0'+s.rank))+s.module) {
					return after, s
				}
			}
			return section[len(section)-1], before
		}
		less = inOrder(section, func(s statement) string { return s.module })
	}
	if less != nil {
		for _, s := range section {
			if less(want.module, s.module) {
				return after, s
			}
		}
	}
	return section[len(section)-1], before
}

// inOrder finds the order in which the keys are sorted: by bytes, or without
// regard to case; nil when they are not.
func inOrder[T any](all []T, key func(T) string) func(a, b string) bool {
	for _, less := range []func(a, b string) bool{
		func(a, b string) bool { return a < b },
		func(a, b string) bool { return strings.ToLower(a) < strings.ToLower(b) },
	} {
		ok := true
		for i := 1; i < len(all); i++ {
			ok = ok && !less(key(all[i]), key(all[i-1]))
		}
		if ok {
			return less
		}
	}
	return nil
}

// behind inserts text after the line on which a node ends.
func behind(t *Tree, n Node, text string) change {
	_, end := t.trim(n)
	at := lineEndAt(t.Src, end)
	return change{at, at, text}
}

// lineOf is the offset of the line's first byte, after a byte order mark.
func lineOf(t *Tree, offset int) int {
	at := bytes.LastIndexByte(t.Src[:offset], '\n') + 1
	if at == 0 && bytes.HasPrefix(t.Src, []byte("\ufeff")) {
		return 3
	}
	return at
}

// lineEndAt is where the line that holds offset ends, before its line ending.
func lineEndAt(src []byte, offset int) int {
	i := bytes.IndexByte(src[offset:], '\n')
	if i < 0 {
		return len(src)
	}
	if end := offset + i; end > offset && src[end-1] == '\r' {
		return end - 1
	}
	return offset + i
}

// firstImport gives the change that puts a first import into a file that has
// none: after what has to stand first (head is its end, or 0), with blank
// lines around it.
func firstImport(t *Tree, head int, text string) change {
	eol := lineEnding(t.Src)
	if head > 0 {
		at := lineEndAt(t.Src, head)
		rest := t.Src[at:]
		text = eol + eol + text
		if len(bytes.TrimSpace(rest)) > 0 && !blankBelow(rest) {
			text += eol
		}
		return change{at, at, text}
	}
	at := 0
	if bytes.HasPrefix(t.Src, []byte("\ufeff")) {
		at = 3
	}
	text += eol
	if rest := bytes.TrimLeft(t.Src[at:], " \t"); len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		text += eol
	}
	return change{at, at, text}
}

// blankBelow tells whether an empty line follows the one that ends here.
func blankBelow(rest []byte) bool {
	_, rest, _ = bytes.Cut(rest, []byte("\n"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}

// headEnd is the end of the comments, and of the statements for which first
// says so, that stand at the top of a file before all else; comments that
// touch the code below belong to that code and are not counted.
func headEnd(t *Tree, first func(n Node) bool) int {
	end := 0
	var held []Node
	for c, ok := t.Root().First(); ok; c, ok = c.Next() {
		switch {
		case c.Kind() == "hash_bang_line":
			end = c.End()
		case first(c):
			_, end = t.trim(c)
			held = nil
		case c.IsExtra():
			held = append(held, c)
			continue
		default:
			return max(end, looseEnd(t, held, c.Start()))
		}
	}
	return max(end, looseEnd(t, held, len(t.Src)))
}

// looseEnd is the end of the last comment that a blank line follows.
func looseEnd(t *Tree, held []Node, next int) int {
	for i := len(held) - 1; i >= 0; i-- {
		_, end := t.trim(held[i])
		if bytes.Count(t.Src[end:next], []byte("\n")) > 1 {
			return end
		}
		next = held[i].Start()
	}
	if len(held) > 0 && held[0].Line() == 1 && bytes.HasPrefix(bytes.TrimPrefix(t.Src, []byte("\ufeff")), []byte("#!")) {
		return lineEndAt(t.Src, held[0].Start())
	}
	return 0
}
