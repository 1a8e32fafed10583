package cron

import (
	"fmt"
	"strings"

	"agenda/civil"
)

// Schedule is a parsed crontab notation.
type Schedule struct {
	minute, hour, day, month, weekday set
}

var macros = map[string]string{
	"@hourly":  "0 * * * *",
	"@daily":   "0 0 * * *",
	"@weekly":  "0 0 * * 0",
	"@monthly": "0 0 1 * *",
}

// Parse reads "minute hour day month weekday" or one of the macros.
func Parse(spec string) (Schedule, error) {
	if full, ok := macros[strings.TrimSpace(spec)]; ok {
		spec = full
	}
	f := strings.Fields(spec)
	if len(f) != 5 {
		return Schedule{}, fmt.Errorf("%q has %d fields, not 5", spec, len(f))
	}
	var s Schedule
	parts := []struct {
		to     *set
		lo, hi int
		names  map[string]int
	}{
		{&s.minute, 0, 59, nil},
		{&s.hour, 0, 23, nil},
		{&s.day, 1, 31, nil},
		{&s.month, 1, 12, nil},
		{&s.weekday, 0, 7, dayNames},
	}
	for i, p := range parts {
		got, err := parseField(f[i], p.lo, p.hi, p.names)
		if err != nil {
			return Schedule{}, fmt.Errorf("field %d: %w", i+1, err)
		}
		*p.to = got
	}
	if s.weekday.has(7) {
		s.weekday.bits |= 1
	}
	return s, nil
}

// Next finds the first moment after the given one. The second result is false
// if there is none within the next eight years.
func (s Schedule) Next(after civil.Moment) (civil.Moment, bool) {
	m := after.NextMinute()
	for last := m.Year + 8; m.Year <= last; {
		switch {
		case !s.month.has(m.Month):
			m = m.NextMonth()
		case !s.dayMatches(m):
			m = m.NextDay()
		case !s.hour.has(m.Hour):
			m = m.NextHour()
		case !s.minute.has(m.Minute):
			m = m.NextMinute()
		default:
			return m, true
		}
	}
	return civil.Moment{}, false
}

// dayMatches follows crontab: if both day fields are restricted, one is enough.
func (s Schedule) dayMatches(m civil.Moment) bool {
	byDay, byWeekday := s.day.has(m.Day), s.weekday.has(m.Weekday())
	if s.day.any || s.weekday.any {
		return byDay && byWeekday
	}
	return byDay || byWeekday
}
