// Package inject plants faults into correct, well-tested code, for the
// repair benchmark (make bench-mend). In go the list of subjects and a seed;
// out come bug folders of package bugs.
//
// The rules follow what studies of real fixes report about how programmers
// err: most fixes add what was forgotten, and most of the others concern
// a name, a condition or the place of a step. They were written without looking
// at what the repair engine can do, and are not the inverses of its operators:
// what a rule takes away (a guard, a case, a term, an argument, a key) is
// mostly text that stands nowhere else any more.
//
//	missing-guard       an `if` that only leaves early is not there
//	missing-statement   a call made for its effect, a later assignment or a defer is not there
//	missing-case        a branch of a chain, a case of a switch or an entry of a table is not there
//	missing-conversion  a value is used as it came: not stripped, folded, escaped, sorted …
//	missing-argument    an argument that may be left out is left out (Python, JavaScript)
//	lost-condition      one part of a condition of several
//	lost-term           one term of a sum, a product or a text put together
//	copy-paste          of two neighbours of one shape, the second keeps a token of the first
//	stale-variable      the value from before a step is used after it
//	swapped-steps       two neighbouring steps stand in the other order
//	wrong-nesting       a step stands one level too deep or too high
//	loop-exit           a loop is left too early, or not at all
//	misplaced-reset     a variable begins anew in each turn of a loop
//	forgotten-end       the first or the last of a sequence is left out or taken in
//	wrong-default       another default is declared, or none is fallen back on
//	wrong-scale         the number of a neighbouring unit, or a digit less
//	wrong-text          another key of the same code, or a wrong piece of a format
//	wrong-regex         a quantifier, anchor, member or alternative of a regular expression is missing
//	wrong-error         another exception is raised or caught; an error is not passed on (Python, JavaScript, Go)
//	shared-state        a copy is not made
//
// Each fault is in one function or one table, touches at most three lines of
// the correct file and leaves a file that parses. Which faults are tried, and
// in which order, depends on the seed and the files alone.
package inject
