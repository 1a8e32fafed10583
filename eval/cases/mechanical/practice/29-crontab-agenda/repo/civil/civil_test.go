package civil

import "testing"

func TestParseAndString(t *testing.T) {
	m, err := Parse("2024-05-31 18:05")
	if err != nil || m.String() != "2024-05-31 18:05" {
		t.Fatalf("%v %v", m, err)
	}
	if _, err := Parse("2024-13-01 00:00"); err == nil {
		t.Fatal("no error")
	}
}

func TestDaysIn(t *testing.T) {
	for _, c := range [][3]int{{2023, 2, 28}, {2024, 2, 29}, {1900, 2, 28}, {2000, 2, 29}, {2024, 4, 30}, {2024, 12, 31}} {
		if got := DaysIn(c[0], c[1]); got != c[2] {
			t.Errorf("%v: %d", c, got)
		}
	}
}

func TestWeekday(t *testing.T) {
	if d := (Moment{2024, 6, 2, 0, 0}).Weekday(); d != 0 {
		t.Fatalf("got %d", d)
	}
}

func TestBefore(t *testing.T) {
	a, b := Moment{2024, 6, 2, 9, 0}, Moment{2024, 6, 2, 9, 1}
	if !a.Before(b) || b.Before(a) || a.Before(a) {
		t.Fatal("wrong order")
	}
}

func TestNextMinuteOverYearEnd(t *testing.T) {
	if got := (Moment{2023, 12, 31, 23, 59}).NextMinute(); got != (Moment{2024, 1, 1, 0, 0}) {
		t.Fatalf("got %v", got)
	}
}

func TestNextHour(t *testing.T) {
	if got := (Moment{2024, 2, 28, 23, 10}).NextHour(); got != (Moment{2024, 2, 29, 0, 0}) {
		t.Fatalf("got %v", got)
	}
	if got := (Moment{2024, 2, 28, 3, 10}).NextHour(); got != (Moment{2024, 2, 28, 4, 0}) {
		t.Fatalf("got %v", got)
	}
}

func TestNextMonth(t *testing.T) {
	if got := (Moment{2024, 1, 31, 5, 5}).NextMonth(); got != (Moment{2024, 2, 1, 0, 0}) {
		t.Fatalf("got %v", got)
	}
}
