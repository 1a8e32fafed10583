package routes

import (
	"sort"

	"ferries/network"
)

// MaxHops is what travellers put up with.
const MaxHops = 8

type search struct {
	net   *network.Network
	goal  string
	limit int
	found []Journey
	seen  map[string]bool
}

// All gives the journeys between two harbours with at most limit hops, sorted
// by time, then by number of hops, then by their stops.
func All(net *network.Network, from, to string, limit int) []Journey {
	if from == to || !net.Knows(from) || !net.Knows(to) {
		return nil
	}
	s := &search{net: net, goal: to, limit: limit, seen: map[string]bool{from: true}}
	s.walk(from, nil)
	sort.SliceStable(s.found, func(a, b int) bool {
		return better(s.found[a], s.found[b])
	})
	return s.found
}

func (s *search) walk(at string, path []network.Hop) {
	if at == s.goal {
		s.keep(path)
		return
	}
	if len(path) == s.limit {
		return
	}
	for _, hop := range s.net.From(at) {
		if s.seen[hop.To] {
			continue
		}
		s.seen[hop.To] = true
		s.walk(hop.To, append(path, hop))
		s.seen[hop.To] = false
	}
}

func (s *search) keep(path []network.Hop) {
	s.found = append(s.found, Journey{Hops: path})
}

func better(a, b Journey) bool {
	if a.Minutes() != b.Minutes() {
		return a.Minutes() < b.Minutes()
	}
	if len(a.Hops) != len(b.Hops) {
		return len(a.Hops) < len(b.Hops)
	}
	return a.String() < b.String()
}

// Fastest gives the first of All.
func Fastest(net *network.Network, from, to string) (Journey, bool) {
	all := All(net, from, to, MaxHops)
	if len(all) == 0 {
		return Journey{}, false
	}
	return all[0], true
}

// Cheapest gives the journey with the lowest fare, the faster one of equals.
func Cheapest(net *network.Network, from, to string) (Journey, bool) {
	all := All(net, from, to, MaxHops)
	if len(all) == 0 {
		return Journey{}, false
	}
	best := all[0]
	for _, journey := range all[1:] {
		if journey.Fare() < best.Fare() {
			best = journey
		}
	}
	return best, true
}

// Avoiding leaves out the journeys that call at a harbour.
func Avoiding(all []Journey, harbour string) []Journey {
	var kept []Journey
	for _, journey := range all {
		if !journey.Via(harbour) {
			kept = append(kept, journey)
		}
	}
	return kept
}
