// Package example makes reproduction tests without a model (SPEC C5). In go an
// issue's title and body and the base; out comes a new test file in the
// repository's own style and place that fails on the base as the issue tells.
//
//	Read       text → examples: a call, what came out, what was expected
//	Project    names of the call → functions and classes of the base, else refused
//	write      example → a test for pytest, unittest, node:test or go test
//	Reproduce  all of it, and a run on the base in the sandbox
//	StatedOf   the same for what comments and the README say of changed functions:
//	           what held before a change and does not with it speaks against it
//
// The text is foreign. Only calls whose every name leads to the project (or to
// a short list of harmless builtins) and whose values are literals that parse
// become part of a test; all else is left out with a reason. A test that does
// not fail on the base, or fails in another way than the issue says, is thrown
// away.
package example

import (
	"slices"
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
)

// Example is a call with what the issue says of it. Texts are as written.
type Example struct {
	Setup   []string `json:"setup,omitempty"`   // statements before the call
	Imports []string `json:"imports,omitempty"` // import statements before the call
	Call    string   `json:"call"`
	Got     string   `json:"got,omitempty"`  // a literal
	Want    string   `json:"want,omitempty"` // a literal
	// GotError is an exception that was seen; WantError one that should be.
	GotError  string `json:"got_error,omitempty"`
	WantError string `json:"want_error,omitempty"`
	// Unsure: the text gives one value and does not say which of the two it is.
	Unsure   bool          `json:"unsure,omitempty"`
	Language code.Language `json:"language,omitempty"` // of the fence around it

	clash bool // the text says two things of it
}

// complete: the example says what a test should expect.
func (e Example) complete() bool {
	return !e.clash && e.Call != "" && (e.Want != "" || e.WantError != "" || e.GotError != "")
}

// Gave says what an example that holds came to.
func (e Example) Gave() string {
	var gave string
	switch {
	case e.Want != "":
		gave = " gives " + e.Want
	case e.WantError != "":
		gave = " ends with " + e.WantError
	default:
		gave = " does not end with " + e.GotError
	}
	return strings.Join(append(slices.Clone(e.Setup), e.Call), "; ") + gave
}

// Complains tells whether the issue says that something else came out than it wants.
func (e Example) Complains() bool {
	return e.GotError != "" && e.GotError != e.WantError || e.Got != "" && squeezed(e.Got) != squeezed(e.Want)
}

// limits of what is read.
const (
	maxText     = 64 << 10
	maxExamples = 20
	maxLiteral  = 2000
	maxTail     = 500 // bytes after a call that may speak of it
)
