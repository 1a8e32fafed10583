package loop

import (
	"testing"
	"testing/fstest"

	"github.com/fettle-dev/fettle/bot/task"
)

func TestC8AnExceptionThatTheCodeRaisesOnPurposeIsKnown(t *testing.T) {
	t.Parallel()
	s := newSources(fstest.MapFS{
		"shop.py":            {Data: []byte("def price(x):\n    if x < 0:\n        raise ValueError('negative %d' % x)\n    return {}[x]\n\n\ndef again(x):\n    try:\n        return price(x)\n    except ValueError:\n        raise\n")},
		"shop.go":            {Data: []byte("package shop\n\nfunc Price(x int) int {\n\tif x < 0 {\n\t\tpanic(\"negative\")\n\t}\n\treturn 1 / x\n}\n")},
		"tests/test_shop.py": {Data: []byte("def test_it():\n    raise ValueError('x')\n")},
	})
	for _, c := range []struct {
		name string
		f    task.Failure
		want bool
	}{
		{"raised", task.Failure{Kind: task.FailException, Exception: "ValueError", Trace: []task.Frame{{File: "tests/test_shop.py", Line: 1}, {File: "shop.py", Line: 3}}}, true},
		{"raised, and a library behind it", task.Failure{Kind: task.FailException, Exception: "ValueError", Trace: []task.Frame{{File: "shop.py", Line: 3}, {File: "/usr/lib/x.py", Line: 3}}}, true},
		{"passed on", task.Failure{Kind: task.FailException, Exception: "ValueError", Trace: []task.Frame{{File: "shop.py", Line: 11}}}, true},
		{"it fails while it is raised", task.Failure{Kind: task.FailException, Exception: "TypeError", Trace: []task.Frame{{File: "shop.py", Line: 3}}}, false},
		{"it comes of itself", task.Failure{Kind: task.FailException, Exception: "KeyError", Trace: []task.Frame{{File: "shop.py", Line: 4}}}, false},
		{"an assertion", task.Failure{Kind: task.FailAssertion, Exception: "AssertionError", Trace: []task.Frame{{File: "shop.py", Line: 3}}}, false},
		{"the test itself", task.Failure{Kind: task.FailException, Exception: "ValueError", Trace: []task.Frame{{File: "tests/test_shop.py", Line: 2}}}, false},
		{"a panic", task.Failure{Kind: task.FailException, Exception: "panic", Message: "negative", Trace: []task.Frame{{File: "shop.go", Line: 5}}}, true},
		{"a panic of Go's own", task.Failure{Kind: task.FailException, Exception: "panic", Message: "runtime error: integer divide by zero", Trace: []task.Frame{{File: "shop.go", Line: 7}}}, false},
		{"no trace", task.Failure{Kind: task.FailException, Exception: "ValueError"}, false},
	} {
		if got := s.raises(t.Context(), c.f); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
