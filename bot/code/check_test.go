package code

import (
	"strings"
	"testing"
)

func TestE4CheckFindsSyntaxErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, src string
		line      int
		message   string
	}{
		{"a.py", "def f(:\n    return 1\n", 1, ""},
		{"a.py", "x = 1\n  y = 2\n", 2, ""},
		{"a.py", "def f():\nreturn 1\n", 2, "expected an indented block"},
		{"a.py", "if x:\n        a()\n    b()\n", 3, "unindent"},
		{"a.py", "if x:\n\ta()\n        b()\n", 3, "tabs and spaces"},
		{"a.py", "def f():\n", 2, "indented block"},
		{"a.py", "def f():\n    return (1\n", 0, ""},
		{"a.py", "print 'x'\n", 1, "print is a function"},
		{"a.py", "def f(a, b, a): pass\n", 1, "duplicate"},
		{"a.py", "def f(a=1, b): pass\n", 1, "default"},
		{"a.py", "f(a=1, b)\n", 1, "positional"},
		{"a.py", "f(a=1, a=2)\n", 1, "twice"},
		{"a.py", "x = b'a' 'b'\n", 1, "side by side"},
		{"a.py", "x = 0777\n", 1, "begin with 0"},
		{"a.py", "try:\n    pass\nx = 1\n", 1, "except"},
		{"a.py", "return 1\n", 1, "outside a function"},
		{"a.py", "\\", 1, "ends behind a backslash"},
		{"a.py", "x = 1 \\\n", 1, "ends behind a backslash"},
		{"a.py", "for x in y:\n    pass\nelse:\n    break\n", 4, "outside a loop"},
		{"a.js", "function f( { return 1; }\n", 1, ""},
		{"a.js", "const x = {a: 1;\n", 0, ""},
		{"a.ts", "let x: = 1;\n", 1, ""},
		{"a.go", "package p\n\nfunc f() {\n\tx := \n}\n", 5, "expected operand"},
		{"a.go", "package p\n\nfunc f() {\n", 0, ""},
		{"a.php", "<?php\nfunction f( { return 1; }\n", 2, ""},
		{"a.php", "<?php\n#[A]\nfunction f() {\n", 3, "never closed"},
		{"a.php", "<?php\n$a = 1\n$b = 2;\n", 0, ""},
		{"a.c", "int f(void) {\n\treturn (1;\n}\n", 2, ""},
		{"a.c", "int f(void) {\n\tif (a) {\n\treturn 1;\n}\n", 0, ""},
		{"a.h", "struct s { int a }\n", 1, ""},
		{"a.cc", "class A {\n  void f() { x = ; }\n};\n", 2, ""},
	}
	for _, test := range tests {
		errs, err := Check(t.Context(), test.path, []byte(test.src))
		if err != nil || len(errs) == 0 {
			t.Errorf("%q: %v, %v; want a syntax error", test.src, errs, err)
			continue
		}
		if e := errs[0]; test.line > 0 && e.Line != test.line || !strings.Contains(e.Message, test.message) {
			t.Errorf("%q: %v, want line %d with %q", test.src, e, test.line, test.message)
		}
	}
}

