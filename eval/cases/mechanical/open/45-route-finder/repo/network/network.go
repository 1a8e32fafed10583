// Package network knows which harbours are connected.
package network

import (
	"fmt"
	"sort"
)

// Hop is one crossing.
type Hop struct {
	From, To string
	Minutes  int
	Fare     int
}

// Network holds the crossings by the harbour where they begin.
type Network struct {
	hops map[string][]Hop
}

// New gives a network without harbours.
func New() *Network {
	return &Network{hops: map[string][]Hop{}}
}

// Add puts a crossing into the network.
func (n *Network) Add(hop Hop) error {
	if hop.From == hop.To {
		return fmt.Errorf("crossing from %s to itself", hop.From)
	}
	if hop.Minutes <= 0 || hop.Fare < 0 {
		return fmt.Errorf("bad numbers from %s to %s", hop.From, hop.To)
	}
	n.hops[hop.From] = append(n.hops[hop.From], hop)
	if _, known := n.hops[hop.To]; !known {
		n.hops[hop.To] = nil
	}
	return nil
}

// AddBoth puts a crossing and its return into the network.
func (n *Network) AddBoth(hop Hop) error {
	if err := n.Add(hop); err != nil {
		return err
	}
	hop.From, hop.To = hop.To, hop.From
	return n.Add(hop)
}

// From gives the crossings that begin at a harbour, in the order of adding.
func (n *Network) From(harbour string) []Hop {
	return n.hops[harbour]
}

// Knows tells whether a harbour is part of the network.
func (n *Network) Knows(harbour string) bool {
	_, known := n.hops[harbour]
	return known
}

// Harbours gives all harbours in the order of their names.
func (n *Network) Harbours() []string {
	names := make([]string, 0, len(n.hops))
	for name := range n.hops {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
