package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/fettle-dev/fettle/bot/code/grammar"
)

// Document is a text that is edited step by step: after an edit only what it
// touches is parsed again. It holds a parser until Close. Not for use by two
// goroutines at once.
type Document struct {
	doc  *grammar.Document
	tree *Tree
}

// OpenDocument parses src as lang. Errors are those of Parse.
func OpenDocument(ctx context.Context, lang Language, src []byte) (*Document, error) {
	number, ok := grammarOf(lang)
	if !ok {
		return nil, fmt.Errorf("open a document in %q: %w", lang, ErrNoGrammar)
	}
	doc, nodes, names, err := grammar.Open(ctx, number, src)
	if err != nil {
		return nil, fmt.Errorf("open a document in %s: %w", lang, err)
	}
	return &Document{doc: doc, tree: newTree(lang, bytes.Clone(src), nodes, names)}, nil
}

// Tree is the tree of the text as it stands. It stays valid after further
// edits and after Close.
func (d *Document) Tree() *Tree { return d.tree }

// Edit puts text in the place of the bytes [start, end) and returns the new
// tree. After an error of the parser the document is closed.
func (d *Document) Edit(ctx context.Context, start, end int, text string) (*Tree, error) {
	old := d.tree
	if start < 0 || end < start || end > len(old.Src) {
		return nil, fmt.Errorf("edit a document: [%d,%d) does not lie in its %d bytes", start, end, len(old.Src))
	}
	src := slices.Concat(old.Src[:start], []byte(text), old.Src[end:])
	next := newTree(old.Lang, src, nil, old.names)
	stop := start + len(text)
	nodes, err := d.doc.Edit(ctx, grammar.Edit{
		Start: uint32(start), OldEnd: uint32(end), NewEnd: uint32(stop), //nolint:gosec // below grammar.MaxBytes
		StartPoint: old.point(start), OldPoint: old.point(end), NewPoint: next.point(stop),
	}, src)
	if err != nil {
		return nil, fmt.Errorf("edit a document: %w", err)
	}
	next.nodes = nodes
	d.tree = next
	return next, nil
}

func (t *Tree) point(offset int) grammar.Point {
	line := t.Line(offset)
	return grammar.Point{Row: uint32(line - 1), Column: uint32(offset - t.lines[line-1])} //nolint:gosec // below grammar.MaxBytes
}

// Close gives the parser back.
func (d *Document) Close() { d.doc.Close() }
