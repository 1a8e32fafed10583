package cron

import (
	"testing"

	"agenda/civil"
)

func next(t *testing.T, spec, from string) string {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, err := civil.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	n, ok := s.Next(m)
	if !ok {
		return "never"
	}
	return n.String()
}

func check(t *testing.T, spec, from, want string) {
	t.Helper()
	if got := next(t, spec, from); got != want {
		t.Errorf("%s after %s: got %s, want %s", spec, from, got, want)
	}
}

func TestEveryMinute(t *testing.T) {
	check(t, "* * * * *", "2024-06-03 10:59", "2024-06-03 11:00")
}

func TestSteps(t *testing.T) {
	check(t, "*/15 * * * *", "2024-06-03 10:16", "2024-06-03 10:30")
	check(t, "5/20 * * * *", "2024-06-03 10:46", "2024-06-03 11:05")
}

func TestLaterToday(t *testing.T) {
	check(t, "15 12 * * *", "2024-06-03 10:35", "2024-06-03 12:15")
}

func TestTomorrow(t *testing.T) {
	check(t, "15 12 * * *", "2024-06-03 12:15", "2024-06-04 12:15")
}

func TestWeekdaysFromFriday(t *testing.T) {
	check(t, "0 9 * * 1-5", "2024-06-07 18:30", "2024-06-10 09:00")
}

func TestWeekdaysFromSaturdayEvening(t *testing.T) {
	check(t, "0 9 * * mon-fri", "2024-06-08 18:30", "2024-06-10 09:00")
}

func TestMonth(t *testing.T) {
	check(t, "0 0 1 3 *", "2024-06-08 18:30", "2025-03-01 00:00")
}

func TestLeapDay(t *testing.T) {
	check(t, "0 0 29 2 *", "2024-03-01 00:00", "2028-02-29 00:00")
}

func TestNever(t *testing.T) {
	check(t, "0 0 31 2 *", "2024-03-01 00:00", "never")
}

func TestDayOrWeekday(t *testing.T) {
	check(t, "0 0 15 * 1", "2024-06-10 23:59", "2024-06-15 00:00")
	check(t, "0 0 15 * 1", "2024-06-07 23:59", "2024-06-10 00:00")
}

func TestSundayIsSeven(t *testing.T) {
	check(t, "0 0 * * 7", "2024-06-03 23:59", "2024-06-09 00:00")
}

func TestMacros(t *testing.T) {
	check(t, "@hourly", "2024-06-03 10:10", "2024-06-03 11:00")
	check(t, "@monthly", "2024-06-03 10:10", "2024-07-01 00:00")
}

func TestParseErrors(t *testing.T) {
	for _, spec := range []string{"", "* * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "x * * * *", "* * 0 * *"} {
		if _, err := Parse(spec); err == nil {
			t.Errorf("%q: no error", spec)
		}
	}
}
