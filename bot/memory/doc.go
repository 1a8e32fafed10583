// Package memory knows a project's code: what stands where, what uses what by
// name, what changed together. In flows a tree as a list of paths with the names
// of their contents (Source); out flow the places that a text seems to be about,
// best first, each with its score and the reasons (View.Search), and what of them
// fits a budget (Pack).
//
// One SQLite file per project holds the index. Its rows are named by path and
// content, so an update reads new contents only, trees of several commits stand
// in it side by side, and two processes that index at once do the same work
// twice at worst. A file that SQLite calls damaged is made anew, and that is said.
//
// Ranking goes over the pieces of files that bot/code lists (functions, methods,
// classes without them, blocks; sections and windows of other text). Evidence is
// gathered in parts, each a number from 0 to 1: words (BM25 of FTS5, identifiers
// split and stemmed, those that the text writes as code first), names, messages
// quoted word for word, paths, stack frames, the words of the whole file, a walk
// over the graph of names from the best places (personalised PageRank, as
// repository maps do: Page et al. 1999; Haveliwala 2002), and what commits with
// the same words changed. The table of weights is in weights.go. What calls are
// only by name: a name that many define says little and counts little, and a call
// through a variable, a string or a table is not seen.
//
// The package decides nothing, runs nothing and never writes into the tree.
package memory
