package terms

import (
	"testing"
	"time"

	"example.com/receivables/calendar"
)

func due(t *testing.T, text string, issued time.Time) string {
	t.Helper()
	c, err := calendar.New(map[string]string{"2024-12-25": "Christmas"})
	if err != nil {
		t.Fatal(err)
	}
	terms, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return terms.Due(c, issued).Format("2006-01-02")
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Terms{
		"net 30":   {Days: 30},
		"NET14":    {Days: 14},
		" 10  bd ": {BusinessDays: 10},
		"eom":      {EndOfMonth: true},
		"eom+5bd":  {EndOfMonth: true, BusinessDays: 5},
		"eom-2bd":  {EndOfMonth: true, BusinessDays: -2},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "soon", "net", "-3 bd", "eom+bd"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestDueNet(t *testing.T) {
	if got := due(t, "net 30", calendar.Date(2024, 11, 25)); got != "2024-12-26" {
		t.Errorf("got %s", got)
	}
}

func TestDueBusinessDays(t *testing.T) {
	if got := due(t, "3 bd", calendar.Date(2024, 12, 20)); got != "2024-12-26" {
		t.Errorf("got %s", got)
	}
}

func TestDueEndOfMonth(t *testing.T) {
	if got := due(t, "eom", calendar.Date(2024, 11, 4)); got != "2024-12-02" {
		t.Errorf("got %s", got)
	}
}

func TestDueBeforeEndOfMonth(t *testing.T) {
	if got := due(t, "eom-2bd", calendar.Date(2024, 11, 4)); got != "2024-11-28" {
		t.Errorf("got %s", got)
	}
}
