// Package stock keeps lots of goods and the order in which they expire.
package stock

import (
	"errors"
	"fmt"
	"sort"
)

// Day counts days since some fixed date; 0 means "does not expire".
type Day int

// Lot is a quantity of one article that arrived together.
type Lot struct {
	ID      string
	SKU     string
	Free    int
	Expires Day
}

var (
	ErrDuplicate = errors.New("lot exists already")
	ErrQuantity  = errors.New("quantity must be positive")
)

// Store holds lots by article.
type Store struct {
	lots map[string][]*Lot
	ids  map[string]*Lot
}

func NewStore() *Store {
	return &Store{lots: map[string][]*Lot{}, ids: map[string]*Lot{}}
}

// Add takes a new lot in.
func (s *Store) Add(l Lot) error {
	if l.Free <= 0 {
		return fmt.Errorf("lot %s: %w", l.ID, ErrQuantity)
	}
	if _, ok := s.ids[l.ID]; ok {
		return fmt.Errorf("lot %s: %w", l.ID, ErrDuplicate)
	}
	c := l
	s.ids[l.ID] = &c
	s.lots[l.SKU] = append(s.lots[l.SKU], &c)
	return nil
}

// Lot finds a lot by its id.
func (s *Store) Lot(id string) (*Lot, bool) {
	l, ok := s.ids[id]
	return l, ok
}

// Usable lists the lots of an article that still have goods on the given day,
// the one that expires first in front and lots without an expiry last.
func (s *Store) Usable(sku string, today Day) []*Lot {
	var out []*Lot
	for _, l := range s.lots[sku] {
		if l.Free == 0 {
			continue
		}
		if l.Expires != 0 && l.Expires <= today {
			continue
		}
		out = append(out, l)
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i].Expires, out[j].Expires
		if a == 0 || b == 0 {
			return a != 0 && b == 0
		}
		return a < b
	})
	return out
}

// SKUs lists all known articles.
func (s *Store) SKUs() []string {
	var out []string
	for sku := range s.lots {
		out = append(out, sku)
	}
	sort.Strings(out)
	return out
}
