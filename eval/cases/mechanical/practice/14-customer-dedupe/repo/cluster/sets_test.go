package cluster

import (
	"reflect"
	"testing"
)

func TestNewSetsAreSingle(t *testing.T) {
	s := New(3)
	if s.Count() != 3 || !reflect.DeepEqual(s.Groups(), [][]int{{0}, {1}, {2}}) {
		t.Errorf("got %v", s.Groups())
	}
}

func TestUnion(t *testing.T) {
	s := New(4)
	if !s.Union(1, 3) || s.Union(3, 1) {
		t.Error("Union reports the wrong thing")
	}
	if s.Count() != 3 || !reflect.DeepEqual(s.Groups(), [][]int{{0}, {1, 3}, {2}}) {
		t.Errorf("got %v", s.Groups())
	}
}

func TestUnionWithItself(t *testing.T) {
	s := New(2)
	if s.Union(1, 1) || s.Count() != 2 {
		t.Errorf("got %d sets", s.Count())
	}
}

func TestUnionChain(t *testing.T) {
	s := New(5)
	for i := 1; i < 5; i++ {
		s.Union(i-1, i)
	}
	if s.Find(0) != s.Find(4) || s.Count() != 1 {
		t.Errorf("got %v", s.Groups())
	}
}

func TestUnionOfTwoPairs(t *testing.T) {
	s := New(4)
	s.Union(0, 1)
	s.Union(2, 3)
	s.Union(1, 3)
	if !reflect.DeepEqual(s.Groups(), [][]int{{0, 1, 2, 3}}) {
		t.Errorf("got %v", s.Groups())
	}
}

func TestGroupsOfNothing(t *testing.T) {
	if got := New(0).Groups(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
