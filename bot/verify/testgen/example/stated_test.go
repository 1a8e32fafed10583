package example

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/sandbox"
	"github.com/fettle-dev/fettle/bot/verify"
)

// TestC5WhatTheProjectSaysOfAFunction reads examples in all the shapes that
// documentation has.
func TestC5WhatTheProjectSaysOfAFunction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, before, after, readme string
		want                        []string
	}{
		"a docstring": {"stats.py", "def median(xs):\n    \"\"\"The middle.\n\n    >>> median([1, 2, 3])\n    2\n    >>> median([])\n    Traceback (most recent call last):\n    ValueError: empty\n    \"\"\"\n    return xs[1]\n",
			"def median(xs):\n    \"\"\"The middle.\n\n    >>> median([1, 2, 3])\n    2\n    \"\"\"\n    return xs[2]\n", "", []string{"the comment of median: median([1, 2, 3]) is 2", "the comment of median: median([]) ends with ValueError"}},
		"a comment of Python": {"stats.py", "# double(2) == 4  # -> 4\ndef double(x):\n    return x * 2\n", "# double(2) == 4\ndef double(x):\n    return x + 2\n", "", []string{"the comment of double: double(2) is 4"}},
		"a comment of JavaScript": {"stats.js", "/**\n * The middle.\n * @example\n * median([1, 2]) // => 1.5\n * median([3]); // 3\n */\nexport function median(xs) {\n  return xs[0];\n}\n", "export function median(xs) {\n  return xs[1];\n}\n", "",
			[]string{"the comment of median: median([1, 2]) is 1.5", "the comment of median: median([3]) is 3"}},
		"a comment of Go": {"stats.go", "package stats\n\n// Double doubles.\n//\n//\tDouble(2) // 4\nfunc Double(x int) int {\n\treturn x * 2\n}\n", "package stats\n\nfunc Double(x int) int {\n\treturn x + 2\n}\n", "", []string{"the comment of Double: Double(2) is 4"}},
		"the README": {"stats.py", "def median(xs):\n    return xs[0]\n\n\ndef mean(xs):\n    return 0\n", "def median(xs):\n    return xs[1]\n\n\ndef mean(xs):\n    return 0\n",
			"# stats\n\n```python\nfrom stats import median, mean\nmedian([1, 2, 3, 4])  # 2.5\nmean([1, 2])  # 1.5\n```\n", []string{"README.md: median([1, 2, 3, 4]) is 2.5"}},
		"words that name two values": {"stats.py", "def median(xs):\n    \"\"\"median([1, 2]) returned 1, it should be 1.5.\"\"\"\n    return xs[0]\n", "def median(xs):\n    return xs[1]\n", "", nil},
		"code is no example":         {"stats.py", "def median(xs):\n    if median([1]) == 1:\n        return 2\n", "def median(xs):\n    return xs[1]\n", "", nil},
	} {
		base := fstest.MapFS{c.path: {Data: []byte(c.before)}, "README.md": {Data: []byte(c.readme)}}
		s, err := StatedOf(t.Context(), base, []verify.Change{{Path: c.path, Before: []byte(c.before), After: []byte(c.after)}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range s.list {
			got = append(got, e.where+": "+e.says())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestC5AStatedExampleThatBreaksIsTold asks in the sandbox, in each language.
func TestC5AStatedExampleThatBreaksIsTold(t *testing.T) {
	t.Parallel()
	box, err := sandbox.New(context.Background(), sandbox.Config{})
	if err != nil {
		t.Fatalf("the tests need the sandbox: %v", err)
	}
	defer box.Close()
	v := verify.New(verify.Config{Sandbox: box})
	for path, c := range map[string]struct {
		readme, before, after, manifest string
		broken, mended                  []string
	}{
		"stats.py": {"```python\nmedian([1, 2, 3, 4])  # 2.5\nmedian([3])  # 4\n```\n", "def median(xs):\n    xs = sorted(xs)\n    return (xs[(len(xs) - 1) // 2] + xs[len(xs) // 2]) / 2\n", "def median(xs):\n    return xs[len(xs) // 2] + (len(xs) == 1)\n",
			"", []string{"README.md says median([1, 2, 3, 4]) is 2.5, the change gives 3"}, []string{"README.md says median([3]) is 4, which is true now"}},
		"stats.mjs": {"```js\nmedian([1, 2, 3, 4]) // => 2.5\n```\n", "export function median(xs) {\n  return (xs[1] + xs[2]) / 2;\n}\n", "export function median(xs) {\n  return xs[2];\n}\n",
			`{"type": "module"}`, []string{"README.md says median([1, 2, 3, 4]) is 2.5, the change gives 3"}, nil},
		"stats.go": {"```go\nMedian([]float64{1, 2, 3, 4}) // 2.5\n```\n", "package stats\n\nfunc Median(xs []float64) float64 {\n\treturn (xs[1] + xs[2]) / 2\n}\n", "package stats\n\nfunc Median(xs []float64) float64 {\n\treturn xs[2]\n}\n",
			"module example.com/stats\n\ngo 1.21\n", []string{"README.md says Median([]float64{1, 2, 3, 4}) is 2.5, the change gives 3"}, nil},
	} {
		dir := t.TempDir()
		manifest := map[string]string{".py": "pytest.ini", ".mjs": "package.json", ".go": "go.mod"}[filepath.Ext(path)]
		for name, text := range map[string]string{path: c.before, "README.md": c.readme, manifest: c.manifest} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, err := StatedOf(t.Context(), os.DirFS(dir), []verify.Change{{Path: path, Before: []byte(c.before), After: []byte(c.after)}})
		if err != nil {
			t.Fatal(err)
		}
		before, err := s.Ask(t.Context(), v, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := s.Ask(t.Context(), v, dir, map[string][]byte{path: []byte(c.after)})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Broken(before, after); !slices.Equal(got, c.broken) {
			t.Errorf("%s: broken %q (%+v, %+v)", path, got, before, after)
		}
		if got := s.Mended(before, after); !slices.Equal(got, c.mended) {
			t.Errorf("%s: mended %q", path, got)
		}
	}
}
