package grammar

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
)

// Flags of a node.
const (
	Named    = 1 << iota // a rule of the grammar, not a literal token
	Error                // text that fits no rule
	Missing              // a token that the parser had to invent
	Extra                // may stand anywhere, like a comment
	HasError             // an error lies in this node or below
)

// Node is one node of a syntax tree in a table in preorder: the root is at 0
// and its parent is itself; the subtree of node i is the nodes [i, Next).
type Node struct {
	Symbol, Field uint16 // numbers into Names
	Flags         uint16
	Start, End    uint32 // byte offsets
	Parent, Next  int32
}

// Names are the words of one grammar by number. Field 0 is "".
type Names struct {
	Symbols []string
	Fields  []string
}

// Symbol is the name of a symbol: "function_definition", "(". Text that fits
// no rule has tree-sitter's number 0xFFFF, outside the table: "ERROR".
func (n *Names) Symbol(s uint16) string {
	if int(s) < len(n.Symbols) {
		return n.Symbols[s]
	}
	return "ERROR"
}

// Field is the name of a field, or "".
func (n *Names) Field(f uint16) string {
	if int(f) < len(n.Fields) {
		return n.Fields[f]
	}
	return ""
}

const recordBytes = 24 // sizeof(Record) in table.c

// Parse returns the nodes of src in preorder. It is safe for use by many
// goroutines. Errors are ErrTooLarge, ErrStopped (deadline, cancellation, or
// memory), or that the module could not be started.
func Parse(ctx context.Context, lang int, src []byte) ([]Node, *Names, error) {
	e, lang, names, err := admit(lang, src)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	if err := waitTurn(ctx, src); err != nil {
		return nil, nil, err
	}
	defer endTurn(src)
	in, err := e.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	nodes, err := in.tree(ctx, lang, src)
	e.give(in, err == nil)
	return nodes, names, err
}

// admit looks at what is to be parsed before an instance is taken. It gives
// the module that holds the language, and the language's number there.
func admit(lang int, src []byte) (*engine, int, *Names, error) {
	if len(src) > MaxBytes {
		return nil, 0, nil, fmt.Errorf("parse %d bytes: %w (limit %d)", len(src), ErrTooLarge, MaxBytes)
	}
	for _, m := range modules {
		if m.first <= lang && lang < m.end {
			e, err := m.shared()
			if err != nil {
				return nil, 0, nil, err
			}
			names, err := e.names[lang-m.first]()
			return e, lang - m.first, names, err
		}
	}
	return nil, 0, nil, fmt.Errorf("parse: no grammar has number %d", lang)
}

// waitTurn lets large texts in one at a time; endTurn goes with it.
func waitTurn(ctx context.Context, src []byte) error {
	if len(src) <= bigBytes {
		return nil
	}
	select {
	case big <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w while waiting for another large file: %w", ErrStopped, context.Cause(ctx))
	}
}

func endTurn(src []byte) {
	if len(src) > bigBytes {
		<-big
	}
}

// tree puts src into the instance, parses it there, and reads the table that
// comes of it. After an error the instance must not be used again.
func (in *instance) tree(ctx context.Context, lang int, src []byte) ([]Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStopped, err)
	}
	in.parses++
	at, err := in.write(ctx, src)
	if err != nil {
		return nil, err
	}
	out, err := in.parse.Call(ctx, uint64(lang), uint64(at), uint64(len(src))) //nolint:gosec // small and not negative
	if cause := ctx.Err(); err != nil && cause != nil {
		return nil, fmt.Errorf("%w: %w", ErrStopped, cause)
	}
	if err != nil {
		return nil, fmt.Errorf("%w after the parser ran out of memory or trapped: %s", ErrStopped, firstLine(err))
	}
	count := int32(uint32(out[0])) //nolint:gosec // the module returns an int32
	if count < 0 {
		return nil, fmt.Errorf("%w: the parser ran out of memory", ErrStopped)
	}
	nodes, err := in.read(ctx, int(count))
	if err != nil {
		return nil, err
	}
	if _, err := in.release.Call(ctx, uint64(at)); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrStopped, firstLine(err))
	}
	return nodes, nil
}

func (in *instance) write(ctx context.Context, src []byte) (uint32, error) {
	out, err := in.alloc.Call(ctx, uint64(len(src))+1)
	if err != nil {
		return 0, fmt.Errorf("%w: %s", ErrStopped, firstLine(err))
	}
	at := uint32(out[0]) //nolint:gosec // an address of a 32-bit memory
	if at == 0 || !in.module.Memory().Write(at, src) {
		return 0, fmt.Errorf("%w: no memory for %d bytes of source", ErrStopped, len(src))
	}
	return at, nil
}

// read copies the table out of the instance.
func (in *instance) read(ctx context.Context, count int) ([]Node, error) {
	out, err := in.table.Call(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrStopped, firstLine(err))
	}
	raw, ok := in.module.Memory().Read(uint32(out[0]), uint32(count*recordBytes)) //nolint:gosec // 32-bit memory
	if !ok || count == 0 {
		return nil, fmt.Errorf("%w: the node table lies outside the parser's memory", ErrStopped)
	}
	nodes := make([]Node, count)
	for i := range nodes {
		r := raw[i*recordBytes : i*recordBytes+recordBytes : i*recordBytes+recordBytes]
		nodes[i] = Node{
			Symbol: binary.LittleEndian.Uint16(r),
			Field:  binary.LittleEndian.Uint16(r[2:]),
			Flags:  binary.LittleEndian.Uint16(r[4:]),
			Start:  binary.LittleEndian.Uint32(r[8:]),
			End:    binary.LittleEndian.Uint32(r[12:]),
			Parent: int32(binary.LittleEndian.Uint32(r[16:])), //nolint:gosec // an index below count
			Next:   int32(binary.LittleEndian.Uint32(r[20:])), //nolint:gosec // an index up to count
		}
	}
	return nodes, nil
}

// readNames asks the module for the words of a grammar.
func (e *engine) readNames(lang int) (*Names, error) {
	ctx := context.Background()
	in, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	defer e.give(in, true)
	list := func(countName, oneName string, first int) ([]string, error) {
		out, err := in.module.ExportedFunction(countName).Call(ctx, uint64(lang)) //nolint:gosec // small
		if err != nil {
			return nil, fmt.Errorf("read the names of a grammar: %w", err)
		}
		names := make([]string, int(out[0])+first) //nolint:gosec // a few hundred
		one := in.module.ExportedFunction(oneName)
		for i := first; i < len(names); i++ {
			at, err := one.Call(ctx, uint64(lang), uint64(i)) //nolint:gosec // small
			if err != nil {
				return nil, fmt.Errorf("read the names of a grammar: %w", err)
			}
			names[i] = in.text(uint32(at[0])) //nolint:gosec // an address of a 32-bit memory
		}
		return names, nil
	}
	symbols, err := list("f_symbols", "f_symbol", 0)
	if err != nil {
		return nil, err
	}
	fields, err := list("f_fields", "f_field", 1)
	if err != nil {
		return nil, err
	}
	return &Names{Symbols: symbols, Fields: fields}, nil
}

// text reads a NUL-ended string of the module.
func (in *instance) text(at uint32) string {
	var out []byte
	for at != 0 {
		c, ok := in.module.Memory().ReadByte(at)
		if !ok || c == 0 {
			break
		}
		out = append(out, c)
		at++
	}
	return string(out)
}

// firstLine drops the stack of the module from a trap.
func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
