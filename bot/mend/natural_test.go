package mend

import (
	"bytes"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/code/mutate"
)

func TestR2AChangeThatLeavesANameWithoutAUseIsDoubted(t *testing.T) {
	t.Parallel()
	const src = "from filters import narrow, order\n\n\ndef report(rows, limit):\n    top = limit + 1\n    rows = narrow(rows, top)\n    return order(rows, top)\n"
	for _, tc := range []struct{ old, new, want string }{
		{"narrow(rows, top)", "order(rows, top)", "narrow"},
		{"limit + 1", "len(rows)", "limit"},
		{"narrow(rows, top)", "narrow(rows, 2)", ""},
		{"order(rows, top)", "order(rows, 1)", ""},
		{"limit + 1", "limit - 1", ""},
	} {
		at := bytes.Index([]byte(src), []byte(tc.old))
		m := mutate.Mutation{Start: at, End: at + len(tc.old), Replacement: tc.new}
		from := bytes.Index([]byte(src), []byte("def"))
		c := candidate{original: []byte(src), start: m.Start, end: m.End, mutation: m,
			region: code.Region{StartByte: from, EndByte: len(src)}}
		if got := c.orphan(); got != tc.want {
			t.Errorf("%s → %s leaves %q without a use, want %q", tc.old, tc.new, got, tc.want)
		}
	}
}

func TestR2AChangeThatForgetsOnAReadPathIsDoubted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		src, insert string
		want        bool
	}{
		{"def get(self, name):\n    return self._items[name]\n", "    self._cache.clear()\n", true},
		{"def get(self, name):\n    return self._items[name]\n", "    self._sum = None\n", true},
		{"def add(self, name):\n    self._items.append(name)\n", "    self._sum = None\n", false},
		{"def put(self, name, n):\n    self._items[name] = n\n", "    self._cache.clear()\n", false},
		{"def total(self):\n    return self._sum\n", "    self._sum = None\n", false},
		{"get(name) {\n  return this.items[name];\n}\n", "  this.cache = {};\n", true},
		{"def get(self, name):\n    return self._items[name]\n", "    name = name.strip()\n", false},
	} {
		at := bytes.IndexByte([]byte(tc.src), '\n') + 1
		m := mutate.Mutation{Start: at, End: at, Replacement: tc.insert}
		c := candidate{original: []byte(tc.src), start: at, end: at, mutation: m, region: code.Region{EndByte: len(tc.src)}}
		if c.forgets() != tc.want {
			t.Errorf("%q put into\n%s: forgets %v", tc.insert, tc.src, c.forgets())
		}
	}
}

func TestR1AnInsertionJoinsAChangeAtItsPlace(t *testing.T) {
	t.Parallel()
	const src = "x = a + b\n"
	change := candidate{original: []byte(src), start: 4, end: 9, mutation: mutate.Mutation{Start: 4, End: 9, Replacement: "a - b"}, region: code.Region{EndByte: len(src)}}
	insert := candidate{original: []byte(src), start: 4, end: 4, mutation: mutate.Mutation{Start: 4, End: 4, Replacement: "-"}, region: change.region}
	for _, c := range []candidate{join(change, insert), join(insert, change)} {
		if string(c.text()) != "x = -a - b\n" {
			t.Errorf("%q", c.text())
		}
	}
}
