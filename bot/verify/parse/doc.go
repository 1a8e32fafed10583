// Package parse reads what test runners, compilers and linters print, and
// gives one normalised result (SPEC C3). In go the bytes of an output and the
// place where it was made; out come tests with their states, failures with
// file, line, exception, message, stack trace and fingerprint, and what could
// not be run at all: a collection error is not a test failure.
//
// Formats that are made for machines are read exactly: `go test -json`, the
// JSON of jest, vitest and mocha, JUnit XML, TAP. Texts for people are read
// too, because a repository's own command prints them; there a test that
// prints what its runner prints can fool the reader. So a report is for
// feedback and for display. Whether a patch is right is decided by package
// verify, on signed records.
//
// The package is pure: it runs nothing and opens no file. It must never trust
// sizes, depths or encodings of what it reads.
package parse
