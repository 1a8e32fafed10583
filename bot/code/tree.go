package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/fettle-dev/fettle/bot/code/grammar"
)

// ErrNoGrammar says that a language cannot be parsed.
var ErrNoGrammar = errors.New("no grammar for this language")

// Tree is the syntax tree of one source text. It is read-only and safe for
// use by many goroutines.
type Tree struct {
	Lang  Language
	Src   []byte
	nodes []grammar.Node
	names *grammar.Names
	lines []int // byte offset of the start of each line

	once    sync.Once
	regions []Region

	styled sync.Once
	style  Style
}

// Parse reads src as lang. It is safe for use by many goroutines. A text with
// syntax errors still gives a tree (HasError). The tree has its own copy of
// src, and a text that was parsed not long ago is not parsed again: the same
// bytes give the same tree. Errors: ErrNoGrammar,
// grammar.ErrTooLarge, grammar.ErrStopped (deadline, cancellation, memory).
func Parse(ctx context.Context, lang Language, src []byte) (*Tree, error) {
	number, ok := grammarOf(lang)
	if !ok {
		return nil, fmt.Errorf("parse %q: %w", lang, ErrNoGrammar)
	}
	key := keyOf(lang, src)
	if t, ok := parsed.get(key); ok {
		return t, nil
	}
	nodes, names, err := grammar.Parse(ctx, number, src)
	if err != nil {
		return nil, fmt.Errorf("parse %s source: %w", lang, err)
	}
	t := newTree(lang, bytes.Clone(src), relaxed(ctx, lang, number, src, nodes), names)
	parsed.put(key, t)
	return t, nil
}

func newTree(lang Language, src []byte, nodes []grammar.Node, names *grammar.Names) *Tree {
	return &Tree{Lang: lang, Src: src, nodes: nodes, names: names, lines: lineStarts(src)}
}

// lineStarts lists the offset of the first byte of each line.
func lineStarts(src []byte) []int {
	out := []int{0}
	for i, c := range src {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// lineAt is the 1-based line of a byte offset.
func lineAt(starts []int, offset int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > offset })
}

// Root is the node of the whole text.
func (t *Tree) Root() Node { return Node{t, 0} }

// HasError tells whether any part of the text does not parse.
func (t *Tree) HasError() bool {
	return t.nodes[0].Flags&(grammar.HasError|grammar.Error|grammar.Missing) != 0
}

// Line is the 1-based line of a byte offset.
func (t *Tree) Line(offset int) int { return lineAt(t.lines, offset) }

// Walk visits the nodes in preorder; where visit returns false, the nodes
// below are left out.
func (t *Tree) Walk(visit func(Node) bool) { t.Root().Walk(visit) }

// At is the smallest node that covers the bytes [start, end).
func (t *Tree) At(start, end int) Node {
	n := t.Root()
	for {
		next, found := Node{}, false
		for c, ok := n.First(); ok; c, ok = c.Next() {
			if c.Start() <= start && end <= c.End() && c.Start() < c.End() {
				next, found = c, true
				break
			}
		}
		if !found {
			return n
		}
		n = next
	}
}

// Node is one node of a tree: a small value, comparable with ==.
type Node struct {
	t *Tree
	i int32
}

// Is tells whether the source of the node is a text, without a copy of it.
func (n Node) Is(text string) bool { return string(n.t.Src[n.Start():n.End()]) == text }

func (n Node) raw() *grammar.Node { return &n.t.nodes[n.i] }

// Tree is the tree that the node belongs to.
func (n Node) Tree() *Tree { return n.t }

// Kind is the name of the node in its grammar, such as "if_statement", "("
// or "ERROR".
func (n Node) Kind() string { return n.t.names.Symbol(n.raw().Symbol) }

// Named tells a rule of the grammar from a literal token.
func (n Node) Named() bool { return n.raw().Flags&grammar.Named != 0 }

// IsError tells text that fits no rule.
func (n Node) IsError() bool { return n.raw().Flags&grammar.Error != 0 }

// IsMissing tells a token that is not there but would have to be.
func (n Node) IsMissing() bool { return n.raw().Flags&grammar.Missing != 0 }

// IsExtra tells what may stand anywhere, such as a comment.
func (n Node) IsExtra() bool { return n.raw().Flags&grammar.Extra != 0 }

// HasError tells whether an error lies in the node or below.
func (n Node) HasError() bool { return n.raw().Flags&grammar.HasError != 0 }

