package memory

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// The parts of a score.
const (
	ByWords    = "words"    // BM25 of the terms
	ByName     = "name"     // its name, or its class's, is written in the text
	ByMessage  = "message"  // it holds a text that is quoted
	ByTest     = "test"     // a failing test uses its name, or its class
	ByPath     = "path"     // its file is named
	ByFrame    = "frame"    // a stack frame lies in it
	ByRan      = "ran"      // it ran in a failing test, and less in others
	ByFile     = "file"     // the words of the whole file
	ByGraph    = "graph"    // what stands high leads to it
	ByHistory  = "history"  // commits with the same words changed its file
	ByTogether = "together" // its file changed together with the best ones
	ByHeat     = "hot"      // its file was changed lately
	ByKind     = "kind"     // a function or method, of a size that can be changed
)

// Weights say how much each part of a score counts, and by what a score is
// multiplied for the class of the file.
type Weights struct {
	Parts map[string]float64
	Class map[string]float64
}

// classOf is the class by which a piece counts: Rust keeps tests beside the code,
// and where a source speaks of a fault it is mostly a function that has it.
func classOf(f *file, p *piece) string {
	switch {
	case f.class != ClassSource:
		return f.class
	case p.kind == code.KindTest, strings.HasPrefix(p.qualified, "tests.") && code.LanguageOf(f.path) == code.Rust:
		return ClassTest
	case p.kind != code.KindFunction && p.kind != code.KindMethod:
		return classStill
	}
	return ClassSource
}

// Fitted are the weights that make bench-context fitted on half of its
// repositories, rounded; but some were set by hand. The messages of commits, which
// are its queries, quote hardly any trace, text or path, so it says nothing of these.
// Its truth is functions alone, so that it gave nothing to types, constants and
// tests; a fault may lie in one of them.
var Fitted = Weights{
	Parts: map[string]float64{
		ByWords: 1, ByName: 0.3, ByMessage: 0.4, ByTest: 0.5, ByPath: 0.2, ByFrame: 1, ByRan: 1, ByFile: 0.1, ByGraph: 0.6, ByHistory: 0.28, ByTogether: 0.1, ByHeat: 0.035, ByKind: 0.07,
	},
	Class: map[string]float64{ClassSource: 1, classStill: 0.4, classAside: 0.5, classConfig: 0.3, classGenerated: 0.3, classDocs: 0.25, ClassTest: 0.15},
}
