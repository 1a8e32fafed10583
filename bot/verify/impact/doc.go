// Package impact chooses the tests that a change calls for (SPEC C4). In go a
// tree, a test command, what changed and what is known from before; out come
// the tests to run, the likeliest to fail first, each with the reasons for
// which it was chosen, or the word that all have to run and why.
//
// Without a Map whole test files are chosen. Four things speak for one: it
// changed itself; its imports lead to what changed, directly or over other
// files; its name is that of a changed file; it failed before when that file
// had changed. What often changed in one commit with a changed file weighs, and
// chooses where nothing else speaks.
//
// A Map says which lines each test ran in an earlier, recorded run (Trace,
// Record, Folder). With it single tests are chosen: those that ran the changed
// lines, in the order of how much speaks for them; a Budget leaves out the last
// of very many. What changed since the map was recorded is not trusted: tests
// that ran such lines, and new ones, are chosen by imports as without a map.
//
// Where nothing speaks for any test, or the change touches what every test
// rests on, all are run: a choice must never make a check greener than it is,
// and so a choice is good for a quick look and never for the last word.
//
// The package is pure but for Folder: it reads the tree that it is given and
// runs nothing.
package impact
