// Package chart has the tree of who reports to whom.
package chart

import (
	"fmt"
	"sort"

	"roster/people"
)

// Chart holds people by id. The pointers it gives stay valid: changes of a person
// are seen by all questions that follow.
type Chart struct {
	byID    map[int]*people.Person
	boss    map[int]int
	reports map[int][]int
	tops    []int
}

// Build makes a chart of a list, which is not changed later on.
func Build(list []people.Person) (*Chart, error) {
	c := &Chart{byID: map[int]*people.Person{}, boss: map[int]int{}, reports: map[int][]int{}}
	for _, person := range list {
		if _, known := c.byID[person.ID]; known {
			return nil, fmt.Errorf("id %d is used twice", person.ID)
		}
		c.byID[person.ID] = &person
		c.boss[person.ID] = person.Boss
		if person.Boss == 0 {
			c.tops = append(c.tops, person.ID)
		} else {
			c.reports[person.Boss] = append(c.reports[person.Boss], person.ID)
		}
	}
	for _, person := range list {
		if person.Boss != 0 && c.byID[person.Boss] == nil {
			return nil, fmt.Errorf("%s reports to unknown %d", person.Name, person.Boss)
		}
	}
	if reached := c.count(c.tops); reached != len(list) {
		return nil, fmt.Errorf("%d people report in a ring", len(list)-reached)
	}
	return c, nil
}

func (c *Chart) count(ids []int) int {
	sum := len(ids)
	for _, id := range ids {
		sum += c.count(c.reports[id])
	}
	return sum
}

// Size is the number of people.
func (c *Chart) Size() int {
	return len(c.byID)
}

// Person finds somebody, nil if there is nobody with that id.
func (c *Chart) Person(id int) *people.Person {
	return c.byID[id]
}

// Reports gives the ids of those who report to somebody directly, by name.
func (c *Chart) Reports(id int) []int {
	return c.sorted(c.reports[id])
}

// Tops gives the ids of those without a boss, by name.
func (c *Chart) Tops() []int {
	return c.sorted(c.tops)
}

func (c *Chart) sorted(ids []int) []int {
	result := append([]int(nil), ids...)
	sort.SliceStable(result, func(a, b int) bool {
		return c.byID[result[a]].Name < c.byID[result[b]].Name
	})
	return result
}

// Chain gives the ids from somebody up to the top.
func (c *Chart) Chain(id int) []int {
	var chain []int
	for c.byID[id] != nil {
		chain = append(chain, id)
		id = c.boss[id]
	}
	return chain
}

// Common is the lowest one that both report to (or are), zero if there is none.
func (c *Chart) Common(a, b int) int {
	above := map[int]bool{}
	for _, id := range c.Chain(a) {
		above[id] = true
	}
	for _, id := range c.Chain(b) {
		if above[id] {
			return id
		}
	}
	return 0
}
