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
//	vitest, jest, cargo  their own command and report (reported.go, package runner)
//
// Evidence (SPEC C6, TRUST principle 10). A verdict rests on records of single
// tests, never on an exit status or on printed text. Before judging, the
// base's tests, their configuration and what only they stand on (code.TestSupport)
// are put back byte for byte, and test files that the base does not have are taken away. Every test that was green
// at the base must be seen to start and to pass; missing is red, nothing run
// is red. Result files are signed with a key of the run that only the
// supervisor holds, a process that never imports repository code.
//
// What a test process says is a claim all the same, for the patch runs in it.
// So the tests that are said to be mended are cross-examined (examine.go, package
// cross): each has to pass without the others, with another seed of hashes, and,
// in runs that look the same from inside, to fail when what it expects is made
// wrong and when the changed lines are sabotaged. Tests that need those before
// them are questioned among all. The tests that were red are questioned while all
// tests run. Where all of it held the grade is "signed", where a question could not
// be asked, or where the results are the runner's own report, "witnessed", and
// "told" where nothing but the run's own word is there; an answer that does not hold
// is a doubt. What a change newly reaches for (package reach) makes it a draft.
// bot/sandbox/RED_TEAM.md says what remains possible. A Go build cache that
// outlives a run is shared with what ran before: give each task a sandbox session
// of its own.
//
// The package must never change source, start repository code outside the
// sandbox, or take a test's own words for its result.
package verify
