package cross_test

import (
	"testing"

	"github.com/fettle-dev/fettle/bot/verify/cross"
)

func TestS12bATestThatOnlyAsksForAMemberIsOneSided(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, src, name string
		want            bool
	}{
		{"test_a.py", "def test_a():\n    assert 'x' in f(1)\n", "test_a", true},
		{"test_a.py", "def test_a():\n    assert 'x' in f(1)\n    assert len(f(1)) == 1\n", "test_a", false},
		{"test_a.py", "def test_a():\n    assert 'x' not in f(1)\n", "test_a", false},
		{"test_a.py", "def test_a():\n    assert 'too large' in str(e.value)\n", "test_a", false},
		{"test_a.py", "class T(TestCase):\n    def test_a(self):\n        self.assertIn('x', f(1))\n", "T::test_a", true},
		{"test_a.py", "def test_b():\n    assert 'x' in f(1)\n", "test_a", false},
		{"a.test.js", "test('a', () => { assert.ok(f(1).includes('x')) })\n", "a", true},
		{"a.test.js", "test('a', () => { expect(f(1)).toContain('x') })\n", "a", true},
		{"a.test.js", "test('a', () => { assert.deepStrictEqual(f(1), ['x']) })\n", "a", false},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif !slices.Contains(f(1), \"x\") {\n\t\tt.Error()\n\t}\n}\n", "TestA", true},
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif f(1) != \"x\" {\n\t\tt.Error()\n\t}\n}\n", "TestA", false},
		{"a.txt", "x in y\n", "a", false},
	} {
		got, err := cross.OneSided(t.Context(), c.file, []byte(c.src), c.name)
		if err != nil || got != c.want {
			t.Errorf("%s: one-sided %t, %v\n%s", c.file, got, err, c.src)
		}
	}
}

func TestS12bAConstantThatBecameAnotherOneIsSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, before, after, name string
		moved                     bool
	}{
		{"a.go", "package a\n\nconst Max = 30 * time.Second\n", "package a\n\nconst Max = Base << 12\n", "Max", true},
		{"a.go", "package a\n\nvar ErrOld = errors.New(\"old\")\n", "package a\n\nvar ErrOld = ErrGone\n", "ErrOld", true},
		{"a.go", "package a\n\nvar ErrOld = errors.New(\"old\")\n", "package a\n\nvar ErrOld = errors.New(\"too old\")\n", "ErrOld", false},
		{"a.go", "package a\n\nconst Max = 30\n", "package a\n\nconst Max  =  30\n", "Max", false},
		{"a.py", "LIMIT = 3\n", "LIMIT = 4\n", "LIMIT", true},
		{"a.py", "P = re.compile('a')\n", "P = re.compile('b')\n", "P", false},
		{"a.js", "const max = 3\n", "const max = 4\n", "max", true},
		{"a.js", "const f = (x) => 3\n", "const f = (x) => 4\n", "f", false},
	} {
		was, err := cross.Constants(t.Context(), c.file, []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		now, err := cross.Constants(t.Context(), c.file, []byte(c.after))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := was[c.name]; !ok || was[c.name].Moved(now[c.name]) != c.moved {
			t.Errorf("%s → %s: %v, %v", c.before, c.after, was, now)
		}
	}
}
