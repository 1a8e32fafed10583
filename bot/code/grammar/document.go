package grammar

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed says that a document was closed, or lost its tree when an edit of
// it was stopped.
var ErrClosed = errors.New("the document is closed")

// Point is a place in a text: row and column from 0, the column in bytes.
type Point struct{ Row, Column uint32 }

// Edit is one change of a text: the bytes [Start, OldEnd) of the old text
// became [Start, NewEnd) of the new one.
type Edit struct {
	Start, OldEnd, NewEnd          uint32
	StartPoint, OldPoint, NewPoint Point
}

// Document is a text whose tree stays in the parser, so that after an edit
// only what the edit touches is parsed again. It holds an instance of the
// module (some MB) until Close. Its methods may be called by many goroutines,
// one after the other.
type Document struct {
	mu    sync.Mutex
	e     *engine
	in    *instance // nil once closed
	names *Names
}

// Open parses src and keeps its tree. The rest is as for Parse.
func Open(ctx context.Context, lang int, src []byte) (*Document, []Node, *Names, error) {
	e, lang, names, err := admit(lang, src)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	if err := waitTurn(ctx, src); err != nil {
		return nil, nil, nil, err
	}
	defer endTurn(src)
	in, err := e.take(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	nodes, err := in.tree(ctx, src, func(at uint64) ([]uint64, error) {
		return in.open.Call(ctx, uint64(lang), at, uint64(len(src))) //nolint:gosec // small and not negative
	})
	if err != nil {
		e.give(in, false)
		return nil, nil, nil, err
	}
	return &Document{e: e, in: in, names: names}, nodes, names, nil
}

// Edit parses src, which is the document's text after one edit, from the tree
// of the text before. The nodes are those that Parse gives. After an error the
// document is closed.
func (d *Document) Edit(ctx context.Context, edit Edit, src []byte) ([]Node, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in == nil {
		return nil, ErrClosed
	}
	if len(src) > MaxBytes {
		return nil, fmt.Errorf("parse %d bytes: %w (limit %d)", len(src), ErrTooLarge, MaxBytes)
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	nodes, err := d.edit(ctx, edit, src)
	if err != nil {
		d.e.give(d.in, false)
		d.in = nil
	}
	return nodes, err
}

func (d *Document) edit(ctx context.Context, edit Edit, src []byte) ([]Node, error) {
	var raw []byte // struct TSInputEdit
	for _, v := range []uint32{
		edit.Start, edit.OldEnd, edit.NewEnd,
		edit.StartPoint.Row, edit.StartPoint.Column, edit.OldPoint.Row, edit.OldPoint.Column,
		edit.NewPoint.Row, edit.NewPoint.Column,
	} {
		raw = binary.LittleEndian.AppendUint32(raw, v)
	}
	in := d.in
	place, err := in.write(ctx, raw)
	if err != nil {
		return nil, err
	}
	nodes, err := in.tree(ctx, src, func(at uint64) ([]uint64, error) {
		return in.edit.Call(ctx, uint64(place), at, uint64(len(src)))
	})
	if err != nil {
		return nil, err
	}
	if _, err := in.release.Call(ctx, uint64(place)); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrStopped, firstLine(err))
	}
	return nodes, nil
}

// Close gives the document's instance back. It may be called again.
func (d *Document) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in != nil {
		d.e.give(d.in, true)
		d.in = nil
	}
}
