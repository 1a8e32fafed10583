package example

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestC10AGreenTestThatHoldsWhatTheIssueCallsWrongIsNamed(t *testing.T) {
	t.Parallel()
	base := fstest.MapFS{
		"tests/test_stats.py": {Data: []byte("from stats import median\n\n\ndef test_even():\n    assert median([1, 2,3, 4]) == 3\n\n\ndef test_more():\n    assert median([1, 2, 3, 4]) != 30\n    assert median([1, 2, 3, 4]) == 2.5\n    assert median([3]) == 3\n")},
		"stats.py":            {Data: []byte("# median([1, 2, 3, 4]) == 3\n")},
		"test/stats.test.js":  {Data: []byte("test('even', () => assert.equal(median([1, 2, 3, 4]), 3));\n")},
	}
	got := pinned(base, []Example{{Call: "median([1, 2, 3, 4])", Got: "3", Want: "2.5"}, {Call: "median([3])", Want: "3"}})
	want := []string{
		"test/stats.test.js:1 passes and holds median([1, 2, 3, 4]) to be 3, which the issue calls wrong",
		"tests/test_stats.py:5 passes and holds median([1, 2, 3, 4]) to be 3, which the issue calls wrong",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
