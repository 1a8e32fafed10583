// Package people reads lists of people.
package people

import (
	"fmt"
	"strconv"
	"strings"
)

// Person is one line of a list.
type Person struct {
	ID   int
	Name string
	Role string
	Days int // of leave that are left
	Boss int // zero for somebody without a boss
}

// Label is how a person is shown.
func (p Person) Label() string {
	if p.Role == "" {
		return p.Name
	}
	return fmt.Sprintf("%s (%s)", p.Name, p.Role)
}

// Parse reads lines with id, name, role, days and boss. A first line that
// begins with "id" is a heading.
func Parse(content string) ([]Person, error) {
	var list []Person
	for number, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || number == 0 && strings.HasPrefix(line, "id;") {
			continue
		}
		person, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		list = append(list, person)
	}
	return list, nil
}

func parseLine(line string) (Person, error) {
	cells := strings.Split(line, ";")
	if len(cells) != 5 {
		return Person{}, fmt.Errorf("expected 5 cells, got %d", len(cells))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	person := Person{Name: cells[1], Role: cells[2]}
	var err error
	if person.ID, err = positive(cells[0]); err != nil {
		return Person{}, err
	}
	if person.Name == "" {
		return Person{}, fmt.Errorf("no name")
	}
	if person.Days, err = strconv.Atoi(cells[3]); err != nil {
		return Person{}, fmt.Errorf("bad days %q", cells[3])
	}
	if cells[4] != "" {
		if person.Boss, err = positive(cells[4]); err != nil {
			return Person{}, err
		}
	}
	return person, nil
}

func positive(text string) (int, error) {
	number, err := strconv.Atoi(text)
	if err != nil || number <= 0 {
		return 0, fmt.Errorf("bad id %q", text)
	}
	return number, nil
}
