// Package busy knows the rooms of a house and their bookings.
package busy

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"rooms/clock"
)

// Booking is a time in which a room is taken.
type Booking struct {
	Span  clock.Span
	Title string
}

// Room has its bookings in the order of their beginnings.
type Room struct {
	Name     string
	Seats    int
	Bookings []Booking
}

// House holds rooms by name.
type House struct {
	rooms map[string]*Room
}

// Parse reads rooms and bookings, one in a line.
func Parse(content string) (*House, error) {
	house := &House{rooms: map[string]*Room{}}
	for number, line := range strings.Split(content, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := house.add(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	for _, room := range house.rooms {
		sort.SliceStable(room.Bookings, func(a, b int) bool {
			return room.Bookings[a].Span.From < room.Bookings[b].Span.From
		})
	}
	return house, nil
}

func (h *House) add(words []string) error {
	if words[0] == "room" {
		if len(words) != 3 {
			return fmt.Errorf("expected a name and seats")
		}
		seats, err := strconv.Atoi(words[2])
		if err != nil || seats < 1 {
			return fmt.Errorf("bad seats %q", words[2])
		}
		if h.rooms[words[1]] != nil {
			return fmt.Errorf("room %s is there already", words[1])
		}
		h.rooms[words[1]] = &Room{Name: words[1], Seats: seats}
		return nil
	}
	room := h.rooms[words[0]]
	if room == nil {
		return fmt.Errorf("no room %s", words[0])
	}
	if len(words) < 2 {
		return fmt.Errorf("expected a time")
	}
	span, err := clock.ParseSpan(words[1])
	if err != nil {
		return err
	}
	room.Bookings = append(room.Bookings, Booking{Span: span, Title: strings.Join(words[2:], " ")})
	return nil
}

// Rooms gives the rooms with enough seats, the smallest first, then by name.
func (h *House) Rooms(seats int) []*Room {
	var rooms []*Room
	for _, room := range h.rooms {
		if room.Seats >= seats {
			rooms = append(rooms, room)
		}
	}
	sort.Slice(rooms, func(a, b int) bool {
		if rooms[a].Seats != rooms[b].Seats {
			return rooms[a].Seats < rooms[b].Seats
		}
		return rooms[a].Name < rooms[b].Name
	})
	return rooms
}

// At gives the bookings of a room that have time in common with a span.
func (r *Room) At(span clock.Span) []Booking {
	var found []Booking
	for _, booking := range r.Bookings {
		if booking.Span.Meets(span) {
			found = append(found, booking)
		}
	}
	return found
}
