package code

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestE2ReplaceFitsTheRegion(t *testing.T) {
	t.Parallel()
	class := "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
	tests := []struct{ name, path, src, id, code, want string }{
		{
			"code without the indentation", "a.py", class, "method:A.f", "def f(self):\n    return 9\n",
			strings.Replace(class, "return 1", "return 9", 1),
		},
		{
			"code with the indentation", "a.py", class, "method:A.f", "    def f(self):\n        return 9\n",
			strings.Replace(class, "return 1", "return 9", 1),
		},
		{
			"only the first line lost it", "a.py", class, "method:A.f", "def f(self):\n        return 9",
			strings.Replace(class, "return 1", "return 9", 1),
		},
		{
			"a decorator, only the first line lost it", "a.py", class, "method:A.f", "@x\n    def f(self):\n        return 9",
			strings.Replace(class, "def f(self):\n        return 1", "@x\n    def f(self):\n        return 9", 1),
		},
		{
			"tabs in the file, spaces in the code", "a.py", "class A:\n\tdef f(self):\n\t\treturn 1\n", "method:A.f",
			"def f(self):\n    if x:\n        return 9\n", "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 9\n",
		},
		{
			"spaces in the file, tabs in the code", "a.js", "class A {\n  f() {\n    return 1;\n  }\n}\n", "method:A.f",
			"f() {\n\treturn 9;\n}", "class A {\n  f() {\n    return 9;\n  }\n}\n",
		},
		{
			"carriage returns and no last newline", "a.py", "x = 1\r\ndef f():\r\n    return 1", "function:f",
			"def f():\n    y = 1\n    return y\n", "x = 1\r\ndef f():\r\n    y = 1\r\n    return y",
		},
		{
			"a byte order mark stays", "a.py", "\ufeffdef f():\n    return 1\n", "function:f", "\ufeffdef f():\n    return 2\n",
			"\ufeffdef f():\n    return 2\n",
		},
		{
			"lines inside a string stay", "a.py", class, "method:A.f", "def f(self):\n    return \"\"\"a\n  b\n\"\"\"\n",
			strings.Replace(class, "return 1", "return \"\"\"a\n  b\n\"\"\"", 1),
		},
		{
			"a docstring moves with its function", "a.py", class, "method:A.f", "def f(self):\n    \"\"\"a\n    b\n    \"\"\"\n    return 9\n",
			strings.Replace(class, "return 1", "\"\"\"a\n        b\n        \"\"\"\n        return 9", 1),
		},
		{
			"a template string stays", "a.js", "const a = {\n  f() { return 1; },\n};\n", "method:a.f", "f() {\n  return `x\ny`;\n}",
			"const a = {\n  f() {\n    return `x\ny`;\n  },\n};\n",
		},
		{
			"a Go method", "a.go", "package p\n\nfunc (s S) F() int {\n\treturn 1\n}\n", "method:S.F",
			"func (s S) F() int {\n    if s.x {\n        return 2\n    }\n    return 1\n}",
			"package p\n\nfunc (s S) F() int {\n\tif s.x {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
		},
		{
			"leading blank lines go", "a.go", "package p\n\nfunc F() {}\n", "function:F", "\n\nfunc F() { x() }\n\n",
			"package p\n\nfunc F() { x() }\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, region, _, err := Replace(t.Context(), test.path, []byte(test.src), test.id, test.code)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
			if kind, _, _ := strings.Cut(test.id, ":"); region.Kind != kind || !strings.HasPrefix(region.ID, test.id+"@") {
				t.Errorf("the new region is %+v", region)
			}
		})
	}
}

func TestE2NoChangeAndRefusals(t *testing.T) {
	t.Parallel()
	src := []byte("class A:\r\n    def f(self):\r\n        return 1\r\n")
	for _, code := range []string{"def f(self):\n    return 1", "    def f(self):\n        return 1\n", "def f(self):\r\n        return 1"} {
		out, _, _, err := Replace(t.Context(), "a.py", src, "method:A.f", code)
		if !errors.Is(err, ErrNoChange) || !bytes.Equal(out, src) {
			t.Errorf("%q: %q, %v; want no change", code, out, err)
		}
	}
	if _, _, _, err := Replace(t.Context(), "a.py", src, "method:A.g@12345678", "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("err = %v, want not found", err)
	}
	if _, _, _, err := Replace(t.Context(), "a.py", src, "method:A.f", " \n"); err == nil {
		t.Error("empty code is accepted")
	}
}

func TestE3InsertAndDelete(t *testing.T) {
	t.Parallel()
	src := "import os\n\n\ndef f():\n    return 1\n\n\n# About g.\ndef g():\n    return 2\n"
	out, r, _, err := Insert(t.Context(), "a.py", []byte(src), "function:f", "def h():\n    return 3\n")
	want := strings.Replace(src, "return 1\n", "return 1\n\n\ndef h():\n    return 3\n", 1)
	if err != nil || string(out) != want || r.Name != "h" {
		t.Errorf("insert: %v %+v\n%s", err, r, out)
	}
	out, _, _, err = Insert(t.Context(), "a.py", []byte(src), "block:imports", "import sys")
	if err != nil || string(out) != strings.Replace(src, "os\n", "os\nimport sys\n", 1) {
		t.Errorf("insert an import: %v\n%s", err, out)
	}
	out, _, _, err = Insert(t.Context(), "a.js", []byte("class A {\r\n  f() {}\r\n}"), "method:A.f", "g() {\n  return 1;\n}")
	if err != nil || string(out) != "class A {\r\n  f() {}\r\n\r\n  g() {\r\n    return 1;\r\n  }\r\n}" {
		t.Errorf("insert a method: %v\n%q", err, out)
	}
	out, r, _, err = Delete(t.Context(), "a.py", []byte(src), "function:g")
	if err != nil || string(out) != "import os\n\n\ndef f():\n    return 1\n\n\n" || r.Name != "g" {
		t.Errorf("delete: %v %+v\n%q", err, r, out)
	}
}