// Start is the offset of the first byte.
func (n Node) Start() int { return int(n.raw().Start) }

// End is the offset after the last byte.
func (n Node) End() int { return int(n.raw().End) }

// Field is the name of the node's field in its parent, or "".
func (n Node) Field() string { return n.t.names.Field(n.raw().Field) }

// Text is the source of the node.
func (n Node) Text() string { return string(n.t.Src[n.Start():n.End()]) }

// head is the beginning of the text, at most size bytes.
func (n Node) head(size int) string {
	return string(n.t.Src[n.Start():min(n.End(), n.Start()+size)])
}

// Line is the 1-based line where the node starts.
func (n Node) Line() int { return n.t.Line(n.Start()) }

// EndLine is the 1-based line of the node's last byte.
func (n Node) EndLine() int { return n.t.Line(max(n.Start(), n.End()-1)) }

// Parent is the node above; false for the root.
func (n Node) Parent() (Node, bool) {
	if n.i == 0 {
		return Node{}, false
	}
	return Node{n.t, n.raw().Parent}, true
}

// Up is the kind of the parent, or "" for the root.
func (n Node) Up() string {
	if p, ok := n.Parent(); ok {
		return p.Kind()
	}
	return ""
}

// First is the first node below; false for a leaf.
func (n Node) First() (Node, bool) {
	if n.raw().Next == n.i+1 {
		return Node{}, false
	}
	return Node{n.t, n.i + 1}, true
}

// Next is the node behind this one in its parent; false for the last.
func (n Node) Next() (Node, bool) {
	p := n.raw().Parent
	at := n.raw().Next
	if n.i == 0 || at >= n.t.nodes[p].Next {
		return Node{}, false
	}
	return Node{n.t, at}, true
}

// Children are the nodes directly below.
func (n Node) Children() []Node {
	var out []Node
	for c, ok := n.First(); ok; c, ok = c.Next() {
		out = append(out, c)
	}
	return out
}

// NamedChildren are the named nodes directly below, without comments.
func (n Node) NamedChildren() []Node {
	var out []Node
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Named() && !c.IsExtra() {
			out = append(out, c)
		}
	}
	return out
}

// FirstNamed is the first of NamedChildren.
func (n Node) FirstNamed() (Node, bool) {
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Named() && !c.IsExtra() {
			return c, true
		}
	}
	return Node{}, false
}

// LastNamed is the last of NamedChildren.
func (n Node) LastNamed() (Node, bool) {
	last, found := Node{}, false
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.Named() && !c.IsExtra() {
			last, found = c, true
		}
	}
	return last, found
}

// OnlyNamed is the one of NamedChildren, when there is one and no more.
func (n Node) OnlyNamed() (Node, bool) {
	only, found := Node{}, false
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if !c.Named() || c.IsExtra() {
			continue
		}
		if found { // of a long list the rest is not looked at
			return Node{}, false
		}
		only, found = c, true
	}
	return only, found
}

// ChildByField is the first node directly below with that field.
func (n Node) ChildByField(name string) (Node, bool) {
	for c, ok := n.First(); ok; c, ok = c.Next() {
		if c.raw().Field != 0 && c.Field() == name {
			return c, true
		}
	}
	return Node{}, false
}

// Both are the first nodes directly below with two fields; ok where both are there.
func (n Node) Both(a, b string) (x, y Node, ok bool) {
	x, ok1 := n.ChildByField(a)
	y, ok2 := n.ChildByField(b)
	return x, y, ok1 && ok2
}

// TextOf is the text of the first node directly below with that field, or "".
func (n Node) TextOf(field string) string {
	if c, ok := n.ChildByField(field); ok {
		return c.Text()
	}
	return ""
}

// Walk visits the node and those below in preorder; where visit returns
// false, the nodes below are left out.
func (n Node) Walk(visit func(Node) bool) {
	for i := n.i; i < n.raw().Next; {
		at := Node{n.t, i}
		if visit(at) {
			i++
		} else {
			i = at.raw().Next
		}
	}
}

// Ancestor is the nearest node above with one of the kinds.
func (n Node) Ancestor(kinds ...string) (Node, bool) {
	for p, ok := n.Parent(); ok; p, ok = p.Parent() {
		if slices.Contains(kinds, p.Kind()) {
			return p, true
		}
	}
	return Node{}, false
}
