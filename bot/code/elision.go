package code

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// ErrElision says that a line stands for code that was left out, and that it
// cannot be told which.
var ErrElision = errors.New("a line stands for code that is left out")

const commentMark = `(?i)^\s*(?:#|//|/\*+|\*|--|<!--|;|\{/\*)\s*`

var placeholders = []*lazyregexp.Regexp{
	lazyregexp.New(commentMark + `[\[(<]?\s*(?:\.\.\.|…).*\b(?:rest|remaining|existing|previous|unchanged|original|other|same|omitted|code|implementation)\b`),
	lazyregexp.New(commentMark + `[\[(<]?\s*(?:the\s+)?(?:rest|remainder|remaining|existing|other|previous|original)\b.*(?:\bunchanged\b|\b(?:the )?same\W*$|\bas before\b|\bas[- ]is\b|\bomitted\b|\bgoes here\b|\.\.\.|…)`),
	lazyregexp.New(commentMark + `.*\b(?:your (?:code|implementation|logic) (?:goes )?here|implementation goes here|(?:code|implementation) (?:omitted|unchanged))\b`),
	lazyregexp.New(`(?i)^\s*(?:\.\.\.|…)\s*\(?\[?(?:rest|remaining|existing|unchanged|omitted)\b`),
	lazyregexp.New(commentMark + `(?:\.\.\.|…)\s*(?:\*/|-->|\*/\})?\s*$`),
}

// IsElision tells whether a line only stands for code that is left out, such
// as "# ... rest of the code unchanged".
func IsElision(line string) bool {
	if len(line) > 300 || len(strings.TrimSpace(line)) < 4 {
		return false
	}
	if spread.MatchString(line) || described.MatchString(line) || Describes(line) && !dotted.MatchString(line) {
		return false
	}
	for _, p := range placeholders {
		if p.MatchString(line) {
			return true
		}
	}
	return false
}

// Describes tells whether a comment names what a program works on, or who acts
// while it runs: it says what the code does, and stands for none.
func Describes(comment string) bool { return handled.MatchString(comment) }

var (
	handled = lazyregexp.New(`(?i)\b(?:by|call(?:s|ed|ers?)?|runs?|values?|keys?|entry|entries|items?|elements?|rows?|columns?|records?|lists?|arrays?|objects?|strings?|text|bytes?|characters?|numbers?|digits?|` +
		`order|index|size|length|position|offset|endings?|lines?|files|types?|fields?|arguments?|parameters?|operands?|locks?|threads?|users?|requests?|responses?|connections?|errors?|exceptions?|messages?|tokens?|` +
		`nodes?|child(?:ren)?|parents?|cursor|cache|buffers?|queue|stack|state|data|inputs?|outputs?|environment|system|names?|paths?)\b`)
	dotted = lazyregexp.New(commentMark + `[\[(<]?\s*(?:\.\.\.|…)|(?:\.\.\.|…)\W*$|^\s*(?:\.\.\.|…)`)
	// spread is JavaScript that takes a list or an object apart.
	spread = lazyregexp.New(`^\s*\.\.\.(?:\w+[,;)\]}\s]*$|[\w([{]\S*[\[({.?]|\(\w+\s*(?:\?\?|\|\||&&|\?|as\b)|\(\w*[.(\[])`)
	// described is a comment that says what code does: a sentence with a
	// subject and a verb of its own, or with a reason.
	described = lazyregexp.New(commentMark + `(?:the |all |any |other )?(?:rest|remainder|remaining|existing|other|previous|original)\b.*(?:;|\b(?:may|might|can|cannot|has|have|had|if|when|because|so that|since|until|unless|which|while|than)\b)`)
)

// maxMarks is how many lines that stand for left-out code a text may have.
const maxMarks = 50

// side is a version of a file as lines without their ends, with its regions.
type side struct {
	lang  Language
	lines []string
	keys  []string // of each region: its id without the hash
	at    []Region
	byKey map[string]Region
	known map[string]bool // its words, when they were asked for
}

