package memory

import (
	"path"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/lazyregexp"
	"github.com/fettle-dev/fettle/bot/task"
)

// maxText bounds what is read of an issue.
const maxText = 64 << 10

var (
	fence   = lazyregexp.New("(?ms)^[ \\t]*(?:```|~~~).*?(?:^[ \\t]*(?:```|~~~)[ \\t]*$|\\z)")
	span    = lazyregexp.New("`[^`\n]+`")
	word    = lazyregexp.New(`[\p{L}_$][\p{L}\p{N}_$]*`)
	shaped  = lazyregexp.New(`\b(?:[a-z]+[a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]+(?:_[A-Z0-9]+)+|_+[a-z]\w*)\b`)
	applied = lazyregexp.New(`([A-Za-z_$][\w$]*[?!]?)\(`)
	dotted  = lazyregexp.New(`\b[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+\b`)
	joint   = lazyregexp.New(`\.|::|#|->`)
	quoted  = lazyregexp.New(`"([^"\n]{8,200})"|'([^'\n]{8,200})'|“([^”\n]{8,200})”`)
	said    = lazyregexp.New(`(?m)(?:Error|Exception|error|panic|warning|Warning|fatal|Fatal)\w*[:!]\s+(.{8,200})$`)
	filed   = lazyregexp.New(`[\w@.+-]*(?:/[\w@.+-]+)*\.[A-Za-z][\w+]{0,9}\b`)
	comment = lazyregexp.New(`(?s)<!--.*?(?:-->|\z)`)
	linked  = lazyregexp.New(`https?://\S+`)

	pythonFrame = lazyregexp.New(`File "([^"\n]+)", line (\d+)(?:, in ([\w<>.]+))?`)
	nodeFrame   = lazyregexp.New(`\bat (?:async )?(?:([\w$.<>\[\] ]+?) \()?(?:file://)?([\w@./\\-]+\.[cm]?[jt]sx?):(\d+):\d+\)?`)
	goFrame     = lazyregexp.New(`(?m)^(?:([\w./()*-]+)\(.*\)\n)?\s+([\w@./-]+\.go):(\d+)`)
	javaFrame   = lazyregexp.New(`\bat ([\w.$<>]+)\(([\w]+\.(?:java|kt|scala)):(\d+)\)`)
	rubyFrame   = lazyregexp.New("([\\w./-]+\\.rb):(\\d+):in [`']([^'`]+)'")
	anyFrame    = lazyregexp.New(`\b([\w./-]+\.(?:py|js|ts|mjs|cjs|jsx|tsx|go|rb|java|php|rs|cs|c|cc|cpp|h|hpp)):(\d+)`)
)

const mostFrames = 60

