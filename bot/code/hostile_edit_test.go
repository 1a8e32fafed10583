package code

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Large, deep and odd texts cost the edits no more than their length, and get
// an answer.
func TestE2EditsOfHostileText(t *testing.T) {
	t.Parallel()
	many := &strings.Builder{}
	for i := range 5_000 {
		fmt.Fprintf(many, "def f%d(a):\n    return a\n\n\n", i)
	}
	blocks := &strings.Builder{}
	for range 60 {
		blocks.WriteString("# ... existing code ...\nx\n")
	}
	for name, src := range map[string]string{
		"many functions": many.String(), "blank lines": strings.Repeat("\n", 1<<18), "one line": "x = [" + strings.Repeat("1,", 1<<14) + "]\n",
		"brackets": strings.Repeat("(", 20_000), "brackets that close": strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"the same line": strings.Repeat("import os\n", 10_000), "binary": strings.Repeat("\x00\xff", 10_000), "line ends": strings.Repeat("\r\r\n\n\r", 20_000),
		"tabs, spaces, form feeds": strings.Repeat("\t \f x = 1\n", 5_000), "not in the basic plane": strings.Repeat("𝒻 = '🐍'\n", 20_000),
	} {
		for _, path := range []string{"a.py", "a.js", "a.go", "n.txt"} {
			if path != "a.py" && name == "many functions" {
				continue
			}
			checkImport(t, path, []byte(src), "import x")
			checkMerge(t, path, []byte(src), "# ... existing code ...\nx = 1\n")
			checkMerge(t, path, []byte(src), strings.Replace(src, "1", "2", 100))
			lines := strings.SplitAfter(src, "\n")
			search := strings.Join(lines[:len(lines)/2], "")
			if _, _, err := searchReplace(path, []byte(src), "<<<<<<< SEARCH\n"+search+"\n=======\nx\n>>>>>>> REPLACE\n"); err == nil && name == "the same line" {
				t.Error("lines that fit many places were replaced")
			}
			checkMark(t, path, []byte(src[:min(len(src), 100_000)]))
		}
	}
	if _, err := MergeFile(t.Context(), "a.py", []byte("x\n"), blocks.String()); !errors.Is(err, ErrElision) {
		t.Errorf("60 marks: %v", err)
	}
	if _, _, _, err := AddImport(t.Context(), "a.py", []byte("x\n"), strings.Repeat("import a\n", 101)); err == nil || !strings.Contains(err.Error(), "at most 100") {
		t.Errorf("101 imports: %v", err)
	}
}