func newSide(ctx context.Context, path string, lines []string) (*side, error) {
	src := []byte(strings.Join(lines, "\n") + "\n")
	regions, err := Regions(ctx, path, src)
	if err != nil {
		return nil, err
	}
	s := &side{lang: LanguageIn(path, src), lines: lines, byKey: map[string]Region{}}
	for _, r := range regions {
		if r.Kind != KindBlock {
			s.at, s.keys = append(s.at, r), append(s.keys, regionKey(r))
			s.byKey[regionKey(r)] = r
		}
	}
	return s, nil
}

// regionKey is a region's id without the hash of its text.
func regionKey(r Region) string {
	key, _, _ := strings.Cut(r.ID, "@")
	return key
}

// scope is the innermost region around a line (1-based): its key ("" for the
// file) and its lines.
func (s *side) scope(line int) (key string, first, last int) {
	first, last = 1, len(s.lines)
	for i, r := range s.at {
		if r.StartLine <= line && line <= r.EndLine && r.EndLine-r.StartLine <= last-first {
			key, first, last = s.keys[i], r.StartLine, r.EndLine
		}
	}
	return key, first, last
}

// child is the outermost region inside [first, last], but not the scope
// itself, that holds a line.
func (s *side) child(key string, first, last, line int) (string, Region, bool) {
	for i, r := range s.at { // outer ones come first
		if s.keys[i] != key && r.StartLine >= first && r.EndLine <= last && r.StartLine <= line && line <= r.EndLine {
			return s.keys[i], r, true
		}
	}
	return "", Region{}, false
}

// expand puts the old file's lines in the place of each line of the new text
// that stands for them. The place is known by what stands before and after:
// a region of the same name, a line that occurs once, or the scope's edge.
//
// It gives the whole text, and the keys of the scopes in which something was
// left out, one for each mark.
func expand(ctx context.Context, path string, old *side, lines []string) ([]string, []string, error) {
	known := map[string]bool{}
	for _, l := range old.lines {
		known[trimEnd(l)] = true
	}
	var marks []int
	plain := slices.Clone(lines)
	python := LanguageOf(path) == Python
	for i, l := range lines {
		if !known[trimEnd(l)] && IsElision(l) {
			marks = append(marks, i)
			plain[i] = ""
			if python {
				plain[i] = l[:len(l)-len(strings.TrimLeft(l, " \t"))] + "pass"
			}
		}
	}
	if len(marks) == 0 {
		return lines, nil, nil
	}
	if len(marks) > maxMarks {
		return nil, nil, fmt.Errorf("%w: %d such lines, at most %d are understood", ErrElision, len(marks), maxMarks)
	}
	now, err := newSide(ctx, path, plain)
	if err != nil {
		return nil, nil, err
	}
	e := expansion{old: old, now: now, marks: marks, python: python}
	var out, scopes []string
	at := 0
	for _, m := range marks {
		left, err := e.leftOut(m)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w (%s), and what stands before and after it does not say which: %w; give the whole code there",
				m+1, ErrElision, strings.TrimSpace(lines[m]), err)
		}
		// Where the mark's neighbour is the file's own, the blank lines
		// between are the file's, too.
		out = append(out, lines[max(at, 0):max(at, m)]...)
		blank := func(l []string, i int) bool {
			return i >= 0 && i < len(l) && strings.TrimSpace(l[i]) == ""
		}
		for left.startsAtOld && blank(out, len(out)-1) {
			out = out[:len(out)-1]
		}
		for !left.startsAtOld && blank(out, len(out)-1) && blank(left.lines, 0) {
			left.lines = left.lines[1:]
		}
		at = m + 1
		for left.endsAtOld && blank(lines, at) {
			at++
		}
		for !left.endsAtOld && blank(lines, at) && blank(left.lines, len(left.lines)-1) {
			left.lines = left.lines[:len(left.lines)-1]
		}
		out, scopes = append(out, left.lines...), append(scopes, left.key)
	}
	return append(out, lines[at:]...), scopes, nil
}

type expansion struct {
	old, now *side
	marks    []int
	python   bool
	// The scope of the mark that is looked at, in both sides.
	key         string
	first, last int // of the new lines
	from, to    int // of the old ones
}

// leftOut is what a mark stands for, and whether what stands before and after
// the mark is the file's own.
type leftOut struct {
	lines                  []string
	key                    string // of the scope
	startsAtOld, endsAtOld bool
}

