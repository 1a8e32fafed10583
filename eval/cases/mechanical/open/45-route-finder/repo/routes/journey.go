// Package routes finds journeys in a network.
package routes

import (
	"strings"

	"ferries/network"
)

// Journey is a way from one harbour to another without visiting any twice.
type Journey struct {
	Hops []network.Hop
}

// Minutes is the time spent on the water.
func (j Journey) Minutes() int {
	sum := 0
	for _, hop := range j.Hops {
		sum += hop.Minutes
	}
	return sum
}

// Fare is the price of all crossings.
func (j Journey) Fare() int {
	sum := 0
	for _, hop := range j.Hops {
		sum += hop.Fare
	}
	return sum
}

// Stops gives the harbours of a journey, the first and last one included.
func (j Journey) Stops() []string {
	if len(j.Hops) == 0 {
		return nil
	}
	stops := []string{j.Hops[0].From}
	for _, hop := range j.Hops {
		stops = append(stops, hop.To)
	}
	return stops
}

// Via tells whether a journey calls at a harbour.
func (j Journey) Via(harbour string) bool {
	for _, stop := range j.Stops() {
		if stop == harbour {
			return true
		}
	}
	return false
}

func (j Journey) String() string {
	return strings.Join(j.Stops(), " > ")
}
