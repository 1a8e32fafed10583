package reach

import (
	"context"

	"github.com/fettle-dev/fettle/bot/code"
)

// Text is a file whose names are understood: for rules of other packages.
type Text struct{ l *look }

// Read parses a file. It is nil for a language without rules that resolve its names, and for a text
// that cannot be parsed; an error is of the context.
func Read(ctx context.Context, file string, src []byte) (*Text, error) {
	lang := code.LanguageOf(file)
	r, ok := languages[lang]
	if !ok || lang == code.Ruby || lang == code.PHP { // their names are not resolved
		return nil, nil
	}
	tree, err := code.Parse(ctx, lang, src)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	l := &look{tree: tree, rules: r, bound: map[string]string{}}
	tree.Walk(func(n code.Node) bool { r.bind(l, n); return true })
	return &Text{l}, nil
}

// Tree is the syntax tree.
func (t *Text) Tree() *code.Tree { return t.l.tree }

// Means is what a chain of members stands for, such as "os.path.join" for
// `p.join` after `from os import path as p`; "" when it starts at a local value.
func (t *Text) Means(n code.Node) string {
	if t.l.tree.Lang == code.Python || t.l.tree.Lang == code.Go {
		return t.l.means(n)
	}
	return t.l.scriptMeans(n)
}

// Constant is the text that an expression always has, however it is quoted,
// escaped or joined.
func Constant(n code.Node) (text string, ok bool) { return constant(n) }
