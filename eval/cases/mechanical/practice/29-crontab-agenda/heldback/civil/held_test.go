package civil

import "testing"

func TestHeldNextHourAndMinute(t *testing.T) {
	if got := (Moment{2024, 6, 8, 23, 59}).NextMinute(); got != (Moment{2024, 6, 9, 0, 0}) {
		t.Errorf("got %v", got)
	}
	if got := (Moment{2024, 6, 8, 18, 58}).NextMinute(); got != (Moment{2024, 6, 8, 18, 59}) {
		t.Errorf("got %v", got)
	}
	if got := (Moment{2024, 6, 8, 18, 58}).NextHour(); got != (Moment{2024, 6, 8, 19, 0}) {
		t.Errorf("got %v", got)
	}
}
