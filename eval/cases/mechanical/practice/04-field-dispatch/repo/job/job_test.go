package job

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	j, err := Parse("A7; Urgent; 2024-03-05 14:30; 1h30m; gas water")
	if err != nil {
		t.Fatal(err)
	}
	if j.ID != "A7" || j.Urgency != Urgent || j.Takes != 90*time.Minute || len(j.Skills) != 2 {
		t.Errorf("got %+v", j)
	}
	if !j.Due.Equal(time.Date(2024, 3, 5, 14, 30, 0, 0, time.UTC)) {
		t.Errorf("due %v", j.Due)
	}
}

func TestParseWithoutDue(t *testing.T) {
	j, err := Parse("A8; routine; -; 20m;")
	if err != nil || !j.Due.IsZero() || len(j.Skills) != 0 {
		t.Errorf("got %+v, %v", j, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, line := range []string{
		"A; routine; -; 20m",
		"A; whenever; -; 20m;",
		"A; routine; tomorrow; 20m;",
		"A; routine; -; long;",
		"; routine; -; 20m;",
		"A; routine; -; 0s;",
	} {
		if _, err := Parse(line); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

func TestUrgencyString(t *testing.T) {
	if Emergency.String() != "emergency" || Urgency(9).String() != "urgency(9)" {
		t.Errorf("got %s, %s", Emergency, Urgency(9))
	}
}
