package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// ErrLost says that a whole file leaves out functions, classes or types that
// the file has.
var ErrLost = errors.New("the file loses symbols")

// Merge is a whole file's text reduced to what it changes.
type Merge struct {
	Out     []byte
	Changed []Region // the innermost regions that differ or are new, as they stand in Out
	Elided  int      // lines that stood for code left out, and were understood
	Moved   bool     // the text has the symbols in another order; the file's was kept
}

// MergeFile takes a whole file as a model gives it, and moves only what it
// changes: the bytes of every other line stay. Line endings, byte order mark,
// the file's tabs or spaces, blank lines between definitions, comments and
// used imports that the text lost, and the order of the definitions are the
// file's. A line such as "# ... rest of the code unchanged" stands for the
// file's own code, never for its deletion.
//
// Errors: ErrNoChange, ErrLost with the symbols that are missing, ErrElision
// where it cannot be told what was left out; any other says what of the text
// cannot be placed.
func MergeFile(ctx context.Context, path string, src []byte, text string) (Merge, error) {
	if strings.TrimSpace(text) == "" {
		return Merge{}, fmt.Errorf("merge %s: the new text is empty", path)
	}
	lang := LanguageIn(path, src)
	bom := []byte{}
	body := src
	if rest, ok := bytes.CutPrefix(src, []byte("\ufeff")); ok {
		bom, body = []byte("\ufeff"), rest
	}
	oldLines := plainLines(string(body))
	old, err := newSide(ctx, path, oldLines)
	if err != nil {
		return Merge{}, err
	}
	lines := plainLines(fitWhole(ctx, src, lang, text))
	lines, scopes, err := expand(ctx, path, old, lines)
	if err != nil {
		return Merge{}, fmt.Errorf("merge %s: %w", path, err)
	}
	now, err := newSide(ctx, path, lines)
	if err != nil {
		return Merge{}, err
	}
	m := Merge{Elided: len(scopes), Moved: !sameOrder(old, now)}
	read := func(l string) string { return l }
	if lang != Unknown { // white space at the ends of lines is no change of code
		read = trimEnd
	}
	hunks := diffLines(oldLines, lines, read)
	if m.Moved {
		hunks = symbolHunks(old, now)
	}
	for i := range hunks {
		hunks[i] = hunks[i].tight(old)
	}
	hunks = slices.DeleteFunc(hunks, func(h hunk) bool { return h.noise(ctx, lang, old, now, scopes) })
	if line := tangled(hunks); line > 0 {
		return Merge{}, fmt.Errorf("merge %s: definitions that share line %d changed and stand in another order; keep the file's order, or give them region by region", path, line)
	}
	m.Out = append(bom, writeLines(body, hunks)...)
	if bytes.Equal(m.Out, src) {
		return m, fmt.Errorf("merge %s: %w", path, ErrNoChange)
	}
	merged, err := newSide(ctx, path, plainLines(string(bytes.TrimPrefix(m.Out, bom))))
	if err != nil {
		return Merge{}, err
	}
	if lost := lostSymbols(old, merged); len(lost) > 0 {
		return Merge{}, fmt.Errorf("merge %s: %w: %s", path, ErrLost, strings.Join(lost, ", "))
	}
	m.Changed, err = changedRegions(ctx, path, src, m.Out)
	return m, err
}

// plainLines cuts a text into lines without their ends.
func plainLines(s string) []string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// fitWhole puts a whole file's text into the file's kind of indentation.
func fitWhole(ctx context.Context, src []byte, lang Language, text string) string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	text = strings.TrimRightFunc(text, unicode.IsSpace) + "\n"
	from, to := fileIndent([]byte(text)), fileIndent(src)
	if lang == Unknown || from.tabs == to.tabs {
		return text
	}
	lines := newLines(ctx, lang, strings.TrimSuffix(text, "\n"))
	var b strings.Builder
	for _, l := range lines {
		if l.frozen {
			b.WriteString(l.text + "\n")
			continue
		}
		in := l.indent()
		b.WriteString(convert(in, from, to) + l.text[len(in):] + "\n")
	}
	return b.String()
}

// lostSymbols are the named regions of the old file, but for those inside
// functions, that the new one does not have.
func lostSymbols(old, now *side) []string {
	var out []string
	gone := map[string]bool{}
	local := map[string]bool{}
	for i, r := range old.at {
		if r.Kind == KindFunction || r.Kind == KindMethod || local[r.Parent] {
			local[r.QualifiedName] = true
		}
		if _, ok := now.byKey[old.keys[i]]; ok || local[r.Parent] || now.has(r.QualifiedName) {
			continue
		}
		gone[r.QualifiedName] = true
		if !gone[r.Parent] {
			out = append(out, r.Kind+" "+r.QualifiedName)
		}
	}
	return out
}

