package invoice

import (
	"testing"

	"example.com/receivables/calendar"
	"example.com/receivables/terms"
)

func setUp(t *testing.T) (Book, Invoice) {
	t.Helper()
	c, err := calendar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	book := Book{Calendar: c, Policy: Policy{ReminderDays: 5, MaxReminders: 2, FeeCents: 500}}
	return book, Invoice{Number: "R1", Cents: 10000, Issued: calendar.Date(2024, 3, 1), Terms: terms.Terms{Days: 10}}
}

func TestDue(t *testing.T) {
	book, inv := setUp(t)
	if got := book.Due(inv); !got.Equal(calendar.Date(2024, 3, 11)) {
		t.Errorf("got %s", got)
	}
}

func TestReminders(t *testing.T) {
	book, inv := setUp(t)
	for _, c := range []struct{ day, want int }{{11, 0}, {15, 0}, {18, 1}, {25, 2}, {31, 2}} {
		if got := book.Reminders(inv, calendar.Date(2024, 3, c.day)); got != c.want {
			t.Errorf("March %d: got %d, want %d", c.day, got, c.want)
		}
	}
}

func TestNextReminder(t *testing.T) {
	book, inv := setUp(t)
	if got, ok := book.NextReminder(inv, calendar.Date(2024, 3, 12)); !ok || !got.Equal(calendar.Date(2024, 3, 18)) {
		t.Errorf("got %s, %v", got, ok)
	}
	if _, ok := book.NextReminder(inv, calendar.Date(2024, 3, 29)); ok {
		t.Error("a third reminder")
	}
}

func TestOwed(t *testing.T) {
	book, inv := setUp(t)
	if got := book.Owed(inv, calendar.Date(2024, 3, 19)); got != 10500 {
		t.Errorf("got %d", got)
	}
}