// leftOut gives what the mark at index m stands for.
func (e expansion) leftOut(m int) (leftOut, error) {
	key, first, last := e.now.scope(m + 1)
	from, to := 1, len(e.old.lines)
	if key != "" {
		r, ok := e.old.byKey[key]
		if !ok {
			return leftOut{}, fmt.Errorf("%s is new", key)
		}
		from, to = r.StartLine, r.EndLine
	}
	e.key, e.first, e.last, e.from, e.to = key, first, last, from, to
	start, near, err := e.anchor(m, -1)
	if err != nil {
		return leftOut{}, err
	}
	end, nearEnd, err := e.anchor(m, +1)
	if err != nil {
		return leftOut{}, err
	}
	if end < start-1 {
		return leftOut{}, errors.New("they stand in another order in the file")
	}
	return leftOut{e.old.lines[start-1 : max(end, start-1)], key, near, nearEnd}, nil
}

// anchor looks from the mark in one direction for the first thing that the
// old file has too, and gives the old line (1-based) at which the part left
// out begins (step −1) or ends (step +1). near tells that nothing new stands
// between.
func (e expansion) anchor(m, step int) (at int, near bool, err error) {
	key, first, last, from, to := e.key, e.first, e.last, e.from, e.to
	near = true
	for line := m + 1 + step; first <= line && line <= last; line += step {
		text := e.now.lines[line-1]
		if strings.TrimSpace(text) == "" {
			continue
		}
		if slices.Contains(e.marks, line-1) {
			return 0, false, errors.New("another such line stands beside it")
		}
		if name, r, ok := e.now.child(key, first, last, line); ok {
			if was, ok := e.old.byKey[name]; ok && was.StartLine >= from && was.EndLine <= to {
				if step < 0 {
					return was.EndLine + 1, near, nil
				}
				return e.aboveComments(was.StartLine, from) - 1, near, nil
			}
			near = false
			line = r.StartLine // a new one: look beyond it
			if step > 0 {
				line = r.EndLine
			}
			continue
		}
		if step < 0 && key != "" && line == e.headEnd(first, m) {
			return from + e.headEnd(first, m) - first + 1, near, e.sameHead(first, line, from)
		}
		if step > 0 && isComment(e.now.lang, []byte(strings.TrimSpace(text))) && e.once(text, key, from, to) == 0 {
			near = false
			continue
		}
		if was := e.once(text, key, from, to); was > 0 {
			return was - step, near, nil
		}
		return 0, false, fmt.Errorf("%q is not in the file, or more than once", strings.TrimSpace(text))
	}
	if step < 0 {
		if key != "" {
			return 0, false, errors.New("its head cannot be told")
		}
		return from, near, nil
	}
	return to, near, nil
}

// aboveComments is the first of the comment lines directly above an old line.
func (e expansion) aboveComments(line, from int) int {
	for line > from && isComment(e.old.lang, []byte(strings.TrimSpace(e.old.lines[line-2]))) {
		line--
	}
	return line
}

// headEnd is the last line of a scope's head: the first that ends with what
// opens a body.
func (e expansion) headEnd(first, m int) int {
	for line := first; line <= m; line++ {
		text := strings.TrimSpace(e.now.lines[line-1])
		if strings.HasSuffix(text, "{") || strings.HasSuffix(text, "(") && !e.python || e.python && strings.HasSuffix(text, ":") {
			return line
		}
	}
	return first
}

// sameHead demands that the old scope has a head of as many lines.
func (e expansion) sameHead(first, line, from int) error {
	was := from + line - first
	if was > len(e.old.lines) {
		return errors.New("its head changed")
	}
	a, b := strings.TrimSpace(e.now.lines[line-1]), strings.TrimSpace(e.old.lines[was-1])
	if a == "" || b == "" || a[len(a)-1] != b[len(b)-1] {
		return errors.New("its head changed")
	}
	return nil
}

// once is the one old line of the scope, outside the regions in it, that
// reads so; 0 when there is none or more than one.
func (e expansion) once(text, key string, from, to int) int {
	found := 0
	for line := from; line <= to; line++ {
		if strings.TrimSpace(e.old.lines[line-1]) != strings.TrimSpace(text) {
			continue
		}
		if _, _, inside := e.old.child(key, from, to, line); inside {
			continue
		}
		if found > 0 {
			return 0
		}
		found = line
	}
	return found
}
