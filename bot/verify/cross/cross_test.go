package cross

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

const token = "k4711"

func TestC9ChangedFunctionsAreSabotaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, before, after, want string // "": there is nothing to sabotage
	}{
		{name: "a function", file: "a.py", before: "def f(x):\n    return x\n\n\ndef g():\n    return 1\n", after: "def f(x):\n    return x + 1\n\n\ndef g():\n    return 1\n",
			want: "def f(x):\n    raise RuntimeError(\"k4711\")\n    return x + 1\n\n\ndef g():\n    return 1\n"},
		{name: "a method, by tabs and CRLF", file: "a.py", before: "class A:\r\n\tdef f(self):\r\n\t\treturn 1\r\n", after: "class A:\r\n\tdef f(self):\r\n\t\treturn 2\r\n",
			want: "class A:\r\n\tdef f(self):\r\n\t\traise RuntimeError(\"k4711\")\r\n\t\treturn 2\r\n"},
		{name: "a function of one line", file: "a.py", before: "def f(): return 1\n", after: "def f(): return 2\n", want: "def f(): raise RuntimeError(\"k4711\"); return 2\n"},
		{name: "a constant beside it", file: "a.py", before: "X = 1\n\ndef f():\n    return X\n", after: "X = 2\n\ndef f():\n    return X - 1\n",
			want: "X = 2\n\ndef f():\n    raise RuntimeError(\"k4711\")\n    return X - 1\n"},
		{name: "a constant alone", file: "a.py", before: "X = 1\n", after: "X = 2\n"},
		{name: "a new file", file: "a.js", after: "export const f = (x) => x + 1;\n", want: "export const f = (x) => { throw new Error(\"k4711\"); };\n"},
		{name: "a method of JavaScript", file: "a.ts", before: "class A { f(): number { return 1; } }\n", after: "class A { f(): number { return 2; } }\n", want: "class A { f(): number { throw new Error(\"k4711\"); return 2; } }\n"},
		{name: "a function of Go", file: "a.go", before: "package a\n\nfunc F() int { return 1 }\n", after: "package a\n\nfunc F() int { return 2 }\n", want: "package a\n\nfunc F() int { panic(\"k4711\"); return 2 }\n"},
		{name: "a line of it", file: "a.py", before: "def f(x):\n    y = x\n    if y:\n        return 1\n    return y\n", after: "def f(x):\n    y = x\n    if y:\n        return 2\n    return y\n",
			want: "def f(x):\n    y = x\n    if y:\n        raise RuntimeError(\"k4711\")\n        return 2\n    return y\n"},
		{name: "a line added", file: "a.py", before: "def f(x):\n    y = x\n    return y\n", after: "def f(x):\n    y = x\n    if y == 3:\n        return 2\n    return y\n",
			want: "def f(x):\n    y = x\n    raise RuntimeError(\"k4711\")\n    if y == 3:\n        return 2\n    return y\n"},
		{name: "a line taken out", file: "a.py", before: "def f(x):\n    y = x\n    y += 1\n    return y\n", after: "def f(x):\n    y = x\n    return y\n",
			want: "def f(x):\n    raise RuntimeError(\"k4711\")\n    y = x\n    raise RuntimeError(\"k4711\")\n    return y\n"},
		{name: "the condition of a branch", file: "a.py", before: "def f(x):\n    y = x\n    if y:\n        return 1\n    elif x > 1:\n        return 2\n", after: "def f(x):\n    y = x\n    if y:\n        return 1\n    elif x > 2:\n        return 2\n",
			want: "def f(x):\n    y = x\n    raise RuntimeError(\"k4711\")\n    if y:\n        return 1\n    elif x > 2:\n        return 2\n"},
		{name: "a comment in it", file: "a.py", before: "def f(x):\n    y = x\n    return y\n", after: "def f(x):\n    y = x\n    # a word\n    return y\n",
			want: "def f(x):\n    raise RuntimeError(\"k4711\")\n    y = x\n    # a word\n    return y\n"},
		{name: "a line of JavaScript", file: "a.js", before: "function f(x) {\n  g(() => {\n    h(1);\n  });\n  return x;\n}\n", after: "function f(x) {\n  g(() => {\n    h(2);\n  });\n  return x;\n}\n",
			want: "function f(x) {\n  g(() => {\n    throw new Error(\"k4711\"); h(2);\n  });\n  return x;\n}\n"},
		{name: "a line of a case of Go", file: "a.go", before: "package a\n\nfunc F(x int) int {\n\tswitch x {\n\tcase 1:\n\t\treturn 1\n\t}\n\treturn x\n}\n", after: "package a\n\nfunc F(x int) int {\n\tswitch x {\n\tcase 1:\n\t\treturn 2\n\t}\n\treturn x\n}\n",
			want: "package a\n\nfunc F(x int) int {\n\tswitch x {\n\tcase 1:\n\t\tpanic(\"k4711\"); return 2\n\t}\n\treturn x\n}\n"},
		{name: "a method of Ruby", file: "a.rb", before: "def f(x)\n  x\nrescue Foo\n  1\nend\n", after: "def f(x)\n  x + 1\nrescue Foo\n  1\nend\n", want: "def f(x)\n  ::Kernel.raise ::Exception, \"k4711\"; x + 1\nrescue Foo\n  1\nend\n"},
		{name: "a method of Ruby without end", file: "a.rb", before: "def f(x) = x\n", after: "def f(x) = x + 1\n", want: "def f(x) = (::Kernel.raise ::Exception, \"k4711\"; x + 1)\n"},
		{name: "lines of Ruby in blocks", file: "a.rb", before: "def self.f(x)\n  x.each do |y|\n    g { |z| z }\n  end\n  if x\n    1\n  else\n    2\n  end\nend\n", after: "def self.f(x)\n  x.each do |y|\n    g { |z| z + 1 }\n  end\n  if x\n    1\n  else\n    3\n  end\nend\n",
			want: "def self.f(x)\n  x.each do |y|\n    ::Kernel.raise ::Exception, \"k4711\"; g { |z| z + 1 }\n  end\n  if x\n    1\n  else\n    ::Kernel.raise ::Exception, \"k4711\"; 3\n  end\nend\n"},
		{name: "lines of PHP", file: "a.php", before: "<?php\nclass A {\n    public static function f(array $x): int\n    {\n        foreach ($x as $y) {\n            $z += $y;\n        }\n        return $z;\n    }\n}\n", after: "<?php\nclass A {\n    public static function f(array $x): int\n    {\n        foreach ($x as $y) {\n            $z *= $y;\n        }\n        return $z;\n    }\n}\n",
			want: "<?php\nclass A {\n    public static function f(array $x): int\n    {\n        foreach ($x as $y) {\n            throw new \\Error(\"k4711\"); $z *= $y;\n        }\n        return $z;\n    }\n}\n"},
		{name: "a new function of PHP", file: "a.php", after: "<?php\nfunction f(int $x): int { return $x; }\n", want: "<?php\nfunction f(int $x): int { throw new \\Error(\"k4711\"); return $x; }\n"},
		{name: "a method of Java", file: "A.java", before: "class A { int f() { return 1; } }\n", after: "class A { int f() { return 2; } }\n", want: "class A { int f() { if (true) throw new Error(\"k4711\"); return 2; } }\n"},
		{name: "a constructor", file: "A.java", before: "class A extends B {\n  A(int x) {\n    super(x);\n    y = 1;\n  }\n}\n", after: "class A extends B {\n  A(int x) {\n    super(x + 1);\n    y = 2;\n  }\n}\n",
			want: "class A extends B {\n  A(int x) {\n    super(x + 1); if (true) throw new Error(\"k4711\");\n    if (true) throw new Error(\"k4711\"); y = 2;\n  }\n}\n"},
		{name: "a constructor that calls another, of one line", file: "A.java", before: "class A extends B { A(int x) { super(x); } }\n", after: "class A extends B { A(int y) { super(y); } }\n", want: "class A extends B { A(int y) { super(y); if (true) throw new Error(\"k4711\"); } }\n"},
		{name: "a line of a case of Java", file: "A.java", before: "class A {\n  int f(int x) {\n    switch (x) {\n      case 1:\n        return 1;\n    }\n    return x;\n  }\n}\n", after: "class A {\n  int f(int x) {\n    switch (x) {\n      case 1:\n        return 2;\n    }\n    return x;\n  }\n}\n",
			want: "class A {\n  int f(int x) {\n    switch (x) {\n      case 1:\n        if (true) throw new Error(\"k4711\"); return 2;\n    }\n    return x;\n  }\n}\n"},
		{name: "a lambda of Java", file: "A.java", before: "class A {\n  void f() {\n    g(x -> {\n      h(1);\n    });\n  }\n}\n", after: "class A {\n  void f() {\n    g(x -> {\n      h(2);\n    });\n  }\n}\n",
			want: "class A {\n  void f() {\n    g(x -> {\n      if (true) throw new Error(\"k4711\"); h(2);\n    });\n  }\n}\n"},
		{name: "a line of C++", file: "a.cc", before: "int f(int x) {\n  if (x) {\n    return 1;\n  }\n  return x;\n}\n", after: "int f(int x) {\n  if (x) {\n    return 2;\n  }\n  return x;\n}\n", want: "int f(int x) {\n  if (x) {\n    __builtin_trap(); return 2;\n  }\n  return x;\n}\n"},
		{name: "a case of C", file: "a.c", before: "int f(int x) {\n  switch (x) {\n    case 1: return 1;\n  }\n  return x;\n}\n", after: "int f(int x) {\n  switch (x) {\n    case 2: return 1;\n  }\n  return x;\n}\n", want: "int f(int x) {\n  switch (x) {\n    case 2: __builtin_trap(); return 1;\n  }\n  return x;\n}\n"},
		{name: "a function of C", file: "a.c", before: "int f(int x) { return 1; }\n", after: "int f(int x) { return 2; }\n", want: "int f(int x) { __builtin_trap(); return 2; }\n"},
		{name: "a text of no language", file: "a.md", before: "a", after: "b"},
		{name: "gone", file: "a.py", before: "def f():\n    return 1\n"},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Sabotage(t.Context(), c.file, bytesOf(c.before), bytesOf(c.after), token)
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

func TestC9ExpectationsAreMadeWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, src, test string
		line                  int
		want                  string // a part; "" when nothing can be done
	}{
		{name: "an assertion", file: "test_a.py", src: "def test_a():\n    assert f(1) == 2, 'why'\n", test: "test_a", want: `assert f(1) == (2, "k4711"), 'why'`},
		{name: "only the one that failed", file: "test_a.py", src: "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n", test: "test_a[x::y]", line: 3, want: "f(1) == 2\n    assert f(2) == (3, \"k4711\")"},
		{name: "one in a helper", file: "test_a.py", src: "def check(x):\n    assert x\n\ndef test_a():\n    check(1)\n", test: "test_a", line: 2, want: "assert not (x)"},
		{name: "of a method", file: "test_a.py", src: "class A:\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n\nclass B:\n    def test_a(self):\n        self.assertEqual(f(1), 3)\n", test: "B::test_a", want: "f(1), 2)\n\nclass B:\n    def test_a(self):\n        self.assertEqual(f(1), (3, \"k4711\"))"},
		{name: "an exception", file: "test_a.py", src: "def test_a():\n    with pytest.raises(ValueError):\n        f()\n", test: "test_a", line: 2, want: `pytest.raises(type("k4711", (Exception,), {}))`},
		{name: "no assertion", file: "test_a.py", src: "def test_a():\n    f()\n    # end\n", test: "test_a", want: "    f()\n    assert \"k4711\" == \"4711\"\n"},
		{name: "no assertion, and a way out before the end", file: "test_a.py", src: "def test_a():\n    if old:\n        return\n    check(f())\n", test: "test_a"},
		{name: "a test that is not there", file: "test_a.py", src: "def test_a():\n    assert f()\n", test: "test_b"},

		{name: "assert.strictEqual", file: "a.test.js", src: "test('adds', () => {\n  assert.strictEqual(f(1), 2);\n});\n", test: "suite > adds", want: `strictEqual(f(1), [2, "k4711"])`},
		{name: "expect", file: "a.test.ts", src: "it(\"it's\", async () => {\n  expect(f(1)).toBe(2);\n});\n", test: "it's", line: 2, want: `toBe([2, "k4711"])`},
		{name: "what throws", file: "a.test.js", src: "test('x', () => { assert.throws(() => f(), /x/); });\n", test: "x", want: "assert.throws(() => {}, /x/)"},
		{name: "no assertion", file: "a.test.js", src: "test('x', () => { f(); });\n", test: "x", want: "=> { try { f(); \n} finally { throw new Error(\"k4711\"); } })"},
		{name: "a test of a computed name", file: "a.test.js", src: "for (const n of [1]) test(`${n}`, () => { f(); });\n", test: "x1"},

		{name: "a tolerance, within which no NaN is", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tif got, err := F(); err != nil || math.Abs(got-2) > eps {\n\t\tt.Errorf(\"F() = %d\", got)\n\t}\n}\n", test: "TestF", line: 5, want: "; (!(err != nil)) && (math.Abs(got-2) <= eps) {"},
		{name: "a condition", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tif got := F(); got != 2 {\n\t\tt.Errorf(\"F() = %d\", got)\n\t}\n}\n", test: "TestF/sub", line: 5, want: "if got := F(); !(got != 2) {"},
		{name: "testify", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\trequire.Equal(t, 2, F())\n\trequire.NoError(t, err)\n}\n", test: "TestF", want: "require.Equal(t, []any{2, \"k4711\"}, F())\n\trequire.Error(t, err)"},
		{name: "no condition", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tF()\n}\n", test: "TestF", want: "{\ndefer t.Error(\"k4711\")\n\n\tF()\n}"},
		{name: "a subtest without a condition", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tfor _, c := range cases {\n\t\tt.Run(c, func(st *testing.T) { is(st, F(c)) })\n\t}\n}\n", test: "TestF/one", want: "func(st *testing.T) {\ndefer st.Error(\"k4711\")\n is(st, F(c)) })"},
		{name: "a subtest whose function stands elsewhere", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tt.Run(\"one\", testOne)\n}\n", test: "TestF/one"},
		{name: "a subtest that a helper makes", file: "a_test.go", src: "package a\n\nfunc TestF(t *testing.T) {\n\tall(t, F)\n}\n", test: "TestF/one"},
		{name: "an assertion of Rust", file: "a.rs", src: "#[test]\nfn a() {\n    assert_eq!(f(1), 2, \"why\");\n}\n", test: "tests::a", want: "assert_ne!(f(1), 2, \"why\")"},
		{name: "a condition of Rust", file: "a.rs", src: "#[test]\nfn a() {\n    assert!(f(1, 2) == 2, \"of {}\", 1);\n}\n", test: "a", want: "assert!(!(f(1, 2) == 2), \"of {}\", 1)"},
		{name: "no assertion of Rust", file: "a.rs", src: "#[test]\nfn a() {\n    f();\n}\n", test: "a", want: "f();\n ; panic!(\"k4711\"); }"},
		{name: "a test that has to panic", file: "a.rs", src: "#[test]\n#[should_panic]\nfn a() {\n    f();\n}\n", test: "a"},
		{name: "an expectation of RSpec", file: "a_spec.rb", src: "it \"adds: a > b\" do\n  expect(f(1)).to eq 2\n  expect(f(2)).not_to be_nil\nend\n", test: "Shop::Cart adds: a > b", want: "expect(f(1)).to eq [2, \"k4711\"]\n  expect(f(2)).to be_nil"},
		{name: "only the one that failed", file: "a_spec.rb", src: "it 'adds' do\n  expect(f(1)).to eq 2\n  expect(f(2)).to be > 3\nend\n", test: "adds", line: 3, want: "expect(f(1)).to eq 2\n  expect(f(2)).not_to be > 3"},
		{name: "what is raised", file: "a_spec.rb", src: "it('adds') { expect { f }.to raise_error(Foo, /x/) }\n", test: "adds", want: "expect { f }.not_to raise_error(Foo, /x/)"},
		{name: "should", file: "a_spec.rb", src: "it('adds') { f(1).should == 2 }\n", test: "adds", want: "f(1).should_not == 2"},
		{name: "a test without a title", file: "a_spec.rb", src: "it { is_expected.to eq 2 }\n", test: "Cart is expected to eq 2", line: 1, want: "it { is_expected.to eq 2; ::Kernel.raise ::Exception, \"k4711\" }"},
		{name: "no expectation", file: "a_spec.rb", src: "it 'adds' do\n  check(f)\nend\n", test: "Cart adds", want: "  begin; begin; check(f)\nend\nensure; ::Kernel.raise ::Exception, \"k4711\"\nend\nend\n"},
		{name: "an assertion, asked of the actual value", file: "a_test.rb", src: "class B < T\n  def test_a = assert_equal(1, f)\nend\nclass A < T\n  def test_a\n    assert_equal 2, f(1), 'why'\n  end\nend\n", test: "X::A#test_a", want: "assert_equal(1, f)\nend\nclass A < T\n  def test_a\n    assert_equal f(1), [2, \"k4711\"], 'why'"},
		{name: "a condition", file: "a_test.rb", src: "def test_a\n  assert f(1) == 2, 'why'\n  assert_in_delta 1.0, f, 0.1\nend\n", test: "A#test_a", want: "assert !(f(1) == 2), 'why'\n  refute_in_delta 1.0, f, 0.1"},
		{name: "what is raised in minitest", file: "a_test.rb", src: "def test_a\n  e = assert_raises(Foo) { f }\nend\n", test: "A#test_a", want: "assert_raises(Class.new(::StandardError)) { f }"},
		{name: "a spec of minitest", file: "a_spec.rb", src: "it 'adds up' do\n  _(f(1)).must_equal 2\n  _(f(2)).must_be_nil\nend\n", test: "Cart::total#test_0001_adds up", want: "_([2, \"k4711\"]).must_equal f(1)\n  _(f(2)).wont_be_nil"},
		{name: "a test with a title", file: "a_test.rb", src: "test 'adds  up' do\n  refute f(1)\nend\n", test: "A#test_adds_up", want: "refute !(f(1))"},
		{name: "no assertion of a method with a rescue", file: "a_test.rb", src: "def test_a\n  f\nrescue Foo\n  g\nend\n", test: "A#test_a", want: "  begin; begin; f\nrescue Foo\n  g\nend\nensure; ::Kernel.raise ::Exception, \"k4711\"\nend\nend\n"},
		{name: "assertions of PHPUnit", file: "ATest.php", src: "<?php\nclass BTest extends T { function testA() { $this->assertSame(1, f()); } }\nclass ATest extends T {\n    public function testA(): void\n    {\n        $this->assertSame(2, f(1), 'why');\n        self::assertNotNull(f(2));\n        \\PHPUnit\\Framework\\assertTrue(f(3));\n    }\n}\n", test: "ATest::testA with data set \"x::y\"",
			want: "assertSame(1, f()); } }\nclass ATest extends T {\n    public function testA(): void\n    {\n        $this->assertSame([2, \"k4711\"], f(1), 'why');\n        self::assertNull(f(2));\n        \\PHPUnit\\Framework\\assertFalse(f(3));"},
		{name: "an exception of PHP", file: "ATest.php", src: "<?php\nclass ATest {\n    function testA() { $this->expectException(X::class); f(); }\n}\n", test: "ATest::testA", want: "expectException(get_class(new class extends \\Exception {})); f();"},
		{name: "no assertion of PHP", file: "ATest.php", src: "<?php\nclass ATest {\n    function testA() { f(); }\n}\n", test: "ATest::testA", want: "{ try { f(); \n} finally { throw new \\Error(\"k4711\"); } }"},
		{name: "JUnit 5", file: "ATest.java", src: "import org.junit.jupiter.api.Test;\nclass ATest {\n  @Test void a() { assertEquals(2, f(1), \"why\"); }\n  @Test void b() { assertEquals(2, f(2)); }\n}\n", test: "a(int)[2]", want: "assertEquals(java.util.Arrays.asList(2, \"k4711\"), f(1), \"why\"); }\n  @Test void b() { assertEquals(2, f(2));"},
		{name: "a displayed name", file: "ATest.java", src: "class ATest {\n  @Test\n  @DisplayName(\"a: 1\") void a() { assertTrue(f(1)); }\n}\n", test: "a: 1", want: "assertTrue(!(f(1)))"},
		{name: "JUnit 4 with a message", file: "ATest.java", src: "import org.junit.Test;\nclass ATest { @Test public void a() { assertEquals(\"why\", 2, f(1)); assertTrue(\"m\", f(2)); } }\n", test: "a", want: "assertEquals(\"why\", java.util.Arrays.asList(2, \"k4711\"), f(1)); assertTrue(\"m\", !(f(2)));"},
		{name: "a tolerance", file: "ATest.java", src: "import org.junit.Test;\nclass ATest { @Test public void a() { assertEquals(2.5, f(1), 1e-9); } }\n", test: "a", want: "assertEquals(Double.NaN, f(1), 1e-9)"},
		{name: "what throws", file: "ATest.java", src: "class ATest { void a() { assertThrows(X.class, () -> f()); } }\n", test: "a", want: "assertThrows(X.class, () -> {})"},
		{name: "an expected exception", file: "ATest.java", src: "class ATest { @Test(expected = X.class) public void a() { f(); } }\n", test: "a", want: "@Test(expected = java.lang.annotation.AnnotationFormatError.class)"},
		{name: "AssertJ", file: "ATest.java", src: "class ATest { void a() { assertThat(f(1)).as(\"x\").isEqualTo(2); assertThat(g()).isNotNull().isEmpty(); } }\n", test: "a", want: "isEqualTo((Object) java.util.Arrays.asList(2, \"k4711\")); assertThat(g()).isNotNull().isNotEmpty();"},
		{name: "Hamcrest", file: "ATest.java", src: "class ATest { void a() { assertThat(\"why\", f(1), is(2)); } }\n", test: "a", want: "f(1), org.hamcrest.CoreMatchers.not(is(2)))"},
		{name: "no assertion of Java", file: "ATest.java", src: "class ATest { void a() { f(); } }\n", test: "a", want: "{ try { f(); \n} finally { throw new Error(\"k4711\"); } }"},
		{name: "a method that is not there", file: "ATest.java", src: "class ATest { void a() { f(); } }\n", test: "b"},
		{name: "GoogleTest", file: "a_test.cc", src: "TEST(Total, Adds) {\n  EXPECT_EQ(f(1), 2);\n}\nTEST(Total, Other) { EXPECT_EQ(f(2), 2); }\n", test: "Inst/Total.Adds/0", want: "EXPECT_NE(f(1), 2);\n}\nTEST(Total, Other) { EXPECT_EQ"},
		{name: "Catch2", file: "a_test.cc", src: "TEST_CASE(\"f adds\", \"[f]\") {\n  REQUIRE(f(1) == 2);\n}\n", test: "f adds", want: "REQUIRE_FALSE(f(1) == 2)"},
		{name: "assert by its line", file: "test_a.c", src: "#include <assert.h>\nint main(void) {\n  assert(f(1) == 2);\n  return 0;\n}\n", test: "plain", line: 3, want: "assert(!(f(1) == 2))"},
		{name: "no assertion of C++", file: "a_test.cc", src: "TEST(A, B) { f(); }\n", test: "A.B", want: "f();  __builtin_trap(); }"},
		{name: "another language", file: "a_test.kt", src: "fun a() {}\n", test: "a"},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			got, left, err := Falsify(t.Context(), c.file, []byte(c.src), []Test{{c.test, c.line}}, Expectation, token)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(left) != 1 || string(got) != c.src {
					t.Errorf("something was done: %q", got)
				}
			} else if len(left) > 0 || !strings.Contains(string(got), c.want) {
				t.Errorf("want %q in\n%s", c.want, got)
			}
		})
	}
}

// Whatever the text, the questions parse where the text did, and leave what they
// do not change.
func FuzzCross(f *testing.F) {
	f.Add("test_a.py", "def f():\n    return 1\n", "def test_a():\n    assert f() == 2\n", "test_a", 2)
	f.Add("a.test.js", "", "test('a', () => { assert.equal(f(), 2) })", "a", 1)
	f.Add("a_spec.rb", "def f = 1", "it('a') { expect(f).to eq 2 }\n", "a", 0)
	f.Add("ATest.php", "", "<?php\nclass ATest { function testA() { $this->assertSame(1, f()); } }\n", "ATest::testA", 1)
	f.Add("a_test.go", "package a", "package a\n\nfunc TestA(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal()\n\t}\n}\n", "TestA", 0)
	f.Fuzz(func(t *testing.T, file, before, src, name string, line int) {
		clean, err := code.Check(t.Context(), file, []byte(src))
		if err != nil {
			t.Skip()
		}
		wrong, left, err := Falsify(t.Context(), file, []byte(src), []Test{{name, line}}, How(line%2), token)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) > 0 && string(wrong) != src {
			t.Fatalf("nothing could be done, and yet the text is another: %q", wrong)
		}
		if errs, _ := code.Check(t.Context(), file, wrong); len(clean) == 0 && len(errs) > 0 {
			t.Fatalf("the falsified test does not parse: %v\n%s", errs, wrong)
		}
		if _, err := Sabotage(t.Context(), file, []byte(before), []byte(src), token); err != nil {
			t.Fatal(err)
		}
	})
}

// A change of many lines is disguised as a whole; what is text inside of it stays.
func TestC9ALargeChangeIsDisguisedToo(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("def f(a, b):\n    return a\n\n\n", 700)
	text := "WORDS = \"\"\"\n" + strings.Repeat("words\n", 50) + "\"\"\"\n"
	got, err := Disguise(t.Context(), "a.py", nil, []byte(code+text+code), token)
	if n := strings.Count(string(got), "return (a) # k4711\n"); err != nil || n != 1400 {
		t.Errorf("%d of 1,400 lines are disguised: %v", n, err)
	}
	if strings.Contains(string(got), "words #") {
		t.Error("a comment stands inside of a text")
	}
}

func TestC9ADisguiseChangesNothingButTheText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, before, after, want string }{
		{"a.py", "def f(a, b):\n    return a - b\n", "def f(a, b):\n    return a - b - 0\n", "def f(a, b):\n    return (((a) - (b)) - (0)) # k4711\n"},
		{"a.py", "x = 1\n", "x = g(2, *y, k=3) or not z\n", "x = ((g((2), *y, k=3)) or (not (z))) # k4711\n"},
		{"a.py", "def f():\n    return 1\n", "def f():\n    return 1, 2\n", "def f():\n    return 1, 2 # k4711\n"},
		{"a.py", "x = 1\n", "x = '''\na # b\n'''\n", "x = '''\na # b\n''' # k4711\n"},
		{"a.js", "const f = (a) => a;\n", "const f = (a) => { return a + 1 };\r\n", "const f = (a) => { return ((a) + (1)) }; // k4711\r\n"},
		{"a.js", "f(1);\n", "f(...x, 2);\n", "f(...x, (2)); // k4711\n"},
		{"a.go", "package a\n\nfunc F() int { return 1 }\n", "package a\n\nfunc F() int { return 2 }\n", "package a\n\nfunc F() int { return (2) } // k4711\n"},
		{"a.go", "package a\n\nvar X = 1\n", "package a\n\nvar X = make([]int, 1+2)\n", "package a\n\nvar X = (make([]int, ((1)+(2)))) // k4711\n"},
		{"a.go", "package a\n\nfunc F() {\n\tx := 1\n}\n", "package a\n\nfunc F() {\n\tx := 1 + 2\n}\n", "package a\n\nfunc F() {\n\tx := ((1) + (2)) // k4711\n}\n"},
		{"a.py", "x = 1\n", "x = 1\n", ""},
		{"a.txt", "x\n", "y\n", ""},
	} {
		got, err := Disguise(t.Context(), c.file, []byte(c.before), []byte(c.after), token)
		if err != nil || string(got) != c.want {
			t.Errorf("%q:\n got %q\nwant %q %v", c.after, got, c.want, err)
		}
	}
}

// C6: a test of JavaScript whose name is filled in when it runs is found by what of its
// name is written.
func TestC6TestsWithNamesOutOfTemplatesAreFound(t *testing.T) {
	t.Parallel()
	const src = "for (const [rows, want] of table) {\n  test(`mirror of ${rows || 'nothing'}: ${want}`, () => {\n    assert.deepEqual(mirror(rows), want);\n  });\n}\ntest(`${a}${b}`, () => { other(); });\ntest(`two`, () => { two(); });\n"
	for name, want := range map[string]string{"mirror of ABC: ABA": "mirror(rows)", "rows > mirror of : ": "mirror(rows)", "rows mirror of A (x): y": "mirror(rows)", "two": "two()", "mirror ABC": "", "anything": ""} {
		got := Source(t.Context(), "a.test.js", []byte(src), name)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
