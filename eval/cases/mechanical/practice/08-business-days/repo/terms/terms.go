// Package terms reads payment terms and works out due dates.
package terms

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/receivables/calendar"
)

// Terms say when an invoice is due.
type Terms struct {
	EndOfMonth   bool
	Days         int // calendar days
	BusinessDays int
}

var (
	netTerms      = regexp.MustCompile(`^net ?(\d+)$`)
	businessTerms = regexp.MustCompile(`^(\d+) ?bd$`)
	monthTerms    = regexp.MustCompile(`^eom(?:([+-]\d+)bd)?$`)
)

// Parse reads terms such as "net 30", "10 bd" or "eom-2bd".
func Parse(text string) (Terms, error) {
	clean := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if m := netTerms.FindStringSubmatch(clean); m != nil {
		days, err := strconv.Atoi(m[1])
		return Terms{Days: days}, err
	}
	if m := businessTerms.FindStringSubmatch(clean); m != nil {
		days, err := strconv.Atoi(m[1])
		return Terms{BusinessDays: days}, err
	}
	if m := monthTerms.FindStringSubmatch(clean); m != nil {
		t := Terms{EndOfMonth: true}
		if m[1] == "" {
			return t, nil
		}
		var err error
		t.BusinessDays, err = strconv.Atoi(m[1])
		return t, err
	}
	return Terms{}, fmt.Errorf("terms: cannot read %q", text)
}

// Due is the due date of an invoice of that day; it is a business day.
func (t Terms) Due(c *calendar.Calendar, issued time.Time) time.Time {
	due := issued.AddDate(0, 0, t.Days)
	if t.EndOfMonth {
		due = calendar.EndOfMonth(due)
	}
	if t.BusinessDays != 0 {
		return c.Shift(due, t.BusinessDays)
	}
	return c.Roll(due)
}
