package chart

import (
	"fmt"
	"strings"
)

// Text is the chart as an indented list.
func (c *Chart) Text() string {
	var out strings.Builder
	c.write(&out, c.Tops(), 0)
	return out.String()
}

func (c *Chart) write(out *strings.Builder, ids []int, level int) {
	for _, id := range ids {
		fmt.Fprintf(out, "%s%s\n", strings.Repeat("  ", level), c.Person(id).Label())
		c.write(out, c.Reports(id), level+1)
	}
}

// Team gives the ids of somebody and all below, in the order of Text.
func (c *Chart) Team(id int) []int {
	if c.Person(id) == nil {
		return nil
	}
	team := []int{id}
	for _, below := range c.Reports(id) {
		team = append(team, c.Team(below)...)
	}
	return team
}
