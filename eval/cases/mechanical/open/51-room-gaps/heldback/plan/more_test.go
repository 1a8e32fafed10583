package plan

import (
	"fmt"
	"testing"

	"rooms/busy"
	"rooms/clock"
)

func TestSeveralBookingsInABooking(t *testing.T) {
	wantGaps(t, "09:00-16:00 10:00-11:00 12:00-13:00 14:00-15:00", "08:00-09:00", "16:00-18:00")
	wantGaps(t, "09:00-16:00 10:00-12:00 10:30-11:00", "08:00-09:00", "16:00-18:00")
}

func TestNestedThenOverlapping(t *testing.T) {
	wantGaps(t, "09:00-12:00 10:00-11:00 11:30-13:00", "08:00-09:00", "13:00-18:00")
	wantGaps(t, "09:00-12:00 10:00-11:00 12:00-13:00", "08:00-09:00", "13:00-18:00")
	wantGaps(t, "09:00-12:00 10:00-11:00 12:30-13:00", "08:00-09:00", "12:00-12:30", "13:00-18:00")
}

func TestSameBeginning(t *testing.T) {
	wantGaps(t, "09:00-12:00 09:00-10:00", "08:00-09:00", "12:00-18:00")
	wantGaps(t, "09:00-10:00 09:00-12:00", "08:00-09:00", "12:00-18:00")
}

func TestSameEnd(t *testing.T) {
	wantGaps(t, "09:00-12:00 11:00-12:00", "08:00-09:00", "12:00-18:00")
}

func TestSameBookingTwice(t *testing.T) {
	wantGaps(t, "09:00-12:00 09:00-12:00", "08:00-09:00", "12:00-18:00")
}

func TestWholeDay(t *testing.T) {
	wantGaps(t, "08:00-18:00 10:00-11:00")
	wantGaps(t, "00:00-24:00 10:00-11:00 17:00-18:00")
	wantGaps(t, "07:00-18:00 08:00-09:00")
}

func TestTwoGroups(t *testing.T) {
	wantGaps(t, "08:30-10:00 09:00-09:15 11:00-15:00 12:00-13:00", "08:00-08:30", "10:00-11:00", "15:00-18:00")
}

func TestNestedAtTheEdges(t *testing.T) {
	wantGaps(t, "06:00-12:00 07:00-09:00", "12:00-18:00")
	wantGaps(t, "14:00-20:00 15:00-16:00", "08:00-14:00")
}

// Every set of three spans out of a small day is compared with a minute by
// minute count.
func TestAgainstACount(t *testing.T) {
	small := clock.Span{From: 0, To: 6}
	var spans []clock.Span
	for from := clock.Time(0); from < 6; from++ {
		for to := from + 1; to <= 6; to++ {
			spans = append(spans, clock.Span{From: from, To: to})
		}
	}
	for _, a := range spans {
		for _, b := range spans {
			for _, c := range spans {
				content := fmt.Sprintf("room R 1\nR %v\nR %v\nR %v\n", a, b, c)
				house, err := busy.Parse(content)
				if err != nil {
					t.Fatal(err)
				}
				room := house.Rooms(1)[0]
				var want []clock.Span
				for at := clock.Time(0); at < 6; at++ {
					minute := clock.Span{From: at, To: at + 1}
					if minute.Meets(a) || minute.Meets(b) || minute.Meets(c) {
						continue
					}
					if n := len(want); n > 0 && want[n-1].To == at {
						want[n-1].To = at + 1
					} else {
						want = append(want, minute)
					}
				}
				if got := Gaps(room, small); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s got %v, want %v", content, got, want)
				}
			}
		}
	}
}

func TestLoadWithNestedBookings(t *testing.T) {
	house := mustParse(t, "room Oak 6\nOak 08:00-18:00\nOak 09:00-10:00\nOak 10:00-11:00\n")
	room := house.Rooms(1)[0]
	if got := Load(room, day); got != 100 {
		t.Errorf("got %d", got)
	}
	if got := len(room.Bookings); got != 3 {
		t.Errorf("%d bookings", got)
	}
	if got := Offers(house, day, 1, 1); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
