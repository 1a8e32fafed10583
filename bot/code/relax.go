package code

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code/grammar"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// relaxation writes syntax that a grammar does not know yet as syntax that
// means the same to the outline and has the same length, so that every span
// stays where it is. The first group of find is overwritten: by with, and
// blanks to its end.
type relaxation struct {
	find   *lazyregexp.Regexp
	with   string
	script bool // JavaScript too
	again  bool // one place may hold several
	// unless: not where the last character before, white space and comments
	// apart, is one of these, nor behind an arrow.
	unless string
}

// maxAgain bounds how often a text is searched from the same place.
const maxAgain = 100

const reserved = "null|void|catch|undefined|in|new|delete|function|class|enum|if|for|do|while|try|with|switch|return|throw|var|instanceof|typeof|default|true|false|this|super|import|export|extends|case|break|continue|finally|else|const|debugger"

// What the grammars of TypeScript (0.23.2) and JavaScript (0.25.0) do not know:
// import types with type arguments, variance of type parameters, reserved
// words in export clauses, default exports of signatures, global augmentation
// inside a module, a call signature with type parameters on the next line,
// export type *, keyof readonly, an escaped back quote in the type of a
// template, type arguments of a tagged template; in JavaScript too, a bracket on
// the line after a declaration without a value, and reserved words that are
// handed on by export.
var relaxations = []relaxation{
	{find: lazyregexp.New(`\b(?:let|var)\s+[\w$]+[ \t]*(\r?\n)\s*\[`), with: ";", script: true},
	{find: lazyregexp.New(`\bexport\s*\{(?:[^{}]*[,\s])?(` + reserved + `)\s*[,}]`), with: "_", script: true, again: true},
	{find: lazyregexp.New(`\b(import\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\))`), with: "_"},
	{find: lazyregexp.New(`[<,]\s*(?:/\*[^*]*\*+(?:[^/*][^*]*\*+)*/\s*|//[^\n]*\n\s*)*(?:const\s+)?(in\s+out|in|out)\s+[A-Za-z_$]`), with: " "},
	{find: lazyregexp.New(`\bas\s+(` + reserved + `)\s*[,}]`), with: "_", script: true},
	{find: lazyregexp.New(`\bexport\s+(default function)\s*[(<]`), with: "function _______"},
	{find: lazyregexp.New(`\n[ \t]*(global)\s*\{`), with: "______:"[1:]},
	{find: lazyregexp.New(`\n[ \t]*([ \t])<\s*(?:const\s+)?[A-Z]`), with: ";", unless: "(,=|&?:+<{;"},
	{find: lazyregexp.New(`\bexport\s+(type)\s*\*`), with: " "},
	{find: lazyregexp.New(`\bkeyof\s+(readonly)\s`), with: " "},
	{find: lazyregexp.New("(\\\\`)"), with: "_"},
	{find: lazyregexp.New("[\\w$](<[^<>\\n`]*>)`"), with: " "},
}

// relaxed parses a text that has an error once more with what the grammar does
// not know rewritten, and gives that tree where it has no error, or of C and C++,
// where macros can write anything, where less of the text is in error. Nodes of
// the rewritten places have the kind of what stands for them; the text is the
// original.
func relaxed(ctx context.Context, lang Language, number int, src []byte, nodes []grammar.Node) []grammar.Node {
	list := relaxations
	switch family(lang) {
	case JavaScript:
	case C:
		list = slices.Repeat(macroRelaxations, 3) // macros stand one behind the other
	default:
		return nodes
	}
	if nodes[0].Flags&grammar.HasError == 0 {
		return nodes
	}
	text := bytes.Clone(src)
	if family(lang) == C {
		oneBranch(text)
	}
	for _, r := range list {
		if lang != JavaScript || r.script {
			r.apply(text)
		}
	}
	if bytes.Equal(text, src) {
		return nodes
	}
	again, _, err := grammar.Parse(ctx, number, text)
	if err != nil || again[0].Flags&grammar.HasError != 0 && (family(lang) != C || wrong(again) >= wrong(nodes)) {
		return nodes
	}
	return again
}

func (r relaxation) apply(text []byte) {
	for from, times := 0, 0; from < len(text) && times < maxAgain; {
		at := r.find.FindSubmatchIndex(text[from:])
		if at == nil {
			return
		}
		part, begin := text[from+at[2]:from+at[3]], from+at[0]
		if from += at[3]; r.again {
			from, times = begin, times+1
		}
		if r.unless != "" {
			before := codeBefore(text[max(0, begin-4000):begin])
			if len(before) == 0 || bytes.HasSuffix(before, []byte("=>")) || strings.IndexByte(r.unless, before[len(before)-1]) >= 0 {
				continue
			}
		}
		for i, c := range part {
			switch {
			case i < len(r.with):
				part[i] = r.with[i]
			case c != '\n' && c != '\r' && r.with == "_":
				part[i] = '_'
			case c != '\n' && c != '\r':
				part[i] = ' '
			}
		}
	}
}

// codeBefore is a text without the white space and comments at its end.
func codeBefore(text []byte) []byte {
	for {
		text = bytes.TrimSpace(text)
		line := text[bytes.LastIndexByte(text, '\n')+1:]
		switch {
		case len(text) == 0:
			return nil
		case bytes.HasSuffix(text, []byte("*/")):
			text = text[:max(0, bytes.LastIndex(text, []byte("/*")))]
		case bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")):
			text = text[:len(text)-len(line)]
		default:
			return text
		}
	}
}
