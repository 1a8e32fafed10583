// Package clock has times of a day in minutes and spans between them.
package clock

import (
	"fmt"
	"strconv"
	"strings"
)

// Time is a number of minutes since midnight.
type Time int

// ParseTime reads "09:30"; "24:00" is the end of the day.
func ParseTime(text string) (Time, error) {
	hour, minute, found := strings.Cut(text, ":")
	h, errHour := strconv.Atoi(hour)
	m, errMinute := strconv.Atoi(minute)
	if !found || errHour != nil || errMinute != nil || len(minute) != 2 {
		return 0, fmt.Errorf("bad time %q", text)
	}
	t := Time(h*60 + m)
	if h < 0 || m < 0 || m > 59 || t > 24*60 {
		return 0, fmt.Errorf("bad time %q", text)
	}
	return t, nil
}

func (t Time) String() string {
	return fmt.Sprintf("%02d:%02d", int(t)/60, int(t)%60)
}

// Span is the time from From up to, but not including, To.
type Span struct {
	From, To Time
}

// ParseSpan reads "09:30-11:00".
func ParseSpan(text string) (Span, error) {
	from, to, found := strings.Cut(text, "-")
	if !found {
		return Span{}, fmt.Errorf("bad span %q", text)
	}
	var span Span
	var err error
	if span.From, err = ParseTime(from); err != nil {
		return Span{}, err
	}
	if span.To, err = ParseTime(to); err != nil {
		return Span{}, err
	}
	if span.Minutes() <= 0 {
		return Span{}, fmt.Errorf("span %q ends before it begins", text)
	}
	return span, nil
}

// Minutes is the length of a span.
func (s Span) Minutes() int {
	return int(s.To - s.From)
}

// Meets tells whether two spans have time in common.
func (s Span) Meets(other Span) bool {
	return s.From < other.To && other.From < s.To
}

// Within cuts a span to the part that is inside of another one; the result
// is empty if there is none.
func (s Span) Within(other Span) Span {
	if s.From < other.From {
		s.From = other.From
	}
	if s.To > other.To {
		s.To = other.To
	}
	if s.To < s.From {
		s.To = s.From
	}
	return s
}

func (s Span) String() string {
	return s.From.String() + "-" + s.To.String()
}
