package code

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const mergeBase = `"""Shop."""
import os
from decimal import Decimal

TAX = 2


# Adds.
def add(a, b):
    return a + b


class Shop:
    """A shop."""

    name = "x"

    def total(self, items):
        # all of them
        return sum(items)

    def gross(self, items):
        return self.total(items) * TAX


def area(r):
    return os.sep * r
`

func TestE3AWholeFileIsReducedToWhatItChanges(t *testing.T) {
	t.Parallel()
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(mergeBase) }
	type change struct{ text, want string }
	for name, c := range map[string]change{
		"one function":                      {replace("a + b", "b + a"), replace("a + b", "b + a")},
		"blank lines and trailing spaces":   {replace("\n\n\n", "\n\n", "return a + b", "return b + a   ", "TAX = 2", "TAX = 2  "), replace("a + b", "b + a   ")},
		"comments left out of same code":    {replace("# Adds.\n", "", "        # all of them\n", "", "os.sep * r", "r"), replace("os.sep * r", "r")},
		"an import left out that is used":   {replace("import os\n", "", "a + b", "b + a"), replace("a + b", "b + a")},
		"an import that is not used":        {replace("from decimal import Decimal\n", "", "a + b", "b + a"), replace("from decimal import Decimal\n", "", "a + b", "b + a")},
		"a new function":                    {mergeBase + "\n\ndef new():\n    return 1\n", mergeBase + "\n\ndef new():\n    return 1\n"},
		"the rest of the file unchanged":    {"def add(a, b):\n    return b + a\n\n# ... rest of the code unchanged\n", replace("a + b", "b + a")},
		"before and after":                  {"# ... existing code ...\n\ndef add(a, b):\n    return b + a\n\n# ... existing code ...\n", replace("a + b", "b + a")},
		"inside a class":                    {"# ... existing code ...\nclass Shop:\n    # ... other methods unchanged\n    def gross(self, items):\n        return 0\n\n# ... rest unchanged\n", replace("self.total(items) * TAX", "0")},
		"a new method among those left out": {"# ... rest of file unchanged ...\nclass Shop:\n    # ... existing code ...\n    def net(self):\n        return 1\n\n    def gross(self, items):\n        return 0\n\n# ... rest unchanged\n", replace("    def gross(self, items):\n        return self.total(items) * TAX", "    def net(self):\n        return 1\n\n    def gross(self, items):\n        return 0")},
		"inside a function":                 {"# ... existing code ...\nclass Shop:\n    # ... existing code ...\n    def total(self, items):\n        # ... existing code ...\n        return sum(items)\n\n    def gross(self, items):\n        return 0\n\n# ... rest unchanged\n", replace("self.total(items) * TAX", "0")},
		"tabs":                              {strings.ReplaceAll(replace("a + b", "b + a"), "    ", "\t"), replace("a + b", "b + a")},
		"another order":                     {strings.Replace(strings.Replace(mergeBase, "\n\ndef area(r):\n    return os.sep * r\n", "", 1), "# Adds.", "def area(r):\n    return r\n\n\n# Adds.", 1), replace("os.sep * r", "r")},
		"a placeholder that the file has":   {replace("a + b", "b + a"), replace("a + b", "b + a")},
	} {
		for ending, fit := range map[string]func(string) string{
			"":                 func(s string) string { return s },
			", crlf":           func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			", bom":            func(s string) string { return "\ufeff" + s },
			", no final end":   func(s string) string { return strings.TrimSuffix(s, "\n") },
			", crlf, no final": func(s string) string { return strings.TrimSuffix(strings.ReplaceAll(s, "\n", "\r\n"), "\r\n") },
		} {
			m, err := MergeFile(t.Context(), "a.py", []byte(fit(mergeBase)), c.text)
			if err != nil {
				t.Errorf("%s%s: %v", name, ending, err)
				continue
			}
			if string(m.Out) != fit(c.want) {
				t.Errorf("%s%s: got\n%s", name, ending, m.Out)
			}
			if len(m.Changed) == 0 && !strings.Contains(name, "import") {
				t.Errorf("%s%s: no region is said to change", name, ending)
			}
		}
	}
}

func TestE3AWholeFileThatLosesCodeIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		is   error
		says string
	}{
		"a function":             {strings.Split(mergeBase, "def area")[0], ErrLost, "function area"},
		"a method":               {strings.Replace(mergeBase, "    def total(self, items):\n        # all of them\n        return sum(items)\n\n", "", 1), ErrLost, "method Shop.total"},
		"more than one":          {"x = 1\n", ErrLost, "function add, class Shop, function area"},
		"not where it was left":  {"# ... existing code ...\n" + mergeBase[strings.Index(mergeBase, "class Shop"):strings.Index(mergeBase, "def area")], ErrNoChange, ""},
		"left out of a new one":  {mergeBase + "\n\ndef new():\n    # ... rest of the code\n", ErrElision, "function:new is new"},
		"between unknown lines":  {strings.Replace(mergeBase, "        # all of them\n        return sum(items)\n", "        x = 1\n        # ... existing code ...\n        return x\n", 1), ErrElision, `"x = 1" is not in the file`},
		"nothing changed":        {mergeBase, ErrNoChange, ""},
		"nothing changed, tabs":  {strings.ReplaceAll(mergeBase, "    ", "\t"), ErrNoChange, ""},
		"nothing but left out":   {"# ... rest of the file unchanged\n", ErrNoChange, ""},
		"nothing but empty text": {" \n", nil, "empty"},
	} {
		_, err := MergeFile(t.Context(), "a.py", []byte(mergeBase), c.text)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestE3AWholeFileOfOtherLanguages(t *testing.T) {
	t.Parallel()
	const script = "import { a } from './a';\n\nexport function f(x) {\n  return a(x);\n}\n\nexport class B {\n  get() { return 1; }\n\n  set(v) {\n    this.v = v;\n  }\n}\n"
	const golang = "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// F says.\nfunc F() { fmt.Println(os.Args) }\n\nfunc G() int { return 1 }\n"
	for name, c := range map[string]struct{ path, src, text, want string }{
		"script, elided": {"a.ts", script, "// ... existing imports ...\n\nexport class B {\n  // ... existing code ...\n  set(v) {\n    this.v = v + 1;\n  }\n}\n", ""},
		"script":         {"a.ts", script, "// ... rest of code unchanged ...\nexport class B {\n  // ... existing methods ...\n  set(v) {\n    this.v = v + 1;\n  }\n}\n", strings.Replace(script, "this.v = v;", "this.v = v + 1;", 1)},
		"go":             {"a.go", golang, "package p\n\n// ... existing code ...\n\nfunc G() int { return 2 }\n", strings.Replace(golang, "return 1", "return 2", 1)},
		"go, an unused import goes": {"a.go", golang, strings.NewReplacer("\t\"os\"\n", "", "os.Args", "1").Replace(golang),
			strings.NewReplacer("\t\"os\"\n", "", "os.Args", "1").Replace(golang)},
		"go, another package of the name": {"a.go", "package p\n\nimport (\n\t\"strings\"\n\t\"text/template\"\n)\n\nvar A = template.New(strings.ToUpper(\"a\"))\n", "package p\n\nimport (\n\t\"html/template\"\n\t\"strings\"\n)\n\nvar A = template.New(strings.ToUpper(\"a\"))\n",
			"package p\n\nimport (\n\t\"html/template\"\n\t\"strings\"\n)\n\nvar A = template.New(strings.ToUpper(\"a\"))\n"},
		"script, the name from elsewhere": {"a.ts", script, strings.Replace(script, "'./a'", "'./b'", 1), strings.Replace(script, "'./a'", "'./b'", 1)},
		"prose":                           {"a.txt", "one\ntwo\nthree\n", "one\n2\nthree\n", "one\n2\nthree\n"},
	} {
		m, err := MergeFile(t.Context(), c.path, []byte(c.src), c.text)
		if c.want == "" {
			continue
		}
		if err != nil || string(m.Out) != c.want {
			t.Errorf("%s: %v\n%s", name, err, m.Out)
		}
	}
}

// checkMerge holds the promises of MergeFile for any two texts: a symbol that
// the file has is never lost, a symbol whose text is the same in both keeps
// its bytes, and what was merged once is no change a second time.
func checkMerge(t rapid.TB, path string, src []byte, text string) {
	t.Helper()
	ctx := context.Background()
	keep := bytes.Clone(src)
	m, err := MergeFile(ctx, path, src, text)
	if !bytes.Equal(src, keep) {
		t.Fatal("the source was written to")
	}
	if errors.Is(err, ErrNoChange) && !bytes.Equal(m.Out, src) {
		t.Fatalf("no change, but other bytes: %.600q", m.Out)
	}
	if err != nil {
		return
	}
	if bytes.HasPrefix(src, []byte("\ufeff")) != bytes.HasPrefix(m.Out, []byte("\ufeff")) && !strings.Contains(string(src[min(3, len(src)):]), "\ufeff") {
		t.Fatalf("the byte order mark: %.100q", m.Out)
	}
	if !parses(ctx, path, src) || !parses(ctx, path, m.Out) {
		return // then its regions are a guess
	}
	before, err := newSide(ctx, path, plainLines(strings.TrimPrefix(string(src), "\ufeff")))
	if err != nil {
		t.Fatal(err)
	}
	after, err := newSide(ctx, path, plainLines(strings.TrimPrefix(string(m.Out), "\ufeff")))
	if err != nil {
		t.Fatal(err)
	}
	if lost := lostSymbols(before, after); len(lost) > 0 {
		t.Fatalf("lost %v:\n%.900q\n%.900q\n%.900q", lost, src, text, m.Out)
	}
	asked := fitWhole(ctx, src, LanguageOf(path), text)
	if m.Elided > 0 || m.Moved || !parses(ctx, path, []byte(asked)) {
		return
	}
	given, err := newSide(ctx, path, plainLines(asked))
	if err != nil {
		t.Fatal(err)
	}
	for key, was := range before.byKey {
		is, ok := given.byKey[key]
		out, stays := after.byKey[key]
		if !ok || !stays || strings.Contains(key, "#") || !slices.Equal(solid(before.lines[was.StartLine-1:was.EndLine]), solid(given.lines[is.StartLine-1:is.EndLine])) {
			continue
		}
		if a, b := before.lines[was.StartLine-1:was.EndLine], after.lines[out.StartLine-1:out.EndLine]; !slices.Equal(a, b) && len(solid(a)) == len(a) {
			t.Fatalf("%s is the same in both and changed:\n%.900q\n%.900q\n%.900q", key, src, text, m.Out)
		}
	}
}

func TestE3WholeRealFilesMergeWithThemselves(t *testing.T) {
	t.Parallel()
	for path, src := range realSources(t, 20) {
		for what, text := range map[string]string{
			"itself": string(src), "crlf": strings.ReplaceAll(string(src), "\n", "\r\n"), "trailing spaces": strings.ReplaceAll(string(src), "\n\n", "  \n\n"),
			"nothing but a mark": mark(path) + " ... rest of the file unchanged",
		} {
			m, err := MergeFile(t.Context(), path, src, text)
			if what == "trailing spaces" && err == nil && bytes.Contains(src, []byte("'''")) || bytes.Contains(src, []byte(`"""`)) || bytes.Contains(src, []byte("`")) {
				continue // spaces inside strings count
			}
			if !errors.Is(err, ErrNoChange) || !bytes.Equal(m.Out, src) {
				t.Errorf("%s, %s: %v", path, what, err)
			}
		}
		regions, err := Regions(t.Context(), path, src)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range regions {
			if i%5 == 0 && r.Kind != KindBlock && r.Parent == "" {
				elideAround(t, path, src, r)
			}
		}
	}
}

// elideAround gives one top-level region with a line added, and marks for all
// that stands before and after it.
func elideAround(t *testing.T, path string, src []byte, r Region) {
	t.Helper()
	text := string(src[r.StartByte:r.EndByte])
	if indentBefore(src, r.StartByte) != "" || len(bytes.TrimSpace(src[bytes.LastIndexByte(src[:r.StartByte], '\n')+1:r.StartByte])) > 0 ||
		len(bytes.TrimSpace(src[r.EndByte:lineEndAt(src, r.EndByte)])) > 0 {
		return
	}
	first, rest, more := strings.Cut(text, "\n")
	if !more || len(strings.TrimSpace(first)) == 0 {
		return
	}
	changed := first + " " + mark(path) + " changed\n" + rest
	m, err := MergeFile(t.Context(), path, src, mark(path)+" ... existing code ...\n\n"+changed+"\n\n"+mark(path)+" ... existing code ...\n")
	want := string(src[:r.StartByte]) + changed + string(src[r.EndByte:])
	if err != nil {
		if !errors.Is(err, ErrElision) && !errors.Is(err, ErrLost) {
			t.Errorf("%s: %s: %v", path, r.ID, err)
		}
		return
	}
	if string(m.Out) != want {
		t.Errorf("%s: %s: not the one change that was asked for", path, r.ID)
	}
}

func mark(path string) string {
	if slices.Contains([]Language{Python, Ruby}, LanguageOf(path)) {
		return "#"
	}
	return "//"
}

func FuzzMergeFile(f *testing.F) {
	for i, path := range fuzzPaths {
		f.Add(i, []byte(samples[path]), strings.ReplaceAll(samples[path], "1", "2"))
		f.Add(i, []byte(samples[path]), "# ... existing code ...\n"+samples[path][len(samples[path])/2:]+"\n// ... rest unchanged\n")
	}
	f.Add(0, []byte(mergeBase), "# ... existing code ...\nclass Shop:\n    # ... existing code ...\n    def gross(self, items):\n        return 0\n\n# ... rest unchanged\n")
	f.Add(0, []byte("\ufeff"+strings.ReplaceAll(mergeBase, "\n", "\r\n")), mergeBase[40:])
	f.Add(-8, []byte("\xac\n\xac\n\xac "), "a\x92\xb2\n\xac\n\xac \v")
	f.Add(0, []byte(mergeBase+"\n\r "), "# ... existing code ...\nclass Shop:\n    # ... existing code2...\n    def gross(sel\xe6, items):\n        return 0\n")
	f.Fuzz(func(t *testing.T, language int, src []byte, text string) {
		path := fuzzPaths[(language%len(fuzzPaths)+len(fuzzPaths))%len(fuzzPaths)]
		if len(src) > 20_000 || len(text) > 20_000 {
			return
		}
		checkMerge(t, path, src, text)
		m, err := MergeFile(t.Context(), path, src, string(src))
		if strings.TrimSpace(string(src)) != "" && (!errors.Is(err, ErrNoChange) && !errors.Is(err, ErrElision) && !errors.Is(err, ErrLost) || err == nil || errors.Is(err, ErrNoChange) && !bytes.Equal(m.Out, src)) {
			t.Fatalf("%q merged with itself: %v", src, err)
		}
	})
}

func TestE2DefinitionsThatShareALineAreNotTornApart(t *testing.T) {
	t.Parallel()
	src := "const a = {\n  f() {\n    return 1;\n  }, g() {\n    return 2;\n  },\n};\n"
	text := "const a = {\n  g() {\n    return 3;\n  },\n  f() {\n    return 4;\n  },\n};\n"
	m, err := MergeFile(t.Context(), "a.js", []byte(src), text)
	if err == nil && (!strings.Contains(string(m.Out), "return 3") || !strings.Contains(string(m.Out), "return 4")) {
		t.Errorf("a part got lost:\n%s", m.Out)
	}
	if _, err := MergeFile(t.Context(), "a.js", []byte("\"\nhis.go(); };\n});\n0{0(){},\nmake:A=>0)"), "0{make:A=>0\n});\n/*..."); err == nil || !strings.Contains(err.Error(), "share line") {
		t.Errorf("tangled definitions: %v", err)
	}
}