// Frames are the stack frames that a text quotes, by language and in its order; a
// Function is the last part of its name.
func Frames(text string) []task.Frame {
	var out []task.Frame
	for _, f := range []struct {
		re                   *lazyregexp.Regexp
		file, line, function int
	}{{pythonFrame, 1, 2, 3}, {nodeFrame, 2, 3, 1}, {goFrame, 2, 3, 1}, {javaFrame, 2, 3, 1}, {rubyFrame, 1, 2, 3}, {anyFrame, 1, 2, 0}} {
		for _, m := range f.re.FindAllStringSubmatch(text, -1) {
			fr := task.Frame{File: path.Clean(strings.ReplaceAll(m[f.file], `\`, "/")), Line: number(m[f.line])}
			if f.function > 0 {
				fr.Function = lastName(m[f.function])
			}
			known := f.function == 0 && slices.ContainsFunc(out, func(o task.Frame) bool { return o.File == fr.File && o.Line == fr.Line })
			if !known && len(out) < mostFrames {
				out = append(out, fr)
			}
		}
	}
	return out
}

func lastName(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ")")
	if at := strings.LastIndexAny(s, ". (/"); at >= 0 {
		s = s[at+1:]
	}
	return s
}

func number(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1<<24 {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// asked is a text as the ranking reads it.
type asked struct {
	names  map[string]float64 // identifiers written as code, as written, with how surely they are meant
	owned  map[string]string  // of Owner.name: name to owner
	terms  map[string]float64 // terms of the index with their weights
	spelt  map[string]string  // terms as the text writes them
	files  []string           // paths and file names
	lines  []string           // messages and other texts quoted, one each
	frames []task.Frame
}

// How surely a word is meant as a name of code.
const (
	inSpan   = 1.0
	inCall   = 0.9
	inShape  = 0.8
	inFence  = 0.35
	inTitle  = 1.0 // a plain word
	inBody   = 0.5
	inDetail = 0.25 // words of the body behind the first lines
	inTest   = 0.15 // words of failing tests
)

const firstLines = 600 // bytes of the body that say what it is about

// read takes a title and a body apart.
func read(title, body string) asked {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	body = comment.ReplaceAllString(body[:min(len(body), maxText)], " ")
	title = title[:min(len(title), maxText)]
	text := strings.ToValidUTF8(title+"\n\n"+body, " ")
	a := asked{names: map[string]float64{}, owned: map[string]string{}, terms: map[string]float64{}, spelt: map[string]string{}, frames: Frames(text)}
	prose := linked.ReplaceAllString(text, " ")
	bare := fence.ReplaceAllString(prose, "\n")
	for _, s := range fence.FindAllString(prose, -1) {
		for _, w := range word.FindAllString(s, -1) {
			a.name(w, inFence)
		}
	}
	for _, s := range span.FindAllString(bare, -1) {
		for _, w := range word.FindAllString(s, -1) {
			a.name(w, inSpan)
		}
	}
	for _, w := range shaped.FindAllString(bare, -1) {
		a.name(w, inShape)
	}
	for _, m := range applied.FindAllStringSubmatch(bare, -1) {
		a.name(m[1], inCall)
	}
	for _, d := range dotted.FindAllString(prose, -1) {
		parts := joint.Split(d, -1)
		for i, w := range parts {
			a.name(w, inShape)
			if i > 0 {
				a.owned[w] = parts[i-1]
			}
		}
	}
	for _, f := range a.frames {
		if f.Function != "" {
			a.name(f.Function, inShape)
		}
	}
	for name, sure := range a.names {
		termsOf(name, func(t string) {
			if telling(t) {
				a.term(t, name, inTitle*sure)
			}
		})
	}
	a.plain(title, inTitle)
	rest := span.ReplaceAllString(bare[min(len(bare), len(title)):], " ")
	a.plain(rest[:min(len(rest), firstLines)], inBody)
	a.plain(rest[min(len(rest), firstLines):], inDetail)
	for _, f := range filed.FindAllString(prose, -1) {
		if f = strings.TrimPrefix(path.Clean(f), "/"); len(f) > 4 && !slices.Contains(a.files, f) && len(a.files) < 40 {
			a.files = append(a.files, f)
		}
	}
	for _, m := range append(quoted.FindAllStringSubmatch(text, 40), said.FindAllStringSubmatch(text, 40)...) {
		a.lines = append(a.lines, strings.Join(m[1:], ""))
	}
	return a
}

func (a *asked) name(w string, sure float64) {
	if len(w) >= 2 && sure > a.names[w] && !empty[strings.ToLower(w)] {
		a.names[w] = sure
	}
}

func (a *asked) term(t, spelt string, weight float64) {
	if known := a.spelt[t]; known == "" || len(spelt) < len(known) || len(spelt) == len(known) && spelt < known {
		a.spelt[t] = spelt
	}
	if weight > a.terms[t] {
		a.terms[t] = weight
	}
}

// plain takes the words of prose.
func (a *asked) plain(text string, weight float64) {
	eachWord(text, func(w string, _ int) {
		termsOf(w, func(t string) {
			if telling(t) {
				a.term(t, w, weight)
			}
		})
	})
}
