package page

import "testing"

func TestBoundsStayInsideTheList(t *testing.T) {
	for _, c := range []struct{ number, size, total, from, to int }{
		{1, 10, 10, 0, 10},
		{2, 10, 10, 10, 10},
		{3, 10, 10, 10, 10},
		{2, 10, 11, 10, 11},
		{3, 10, 11, 11, 11},
		{3, 10, 21, 20, 21},
		{2, 20, 0, 0, 0},
		{1000, 100, 25, 25, 25},
		{4, 1, 3, 3, 3},
		{3, 1, 3, 2, 3},
	} {
		from, to := Request{c.number, c.size}.Bounds(c.total)
		if from != c.from || to != c.to {
			t.Errorf("%+v: got %d, %d", c, from, to)
		}
	}
}

func TestBoundsWalkTheWholeList(t *testing.T) {
	for total := 0; total < 30; total++ {
		for size := 1; size < 12; size++ {
			seen := 0
			for number := 1; number <= 40; number++ {
				from, to := Request{number, size}.Bounds(total)
				if from < 0 || from > to || to > total || to-from > size {
					t.Fatalf("page %d of size %d of %d: %d, %d", number, size, total, from, to)
				}
				if from < to && from != seen {
					t.Fatalf("page %d of size %d of %d starts at %d, want %d", number, size, total, from, seen)
				}
				seen += to - from
			}
			if seen != total {
				t.Fatalf("size %d: %d of %d seen", size, seen, total)
			}
		}
	}
}
