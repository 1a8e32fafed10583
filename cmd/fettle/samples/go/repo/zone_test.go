package parcel

import "testing"

func TestZoneOf(t *testing.T) {
	for _, c := range []struct {
		home, country string
		want          Zone
	}{
		{"FR", "fr", Domestic},
		{"FR", " it ", Europe},
		{"FR", "US", World},
		{"US", "FR", World},
	} {
		got, err := ZoneOf(c.home, c.country)
		if err != nil || got != c.want {
			t.Errorf("ZoneOf(%q, %q) = %v, %v; want %v", c.home, c.country, got, err, c.want)
		}
	}
}

func TestZoneOfBadCode(t *testing.T) {
	if _, err := ZoneOf("FR", "Italy"); err == nil {
		t.Error("no error")
	}
}

func TestZoneString(t *testing.T) {
	if got := Europe.String(); got != "europe" {
		t.Errorf("got %q", got)
	}
	if got := Zone(7).String(); got != "zone(7)" {
		t.Errorf("got %q", got)
	}
}
