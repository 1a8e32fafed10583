package calendar

import "time"

// Roll is the day itself if it is a business day, or else the next one.
func (c *Calendar) Roll(day time.Time) time.Time {
	for !c.IsBusiness(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

// Shift is the n-th business day after the day, or before it if n is negative.
func (c *Calendar) Shift(day time.Time, n int) time.Time {
	step := 1
	if n < 0 {
		step = -1
	}
	for n != 0 {
		day = day.AddDate(0, 0, step)
		if c.IsBusiness(day) {
			n--
		}
	}
	return day
}

// Between counts the business days after from, up to and including to. It is
// zero if to is not after from.
func (c *Calendar) Between(from, to time.Time) int {
	count := 0
	for day := from.AddDate(0, 0, 1); !day.After(to); day = day.AddDate(0, 0, 1) {
		if c.IsBusiness(day) {
			count++
		}
	}
	return count
}

// EndOfMonth is the last day of the month.
func EndOfMonth(day time.Time) time.Time {
	return Date(day.Year(), day.Month()+1, 0)
}
