// Package calendar knows which days are business days.
package calendar

import (
	"fmt"
	"time"
)

// Calendar is a set of holidays on top of the weekends.
type Calendar struct {
	holidays map[string]string
}

const layout = "2006-01-02"

// New makes a calendar of dates such as 2024-12-25 and their names.
func New(holidays map[string]string) (*Calendar, error) {
	c := &Calendar{holidays: map[string]string{}}
	for date, name := range holidays {
		if _, err := time.Parse(layout, date); err != nil {
			return nil, fmt.Errorf("calendar: %w", err)
		}
		c.holidays[date] = name
	}
	return c, nil
}

// Date is midnight UTC of a day.
func Date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// IsBusiness reports whether people work on that day.
func (c *Calendar) IsBusiness(day time.Time) bool {
	switch day.Weekday() {
	case time.Saturday, time.Sunday:
		return false
	}
	_, holiday := c.holidays[day.Format(layout)]
	return !holiday
}

// Name is the name of the holiday, or empty.
func (c *Calendar) Name(day time.Time) string { return c.holidays[day.Format(layout)] }