func (s *side) has(name string) bool {
	return slices.ContainsFunc(s.at, func(r Region) bool { return r.QualifiedName == name })
}

// sameOrder tells whether the regions that both sides have stand in the same
// order.
func sameOrder(old, now *side) bool {
	place := map[string]int{}
	for i, k := range now.keys {
		place[k] = i
	}
	last := -1
	for _, k := range old.keys {
		if at, ok := place[k]; ok {
			if at < last {
				return false
			}
			last = at
		}
	}
	return true
}

// hunk replaces the old lines [from, to) (counted from 0) by text.
type hunk struct {
	from, to int
	text     []string
	nowEnd   int // where the text ends in the new lines; of diffLines
}

// symbolHunks replaces each outermost region that differs where the old file
// has it, and puts a new one behind the one that it follows.
func symbolHunks(old, now *side) []hunk {
	var out []hunk
	end, before := 0, -1
	for i, r := range now.at {
		if r.StartLine <= end {
			continue // inside the last one
		}
		end = r.EndLine
		text := now.lines[r.StartLine-1 : r.EndLine]
		was, ok := old.byKey[now.keys[i]]
		if !ok {
			at := len(old.lines)
			if before >= 0 {
				at = before
			}
			out = append(out, hunk{from: at, to: at, text: append([]string{""}, text...)})
			continue
		}
		before = was.EndLine
		if !slices.Equal(text, old.lines[was.StartLine-1:was.EndLine]) {
			out = append(out, hunk{from: was.StartLine - 1, to: was.EndLine, text: text})
		}
	}
	slices.SortStableFunc(out, func(a, b hunk) int { return a.from - b.from })
	return out
}

// tangled is the line, from 1, where a hunk begins before the one in front of it
// has ended, else 0: definitions that share a line cannot be moved apart.
func tangled(hunks []hunk) int {
	for i := 1; i < len(hunks); i++ {
		if hunks[i].from < hunks[i-1].to {
			return hunks[i].from + 1
		}
	}
	return 0
}

// tight leaves the file's blank lines at the edges of a hunk as they are, and
// the comments above a definition for which the text has none.
func (h hunk) tight(was *side) hunk {
	old := was.lines
	blank := func(l string) bool { return strings.TrimSpace(l) == "" }
	if len(solid(h.text)) == 0 || len(solid(old[h.from:h.to])) == 0 {
		return h
	}
	if blank(old[h.to-1]) {
		for blank(old[h.to-1]) {
			h.to--
		}
		for blank(h.text[len(h.text)-1]) {
			h.text = h.text[:len(h.text)-1]
		}
	}
	if blank(old[h.from]) {
		for blank(old[h.from]) {
			h.from++
		}
		for blank(h.text[0]) {
			h.text = h.text[1:]
		}
	}
	for h.from < h.to-1 && !isComment(was.lang, []byte(strings.TrimSpace(h.text[0]))) && isComment(was.lang, []byte(strings.TrimSpace(old[h.from]))) {
		if key, _, _ := was.scope(h.from + 1); was.byKey[key].Kind == KindFunction || was.byKey[key].Kind == KindMethod {
			break
		}
		h.from++
	}
	return h
}

// noise tells a hunk that changes nothing: blank lines and white space at the
// ends of lines, comments that were left out of code that is the same, and
// imports that were left out though their names are used, anything left out of
// a scope of which the text says that it leaves out something.
func (h hunk) noise(ctx context.Context, lang Language, old, now *side, elided []string) bool {
	gone := solid(old.lines[h.from:h.to])
	come := solid(h.text)
	if slices.Equal(gone, come) {
		return true
	}
	if len(come) > 0 || len(gone) == 0 {
		return false
	}
	if key, _, _ := old.outerScope(h.from+1, h.to); slices.Contains(elided, key) {
		return true
	}
	left := slices.DeleteFunc(slices.Clone(gone), func(l string) bool { return lang != Unknown && isComment(lang, []byte(strings.TrimSpace(l))) })
	if len(left) == 0 {
		key, _, _ := old.scope(h.from + 1)
		was, ok := old.byKey[key]
		return !ok || sameCode(was, old, now.byKey[key], now)
	}
	return importsInUse(ctx, lang, strings.Join(left, "\n"), old, now)
}

