// Package verify runs the checks of a tree and says what they prove. In go a
// tree, its pristine base and the suites found in it; out come normalised
// failures (SPEC C3), a baseline and a verdict.
//
// The suites run in the sandbox under a driver of ours, one for each runner:
//
//	pytest, unittest  driver/parent.py supervises driver/child.py
//	node              driver/node.mjs supervises node's own runner
//	mocha             driver/mocha.mjs supervises driver/mochachild.cjs
//	go                `go test -json` with a sentinel test in every package
//
// Evidence (SPEC C6, TRUST principle 10). A verdict rests on records of single
// tests, never on an exit status or on printed text. Before judging, the
// base's tests and their configuration are put back byte for byte, and test
// files that the base does not have are taken away. Every test that was green
// at the base must be seen to start and to pass; missing is red, nothing run
// is red. Result files are signed with a key of the run that only the
// supervisor holds, a process that never imports repository code.
//
// What this cannot rule out: a patch written to attack the harness from inside
// the test process, which it shares with the tests (reading the child's key
// out of its memory; speaking node's own report format on standard output;
// looking up the sentinel's name in the Go test binary; an object equal to
// everything). The integrity check of the harness's own functions, the list of
// words that a patch may not newly use, and review make that visible, not
// impossible. A Go build cache that outlives a run is shared with what ran
// before: give each task a sandbox session of its own.
//
// The package must never change source, start repository code outside the
// sandbox, or take a test's own words for its result.
package verify
