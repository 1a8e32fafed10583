// Package plan finds time for meetings.
package plan

import (
	"fmt"
	"sort"

	"rooms/busy"
	"rooms/clock"
)

// Offer is a free time in a room.
type Offer struct {
	Room *busy.Room
	Span clock.Span
}

func (o Offer) String() string {
	return fmt.Sprintf("%s %s (%d seats)", o.Span, o.Room.Name, o.Room.Seats)
}

// Gaps gives the free times of a room in a day, in order.
func Gaps(room *busy.Room, day clock.Span) []clock.Span {
	var gaps []clock.Span
	free := day.From
	for _, booking := range room.At(day) {
		taken := booking.Span.Within(day)
		if taken.From > free {
			gaps = append(gaps, clock.Span{From: free, To: taken.From})
		}
		free = taken.To
	}
	if free < day.To {
		gaps = append(gaps, clock.Span{From: free, To: day.To})
	}
	return gaps
}

// Offers gives the gaps of at least some minutes in all rooms with enough
// seats, by their beginnings, then by the rooms.
func Offers(house *busy.House, day clock.Span, minutes, seats int) []Offer {
	var offers []Offer
	for _, room := range house.Rooms(seats) {
		for _, gap := range Gaps(room, day) {
			if gap.Minutes() >= minutes {
				offers = append(offers, Offer{Room: room, Span: gap})
			}
		}
	}
	sort.SliceStable(offers, func(a, b int) bool {
		return offers[a].Span.From < offers[b].Span.From
	})
	return offers
}

// Load is the share of a day in which a room is taken, in percent.
func Load(room *busy.Room, day clock.Span) int {
	taken := day.Minutes()
	for _, gap := range Gaps(room, day) {
		taken -= gap.Minutes()
	}
	return taken * 100 / day.Minutes()
}