// outerScope is the innermost region that holds all of the lines.
func (s *side) outerScope(from, to int) (key string, first, last int) {
	first, last = 1, len(s.lines)
	for i, r := range s.at {
		whole := r.StartLine >= from && r.EndLine <= to // a region that goes as a whole is no scope
		if r.StartLine <= from && to <= r.EndLine && !whole && r.EndLine-r.StartLine <= last-first {
			key, first, last = s.keys[i], r.StartLine, r.EndLine
		}
	}
	return key, first, last
}

func trimEnd(l string) string { return strings.TrimRightFunc(l, unicode.IsSpace) }

// solid are the lines that are not blank, without white space at their ends.
func solid(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = trimEnd(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// sameCode compares two regions without comments and blank lines.
func sameCode(a Region, old *side, b Region, now *side) bool {
	code := func(r Region, s *side) []string {
		if r.StartLine == 0 {
			return nil
		}
		return slices.DeleteFunc(solid(s.lines[r.StartLine-1:r.EndLine]), func(l string) bool { return isComment(s.lang, []byte(strings.TrimSpace(l))) })
	}
	return slices.Equal(code(a, old), code(b, now))
}

// importsInUse tells whether a text is imports only, and one of the names
// that they bind stands elsewhere in the file's new lines, and is not what a new import
// binds there in their place.
func importsInUse(ctx context.Context, lang Language, text string, old, now *side) bool {
	switch lang {
	case Java, Rust, Ruby, PHP, C, CPP:
		return false // read by lines: what they bind is not known
	}
	wanted, err := wantedImports(ctx, lang, text)
	if err != nil {
		return false
	}
	words := now.words()
	for _, w := range wanted {
		for _, name := range w.binds() {
			if name == "*" || words[name] && !now.bindsAnew(ctx, name, old) {
				return true
			}
		}
	}
	return false
}

// bindsAnew tells whether a line that the old side does not have imports a name.
func (s *side) bindsAnew(ctx context.Context, name string, old *side) bool {
	for _, line := range s.lines {
		if !strings.Contains(line, name) || slices.Contains(old.lines, line) {
			continue
		}
		imports, err := wantedImports(ctx, s.lang, line)
		if err == nil && slices.ContainsFunc(imports, func(w wantedImport) bool { return slices.Contains(w.binds(), name) }) {
			return true
		}
	}
	return false
}

// words are all the words of a side.
func (s *side) words() map[string]bool {
	if s.known == nil {
		s.known = map[string]bool{}
		for _, l := range s.lines {
			for w := range strings.FieldsFuncSeq(l, func(r rune) bool { return !isWord(r) }) {
				s.known[w] = true
			}
		}
	}
	return s.known
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r > 127 || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// writeLines makes the hunks on a text, in its line endings; a last line
// without an end stays without.
func writeLines(body []byte, hunks []hunk) []byte {
	eol := lineEnding(body)
	lines := bytes.SplitAfter(body, []byte("\n"))
	if n := len(lines); n > 1 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	var out bytes.Buffer
	at := 0
	for _, h := range hunks {
		for _, l := range lines[at:min(h.from, len(lines))] {
			out.Write(l)
		}
		for _, l := range h.text {
			if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
				out.WriteString(eol)
			}
			out.WriteString(l + eol)
		}
		at = min(h.to, len(lines))
	}
	for _, l := range lines[at:] {
		out.Write(l)
	}
	if len(body) > 0 && body[len(body)-1] != '\n' && at >= len(lines) {
		return bytes.TrimSuffix(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\r"))
	}
	return out.Bytes()
}

// changedRegions are the innermost regions of after that before has not, or
// has with another text.
func changedRegions(ctx context.Context, path string, before, after []byte) ([]Region, error) {
	was, err := Regions(ctx, path, before)
	if err != nil {
		return nil, err
	}
	is, err := Regions(ctx, path, after)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, r := range was {
		known[r.ID] = true
	}
	var out []Region
	for i, r := range is {
		if known[r.ID] {
			continue
		}
		inner := false
		for _, c := range is[i+1:] { // they come in the order of the text
			if inner = !known[c.ID] && c.EndByte <= r.EndByte; inner || c.StartByte >= r.EndByte {
				break
			}
		}
		if !inner {
			out = append(out, r)
		}
	}
	return out, nil
}
