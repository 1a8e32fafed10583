package cluster

import (
	"reflect"
	"testing"
)

func TestUnionMore(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		links [][2]int
		want  [][]int
	}{
		{"member joins another pair", 4, [][2]int{{0, 1}, {2, 1}}, [][]int{{0, 1, 2}, {3}}},
		{"member on the left", 4, [][2]int{{0, 1}, {1, 2}}, [][]int{{0, 1, 2}, {3}}},
		{"star from the tips", 5, [][2]int{{0, 4}, {1, 4}, {2, 4}, {3, 4}}, [][]int{{0, 1, 2, 3, 4}}},
		{"chain backwards", 5, [][2]int{{3, 4}, {2, 3}, {1, 2}, {0, 1}}, [][]int{{0, 1, 2, 3, 4}}},
		{"chain turned round", 5, [][2]int{{1, 0}, {2, 1}, {3, 2}, {4, 3}}, [][]int{{0, 1, 2, 3, 4}}},
		{"two triples by their last", 6, [][2]int{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {2, 5}}, [][]int{{0, 1, 2, 3, 4, 5}}},
		{"two groups stay apart", 6, [][2]int{{0, 3}, {5, 3}, {1, 4}, {2, 4}}, [][]int{{0, 3, 5}, {1, 2, 4}}},
	} {
		s := New(c.n)
		for _, link := range c.links {
			s.Union(link[0], link[1])
		}
		if got := s.Groups(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if s.Count() != len(c.want) {
			t.Errorf("%s: count %d, want %d", c.name, s.Count(), len(c.want))
		}
	}
}

func TestCountAgreesWithGroups(t *testing.T) {
	s := New(20)
	seed := 7
	for k := 0; k < 60; k++ {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		a := seed >> 8
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b := seed >> 8
		a, b = a%20, b%20
		joined := s.Find(a) != s.Find(b)
		if s.Union(a, b) != joined || s.Find(a) != s.Find(b) {
			t.Fatalf("step %d: union of %d and %d", k, a, b)
		}
		if len(s.Groups()) != s.Count() {
			t.Fatalf("step %d: %d groups, count %d", k, len(s.Groups()), s.Count())
		}
	}
}
