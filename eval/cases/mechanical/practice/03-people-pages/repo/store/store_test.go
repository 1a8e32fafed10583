package store

import (
	"errors"
	"testing"
)

func TestAddNumbersPeople(t *testing.T) {
	s := New()
	s.Add(Person{Name: "Ada", Email: "ada@example.com"})
	p, err := s.Add(Person{Name: "Grace", Email: " Grace@Example.com"})
	if err != nil || p.ID != 2 || p.Email != "grace@example.com" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAddDuplicate(t *testing.T) {
	s := New()
	s.Add(Person{Name: "Ada", Email: "ada@example.com"})
	if _, err := s.Add(Person{Name: "Ada B.", Email: "ADA@example.com"}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("got %v", err)
	}
}

func TestRemoveFreesTheAddress(t *testing.T) {
	s := New()
	p, _ := s.Add(Person{Name: "Ada", Email: "ada@example.com"})
	if !s.Remove(p.ID) || s.Remove(p.ID) {
		t.Error("Remove reports the wrong thing")
	}
	if _, err := s.Add(Person{Name: "Ada", Email: "ada@example.com"}); err != nil {
		t.Error(err)
	}
}

func TestFindAllWords(t *testing.T) {
	s := New()
	s.Add(Person{Name: "Ada Lovelace", Email: "ada@example.com", Team: "Engines"})
	s.Add(Person{Name: "Ada Byron", Email: "byron@example.com"})
	got := s.Find("ADA engines")
	if len(got) != 1 || got[0].Name != "Ada Lovelace" {
		t.Errorf("got %v", got)
	}
}

func TestFindSortsByName(t *testing.T) {
	s := New()
	for _, name := range []string{"Cid", "Ada", "Bob"} {
		s.Add(Person{Name: name, Email: name + "@example.com"})
	}
	got := s.Find("")
	if len(got) != 3 || got[0].Name != "Ada" || got[2].Name != "Cid" {
		t.Errorf("got %v", got)
	}
}
