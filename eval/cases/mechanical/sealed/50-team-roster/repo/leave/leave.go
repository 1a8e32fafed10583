// Package leave books days off.
package leave

import (
	"fmt"

	"roster/chart"
)

// Book takes days off the ones somebody has left.
func Book(c *chart.Chart, id, days int) error {
	person := c.Person(id)
	if person == nil {
		return fmt.Errorf("nobody has id %d", id)
	}
	if days <= 0 || days > person.Days {
		return fmt.Errorf("%s cannot take %d of %d days", person.Name, days, person.Days)
	}
	person.Days -= days
	return nil
}

// Left is the sum of the days that a team has left.
func Left(c *chart.Chart, boss int) int {
	sum := 0
	for _, id := range c.Team(boss) {
		sum += c.Person(id).Days
	}
	return sum
}

// Grant gives days to somebody and all below.
func Grant(c *chart.Chart, boss, days int) {
	for _, id := range c.Team(boss) {
		c.Person(id).Days += days
	}
}
