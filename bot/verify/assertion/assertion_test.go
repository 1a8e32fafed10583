package assertion

import (
	"strings"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// C10: what makes a test fail, in each language: what is held to what, and whether it
// could be a function of the test's own.
func TestC10WhatAsserts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang code.Language
		text string
		want string // statements, apart by " | "; a loose one with a ~
	}{
		{code.Python, "assert net(1) == 2\n", "assert net(1) == 2"},
		{code.Python, "with pytest.raises(ValueError):\n    net(1)\n", "with pytest.raises(ValueError):\n    net(1)"},
		{code.Python, "if got != 3:\n    raise AssertionError(got)\n", "if got != 3:\n    raise AssertionError(got)"},
		{code.Python, "if got != 3:\n    raise KeyError(got)\n", ""},
		{code.Python, "check.equal(net(1), 2)\n", "~check.equal(net(1), 2)"},
		{code.Python, "x = pytest.approx(3)\n", ""},
		{code.JavaScript, "await expect(net(1)).toBe(2);\n", "expect(net(1)).toBe(2)"},
		{code.JavaScript, "t.is(net(1), 2); equal(net(1), 2); expect(net(1));\n", "~t.is(net(1), 2) | ~equal(net(1), 2)"},
		{code.JavaScript, "if (got !== 2) { throw new Error(got); }\n", "if (got !== 2) { throw new Error(got); }"},
		{code.Go, "package p\n\nfunc f(t T) { if got := Net(1); got != 2 { t.Error(got) } }\n", "if got := Net(1); got != 2 { t.Error(got) }"},
		{code.Go, "package p\n\nfunc f(t T) { if Net(1) != nil { log.Print(err.Error()) }; require.Equal(t, 2, Net(1)) }\n", "require.Equal(t, 2, Net(1))"},
		{code.Go, "package p\n\nfunc f(h H) { if Net(1) != 2 { h.t.Fatal() } }\n", "~if Net(1) != 2 { h.t.Fatal() }"},
		{code.Ruby, "expect(net(1)).to eq 2\n", "~expect(net(1)).to eq 2"},
		{code.Java, "class A { void f() { assertEquals(2, net(1)); } }\n", "~assertEquals(2, net(1))"},
	} {
		tree, err := code.Parse(t.Context(), c.lang, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		tree.Walk(func(n code.Node) bool {
			a, ok := Of(n, tree.Root())
			if ok && a.Loose {
				got = append(got, "~"+a.Statement.Text())
			} else if ok {
				got = append(got, a.Statement.Text())
			}
			return !ok
		})
		if all := strings.Join(got, " | "); all != c.want {
			t.Errorf("%s: %q, want %q", c.text, all, c.want)
		}
	}
}
