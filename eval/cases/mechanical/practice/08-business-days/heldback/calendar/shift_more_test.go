package calendar

import "testing"

func TestShiftMore(t *testing.T) {
	c := office(t)
	for _, k := range []struct {
		day, n int
		want   string
	}{
		{24, -1, "2024-12-23"},
		{23, -1, "2024-12-20"},
		{27, -1, "2024-12-24"},
		{27, -2, "2024-12-23"},
		{28, -1, "2024-12-27"},
		{25, -1, "2024-12-24"},
		{30, -5, "2024-12-19"},
		{24, 1, "2024-12-27"},
		{28, 1, "2024-12-30"},
		{31, 1, "2025-01-02"},
		{20, 10, "2025-01-08"},
		{28, 0, "2024-12-28"},
	} {
		if got := c.Shift(Date(2024, 12, k.day), k.n).Format(layout); got != k.want {
			t.Errorf("December %d, %+d: got %s, want %s", k.day, k.n, got, k.want)
		}
	}
}

func TestShiftThereAndBack(t *testing.T) {
	c := office(t)
	for n := 1; n < 30; n++ {
		start := Date(2024, 12, 16)
		if back := c.Shift(c.Shift(start, n), -n); !back.Equal(start) {
			t.Errorf("%d: got back to %s", n, back.Format(layout))
		}
		if back := c.Shift(c.Shift(start, -n), n); !back.Equal(start) {
			t.Errorf("%d: got forth to %s", n, back.Format(layout))
		}
	}
}
