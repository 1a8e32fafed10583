// Package code sees source text as regions: named spans such as a function, a
// method, a class or a block of top-level statements, taken from a real
// syntax tree. In flow paths and bytes; out flow regions, edited bytes and
// syntax errors. Python, JavaScript, TypeScript, TSX and Go are read fully,
// Java, Rust, Ruby, PHP, C and C++ in their outline, any other text as windows of lines.
//
// An edit replaces the bytes of one region and nothing else: what stands
// before and after it is the same afterwards, byte for byte, whatever the
// line endings, tabs, byte order mark or missing last newline. Imports are
// merged into those that a file has (AddImport), a whole file is reduced to
// what it changes (MergeFile), search/replace blocks are found exactly or but
// for white space (FindBlocks), markers go without a trace (Mark, Unmark).
// Callables tells what a change of parameters breaks.
//
// The package is pure: it never opens a file, never runs anything, and never
// panics on hostile text. Package mutate beside it holds the one table of
// syntax-tree operators; package grammar the parser.
package code