func TestCheckAcceptsWhatIsRight(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"v.ts": "interface A</** c **/\nout T, // d\n\tin U, /* e */ in out V> {}\n", "l.js": "let a\n[a, b] = f()\nvar c \r\n  [c] = d\n", "r.js": "export { a, function, b, null } from 'm';\n",
		"w.ts":  "const f: {\n  (a: A): void\n  <B>(b: B): C<B>\n  <D>(d: D): void\n}\nexport const g =\n  <A>(a: A) =>\n  <B>(b: B) => b\ninterface V<out T> {}\n",
		"e2.py": "x = 1 \\\n\n# \\\n",
		"a.py":  pythonSample, "a.js": scriptSample, "a.tsx": tsxSample, "a.go": goSample, "a.php": phpSample, "a.c": cSample, "a.cc": cppSample, "n.txt": "{{{", "e.py": "",
		"b.py": "\ufeffx = {\n'a':\n1}\nif x: y\nelse:\n\tz = '''\n a'''\n\n  # odd comment\n\tw = 1 + \\\n  2\n\nclass A: pass\n",
		"g.py": "def f(a, /, b=1, *c, d, e=2, **g): return g\nf(1, *x, b=1, *y, **z, c=2)\nlambda a, b=1, *, c: a\nwhile 1:\n    def g(): return 0\n    break\nx = b'a' rb'b'; y = 'a' f'b'; z = 00 + 0_0 + 09.5 + 0j + 07e1\n",
		"h.py": "class A:\n    for i in x:\n        continue\n    else:\n        y = 1\n@a\n# why\n@b\nclass B(A, metaclass=M, *c): pass\ntry: a()\nexcept* E: pass\ndef f[T](a: T, *b: T, c: T = 1) -> T: ...\n",
		"c.py": "def f():\r\n    x = a[1:]\r\n    return lambda: 1\r\n", "d.py": "if x:\n    f'{a:>{b}}'\n    pass # end:\n",
	} {
		if errs, err := Check(t.Context(), path, []byte(src)); err != nil || len(errs) > 0 {
			t.Errorf("%s: %v, %v", path, errs, err)
		}
	}
}

func TestAHeaderIsCOrCPP(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]Language{
		"": C, "int f(void);\n": C, "// class A {};\n/* namespace a { */\n": C, "#ifdef __cplusplus\nextern \"C\" {\nnamespace a {}\n#endif\nint f(void);\n": C,
		"struct class_a { int a; };\nconst char *s = \"a::b\";\n": C, "#include <stdio.h>\nint new;\n": C,
		"class A {\n};\n": CPP, "namespace a::b {\n}\n": CPP, "template <class T> T f(T);\n": CPP, "#include <vector>\n": CPP, "struct A { A() = default; };\n": CPP,
		"std::string f();\n": CPP, "struct A {\npublic:\n  int a;\n};\n": CPP, "enum class E { A };\n": CPP,
	} {
		if got := LanguageIn("a.h", []byte(src)); got != want {
			t.Errorf("%q is %s", src, got)
		}
	}
	if LanguageIn("a.c", []byte("class A {\n};\n")) != C || LanguageIn("a.hpp", nil) != CPP || LanguageOf("a.h") != C {
		t.Error("a name that says the language is not believed")
	}
}

func TestIsTest(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"test_a.py": true, "pkg/a_test.py": true, "tests/helpers.py": true, "conftest.py": true, "a.py": false, "attest.py": false,
		"a.test.js": true, "__tests__/a.ts": true, "a.spec.tsx": true, "test/a.mjs": true, "src/latest.js": false,
		"ATest.java": true, "src/test/java/Util.java": true, "m/src/test/java/Util.java": true, "TestA.java": true, "Latest.java": false, "Testament.java": false, "src/main/java/A.java": false,
		"a_spec.rb": true, "test_a.rb": true, "a_test.rb": true, "spec/helper.rb": true, "inspec.rb": false,
		"CartTest.php": true, "tests/Unit/Helper.php": true, "Tests/Bar.php": true, "src/Latest.php": false, "tests.php": false,
		"test_a.c": true, "a_test.cc": true, "a_unittest.cc": true, "tests/a.h": true, "unittests/A.cpp": true, "ATest.cpp": true, "attest.c": false, "contest.h": false,
		"a_test.go": true, "test/a.go": false, "contest.go": false, "README.md": false,
		"PriceTest.java": true, "a/PriceTests.java": true, "PriceIT.java": true, "PriceTestCase.java": true, "src/test/java/a/Helper.java": true, "AUDIT.java": false, "src/main/java/Contest.java": false,
	} {
		if IsTest(path) != want {
			t.Errorf("IsTest(%q) = %v", path, !want)
		}
	}
}
