package agent

import (
	"fmt"
	"strings"
)

// Order is a brief in plain words, for an agent that has hands of its own: it looks
// at the files itself and edits them in place.
func Order(b Brief) string {
	var s strings.Builder
	s.WriteString("Fix the issue below in the files of the current folder, by editing them in place. Keep the change small, leave existing tests as they are, ask nothing, commit nothing. All tests are run on the result afterwards.\n")
	fmt.Fprintf(&s, "\n# %s\n\n%s\n", b.Task.Title, strings.TrimSpace(b.Task.Body))
	if b.Step.Goal != "" && b.Step.Goal != b.Task.Title {
		fmt.Fprintf(&s, "\n# Do this part now\n\n%s\n", b.Step.Goal)
	}
	if len(b.Failures) > 0 {
		s.WriteString("\n# This fails now\n\n")
		for _, f := range describeAll(b.Failures, 5) {
			fmt.Fprintf(&s, "%s\n", f)
		}
	}
	if b.NeedsTest {
		s.WriteString("\nNo test fails yet: add one in a new file that fails on the code as it is, for the issue's reason, and passes with your change.\n")
	}
	if n := len(b.Attempts); n > 0 {
		last := b.Attempts[n-1]
		fmt.Fprintf(&s, "\n# The last attempt was not taken: %s\n\n%s\n", last.Why, clipped(last.Diff, 4000))
	}
	if b.Feedback != "" {
		fmt.Fprintf(&s, "\n# What was said of it\n\n%s\n", b.Feedback)
	}
	return s.String()
}
