package calendar

import (
	"testing"
	"time"
)

func office(t *testing.T) *Calendar {
	t.Helper()
	c, err := New(map[string]string{"2024-12-25": "Christmas", "2024-12-26": "Boxing Day", "2025-01-01": "New Year"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t *testing.T, got, want time.Time) {
	t.Helper()
	if !got.Equal(want) {
		t.Errorf("got %s, want %s", got.Format(layout), want.Format(layout))
	}
}

func TestIsBusiness(t *testing.T) {
	c := office(t)
	if !c.IsBusiness(Date(2024, 12, 24)) || c.IsBusiness(Date(2024, 12, 25)) || c.IsBusiness(Date(2024, 12, 28)) {
		t.Error("wrong kind of day")
	}
}

func TestHolidayName(t *testing.T) {
	if got := office(t).Name(Date(2024, 12, 26)); got != "Boxing Day" {
		t.Errorf("got %q", got)
	}
}

func TestNewBadDate(t *testing.T) {
	if _, err := New(map[string]string{"25.12.2024": "Christmas"}); err == nil {
		t.Error("no error")
	}
}

func TestRoll(t *testing.T) {
	check(t, office(t).Roll(Date(2024, 12, 24)), Date(2024, 12, 24))
	check(t, office(t).Roll(Date(2024, 12, 25)), Date(2024, 12, 27))
}

func TestShiftOverHolidays(t *testing.T) {
	check(t, office(t).Shift(Date(2024, 12, 23), 3), Date(2024, 12, 30))
}

func TestShiftByNothing(t *testing.T) {
	check(t, office(t).Shift(Date(2024, 12, 25), 0), Date(2024, 12, 25))
}

func TestBetween(t *testing.T) {
	if got := office(t).Between(Date(2024, 12, 20), Date(2024, 12, 30)); got != 4 {
		t.Errorf("got %d, want 4", got)
	}
	if got := office(t).Between(Date(2024, 12, 20), Date(2024, 12, 20)); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
}

func TestEndOfMonth(t *testing.T) {
	check(t, EndOfMonth(Date(2024, 2, 10)), Date(2024, 2, 29))
	check(t, EndOfMonth(Date(2024, 12, 31)), Date(2024, 12, 31))
}
