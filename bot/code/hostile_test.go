package code

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fettle-dev/fettle/bot/code/grammar"
	"github.com/fettle-dev/fettle/bot/sandbox/sandboxtest"
)

// hostile are texts of the kinds that break parsers and outlines.
func hostile() map[string]string {
	return map[string]string{
		"brackets.js":   strings.Repeat("[", 100_000),
		"brackets.go":   "package p\nvar x = " + strings.Repeat("(", 100_000),
		"nested.js":     strings.Repeat("function f(){", 5_000) + strings.Repeat("}", 5_000),
		"minified.js":   strings.Repeat("var a=function(b){return b};", 20_000),
		"declared.js":   "var " + strings.Repeat("a=()=>1,", 20_000) + "z=1;",
		"binary.py":     "\x00\xff\xfe\x01" + strings.Repeat("\x00", 1000),
		"endings.py":    "def f():\r\n    return 1\n\r\ndef g():\r    return 2\n",
		"mixed.py":      "if x:\n\tif y:\n        a()\n",
		"feed.py":       "import os\n\f\ndef f():\n    pass\n\f\nclass C:\n    pass\n",
		"astral.py":     "𝐱 = 1\n\n\ndef 𐐷(𝐲):\n    return 𝐲\n",
		"decorators.py": "@a(\n    1,\n)\n@b\nasync def f(\n    x,\n):\n    pass\n",
		"tags.go":       "//go:build linux && !cgo\n// +build linux\n\npackage p\n\nfunc f() {}\n",
		"jsx.js":        "export const V = () => <a b={1}>{x}</a>;\n",
		"wrong.go":      "def f():\n    return 1\n",
		"nested.cc":     strings.Repeat("namespace a {", 5_000) + strings.Repeat("}", 5_000),
		"scopes.cc":     "void " + strings.Repeat("a::", 20_000) + "f() {}",
		"pointers.c":    "int " + strings.Repeat("*", 50_000) + "f() {}",
		"conditions.c":  strings.Repeat("#if A\n(\n#else\n", 20_000),
		"closed.h":      strings.Repeat("#if (\n{\n", 20_000) + strings.Repeat("#else\n}\n#endif\n", 20_000),
		"macros.h":      strings.Repeat("MACRO_A MACRO_B(x) MACRO_C\n", 20_000),
		"lines.c":       "#define A \\\n" + strings.Repeat("  x \\\r\n", 20_000),
		"heredocs.php":  "<?php\n" + strings.Repeat("f(<<<A\n", 5_000),
		"html.php":      strings.Repeat("<b><?php if ($a): ?>{<?php endif ?>\n", 5_000),
		"brackets.php":  "<?php " + strings.Repeat("[", 100_000),
		"text.php":      "no tag at all {\n",
		"half.py":       "def good():\n    return 1\n\n\ndef bad(:\n\n\ndef fine():\n    return 2\n",
	}
}

func TestE1HostileTextGetsAnAnswer(t *testing.T) {
	t.Parallel()
	for path, src := range hostile() {
		regions, err := Regions(t.Context(), path, []byte(src))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if len(regions) == 0 {
			t.Errorf("%s has no region", path)
		}
		checkRegions(t, path, []byte(src), regions)
		if _, err := Check(t.Context(), path, []byte(src)); err != nil {
			t.Errorf("%s: check: %v", path, err)
		}
	}
}

func TestE1RegionsOutsideTheBrokenPartWork(t *testing.T) {
	t.Parallel()
	src := []byte(hostile()["half.py"])
	for _, name := range []string{"function:good", "function:fine"} {
		out, _, _, err := Replace(t.Context(), "half.py", src, name, "def changed():\n    return 3\n")
		if err != nil || !bytes.Contains(out, []byte("def changed():\n    return 3\n")) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

func FuzzOutline(f *testing.F) {
	for _, src := range []string{pythonSample, scriptSample, tsxSample, goSample, phpSample, cSample, cppSample} {
		f.Add(src, uint8(0))
	}
	for path, src := range hostile() {
		if len(src) < 2000 {
			f.Add(src, uint8(len(path)))
		}
	}
	paths := []string{"a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.rs", "a.rb", "a.php", "a.c", "a.cc", "a.txt"}
	f.Fuzz(func(t *testing.T, src string, which uint8) {
		path := paths[int(which)%len(paths)]
		regions, err := Regions(t.Context(), path, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		checkRegions(t, path, []byte(src), regions)
		if _, err := Check(t.Context(), path, []byte(src)); err != nil {
			t.Fatal(err)
		}
		for _, r := range regions {
			got, _, how, err := Replace(t.Context(), path, []byte(src), r.ID, src[r.StartByte:r.EndByte])
			blank := strings.TrimSpace(src[r.StartByte:r.EndByte]) == ""
			if !blank && (!errors.Is(err, ErrNoChange) || string(got) != src || how.By != "id") {
				t.Fatalf("%s: %s replaced by itself: %q, %v", path, r.ID, got, err)
			}
		}
	})
}

// A hundred thousand brackets that nothing closes, and 5 MB on one line, get
// regions and a verdict in every language, or the error of a deadline, soon
// after it has passed.
func TestE1DeepAndLargeTextInEveryLanguage(t *testing.T) {
	sandboxtest.Whole(t)
	t.Parallel()
	texts := []string{strings.Repeat("[", 100_000), strings.Repeat("(", 100_000), strings.Repeat("{", 100_000), strings.Repeat("var a=function(b){return b?c(b):{d:[1,2]}};", 120_000)}
	for _, path := range []string{"a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.rs", "a.rb", "a.php", "a.c", "a.cc", "a.txt"} {
		for _, text := range texts {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			regions, err := Regions(ctx, path, []byte(text))
			if err == nil && len(regions) == 0 || err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %.10q: %d regions, %v", path, text, len(regions), err)
			}
			errs, err := Check(ctx, path, []byte(text))
			if err != nil && !errors.Is(err, grammar.ErrStopped) && !errors.Is(err, context.DeadlineExceeded) || err == nil && len(errs) == 0 && path != "a.txt" && path != "a.php" && len(text) < 1<<20 {
				t.Errorf("%s, %.10q: check says %v, %v", path, text, errs, err)
			}
			cancel()
			for _, r := range regions {
				if r.StartByte < 0 || r.EndByte > len(text) || r.StartByte >= r.EndByte {
					t.Errorf("%s: %s spans [%d,%d) of %d", path, r.ID, r.StartByte, r.EndByte, len(text))
				}
			}
		}
	}
}
