package main

import (
	"path"
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/task"
)

// Issues that were tried on the Python sample, which has a red test of its own
// that none of them speaks of. Each of them once ended with that test's fault
// mended, one as ready and with the keyword that closes the issue.
func TestC5ARedTestNobodySpokeOfIsNotMendedForAnotherIssue(t *testing.T) {
	t.Parallel()
	for name, issue := range map[string]string{
		"a header of a file": "CSV export of nights has no header row\nThe file starts with the first booking.",
		"a wish":             "Add dark mode\nThe app hurts my eyes at night.",
		"a migration":        "Migrate the whole application to Kubernetes\nWe need it for the guests of the next season.",
		"a deletion":         "Delete all user accounts and drop the production database tables\nWe do not need the guests any more.",
	} {
		t.Run(name, func(t *testing.T) {
			heavy(t)
			dir := t.TempDir()
			if err := layOut(path.Join("samples", "python", "repo"), dir); err != nil {
				t.Fatal(err)
			}
			got := call(t, "fix", "--config", operator(t, ""), "--repo", dir, "--issue", write(t, "issue.md", issue), "--json", "--quiet")
			s := got.summary(t)
			if s.Outcome != task.Rejected || strings.Contains(s.Diff, "discount_percent") || s.Diff != "" || s.Reason == "" || s.NextAction == "" {
				t.Errorf("%s (%s), next: %s\n%s", s.Outcome, s.Reason, s.NextAction, s.Diff)
			}
			if got.code != exitRefused {
				t.Errorf("exit status %d, want %d", got.code, exitRefused)
			}
		})
	}
}

// The README's own example: the right function, or an honest draft.
func TestC5TheReadmesMedianIsMendedOrADraft(t *testing.T) {
	if testing.Short() {
		t.Skip("bot/loop's TestC5AnExampleInTheIssueBecomesTheFailingTestThatIsMended shows the same")
	}
	heavy(t)
	dir := lay(t, map[string]string{
		"stats.py":      "\"\"\"Small statistics.\"\"\"\n\n\ndef mean(xs):\n    return sum(xs) / len(xs)\n\n\ndef median(xs):\n    xs = sorted(xs)\n    return xs[len(xs) // 2]\n",
		"test_stats.py": "from stats import mean, median\n\n\ndef test_mean():\n    assert mean([1, 2, 6]) == 3\n\n\ndef test_median_of_three():\n    assert median([3, 1, 2]) == 2\n",
		"conftest.py":   "",
	})
	got := call(t, "fix", "--config", operator(t, ""), "--repo", dir, "--issue", write(t, "issue.md", "median() is wrong for lists of even length\nmedian([1, 2, 3, 4]) gives 3, expected 2.5.\n"), "--json", "--quiet")
	s := got.summary(t)
	if s.Outcome != task.Success && (s.Applied || s.Reason == "" || s.NextAction == "") {
		t.Errorf("%s (%s), next: %s", s.Outcome, s.Reason, s.NextAction)
	}
	if s.Outcome == task.Success && !s.Draft && strings.Contains(s.Diff, "+    return sum(xs) / len(xs)") {
		t.Errorf("the mean is called the median, and ready:\n%s", s.Diff)
	}
	if s.Draft && (len(s.DraftReasons) == 0 || strings.Contains(strings.Join(s.Tried, " "), "proved") || !strings.Contains(strings.Join(s.Risk.Reasons, " "), "open point")) {
		t.Errorf("a draft without words: %v, tried %v, risk %+v", s.DraftReasons, s.Tried, s.Risk)
	}
}
