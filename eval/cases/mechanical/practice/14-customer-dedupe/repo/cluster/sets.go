// Package cluster groups things that are linked.
package cluster

// Sets is a family of disjoint sets of the numbers below some n.
type Sets struct {
	parent []int
	count  int
}

// New makes n sets of one number each.
func New(n int) *Sets {
	s := &Sets{parent: make([]int, n), count: n}
	for i := range s.parent {
		s.parent[i] = i
	}
	return s
}

// Find gives the number that stands for the set of i.
func (s *Sets) Find(i int) int {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

// Union joins the sets of a and b and reports whether they were two.
func (s *Sets) Union(a, b int) bool {
	if s.Find(a) == s.Find(b) {
		return false
	}
	s.parent[b] = a
	s.count--
	return true
}

// Count is the number of sets.
func (s *Sets) Count() int { return s.count }

// Groups lists the sets by their least members, members in order.
func (s *Sets) Groups() [][]int {
	place := map[int]int{}
	var groups [][]int
	for i := range s.parent {
		root := s.Find(i)
		at, ok := place[root]
		if !ok {
			at = len(groups)
			place[root] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}
