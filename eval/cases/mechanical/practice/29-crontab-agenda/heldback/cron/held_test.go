package cron

import (
	"testing"

	"agenda/civil"
)

// slow walks minute by minute.
func slow(s Schedule, m civil.Moment) civil.Moment {
	for {
		m = tick(m)
		if s.month.has(m.Month) && s.dayMatches(m) && s.hour.has(m.Hour) && s.minute.has(m.Minute) {
			return m
		}
	}
}

func tick(m civil.Moment) civil.Moment {
	m.Minute++
	if m.Minute < 60 {
		return m
	}
	m.Minute, m.Hour = 0, m.Hour+1
	if m.Hour < 24 {
		return m
	}
	m.Hour, m.Day = 0, m.Day+1
	if m.Day <= civil.DaysIn(m.Year, m.Month) {
		return m
	}
	m.Day, m.Month = 1, m.Month+1
	if m.Month <= 12 {
		return m
	}
	m.Month, m.Year = 1, m.Year+1
	return m
}

func TestHeldAgainstSlowWalk(t *testing.T) {
	specs := []string{
		"0 9 * * 1-5", "30 0 * * 1", "0 0 15 * *", "15 12 1,15 * *", "*/20 22-23 * * 0",
		"59 23 * * 6", "5 4 * * 3", "0 6 31 * *", "45 18 10 * 2", "0-10 8 2-4 7 *", "@weekly", "@monthly", "@daily", "7 * 9 * *",
	}
	starts := []string{
		"2024-06-08 18:30", "2024-06-08 00:00", "2024-06-01 23:59", "2024-06-29 12:34", "2024-06-30 23:00",
		"2024-02-28 17:45", "2023-02-28 17:45", "2024-12-30 20:20", "2024-06-14 09:01", "2024-06-09 08:59",
	}
	for _, spec := range specs {
		s, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range starts {
			m, _ := civil.Parse(from)
			check(t, spec, from, slow(s, m).String())
		}
	}
}

func TestHeldHourOnlyBeforeStart(t *testing.T) {
	check(t, "0 9 * * 1-5", "2024-06-09 09:00", "2024-06-10 09:00")
	check(t, "0 9 * * 1-5", "2024-06-09 09:01", "2024-06-10 09:00")
	check(t, "0 9 * * 1-5", "2024-06-08 09:30", "2024-06-10 09:00")
	check(t, "30 18 * * 1", "2024-06-05 18:40", "2024-06-10 18:30")
	check(t, "40 18 * * 1", "2024-06-05 18:50", "2024-06-10 18:40")
	check(t, "* * 20 * *", "2024-06-05 18:50", "2024-06-20 00:00")
	check(t, "*/7 * 20 * *", "2024-06-19 00:30", "2024-06-20 00:00")
}
