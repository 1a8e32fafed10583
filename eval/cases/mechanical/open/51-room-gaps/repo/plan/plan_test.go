package plan

import (
	"fmt"
	"strings"
	"testing"

	"rooms/busy"
	"rooms/clock"
)

var day = clock.Span{From: 8 * 60, To: 18 * 60}

func mustParse(t *testing.T, content string) *busy.House {
	t.Helper()
	house, err := busy.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	return house
}

func wantGaps(t *testing.T, spans string, want ...string) {
	t.Helper()
	content := "room Oak 6\n"
	for _, span := range strings.Fields(spans) {
		content += "Oak " + span + " x\n"
	}
	got := fmt.Sprint(Gaps(mustParse(t, content).Rooms(1)[0], day))
	if got != fmt.Sprint(want) {
		t.Errorf("%s: got %s, want %s", spans, got, want)
	}
}

func TestEmptyRoom(t *testing.T) {
	wantGaps(t, "", "08:00-18:00")
}

func TestOneBooking(t *testing.T) {
	wantGaps(t, "09:00-10:00", "08:00-09:00", "10:00-18:00")
}

func TestBookingsInARow(t *testing.T) {
	wantGaps(t, "10:00-11:00 09:00-10:00", "08:00-09:00", "11:00-18:00")
}

func TestOverlap(t *testing.T) {
	wantGaps(t, "09:00-10:30 10:00-11:00", "08:00-09:00", "11:00-18:00")
}

func TestBookingInABooking(t *testing.T) {
	wantGaps(t, "09:00-16:00 10:00-11:00", "08:00-09:00", "16:00-18:00")
}

func TestEdgesOfTheDay(t *testing.T) {
	wantGaps(t, "07:00-09:00 17:00-20:00 05:00-06:00", "09:00-17:00")
}

func TestOffers(t *testing.T) {
	house := mustParse(t, "room Oak 6\nroom Elm 12\nOak 09:00-17:30\nElm 08:00-12:00\n")
	got := fmt.Sprint(Offers(house, day, 60, 2))
	if got != "[08:00-09:00 Oak (6 seats) 12:00-18:00 Elm (12 seats)]" {
		t.Errorf("got %s", got)
	}
}

func TestSeats(t *testing.T) {
	house := mustParse(t, "room Oak 6\nroom Elm 12\n")
	if got := Offers(house, day, 60, 7); len(got) != 1 || got[0].Room.Name != "Elm" {
		t.Errorf("got %v", got)
	}
}

func TestLoad(t *testing.T) {
	house := mustParse(t, "room Oak 6\nOak 08:00-13:00 fair\nOak 09:00-10:00 talk\n")
	if got := Load(house.Rooms(1)[0], day); got != 50 {
		t.Errorf("got %d", got)
	}
}

func TestBadLines(t *testing.T) {
	for _, content := range []string{"Oak 09:00-10:00", "room Oak", "room Oak 0", "room A 1\nroom A 1", "room A 1\nA", "room A 1\nA 9-10"} {
		if _, err := busy.Parse(content); err == nil {
			t.Errorf("no error for %q", content)
		}
	}
}
