// Package eval holds the suites by which fettle is measured, as data, and runs
// them through the same command that a user types: it has no way of its own to
// run a task.
package eval
