// Package reach tells, without running a test, whether the operators of
// mechanical repair make a known fix, and which: the credit of each. In flow the
// broken files of a project, the correct text of one and the line of the fault;
// out flows the operator that makes the correct text, and how many changes near
// the line its prior puts before it.
package reach

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
)

// Fix is a known fix of one place in one file.
type Fix struct {
	ID, Path, Language string
	Class, Function    string // of the fix
	Line               int    // in the broken text
}

// Reached is a fix and what the operators make of the broken text there.
type Reached struct {
	Fix
	Made     map[string]int // operator → changes of the function
	Rank     int            // of the fix among the changes near its line, by prior; 0: it is not among them
	Operator string         // that makes it
}

const (
	near = 3  // lines from the fix within which a change begins that is ranked with it
	far  = 30 // lines from it within which one may begin that makes it
)

// Ask asks the operators for a fix. files are the broken ones of its project, in
// its language and without tests; correct is its path as it should be. It gives
// nothing where the line lies in no function.
func Ask(ctx context.Context, fix Fix, files map[string]*code.Tree, correct []byte) (Reached, bool) {
	t := files[fix.Path]
	if t == nil {
		return Reached{}, false
	}
	regions, err := code.Regions(ctx, fix.Path, t.Src)
	reg, found := code.Enclosing(regions, fix.Line)
	if err != nil || !found {
		return Reached{}, false
	}
	p := mutate.NewProject(files)
	all := slices.Concat(mutate.Mutations(t, reg.StartByte, reg.EndByte), p.Beyond(fix.Path, reg.StartByte, reg.EndByte))
	out := Reached{Fix: fix, Made: map[string]int{}}
	wanted, prior := bare(correct, fix.Language), 0.0
	for _, m := range all {
		out.Made[m.Operator]++
		if m.Line < fix.Line-far || m.Line > fix.Line+far || out.Operator != "" {
			continue
		}
		if bytes.Equal(bare(mutate.Apply(t.Src, m), fix.Language), wanted) {
			out.Operator, prior = m.Operator, m.Prior
		}
	}
	if out.Operator == "" {
		return out, true
	}
	out.Rank = 1
	for _, m := range all {
		if m.Line >= fix.Line-near && m.Line <= fix.Line+near && m.Prior > prior {
			out.Rank++
		}
	}
	return out, true
}

// bare is a text without comments, white space, the kind of its quotes, and commas
// that close a list: two that agree in it hold the same change.
func bare(src []byte, lang string) []byte {
	comment := "//"
	if lang == "python" {
		comment = "#"
	}
	out := make([]byte, 0, len(src))
	var quote byte
	for i := 0; i < len(src); i++ {
		b := src[i]
		switch {
		case quote != 0:
			if b == '\\' && i+1 < len(src) && quote != '`' {
				out = append(out, b, src[i+1])
				i++
				continue
			}
			if b == quote || b == '\n' && quote != '`' {
				quote, b = 0, '"'
			}
		case b == '"' || b == '\'' || b == '`':
			quote, b = b, '"'
		case bytes.HasPrefix(src[i:], []byte(comment)):
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
			continue
		case strings.IndexByte(" \t\r\n;", b) >= 0:
			continue
		case strings.IndexByte(")]}", b) >= 0 && len(out) > 0 && out[len(out)-1] == ',':
			out = out[:len(out)-1]
		}
		out = append(out, b)
	}
	return out
}
