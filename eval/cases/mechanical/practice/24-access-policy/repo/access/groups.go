// Package access answers requests with the help of a policy.
package access

import "sort"

// Groups knows the members of groups; a group may be a member of another one.
type Groups struct {
	parents map[string][]string
}

func NewGroups() *Groups { return &Groups{parents: map[string][]string{}} }

// Join makes member (a user or a group) part of a group.
func (g *Groups) Join(member, group string) {
	g.parents[member] = append(g.parents[member], group)
}

// Subjects lists the user and all groups it belongs to, sorted.
func (g *Groups) Subjects(user string) []string {
	seen := map[string]bool{user: true}
	queue := []string{user}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, p := range g.parents[name] {
			if seen[p] {
				continue
			}
			seen[p] = true
			queue = append(queue, p)
		}
	}
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
