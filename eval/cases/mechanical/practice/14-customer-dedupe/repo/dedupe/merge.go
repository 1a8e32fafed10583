package dedupe

import "example.com/dedupe/record"

// Merged is one person.
type Merged struct {
	record.Customer
	From []int
}

// Merge makes one record of a group: the least ID, and of every other field
// the filled value that was updated last.
func Merge(group []record.Customer) Merged {
	var m Merged
	var name, email, phone record.Customer
	newer := func(field string, c, best record.Customer, bestField string) bool {
		return field != "" && (bestField == "" || c.Updated.After(best.Updated))
	}
	for _, c := range group {
		m.From = append(m.From, c.ID)
		if m.ID == 0 || c.ID < m.ID {
			m.ID = c.ID
		}
		if newer(c.Name, c, name, name.Name) {
			name = c
		}
		if newer(c.Email, c, email, email.Email) {
			email = c
		}
		if newer(c.Phone, c, phone, phone.Phone) {
			phone = c
		}
		if c.Updated.After(m.Updated) {
			m.Updated = c.Updated
		}
	}
	m.Name, m.Email, m.Phone = name.Name, email.Email, phone.Phone
	return m
}

// Run matches and merges.
func Run(customers []record.Customer) []Merged {
	var out []Merged
	for _, group := range Match(customers) {
		out = append(out, Merge(group))
	}
	return out
}
