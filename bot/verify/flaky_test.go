package verify

import (
	"slices"
	"testing"
)

func TestC6OrderDependenceIsNamed(t *testing.T) {
	t.Parallel()
	r := from(t, `
-- test_order.py --
import unittest

STATE = []


class T(unittest.TestCase):
    def test_a_leaves_something(self):
        STATE.append(1)

    def test_b_wants_nothing_there(self):
        self.assertEqual(STATE, [])

    def test_c_is_red(self):
        self.assertEqual(1, 2)
`)
	want := []string{"unittest:.:test_order.py::T::test_b_wants_nothing_there"}
	if base := baseline(t, verifier(t), r); !slices.Equal(base.Order, want) || !slices.Equal(base.Flaky, want) {
		t.Errorf("order %q, flaky %q", base.Order, base.Flaky)
	}
}
