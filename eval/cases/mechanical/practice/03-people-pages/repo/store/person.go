// Package store keeps the people of the directory in memory.
package store

import "strings"

// Person is one entry of the directory.
type Person struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Team  string `json:"team,omitempty"`
}

func (p Person) matches(words []string) bool {
	text := strings.ToLower(p.Name + " " + p.Email + " " + p.Team)
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
