package parcel

import (
	"fmt"
	"strings"
)

// Zone is a group of countries with one price table.
type Zone int

const (
	Domestic Zone = iota + 1
	Europe
	World
)

func (z Zone) String() string {
	switch z {
	case Domestic:
		return "domestic"
	case Europe:
		return "europe"
	case World:
		return "world"
	}
	return fmt.Sprintf("zone(%d)", int(z))
}

var european = map[string]bool{
	"AT": true, "BE": true, "CZ": true, "DK": true, "ES": true, "FI": true,
	"FR": true, "IE": true, "IT": true, "NL": true, "PL": true, "SE": true,
}

// ZoneOf gives the zone of a two-letter country code for a sender in home.
func ZoneOf(home, country string) (Zone, error) {
	home = strings.ToUpper(strings.TrimSpace(home))
	country = strings.ToUpper(strings.TrimSpace(country))
	if len(country) != 2 {
		return 0, fmt.Errorf("parcel: bad country code %q", country)
	}
	if country == home {
		return Domestic, nil
	}
	if european[country] && european[home] {
		return Europe, nil
	}
	return World, nil
}