var samples = map[string]string{
	"a.py": pythonSample, "a.js": scriptSample, "a.tsx": tsxSample, "a.go": goSample, "n.txt": "a\nb\n\nc\n",
	"a.php": phpSample, "a.c": cSample, "a.cc": cppSample,
}

func TestE2OtherBytesUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		path := rapid.SampledFrom([]string{"a.py", "a.js", "a.tsx", "a.go", "n.txt", "a.php", "a.c", "a.cc"}).Draw(rt, "path")
		src := samples[path]
		if rapid.Bool().Draw(rt, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		if rapid.Bool().Draw(rt, "tabs") {
			src = strings.ReplaceAll(src, "    ", "\t")
		}
		if rapid.Bool().Draw(rt, "bom") {
			src = "\ufeff" + src
		}
		if rapid.Bool().Draw(rt, "cut") {
			src = strings.TrimRight(src, "\r\n")
		}
		regions, err := Regions(t.Context(), path, []byte(src))
		if err != nil {
			rt.Fatal(err)
		}
		r := rapid.SampledFrom(regions).Draw(rt, "region")
		code := rapid.OneOf(rapid.String(), rapid.Just("def f():\n  return 1\n"), rapid.Just("\tx\n\t\ty"), rapid.Just(src)).Draw(rt, "code")
		checkReplace(rt, path, []byte(src), r, code)
		checkReplace(rt, path, []byte(src), r, src[r.StartByte:r.EndByte])
	})
}

// checkReplace holds the promise of Replace for any region and code.
func checkReplace(t rapid.TB, path string, src []byte, r Region, code string) {
	t.Helper()
	keep := bytes.Clone(src)
	out, after, how, err := Replace(context.Background(), path, src, r.ID, code)
	if !bytes.Equal(src, keep) {
		t.Fatal("the source was written to")
	}
	same := code == string(src[r.StartByte:r.EndByte])
	switch {
	case errors.Is(err, ErrNoChange):
		if !bytes.Equal(out, src) {
			t.Fatalf("no change, but other bytes: %q", out)
		}
		return
	case strings.TrimSpace(code) == "" && err != nil:
		return
	case err != nil:
		t.Fatalf("replace %s with %q: %v", r.ID, code, err)
	case same:
		t.Fatalf("%s replaced by itself changes the file", r.ID)
	}
	if how.By != "id" {
		t.Fatalf("%s resolved by %s", r.ID, how.By)
	}
	prefix, suffix := src[:r.StartByte], src[r.EndByte:]
	if !bytes.HasPrefix(out, prefix) || !bytes.HasSuffix(out, suffix) || len(out) < len(prefix)+len(suffix) {
		t.Fatalf("replacing %s changed bytes outside it", r.ID)
	}
	if after.StartByte < r.StartByte || after.EndByte > len(out)-len(suffix) {
		t.Fatalf("the new region %+v lies outside the replaced span", after)
	}
}

// fuzzPaths has a file name of each kind.
var fuzzPaths = []string{"a.py", "a.js", "a.tsx", "a.go", "n.txt", "a.ts", "a.rb", "a.rs", "a.java", "a.php", "a.c", "a.cc"}

func FuzzReplace(f *testing.F) {
	for i, path := range fuzzPaths {
		f.Add(i, []byte(samples[path]), 1, "def f():\n    return 2\n")
	}
	f.Add(0, []byte("\ufeffif x:\r\n\tdef f(): pass"), 0, "\tdef f():\n\t\t'''\n'''")
	f.Fuzz(func(t *testing.T, language int, src []byte, which int, code string) {
		path := fuzzPaths[(language%len(fuzzPaths)+len(fuzzPaths))%len(fuzzPaths)]
		if len(src) > 20_000 || len(code) > 5_000 {
			return
		}
		regions, err := Regions(t.Context(), path, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(regions) == 0 {
			return
		}
		r := regions[(which%len(regions)+len(regions))%len(regions)]
		checkReplace(t, path, src, r, code)
		checkReplace(t, path, src, r, string(src[r.StartByte:r.EndByte]))
	})
}

func FuzzRegions(f *testing.F) {
	for i, path := range fuzzPaths {
		f.Add(i, []byte(samples[path]))
	}
	f.Add(6, []byte("class A\n def f\n end\nend"))
	f.Add(7, []byte("impl S { fn f() {} }"))
	f.Add(8, []byte("class A { void f() {} }"))
	f.Fuzz(func(t *testing.T, language int, src []byte) {
		path := fuzzPaths[(language%len(fuzzPaths)+len(fuzzPaths))%len(fuzzPaths)]
		if len(src) > 20_000 {
			return
		}
		regions, err := Regions(t.Context(), path, src)
		if err != nil {
			t.Fatal(err)
		}
		checkRegions(t, path, src, regions)
		for _, r := range regions {
			if got, how, err := Resolve(regions, r.ID); err != nil || how.By != "id" || got != r {
				t.Errorf("%s resolves to %+v %+v %v", r.ID, got, how, err)
			}
		}
		if _, err := Check(t.Context(), path, src); err != nil {
			t.Error(err)
		}
	})
}
