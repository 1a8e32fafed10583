package answer

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// ordinary are comments of real code that say what the code does with something
// that was there before, is kept, or is the same.
var ordinary = []string{
	"left behind by an earlier call", "an earlier call left it behind", "The previous call left the same key behind", "What an earlier call left is dropped.", "the rest is left from an earlier call", "remove what is left of the previous call",
	"Remaining entries were left by an earlier call", "Clear what the previous call left behind", "existing entry left by an earlier call", "Previous call left these lines here", "a value left here by an earlier call stays",
	"Other callers keep the same lock.", "Existing rows with the same key are replaced.", "Other threads use the same lock.", "Other binaries could be in the same directory so don't",
	"The original list stays unchanged.", "Leave the other fields unchanged.", "Keep the existing entries.", "The other entries stay as they are.", "All remaining entries are kept as is.", "Keep the remaining items in the same order.",
	"Restore the original value", "restore the original methods", "Restore original values in the target.", "Try to restore the original contents.", "restore the environment variable to its original value",
	"Leave the type unchanged.", "Unchanged values stay where they are.", "the previous line is the same", "Existing files are left alone.", "Existing keys are left as they are", "Other lines are kept as they are.",
	"the rest of the line", "The previous value is kept here.", "Remaining text of the line, unchanged.", "original argument, unchanged", "priority stays the same", "This keeps the original line endings intact",
	"the existing implementation returned None here", "TODO: implement retries", "TODO: implement usleep", "TODO: write out the path, too", "1. the same as the other operands", "next item is on the same line as the comment",
}

var placeholders = []string{
	"... existing code ...", "... rest of the function ...", "rest of the code unchanged", "The rest of the code remains the same", "rest of the class stays the same", "other methods remain unchanged", "(other handlers unchanged)",
	"existing code here", "keep the existing code", "keep the rest as is", "previous code goes here", "implementation unchanged", "omitted for brevity", "same body as before", "the other helpers stay as they were",
	"everything else stays the same", "your code here", "TODO: implement logic here", "TODO: fill in the body", "lines 10-40 unchanged", "unchanged",
}

func TestE4AnOrdinaryCommentIsNoPlaceholder(t *testing.T) {
	t.Parallel()
	for kind, mark := range map[string]string{".py": "# ", ".go": "// "} {
		for _, words := range ordinary {
			if text := "x(1)\n\t" + mark + words + "\ny(2)\n"; leftOut(text, kind, nil) != "" {
				t.Errorf("%q counts as left out", mark+words)
			}
			if code.IsElision("\t" + mark + words) {
				t.Errorf("code: %q counts as left out", mark+words)
			}
		}
		for _, words := range placeholders {
			if text := "x(1)\n\t" + mark + words + "\ny(2)\n"; leftOut(text, kind, nil) == "" {
				t.Errorf("%q is taken for code", mark+words)
			}
		}
	}
}

// A model that gives a region's whole code repeats the comments that stand in it,
// whatever they look like.
func TestE4ACommentThatThePromptShowsIsRepeatedAndNoPlaceholder(t *testing.T) {
	t.Parallel()
	const text = "```json\n" + `{"actions": [{"action": "replace_region", "path": "a.py", "region": "function:f@00000000", "code": 1}]}` + "\n```\n```python\ndef f():\n    # existing code here\n    return 1\n```\n"
	if _, _, bad := Developer.read(text, "stop", "The region:\n```python\ndef f():\n    # existing code here\n    return 2\n```\n"); bad != nil {
		t.Errorf("a comment of the repository: %v", bad)
	}
	if _, _, bad := Developer.read(text, "stop", "The region:\n```python\ndef f():\n    return 2\n```\n"); bad == nil || !strings.Contains(bad.Reason, "leaves code out") {
		t.Errorf("a comment of the model's own: %v", bad)
	}
}
