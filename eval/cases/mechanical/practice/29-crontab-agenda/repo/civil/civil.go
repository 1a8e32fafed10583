// Package civil has wall-clock times without a time zone, to the minute.
package civil

import (
	"fmt"
	"time"
)

// Moment is a minute on the wall clock.
type Moment struct {
	Year, Month, Day, Hour, Minute int
}

const layout = "2006-01-02 15:04"

// Parse reads the form "2024-05-31 18:30".
func Parse(s string) (Moment, error) {
	t, err := time.Parse(layout, s)
	if err != nil {
		return Moment{}, fmt.Errorf("not a time: %q", s)
	}
	return Moment{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute()}, nil
}

func (m Moment) String() string {
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d", m.Year, m.Month, m.Day, m.Hour, m.Minute)
}

// Weekday counts from Sunday = 0.
func (m Moment) Weekday() int {
	return int(time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Weekday())
}

// Before compares two moments.
func (m Moment) Before(o Moment) bool {
	a := [5]int{m.Year, m.Month, m.Day, m.Hour, m.Minute}
	b := [5]int{o.Year, o.Month, o.Day, o.Hour, o.Minute}
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// DaysIn tells how many days a month has.
func DaysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// NextMinute is the following minute.
func (m Moment) NextMinute() Moment {
	m.Minute++
	if m.Minute == 60 {
		return m.NextHour()
	}
	return m
}

// NextHour is the start of the following hour.
func (m Moment) NextHour() Moment {
	m.Hour++
	m.Minute = 0
	if m.Hour == 24 {
		m.Hour = 0
		return m.NextDay()
	}
	return m
}

// NextDay moves on to the following day.
func (m Moment) NextDay() Moment {
	m.Day++
	if m.Day > DaysIn(m.Year, m.Month) {
		return m.NextMonth()
	}
	return m
}

// NextMonth moves on to the first of the following month.
func (m Moment) NextMonth() Moment {
	if m.Month == 12 {
		return Moment{Year: m.Year + 1, Month: 1, Day: 1}
	}
	return Moment{Year: m.Year, Month: m.Month + 1, Day: 1}
}
