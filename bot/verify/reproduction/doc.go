// Package reproduction decides whether a new test shows an issue's fault (SPEC
// C5, C10). In go the issue, the test, and what came of it on the code as it is;
// out comes whether it is taken for the issue's own test, why not, and what is
// doubtful of what it expects.
//
// Whoever wrote the test had read the issue, so that its name, its file and the
// words in it are no evidence, other than of a test that was there before
// (package belong). What counts is how it fails: by its own assertion, or by the
// exception that the issue tells of, in code that the issue names; and not by a
// name that is not there, a file, a network, time, or a mistake of its own. And it
// counts whether the issue, the README or a comment states what it expects.
package reproduction
