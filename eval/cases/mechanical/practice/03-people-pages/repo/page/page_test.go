package page

import (
	"net/url"
	"testing"
)

func TestParseDefaults(t *testing.T) {
	req, err := Parse(url.Values{})
	if err != nil || req != (Request{1, DefaultSize}) {
		t.Errorf("got %v, %v", req, err)
	}
}

func TestParseLimitsSize(t *testing.T) {
	req, err := Parse(url.Values{"size": {"5000"}, "page": {"3"}})
	if err != nil || req != (Request{3, MaxSize}) {
		t.Errorf("got %v, %v", req, err)
	}
}

func TestParseRejects(t *testing.T) {
	for _, q := range []url.Values{{"page": {"0"}}, {"page": {"x"}}, {"size": {"-1"}}} {
		if _, err := Parse(q); err == nil {
			t.Errorf("%v: no error", q)
		}
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ number, size, total, from, to int }{
		{1, 10, 25, 0, 10},
		{2, 10, 25, 10, 20},
		{3, 10, 25, 20, 25},
		{1, 10, 0, 0, 0},
	} {
		from, to := Request{c.number, c.size}.Bounds(c.total)
		if from != c.from || to != c.to {
			t.Errorf("%v: got %d, %d", c, from, to)
		}
	}
}

func TestPages(t *testing.T) {
	if got := (Request{1, 10}).Pages(21); got != 3 {
		t.Errorf("got %d", got)
	}
	if got := (Request{1, 10}).Pages(20); got != 2 {
		t.Errorf("got %d", got)
	}
}

func TestLinksInTheMiddle(t *testing.T) {
	base, _ := url.Parse("/people?q=a")
	want := `</people?page=1&q=a&size=10>; rel="prev", </people?page=3&q=a&size=10>; rel="next"`
	if got := Links(base, Request{2, 10}, 30); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLinksOfAnOnlyPage(t *testing.T) {
	base, _ := url.Parse("/people")
	if got := Links(base, Request{1, 10}, 7); got != "" {
		t.Errorf("got %s", got)
	}
}
