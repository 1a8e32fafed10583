package store

import (
	"errors"
	"sort"
	"strings"
	"sync"
)

// ErrDuplicate is returned when an e-mail address is taken.
var ErrDuplicate = errors.New("store: e-mail address already present")

// Store is safe for concurrent use.
type Store struct {
	mu     sync.RWMutex
	nextID int
	people map[int]Person
	emails map[string]int
}

// New returns an empty store.
func New() *Store {
	return &Store{nextID: 1, people: map[int]Person{}, emails: map[string]int{}}
}

// Add files a person and gives it a number.
func (s *Store) Add(p Person) (Person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	email := strings.ToLower(strings.TrimSpace(p.Email))
	if _, taken := s.emails[email]; taken {
		return Person{}, ErrDuplicate
	}
	p.ID, p.Email = s.nextID, email
	s.nextID++
	s.people[p.ID] = p
	s.emails[email] = p.ID
	return p, nil
}

// Remove deletes a person and reports whether there was one.
func (s *Store) Remove(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.people[id]
	if ok {
		delete(s.people, id)
		delete(s.emails, p.Email)
	}
	return ok
}

// Find returns everybody who matches all words of the query, by name.
func (s *Store) Find(query string) []Person {
	s.mu.RLock()
	defer s.mu.RUnlock()
	words := strings.Fields(strings.ToLower(query))
	found := []Person{}
	for _, p := range s.people {
		if p.matches(words) {
			found = append(found, p)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		if found[i].Name != found[j].Name {
			return found[i].Name < found[j].Name
		}
		return found[i].ID < found[j].ID
	})
	return found
}
