// Package eval measures what fettle can do. It holds suites of cases as data, runs
// them through the same commands that a user types, in processes of their own, judges
// what comes of it by tests that were held back, and makes figures of that. It has no
// way of its own to work on a task, and prints no figure that was not measured.
//
//	case.go    a case: a repository without history, an issue, held-back tests
//	run.go     runs cases at once, takes up what was interrupted
//	judge.go   what a change, an answer or a refusal is worth
//	kpi.go     figures of results
//	compare.go two runs of the same cases, and whether one is worse
//	snapshot.go  what runs measured, kept: a run that is worse, and how it went over time
//	report.go  the figures as a table and Markdown; html.go as a page of its own
//	server.go  answers of models, kept and given again, or by whoever sits at the bridge
//	mine.go    cases of the fixes in a project's history
//	import.go  cases of sets that others wrote; made.go writes and proves both
//	verify.go  proves that a case asks for something and can be answered
package eval
