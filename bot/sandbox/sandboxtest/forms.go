package sandboxtest

import (
	"os"
	"testing"
)

// Quick tells whether only the quick form of the tests is asked for: make test, and not
// make test-whole, which continuous integration runs.
func Quick() bool { return testing.Short() && os.Getenv("FETTLE_TESTS") != "whole" }

// Whole leaves a test to make test-whole: a long one, whose promise shorter tests show in
// part, or one of a runner that make setup does not install.
func Whole(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skip("make test-whole runs it")
	}
}
