// Package dedupe merges customer records of the same person.
package dedupe

import (
	"example.com/dedupe/cluster"
	"example.com/dedupe/record"
)

// Match groups the records that belong together. Groups and their members are
// in the order of the input.
func Match(customers []record.Customer) [][]record.Customer {
	sets := cluster.New(len(customers))
	first := map[string]int{}
	for i, c := range customers {
		for _, key := range c.Keys() {
			if j, seen := first[key]; seen {
				sets.Union(j, i)
			} else {
				first[key] = i
			}
		}
	}
	var groups [][]record.Customer
	for _, members := range sets.Groups() {
		group := make([]record.Customer, len(members))
		for k, i := range members {
			group[k] = customers[i]
		}
		groups = append(groups, group)
	}
	return groups
}
