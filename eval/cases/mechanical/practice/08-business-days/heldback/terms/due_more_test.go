package terms

import (
	"testing"

	"example.com/receivables/calendar"
)

func TestDueAroundEndOfMonth(t *testing.T) {
	for text, want := range map[string]string{
		"eom-1bd": "2024-12-30",
		"eom-4bd": "2024-12-24",
		"eom+1bd": "2025-01-01",
		"eom":     "2024-12-31",
	} {
		if got := due(t, text, calendar.Date(2024, 12, 3)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
